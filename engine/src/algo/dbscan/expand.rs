//! DBSCAN by asking a range query about each row once, growing one cluster after the other.
//!
//! Answers are put in order first, so an index may give them in any. Next: `exact.rs`, which comes
//! to the same by comparing all pairs.

use super::{Clusters, DbscanError, DbscanOptions, Density, NONE, RangeQuery};
use crate::storage::cancel::Watch;

pub(super) fn cluster(
    query: &dyn RangeQuery,
    options: &DbscanOptions<'_>,
    watch: &mut Watch<'_>,
) -> Result<Clusters, DbscanError> {
    let rows = query.rows();
    let mut number = vec![NONE; rows];
    let mut lowest_core = vec![NONE; rows];
    let mut core = vec![false; rows];
    // Whether a row has been asked about, or is waiting for it.
    let mut noted = vec![false; rows];
    let mut waiting = Vec::new();
    let mut near = Vec::new();
    let (mut count, mut asked) = (0, 0);
    for first in 0..rows {
        if noted[first] {
            continue;
        }
        noted[first] = true;
        waiting.push(first as u32);
        while let Some(row) = waiting.pop() {
            watch.step("find neighbours", asked, rows as u64)?;
            asked += 1;
            ask(query, row, options.eps, &mut near)?;
            if !is_dense(&near, options.density) {
                continue;
            }
            core[row as usize] = true;
            number[row as usize] = count;
            for &other in &near {
                let lowest = &mut lowest_core[other as usize];
                *lowest = (*lowest).min(row);
                if !noted[other as usize] {
                    noted[other as usize] = true;
                    waiting.push(other);
                }
            }
        }
        // Only a core lets others wait, so there is a cluster if and only if the first row is one.
        count += u32::from(core[first]);
    }
    Ok(Clusters::new(core, &number, &lowest_core, count))
}

/// The rows within `eps` of `row` in rising order, each once, `row` among them.
fn ask(query: &dyn RangeQuery, row: u32, eps: f32, near: &mut Vec<u32>) -> Result<(), DbscanError> {
    near.clear();
    query.within(row as usize, eps, near)?;
    let rows = query.rows();
    if let Some(&found) = near.iter().find(|&&found| found as usize >= rows) {
        return Err(DbscanError::UnknownRow {
            row: row as usize,
            found,
            rows,
        });
    }
    near.push(row);
    near.sort_unstable();
    near.dedup();
    Ok(())
}

fn is_dense(near: &[u32], density: Density<'_>) -> bool {
    match density {
        Density::Rows(least) => near.len() as u64 >= u64::from(least),
        Density::Weight { weights, least } => {
            let weigh = |&row: &u32| f64::from(weights[row as usize]);
            near.iter().map(weigh).sum::<f64>() >= least
        }
    }
}
