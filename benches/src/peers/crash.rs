//! Killed in the middle of taking in: is what was acknowledged there, in whole batches, do searches find it, and how long
//! does opening take then?
//!
//! A row is a node and, of a side with a graph, what relates it to the section above it: both are counted. Some sides make no
//! index in it and compare all vectors, which finds everything: their times are told and not compared.

use super::Run;
use super::driver::{Driver, Said};
use super::ladder::RECALL;
use super::search::pass;
use super::sheet::{Better, Cell, Sheet};
use super::truth::{nearest, tree_edges};
use crate::measure::report::number;
use anyhow::{Context, Result};
use serde_json::json;
use std::time::{Duration, Instant};

/// Rows of a batch, each acknowledged when it is durable.
const BATCH: usize = 500;
/// Killed after so long, if it has not taken in half of it by then.
const LONGEST: Duration = Duration::from_secs(60);
/// A list with which every index finds more than has to be reached elsewhere.
const LIST: usize = 256;
/// What is told of each side, in this order.
const FIGURES: [(&str, &str, Better); 5] = [
    ("durable batches, searchable", "rows/s", Better::More),
    ("lost by kill -9", "acknowledged rows", Better::Less),
    ("after kill -9: data", "in words", Better::Neither),
    ("after kill -9: recall", "of the nearest", Better::Neither),
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
    /// Until all is linked, of a side that answers before.
    linked_s: Option<f64>,
    /// Or why there is no such number.
    per_second: std::result::Result<f64, String>,
    /// Whether it waits for the disk before it acknowledges.
    synced: bool,
    /// Whether the rows get into an index of vectors,
    indexed: bool,
    /// and whether they are acknowledged before.
    linked_behind: bool,
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
        let does = match self.finds() {
            true => "finds what is there",
            false => "does not find what is there",
        };
        let how = match self.indexed {
            true => format!("list {LIST}"),
            false => "without an index".into(),
        };
        [
            self.rate(),
            Cell::Noted(self.lost() as f64, there),
            Cell::Told(self.batches()),
            Cell::Noted(self.recall, format!("{does}, {how}")),
            self.opened(),
        ]
    }

    /// Whether a search finds as much as has to be reached elsewhere. Not more: an index that is whole may miss some.
    fn finds(&self) -> bool {
        self.recall >= RECALL
    }

    /// Whoever opens less is quicker with it: without some rows, or without an index. So a side that answers before its index
    /// has all rows has the time until it has them.
    fn opened(&self) -> Cell {
        let ms = self.open_s * 1e3;
        match (self.lost(), self.linked_s) {
            (0, _) if !self.finds() => Cell::Told("what is there is not found".into()),
            (0, _) if !self.indexed => Cell::Told(format!("without an index: {} ms", number(ms))),
            (0, None) => Cell::Number(ms),
            (0, Some(linked_s)) => {
                let answered = format!(
                    "until all is linked; the first answer after {} ms",
                    number(ms)
                );
                Cell::Noted(linked_s * 1e3, answered)
            }
            (lost, _) => Cell::Told(format!("{lost} rows are missing")),
        }
    }

    /// Whatever is not synced survives a kill, since the system has it, and no loss of power: that is no speed to compare.
    /// Neither is that of rows which no index takes.
    fn rate(&self) -> Cell {
        let rate = match &self.per_second {
            Ok(rate) => *rate,
            Err(why) => return Cell::Told(why.clone()),
        };
        let lacks = match (self.synced, self.indexed) {
            (true, true) => {
                let behind = if self.linked_behind {
                    ", linked behind them"
                } else {
                    ""
                };
                return Cell::Noted(rate, format!("batches of {BATCH}{behind}"));
            }
            (true, false) => "without an index",
            (false, true) => "not durable",
            (false, false) => "not durable, without an index",
        };
        Cell::Told(format!("{lacks}: {} a second", number(rate)))
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
    let mut first: Option<(Instant, usize)> = None;
    let mut per_second = None;
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
        let (since, at) = *first.get_or_insert((Instant::now(), acknowledged));
        let is_enough = acknowledged >= rows / 2 || begun.elapsed() >= LONGEST;
        // Once: what is read after the kill had waited to be read, and tells no time.
        if is_enough && per_second.is_none() {
            let rows = acknowledged.saturating_sub(at);
            per_second = Some(speed(rows, since.elapsed(), begun.elapsed()));
            driver.kill()?;
        }
    }
    drop(driver);
    let per_second = per_second.unwrap_or_else(|| Err("it ended before it was killed".into()));
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
        linked_s: said["linked_s"].as_f64(),
        per_second,
        synced: told["synced"].as_bool().unwrap_or(true),
        indexed: told["indexed_batches"].as_bool().unwrap_or(true),
        linked_behind: told["linked_behind"].as_bool().unwrap_or(false),
    }))
}

/// Rows a second of those that came after the first batch, whose time has the start in it: one batch alone has no speed.
fn speed(
    rows: usize,
    since_first: Duration,
    since_start: Duration,
) -> std::result::Result<f64, String> {
    match rows {
        0 => Err(format!("one batch in {:.1} s", since_start.as_secs_f64())),
        rows => Ok(rows as f64 / since_first.as_secs_f64()),
    }
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
            linked_s: None,
            per_second: Ok(2_000.0),
            synced: true,
            indexed: true,
            linked_behind: false,
        }
    }

    fn words(cell: Option<&Cell>) -> &str {
        match cell {
            Some(Cell::Told(words) | Cell::Noted(_, words)) => words.as_str(),
            _ => "",
        }
    }

    #[test]
    fn what_is_not_synced_has_no_speed() {
        let mut left = left(500, None);
        assert!(matches!(left.rate(), Cell::Noted(rate, _) if rate == 2_000.0));
        left.synced = false;
        assert!(matches!(left.rate(), Cell::Told(said) if said == "not durable: 2,000 a second"));
        left.indexed = false;
        assert!(
            matches!(left.rate(), Cell::Told(said) if said.starts_with("not durable, without an index: 2,000"))
        );
    }

    #[test]
    fn one_batch_has_no_speed() {
        let seconds = Duration::from_secs;
        assert_eq!(speed(500, seconds(2), seconds(9)), Ok(250.0));
        let one = speed(0, seconds(0), seconds(61));
        assert_eq!(one, Err("one batch in 61.0 s".to_owned()));
        let mut sheet = Sheet::default();
        let slow = Left {
            per_second: one,
            ..left(500, None)
        };
        tell(&mut sheet, "slow", &Ok(slow));
        assert_eq!(sheet.number(FIGURES[0].0, "slow"), None);
        assert_eq!(
            words(sheet.cell(FIGURES[0].0, "slow")),
            "one batch in 61.0 s"
        );
    }

    #[test]
    fn what_has_no_index_is_not_compared() {
        let mut sheet = Sheet::default();
        let all_compared = Left {
            indexed: false,
            ..left(500, None)
        };
        tell(&mut sheet, "compares all", &Ok(all_compared));
        let told = |figure| words(sheet.cell(figure, "compares all"));
        assert_eq!(told(FIGURES[0].0), "without an index: 2,000 a second");
        assert_eq!(
            told("after kill -9: recall"),
            "finds what is there, without an index"
        );
        let opened = "after kill -9: open, and a query";
        assert_eq!(told(opened), "without an index: 100.0 ms");
        for figure in [FIGURES[0].0, opened] {
            assert_eq!(sheet.number(figure, "compares all"), None, "{figure}");
        }
        // It has lost nothing all the same.
        assert_eq!(sheet.number("lost by kill -9", "compares all"), Some(0.0));
    }

    #[test]
    fn what_answers_before_all_is_linked_is_compared_when_it_is() {
        let mut sheet = Sheet::default();
        let behind = Left {
            linked_s: Some(0.7),
            linked_behind: true,
            ..left(500, None)
        };
        tell(&mut sheet, "behind", &Ok(behind));
        let opened = "after kill -9: open, and a query";
        assert_eq!(sheet.number(opened, "behind"), Some(700.0));
        assert_eq!(
            words(sheet.cell(opened, "behind")),
            "until all is linked; the first answer after 100.0 ms"
        );
        let rate = words(sheet.cell(FIGURES[0].0, "behind"));
        assert_eq!(rate, "batches of 500, linked behind them");
    }

    #[test]
    fn what_is_left_and_how_long_it_takes_to_open_stand_in_rows_of_their_own() {
        let mut sheet = Sheet::default();
        tell(&mut sheet, "whole", &Ok(left(500, Some(499))));
        tell(&mut sheet, "part", &Ok(left(320, None)));
        for (side, recall) in [("finds little", 0.6), ("finds most", 0.98)] {
            let left = Left {
                recall,
                ..left(500, None)
            };
            tell(&mut sheet, side, &Ok(left));
        }
        tell(&mut sheet, "in memory", &Err("nothing is kept".into()));
        let opened = |side| sheet.number("after kill -9: open, and a query", side);
        assert_eq!(opened("whole"), Some(100.0));
        assert_eq!(opened("part"), None);
        assert_eq!(opened("finds little"), None);
        assert_eq!(opened("finds most"), Some(100.0));
        let lost = |side| sheet.number("lost by kill -9", side);
        assert_eq!((lost("whole"), lost("part")), (Some(0.0), Some(180.0)));
        let words = |figure, side| words(sheet.cell(figure, side));
        let data = "after kill -9: data";
        assert_eq!(
            words(data, "whole"),
            "whole batches with their relationships"
        );
        assert_eq!(words(data, "part"), "a part of a batch");
        assert_eq!(words(data, "in memory"), "-");
        assert_eq!(words("lost by kill -9", "in memory"), "nothing is kept");
        let recall = "after kill -9: recall";
        assert_eq!(words(recall, "whole"), "finds what is there, list 256");
        assert_eq!(words(recall, "finds most"), "finds what is there, list 256");
        assert_eq!(
            words(recall, "finds little"),
            "does not find what is there, list 256"
        );
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
