//! A graph in its canonical order, and its lines.

use super::gathered::Gathered;
use super::graph::{Colour, Graph, ranks};
use super::order::canonical;
use crate::catalog::HierarchyDef;
use crate::error::Result;
use crate::exchange::dump::Steps;
use crate::exchange::lines::MemberLine;
use crate::exchange::output::Output;
use crate::exchange::text::push_ends;
use std::io::Write;
use std::sync::Arc;

/// The step, as a watch is told of it.
const ARRANGE: &str = "find an order";

/// A graph whose nodes have the places of their lines.
pub(super) struct Arranged {
    /// The texts of nodes in their order.
    contents: Vec<Vec<u8>>,
    /// Which text the node of each place has.
    nodes: Vec<u32>,
    /// The texts of relationships in their order.
    kinds: Vec<Vec<u8>>,
    /// Source, kind, target.
    edges: Vec<(u32, u32, u32)>,
    /// A node and the hierarchy that names it.
    members: Vec<(u32, u32)>,
}

impl Arranged {
    /// Puts nodes, relationships and members in the order that no id has a part in.
    pub(super) fn of(gathered: Gathered, progress: &mut Steps<'_, '_>) -> Result<Self> {
        progress.watch.step(ARRANGE, 0, 0)?;
        let Gathered {
            contents,
            of_nodes,
            kinds,
            mut edges,
            mut members,
        } = gathered;
        let (contents, content_ranks) = contents.sorted();
        let (kinds, kind_ranks) = kinds.sorted();
        for (_, kind, _) in &mut edges {
            *kind = kind_ranks[*kind as usize];
        }
        let content_of: Vec<u32> = of_nodes
            .iter()
            .map(|at| content_ranks[*at as usize])
            .collect();
        let colours = colours(&content_of, &members);
        let graph = Graph::new(content_of.len(), &edges);
        let order = canonical(&graph, &colours, &mut || progress.watch.step(ARRANGE, 0, 0))?;
        let mut place_in_order = vec![0_u32; order.len()];
        for (place, node) in (0..).zip(&order) {
            place_in_order[*node as usize] = place;
        }
        for (source, _, target) in &mut edges {
            *source = place_in_order[*source as usize];
            *target = place_in_order[*target as usize];
        }
        edges.sort_unstable_by_key(|(source, kind, target)| (*source, *target, *kind));
        for (node, _) in &mut members {
            *node = place_in_order[*node as usize];
        }
        members.sort_unstable_by_key(|(node, hierarchy)| (*hierarchy, *node));
        let nodes = order.iter().map(|node| content_of[*node as usize]);
        Ok(Self {
            contents,
            nodes: nodes.collect(),
            kinds,
            edges,
            members,
        })
    }

    /// How many members by name there are.
    pub(super) fn members(&self) -> u64 {
        self.members.len() as u64
    }

    /// Writes a line for each node, each relationship and each member by name.
    pub(super) fn write<W: Write>(
        &self,
        output: &mut Output<W>,
        hierarchies: &[&Arc<HierarchyDef>],
    ) -> Result<()> {
        for content in &self.nodes {
            let content = &self.contents[*content as usize];
            output.line(|text| {
                text.extend_from_slice(content);
                Ok(())
            })?;
        }
        for (source, kind, target) in &self.edges {
            output.line(|text| {
                let kind = &self.kinds[*kind as usize];
                let ends = kind.iter().position(|byte| *byte == 0);
                let (of, rest) = kind.split_at(ends.unwrap_or(kind.len()));
                text.push(b'{');
                text.extend_from_slice(of);
                push_ends(text, u64::from(*source), u64::from(*target));
                text.extend_from_slice(rest.get(1..).unwrap_or_default());
                Ok(())
            })?;
        }
        for (node, hierarchy) in &self.members {
            output.json(&MemberLine {
                member: u64::from(*node),
                hierarchy: String::from(&*hierarchies[*hierarchy as usize].name),
            })?;
        }
        Ok(())
    }
}

/// The first colour of every node: the rank of its content, with the hierarchies that name it.
fn colours(content_of: &[u32], members: &[(u32, u32)]) -> Vec<Colour> {
    let mut looks: Vec<(u32, Vec<u32>)> = content_of.iter().map(|of| (*of, Vec::new())).collect();
    for (node, hierarchy) in members {
        // Hierarchies come in the order of their names.
        looks[*node as usize].1.push(*hierarchy);
    }
    ranks(&looks)
}
