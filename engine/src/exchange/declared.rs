//! What a catalogue declares, as lines of a dump.

use super::decode::Line;
use super::error::DumpError;
use super::lines::{
    AnyWord, ConstraintLine, DemandWord, HierarchyLine, IndexLine, TextFieldLine, TextIndexLine,
    VectorIndexLine,
};
use crate::catalog::{
    Catalog, ConstraintDef, Demand, IndexDef, NameId, Names, PropertyId, Readiness, Scope,
    TextIndexDef, VectorIndexDef,
};
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::storage::family::Family;
use std::sync::Arc;

/// How many declarations a dump may have: all of them are in memory.
const MAX_DECLARATIONS: usize = 1 << 16;

/// Everything declared, each kind in the order of its declaration.
#[derive(Debug, Clone, Default)]
pub(super) struct Declarations {
    pub(super) indexes: Vec<IndexLine>,
    pub(super) vector_indexes: Vec<VectorIndexLine>,
    pub(super) text_indexes: Vec<TextIndexLine>,
    pub(super) constraints: Vec<ConstraintLine>,
    pub(super) hierarchies: Vec<HierarchyLine>,
}

impl Declarations {
    /// What is declared in a database.
    pub(super) fn of(catalog: &Catalog) -> Result<Self> {
        let own = catalog.indexes().filter(|index| index.owner.is_none());
        let hierarchies = catalog.hierarchies().map(|hierarchy| {
            Ok(HierarchyLine {
                line: 0,
                hierarchy: String::from(&*hierarchy.name),
                relationship_type: name(&catalog.types, hierarchy.relationship_type)?,
                tree: hierarchy.tree,
            })
        });
        Ok(Self {
            indexes: own
                .map(|index| index_line(catalog, index))
                .collect::<Result<_>>()?,
            vector_indexes: catalog
                .vector_indexes()
                .map(|index| vector_index_line(catalog, index))
                .collect::<Result<_>>()?,
            text_indexes: catalog
                .text_indexes()
                .map(|index| text_index_line(catalog, index))
                .collect::<Result<_>>()?,
            constraints: catalog
                .constraints()
                .map(|constraint| constraint_line(catalog, constraint))
                .collect::<Result<_>>()?,
            hierarchies: hierarchies.collect::<Result<_>>()?,
        })
    }

    /// Adds what a line declares. It may be refused much later, and knows its place for that.
    ///
    /// # Errors
    /// It is on nothing, or on several things at once; it is one too many.
    pub(super) fn add(&mut self, at: u64, line: Line<'_>) -> Result<()> {
        let on = match &line {
            Line::Index(one) => places(&one.label, &one.relationship_type, None),
            Line::Constraint(one) => places(&one.label, &one.relationship_type, None),
            Line::VectorIndex(one) => places(&one.label, &one.relationship_type, one.any),
            Line::TextIndex(one) => places(&one.label, &one.relationship_type, one.any),
            Line::Hierarchy(_) => 1,
            _ => {
                return Err(DumpError::Line {
                    line: at,
                    column: None,
                    problem: "it declares nothing".to_owned(),
                }
                .into());
            }
        };
        if on != 1 {
            return Err(DumpError::Line {
                line: at,
                column: None,
                problem: "it is on either a `label` or a `type`".to_owned(),
            }
            .into());
        }
        if self.len() >= MAX_DECLARATIONS {
            return Err(DumpError::Refused {
                line: at,
                source: Box::new(Error::TooMany {
                    what: "declarations",
                    count: self.len() as u64 + 1,
                    limit: MAX_DECLARATIONS as u64,
                }),
            }
            .into());
        }
        match line {
            Line::Index(one) => self.indexes.push(IndexLine { line: at, ..one }),
            Line::VectorIndex(one) => self
                .vector_indexes
                .push(VectorIndexLine { line: at, ..one }),
            Line::TextIndex(one) => self.text_indexes.push(TextIndexLine { line: at, ..one }),
            Line::Constraint(one) => self.constraints.push(ConstraintLine { line: at, ..one }),
            Line::Hierarchy(one) => self.hierarchies.push(HierarchyLine { line: at, ..one }),
            // It was refused above.
            _ => {}
        }
        Ok(())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.indexes.len()
            + self.vector_indexes.len()
            + self.text_indexes.len()
            + self.constraints.len()
            + self.hierarchies.len()
    }
}

fn index_line(catalog: &Catalog, index: &Arc<IndexDef>) -> Result<IndexLine> {
    let (label, relationship_type) = scope_words(catalog, index.scope)?;
    Ok(IndexLine {
        line: 0,
        index: String::from(&*index.name),
        label,
        relationship_type,
        properties: words(catalog, &index.properties)?,
        building: index.readiness != Readiness::Ready,
    })
}

fn constraint_line(catalog: &Catalog, constraint: &Arc<ConstraintDef>) -> Result<ConstraintLine> {
    let (label, relationship_type) = scope_words(catalog, constraint.scope)?;
    let (demand, kind) = match &constraint.demand {
        Demand::Unique => (DemandWord::Unique, None),
        Demand::Exists => (DemandWord::Exists, None),
        Demand::Type(kind) => (DemandWord::Type, Some(kind.name().to_owned())),
        Demand::Key => (DemandWord::Key, None),
    };
    Ok(ConstraintLine {
        line: 0,
        constraint: String::from(&*constraint.name),
        label,
        relationship_type,
        properties: words(catalog, &constraint.properties)?,
        demand,
        kind,
        building: constraint.readiness != Readiness::Ready,
    })
}

fn vector_index_line(catalog: &Catalog, index: &VectorIndexDef) -> Result<VectorIndexLine> {
    let (label, relationship_type) = scope_words(catalog, index.scope)?;
    Ok(VectorIndexLine {
        line: 0,
        vector_index: String::from(&*index.name),
        label,
        relationship_type,
        any: any_word(index.scope),
        property: name(&catalog.properties, index.property)?,
        dimensions: index.dimensions,
        metric: index.metric,
        coding: index.coding,
        links: index.links,
        breadth: index.breadth,
        filters: words(catalog, &index.filters)?,
    })
}

/// How many things a declaration is on; it must be one.
fn places(label: &Option<String>, of: &Option<String>, any: Option<AnyWord>) -> usize {
    [label.is_some(), of.is_some(), any.is_some()]
        .iter()
        .filter(|is| **is)
        .count()
}

fn any_word(scope: Scope) -> Option<AnyWord> {
    match scope {
        Scope::AnyNode => Some(AnyWord::Node),
        Scope::AnyRelationship => Some(AnyWord::Relationship),
        Scope::Label(_) | Scope::Type(_) => None,
    }
}

fn text_index_line(catalog: &Catalog, index: &TextIndexDef) -> Result<TextIndexLine> {
    let (label, relationship_type) = scope_words(catalog, index.scope)?;
    let settings = &index.settings;
    let fields = settings.fields().iter().map(|field| {
        Ok(TextFieldLine {
            property: name(&catalog.properties, field.property)?,
            weight: field.weight.get(),
        })
    });
    Ok(TextIndexLine {
        line: 0,
        text_index: String::from(&*index.name),
        label,
        relationship_type,
        any: any_word(index.scope),
        fields: fields.collect::<Result<_>>()?,
        analysis: settings.analysis(),
        k1: settings.k1(),
        b: settings.b(),
    })
}

fn words(catalog: &Catalog, properties: &[PropertyId]) -> Result<Vec<String>> {
    let properties = properties.iter();
    properties
        .map(|property| name(&catalog.properties, *property))
        .collect()
}

fn scope_words(catalog: &Catalog, scope: Scope) -> Result<(Option<String>, Option<String>)> {
    Ok(match scope {
        Scope::Label(label) => (Some(name(&catalog.labels, label)?), None),
        Scope::Type(of) => (None, Some(name(&catalog.types, of)?)),
        Scope::AnyNode | Scope::AnyRelationship => (None, None),
    })
}

fn name<I: NameId>(names: &Names<I>, id: I) -> Result<String> {
    let name = names.name(id).ok_or_else(unnamed)?;
    Ok(String::from(&**name))
}

/// Something names a number that nobody was given.
pub(super) fn unnamed() -> Error {
    Error::record(
        Family::Meta.name(),
        CodecError::NotCanonical {
            what: "name's number",
            at: 0,
        },
    )
}
