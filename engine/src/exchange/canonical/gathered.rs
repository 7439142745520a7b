//! Reading a graph whole and leaving its ids out: every text that nodes and relationships have, each kept once, and
//! who has which. Nodes have places instead of ids, in the order in which they are read.

use crate::catalog::HierarchyDef;
use crate::error::{Error, Result};
use crate::exchange::dump::{Steps, each_member, each_node, each_relationship};
use crate::exchange::text::Texts;
use crate::graph::view::View;
use crate::keys::KeyRead;
use crate::value::NodeId;
use std::collections::HashMap;
use std::sync::Arc;

/// A graph as it was read.
pub(super) struct Gathered {
    /// What nodes are as text.
    pub(super) contents: Contents,
    /// The number of each node's text.
    pub(super) of_nodes: Vec<u32>,
    /// What relationships are as text, without their ends.
    pub(super) kinds: Contents,
    /// Source, kind, target.
    pub(super) edges: Vec<(u32, u32, u32)>,
    /// A node and the hierarchy that names it, by its place among the hierarchies.
    pub(super) members: Vec<(u32, u32)>,
}

impl Gathered {
    pub(super) fn read<K: KeyRead>(
        view: &View<'_, K>,
        hierarchies: &[&Arc<HierarchyDef>],
        progress: &mut Steps<'_, '_>,
    ) -> Result<Self> {
        let texts = Texts::new(view.catalog());
        let mut places: HashMap<NodeId, u32> = HashMap::new();
        let mut contents = Contents::default();
        let mut of_nodes: Vec<u32> = Vec::new();
        each_node(view, |node, record| {
            progress.step("read nodes")?;
            let place = of_nodes.len() as u32;
            places.insert(node, place);
            of_nodes.push(contents.number(|text| {
                text.push(b'{');
                texts.push_node(text, view.keys, node.into(), record)
            })?);
            Ok(())
        })?;
        let mut members: Vec<(u32, u32)> = Vec::new();
        for (number, hierarchy) in (0..).zip(hierarchies) {
            each_member(view, hierarchy, |node| {
                members.push((place_of(&places, node)?, number));
                Ok(())
            })?;
        }
        let mut kinds = Contents::default();
        let mut edges = Vec::new();
        each_relationship(view, |relationship, record| {
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
        Ok(Self {
            contents,
            of_nodes,
            kinds,
            edges,
            members,
        })
    }
}

fn place_of(places: &HashMap<NodeId, u32>, node: NodeId) -> Result<u32> {
    let place = places.get(&node).copied();
    // A relationship whose end is gone: `check` finds more.
    place.ok_or(Error::NodeNotFound { node })
}

/// Texts that many nodes or relationships may share, each kept once.
#[derive(Default)]
pub(super) struct Contents {
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
    pub(super) fn sorted(self) -> (Vec<Vec<u8>>, Vec<u32>) {
        let mut texts: Vec<(Vec<u8>, u32)> = self.numbers.into_iter().collect();
        texts.sort_unstable();
        let mut ranks = vec![0; texts.len()];
        for (rank, (_, number)) in (0..).zip(&texts) {
            ranks[*number as usize] = rank;
        }
        (texts.into_iter().map(|(text, _)| text).collect(), ranks)
    }
}
