//! The workload that the harnesses run, and the oracle that knows what must be there afterwards.
//!
//! Several writers commit numbered batches. What a batch changes is a pure function of the seed, the
//! writer and the number, so that a harness needs to remember only how far each writer came:
//!
//! ```text
//! writer:   workload.commit(&db, writer, batch)?     batch = 1, 2, 3, ... then acknowledge
//! oracle:   let mut model = Model::new(workload, writer);  model.advance_to(acknowledged);
//!           verify(&db.key_read()?, &model, attempted)?  -> Exact, Lost or Torn
//! ```
//! Every batch changes every family but `meta` (which is the database's own), in a way that no other
//! batch does: a family that misses a batch, or has one too many, always shows. It must never trust
//! what the database says about itself: the progress record only shortens the search for a culprit.
//!
//! Keys are `[writer: 4 BE][group: 4 BE][slot: 2 BE]` in a small key space, so that the state stays
//! bounded; entries of a bulk load are `[writer: 4 BE][LOADED: 4 BE][batch: 8 BE][entry: 2 BE]`, and
//! a later batch deletes them.

use std::collections::BTreeMap;
use std::fmt;
use stratigraph::codec::CommitSeq;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::family::Family;
use stratigraph::storage::range::{Direction, KeyRange};
use stratigraph::storage::store::ScanOptions;
use stratigraph::{Database, Result};

/// How many slots a writer has in each family.
pub const SLOTS: u16 = 64;
/// Slots of one group share the first eight bytes of their keys, which some families filter on.
pub const SLOTS_PER_GROUP: u16 = 8;
/// One batch in so many is a bulk load.
const BULK_PERIOD: u64 = 61;
/// So many batches later its entries are deleted again.
const BULK_LIFE: u64 = 7;
/// The group of loaded entries; after every group of slots.
const LOADED: u32 = 0xFFFF_FFFE;
/// The group of the progress record; after everything else.
const PROGRESS: u32 = 0xFFFF_FFFF;

/// One of the writers. Each has its own part of the key space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Writer(pub u32);

impl Writer {
    /// Every key of this writer.
    #[must_use]
    pub fn range(self) -> KeyRange {
        KeyRange::prefix(&self.0.to_be_bytes())
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "writer {}", self.0)
    }
}

/// A batch by its number. Writers start with 1; 0 is the state before any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BatchNumber(pub u64);

impl BatchNumber {
    /// The batch after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for BatchNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One change: `None` deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// In which family.
    pub family: Family,
    /// The key.
    pub key: Vec<u8>,
    /// Its new value.
    pub value: Option<Vec<u8>>,
}

/// The families that batches write to.
pub fn families() -> impl Iterator<Item = Family> + Clone {
    Family::all().filter(|family| *family != Family::Meta)
}

/// What the writers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Workload {
    seed: u64,
    bulk_loads: bool,
}

impl Workload {
    /// The workload of `seed`, with a bulk load now and then.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            bulk_loads: true,
        }
    }

    /// The same with transactions only. A database sees one or the other, never both.
    #[must_use]
    pub fn without_bulk_loads(self) -> Self {
        Self {
            bulk_loads: false,
            ..self
        }
    }

    /// Commits `batch`, which must be the one after the writer's last.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub fn commit(&self, db: &Database, writer: Writer, batch: BatchNumber) -> Result<CommitSeq> {
        let changes = self.changes(writer, batch);
        if self.is_bulk_load(writer, batch) {
            let mut load = db.key_bulk_load()?;
            for change in &changes {
                load.put(
                    change.family,
                    &change.key,
                    change.value.as_deref().unwrap_or_default(),
                )?;
            }
            return load.finish(&mut Watch::new(&mut |_| {}, CancelToken::new()));
        }
        let mut txn = db.key_write()?;
        for change in &changes {
            match &change.value {
                Some(value) => txn.put(change.family, &change.key, value)?,
                None => txn.delete(change.family, &change.key)?,
            }
        }
        txn.commit()
    }

    /// Whether the batch goes in as a bulk load.
    #[must_use]
    pub fn is_bulk_load(&self, writer: Writer, batch: BatchNumber) -> bool {
        // Early in the life of a database, so that short runs have one too.
        let first = 1 + mix(&[self.seed, u64::from(writer.0)]) % (BULK_PERIOD - 1);
        self.bulk_loads && batch.0 % BULK_PERIOD == first
    }

    /// What the batch changes, in the order in which it does; a bulk load only adds, in key order.
    #[must_use]
    pub fn changes(&self, writer: Writer, batch: BatchNumber) -> Vec<Change> {
        let mut changes = Vec::new();
        for family in families() {
            let parts = [
                self.seed,
                u64::from(writer.0),
                batch.0,
                family.index() as u64,
            ];
            let mut rng = fastrand::Rng::with_seed(mix(&parts));
            if self.is_bulk_load(writer, batch) {
                for entry in 0..loaded_entries(&parts) {
                    let value = Some(value(&mut rng, batch));
                    changes.push(Change {
                        family,
                        key: loaded_key(writer, batch, entry),
                        value,
                    });
                }
                continue;
            }
            if let Some(born) = batch.0.checked_sub(BULK_LIFE).map(BatchNumber)
                && self.is_bulk_load(writer, born)
            {
                let parts = [
                    self.seed,
                    u64::from(writer.0),
                    born.0,
                    family.index() as u64,
                ];
                for entry in 0..loaded_entries(&parts) {
                    changes.push(Change {
                        family,
                        key: loaded_key(writer, born, entry),
                        value: None,
                    });
                }
            }
            for _ in 0..rng.u8(0..3) {
                changes.push(Change {
                    family,
                    key: slot_key(writer, rng.u16(..SLOTS)),
                    value: None,
                });
            }
            for _ in 0..rng.u8(0..3) {
                let key = slot_key(writer, rng.u16(..SLOTS));
                changes.push(Change {
                    family,
                    key,
                    value: Some(value(&mut rng, batch)),
                });
            }
            // The last word in every family names the batch: no two states of a family are equal.
            let mut signed = batch.0.to_be_bytes().to_vec();
            signed.extend(value(&mut rng, batch));
            changes.push(Change {
                family,
                key: slot_key(writer, rng.u16(..SLOTS)),
                value: Some(signed),
            });
        }
        if !self.is_bulk_load(writer, batch) {
            let value = Some(batch.0.to_be_bytes().to_vec());
            changes.push(Change {
                family: Family::Journal,
                key: progress_key(writer),
                value,
            });
        }
        changes
    }

    /// Finds the batch after which a writer's state was `state`, if there is one up to `last`.
    #[must_use]
    pub fn locate(&self, state: &State, writer: Writer, last: BatchNumber) -> Option<BatchNumber> {
        let mut model = Model::new(*self, writer);
        loop {
            // The progress record leaves few candidates; all families decide.
            if model.agrees_on_progress(state) && model.state == *state {
                return Some(model.batch);
            }
            if model.batch >= last {
                return None;
            }
            model.advance();
        }
    }

    /// Where `state`, which fits no batch up to `last`, differs from the first batch that it says to
    /// be at: what is missing or too much names the culprit.
    #[must_use]
    pub fn explain(
        &self,
        state: &State,
        writer: Writer,
        last: BatchNumber,
    ) -> (BatchNumber, Vec<Difference>) {
        let mut model = Model::new(*self, writer);
        while !model.agrees_on_progress(state) && model.batch < last {
            model.advance();
        }
        (model.batch, model.state.differences(state))
    }
}

/// The key of a slot.
#[must_use]
pub fn slot_key(writer: Writer, slot: u16) -> Vec<u8> {
    let mut key = key_of(writer, u32::from(slot / SLOTS_PER_GROUP));
    key.extend(slot.to_be_bytes());
    key
}

fn loaded_key(writer: Writer, batch: BatchNumber, entry: u16) -> Vec<u8> {
    let mut key = key_of(writer, LOADED);
    key.extend(batch.0.to_be_bytes());
    key.extend(entry.to_be_bytes());
    key
}

fn progress_key(writer: Writer) -> Vec<u8> {
    key_of(writer, PROGRESS)
}

fn key_of(writer: Writer, group: u32) -> Vec<u8> {
    [writer.0.to_be_bytes(), group.to_be_bytes()].concat()
}

fn loaded_entries(parts: &[u64; 4]) -> u16 {
    1 + (mix(parts) >> 8) as u16 % 24
}

/// Mostly short, now and then of several blocks, sometimes empty; half of them compress well.
fn value(rng: &mut fastrand::Rng, batch: BatchNumber) -> Vec<u8> {
    let length = match rng.u8(..100) {
        0..8 => 0,
        8..75 => rng.usize(1..200),
        75..98 => rng.usize(200..2048),
        _ => rng.usize(16 << 10..24 << 10),
    };
    if rng.bool() {
        return batch
            .0
            .to_be_bytes()
            .iter()
            .copied()
            .cycle()
            .take(length)
            .collect();
    }
    let mut bytes = vec![0; length];
    rng.fill(&mut bytes);
    bytes
}

/// Mixes numbers into one, as splitmix64 does, so that neighbours have nothing in common.
fn mix(parts: &[u64]) -> u64 {
    parts
        .iter()
        .fold(0x9E37_79B9_7F4A_7C15, |state: u64, part| {
            let mut mixed = (state ^ part).wrapping_add(0x9E37_79B9_7F4A_7C15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        })
}

/// Everything a writer has in every family, as expected or as found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    families: BTreeMap<Family, BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl State {
    /// Reads a writer's keys in all families.
    ///
    /// # Errors
    /// What the scans report.
    ///
    /// # Panics
    /// If a scan leaves its range or its order: that is a bug and no damage.
    pub fn read(read: &impl KeyRead, writer: Writer, direction: Direction) -> Result<Self> {
        let mut state = Self::default();
        for family in families() {
            let options = ScanOptions {
                direction,
                ..ScanOptions::default()
            };
            let mut scan = read.scan_with(family, &writer.range(), options)?;
            let mut last: Option<Vec<u8>> = None;
            while let Some(entry) = scan.next()? {
                let rises = last.as_deref().is_none_or(|last| match direction {
                    Direction::Forward => last < entry.key,
                    Direction::Backward => last > entry.key,
                });
                assert!(
                    rises && writer.range().contains(entry.key),
                    "a scan of {} is out of order",
                    family.name()
                );
                last = Some(entry.key.to_vec());
                state
                    .family(family)
                    .insert(entry.key.to_vec(), entry.value.to_vec());
            }
        }
        Ok(state)
    }

    /// The value of a key.
    #[must_use]
    pub fn value(&self, family: Family, key: &[u8]) -> Option<&[u8]> {
        self.families.get(&family)?.get(key).map(Vec::as_slice)
    }

    /// Every pair, family by family and key by key.
    pub fn pairs(&self) -> impl Iterator<Item = (Family, &[u8], &[u8])> {
        let families = self.families.iter();
        families.flat_map(|(family, pairs)| {
            pairs
                .iter()
                .map(|(key, value)| (*family, key.as_slice(), value.as_slice()))
        })
    }

    /// Where `found` differs from what is expected here.
    #[must_use]
    pub fn differences(&self, found: &Self) -> Vec<Difference> {
        let missing_or_other = self.pairs().filter_map(|(family, key, expected)| {
            Difference::between(family, key, Some(expected), found.value(family, key))
        });
        let unexpected = found
            .pairs()
            .filter(|(family, key, _)| self.value(*family, key).is_none());
        let unexpected = unexpected
            .filter_map(|(family, key, value)| Difference::between(family, key, None, Some(value)));
        missing_or_other.chain(unexpected).collect()
    }

    fn family(&mut self, family: Family) -> &mut BTreeMap<Vec<u8>, Vec<u8>> {
        self.families.entry(family).or_default()
    }
}

/// A key whose value is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The family.
    pub family: Family,
    /// The key.
    pub key: Vec<u8>,
    /// What should be there.
    pub expected: Option<Vec<u8>>,
    /// What is there.
    pub found: Option<Vec<u8>>,
}

impl Difference {
    /// The difference, if there is one.
    #[must_use]
    pub fn between(
        family: Family,
        key: &[u8],
        expected: Option<&[u8]>,
        found: Option<&[u8]>,
    ) -> Option<Self> {
        (expected != found).then(|| Self {
            family,
            key: key.to_vec(),
            expected: expected.map(<[u8]>::to_vec),
            found: found.map(<[u8]>::to_vec),
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.family.name())?;
        self.key
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))?;
        for (what, value) in [("expected", &self.expected), ("found", &self.found)] {
            match value {
                None => write!(f, ", {what} nothing")?,
                Some(value) => write!(
                    f,
                    ", {what} {} bytes {:02x?}",
                    value.len(),
                    &value[..value.len().min(8)]
                )?,
            }
        }
        Ok(())
    }
}

/// What a writer's part of the database must be after some batch.
#[derive(Debug, Clone)]
pub struct Model {
    workload: Workload,
    writer: Writer,
    batch: BatchNumber,
    state: State,
}

impl Model {
    /// The writer before its first batch.
    #[must_use]
    pub fn new(workload: Workload, writer: Writer) -> Self {
        Self {
            workload,
            writer,
            batch: BatchNumber(0),
            state: State::default(),
        }
    }

    /// What its writer does.
    #[must_use]
    pub fn workload(&self) -> Workload {
        self.workload
    }

    /// Whose part this is.
    #[must_use]
    pub fn writer(&self) -> Writer {
        self.writer
    }

    /// The last batch that is in it.
    #[must_use]
    pub fn batch(&self) -> BatchNumber {
        self.batch
    }

    /// What must be there.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Applies the next batch.
    pub fn advance(&mut self) {
        self.batch = self.batch.next();
        for change in self.workload.changes(self.writer, self.batch) {
            let family = self.state.family(change.family);
            match change.value {
                Some(value) => family.insert(change.key, value),
                None => family.remove(&change.key),
            };
        }
        // A family whose last pair went is as good as one never written.
        self.state.families.retain(|_, pairs| !pairs.is_empty());
    }

    fn agrees_on_progress(&self, state: &State) -> bool {
        let key = progress_key(self.writer);
        self.state.value(Family::Journal, &key) == state.value(Family::Journal, &key)
    }

    /// Applies every batch up to `batch`.
    pub fn advance_to(&mut self, batch: BatchNumber) {
        while self.batch < batch {
            self.advance();
        }
    }
}

/// What [`verify`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// Every family is exactly as after this batch.
    Exact(BatchNumber),
    /// Every family is as after this batch, but later ones had been acknowledged.
    Lost(BatchNumber),
    /// No single batch fits; where the state differs from the acknowledged one.
    Torn(Vec<Difference>),
}

/// Compares a writer's part of the database with `model`, which stands at the last acknowledged
/// batch. Batches up to `attempted` may be there too.
///
/// # Errors
/// What reading reports: that is for the harness to judge.
pub fn verify(read: &impl KeyRead, model: &Model, attempted: BatchNumber) -> Result<Verdict> {
    let found = State::read(read, model.writer, Direction::Forward)?;
    Ok(judge(&found, model, attempted))
}

/// As [`verify`], of a state that was read already.
pub fn judge(found: &State, model: &Model, attempted: BatchNumber) -> Verdict {
    if model.state == *found {
        return Verdict::Exact(model.batch);
    }
    let mut later = model.clone();
    while later.batch < attempted {
        later.advance();
        if later.state == *found {
            return Verdict::Exact(later.batch);
        }
    }
    match model.workload.locate(found, model.writer, model.batch) {
        Some(batch) => Verdict::Lost(batch),
        None => Verdict::Torn(model.state.differences(found)),
    }
}
