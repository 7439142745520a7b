//! Searching at equal recall, with and without a filter: the shortest list that reaches it counts.

use super::Run;
use super::driver::{Driver, Said};
use super::numbers;
use super::sheet::{Better, Cell};
use super::truth::{nearest, recall};
use crate::measure::rounds::median;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// What has to be reached.
pub(super) const RECALL: f64 = 0.95;
/// How long the list of candidates may be.
const LISTS: [usize; 12] = [10, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
/// One in a thousand, a hundred, ten and two.
pub(super) const FILTERS: [(u32, &str); 4] =
    [(1, "0.1 %"), (10, "1 %"), (100, "10 %"), (500, "50 %")];

/// What one pass over all queries gave.
pub(super) struct Pass {
    pub(super) recall: f64,
    pub(super) cpu: f64,
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
        found,
    })
}

fn at_recall(run: &mut Run<'_>, name: &str, below: Option<u32>, truth: &[Vec<u32>]) -> Result<()> {
    let mut chosen: Vec<std::result::Result<usize, String>> = Vec::new();
    for side in &mut run.sides {
        let found = match side.driver.as_mut() {
            Some(driver) => shortest(driver, below, truth),
            None => Ok(Err("not loaded".into())),
        };
        chosen.push(found.unwrap_or_else(|error| Err(format!("failed: {error:#}"))));
    }
    let mut passes: Vec<Vec<Pass>> = run.sides.iter().map(|_| Vec::new()).collect();
    for _ in 0..run.rounds {
        for (place, side) in run.sides.iter_mut().enumerate() {
            if let (Ok(ef), Some(driver)) = (&chosen[place], side.driver.as_mut()) {
                match pass(driver, *ef, below, truth) {
                    Ok(Ok(pass)) => passes[place].push(pass),
                    Ok(Err(why)) => chosen[place] = Err(why),
                    Err(error) => chosen[place] = Err(format!("failed: {error:#}")),
                }
            }
        }
    }
    for (place, side) in run.sides.iter().enumerate() {
        let put = |sheet: &mut super::sheet::Sheet, speed, share| {
            let recall_name = format!("{name}: recall");
            sheet.put(name, "queries/s", Better::More, &side.name, speed);
            sheet.put(
                &recall_name,
                "of the nearest",
                Better::Neither,
                &side.name,
                share,
            );
        };
        match &chosen[place] {
            Err(why) => put(
                &mut run.sheet,
                Cell::Told(why.clone()),
                Cell::Told("-".into()),
            ),
            Ok(ef) => {
                let cpu: Vec<f64> = passes[place].iter().map(|pass| pass.cpu).collect();
                let reached: Vec<f64> = passes[place].iter().map(|pass| pass.recall).collect();
                let (speed, reached) = (truth.len() as f64 / median(&cpu), median(&reached));
                let share = Cell::Noted(reached, format!("list {ef}"));
                // A speed at a lower recall is none.
                let speed = match reached >= RECALL - 0.005 {
                    true => Cell::Number(speed),
                    false => Cell::Told(format!("recall {reached:.2} at most")),
                };
                put(&mut run.sheet, speed, share);
            }
        }
    }
    run.setup.progress(name);
    Ok(())
}

/// The first list that reaches the recall, or the longest one.
fn shortest(
    driver: &mut Driver,
    below: Option<u32>,
    truth: &[Vec<u32>],
) -> Result<std::result::Result<usize, String>> {
    for ef in LISTS {
        match pass(driver, ef, below, truth)? {
            Err(why) => return Ok(Err(why)),
            Ok(pass) if pass.recall >= RECALL => return Ok(Ok(ef)),
            Ok(_) => {}
        }
    }
    Ok(Ok(LISTS[LISTS.len() - 1]))
}
