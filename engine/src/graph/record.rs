//! The records of nodes and relationships.
//!
//! ```text
//! nodes  [node: 8 BE]  ->  [format: 1][labels: varint]([label: varint])*[properties]
//! edges  [edge: 8 BE]  ->  [format: 1][type: varint][source: varint][target: varint][properties]
//! ```
//! Labels rise. What properties look like is in `properties.rs`. A node's labels and small
//! properties are one record and cost one read.

use super::keys::Entity;
use super::properties::{Encoder, Properties, Slot, Values, Wanted, decode_one, decode_values};
use crate::catalog::{LabelId, NameId, PropertyId, TypeId};
use crate::codec::{CodecError, RecordReader};
use crate::value::{NodeId, RelationshipId};

const FORMAT: u8 = 1;
const NODE: &str = "node record";
const RELATIONSHIP: &str = "relationship record";
/// How many labels a node may have.
pub const MAX_LABELS: usize = 1024;

/// What is stored of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeRecord {
    /// Sorted, each once.
    pub(crate) labels: Vec<LabelId>,
    pub(crate) properties: Properties,
}

/// What is stored of a relationship.
#[derive(Clone, Debug)]
pub(crate) struct RelationshipRecord {
    pub(crate) relationship_type: TypeId,
    pub(crate) source: NodeId,
    pub(crate) target: NodeId,
    pub(crate) properties: Properties,
}

/// What a relationship connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    /// Its type.
    pub(crate) relationship_type: TypeId,
    /// Where it begins.
    pub(crate) source: NodeId,
    /// Where it leads.
    pub(crate) target: NodeId,
}

impl NodeRecord {
    /// Encodes the record; what lies apart is in the encoder too.
    pub(crate) fn encode(&self, id: NodeId, to: &mut Encoder) {
        to.apart.clear();
        to.record.restart(FORMAT).push_count(self.labels.len());
        for label in &self.labels {
            to.record.push_varint(u64::from(label.number()));
        }
        self.properties.encode(to, Entity::Node(id));
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(NODE, FORMAT..=FORMAT, bytes)?;
        let labels = read_labels(&mut record)?;
        let properties = Properties::decode(NODE, record)?;
        Ok(Self { labels, properties })
    }

    /// The labels and the wanted values, without the slots between.
    pub(crate) fn decode_values(
        bytes: &[u8],
        wanted: Wanted<'_>,
    ) -> Result<(Vec<LabelId>, Values), CodecError> {
        let mut record = RecordReader::new(NODE, FORMAT..=FORMAT, bytes)?;
        let labels = read_labels(&mut record)?;
        Ok((labels, decode_values(NODE, record, wanted)?))
    }

    /// Only the labels.
    pub(crate) fn decode_labels(bytes: &[u8]) -> Result<Vec<LabelId>, CodecError> {
        read_labels(&mut RecordReader::new(NODE, FORMAT..=FORMAT, bytes)?)
    }

    /// Only one property.
    pub(crate) fn decode_property(
        bytes: &[u8],
        property: PropertyId,
    ) -> Result<Option<Slot>, CodecError> {
        let mut record = RecordReader::new(NODE, FORMAT..=FORMAT, bytes)?;
        for _ in 0..record.read_count(1)? {
            record.read_varint_u32()?;
        }
        decode_one(NODE, record, property)
    }
}

impl RelationshipRecord {
    pub(crate) fn ends(&self) -> Ends {
        Ends {
            relationship_type: self.relationship_type,
            source: self.source,
            target: self.target,
        }
    }

    /// Encodes the record; what lies apart is in the encoder too.
    pub(crate) fn encode(&self, id: RelationshipId, to: &mut Encoder) {
        to.apart.clear();
        to.record
            .restart(FORMAT)
            .push_varint(u64::from(self.relationship_type.number()))
            .push_varint(self.source.get())
            .push_varint(self.target.get());
        self.properties.encode(to, Entity::Relationship(id));
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(RELATIONSHIP, FORMAT..=FORMAT, bytes)?;
        let Ends {
            relationship_type,
            source,
            target,
        } = read_ends(&mut record)?;
        let properties = Properties::decode(RELATIONSHIP, record)?;
        Ok(Self {
            relationship_type,
            source,
            target,
            properties,
        })
    }

    /// The ends and the wanted values, without the slots between.
    pub(crate) fn decode_values(
        bytes: &[u8],
        wanted: Wanted<'_>,
    ) -> Result<(Ends, Values), CodecError> {
        let mut record = RecordReader::new(RELATIONSHIP, FORMAT..=FORMAT, bytes)?;
        let ends = read_ends(&mut record)?;
        Ok((ends, decode_values(RELATIONSHIP, record, wanted)?))
    }

    /// Only the type and the ends.
    pub(crate) fn decode_ends(bytes: &[u8]) -> Result<Ends, CodecError> {
        read_ends(&mut RecordReader::new(
            RELATIONSHIP,
            FORMAT..=FORMAT,
            bytes,
        )?)
    }

    /// Only one property.
    pub(crate) fn decode_property(
        bytes: &[u8],
        property: PropertyId,
    ) -> Result<Option<Slot>, CodecError> {
        let mut record = RecordReader::new(RELATIONSHIP, FORMAT..=FORMAT, bytes)?;
        read_ends(&mut record)?;
        decode_one(RELATIONSHIP, record, property)
    }
}

fn read_labels(record: &mut RecordReader<'_>) -> Result<Vec<LabelId>, CodecError> {
    let count = record.read_count(1)?;
    let mut labels: Vec<LabelId> = Vec::with_capacity(count);
    for _ in 0..count {
        let label = LabelId::from_number(record.read_varint_u32()?);
        if labels.last().is_some_and(|last| *last >= label) {
            return Err(CodecError::NotCanonical { what: NODE, at: 1 });
        }
        labels.push(label);
    }
    Ok(labels)
}

fn read_ends(record: &mut RecordReader<'_>) -> Result<Ends, CodecError> {
    Ok(Ends {
        relationship_type: TypeId::from_number(record.read_varint_u32()?),
        source: NodeId::new(record.read_varint()?),
        target: NodeId::new(record.read_varint()?),
    })
}
