//! Speed and recall of an index, one query per call on one thread.

use crate::clock::Cost;
use crate::set::Set;
use crate::{Index, say};
use anyhow::{Context, Result};
use serde_json::json;

pub fn search(
    peer: &str,
    index: &dyn Index,
    set: &Set,
    breadths: &[usize],
    until: f64,
) -> Result<()> {
    let queries = set.truth.len() / set.k;
    let mut found = Vec::new();
    for query in 0..queries {
        // A round that does not count: caches are as they are in the middle of work.
        found.clear();
        index.search(set.query(query), set.k, set.k, &mut found)?;
    }
    for &breadth in breadths {
        let (mut right, mut rows) = (0, 0);
        let cost = Cost::begin();
        for (query, truth) in set.truth.chunks_exact(set.k).enumerate() {
            found.clear();
            index.search(set.query(query), set.k, breadth, &mut found)?;
            right += found.iter().filter(|row| truth.contains(row)).count();
            rows += found.len();
        }
        let (cpu_s, wall_s) = (cost.cpu_s(), cost.wall_s());
        let recall = right as f64 / set.truth.len() as f64;
        say(json!({
            "peer": peer, "stage": "search", "ef": breadth, "recall": recall,
            "cpu_s": cpu_s, "wall_s": wall_s,
            "qps_cpu": queries as f64 / cpu_s, "qps_wall": queries as f64 / wall_s,
            "rows_returned": rows as f64 / queries as f64,
        }));
        if recall >= until {
            break;
        }
    }
    Ok(())
}

pub fn filtered(
    peer: &str,
    index: &dyn Index,
    set: &Set,
    case: &str,
    breadths: &[usize],
    until: f64,
) -> Result<()> {
    let case = set
        .cases
        .iter()
        .find(|known| known.name == case)
        .context("no such case")?;
    let wanted = case.truth.iter().filter(|row| **row != u32::MAX).count();
    let mut found = Vec::new();
    for &breadth in breadths {
        let (mut right, mut rows, mut queries) = (0, 0, 0);
        let mut truths = case.truth.chunks_exact(set.k);
        let cost = Cost::begin();
        for (group, bits) in &case.groups {
            let allowed = |row: u32| bits[row as usize / 8] >> (row % 8) & 1 == 1;
            for query in group {
                found.clear();
                if !index.search_among(set.query(*query), set.k, breadth, &allowed, &mut found)? {
                    say(json!({ "peer": peer, "stage": "unsupported" }));
                    return Ok(());
                }
                let truth = truths.next().context("too few answers")?;
                right += found.iter().filter(|row| truth.contains(row)).count();
                rows += found.len();
                queries += 1;
            }
        }
        let (cpu_s, wall_s) = (cost.cpu_s(), cost.wall_s());
        let recall = right as f64 / wanted as f64;
        say(json!({
            "peer": peer, "stage": "filtered", "case": case.name, "ef": breadth, "recall": recall,
            "cpu_s": cpu_s, "wall_s": wall_s,
            "qps_cpu": f64::from(queries) / cpu_s, "qps_wall": f64::from(queries) / wall_s,
            "rows_returned": rows as f64 / f64::from(queries),
        }));
        if recall >= until {
            break;
        }
    }
    Ok(())
}
