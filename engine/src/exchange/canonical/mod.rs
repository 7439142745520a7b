//! The canonical dump: equal graphs give equal text, whatever their ids are.
//!
//! ```text
//! graph with ids ──> contents, ranked by their text ──> an order of nodes without ids ──> text
//! ```
//! Two nodes have the same place in every copy of a graph if their contents and everything around
//! them say which is which; [`order`] finds that order, [`partition`] is the step it is made of. The
//! text holds the whole graph, and so different graphs never have the same text. Equal graphs have
//! the same text unless they are so large and so symmetric that looking at every choice would take
//! too long; see [`order`].
//!
//! All of it happens in memory: it is for tests and comparisons, and has a limit.

mod graph;
mod order;
mod partition;

use super::FORMAT;
use super::declared::Declarations;
use super::dump::{
    DumpReport, Steps, each_member, each_node, each_relationship, write_declarations,
};
use super::error::DumpError;
use super::lines::{Header, MemberLine};
use super::output::Output;
use super::read::DumpContents;
use super::text::{Texts, push_ends};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graph::{Read as _, view};
use crate::storage::cancel::Watch;
use crate::value::NodeId;
use graph::{Colour, Graph};
use std::collections::HashMap;
use std::io::Write;

/// The most nodes of a canonical dump.
pub const MAX_CANONICAL_NODES: u64 = 4_000_000;
/// The most relationships of a canonical dump.
pub const MAX_CANONICAL_RELATIONSHIPS: u64 = 16_000_000;

impl Database {
    /// Writes everything as text without ids, in an order that does not depend on them: the text of
    /// two databases is the same if their graphs are, with the same declarations. Relationships name
    /// their ends by the places of the nodes' lines, from 0. It cannot be loaded.
    ///
    /// Different graphs never have one text. Equal graphs can have two only if they hold a part of
    /// some thousand nodes or more, or of some hundred that are tightly linked, in which nodes look
    /// alike at every distance without being images of each other: telling those apart has a budget of
    /// some seconds.
    ///
    /// Names that nothing has, and the next free ids, are left out.
    ///
    /// # Errors
    /// [`DumpError::TooLargeToCompare`]; otherwise as [`dump`](Self::dump).
    pub fn dump_canonical(&self, out: impl Write, watch: &mut Watch<'_>) -> Result<DumpReport> {
        let read = self.read()?;
        let view = view::of(&read);
        let nodes = read.node_count(None)?;
        let relationships = read.relationship_count(None)?;
        limit("nodes", nodes, MAX_CANONICAL_NODES)?;
        limit("relationships", relationships, MAX_CANONICAL_RELATIONSHIPS)?;
        let catalog = view.catalog();
        let texts = Texts::new(catalog);
        let mut progress = Steps {
            watch,
            total: nodes + relationships,
            done: 0,
        };

        let mut places: HashMap<NodeId, u32> = HashMap::new();
        let mut contents = Contents::default();
        let mut of_nodes: Vec<u32> = Vec::new();
        each_node(&view, |node, record| {
            progress.step("read nodes")?;
            let place = of_nodes.len() as u32;
            places.insert(node, place);
            of_nodes.push(contents.number(|text| {
                text.push(b'{');
                texts.push_node(text, view.keys, node.into(), record)
            })?);
            Ok(())
        })?;
        let mut hierarchies: Vec<_> = catalog.hierarchies().collect();
        hierarchies.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let mut members: Vec<(u32, u32)> = Vec::new();
        for (number, hierarchy) in (0..).zip(&hierarchies) {
            each_member(&view, hierarchy, |node| {
                members.push((place_of(&places, node)?, number));
                Ok(())
            })?;
        }
        let mut kinds = Contents::default();
        let mut edges = Vec::new();
        each_relationship(&view, |relationship, record| {
            progress.step("read relationships")?;
            let (source, target) = (record.source, record.target);
            let kind = kinds.number(|text| {
                texts.push_type(text, record.relationship_type)?;
                // Where the ends go; no text of a type or of properties has it.
                text.push(0);
                let entity = relationship.into();
                texts.push_properties(text, view.keys, entity, record.properties)
            })?;
            edges.push((place_of(&places, source)?, kind, place_of(&places, target)?));
            Ok(())
        })?;
        drop(places);

        progress.watch.step("find an order", 0, 0)?;
        let (contents, ranks) = contents.sorted();
        let (kinds, kind_ranks) = kinds.sorted();
        for (_, kind, _) in &mut edges {
            *kind = kind_ranks[*kind as usize];
        }
        let content_of: Vec<u32> = of_nodes.iter().map(|at| ranks[*at as usize]).collect();
        let colours = colours(&content_of, &members);
        let graph = Graph::new(content_of.len(), &edges);
        let order = order::canonical(&graph, &colours, &mut || {
            progress.watch.step("find an order", 0, 0)
        })?;
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

        let mut output = Output::new(out);
        output.json(&Header {
            stratigraph_dump: FORMAT,
            canonical: true,
            nodes,
            relationships,
            next: None,
        })?;
        let mut declarations = Declarations::of(catalog)?;
        declarations.indexes.sort_unstable();
        let vectors = &mut declarations.vector_indexes;
        vectors.sort_unstable_by(|left, right| left.vector_index.cmp(&right.vector_index));
        let texts = &mut declarations.text_indexes;
        texts.sort_unstable_by(|left, right| left.text_index.cmp(&right.text_index));
        declarations.constraints.sort_unstable();
        declarations.hierarchies.sort_unstable();
        write_declarations(&mut output, &declarations)?;
        for node in &order {
            let content = &contents[content_of[*node as usize] as usize];
            output.line(|text| {
                text.extend_from_slice(content);
                Ok(())
            })?;
        }
        for (source, kind, target) in &edges {
            output.line(|text| {
                let kind = &kinds[*kind as usize];
                let ends = kind.iter().position(|byte| *byte == 0);
                let (of, rest) = kind.split_at(ends.unwrap_or(kind.len()));
                text.push(b'{');
                text.extend_from_slice(of);
                push_ends(text, u64::from(*source), u64::from(*target));
                text.extend_from_slice(rest.get(1..).unwrap_or_default());
                Ok(())
            })?;
        }
        for (node, hierarchy) in &members {
            output.json(&MemberLine {
                member: u64::from(*node),
                hierarchy: String::from(&*hierarchies[*hierarchy as usize].name),
            })?;
        }
        let written = output.end(nodes, relationships, None)?;
        progress.finish("dump")?;
        Ok(DumpReport {
            commit: read.commit_seq(),
            contents: DumpContents {
                nodes,
                relationships,
                names: 0,
                declarations: declarations.len() as u64,
                members: members.len() as u64,
                bytes: written.bytes,
            },
            longest_line_bytes: written.longest_line_bytes,
            checksum: written.checksum,
        })
    }
}

/// The first colour of every node: the rank of its content, with the hierarchies that name it.
fn colours(content_of: &[u32], members: &[(u32, u32)]) -> Vec<Colour> {
    let mut looks: Vec<(u32, Vec<u32>)> = content_of.iter().map(|of| (*of, Vec::new())).collect();
    for (node, hierarchy) in members {
        // Hierarchies come in the order of their names.
        looks[*node as usize].1.push(*hierarchy);
    }
    graph::ranks(&looks)
}

fn place_of(places: &HashMap<NodeId, u32>, node: NodeId) -> Result<u32> {
    let place = places.get(&node).copied();
    // A relationship whose end is gone: `check` finds more.
    place.ok_or(Error::NodeNotFound { node })
}

fn limit(what: &'static str, count: u64, limit: u64) -> Result<()> {
    if count <= limit {
        return Ok(());
    }
    Err(DumpError::TooLargeToCompare { what, count, limit }.into())
}

/// Texts that many nodes or relationships may share, each kept once.
#[derive(Default)]
struct Contents {
    numbers: HashMap<Vec<u8>, u32>,
    text: Vec<u8>,
}

impl Contents {
    /// The number of a text; equal texts have one.
    fn number(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<u32> {
        self.text.clear();
        write(&mut self.text)?;
        if let Some(number) = self.numbers.get(&self.text) {
            return Ok(*number);
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(self.text.clone(), number);
        Ok(number)
    }

    /// The texts in their order, and the place of each number in it.
    fn sorted(self) -> (Vec<Vec<u8>>, Vec<u32>) {
        let mut texts: Vec<(Vec<u8>, u32)> = self.numbers.into_iter().collect();
        texts.sort_unstable();
        let mut ranks = vec![0; texts.len()];
        for (rank, (_, number)) in (0..).zip(&texts) {
            ranks[*number as usize] = rank;
        }
        (texts.into_iter().map(|(text, _)| text).collect(), ranks)
    }
}

#[cfg(test)]
mod tests;
