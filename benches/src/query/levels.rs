//! The same descent without `TRAVERSE`: one statement of ours a level, each with the sections that the one before has kept.

use super::cases::Case;
use super::ours::{comparable, parameters};
use super::tree::LEVELS;
use crate::measure::Setup;
use crate::measure::report::Report;
use crate::measure::rounds::Rounds;
use anyhow::{Context, Result, ensure};
use std::time::{Duration, Instant};
use stratigraph::{Database, Parameters, Prepared, QueryOptions, Value};

/// The ways to write it; the fastest counts.
const WAYS: [&str; 2] = [
    "MATCH (a:Section)-[:CHILD]->(b:Section) WHERE id(a) IN $ids AND vector.cosine(b.about, $q) > $tau RETURN id(b)",
    "UNWIND $ids AS known MATCH (a)-[:CHILD]->(b:Section) WHERE id(a) = known AND vector.cosine(b.about, $q) > $tau \
     RETURN id(b)",
];

type Rows = Vec<Vec<Value>>;

/// How many times as fast `TRAVERSE` answers as a program that asks level by level.
pub(super) fn compare(
    setup: &Setup,
    db: &Database,
    case: &Case,
    report: &mut Report,
) -> Result<()> {
    const NAME: &str = "traverse_vs_levels";
    setup.progress(NAME);
    let options = QueryOptions::new().threads(1);
    let asked: Vec<Parameters> = parameters(&case.parameters)?;
    let at_once = db.prepare_with(case.ours, &options)?;
    let once = || each(&asked, |parameters| rows(&at_once, parameters));
    let (_, expected) = once()?;
    let mut fastest: Option<(Duration, Prepared)> = None;
    for way in WAYS {
        let level = db.prepare_with(way, &options).context(way)?;
        let (time, found) = each(&asked, |parameters| descend(&level, parameters))?;
        for (found, expected) in found.iter().zip(&expected) {
            ensure!(
                comparable(found)? == comparable(expected)?,
                "{NAME}: {found:?} level by level, {expected:?} at once"
            );
        }
        if fastest.as_ref().is_none_or(|(least, _)| time < *least) {
            fastest = Some((time, level));
        }
    }
    let (_, level) = fastest.context("no way to ask")?;
    let rounds = Rounds::run(
        setup.choose(3, 5),
        |_| Ok(()),
        |()| Ok(once()?.0),
        |()| Ok(each(&asked, |parameters| descend(&level, parameters))?.0),
    )?;
    let rates = rounds.map(|seconds| asked.len() as f64 / seconds);
    setup.progress(&format!("{NAME}: {:.2} times", rates.ratio()));
    report.compare(NAME, &rates, "queries/s", None);
    Ok(())
}

/// What is answered to each, and how long all took.
fn each(
    asked: &[Parameters],
    mut answer: impl FnMut(&Parameters) -> Result<Rows>,
) -> Result<(Duration, Vec<Rows>)> {
    let begun = Instant::now();
    let all = asked.iter().map(&mut answer).collect::<Result<_>>()?;
    Ok((begun.elapsed(), all))
}

/// Each level, and how many sections were kept there.
fn descend(level: &Prepared, asked: &Parameters) -> Result<Rows> {
    let mut kept = vec![Value::from(0)];
    let mut counts = Rows::new();
    for number in 1..LEVELS {
        let mut asked = asked.clone();
        asked.insert("ids", Value::from(kept));
        kept = rows(level, &asked)?.into_iter().flatten().collect();
        if kept.is_empty() {
            break;
        }
        counts.push(vec![
            Value::from(number as i64),
            Value::from(kept.len() as i64),
        ]);
    }
    Ok(counts)
}

fn rows(prepared: &Prepared, asked: &Parameters) -> Result<Rows> {
    let rows = prepared.query(asked.clone())?;
    let rows = rows.map(|row| Ok(row?.into_values()));
    rows.collect()
}
