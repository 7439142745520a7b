//! `search_in_txn_vs_alone`: searches through a read transaction beside the same on an index alone, with and
//! without a label as filter. Both indexes hold the same rows and were linked by the same calls.

use super::content::{DIMENSIONS, INDEX, alone, create, rows, wait, write};
use crate::measure::Setup;
use crate::measure::cpu_time::CpuTime;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Result, ensure};
use roaring::RoaringBitmap;
use std::path::Path;
use std::time::Duration;
use stratigraph::{Effort, Read, VectorSearch};
use stratigraph_vector::Query;

const QUERIES: usize = 1000;
const K: usize = 10;
const BREADTH: usize = 64;

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (count, rounds) = setup.choose((20_000, 5), (100_000, 9));
    let mut rows = rows(setup, count + QUERIES)?;
    let queries = rows.split_off(count * DIMENSIONS);
    println!("search     {count} rows, {QUERIES} queries of {K}");
    setup.progress("search: fill both");
    let db = create(&dir.join("db"))?;
    write(&db, &rows)?;
    wait(&db)?;
    let index = alone(&dir.join("alone.rows"))?;
    for (id, row) in (0..).zip(rows.chunks_exact(DIMENSIONS)) {
        index.insert(1, id, row)?;
    }
    index.tend(1);
    let tenth: RoaringBitmap = (0..u32::try_from(count)?).step_by(10).collect();
    for (name, label) in [
        ("search_in_txn_vs_alone", None),
        ("search_labelled_vs_alone", Some("Tenth")),
    ] {
        let measured = Rounds::run(
            rounds,
            |_| Ok(()),
            |()| {
                let read = db.read()?;
                timed(|| {
                    let mut found = 0;
                    for query in queries.chunks_exact(DIMENSIONS) {
                        let mut search =
                            VectorSearch::new(query, K).effort(Effort::Breadth(BREADTH));
                        if let Some(label) = label {
                            search = search.labelled(label);
                        }
                        found += read.search_vectors(INDEX, &search)?.hits.len();
                    }
                    Ok(found)
                })
            },
            |()| {
                timed(|| {
                    let mut found = 0;
                    for query in queries.chunks_exact(DIMENSIONS) {
                        let mut search = Query::new(query, K).effort(Effort::Breadth(BREADTH));
                        if label.is_some() {
                            search = search.within(&tenth);
                        }
                        found += index.search(&search)?.hits.len();
                    }
                    Ok(found)
                })
            },
        )?;
        let each = measured.map(|seconds| seconds * 1e6 / QUERIES as f64);
        report.compare(name, &each, "us cpu", Some(Mark::AtMost(1.15)));
    }
    Ok(())
}

/// The processor time of all queries, which must find what they were asked for.
fn timed(work: impl FnOnce() -> Result<usize>) -> Result<Duration> {
    let begun = CpuTime::now();
    let found = work()?;
    let took = begun.elapsed();
    ensure!(
        found == QUERIES * K,
        "{found} rows for {QUERIES} queries of {K}"
    );
    Ok(took)
}
