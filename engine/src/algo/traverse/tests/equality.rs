//! The operator returns the rows of the model, on random graphs with every option.
//!
//! Ten thousand graphs by default; `STRATIGRAPH_TRAVERSE_GRAPHS` sets another number. It is printed.

use super::super::*;
use super::case::{Case, plain};
use super::model::{self, ModelRow};

fn compare(seed: u64) -> usize {
    let case = Case::random(seed);
    let seen = case.run();
    let expected = model::traverse(&case);
    let (seen, expected) = match (seen, expected) {
        (
            Err(TraverseError::BudgetExceeded {
                level,
                budget,
                used,
            }),
            Err(expected),
        ) => {
            assert_eq!(level, expected, "seed {seed}: {case:#?}");
            assert!(used > budget.limit, "seed {seed}");
            return 0;
        }
        (Ok(seen), Ok(expected)) => (seen, expected),
        (seen, expected) => {
            panic!("seed {seed}: {case:#?}\nseen {seen:?}\nexpected {expected:?}")
        }
    };
    let ways = case.columns.arrivals || case.columns.paths;
    let rows: Vec<ModelRow> = (seen.rows.iter())
        .zip(&expected.rows)
        .map(|(row, model)| {
            assert_eq!(row.path().is_some(), case.columns.paths, "seed {seed}");
            assert_eq!(row.roots().is_some(), case.columns.roots, "seed {seed}");
            let path = row.path().map(|path| {
                let relationships = path.relationships.iter().map(|id| id.get()).collect();
                (
                    path.nodes.iter().map(|node| node.get()).collect(),
                    relationships,
                )
            });
            let roots = row
                .roots()
                .map(|roots| roots.iter().map(|node| node.get()).collect());
            ModelRow {
                node: row.node.get(),
                level: row.level,
                score: row.score,
                status: row.status.as_str(),
                way: if ways {
                    row.arrival.map(plain)
                } else {
                    model.way.clone()
                },
                rank: row.rank,
                path: path.unwrap_or_else(|| model.path.clone()),
                roots: roots.unwrap_or_else(|| model.roots.clone()),
            }
        })
        .collect();
    assert_eq!(
        seen.rows.len(),
        expected.rows.len(),
        "seed {seed}: {case:#?}"
    );
    assert_eq!(rows, expected.rows, "seed {seed}: {case:#?}");
    for (at, row) in seen.rows.iter().enumerate() {
        let again = seen.rows.get(at).expect("a row at every place");
        let facts = |row: Row<'_>| (row.node, row.level, row.rank, row.arrival.map(plain));
        assert_eq!(facts(again), facts(row), "seed {seed}");
    }
    let summary = seen.summary;
    assert_eq!(
        (
            summary.candidates,
            summary.admitted,
            summary.scored,
            summary.recover_scanned,
            summary.truncated
        ),
        (
            expected.candidates,
            expected.admitted,
            expected.scored,
            expected.scanned,
            expected.truncated
        ),
        "seed {seed}: {case:#?}"
    );
    seen.rows.len()
}

#[test]
fn rows_are_those_of_the_model() {
    let graphs = std::env::var("STRATIGRAPH_TRAVERSE_GRAPHS")
        .ok()
        .and_then(|graphs| graphs.parse().ok())
        .unwrap_or(10_000);
    let rows: usize = (0..graphs).map(compare).sum();
    println!("{graphs} random graphs, {rows} rows");
    assert!(rows as u64 > graphs, "most cases should have rows");
}
