//! The tasks of a graph: two steps from what a search finds, and the way down a tree. Every answer is checked.

use super::Run;
use super::data::WALKS;
use super::driver::Said;
use super::numbers;
use super::sheet::{Better, Cell};
use super::truth::{Neighbours, descents};
use crate::measure::rounds::median;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::HashSet;

/// Searches and goes on, in alternating rounds.
pub(super) fn hops(run: &mut Run<'_>) -> Result<()> {
    let neighbours = Neighbours::of(run.data);
    let checked = |said: &Value| -> Result<String> {
        let (hits, reached) = (numbers(&said["hits"])?, numbers(&said["reached"])?);
        let mut wrong = 0;
        for (hits, reached) in hits.iter().zip(&reached) {
            let reached: HashSet<u32> = reached.iter().copied().collect();
            wrong += usize::from(neighbours.two_steps(hits) != reached || hits.is_empty());
        }
        Ok(match wrong + (WALKS - reached.len().min(WALKS)) {
            0 => String::new(),
            wrong => format!("{wrong} of {WALKS} answers are wrong"),
        })
    };
    rounds(
        run,
        "vector, then two hops",
        &json!({ "do": "hops" }),
        checked,
    )
}

/// Level by level down the tree.
pub(super) fn descent(run: &mut Run<'_>) -> Result<()> {
    let truth = descents(run.data)?;
    let checked = |said: &Value| -> Result<String> {
        let levels: Vec<Vec<u64>> = serde_json::from_value(said["levels"].clone())?;
        let right = levels
            .iter()
            .zip(&truth)
            .filter(|(one, other)| one == other);
        Ok(match truth.len() - right.count() {
            0 => String::new(),
            wrong => format!("{wrong} of {} answers are wrong", truth.len()),
        })
    };
    rounds(
        run,
        "descent of five levels",
        &json!({ "do": "descend" }),
        checked,
    )
}

fn rounds(
    run: &mut Run<'_>,
    name: &str,
    request: &Value,
    checked: impl Fn(&Value) -> Result<String>,
) -> Result<()> {
    let mut times = vec![Vec::new(); run.sides.len()];
    let mut told: Vec<Option<String>> = vec![None; run.sides.len()];
    let mut wrong = vec![String::new(); run.sides.len()];
    // The first round does not count.
    for round in 0..=run.rounds {
        for (place, side) in run.sides.iter_mut().enumerate() {
            let Some(driver) = side.driver.as_mut().filter(|_| told[place].is_none()) else {
                continue;
            };
            match driver.ask(request) {
                Ok(Said::Done(said)) if round > 0 => {
                    let cpu = said["cpu"].as_f64().context("no time")?;
                    times[place].push(cpu);
                    wrong[place] = checked(&said)?;
                }
                Ok(Said::Done(_)) => {}
                Ok(Said::Cannot(why)) => told[place] = Some(why),
                Err(error) => told[place] = Some(format!("failed: {error:#}")),
            }
        }
        run.setup.progress(&format!("{name}: round {round}"));
    }
    for (place, side) in run.sides.iter().enumerate() {
        let cell = match told[place].take() {
            Some(why) => Cell::Told(why),
            None if times[place].is_empty() => Cell::Told("not loaded".into()),
            None if !wrong[place].is_empty() => Cell::Told(wrong[place].clone()),
            None => Cell::Number(WALKS as f64 / median(&times[place])),
        };
        let unit = "queries/s";
        run.sheet.put(name, unit, Better::More, &side.name, cell);
    }
    Ok(())
}
