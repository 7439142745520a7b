//! A database's life: loaded, closed, opened anew, changed. What it takes on the disk and in memory is looked at from outside.

use super::driver::{Driver, OURS, Said};
use super::search::{Pass, pass};
use super::sheet::{Better, Cell, Sheet};
use super::truth::{nearest, tree_edges};
use super::{Run, Side};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The list of searches that are not made at a recall.
const LIST: usize = 128;

/// Has every side load everything; whoever cannot is left out from there on, and named with the reason.
pub(super) fn loads(run: &mut Run<'_>) -> Result<Vec<(String, String)>> {
    let mut missing = Vec::new();
    let names: Vec<String> = run.sides.iter().map(|side| side.name.clone()).collect();
    for (place, name) in names.iter().enumerate() {
        run.setup.progress(&format!("load: {name}"));
        let folder = run.setup.dir.join(name);
        let mut driver = Driver::start(name, run.python, &run.data.folder, &folder, run.patience)?;
        let loaded = driver.ask(&json!({ "do": "load" }));
        match loaded {
            Ok(Said::Done(said)) => {
                loaded_figures(&mut run.sheet, name, run.data.nodes(), &said)?;
                run.sides[place].driver = Some(driver);
            }
            // Without ours there is nothing to compare.
            Err(error) if name == OURS => return Err(error),
            Ok(Said::Cannot(why)) => missing.push((name.clone(), why)),
            Err(error) => missing.push((name.clone(), format!("cannot load: {error:#}"))),
        }
    }
    run.sides.retain(|side| side.driver.is_some());
    run.sheet
        .sides
        .retain(|side| missing.iter().all(|(name, _)| name != side));
    Ok(missing)
}

fn loaded_figures(sheet: &mut Sheet, name: &str, nodes: usize, said: &Value) -> Result<()> {
    let seconds = |part: &str| said[part].as_f64();
    let whole = seconds("seconds").context("no time")?;
    let edges = match seconds("edges_s") {
        Some(_) => "with relationships",
        None => "without: it has no graph",
    };
    let rate = Cell::Noted(nodes as f64 / whole, edges.into());
    sheet.put("load everything", "nodes/s", Better::More, name, rate);
    let cpu = Cell::Number(seconds("cpu").context("no time")?);
    sheet.put("load: processor time", "s", Better::Less, name, cpu);
    for (figure, part) in [
        ("load: graph alone", "edges_s"),
        ("load: vector index alone", "index_s"),
    ] {
        let cell = match (seconds(part), said[part].as_str()) {
            (Some(seconds), _) => Cell::Number(seconds),
            (None, Some(why)) => Cell::Told(why.to_owned()),
            (None, None) if part == "edges_s" => Cell::Told("no graph".into()),
            (None, None) => Cell::Told("not apart".into()),
        };
        sheet.put(figure, "s", Better::Less, name, cell);
    }
    Ok(())
}

/// Closes all, looks at what lies on the disk, and opens them in new processes.
pub(super) fn reopened(run: &mut Run<'_>) -> Result<()> {
    let truth = nearest(run.data, &run.data.vectors, |_| true)?;
    for place in 0..run.sides.len() {
        let Some(driver) = run.sides[place].driver.take() else {
            continue;
        };
        let name = run.sides[place].name.clone();
        run.setup.progress(&format!("open: {name}"));
        match reopen(run, &name, driver, &truth) {
            Ok(driver) => run.sides[place].driver = Some(driver),
            Err(error) => {
                let why = Cell::Told(format!("failed: {error:#}"));
                run.sheet
                    .put("open, and a query", "ms", Better::Less, &name, why);
            }
        }
    }
    Ok(())
}

fn reopen(run: &mut Run<'_>, name: &str, driver: Driver, truth: &[Vec<u32>]) -> Result<Driver> {
    driver.close()?;
    let folder = run.setup.dir.join(name);
    let bytes = Cell::Number(size_of(&folder)? as f64 / 1e6);
    run.sheet
        .put("on the disk", "MB", Better::Less, name, bytes);
    let mut driver = Driver::start(name, run.python, &run.data.folder, &folder, run.patience)?;
    driver.must(&json!({ "do": "tell" }))?;
    let (own, files) = driver.memory(&folder)?;
    let said = driver.must(&json!({ "do": "open" }))?;
    let opened = said["seconds"].as_f64().context("no time")?;
    let cell = match lacks(&said, run.data.nodes())? {
        None => Cell::Number(opened * 1e3),
        Some(why) => Cell::Told(why),
    };
    run.sheet
        .put("open, and a query", "ms", Better::Less, name, cell);
    // Once without counting, so that what is read when it is needed has been read.
    let _ = pass(&mut driver, LIST, None, truth)?;
    let (own_after, files_after) = driver.memory(&folder)?;
    let (own, mapped) = ((own_after - own).max(0.0), (files_after - files).max(0.0));
    memory_figures(&mut run.sheet, name, own, mapped);
    Ok(driver)
}

/// Own memory, which nobody else can be given meanwhile, and also with what is mapped of the database's files: some have
/// their vectors there, and others only in memory of their own.
fn memory_figures(sheet: &mut Sheet, name: &str, own: f64, mapped: f64) {
    let cell = Cell::Noted(own, format!("and {mapped:.0} of its files"));
    sheet.put("in memory", "MB", Better::Less, name, cell);
    let both = Cell::Number(own + mapped);
    sheet.put("own and mapped memory", "MB", Better::Less, name, both);
}

/// What is not there of so many nodes and of the tree over them, if a side that was opened lacks any; who has no graph says
/// nothing of relationships.
fn lacks(opened: &Value, nodes: usize) -> Result<Option<String>> {
    let found = opened["nodes"].as_u64().context("no number of nodes")?;
    if usize::try_from(found)? != nodes {
        return Ok(Some(format!("{found} nodes are there, not {nodes}")));
    }
    let wanted = tree_edges(nodes);
    let edges = opened["edges"].as_u64().map(usize::try_from).transpose()?;
    let wrong = edges.filter(|edges| *edges != wanted);
    Ok(wrong.map(|edges| format!("{edges} relationships of the tree are there, not {wanted}")))
}

/// A fifth is deleted and a fifth gets another vector; then the same searches.
pub(super) fn churned(run: &mut Run<'_>) -> Result<()> {
    let data = run.data;
    let gone: HashSet<u32> = data.deleted.iter().copied().collect();
    let truth = nearest(data, &data.after_churn(), |node| {
        !gone.contains(&(node as u32))
    })?;
    for Side { name, driver } in &mut run.sides {
        let Some(driver) = driver else {
            continue;
        };
        run.setup.progress(&format!("churn: {name}"));
        let changed = churn(driver, &truth, &gone);
        let changed = changed.unwrap_or_else(|error| Err(format!("failed: {error:#}")));
        let sheet = &mut run.sheet;
        match changed {
            Err(why) => {
                sheet.put("churn", "changes/s", Better::More, name, Cell::Told(why));
            }
            Ok(Changed {
                seconds,
                rows,
                recall,
                ghosts,
            }) => {
                let count = data.deleted.len() + data.updated.len();
                let rate = Cell::Number(count as f64 / seconds);
                sheet.put("churn", "changes/s", Better::More, name, rate);
                let figure = "after churn: rows of ten";
                sheet.put(figure, "rows", Better::More, name, Cell::Number(rows));
                let figure = "after churn: deleted rows found";
                let ghosts = Cell::Number(ghosts as f64);
                sheet.put(figure, "rows", Better::Less, name, ghosts);
                let cell = Cell::Noted(recall, format!("list {LIST}"));
                let figure = "after churn: recall";
                sheet.put(figure, "of the nearest", Better::Neither, name, cell);
            }
        }
    }
    Ok(())
}

struct Changed {
    seconds: f64,
    rows: f64,
    recall: f64,
    /// How many rows were given that had been deleted.
    ghosts: usize,
}

impl Changed {
    fn of(seconds: f64, pass: &Pass, gone: &HashSet<u32>) -> Self {
        let rows = || pass.found.iter().flatten();
        Self {
            seconds,
            rows: rows().count() as f64 / pass.found.len() as f64,
            recall: pass.recall,
            ghosts: rows().filter(|row| gone.contains(row)).count(),
        }
    }
}

fn churn(
    driver: &mut Driver,
    truth: &[Vec<u32>],
    gone: &HashSet<u32>,
) -> Result<std::result::Result<Changed, String>> {
    let said = match driver.ask(&json!({ "do": "churn" }))? {
        Said::Done(said) => said,
        Said::Cannot(why) => return Ok(Err(why)),
    };
    let seconds = said["seconds"].as_f64().context("no time")?;
    let pass = pass(driver, LIST, None, truth)?;
    Ok(pass.map(|pass| Changed::of(seconds, &pass, gone)))
}

/// The bytes that a file, or what lies in a folder, takes on the disk: a file may be longer than what was written of it.
pub(super) fn size_of(path: &Path) -> Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        // The reserve of ours is given back when the disk is full; it counts all the same.
        return Ok(metadata.blocks() * 512);
    }
    let mut bytes = 0;
    for entry in fs::read_dir(path)? {
        bytes += size_of(&entry?.path())?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_gone_are_counted_where_they_are_found() {
        let pass = Pass {
            recall: 0.5,
            cpu: 1.0,
            wall: 1.0,
            found: vec![vec![1, 2], vec![3]],
        };
        let changed = Changed::of(2.0, &pass, &HashSet::from([3, 9]));
        assert_eq!((changed.rows, changed.ghosts), (1.5, 1));
    }

    #[test]
    fn nodes_and_the_tree_are_there_after_opening() {
        let lacks = |opened: Value| lacks(&opened, 5).unwrap();
        assert_eq!(lacks(json!({ "nodes": 5, "edges": 4 })), None);
        assert_eq!(lacks(json!({ "nodes": 5, "edges": null })), None);
        let said = |opened| lacks(opened).unwrap();
        assert!(said(json!({ "nodes": 4, "edges": 3 })).starts_with("4 nodes"));
        assert!(said(json!({ "nodes": 5, "edges": 3 })).starts_with("3 relationships"));
    }

    #[test]
    fn what_is_mapped_counts_in_a_figure_of_its_own() {
        let mut sheet = Sheet::default();
        memory_figures(&mut sheet, "ours", 72.0, 57.0);
        memory_figures(&mut sheet, "a", 79.0, 0.0);
        assert_eq!(sheet.number("in memory", "ours"), Some(72.0));
        assert_eq!(sheet.number("own and mapped memory", "ours"), Some(129.0));
        sheet.sides = ["ours", "a"].map(String::from).to_vec();
        let standing = sheet.standing("ours");
        assert_eq!(standing.first, ["in memory"]);
        assert_eq!(standing.behind[0].figure.name, "own and mapped memory");
    }

    #[test]
    fn a_side_says_in_words_why_it_has_no_index() {
        let mut sheet = Sheet::default();
        let said =
            json!({ "seconds": 2.0, "cpu": 1.0, "edges_s": null, "index_s": "not downloaded" });
        loaded_figures(&mut sheet, "a", 10, &said).unwrap();
        let told = |figure| match sheet.cell(figure, "a") {
            Some(Cell::Told(why)) => why.clone(),
            _ => String::new(),
        };
        assert_eq!(told("load: vector index alone"), "not downloaded");
        assert_eq!(told("load: graph alone"), "no graph");
        assert_eq!(sheet.number("load everything", "a"), Some(5.0));
    }
}
