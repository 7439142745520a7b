//! Along one relationship.
//!
//! Next: `ends.rs`.

use super::apart::Apart;
use super::{Flat, node_in, row_count};
use crate::graph::Neighbour;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::graph::direction;
use crate::query::exec::stage::Site;
use crate::query::plan::{Arrow, Expand};
use crate::value::{NodeId, NodeValue, RelationshipId, RelationshipValue, Value};

/// What is still to be given of one node.
#[derive(Default)]
pub(in crate::query::exec) struct Expanding {
    /// How many are needed at most, once that is known.
    most: Option<usize>,
    found: Vec<(RelationshipId, NodeId)>,
    at: usize,
    apart: Apart,
    neighbours: Vec<Neighbour>,
    between: Vec<RelationshipId>,
}

impl Expanding {
    /// All relationships of a node, or as many as are needed.
    fn find_all(
        &mut self,
        of: &Expand,
        from: NodeId,
        site: &mut Site<'_, '_>,
    ) -> Result<(), Fault> {
        self.neighbours.clear();
        let most = self.most(of, site)?;
        let graph = &site.context.graph;
        let near = (from, direction(of.arrow), most);
        graph.some_neighbours(near, &of.types, &mut self.neighbours)?;
        let found = self.neighbours.iter();
        self.found
            .extend(found.map(|one| (one.relationship, one.node)));
        Ok(())
    }

    /// How many rows are needed: of one node cannot be more.
    fn most(&mut self, of: &Expand, site: &mut Site<'_, '_>) -> Result<usize, Fault> {
        if let Some(most) = self.most {
            return Ok(most);
        }
        let mut most = if of.most.is_empty() { usize::MAX } else { 0 };
        for rows in &of.most {
            let rows = row_count("LIMIT", rows, site.context, &site.frame.argument)?;
            most = most.saturating_add(rows);
        }
        self.most = Some(most);
        Ok(most)
    }

    /// Only those to one other node, which may be few of very many.
    fn find_between(
        &mut self,
        of: &Expand,
        (from, to): (NodeId, NodeId),
        site: &Site<'_, '_>,
    ) -> Result<(), Fault> {
        let graph = &site.context.graph;
        self.between.clear();
        if of.arrow != Arrow::Left {
            graph.relationships_between((from, to), &of.types, &mut self.between)?;
        }
        // A loop is there already.
        if of.arrow == Arrow::Left || (of.arrow == Arrow::Either && from != to) {
            graph.relationships_between((to, from), &of.types, &mut self.between)?;
        }
        let between = self.between.iter();
        self.found
            .extend(between.map(|relationship| (*relationship, to)));
        Ok(())
    }
}

impl Flat for Expanding {
    type Of<'o> = &'o Expand;

    fn begin(
        &mut self,
        of: &Expand,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.found.clear();
        self.at = 0;
        let Some(from) = node_in(&row[of.from.at()])? else {
            return Ok(());
        };
        if of.to_bound {
            if let Some(to) = node_in(&row[of.to.at()])? {
                self.find_between(of, (from, to), site)?;
            }
        } else {
            self.find_all(of, from, site)?;
        }
        if !of.apart_from.is_empty() {
            self.apart.fill(&of.apart_from, row);
            self.found
                .retain(|(relationship, _)| !self.apart.has(*relationship));
        }
        let entry = size_of::<Neighbour>() + size_of::<(RelationshipId, NodeId)>();
        site.charge_in_all(self.found.capacity() * entry)?;
        site.context.look(self.found.len())
    }

    fn give(
        &mut self,
        of: &Expand,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        while let Some((relationship, node)) = self.found.get(self.at).copied() {
            if out.len() >= site.frame.room {
                return Ok(false);
            }
            self.at += 1;
            let new = out.push(row);
            new[of.relationship.at()] = Value::Relationship(RelationshipValue::of(relationship));
            new[of.to.at()] = Value::Node(NodeValue::of(node));
        }
        Ok(true)
    }
}
