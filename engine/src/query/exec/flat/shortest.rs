//! Along the shortest ways from a node, to one other or to each that can be reached.
//!
//! Where only the smallest length of a single link matters, each node is reached once ([`Breadth`]), and between two
//! nodes that are known the search begins at both (`between.rs`). Otherwise, and
//! for ways that lead back to where they began, ways are looked for one after the other ([`Ranked`]).
//!
//! Next: `breadth.rs`.

use super::apart::Apart;
use super::breadth::Breadth;
use super::expand_many::{fulfils, list_of};
use super::field::{Field, Forbidden, Place, Tree, Walk};
use super::ranked::Ranked;
use super::{Flat, node_in};
use crate::graph::Neighbour;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::eval::is_true;
use crate::query::exec::graph::direction;
use crate::query::exec::stage::Site;
use crate::query::plan::{Arrow, ExpandMany, Segment, Shortest};
use crate::value::{NodeId, NodeValue, RelationshipId, RelationshipValue, Value};

/// The searches that still have ways to give.
#[derive(Default)]
pub(in crate::query::exec) struct Ways {
    breadth: Option<Breadth>,
    /// Where the ways are to lead that are looked for one after the other, the nearest last.
    targets: Vec<(Place, u64)>,
    tree: Option<Tree>,
    ranked: Option<Ranked>,
    field: Field,
    apart: Apart,
}

/// A way over a single link, and where it ends.
pub(super) type Way = (NodeId, Vec<RelationshipId>);

/// What the searches walk over.
pub(super) struct Ground<'g, 's, 't> {
    pub(super) of: &'g Shortest,
    pub(super) apart: &'g Apart,
    pub(super) site: &'g mut Site<'s, 't>,
    pub(super) row: &'g mut [Value],
    /// What is held beside the search.
    pub(super) kept: usize,
}

impl Ground<'_, '_, '_> {
    /// The relationships that lead on from a node over a link.
    pub(super) fn neighbours(
        &mut self,
        (link, arrow): (&ExpandMany, Arrow),
        node: NodeId,
        into: &mut Vec<Neighbour>,
    ) -> Result<(), Fault> {
        into.clear();
        let context = &mut *self.site.context;
        let graph = &context.graph;
        graph.neighbours(node, direction(arrow), &link.types, into)?;
        context.look(into.len())?;
        if link.each.is_none() && link.apart_from.is_empty() {
            return Ok(());
        }
        let mut kept = 0;
        for at in 0..into.len() {
            let relationship = into[at].relationship;
            if !self.apart.has(relationship) && fulfils(link, relationship, context, self.row)? {
                into[kept] = into[at];
                kept += 1;
            }
        }
        into.truncate(kept);
        Ok(())
    }

    /// Whether a whole way fulfils what is asked of it.
    pub(super) fn is_wanted(&mut self, field: &Field, walk: &Walk) -> Result<bool, Fault> {
        if self.of.filters.is_empty() {
            return Ok(true);
        }
        let mut row = self.row.to_vec();
        fill(self.of, field, walk, &mut row);
        for filter in &self.of.filters {
            if !is_true(self.site.context, filter, &mut row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Puts a way into the slots of a row.
fn fill(of: &Shortest, field: &Field, walk: &Walk, row: &mut [Value]) {
    for (number, segment) in of.segments.iter().enumerate() {
        let moves = walk.iter().filter(|(at, _)| at.segment == number);
        let steps: Vec<_> = moves
            .clone()
            .filter_map(|(at, by)| field.step(*at, *by))
            .collect();
        match segment {
            Segment::Link { link, single } => {
                let relationships = steps.iter().flat_map(|step| &step.relationships);
                let relationships: Vec<RelationshipId> = relationships.copied().collect();
                row[link.relationships.at()] = value_of(link, *single, &relationships);
            }
            Segment::Rounds(repeat) => {
                for (which, (_, list)) in repeat.lists.iter().enumerate() {
                    let values = steps
                        .iter()
                        .filter_map(|step| step.values.get(which).cloned());
                    row[list.at()] = Value::List(match repeat.reversed {
                        true => values.rev().collect(),
                        false => values.collect(),
                    });
                }
            }
        }
        if let Some((last, _)) = { moves }.next_back() {
            row[segment.to().at()] = Value::Node(NodeValue::of(last.node));
        }
    }
}

fn value_of(link: &ExpandMany, single: bool, way: &[RelationshipId]) -> Value {
    match (single, way.first()) {
        (true, Some(only)) => Value::Relationship(RelationshipValue::of(*only)),
        _ => list_of(way, link.reversed),
    }
}

impl Flat for Ways {
    type Of<'o> = &'o Shortest;

    fn begin(
        &mut self,
        of: &Shortest,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        (self.breadth, self.ranked, self.tree) = (None, None, None);
        self.targets.clear();
        self.field.clear();
        let Some(from) = node_in(&row[of.from.at()])? else {
            return Ok(());
        };
        let to = match of.to_bound {
            true => match node_in(&row[of.to.at()])? {
                None => return Ok(()),
                to => to,
            },
            false => None,
        };
        let mut bounds = of.segments.iter().map(Segment::bounds);
        if bounds.any(|(min, max)| max.is_some_and(|max| max < min)) {
            return Ok(());
        }
        site.charge_in_all(0)?;
        self.apart.fill(&of.apart_from, row);
        let mut ground = Ground {
            of,
            apart: &self.apart,
            site,
            row,
            kept: 0,
        };
        let mut sought = to;
        if let Some((link, _)) = of.plain() {
            if to != Some(from) || link.min == 0 {
                self.breadth = Some(Breadth::search(link, (from, to), &mut ground)?);
            }
            // Only a way that leads back to where it begins is left.
            if link.min == 0 || to.is_some_and(|to| to != from) {
                return Ok(());
            }
            sought = Some(from);
        }
        let start = Place {
            segment: 0,
            rounds: 0,
            node: from,
        };
        ground.kept = self.breadth.as_ref().map_or(0, Breadth::bytes);
        let field = &mut self.field;
        let tree = field.search(start, sought, &Forbidden::default(), &mut ground)?;
        self.targets.extend(tree.ends.iter().rev());
        self.tree = Some(tree);
        Ok(())
    }

    fn give(
        &mut self,
        of: &Shortest,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        while out.len() < site.frame.room {
            if let (Some(breadth), Some((link, single))) = (&mut self.breadth, of.plain()) {
                let Some((to, way)) = breadth.next(of.kind) else {
                    self.breadth = None;
                    continue;
                };
                let new = out.push(row);
                new[of.to.at()] = Value::Node(NodeValue::of(to));
                new[link.relationships.at()] = value_of(link, single, &way);
                continue;
            }
            if let Some(ranked) = &mut self.ranked {
                let kept = self.tree.as_ref().map_or(0, Tree::bytes) + ranked.bytes();
                let mut ground = Ground {
                    of,
                    apart: &self.apart,
                    site,
                    row,
                    kept,
                };
                match ranked.next(&mut self.field, &mut ground)? {
                    Some(walk) => fill(of, &self.field, &walk, out.push(row)),
                    None => self.ranked = None,
                }
                continue;
            }
            let (Some((end, length)), Some(tree)) = (self.targets.pop(), &self.tree) else {
                return Ok(true);
            };
            self.ranked = Some(Ranked::new(end.node, length, tree.walk(end)));
        }
        Ok(false)
    }
}
