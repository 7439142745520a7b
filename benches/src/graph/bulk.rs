//! `bulk_vs_raw`: 1 M nodes with five properties and 5 M relationships, loaded in bulk.
//!
//! Ours takes names and values and does everything that a load does: encode, check, sort, both
//! directions, degrees, sets, counts, ingest, commit. Raw gets the very pairs that ours has stored,
//! sorted, encoded and in memory, writes them with `SstFileWriter` under the same options and ingests
//! them: no graph can be loaded faster by one thread. Ours may use two, so `bulk_vs_raw_2` has raw
//! write two families at once. Beside the clock's time stands the processors', which other work on the
//! machine hardly touches: `bulk_cpu_vs_raw`.

use crate::measure::memory::{peak, reset_peak};
use crate::measure::peer::Peer;
use crate::measure::recorded::Recorded;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use crate::measure::{Setup, cpu_time};
use anyhow::{Context, Result};
use rocksdb::{IngestExternalFileOptions, Options, SstFileWriter};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::storage::family::{FAMILIES, Family};
use stratigraph::storage::range::KeyRange;
use stratigraph::{BulkOptions, Database, NO_PROPERTIES, NodeId, Value};

const CACHE_BYTES: usize = 64 << 20;
/// The engine closes a sorted file at this size; so does raw.
const RUN_BYTES: usize = 256 << 20;
const LABELS: [&str; 3] = ["Person", "Company", "City"];
const TYPES: [&str; 3] = ["KNOWS", "WORKS_AT", "LIVES_IN"];

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (nodes, rounds) = setup.choose((100_000, 1), (1_000_000, 3));
    let relationships = 5 * nodes;
    println!("bulk       {nodes} nodes of 5 properties, {relationships} relationships");
    let source = dir.join("source");
    setup.progress("bulk: the load whose pairs raw gets");
    load(
        setup.seed,
        nodes,
        relationships,
        &source,
        &mut Phases::default(),
    )?;
    let db = Database::builder().cache_bytes(CACHE_BYTES).open(&source)?;
    let mut phases = Phases::default();
    let mut peak_bytes = 0;
    let mut threads = 1;
    let items = (nodes + relationships) as f64;
    for (name, cpu_name) in [
        ("bulk_vs_raw", "bulk_cpu_vs_raw"),
        ("bulk_vs_raw_2", "bulk_cpu_vs_raw_2"),
    ] {
        let (mut our_cpu, mut raw_cpu) = (Vec::new(), Vec::new());
        let measured = Rounds::run(
            rounds,
            |round| {
                setup.progress(&format!("{name}: round {round} of {rounds}"));
                Ok(())
            },
            |()| {
                let path = dir.join("ours");
                reset_peak()?;
                phases = Phases::default();
                let before = cpu_time::of_process();
                let took = load(setup.seed, nodes, relationships, &path, &mut phases)?;
                our_cpu.push(cpu_time::of_process() - before);
                peak_bytes = peak_bytes.max(peak()?);
                fs::remove_dir_all(&path)?;
                Ok(took)
            },
            |()| {
                let (took, cpu) = raw(&db, &source, &dir.join("raw"), threads)?;
                raw_cpu.push(cpu);
                Ok(took)
            },
        )?;
        let mark = (threads == 1).then_some(Mark::AtLeast(0.5));
        let rates = measured.map(|seconds| items / seconds);
        report.compare(name, &rates, "items/s", mark);
        let mut cpu = Rounds::default();
        // As with the clock, the first round does not count.
        for (ours, raw) in our_cpu.into_iter().zip(raw_cpu).skip(1) {
            cpu.push(items / ours, items / raw);
        }
        report.compare(cpu_name, &cpu, "items/cpu s", None);
        threads = 2;
    }
    for (phase, took) in &phases.0 {
        println!("bulk       {:6.2} s  {phase}", took.as_secs_f64());
    }
    let peak_mib = peak_bytes as f64 / f64::from(1 << 20);
    report.count(
        "bulk_peak_rss",
        peak_mib,
        None,
        "MiB",
        Some(Mark::AtMost(1024.0)),
    );
    db.close()?;
    Ok(())
}

/// How long each step took.
#[derive(Default)]
struct Phases(Vec<(String, Duration)>);

impl Phases {
    fn add(&mut self, name: &str, took: Duration) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += took,
            None => self.0.push((name.to_owned(), took)),
        }
    }
}

/// One load into a new database; the time from its beginning to its commit.
fn load(
    seed: u64,
    nodes: u64,
    relationships: u64,
    path: &Path,
    phases: &mut Phases,
) -> Result<Duration> {
    let db = Database::builder()
        .create_if_missing(true)
        .cache_bytes(CACHE_BYTES)
        .open(path)?;
    let mut random = fastrand::Rng::with_seed(seed);
    let begun = Instant::now();
    let mut load = db.bulk_load_with(BulkOptions::default())?;
    for number in 0..nodes {
        let name: [u8; 12] = std::array::from_fn(|_| random.u8(b'a'..=b'z'));
        let name = std::str::from_utf8(&name)?;
        let label = LABELS[random.usize(..LABELS.len())];
        load.add_node(
            [label],
            [
                ("name", Value::from(name)),
                ("number", Value::from(number as i64)),
                ("age", Value::from(random.i64(0..100))),
                ("score", Value::from(random.f64())),
                ("active", Value::from(random.bool())),
            ],
        )?;
    }
    phases.add("add nodes", begun.elapsed());
    let second = Instant::now();
    for _ in 0..relationships {
        let source = NodeId::new(random.u64(..nodes));
        let target = NodeId::new(random.u64(..nodes));
        let of = TYPES[random.usize(..TYPES.len())];
        load.add_relationship(source, of, target, NO_PROPERTIES)?;
    }
    phases.add("add relationships", second.elapsed());
    let mut last = (Instant::now(), String::new());
    let mut tell = |progress: Progress<'_>| {
        if progress.step != last.1 {
            phases.add(&last.1, last.0.elapsed());
            last = (Instant::now(), progress.step.to_owned());
        }
    };
    load.finish(&mut Watch::new(&mut tell, CancelToken::new()))?;
    let took = begun.elapsed();
    phases.add(&last.1, last.0.elapsed());
    db.close()?;
    Ok(took)
}

/// The pairs of one family, in one piece of memory.
struct Pairs {
    family: Family,
    bytes: Vec<u8>,
    lengths: Vec<(u32, u32)>,
}

impl Pairs {
    fn of(db: &Database, family: Family) -> Result<Self> {
        let mut pairs = Self {
            family,
            bytes: Vec::new(),
            lengths: Vec::new(),
        };
        let read = db.key_read()?;
        let mut scan = read.scan(family, &KeyRange::all())?;
        while let Some(entry) = scan.next()? {
            pairs.bytes.extend_from_slice(entry.key);
            pairs.bytes.extend_from_slice(entry.value);
            pairs
                .lengths
                .push((entry.key.len() as u32, entry.value.len() as u32));
        }
        Ok(pairs)
    }

    /// Writes the files.
    fn write(&self, options: &Options, dir: &Path) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut writer: Option<(SstFileWriter<'_>, usize)> = None;
        let mut rest = self.bytes.as_slice();
        for (key, value) in &self.lengths {
            let (key, after) = rest.split_at(*key as usize);
            let (value, after) = after.split_at(*value as usize);
            rest = after;
            let (open, bytes) = match &mut writer {
                Some(writer) => writer,
                none => {
                    let path = dir.join(format!("{}-{}.sst", self.family.name(), files.len()));
                    let open = SstFileWriter::create(options);
                    open.open(&path)?;
                    files.push(path);
                    none.insert((open, 0))
                }
            };
            open.put(key, value)?;
            *bytes += key.len() + value.len();
            if *bytes >= RUN_BYTES
                && let Some((mut full, _)) = writer.take()
            {
                full.finish()?;
            }
        }
        if let Some((mut last, _)) = writer {
            last.finish()?;
        }
        Ok(files)
    }
}

/// The same pairs through raw RocksDB; reading them is not counted. With two threads it writes two
/// families at a time.
fn raw(db: &Database, source: &Path, dir: &Path, threads: usize) -> Result<(Duration, f64)> {
    let peer = Peer::open_like(&source.join("store"), dir, CACHE_BYTES)?;
    let recorded = Recorded::read(&source.join("store"))?;
    let options: HashMap<String, Options> =
        recorded.family_options(CACHE_BYTES)?.into_iter().collect();
    let (mut took, mut cpu) = (Duration::ZERO, 0.0);
    let mut families: Vec<Family> = FAMILIES.iter().map(|spec| spec.family).collect();
    // Those of one size side by side.
    families.sort_by_key(|family| matches!(family, Family::Out | Family::In));
    let runs = dir.join("runs");
    fs::create_dir(&runs)?;
    let mut ingest = IngestExternalFileOptions::default();
    ingest.set_move_files(true);
    for families in families.chunks(threads) {
        let pairs: Result<Vec<Pairs>> = families
            .iter()
            .map(|family| Pairs::of(db, *family))
            .collect();
        let pairs = pairs?;
        let (begun, before) = (Instant::now(), cpu_time::of_process());
        let written = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for pairs in pairs.iter().filter(|pairs| !pairs.lengths.is_empty()) {
                let name = match pairs.family {
                    Family::Meta => rocksdb::DEFAULT_COLUMN_FAMILY_NAME,
                    other => other.name(),
                };
                let (written, runs, options) = (&written, &runs, options.get(name));
                scope.spawn(move || {
                    let files = options
                        .context("no options of a family")
                        .and_then(|options| pairs.write(options, runs));
                    if let Ok(mut written) = written.lock() {
                        written.push((pairs.family, files));
                    }
                });
            }
        });
        for (family, files) in written.into_inner().unwrap_or_default() {
            peer.db
                .ingest_external_file_cf_opts(peer.family(family)?, &ingest, files?)?;
        }
        took += begun.elapsed();
        cpu += cpu_time::of_process() - before;
    }
    drop(peer);
    fs::remove_dir_all(dir)?;
    Ok((took, cpu))
}
