//! Writing `out` and `in`: every relationship as its ends see it, the degrees before them, and counts
//! of relationships by the labels of their ends, which are known best here.

use super::adjacency::Side;
use super::scratch::Scratch;
use super::sets::LabelReader;
use crate::catalog::{Counter, GraphState};
use crate::error::{Error, Result};
use crate::graph::keys::{AdjacencyKey, DegreeKey, Way};
use crate::graph::pending::{decode_degree, encode_degree};
use crate::graph::view::View;
use crate::keys::{KeyRead, KeyReadTxn, RunStream};
use crate::value::{NodeId, RelationshipId};
use std::collections::HashMap;

/// Progress is told once for so many relationships.
const PORTION: u64 = 1 << 15;

/// What is known about the nodes that relationships are seen from.
pub(super) struct Nodes<'a> {
    pub(super) keys: &'a KeyReadTxn,
    pub(super) state: &'a GraphState,
    /// The first id that no stored node has.
    pub(super) first_new: u64,
    /// The labels of the load's nodes.
    pub(super) labels: &'a Scratch,
}

/// Writes one side; `written` is told how many relationships more are.
pub(super) fn write(
    mut side: Side,
    mut stream: RunStream,
    nodes: &Nodes<'_>,
    written: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<HashMap<Counter, u64>> {
    written(0)?;
    side.sort();
    let view = View {
        keys: nodes.keys,
        state: nodes.state,
        pending: None,
    };
    let counter = match side.way {
        Way::Out => Counter::From,
        Way::In => Counter::To,
    };
    let mut counts = HashMap::new();
    let mut new_labels = LabelReader::new(nodes.labels)?;
    let mut stored_labels = Vec::new();
    let mut last_stored = None;
    let mut unreported = 0;
    let mut merged = side.merge()?;
    while let Some((group, count)) = merged.next_group()? {
        let near = group.near;
        let is_new = near.get() >= nodes.first_new;
        let labels = if is_new {
            new_labels.labels_of(near)?
        } else {
            if last_stored != Some(near) {
                let labels = view.labels_of(near)?;
                stored_labels = labels.ok_or(Error::NodeNotFound { node: near })?;
                last_stored = Some(near);
            }
            &stored_labels
        };
        for label in labels {
            *counts
                .entry(counter(*label, group.relationship_type))
                .or_default() += count;
        }
        write_degree(&mut stream, nodes, side.way, &group, count, is_new)?;
        while let Some((far, relationship)) = merged.next_member()? {
            let key = AdjacencyKey {
                near,
                relationship_type: group.relationship_type,
                far: NodeId::new(far),
                relationship: RelationshipId::new(relationship),
            };
            stream.put(&key.encode(), &[])?;
            unreported += 1;
            if unreported == PORTION {
                written(std::mem::take(&mut unreported))?;
            }
        }
    }
    stream.finish()?;
    written(unreported)?;
    Ok(counts)
}

fn write_degree(
    stream: &mut RunStream,
    nodes: &Nodes<'_>,
    way: Way,
    group: &DegreeKey,
    count: u64,
    is_new: bool,
) -> Result<()> {
    let key = group.encode();
    let family = way.family();
    let before = if is_new {
        None
    } else {
        nodes.keys.get(family, &key)?
    };
    let degree = before.as_deref().map(decode_degree).transpose();
    let degree = degree.map_err(|error| Error::record(family.name(), error))?;
    let degree = encode_degree(degree.unwrap_or_default() + count);
    stream.put_over(&key, before.as_deref(), &degree)
}
