//! `recover_vs_whole`: RECOVER over a level of a million sections, by the codes of a vector index beside reading
//! every vector: the same query, in alternating rounds, the same rows.
//!
//! A tree of three levels, of which the last has nearly all sections. Vectors are as those of sentences are. The one
//! side reads at a commit from before the index was made, and so without it. Few links of the index are chosen from
//! few: nothing here walks, and a code lies as far from the next one as with the links that are usual.

use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use crate::vector::generate::{Recipe, generate, latent};
use anyhow::{Context, Result, ensure};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::Watch;
use stratigraph::{
    BulkOptions, Database, HierarchyOptions, NO_PROPERTIES, NodeId, Parameters, ReadTxn, Value,
    Vector, VectorIndex,
};
use stratigraph_vector::Kernels;

const DIMENSIONS: usize = 384;
/// Sections of the last level under one of the level above it.
const FAN_OUT: usize = 1000;
/// Bytes that a scan reads of a section: the high half of its code, its id and from when to when it lives, and
/// what the code leaves out.
const SCANNED_BYTES: usize = DIMENSIONS / 2 + 24 + 4;

/// What is kept: by a threshold that this share of the sections reaches, and by TOP.
const KEPT: [(&str, f64, Option<usize>); 4] = [
    ("one in 10,000", 1e-4, None),
    ("one in 100", 1e-2, None),
    ("one in 20", 0.05, None),
    ("the best 100", 1e-4, Some(100)),
];
/// The one that the summary is about.
const SAID: usize = 1;

/// One side's answer.
struct Answer {
    took: Duration,
    rows: Vec<(i64, u64)>,
    /// How many members codes were compared of, and how many were left.
    codes: (u64, u64),
}

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (count, rounds) = setup.choose((50_000, 3), (1_000_000, 5));
    println!(
        "recover    {rounds} rounds over a level of {count} sections, {DIMENSIONS} dimensions"
    );
    setup.progress("recover: make the vectors");
    let rows = generate(Recipe {
        rows: count + 1,
        dims: DIMENSIONS,
        latent: latent(count),
        seed: setup.seed,
    })?;
    let (rows, query) = rows.split_at(count * DIMENSIONS);
    let db = Database::builder().create_if_missing(true);
    let db = db
        .cache_bytes(64 << 20)
        .vector_threads(2)
        .open(dir.join("recover"))?;
    setup.progress("recover: load the sections");
    let root = load(&db, rows)?;
    let whole = db.read()?;
    setup.progress("recover: make the index");
    let begun = Instant::now();
    let index = VectorIndex::on_nodes("Section", "v", DIMENSIONS).named("sections");
    db.create_vector_index(index.breadth(16))?;
    println!(
        "recover    the index took {:.0} s",
        begun.elapsed().as_secs_f64()
    );
    let codes = db.read()?;
    let mut scores = scores(rows, query);
    scores.sort_unstable_by(|left, right| right.total_cmp(left));
    for (place, (name, share, top)) in KEPT.into_iter().enumerate() {
        setup.progress(&format!("recover: {name}"));
        let kept = (count as f64 * share) as usize;
        let keep = match top {
            Some(top) => format!("TOP {top}"),
            None => format!("WHERE score >= {:?}", scores[kept]),
        };
        let ask = |read: &ReadTxn| ask(read, &keep, root, query);
        let (mut by_codes, mut by_vectors) = (None, None);
        let measured = Rounds::run(
            rounds,
            |_| Ok(()),
            |()| {
                let answer = by_codes.insert(ask(&codes)?);
                Ok(answer.took)
            },
            |()| {
                let answer = by_vectors.insert(ask(&whole)?);
                Ok(answer.took)
            },
        )?;
        let (by_codes, by_vectors) = by_codes.zip(by_vectors).context("no round")?;
        ensure!(
            by_codes.rows == by_vectors.rows,
            "the rows are not the same"
        );
        ensure!(by_codes.codes.0 >= count as u64, "codes were not asked");
        ensure!(
            by_vectors.codes == (0, 0),
            "codes were asked at an earlier commit"
        );
        let (scanned, left) = by_codes.codes;
        let milliseconds = measured.map(|seconds| seconds * 1e3);
        let rescored = left as f64 / scanned as f64;
        println!(
            "recover    {name}: {} rows, {:.1} ms by codes, {:.1} ms by vectors, {:.4} of all read",
            by_codes.rows.len(),
            milliseconds.ours(),
            milliseconds.raw(),
            rescored
        );
        if place == SAID {
            let mark = (count >= 1_000_000).then_some(Mark::AtMost(0.2));
            report.compare("recover_vs_whole", &milliseconds, "ms", mark);
            let least = least_ms(count);
            report.count("recover_memory", least, None, "ms", None);
            let rescored_name = "recover_rescored";
            report.count(
                rescored_name,
                rescored,
                None,
                "of all",
                Some(Mark::AtMost(0.1)),
            );
            report.say_last(format!(
                "traverse recover_rows={count} codes_ms={:.1} whole_ms={:.1} speedup={:.1} rescored={rescored:.4} memory_ms={least:.1}",
                milliseconds.ours(),
                milliseconds.raw(),
                1.0 / milliseconds.ratio(),
            ));
        }
    }
    drop((whole, codes));
    db.close()?;
    Ok(())
}

/// The tree. Returns its root.
fn load(db: &Database, rows: &[f32]) -> Result<NodeId> {
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS"))?;
    let mut load = db.bulk_load_with(BulkOptions::default())?;
    let root = load.add_node(["Section"], NO_PROPERTIES)?;
    let mut parent = root;
    for (place, row) in rows.chunks_exact(DIMENSIONS).enumerate() {
        if place % FAN_OUT == 0 {
            parent = load.add_node(["Chapter"], NO_PROPERTIES)?;
            load.add_relationship(root, "HAS", parent, NO_PROPERTIES)?;
        }
        let vector = Value::Vector(Vector::new(row.to_vec())?);
        let node = load.add_node(["Section"], [("v", vector)])?;
        load.add_relationship(parent, "HAS", node, NO_PROPERTIES)?;
    }
    load.finish(&mut Watch::quiet())?;
    Ok(root)
}

fn scores(rows: &[f32], query: &[f32]) -> Vec<f64> {
    let kernels = Kernels::best();
    let cosine = |row| kernels.cosine(query, row).ok().flatten();
    let scores = rows.chunks_exact(DIMENSIONS).filter_map(cosine);
    scores.map(f64::from).collect()
}

fn ask(read: &ReadTxn, keep: &str, root: NodeId, query: &[f32]) -> Result<Answer> {
    // Chapters have no vector: what is below them is only found by recovery.
    let text = format!(
        "MATCH (r) WHERE id(r) = $root TRAVERSE FROM r UNFILTERED STEP (a)-[:HAS]->(b) LEVELS 0..2 \
         SCORE vector.cosine(b.v, $q) KEEP WHERE score > 2 \
         RECOVER (m:Section WHERE level(m, 'outline') = level) KEEP {keep} \
         YIELD node, score RETURN id(node), score"
    );
    let to: Vec<Value> = query.iter().map(|one| f64::from(*one).into()).collect();
    let root = i64::try_from(root.get())?;
    let parameters = Parameters::from([("q", Value::from(to)), ("root", root.into())]);
    let begun = Instant::now();
    let mut rows = read.query(&text, parameters)?;
    let mut found = Vec::new();
    for row in rows.by_ref() {
        let row = row?;
        let score: Option<f64> = row.get(1)?;
        found.push((row.get(0)?, score.unwrap_or(f64::NAN).to_bits()));
    }
    let took = begun.elapsed();
    let summary = rows.finish()?;
    let searches = summary.searches().iter();
    let codes = searches.fold((0, 0), |sums, one| {
        (sums.0 + one.compared, sums.1 + one.found)
    });
    Ok(Answer {
        took,
        rows: found,
        codes,
    })
}

/// How long it takes to read as many bytes of memory as a scan reads of all sections.
fn least_ms(count: usize) -> f64 {
    let memory = vec![1_u64; count * SCANNED_BYTES / size_of::<u64>()];
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        let sums = memory.chunks(8).fold([0_u64; 8], |mut sums, words| {
            for (sum, word) in sums.iter_mut().zip(words) {
                *sum = sum.wrapping_add(*word);
            }
            sums
        });
        black_box(sums);
        best = best.min(begun.elapsed().as_secs_f64() * 1e3);
    }
    best
}
