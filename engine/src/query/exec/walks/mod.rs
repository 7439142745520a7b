//! Matches that are counted and never made: an aggregate over a figure of nodes and links.
//!
//! | where the rows of nodes come from | when |
//! |---|---|
//! | nowhere: the catalogue has counted (`counted.rs`) | one link, and nothing is asked of its ends but what all ends have |
//! | read around the starts, key by key (`near.rs`) | starts are few, and what they reach is a small part |
//! | a projection of the whole graph (`whole.rs`) | otherwise, or where one of this commit is kept anyway |
//! | in no rows: an array of a property of relationships (`by_property.rs`) | that is what is grouped by |
//! | they are made: the operators row by row (`by_rows.rs`) | in a write transaction, or where memory does not do |
//!
//! Sums and extremes of what the counted node has are made of how often it is met, where they are the same in any order:
//! where a float or something that is no number turns up, the rows are made.
//!
//! Each gives the same numbers. What is counted over the rows is in `algo/walks/`, which sees neither store nor query.
//!
//! Next: `near.rs`.

mod alike;
mod by_property;
mod by_rows;
mod conditions;
mod counted;
mod near;
mod tally;
mod whole;

use super::batch::Batch;
use super::flat::node_in;
use super::graph::direction;
use super::kind::Kind;
use super::pipeline::Run;
use super::stage::{Input, Poll, Site};
use crate::algo::snapshot::Column;
use crate::algo::walks::{
    self, Absent, Differ, Figure, Found, Ground, Link, Looked, Times, Wanted,
};
use crate::error::Error;
use crate::query::error::{Detail, Fault, raise};
use crate::query::plan::{BarredBy, ScanBy, TypeNames, Walks};
use crate::value::Value;
use by_rows::ByRows;
use conditions::Conditions;
use roaring::RoaringTreemap;
use std::sync::Arc;
use tally::Group;

/// The starts so far, or the groups that are still to be given.
#[derive(Default)]
pub(super) struct Walking {
    /// The nodes to begin with, one for each row that has one.
    starts: Vec<u64>,
    /// How many rows there were.
    rows: u64,
    giving: Option<std::vec::IntoIter<Group>>,
    by_rows: Option<Box<ByRows>>,
}

/// How many matches there are: in all, and for each node that is asked about, by id.
#[derive(Debug, Default)]
struct Counts {
    total: u64,
    each: Vec<(u64, u64)>,
}

/// What is asked of a figure, put together once.
struct Asked<'o> {
    of: &'o Walks,
    /// The types of its links, each list of them once.
    types: Vec<&'o TypeNames>,
    /// The properties by which nodes must differ, each once.
    keys: Vec<&'o str>,
    figure: Figure,
    wanted: Wanted,
    conditions: Conditions<'o>,
}

impl Walking {
    /// One step.
    pub(super) fn poll(
        &mut self,
        of: &Walks,
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        if let Some(batch) = input.take() {
            for row in batch.rows() {
                self.take(of, row, site)?;
            }
        }
        if !input.has_ended() {
            return Ok(Poll::Wants);
        }
        if self.giving.is_none() && self.by_rows.is_none() {
            match self.groups(of, site)? {
                Some(groups) => self.giving = Some(groups.into_iter()),
                None => self.by_rows = Some(Box::new(self.by_rows(of))),
            }
        }
        if let Some(by_rows) = &mut self.by_rows {
            return by_rows.poll(of, site);
        }
        let mut out = Batch::new(site.frame.width);
        for group in self.giving.iter_mut().flatten().take(site.frame.room) {
            let row = out.push(&site.frame.argument);
            group.fill(of, row)?;
        }
        match out.is_empty() {
            true => Ok(Poll::Done),
            false => Ok(Poll::Rows(out)),
        }
    }

    /// The run that is nested in it.
    pub(super) fn nested(&mut self) -> Option<&mut Run> {
        self.by_rows.as_mut().and_then(|by_rows| by_rows.nested())
    }

    /// Takes a row.
    fn take(&mut self, of: &Walks, row: &[Value], site: &mut Site<'_, '_>) -> Result<(), Fault> {
        site.context.step()?;
        self.rows += 1;
        if of.begins.is_some() {
            return Ok(());
        }
        let first = of
            .nodes
            .first()
            .map_or(&Value::Null, |node| &row[node.slot.at()]);
        if let Some(start) = node_in(first)? {
            site.charge(size_of::<u64>())?;
            self.starts.push(start.get());
        }
        Ok(())
    }

    /// The same row by row: a run for each row, which begins with its node, or anywhere.
    fn by_rows(&mut self, of: &Walks) -> ByRows {
        let anywhere = match of.begins {
            Some(_) => self.rows,
            None => 0,
        };
        ByRows::new(anywhere, std::mem::take(&mut self.starts))
    }

    /// The groups; none if they have to be found row by row.
    fn groups(&mut self, of: &Walks, site: &mut Site<'_, '_>) -> Result<Option<Vec<Group>>, Fault> {
        if !site.context.graph.is_snapshot() {
            return Ok(None);
        }
        // What is held meanwhile is given back, whether or not this works out.
        let held = site.context.memory.used();
        if let Some(property) = &of.property {
            let asked = Asked::new(of, site)?;
            let groups = by_property::groups(&asked, (property, self.rows), site);
            site.context.memory.reset(held);
            let groups = unless_too_large(groups)?.flatten();
            let bytes = groups.iter().flatten().map(Group::bytes);
            site.charge(bytes.sum())?;
            return Ok(groups);
        }
        let counts = self.counts(of, site);
        site.context.memory.reset(held);
        match counts? {
            Some(counts) => tally::groups(of, counts, site),
            None => Ok(None),
        }
    }

    fn counts(&mut self, of: &Walks, site: &mut Site<'_, '_>) -> Result<Option<Counts>, Fault> {
        let asked = Asked::new(of, site)?;
        if let Some(total) = counted::total(&asked, self.rows, site)? {
            return Ok(Some(Counts {
                total,
                each: Vec::new(),
            }));
        }
        let starts = match &of.begins {
            None => {
                self.starts.sort_unstable();
                Some(with_times(&self.starts))
            }
            Some(_) if self.rows == 0 => Some(Vec::new()),
            Some(by) => asked.few_starts(by, self.rows, site)?,
        };
        let Some(starts) = starts else {
            return whole::counts(&asked, (None, self.rows), site);
        };
        // Over a whole graph conditions are asked of all nodes, and what hangs on one is looked for from all. The
        // latter is still less than reading much beside a projection that is there.
        let are_due = whole::are_due(&asked, site)?;
        let are_tested = asked.conditions.are_any_after_the_first();
        let is_dear =
            !asked.keys.is_empty() || { of.links.iter() }.any(|link| link.times != Times::Each);
        let is_near = are_tested || is_dear || !are_due;
        let little = is_dear && are_due && !are_tested;
        let held = site.context.memory.used();
        for near in [is_near, !is_near] {
            let counts = match near {
                true => near::counts(&asked, (&starts, little), site)?,
                false => whole::counts(&asked, (Some(&starts), self.rows), site)?,
            };
            if counts.is_some() {
                return Ok(counts);
            }
            site.context.memory.reset(held);
        }
        Ok(None)
    }
}

/// Each of what ascends once, and how often it is there.
fn with_times(starts: &[u64]) -> Vec<(u64, u64)> {
    let runs = starts.chunk_by(|left, right| left == right);
    runs.filter_map(|run| Some((*run.first()?, run.len() as u64)))
        .collect()
}

impl<'o> Asked<'o> {
    fn new(of: &'o Walks, site: &mut Site<'_, '_>) -> Result<Self, Fault> {
        let mut types: Vec<&TypeNames> = Vec::new();
        let mut keys: Vec<&str> = Vec::new();
        let mut nodes: Vec<Vec<Link>> = vec![Vec::new(); of.nodes.len().saturating_sub(1)];
        for link in &of.links {
            let number = number_of(&mut types, &link.types);
            if let Some(links) = link.to.checked_sub(1).and_then(|at| nodes.get_mut(at)) {
                links.push(Link {
                    from: link.from,
                    direction: direction(link.arrow),
                    types: number,
                    apart: link.apart.clone(),
                    times: link.times,
                });
            }
        }
        let (mut differ, mut absent) = (Vec::new(), Vec::new());
        for bar in &of.bars {
            let nodes = bar.nodes;
            match &bar.what {
                BarredBy::Same => differ.push(Differ { nodes, by: None }),
                BarredBy::Alike(key) => {
                    let by = Some(number_of(&mut keys, &**key));
                    differ.push(Differ { nodes, by });
                }
                BarredBy::Linked(arrow, names) => absent.push(Absent {
                    nodes,
                    direction: direction(*arrow),
                    types: number_of(&mut types, names),
                }),
            }
        }
        let last = of.nodes.len().saturating_sub(1);
        let aggregates = &of.aggregate.aggregates;
        let wanted = match of.of {
            None => Wanted::Total,
            Some(node) if node == last && aggregates.iter().all(|one| one.distinct) => Wanted::Last,
            Some(node) => Wanted::Each(node),
        };
        Ok(Self {
            of,
            types,
            keys,
            figure: Figure {
                nodes,
                differ,
                absent,
            },
            wanted,
            conditions: Conditions::new(of, site)?,
        })
    }

    /// The starts of a scan if they are few beside all nodes.
    fn few_starts(
        &self,
        by: &ScanBy,
        rows: u64,
        site: &mut Site<'_, '_>,
    ) -> Result<Option<Vec<(u64, u64)>>, Fault> {
        /// Of so many nodes one may be a start.
        const NODES_PER_START: u64 = 8;
        let ScanBy::Label(label) = by else {
            return Ok(None);
        };
        let graph = &site.context.graph;
        let labelled = graph.node_count(Some(label))?;
        if labelled.saturating_mul(NODES_PER_START) >= graph.node_count(None)? {
            return Ok(None);
        }
        let bytes = usize::try_from(labelled).unwrap_or(usize::MAX);
        site.context
            .memory
            .charge(bytes.saturating_mul(size_of::<(u64, u64)>()))?;
        let nodes = graph_labelled(label, site)?;
        Ok(Some(nodes.iter().map(|node| (node, rows)).collect()))
    }

    /// How many relationships there are of all its types.
    fn relationships(&self, site: &Site<'_, '_>) -> Result<u64, Fault> {
        let graph = &site.context.graph;
        let mut sum = 0_u64;
        for types in &self.types {
            match types {
                None => sum = sum.saturating_add(graph.relationship_count(None)?),
                Some(names) => {
                    for name in names {
                        sum = sum.saturating_add(graph.relationship_count(Some(name))?);
                    }
                }
            }
        }
        Ok(sum)
    }

    /// Counts over rows that are there. `id` is the id of a place.
    fn count(
        &self,
        ground: &Ground<'_>,
        starts: &[(u32, u64)],
        id: impl Fn(u32) -> u64,
        site: &mut Site<'_, '_>,
    ) -> Result<Counts, Fault> {
        /// Less than this is done before another thread has begun.
        const PLACES_PER_THREAD: usize = 4096;
        let context = &mut *site.context;
        let threads = context.threads.min(1 + ground.places / PLACES_PER_THREAD);
        // Arrays by place, for each thread and for what is being added up.
        let arrays = (threads + 4 + self.of.nodes.len()).saturating_mul(ground.places);
        context
            .memory
            .charge(arrays.saturating_mul(size_of::<u64>()))?;
        let looked = Looked::up_to(context.steps_left());
        let asked = (starts, self.wanted);
        let found = context
            .watched(|_, watch| walks::count(&self.figure, ground, asked, threads, &looked, watch));
        let entries = usize::try_from(looked.so_far()).unwrap_or(usize::MAX);
        context.look(entries)?;
        context.check()?;
        let Found { total, each, last } = found?;
        let mut counts = Counts {
            total,
            each: Vec::new(),
        };
        match self.wanted {
            Wanted::Total => {}
            Wanted::Each(_) => {
                let places = (0_u32..).zip(each).filter(|(_, walks)| *walks > 0);
                counts.each = places.map(|(place, walks)| (id(place), walks)).collect();
            }
            Wanted::Last => counts.each = last.places().map(|place| (id(place), 1)).collect(),
        }
        counts.each.sort_unstable();
        let walks = counts.each.iter().map(|(_, walks)| *walks);
        counts.total = walks.fold(counts.total, u64::saturating_add);
        Ok(counts)
    }
}

/// The number of something among those that are there, where it is added if it is not.
fn number_of<T: PartialEq>(known: &mut Vec<T>, one: T) -> usize {
    match known.iter().position(|other| *other == one) {
        Some(number) => number,
        None => {
            known.push(one);
            known.len() - 1
        }
    }
}

/// The nodes with a label.
fn graph_labelled(label: &str, site: &Site<'_, '_>) -> Result<RoaringTreemap, Error> {
    let graph = &site.context.graph;
    graph.ids_with_label(Kind::Nodes, label)
}

/// A property of all nodes, or of all relationships of some types, within what projections and the query may take; none
/// if it takes more, or has to be asked row by row.
fn column(
    kind: Kind,
    types: &TypeNames,
    property: &str,
    site: &Site<'_, '_>,
) -> Result<Option<Arc<Column>>, Fault> {
    let left = site.context.memory.left() as u64;
    site.context.watched(|graph, watch| {
        let most = graph.projection_bytes().min(left);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        graph.column(kind, types, property, most, watch)
    })
}

/// The nodes with which the only link of a figure may begin and end; none if it may be any.
fn graph_labelled_ends(
    asked: &Asked<'_>,
    site: &Site<'_, '_>,
) -> Result<(Option<RoaringTreemap>, Option<RoaringTreemap>), Fault> {
    let labelled = |node| asked.conditions.labelled(node, site);
    Ok((labelled(0)?, labelled(1)?))
}

/// Whether something failed because it takes too much memory, so that another way may do.
fn is_too_large(fault: &Fault) -> bool {
    matches!(fault, Fault::Raised(raised) if raised.detail == Detail::MemoryLimit)
}

/// What a projection failed with, if there is no other way.
fn unless_too_large<T>(result: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(fault) if is_too_large(&fault) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// A count as a value.
fn integer(count: u64) -> Result<Value, Fault> {
    i64::try_from(count).map(Value::Int).map_err(|_| {
        let message = "there are more matches than an integer can count";
        raise(Detail::NumberOutOfRange, message).hint("match less of the graph")
    })
}
