//! `planted_recall`, `planted_precision`: whether RECOVER finds what is relevant under parents that are
//! not, and how many distances that takes beside comparing every member of each level.
//!
//! The thresholds come from other questions than those that are asked: a section is kept if it is as near as one in
//! fifty that have nothing to do with the question, and recovered if it is as near as the nearest of these.
//!
//! `tree.rs` grows the tree and plants.

mod tree;

use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::path::Path;
use stratigraph::storage::cancel::Watch;
use stratigraph::{
    BulkOptions, Database, HierarchyOptions, NodeId, Parameters, ReadTxn, Summary, Value, Vector,
    VectorIndex,
};
use tree::{Asked, LEVELS, Shape, Tree};

/// So many are recovered at a level at most, and planted at most.
const MOST: usize = 10;

/// What came of all questions.
#[derive(Debug, Default)]
struct Found {
    levels: [Level; LEVELS],
    /// Distances between the question and whole vectors: of what steps reached, and of what codes left in doubt.
    vectors: u64,
    /// Members of which only codes were compared.
    codes: u64,
    /// Distances that it takes without codes: of each member of each level.
    flat: u64,
}

/// What came of a level.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    planted: u64,
    /// Of these in the answer.
    found: u64,
    recovered: u64,
    /// Of these planted for the question.
    right: u64,
}

impl Level {
    fn and(self, other: Self) -> Self {
        Self {
            planted: self.planted + other.planted,
            found: self.found + other.found,
            recovered: self.recovered + other.recovered,
            right: self.right + other.right,
        }
    }

    fn recall(self) -> f64 {
        self.found as f64 / self.planted as f64
    }

    fn precision(self) -> f64 {
        self.right as f64 / self.recovered as f64
    }
}

pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let (fan_out, questions) = setup.choose((9, 20), (21, 40));
    let shape = Shape {
        fan_out,
        dimensions: 384,
        questions,
        most: MOST,
        seed: setup.seed,
    };
    println!(
        "planted    {questions} questions to {} sections of {LEVELS} levels, {} dimensions, up to {MOST} planted at a level",
        shape.count(),
        shape.dimensions
    );
    setup.progress("planted: plant sections");
    let tree = Tree::grow(shape)?;
    setup.progress("planted: load them");
    let found = ask_all(&tree, dir)?;
    println!(
        "planted    kept from a cosine of {:.3} on, recovered from {:.3} on",
        tree.kept, tree.recovered
    );
    let levels = found.levels.iter().enumerate();
    for (level, at) in levels.filter(|(_, at)| at.planted > 0) {
        println!(
            "planted    level {level} of {} members: {} planted, {:.3} of them found; {} recovered, {:.3} of them planted",
            shape.level(level).len(),
            at.planted,
            at.recall(),
            at.recovered,
            at.precision()
        );
    }
    let all = found.all();
    let asked = questions as f64;
    let each = |count: u64| count as f64 / asked;
    for (name, value, mark) in [
        ("planted_recall", all.recall(), 0.95),
        ("planted_precision", all.precision(), 0.5),
    ] {
        report.count(name, value, None, "", Some(Mark::AtLeast(mark)));
    }
    let flat = each(found.flat);
    for (name, value) in [
        ("planted_vectors", each(found.vectors)),
        ("planted_codes", each(found.codes)),
    ] {
        report.count(name, value, Some(flat), "a question", None);
    }
    report.say_last(format!(
        "traverse planted_recall={:.3} planted_precision={:.3} vectors={:.0} codes={:.0} flat={flat:.0}",
        all.recall(),
        all.precision(),
        each(found.vectors),
        each(found.codes),
    ));
    Ok(())
}

impl Found {
    fn all(&self) -> Level {
        let levels = self.levels.iter();
        levels.fold(Level::default(), |all, level| all.and(*level))
    }
}

/// Asks everything of a database of the tree, by codes, and by whole vectors as of before there was an index.
fn ask_all(tree: &Tree, dir: &Path) -> Result<Found> {
    let db = Database::builder().create_if_missing(true);
    let db = db.vector_threads(2).open(dir)?;
    let ids = load(&db, tree)?;
    let whole = db.read()?;
    let index = VectorIndex::on_nodes("Section", "v", tree.shape.dimensions).named("sections");
    db.create_vector_index(index.breadth(16))?;
    let codes = db.read()?;
    let mut found = Found::default();
    for asked in &tree.questions {
        let (rows, summary) = ask(&codes, tree, asked, ids[0])?;
        let (same, flat) = ask(&whole, tree, asked, ids[0])?;
        ensure!(rows == same, "the rows are not the same");
        ensure!(
            flat.searches().is_empty(),
            "codes were asked at an earlier commit"
        );
        let compared: u64 = summary.searches().iter().map(|one| one.compared).sum();
        let doubtful: u64 = summary.searches().iter().map(|one| one.found).sum();
        found.codes += compared - doubtful;
        found.vectors += distances(&summary) - compared + doubtful;
        found.flat += distances(&flat);
        found.judge(tree, asked, &rows, &ids)?;
    }
    drop((whole, codes));
    db.close()?;
    Ok(found)
}

/// The tree; the nodes of its sections.
fn load(db: &Database, tree: &Tree) -> Result<Vec<NodeId>> {
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS"))?;
    let mut load = db.bulk_load_with(BulkOptions::default())?;
    let mut ids = Vec::with_capacity(tree.shape.count());
    for place in 0..tree.shape.count() {
        let vector = Value::Vector(Vector::new(tree.row(place).to_vec())?);
        ids.push(load.add_node(["Section"], [("v", vector)])?);
    }
    for place in 1..tree.shape.count() {
        let parent = ids[tree.shape.parent(place)];
        load.add_relationship(parent, "HAS", ids[place], stratigraph::NO_PROPERTIES)?;
    }
    load.finish(&mut Watch::quiet())?;
    Ok(ids)
}

/// Of each section of the answer its node, and whether it was recovered.
fn ask(
    read: &ReadTxn,
    tree: &Tree,
    asked: &Asked,
    root: NodeId,
) -> Result<(Vec<(i64, bool)>, Summary)> {
    let text = format!(
        "PROFILE MATCH (r) WHERE id(r) = $root TRAVERSE FROM r UNFILTERED STEP (a)-[:HAS]->(b) LEVELS 0..{} \
         SCORE vector.cosine(b.v, $q) KEEP WHERE score >= {:?} \
         RECOVER (m:Section WHERE level(m, 'outline') = level) KEEP TOP {} WHERE score >= {:?} \
         YIELD node, status RETURN id(node), status = 'recovered'",
        LEVELS - 1,
        tree.kept,
        tree.shape.most,
        tree.recovered,
    );
    let to: Vec<Value> = { asked.vector.iter() }
        .map(|one| f64::from(*one).into())
        .collect();
    let root = i64::try_from(root.get())?;
    let parameters = Parameters::from([("q", Value::from(to)), ("root", root.into())]);
    let mut rows = read.query(&text, parameters)?;
    let mut found = Vec::new();
    for row in rows.by_ref() {
        let row = row?;
        found.push((row.get(0)?, row.get(1)?));
    }
    Ok((found, rows.finish()?))
}

fn distances(summary: &Summary) -> u64 {
    let operators = summary.operators().iter();
    operators
        .filter_map(|one| one.work())
        .map(|work| work.distances)
        .sum()
}

impl Found {
    /// Counts what was planted and what was found.
    fn judge(
        &mut self,
        tree: &Tree,
        asked: &Asked,
        rows: &[(i64, bool)],
        ids: &[NodeId],
    ) -> Result<()> {
        let places = ids.iter().enumerate();
        let places: HashMap<u64, usize> = places.map(|(place, id)| (id.get(), place)).collect();
        let level_of = |place: usize| {
            let mut levels = (0..LEVELS).map(|level| tree.shape.level(level));
            levels.position(|level| level.contains(&place)).unwrap_or(0)
        };
        for place in &asked.planted {
            self.levels[level_of(*place)].planted += 1;
        }
        for (node, recovered) in rows {
            let place = places.get(&u64::try_from(*node)?);
            let place = *place.context("a section that nobody loaded")?;
            let is_planted = asked.planted.contains(&place);
            let level = &mut self.levels[level_of(place)];
            level.found += u64::from(is_planted);
            level.recovered += u64::from(*recovered);
            level.right += u64::from(is_planted && *recovered);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,555 sections.
    const SMALL: Shape = Shape {
        fan_out: 6,
        dimensions: 96,
        questions: 12,
        most: MOST,
        seed: 1,
    };

    #[test]
    fn what_was_planted_off_the_way_is_recovered() {
        let tree = Tree::grow(SMALL).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let found = ask_all(&tree, &dir.path().join("db")).unwrap();
        let all = found.all();
        assert!(all.planted >= 40, "seed {}: {found:?}", SMALL.seed);
        assert!(all.recall() >= 0.95, "seed {}: {found:?}", SMALL.seed);
        assert!(all.precision() >= 0.5, "seed {}: {found:?}", SMALL.seed);
        // Each member is counted once, and few vectors are read.
        assert!(found.vectors + found.codes <= found.flat, "{found:?}");
        assert!(found.vectors * 4 < found.flat, "{found:?}");
    }
}
