//! Along the shortest ways from a node, to one other or to each that can be reached.
//!
//! Where only the smallest length matters, each node is reached once ([`Breadth`]). Otherwise, and for ways that
//! lead back to where they began, trails are walked in the order of their length ([`Layers`]).
//!
//! Next: `breadth.rs`.

use super::apart::Apart;
use super::breadth::Breadth;
use super::expand_many::{fulfils, list_of};
use super::layers::Layers;
use super::{Flat, direction, node_in};
use crate::graph::{Direction, Neighbour};
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::stage::Site;
use crate::query::plan::{SelectorKind, Shortest};
use crate::value::{NodeId, NodeValue, RelationshipId, RelationshipValue, Value};

/// The searches that still have ways to give.
#[derive(Default)]
pub(in crate::query::exec) struct Ways {
    breadth: Option<Breadth>,
    layers: Option<Layers>,
    apart: Apart,
}

/// A way and where it ends.
pub(super) type Way = (NodeId, Vec<RelationshipId>);

/// What the searches walk over.
pub(super) struct Ground<'g, 's, 't> {
    pub(super) of: &'g Shortest,
    pub(super) apart: &'g Apart,
    pub(super) site: &'g mut Site<'s, 't>,
    pub(super) row: &'g mut [Value],
}

impl Ground<'_, '_, '_> {
    /// The relationships that lead on from a node, or with `back` to it.
    pub(super) fn neighbours(
        &mut self,
        node: NodeId,
        back: bool,
        into: &mut Vec<Neighbour>,
    ) -> Result<(), Fault> {
        let link = &self.of.link;
        let direction = match (direction(link.arrow), back) {
            (Direction::Outgoing, true) => Direction::Incoming,
            (Direction::Incoming, true) => Direction::Outgoing,
            (direction, _) => direction,
        };
        into.clear();
        let context = &mut *self.site.context;
        context
            .graph
            .neighbours(node, direction, &link.types, into)?;
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
}

/// Whether only the smallest length matters.
fn wants_smallest(kind: SelectorKind) -> bool {
    use SelectorKind::{AllShortest, Any, Shortest, ShortestGroups};
    matches!(kind, Any(1) | Shortest(1) | ShortestGroups(1) | AllShortest)
}

impl Flat for Ways {
    type Of<'o> = &'o Shortest;

    fn begin(
        &mut self,
        of: &Shortest,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        (self.breadth, self.layers) = (None, None);
        let link = &of.link;
        let Some(from) = node_in(&row[link.from.at()])? else {
            return Ok(());
        };
        let to = match link.to_bound {
            true => match node_in(&row[link.to.at()])? {
                None => return Ok(()),
                to => to,
            },
            false => None,
        };
        if link.max.is_some_and(|max| max < link.min) {
            return Ok(());
        }
        site.charge_in_all(0)?;
        self.apart.fill(&link.apart_from, row);
        let mut ground = Ground {
            of,
            apart: &self.apart,
            site,
            row,
        };
        if link.min > 1 || !wants_smallest(of.kind) {
            self.layers = Some(Layers::new(from, to, link.max, &mut ground)?);
            return Ok(());
        }
        if to != Some(from) || link.min == 0 {
            self.breadth = Some(Breadth::search(from, to, &mut ground)?);
        }
        if link.min == 1
            && to.is_none_or(|to| to == from)
            && let Some(length) = Breadth::round_trip(from, &mut ground)?
        {
            let layers = Layers::new(from, Some(from), Some(length), &mut ground)?;
            self.layers = Some(layers);
        }
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
            let mut way: Option<Way> = None;
            if let Some(breadth) = &mut self.breadth {
                way = breadth.next(of.kind);
                if way.is_none() {
                    self.breadth = None;
                    continue;
                }
            } else if let Some(layers) = &mut self.layers {
                let mut ground = Ground {
                    of,
                    apart: &self.apart,
                    site,
                    row,
                };
                way = layers.next(&mut ground)?;
            }
            let Some((to, way)) = way else {
                return Ok(true);
            };
            let new = out.push(row);
            new[of.link.to.at()] = Value::Node(NodeValue::of(to));
            new[of.link.relationships.at()] = match (of.single, way.first()) {
                (true, Some(only)) => Value::Relationship(RelationshipValue::of(*only)),
                _ => list_of(&way, of.link.reversed),
            };
        }
        Ok(false)
    }
}
