//! The catalogue's bytes in the `meta` family, and how one is read at open.
//!
//! ```text
//! [16]                     next ids       [format: 1][node: varint][relationship: varint][schema: varint]
//! [17][label: 4 BE]        its name       [format: 1][name]
//! [18][type: 4 BE]         its name       [format: 1][name]
//! [19][property: 4 BE]     its name       [format: 1][name]
//! [20][index: 4 BE]        an index       [format: 1][postcard]
//! [21][constraint: 4 BE]   a constraint   [format: 1][postcard]
//! [22][hierarchy: 4 BE]    a hierarchy    [format: 1][postcard]
//! [23]...                  a count        see `counters.rs`
//! [24][index: 4 BE]        distinct values of an index, estimated; see `sketch.rs`
//! [25][index: 4 BE]        a dropped index or hierarchy whose entries are being removed   [format: 1]
//! [26][index: 4 BE]        a vector index   [format: 1][postcard]
//! [27][index: 4 BE]        a text index     [format: 1][postcard]
//! ```
//! Tags below 16 belong to the storage floor.

use super::names::{NameId, Names, PropertyId};
use super::schema::{
    ConstraintDef, HierarchyDef, IndexDef, SchemaId, Scope, TextIndexDef, VectorIndexDef,
};
use super::sketch::Sketch;
use super::{Catalog, Counter, GraphState, NextIds};
use crate::codec::{CodecError, KeyReader, KeyWriter, RecordReader, RecordWriter, prefix_end};
use crate::error::{Error, Result};
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::{ScanOptions, Snapshot};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

const NEXT_IDS: u8 = 16;
const LABEL: u8 = 17;
const TYPE: u8 = 18;
const PROPERTY: u8 = 19;
const INDEX: u8 = 20;
const CONSTRAINT: u8 = 21;
const HIERARCHY: u8 = 22;
const SKETCH: u8 = 24;
const DROPPED: u8 = 25;
const VECTOR_INDEX: u8 = 26;
const TEXT_INDEX: u8 = 27;
const FORMAT: u8 = 1;

/// One change of the catalogue: applied to it in memory, and written as one pair.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Label(Arc<str>),
    Type(Arc<str>),
    Property(Arc<str>),
    Index(Arc<IndexDef>),
    Constraint(Arc<ConstraintDef>),
    Hierarchy(Arc<HierarchyDef>),
    VectorIndex(Arc<VectorIndexDef>),
    TextIndex(Arc<TextIndexDef>),
    /// Its entries are to be removed.
    DropIndex(SchemaId),
    /// The entries of what was dropped are removed.
    Forget(SchemaId),
    DropConstraint(SchemaId),
    DropHierarchy(SchemaId),
    DropVectorIndex(SchemaId),
    DropTextIndex(SchemaId),
}

impl Change {
    /// Whether it only takes something away.
    pub(crate) fn removes(&self) -> bool {
        matches!(
            self,
            Self::DropIndex(_)
                | Self::Forget(_)
                | Self::DropConstraint(_)
                | Self::DropHierarchy(_)
                | Self::DropVectorIndex(_)
                | Self::DropTextIndex(_)
        )
    }
}

impl Catalog {
    /// Applies a change, and says what to write; `None` as value means to delete the key.
    pub(crate) fn apply(&mut self, change: &Change) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        let mut pairs = Vec::with_capacity(1);
        let mut put = |tag, number, value| pairs.push((key(tag, number), value));
        match change {
            Change::Label(name) => put(LABEL, self.labels.push(name).number(), Some(text(name))),
            Change::Type(name) => put(TYPE, self.types.push(name).number(), Some(text(name))),
            Change::Property(name) => {
                put(
                    PROPERTY,
                    self.properties.push(name).number(),
                    Some(text(name)),
                );
            }
            Change::Index(index) => {
                put(INDEX, index.id.get(), Some(definition(&**index)));
                self.indexes.insert(index.id, Arc::clone(index));
            }
            Change::Constraint(constraint) => {
                put(
                    CONSTRAINT,
                    constraint.id.get(),
                    Some(definition(&**constraint)),
                );
                self.constraints
                    .insert(constraint.id, Arc::clone(constraint));
            }
            Change::Hierarchy(hierarchy) => {
                put(
                    HIERARCHY,
                    hierarchy.id.get(),
                    Some(definition(&**hierarchy)),
                );
                self.hierarchies.insert(hierarchy.id, Arc::clone(hierarchy));
            }
            Change::VectorIndex(index) => {
                put(VECTOR_INDEX, index.id.get(), Some(definition(&**index)));
                self.vector_indexes.insert(index.id, Arc::clone(index));
            }
            Change::TextIndex(index) => {
                put(TEXT_INDEX, index.id.get(), Some(definition(&**index)));
                self.text_indexes.insert(index.id, Arc::clone(index));
            }
            Change::DropIndex(id) => {
                put(INDEX, id.get(), None);
                put(DROPPED, id.get(), Some(vec![FORMAT]));
                self.indexes.remove(id);
                self.dropped.push(*id);
            }
            Change::Forget(id) => {
                put(DROPPED, id.get(), None);
                put(SKETCH, id.get(), None);
                pairs.push((Counter::Entries(*id).key(), None));
                pairs.push((Counter::Members(*id).key(), None));
                self.dropped.retain(|other| other != id);
            }
            Change::DropConstraint(id) => {
                put(CONSTRAINT, id.get(), None);
                self.constraints.remove(id);
            }
            Change::DropHierarchy(id) => {
                put(HIERARCHY, id.get(), None);
                put(DROPPED, id.get(), Some(vec![FORMAT]));
                self.hierarchies.remove(id);
                self.dropped.push(*id);
            }
            Change::DropTextIndex(id) => {
                put(TEXT_INDEX, id.get(), None);
                put(DROPPED, id.get(), Some(vec![FORMAT]));
                self.text_indexes.remove(id);
                self.dropped.push(*id);
            }
            Change::DropVectorIndex(id) => {
                put(VECTOR_INDEX, id.get(), None);
                put(DROPPED, id.get(), Some(vec![FORMAT]));
                self.vector_indexes.remove(id);
                self.dropped.push(*id);
            }
        }
        if !matches!(
            change,
            Change::Label(_) | Change::Type(_) | Change::Property(_)
        ) {
            self.derive();
        }
        pairs
    }
}

impl NextIds {
    /// Its key in `meta`.
    pub(crate) const KEY: &[u8] = &[NEXT_IDS];

    /// Its bytes.
    pub(crate) fn encode(self) -> Vec<u8> {
        RecordWriter::new(FORMAT)
            .push_varint(self.node)
            .push_varint(self.relationship)
            .push_varint(u64::from(self.schema))
            .finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new("next ids", FORMAT..=FORMAT, bytes)?;
        let next = Self {
            node: record.read_varint()?,
            relationship: record.read_varint()?,
            schema: record.read_varint_u32()?,
        };
        record.finish()?;
        Ok(next)
    }
}

impl SchemaId {
    /// The key of the index's sketch of distinct values.
    pub(crate) fn sketch_key(self) -> Vec<u8> {
        key(SKETCH, self.get())
    }
}

impl GraphState {
    /// Reads what a snapshot knows. A catalogue that contradicts itself is damage.
    pub(crate) fn load(snapshot: &dyn Snapshot) -> Result<Self> {
        let mut state = Self::default();
        let mut catalog = Catalog::default();
        let range = KeyRange::between(vec![NEXT_IDS], vec![TEXT_INDEX + 1]);
        let mut cursor = snapshot.cursor(Family::Meta, &range, ScanOptions::default());
        while let Some(entry) = cursor.next()? {
            // Counts and sketches are read when they are needed.
            let tag = entry.key.first().copied().unwrap_or_default();
            if tag == Counter::TAG || tag == SKETCH {
                let beyond = prefix_end(&[tag]).unwrap_or_default();
                cursor.seek(&beyond);
                continue;
            }
            read(&mut catalog, &mut state.next, entry.key, entry.value)
                .map_err(|error| Error::record(Family::Meta.name(), error))?;
        }
        catalog.derive();
        catalog
            .check()
            .map_err(|error| Error::record(Family::Meta.name(), error))?;
        state.catalog = Arc::new(catalog);
        Ok(state)
    }
}

impl Catalog {
    /// Whether everything declared is on names that are known.
    fn check(&self) -> Result<(), CodecError> {
        let unknown = |what| CodecError::NotCanonical { what, at: 0 };
        let known = |scope: Scope, properties: &[PropertyId]| {
            let scope = match scope {
                Scope::Label(label) => self.labels.name(label).is_some(),
                Scope::Type(of) => self.types.name(of).is_some(),
                Scope::AnyNode | Scope::AnyRelationship => true,
            };
            scope
                && !properties.is_empty()
                && properties
                    .iter()
                    .all(|id| self.properties.name(*id).is_some())
        };
        for index in self.indexes() {
            if !known(index.scope, &index.properties) {
                return Err(unknown("index definition"));
            }
        }
        for index in self.vector_indexes() {
            let named = |id: &PropertyId| self.properties.name(*id).is_some();
            if !known(index.scope, &[index.property]) || !index.filters.iter().all(named) {
                return Err(unknown("vector index definition"));
            }
        }
        for index in self.text_indexes() {
            let fields = index.settings.fields().iter();
            let properties: Vec<PropertyId> = fields.map(|field| field.property).collect();
            if !known(index.scope, &properties) || index.settings.check().is_err() {
                return Err(unknown("text index definition"));
            }
        }
        for constraint in self.constraints() {
            if !known(constraint.scope, &constraint.properties) {
                return Err(unknown("constraint definition"));
            }
        }
        for hierarchy in self.hierarchies() {
            if self.types.name(hierarchy.relationship_type).is_none() {
                return Err(unknown("hierarchy definition"));
            }
        }
        Ok(())
    }
}

/// Whether a pair of the `meta` family above the floor's decodes, for `check`.
pub(crate) fn verify(key: &[u8], value: &[u8]) -> Result<(), CodecError> {
    match key.first() {
        Some(&Counter::TAG) => {
            Counter::decode(key)?;
            Counter::decode_count(value)?;
            Ok(())
        }
        Some(&SKETCH) => Sketch::decode(value).map(|_| ()),
        // Names must come in their order, which `GraphState::load` looks at: each is new here.
        Some(&(LABEL | TYPE | PROPERTY)) => read_text(value).map(|_| ()),
        _ => read(&mut Catalog::default(), &mut NextIds::default(), key, value),
    }
}

fn read(
    catalog: &mut Catalog,
    next: &mut NextIds,
    key: &[u8],
    value: &[u8],
) -> Result<(), CodecError> {
    let mut reader = KeyReader::new("meta key", key);
    let tag = reader.read_u8()?;
    if tag == NEXT_IDS {
        reader.finish()?;
        *next = NextIds::decode(value)?;
        return Ok(());
    }
    let number = reader.read_u32()?;
    reader.finish()?;
    match tag {
        LABEL => read_name(&mut catalog.labels, number, value),
        TYPE => read_name(&mut catalog.types, number, value),
        PROPERTY => read_name(&mut catalog.properties, number, value),
        INDEX => {
            let index: IndexDef = read_definition("index definition", value)?;
            same("index definition", index.id, number)?;
            catalog.indexes.insert(index.id, Arc::new(index));
            Ok(())
        }
        CONSTRAINT => {
            let constraint: ConstraintDef = read_definition("constraint definition", value)?;
            same("constraint definition", constraint.id, number)?;
            catalog
                .constraints
                .insert(constraint.id, Arc::new(constraint));
            Ok(())
        }
        HIERARCHY => {
            let hierarchy: HierarchyDef = read_definition("hierarchy definition", value)?;
            same("hierarchy definition", hierarchy.id, number)?;
            catalog
                .hierarchies
                .insert(hierarchy.id, Arc::new(hierarchy));
            Ok(())
        }
        VECTOR_INDEX => {
            let index: VectorIndexDef = read_definition("vector index definition", value)?;
            same("vector index definition", index.id, number)?;
            catalog.vector_indexes.insert(index.id, Arc::new(index));
            Ok(())
        }
        TEXT_INDEX => {
            let index: TextIndexDef = read_definition("text index definition", value)?;
            same("text index definition", index.id, number)?;
            catalog.text_indexes.insert(index.id, Arc::new(index));
            Ok(())
        }
        DROPPED => {
            RecordReader::new("dropped declaration", FORMAT..=FORMAT, value)?.finish()?;
            catalog.dropped.push(SchemaId(number));
            Ok(())
        }
        found => Err(CodecError::BadTag {
            what: "meta key",
            at: 0,
            found,
        }),
    }
}

/// Names are read in the order of their numbers, which have no gaps.
fn read_name<I: NameId>(names: &mut Names<I>, number: u32, value: &[u8]) -> Result<(), CodecError> {
    let name = read_text(value)?;
    if number as usize != names.len() || names.id(name).is_some() {
        return Err(CodecError::NotCanonical {
            what: I::WHAT,
            at: 0,
        });
    }
    names.push(name);
    Ok(())
}

fn read_text(value: &[u8]) -> Result<&str, CodecError> {
    let mut record = RecordReader::new("name", FORMAT..=FORMAT, value)?;
    let name = record.read_str()?;
    record.finish()?;
    Ok(name)
}

fn read_definition<T: DeserializeOwned>(what: &'static str, value: &[u8]) -> Result<T, CodecError> {
    let mut record = RecordReader::new(what, FORMAT..=FORMAT, value)?;
    let bytes = record.read_rest();
    match postcard::take_from_bytes(bytes) {
        Ok((definition, [])) => Ok(definition),
        Ok((_, rest)) => Err(CodecError::Trailing {
            what,
            at: value.len() - rest.len(),
            bytes: rest.len(),
        }),
        Err(_) => Err(CodecError::NotCanonical { what, at: 1 }),
    }
}

fn same(what: &'static str, id: SchemaId, number: u32) -> Result<(), CodecError> {
    if id.get() == number {
        Ok(())
    } else {
        Err(CodecError::NotCanonical { what, at: 1 })
    }
}

fn key(tag: u8, number: u32) -> Vec<u8> {
    KeyWriter::with_capacity(5)
        .push_u8(tag)
        .push_u32(number)
        .finish()
}

fn text(name: &str) -> Vec<u8> {
    RecordWriter::new(FORMAT).push_str(name).finish()
}

fn definition(definition: &impl Serialize) -> Vec<u8> {
    // Plain structs of numbers, names and lists: postcard has nothing to refuse in them.
    let bytes = postcard::to_stdvec(definition).unwrap_or_default();
    RecordWriter::new(FORMAT).push_raw(&bytes).finish()
}
