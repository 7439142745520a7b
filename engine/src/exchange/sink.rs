//! What takes the nodes and relationships of a dump that is read. A load is one; whatever stores them
//! another way, such as a bulk load, would be another.

use super::declared::Declarations;
use crate::catalog::NextIds;
use crate::error::Result;
use crate::storage::cancel::Watch;
use crate::value::{NodeId, RelationshipId, Value};
use roaring::RoaringTreemap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Takes what a dump holds.
pub(super) trait Sink {
    /// A name, in the order of first use.
    fn name(&mut self, line: u64, name: Name) -> Result<()>;
    /// A node; their ids rise.
    fn node(&mut self, node: NodeItem) -> Result<()>;
    /// A relationship, after all nodes; their ids rise, and their ends are there.
    fn relationship(&mut self, relationship: RelationshipItem) -> Result<()>;
    /// The rest, when the dump has proved whole.
    fn finish(&mut self, rest: Rest, watch: &mut Watch<'_>) -> Result<()>;
}

/// A name of one of the three kinds.
#[derive(Debug)]
pub(super) enum Name {
    Label(Arc<str>),
    Type(Arc<str>),
    Property(Arc<str>),
}

/// A node of a dump.
#[derive(Debug)]
pub(super) struct NodeItem {
    pub(super) line: u64,
    pub(super) node: NodeId,
    pub(super) labels: Vec<Arc<str>>,
    pub(super) properties: Vec<(Arc<str>, Value)>,
}

/// A relationship of a dump.
#[derive(Debug)]
pub(super) struct RelationshipItem {
    pub(super) line: u64,
    pub(super) relationship: RelationshipId,
    pub(super) relationship_type: Arc<str>,
    pub(super) source: NodeId,
    pub(super) target: NodeId,
    pub(super) properties: Vec<(Arc<str>, Value)>,
}

/// What a sink gets last.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// Each with the line that declared it.
    pub(super) declarations: Declarations,
    /// The nodes that were added to each hierarchy by name.
    pub(super) members: BTreeMap<Arc<str>, RoaringTreemap>,
    /// What the header says is free next.
    pub(super) next: NextIds,
}

/// Takes everything and keeps nothing.
pub(super) struct Nothing;

impl Sink for Nothing {
    fn name(&mut self, _: u64, _: Name) -> Result<()> {
        Ok(())
    }

    fn node(&mut self, _: NodeItem) -> Result<()> {
        Ok(())
    }

    fn relationship(&mut self, _: RelationshipItem) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, _: Rest, _: &mut Watch<'_>) -> Result<()> {
        Ok(())
    }
}
