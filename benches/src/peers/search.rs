//! Searching at equal recall, with and without a filter: every side's speed is read off at the same recall (`ladder.rs`), of
//! curves that are measured in alternating rounds.

use super::Run;
use super::driver::{Driver, Said};
use super::ladder::{lists, read_off};
use super::numbers;
use super::sheet::{Better, Cell};
use super::truth::{nearest, recall};
use crate::measure::rounds::median;
use crate::vector::curve::{LONG_S, Point};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// One in a thousand, a hundred, ten and two.
pub(super) const FILTERS: [(u32, &str); 4] =
    [(1, "0.1 %"), (10, "1 %"), (100, "10 %"), (500, "50 %")];
/// A short pass is not made more often than so, whatever its clock says.
const MOST_PASSES: usize = 200;

/// What one pass over all queries gave.
pub(super) struct Pass {
    pub(super) recall: f64,
    pub(super) cpu: f64,
    pub(super) wall: f64,
    /// The rows of each query.
    pub(super) found: Vec<Vec<u32>>,
}

/// What a search that allows so many nodes is called in every table.
pub(super) fn filter_of(share: &str) -> String {
    format!("filter of {share}")
}

/// Every side at the recall, in alternating rounds; then with each filter.
pub(super) fn searches(run: &mut Run<'_>) -> Result<()> {
    let truth = nearest(run.data, &run.data.vectors, |_| true)?;
    at_recall(run, "search", None, &truth)?;
    for (below, share) in FILTERS {
        let data = run.data;
        let truth = nearest(data, &data.vectors, |node| data.buckets[node] < below)?;
        at_recall(run, &filter_of(share), Some(below), &truth)?;
    }
    Ok(())
}

/// One pass, or why there is none.
pub(super) fn pass(
    driver: &mut Driver,
    ef: usize,
    below: Option<u32>,
    truth: &[Vec<u32>],
) -> Result<std::result::Result<Pass, String>> {
    let said = match driver.ask(&json!({ "do": "search", "ef": ef, "below": below }))? {
        Said::Done(said) => said,
        Said::Cannot(why) => return Ok(Err(why)),
    };
    read(&said, truth).map(Ok)
}

fn read(said: &Value, truth: &[Vec<u32>]) -> Result<Pass> {
    let found = numbers(&said["ids"])?;
    if found.len() != truth.len() {
        bail!("{} answers to {} queries", found.len(), truth.len());
    }
    Ok(Pass {
        recall: recall(&found, truth),
        cpu: said["cpu"].as_f64().context("no time")?,
        wall: said["seconds"].as_f64().context("no time")?,
        found,
    })
}

fn at_recall(run: &mut Run<'_>, name: &str, below: Option<u32>, truth: &[Vec<u32>]) -> Result<()> {
    let mut chosen: Vec<std::result::Result<Vec<usize>, String>> = Vec::new();
    for side in &mut run.sides {
        let found = match side.driver.as_mut() {
            Some(driver) => lists(|ef| Ok(pass(driver, ef, below, truth)?.map(|pass| pass.recall))),
            None => Ok(Err("not loaded".into())),
        };
        chosen.push(found.unwrap_or_else(|error| Err(format!("failed: {error:#}"))));
    }
    let mut curves: Vec<Vec<Vec<Point>>> = run.sides.iter().map(|_| Vec::new()).collect();
    for _ in 0..run.rounds {
        for (place, side) in run.sides.iter_mut().enumerate() {
            if let (Ok(lists), Some(driver)) = (&chosen[place], side.driver.as_mut()) {
                match curve(driver, lists, below, truth) {
                    Ok(Ok(points)) => curves[place].push(points),
                    Ok(Err(why)) => chosen[place] = Err(why),
                    Err(error) => chosen[place] = Err(format!("failed: {error:#}")),
                }
            }
        }
    }
    for (place, side) in run.sides.iter().enumerate() {
        let (speed, reached) = match &chosen[place] {
            Ok(_) => read_off(&curves[place]),
            Err(why) => (Cell::Told(why.clone()), Cell::Told("-".into())),
        };
        let sheet = &mut run.sheet;
        sheet.put(name, "queries/s", Better::More, &side.name, speed);
        let (figure, unit) = (format!("{name}: recall"), "of the nearest");
        sheet.put(&figure, unit, Better::Neither, &side.name, reached);
    }
    run.setup.progress(name);
    Ok(())
}

/// What a side does with each of these lists.
fn curve(
    driver: &mut Driver,
    lists: &[usize],
    below: Option<u32>,
    truth: &[Vec<u32>],
) -> Result<std::result::Result<Vec<Point>, String>> {
    let mut points = Vec::with_capacity(lists.len());
    for list in lists {
        let mut counted: Vec<Pass> = Vec::new();
        let mut is_first = true;
        while counted.iter().map(|pass| pass.cpu).sum::<f64>() < LONG_S
            && counted.len() < MOST_PASSES
        {
            let pass = match pass(driver, *list, below, truth)? {
                Ok(pass) => pass,
                Err(why) => return Ok(Err(why)),
            };
            // The first of several short ones only warms up.
            if !is_first || pass.cpu >= LONG_S {
                counted.push(pass);
            }
            is_first = false;
        }
        points.push(point(*list, &counted));
    }
    Ok(Ok(points))
}

/// Passes with one list as a point of the curve.
fn point(list: usize, passes: &[Pass]) -> Point {
    let sum = |of: fn(&Pass) -> f64| passes.iter().map(of).sum::<f64>();
    let queries = sum(|pass| pass.found.len() as f64);
    // Not the mean, which may be a hair below what all of them are.
    let recalls: Vec<f64> = passes.iter().map(|pass| pass.recall).collect();
    Point {
        breadth: list,
        recall: median(&recalls),
        qps_cpu: queries / sum(|pass| pass.cpu),
        qps_wall: queries / sum(|pass| pass.wall),
        rows: sum(|pass| pass.found.iter().map(Vec::len).sum::<usize>() as f64) / queries,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_passes_are_one_point() {
        let pass = |cpu| Pass {
            recall: 0.95,
            cpu,
            wall: 2.0 * cpu,
            found: vec![vec![1, 2, 3], vec![4]],
        };
        let point = point(24, &[pass(0.001), pass(0.003), pass(0.004)]);
        assert_eq!((point.breadth, point.recall, point.rows), (24, 0.95, 2.0));
        assert!((point.qps_cpu - 750.0).abs() < 1e-6, "{point:?}");
        assert!((point.qps_wall - 375.0).abs() < 1e-6, "{point:?}");
    }
}
