//! Finishing a load: what was collected is merged and written, then everything is taken in at once.

use super::adjacency::Side;
use super::pairs::PairSorter;
use super::scratch::{Scratch, malformed};
use super::{BulkLoad, BulkReport, sides, view};
use crate::catalog::{
    Catalog, Change, Counter, GraphState, LabelId, NameId, NextIds, Readiness, SchemaId,
    TextIndexDef, TypeId,
};
use crate::codec::{CodecError, CommitSeq, KeyReader};
use crate::error::{Error, Result, Violation};
use crate::graph::keys::Entity;
use crate::graph::pending::stored;
use crate::graph::sets::{ContainerKey, SetId, decode_container, encode_container};
use crate::index::property::Sketch;
use crate::index::vector::{JournalKey, write_touched};
use crate::keys::{KeyRead, KeyReadTxn, RunStream};
use crate::storage::batch::Batch;
use crate::storage::cancel::{CancelToken, Watch};
use crate::storage::family::Family;
use crate::value::ordered;
use std::collections::HashMap;
use std::sync::{Arc, mpsc};

/// Progress is told once for so many pairs.
const PORTION: u64 = 1 << 15;
const STEP: &str = "sort and write";

/// A part of the work that needs nothing from the others.
enum Part {
    /// Records and values apart are written but for the ends of their files.
    Close(Box<[RunStream; 2]>, Box<super::apart::ApartWriter>),
    Side(Box<Side>, RunStream),
    Entries(PairSorter, RunStream),
    Sets(PairSorter, RunStream),
}

/// What all parts read.
struct Shared<'a> {
    read: &'a KeyReadTxn,
    state: &'a GraphState,
    first_new: u64,
    /// The containers of sets before these are not the load's.
    first_high: [u64; 2],
    label_log: &'a Scratch,
}

type Counts = HashMap<Counter, u64>;
type Tell<'t> = &'t mut dyn FnMut(u64) -> Result<()>;

impl BulkLoad {
    /// Takes everything in, and returns when it is durable and readers see it.
    ///
    /// # Errors
    /// [`Error::ConstraintViolation`] if two of the load have what must be unique,
    /// [`Error::HierarchyCycle`], [`Error::Cancelled`], or what the store refuses. The load is undone
    /// then: the database is as it was before. Once it is taken in, only the filling of text indexes can be
    /// cancelled or fail: the load stays, and `Database::finish_schema` goes on with them. [`Error::OutcomeUnknown`] if it may or may not be there
    /// after the next open.
    pub fn finish(self, watch: &mut Watch<'_>) -> Result<BulkReport> {
        self.step()?;
        // The first to be bound is the last to be dropped: by then nobody writes into its folder.
        let Self {
            load,
            options,
            mut state,
            read,
            nodes,
            relationships,
            known,
            mut counts,
            sketches,
            texts,
            vectors,
            hierarchies,
            records,
            apart,
            adjacency,
            labels,
            types,
            mut sets,
            entries,
            mut last,
            ..
        } = self;
        let space = Arc::clone(load.space());
        let log = labels.finish(&mut sets, |number, count| {
            counts.insert(Counter::Label(LabelId::from_number(number)), count);
        })?;
        types.finish(&mut sets, |number, count| {
            counts.insert(Counter::Type(TypeId::from_number(number)), count);
        })?;
        let label_log = log.ok_or_else(|| Error::bug("a load without a log of labels"))?;
        let base = view(&read, &state);
        let stream = space.stream(Family::Hierarchy);
        hierarchies.finish(&base, stream, &mut last, &mut counts, watch)?;

        let total = 2 * relationships + entries.count() + sets.count();
        let [out, incoming] = adjacency.into_sides()?;
        let base_next = load.base().state.next;
        let shared = Shared {
            read: &read,
            state: &state,
            first_new: known.first_new(),
            first_high: [base_next.node >> 16, base_next.relationship >> 16],
            label_log: &label_log,
        };
        let stream = |family| space.stream(family);
        let parts = vec![
            Part::Side(Box::new(out), stream(Family::Out)),
            Part::Side(Box::new(incoming), stream(Family::In)),
            Part::Entries(entries, stream(Family::PropIndex)),
            Part::Sets(sets, stream(Family::Labels)),
            Part::Close(Box::new(records), Box::new(apart)),
        ];
        for (counter, count) in shared.work(parts, options.threads, total, watch)? {
            *counts.entry(counter).or_default() += count;
        }
        counts.insert(Counter::Nodes, nodes);
        counts.insert(Counter::Relationships, relationships);

        write_counts(&read, &counts, &sketches, &mut last)?;
        if state.next != base_next {
            last.put(Family::Meta, NextIds::KEY, &state.next.encode());
        }
        drop(label_log);
        // Text indexes are filled afterwards, since their postings lie where a load cannot sort them to. Until
        // they are, they say that they are not ready; a crash leaves that to `finish_schema`.
        for id in &texts {
            let catalog = Arc::make_mut(&mut state.catalog);
            let Some(def) = catalog.text_index(*id) else {
                continue;
            };
            if def.readiness != Readiness::Ready {
                continue;
            }
            let mut def = TextIndexDef::clone(def);
            def.readiness = Readiness::Refilling;
            for (key, value) in catalog.apply(&Change::TextIndex(Arc::new(def))) {
                last.put(Family::Meta, &key, &value.unwrap_or_default());
            }
        }
        // Vector indexes come after: until they have, searches compare what is stored.
        let journal = |commit: CommitSeq, last: &mut Batch| {
            for (index, ids) in &vectors {
                let index = *index;
                let key = JournalKey { index, commit }.encode();
                last.put(Family::Journal, &key, &write_touched(ids));
            }
        };
        let indexes = Arc::clone(read.database().vectors());
        let database = Arc::clone(load.database());
        indexes.suspend(vectors.keys());
        // Its runs are sorted and gone: nobody looks which values they have.
        let entries = database.value_sets().change(|_| true);
        let outcome = load.finish_with(last, Arc::new(state), journal, watch);
        match &outcome {
            Ok(commit) => entries.at(*commit),
            Err(_) => drop(entries),
        }
        indexes.resume(vectors.keys());
        let commit = outcome?;
        if !texts.is_empty() {
            database.finish_texts(watch)?;
        }
        Ok(BulkReport {
            nodes,
            relationships,
            commit,
        })
    }
}

impl Shared<'_> {
    /// Does all parts, on as many threads as may be.
    fn work(
        &self,
        parts: Vec<Part>,
        threads: usize,
        total: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Counts> {
        let mut done = 0;
        let mut counts = Counts::new();
        if threads == 1 {
            let mut tell = |more| {
                done += more;
                watch.step(STEP, done, total)
            };
            for part in parts {
                counts.extend(self.do_part(part, &mut tell)?);
            }
            return Ok(counts);
        }
        let stop = CancelToken::new();
        let parts = parking_lot::Mutex::new(parts.into_iter());
        let (sender, receiver) = mpsc::channel::<u64>();
        std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for _ in 0..threads {
                let (stop, parts, sender) = (&stop, &parts, sender.clone());
                workers.push(scope.spawn(move || {
                    let mut tell = |more| {
                        stop.check()?;
                        // Nobody listens any more once the load was cancelled.
                        let _ = sender.send(more);
                        Ok(())
                    };
                    let mut counts = Counts::new();
                    loop {
                        let part = parts.lock().next();
                        let Some(part) = part else {
                            return Ok(counts);
                        };
                        let made = self.do_part(part, &mut tell);
                        // One part that fails is reason enough for all to stop.
                        counts.extend(made.inspect_err(|_| stop.cancel())?);
                    }
                }));
            }
            drop(sender);
            let mut watched = Ok(());
            for more in receiver {
                done += more;
                if watched.is_ok() {
                    watched = watch.step(STEP, done, total);
                    if watched.is_err() {
                        stop.cancel();
                    }
                }
            }
            let mut outcomes = Vec::new();
            for worker in workers {
                let outcome = worker.join();
                outcomes.push(
                    outcome.unwrap_or_else(|_| Err(Error::bug("a thread of a bulk load panicked"))),
                );
            }
            watched?;
            // Those that were stopped only say so; the one that failed says why.
            outcomes.sort_by_key(|outcome| matches!(outcome, Ok(_) | Err(Error::Cancelled)));
            for outcome in outcomes {
                counts.extend(outcome?);
            }
            Ok(counts)
        })
    }

    fn do_part(&self, part: Part, tell: Tell<'_>) -> Result<Counts> {
        match part {
            Part::Side(side, stream) => {
                let nodes = sides::Nodes {
                    keys: self.read,
                    state: self.state,
                    first_new: self.first_new,
                    labels: self.label_log,
                };
                return sides::write(*side, stream, &nodes, tell);
            }
            Part::Entries(entries, stream) => self.write_entries(entries, stream, tell)?,
            Part::Sets(sets, stream) => self.write_sets(sets, stream, tell)?,
            Part::Close(records, apart) => {
                for stream in *records {
                    stream.finish()?;
                }
                apart.finish()?;
            }
        }
        Ok(Counts::new())
    }

    /// Index entries. None is stored yet: each is of something new, and those of unique indexes were
    /// looked for when they were added.
    fn write_entries(
        &self,
        entries: PairSorter,
        mut stream: RunStream,
        tell: Tell<'_>,
    ) -> Result<()> {
        let sorted = entries.sorted()?;
        let mut merged = sorted.merge()?;
        let (mut key_before, mut value_before) = (Vec::new(), Vec::new());
        let mut written = 0;
        while let Some((key, value)) = merged.next()? {
            if key == key_before {
                return Err(taken(&self.state.catalog, key, &value_before, value));
            }
            stream.put(key, value)?;
            key_before.clear();
            key_before.extend_from_slice(key);
            value_before.clear();
            value_before.extend_from_slice(value);
            count_one(&mut written, tell)?;
        }
        tell(written)?;
        stream.finish()
    }

    /// The containers of sets; the first of each may be there already.
    fn write_sets(&self, sets: PairSorter, mut stream: RunStream, tell: Tell<'_>) -> Result<()> {
        let sorted = sets.sorted()?;
        let mut merged = sorted.merge()?;
        let mut written = 0;
        while let Some((key, value)) = merged.next()? {
            let before = if self.may_be_stored(key)? {
                self.read.get(Family::Labels, key)?
            } else {
                None
            };
            match before {
                None => stream.put(key, value)?,
                Some(before) => {
                    let damaged = |error| Error::record(Family::Labels.name(), error);
                    let mut container = decode_container(&before).map_err(damaged)?;
                    container |= decode_container(value).map_err(damaged)?;
                    stream.replace(key, &before, &encode_container(&mut container))?;
                }
            }
            count_one(&mut written, tell)?;
        }
        tell(written)?;
        stream.finish()
    }

    fn may_be_stored(&self, key: &[u8]) -> Result<bool> {
        let key = ContainerKey::decode(key).map_err(|_| malformed("set key"))?;
        let [nodes, relationships] = self.first_high;
        let first = match key.set {
            SetId::Label(_) => nodes,
            SetId::Type(_) => relationships,
        };
        Ok(key.high <= first)
    }
}

fn count_one(written: &mut u64, tell: Tell<'_>) -> Result<()> {
    *written += 1;
    if *written == PORTION {
        tell(std::mem::take(written))?;
    }
    Ok(())
}

/// Two of the load have what must be unique.
fn taken(catalog: &Catalog, key: &[u8], first: &[u8], second: &[u8]) -> Error {
    match read_taken(catalog, key, first, second) {
        Ok(violation) => Error::ConstraintViolation(Box::new(violation)),
        Err(error) => Error::record(Family::PropIndex.name(), error),
    }
}

fn read_taken(
    catalog: &Catalog,
    key: &[u8],
    first: &[u8],
    second: &[u8],
) -> Result<Violation, CodecError> {
    const WHAT: &str = "unique index entry";
    let mut reader = KeyReader::new(WHAT, key);
    let index = catalog.index(SchemaId(reader.read_u32()?));
    let index = index.ok_or(CodecError::NotCanonical { what: WHAT, at: 0 })?;
    let mut values = Vec::with_capacity(index.properties.len());
    for _ in &index.properties {
        values.push(ordered::read_value(&mut reader)?);
    }
    let entity = |value| {
        let number = KeyReader::new(WHAT, value).read_u64()?;
        Ok::<Entity, CodecError>(index.scope.entity(number))
    };
    let (first, second) = (entity(first)?, entity(second)?);
    Ok(Violation::taken(catalog, index, second, first, &values))
}

/// Counts and sketches as they are after the load.
fn write_counts(
    read: &KeyReadTxn,
    counts: &Counts,
    sketches: &HashMap<SchemaId, Sketch>,
    last: &mut Batch,
) -> Result<()> {
    for (counter, more) in counts.iter().filter(|(_, more)| **more > 0) {
        let key = counter.key();
        let before = stored(read, Family::Meta, &key, Counter::decode_count)?;
        let count = Counter::encode_count(before.unwrap_or_default() + more);
        last.put(Family::Meta, &key, &count);
    }
    for (id, sketch) in sketches {
        let key = id.sketch_key();
        let mut merged = stored(read, Family::Meta, &key, Sketch::decode)?.unwrap_or_default();
        merged.merge(sketch);
        last.put(Family::Meta, &key, &merged.encode());
    }
    Ok(())
}
