//! What is asked of the nodes of a figure, without what is true of all that a link can reach.
//!
//! Next: `near.rs`.

use crate::algo::walks::Times;
use crate::error::Result as EngineResult;
use crate::graph::Way;
use crate::query::error::Fault;
use crate::query::exec::eval::is_true;
use crate::query::exec::graph::Graph;
use crate::query::exec::stage::Site;
use crate::query::expr::{Expr, Slot};
use crate::query::plan::{Arrow, ScanBy, WalkedLink, Walks};
use crate::value::{NodeId, NodeValue, Value};
use roaring::{RoaringBitmap, RoaringTreemap};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The conditions of each node.
pub(super) struct Conditions<'o> {
    nodes: Vec<OfNode<'o>>,
    /// Parts of the sets of labels: of which node, its label, and what the ids have in common.
    parts: HashMap<(usize, usize, u64), RoaringBitmap>,
    row: Vec<Value>,
}

/// The conditions of one node.
#[derive(Clone)]
struct OfNode<'o> {
    slot: Slot,
    labels: Vec<&'o str>,
    tests: &'o [Expr],
}

impl<'o> Conditions<'o> {
    /// Those of a figure. A label is left out where every relationship of a link has it at that end.
    pub(super) fn new(of: &'o Walks, site: &Site<'_, '_>) -> Result<Self, Fault> {
        let mut nodes = Vec::with_capacity(of.nodes.len());
        for (number, node) in of.nodes.iter().enumerate() {
            let mut labels: Vec<&str> = node.labels.iter().map(|label| &**label).collect();
            if let (0, Some(ScanBy::Label(label))) = (number, &of.begins) {
                labels.push(label);
            }
            let mut kept = Vec::new();
            for label in labels {
                if !is_implied(&of.links, (number, label), &site.context.graph)? {
                    kept.push(label);
                }
            }
            nodes.push(OfNode {
                slot: node.slot,
                labels: kept,
                tests: &node.tests,
            });
        }
        Ok(Self {
            nodes,
            parts: HashMap::new(),
            row: site.frame.argument.clone(),
        })
    }

    /// The same, with nothing read yet.
    pub(super) fn fresh(&self) -> Self {
        Self {
            nodes: self.nodes.clone(),
            parts: HashMap::new(),
            row: self.row.clone(),
        }
    }

    /// Whether there are none.
    pub(super) fn are_none(&self) -> bool {
        (0..self.nodes.len()).all(|number| !self.are_any(number))
    }

    /// Whether there are any on another node than the first.
    pub(super) fn are_any_after_the_first(&self) -> bool {
        (1..self.nodes.len()).any(|number| self.are_any(number))
    }

    /// Whether there are any on a node.
    pub(super) fn are_any(&self, number: usize) -> bool {
        let node = self.nodes.get(number);
        node.is_some_and(|node| !node.labels.is_empty() || !node.tests.is_empty())
    }

    /// Whether a node may be the one of that number. Parts of sets of labels are read as they are needed.
    pub(super) fn fit(
        &mut self,
        number: usize,
        id: u64,
        site: &mut Site<'_, '_>,
    ) -> Result<bool, Fault> {
        let Some(node) = self.nodes.get(number) else {
            return Ok(true);
        };
        for (at, label) in node.labels.iter().enumerate() {
            let key = (number, at, id >> 16);
            let part = match self.parts.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(site.context.graph.labelled_part(label, id)?),
            };
            if !part.contains((id & 0xFFFF) as u32) {
                return Ok(false);
            }
        }
        self.pass(number, id, site)
    }

    /// Whether a node passes the tests beside its labels.
    pub(super) fn pass(
        &mut self,
        number: usize,
        id: u64,
        site: &mut Site<'_, '_>,
    ) -> Result<bool, Fault> {
        let Some(node) = self.nodes.get(number) else {
            return Ok(true);
        };
        for test in node.tests {
            site.context.step()?;
            self.row[node.slot.at()] = Value::Node(NodeValue::of(NodeId::new(id)));
            if !is_true(site.context, test, &mut self.row)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The nodes with all labels that one of that number must have; none if it need not have any.
    pub(super) fn labelled(
        &self,
        number: usize,
        site: &Site<'_, '_>,
    ) -> Result<Option<RoaringTreemap>, Fault> {
        let mut all: Option<RoaringTreemap> = None;
        let labels = self.nodes.get(number).map(|node| node.labels.as_slice());
        for label in labels.unwrap_or_default() {
            let more = super::graph_labelled(label, site)?;
            all = Some(match all {
                Some(all) => all & more,
                None => more,
            });
        }
        Ok(all)
    }

    /// The labels that a node must have.
    pub(super) fn labels(&self, number: usize) -> &[&'o str] {
        let node = self.nodes.get(number);
        node.map(|node| node.labels.as_slice()).unwrap_or_default()
    }

    /// Whether there are tests beside labels on a node.
    pub(super) fn are_tests(&self, number: usize) -> bool {
        let node = self.nodes.get(number);
        node.is_some_and(|node| !node.tests.is_empty())
    }
}

/// Whether whatever a link of this node walks has the label at that end.
fn is_implied(
    links: &[WalkedLink],
    (number, label): (usize, &str),
    graph: &Graph<'_>,
) -> EngineResult<bool> {
    for link in links {
        let (from, to): (&[Way], &[Way]) = match link.arrow {
            Arrow::Right => (&[Way::Out], &[Way::In]),
            Arrow::Left => (&[Way::In], &[Way::Out]),
            Arrow::Either => (&[Way::Out, Way::In], &[Way::Out, Way::In]),
        };
        let ends = match number {
            // A node need not have what need not be there, or must not be.
            _ if number == link.from && link.times != Times::Each => continue,
            _ if number == link.from => from,
            _ if number == link.to => to,
            _ => continue,
        };
        // Of links of any type nothing is counted.
        let Some(types) = graph.type_ids(&link.types)? else {
            continue;
        };
        let mut implied = true;
        for end in ends {
            let (all, labelled) = graph.labelled_ends(&types, label, *end)?;
            implied &= all == labelled;
        }
        if implied {
            return Ok(true);
        }
    }
    Ok(false)
}
