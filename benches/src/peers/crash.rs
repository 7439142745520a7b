//! Killed in the middle of taking in: is what was acknowledged there, in whole batches, is the index whole, and how long does
//! opening take then?
//!
//! A row is a node and, of a side with a graph, what relates it to the section above it: both are counted.

use super::Run;
use super::driver::{Driver, Said};
use super::search::pass;
use super::sheet::{Better, Cell, Sheet};
use super::truth::{nearest, tree_edges};
use crate::measure::report::number;
use anyhow::{Context, Result};
use serde_json::json;
use std::time::Instant;

/// Rows of a batch, each acknowledged when it is durable.
const BATCH: usize = 500;
/// A list in which every side finds most, where its index is whole.
const LIST: usize = 256;
/// What an index finds with that list if it has all rows: no side that has lost nothing found less.
const WHOLE: f64 = 0.99;
/// What is told of each side, in this order.
const FIGURES: [(&str, &str, Better); 5] = [
    ("durable batches, searchable", "rows/s", Better::More),
    ("lost by kill -9", "acknowledged rows", Better::Less),
    ("after kill -9: data", "in words", Better::Neither),
    ("after kill -9: index", "recall", Better::Neither),
    ("after kill -9: open, and a query", "ms", Better::Less),
];

/// What was left after the kill.
struct Left {
    acknowledged: usize,
    found: usize,
    /// Relationships of the tree; nothing of a side that has no graph.
    edges: Option<usize>,
    recall: f64,
    open_s: f64,
    per_second: f64,
    /// Whether it waits for the disk before it acknowledges.
    synced: bool,
}

impl Left {
    /// A row without its relationship is as good as gone; the root has none.
    fn lost(&self) -> usize {
        let rows = match self.edges {
            Some(edges) => self.found.min(edges + 1),
            None => self.found,
        };
        self.acknowledged.saturating_sub(rows)
    }

    /// Whether batches are there as a whole: all their nodes, and what relates them where the side knows it.
    fn batches(&self) -> String {
        let nodes = match self.found.is_multiple_of(BATCH) {
            true => "whole batches",
            false => "a part of a batch",
        };
        match (self.edges, tree_edges(self.found)) {
            (None, _) => nodes.to_owned(),
            (Some(edges), wanted) if edges == wanted => format!("{nodes} with their relationships"),
            (Some(edges), wanted) => {
                format!("{nodes}, but {edges} relationships where {wanted} belong to them")
            }
        }
    }

    /// One for each of [`FIGURES`].
    fn cells(&self) -> [Cell; FIGURES.len()] {
        let there = format!("{} acknowledged, {} there", self.acknowledged, self.found);
        let is_whole = self.recall >= WHOLE;
        let index = if is_whole { "whole" } else { "not whole" };
        // Whoever opens less is quicker with it.
        let opened = match self.lost() {
            0 if is_whole => Cell::Number(self.open_s * 1e3),
            0 => Cell::Told("its index is not whole".into()),
            lost => Cell::Told(format!("{lost} rows are missing")),
        };
        [
            self.rate(),
            Cell::Noted(self.lost() as f64, there),
            Cell::Told(self.batches()),
            Cell::Noted(self.recall, format!("{index}, list {LIST}")),
            opened,
        ]
    }

    /// Whatever is not synced survives a kill, since the system has it, and no loss of power: that is no speed to compare.
    fn rate(&self) -> Cell {
        match self.synced {
            true => Cell::Noted(self.per_second, format!("batches of {BATCH}")),
            false => Cell::Told(format!(
                "not durable: {} a second without waiting for the disk",
                number(self.per_second)
            )),
        }
    }
}

pub(super) fn kills(run: &mut Run<'_>) -> Result<()> {
    let names: Vec<String> = run.sides.iter().map(|side| side.name.clone()).collect();
    for name in names {
        run.setup.progress(&format!("kill: {name}"));
        let left = match one(run, &name) {
            Ok(left) => left,
            Err(error) => Err(format!("failed: {error:#}")),
        };
        tell(&mut run.sheet, &name, &left);
    }
    Ok(())
}

fn tell(sheet: &mut Sheet, name: &str, left: &std::result::Result<Left, String>) {
    let cells = match left {
        Ok(left) => left.cells(),
        // Said where it is looked for first, and not in every row.
        Err(why) => {
            std::array::from_fn(|row| Cell::Told(if row < 2 { why.clone() } else { "-".into() }))
        }
    };
    for ((figure, unit, better), cell) in FIGURES.into_iter().zip(cells) {
        sheet.put(figure, unit, better, name, cell);
    }
}

fn one(run: &Run<'_>, name: &str) -> Result<std::result::Result<Left, String>> {
    let folder = run.setup.dir.join(format!("{name}-killed"));
    let start = || Driver::start(name, run.python, &run.data.folder, &folder, run.patience);
    let rows = run.data.nodes().min(20_000);
    let mut driver = start()?;
    driver.send(&json!({ "do": "batches", "rows": rows, "batch": BATCH }))?;
    let mut acknowledged = 0;
    let mut began: Option<(Instant, usize)> = None;
    let mut per_second = 0.0;
    let begun = Instant::now();
    // Until it ends: what it had said before the kill is still to be read.
    while let Some(said) = driver.next()? {
        if let Some(why) = said["cannot"].as_str() {
            return Ok(Err(why.to_owned()));
        }
        if let Some(why) = said["failed"].as_str() {
            anyhow::bail!("{why}");
        }
        let Some(now) = said["acknowledged"].as_u64() else {
            break;
        };
        acknowledged = usize::try_from(now)?;
        let (first, at) = *began.get_or_insert((Instant::now(), acknowledged));
        let long = begun.elapsed().as_secs() > 60;
        if acknowledged >= rows / 2 || long {
            let seconds = first.elapsed().as_secs_f64();
            if per_second == 0.0 && acknowledged > at {
                per_second = (acknowledged - at) as f64 / seconds;
            }
            driver.kill()?;
        }
    }
    drop(driver);
    let mut driver = start()?;
    let said = match driver.ask(&json!({ "do": "open" }))? {
        Said::Done(said) => said,
        Said::Cannot(why) => return Ok(Err(why)),
    };
    let told = driver.must(&json!({ "do": "tell" }))?;
    let found = usize::try_from(said["nodes"].as_u64().context("no number of nodes")?)?;
    let edges = said["edges"].as_u64().map(usize::try_from).transpose()?;
    let truth = nearest(run.data, &run.data.vectors, |node| node < found)?;
    let recall = match pass(&mut driver, LIST, None, &truth)? {
        Ok(pass) => pass.recall,
        Err(why) => return Ok(Err(why)),
    };
    Ok(Ok(Left {
        acknowledged,
        found,
        edges,
        recall,
        open_s: said["seconds"].as_f64().context("no time")?,
        per_second,
        synced: told["synced"].as_bool().unwrap_or(true),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(found: usize, edges: Option<usize>) -> Left {
        Left {
            acknowledged: 500,
            found,
            edges,
            recall: 1.0,
            open_s: 0.1,
            per_second: 2_000.0,
            synced: true,
        }
    }

    #[test]
    fn what_is_not_synced_has_no_speed() {
        let mut left = left(500, None);
        assert!(matches!(left.rate(), Cell::Noted(rate, _) if rate == 2_000.0));
        left.synced = false;
        let Cell::Told(said) = left.rate() else {
            panic!("it has a speed");
        };
        assert!(said.contains("not durable: 2,000"), "{said}");
    }

    #[test]
    fn what_is_left_and_how_long_it_takes_to_open_stand_in_rows_of_their_own() {
        let mut sheet = Sheet::default();
        tell(&mut sheet, "whole", &Ok(left(500, Some(499))));
        tell(&mut sheet, "part", &Ok(left(320, None)));
        let part = Left {
            recall: 0.6,
            ..left(500, None)
        };
        tell(&mut sheet, "without its index", &Ok(part));
        tell(&mut sheet, "in memory", &Err("nothing is kept".into()));
        let opened = |side| sheet.number("after kill -9: open, and a query", side);
        assert_eq!(opened("whole"), Some(100.0));
        assert_eq!(opened("part"), None);
        assert_eq!(opened("without its index"), None);
        let lost = |side| sheet.number("lost by kill -9", side);
        assert_eq!((lost("whole"), lost("part")), (Some(0.0), Some(180.0)));
        let words = |figure, side| match sheet.cell(figure, side) {
            Some(Cell::Told(words) | Cell::Noted(_, words)) => words.as_str(),
            _ => "",
        };
        let data = "after kill -9: data";
        assert_eq!(
            words(data, "whole"),
            "whole batches with their relationships"
        );
        assert_eq!(words(data, "part"), "a part of a batch");
        assert_eq!(words(data, "in memory"), "-");
        assert_eq!(words("lost by kill -9", "in memory"), "nothing is kept");
        let index = "after kill -9: index";
        assert_eq!(words(index, "whole"), "whole, list 256");
        assert_eq!(words(index, "without its index"), "not whole, list 256");
    }

    #[test]
    fn a_batch_is_whole_with_its_relationships() {
        let told = |found, edges| {
            let left = left(found, edges);
            (left.lost(), left.batches())
        };
        let whole = || "whole batches with their relationships".to_owned();
        assert_eq!(told(500, Some(499)), (0, whole()));
        assert_eq!(told(1_000, Some(999)), (0, whole()));
        assert_eq!(told(0, Some(0)), (500, whole()));
        assert_eq!(told(500, None), (0, "whole batches".to_owned()));
        assert_eq!(told(320, None), (180, "a part of a batch".to_owned()));
        let (lost, said) = told(500, Some(299));
        assert_eq!(lost, 200);
        assert!(said.ends_with("but 299 relationships where 499 belong to them"));
        // More than were acknowledged may be there, and their relationships may not.
        assert_eq!(told(1_000, Some(499)).0, 0);
    }
}
