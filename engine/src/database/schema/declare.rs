//! How what is wanted comes into the catalogue.

use super::wanted::{Constraint, Head, HierarchyOptions, Index, TextIndex, VectorIndex};
use crate::catalog::{
    Catalog, Change, ConstraintDef, Demand, HierarchyDef, IndexDef, MAX_INDEXED_PROPERTIES,
    PropertyId, Readiness, TextIndexDef, TypeId, VectorIndexDef, check_name,
};
use crate::error::{Error, Result};
use crate::graph::Read as _;
use crate::graph::WriteTxn;
use crate::index::text::{TextField, TextSettings, Weight};
use crate::value::ValueKind;
use std::sync::Arc;

impl HierarchyOptions {
    /// Whether just this is there already, which is fine; what is in its way is refused.
    pub(super) fn is_there(&self, catalog: &Catalog, of: TypeId) -> Result<bool> {
        let known = catalog
            .hierarchy_named(&self.name)
            .or_else(|| catalog.hierarchy_of(of));
        match known {
            Some(known) => {
                let same = *known.name == *self.name
                    && known.relationship_type == of
                    && known.tree == self.tree;
                match self.if_missing && same {
                    true => Ok(true),
                    false => Err(already(catalog, "hierarchy", &known.name)),
                }
            }
            None if catalog.is_taken(&self.name) => {
                Err(already(catalog, "index or constraint", &self.name))
            }
            None => Ok(false),
        }
    }
}

fn already(catalog: &Catalog, what: &'static str, name: &str) -> Error {
    Error::AlreadyDeclared {
        what,
        name: name.into(),
        building: catalog.is_building(name),
    }
}

impl Head {
    /// What of the kind is there already: fine, if it was to be made only where it is missing.
    fn found(&self, catalog: &Catalog, what: &'static str, name: &str) -> Result<()> {
        if self.is_if_missing() {
            Ok(())
        } else {
            Err(already(catalog, what, name))
        }
    }
}

impl WriteTxn {
    /// Declares an index, which is to be built then, or finds the one that is there.
    pub(super) fn declare_index(&mut self, wanted: &Index) -> Result<Arc<IndexDef>> {
        let scope = wanted.head.scope(self)?;
        let properties = self.declared_properties(&wanted.properties)?;
        let catalog = self.catalog();
        let known = catalog.indexes().find(|index| {
            wanted.head.is_named(&index.name)
                || index.scope == scope && index.properties == properties
        });
        if let Some(known) = known {
            wanted.head.found(catalog, "an index like", &known.name)?;
            return Ok(Arc::clone(known));
        }
        let name = self.free_name("index", &wanted.head, &wanted.properties)?;
        let index = Arc::new(IndexDef {
            id: self.next_schema_id()?,
            name,
            scope,
            properties,
            unique: false,
            readiness: Readiness::Building,
            owner: None,
        });
        self.change_catalog(&Change::Index(Arc::clone(&index)))?;
        Ok(index)
    }

    /// Declares a constraint, with the index that proves it, or finds the one that is there.
    pub(super) fn declare_constraint(&mut self, wanted: &Constraint) -> Result<Arc<ConstraintDef>> {
        if let Demand::Type(ValueKind::Null | ValueKind::Map) = wanted.demand {
            return Err(Error::BadDeclaration {
                what: "constraint",
                reason: "no property is of this kind: null is no value, and maps are not stored",
            });
        }
        let scope = wanted.head.scope(self)?;
        let properties = self.declared_properties(&wanted.properties)?;
        let catalog = self.catalog();
        let known = catalog.constraints().find(|constraint| {
            wanted.head.is_named(&constraint.name)
                || constraint.scope == scope
                    && constraint.properties == properties
                    && constraint.demand == wanted.demand
        });
        if let Some(known) = known {
            wanted
                .head
                .found(catalog, "a constraint like", &known.name)?;
            return Ok(Arc::clone(known));
        }
        if wanted.demand.is_unique() {
            let mut indexes = catalog.indexes();
            let index = indexes.find(|index| {
                index.scope == scope
                    && index.properties == properties
                    // What a vector index was given for its filters nobody has asked for, and nobody can drop alone.
                    && index.owner.is_none_or(|id| catalog.vector_index(id).is_none())
            });
            if let Some(index) = index {
                // One index on the same properties is enough, and only a unique one can prove it.
                let constraint = index.owner.and_then(|id| catalog.constraint(id));
                let (what, name) = match constraint {
                    Some(constraint) => ("constraint", &constraint.name),
                    None => ("index", &index.name),
                };
                return Err(Error::PropertiesIndexed {
                    what,
                    name: Arc::clone(name),
                });
            }
        }
        let kind = match wanted.demand {
            Demand::Unique => "unique",
            Demand::Exists => "exists",
            Demand::Type(_) => "type",
            Demand::Key => "key",
        };
        let name = self.free_name(kind, &wanted.head, &wanted.properties)?;
        let constraint = Arc::new(ConstraintDef {
            id: self.next_schema_id()?,
            name: Arc::clone(&name),
            scope,
            properties: properties.clone(),
            demand: wanted.demand.clone(),
            readiness: Readiness::Building,
        });
        self.change_catalog(&Change::Constraint(Arc::clone(&constraint)))?;
        if constraint.demand.is_unique() {
            let index = IndexDef {
                id: self.next_schema_id()?,
                name,
                scope,
                properties,
                unique: true,
                readiness: Readiness::Building,
                owner: Some(constraint.id),
            };
            self.change_catalog(&Change::Index(Arc::new(index)))?;
        }
        Ok(constraint)
    }

    /// Declares a text index, which is to be filled then, or finds the one that is there.
    pub(super) fn declare_text_index(&mut self, wanted: &TextIndex) -> Result<Arc<TextIndexDef>> {
        let scope = wanted.head.scope(self)?;
        let mut fields = Vec::new();
        for (property, weight) in &wanted.fields {
            fields.push(TextField {
                property: self.property_key(property)?,
                weight: Weight::new(*weight)?,
            });
        }
        let mut settings = TextSettings::new(fields, wanted.analysis)?;
        if let Some((k1, b)) = wanted.parameters {
            settings = settings.with_parameters(k1, b)?;
        }
        let catalog = self.catalog();
        let known = catalog.text_indexes().find(|index| {
            wanted.head.is_named(&index.name) || index.scope == scope && *index.settings == settings
        });
        if let Some(known) = known {
            wanted
                .head
                .found(catalog, "a text index like", &known.name)?;
            return Ok(Arc::clone(known));
        }
        let properties: Vec<String> = wanted.fields.iter().map(|(name, _)| name.clone()).collect();
        let name = self.free_name("texts", &wanted.head, &properties)?;
        let def = Arc::new(TextIndexDef {
            id: self.next_schema_id()?,
            name,
            scope,
            settings: Arc::new(settings),
            readiness: Readiness::Building,
        });
        self.change_catalog(&Change::TextIndex(Arc::clone(&def)))?;
        Ok(def)
    }

    /// Declares a vector index, with property indexes for its filters, or finds the one that is there. Returns
    /// whether it is new.
    pub(super) fn declare_vector_index(
        &mut self,
        wanted: &VectorIndex,
    ) -> Result<(Arc<VectorIndexDef>, bool)> {
        let scope = wanted.head.scope(self)?;
        let property = self.property_key(&wanted.property)?;
        let catalog = self.catalog();
        let known = catalog.vector_indexes().find(|index| {
            wanted.head.is_named(&index.name) || index.scope == scope && index.property == property
        });
        if let Some(known) = known {
            wanted
                .head
                .found(catalog, "a vector index like", &known.name)?;
            return Ok((Arc::clone(known), false));
        }
        let name = self.free_name(
            "vectors",
            &wanted.head,
            std::slice::from_ref(&wanted.property),
        )?;
        let mut filters = Vec::new();
        for filter in &wanted.filters {
            filters.push(self.property_key(filter)?);
        }
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let def = Arc::new(VectorIndexDef {
            id: self.next_schema_id()?,
            name,
            scope,
            property,
            dimensions: number(wanted.dimensions),
            metric: wanted.metric,
            coding: wanted.coding,
            links: number(wanted.links),
            breadth: number(wanted.breadth),
            filters,
        });
        self.change_catalog(&Change::VectorIndex(Arc::clone(&def)))?;
        for (filter, word) in def.filters.iter().zip(&wanted.filters) {
            // What may still be taken back would leave this one without.
            let catalog = self.catalog();
            let is_settled = |index: &Arc<IndexDef>| catalog.is_settled(index);
            if catalog.indexes_on(scope, *filter).any(is_settled) {
                continue;
            }
            let name = self.made_name("index", &wanted.head, std::slice::from_ref(word));
            let index = IndexDef {
                id: self.next_schema_id()?,
                name,
                scope,
                properties: vec![*filter],
                unique: false,
                readiness: Readiness::Building,
                owner: Some(def.id),
            };
            self.change_catalog(&Change::Index(Arc::new(index)))?;
        }
        Ok((def, true))
    }

    /// What is to be declared as a hierarchy; `None` if it is there already.
    pub(super) fn declare_hierarchy(
        &mut self,
        wanted: &HierarchyOptions,
    ) -> Result<Option<Arc<HierarchyDef>>> {
        let of = self.relationship_type(&wanted.relationship_type)?;
        if wanted.is_there(self.catalog(), of)? {
            return Ok(None);
        }
        check_name("hierarchy", &wanted.name)?;
        Ok(Some(Arc::new(HierarchyDef {
            id: self.next_schema_id()?,
            name: wanted.name.as_str().into(),
            relationship_type: of,
            tree: wanted.tree,
        })))
    }

    fn declared_properties(&mut self, properties: &[String]) -> Result<Vec<PropertyId>> {
        let bad = |reason| {
            Err(Error::BadDeclaration {
                what: "index or constraint",
                reason,
            })
        };
        if properties.is_empty() {
            return bad("it is on no property");
        }
        if properties.len() > MAX_INDEXED_PROPERTIES {
            return bad("it is on more than 8 properties");
        }
        let mut ids = Vec::new();
        for property in properties {
            let id = self.property_key(property)?;
            if ids.contains(&id) {
                return bad("it names a property twice");
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// The name that was asked for, or one made of what the declaration is on.
    fn free_name(
        &self,
        kind: &'static str,
        head: &Head,
        properties: &[String],
    ) -> Result<Arc<str>> {
        let Some(name) = head.name() else {
            return Ok(self.made_name(kind, head, properties));
        };
        check_name("index, constraint or hierarchy", name)?;
        if self.catalog().is_taken(name) {
            return Err(already(
                self.catalog(),
                "index, constraint or hierarchy",
                name,
            ));
        }
        Ok(name.into())
    }

    /// A name that is free, made of what the declaration is on.
    fn made_name(&self, kind: &'static str, head: &Head, properties: &[String]) -> Arc<str> {
        let on = head.word();
        let made: String = format!("{kind}_{on}_{}", properties.join("_"))
            .chars()
            .take(200)
            .collect();
        let mut name = made.clone();
        let mut number = 2;
        while self.catalog().is_taken(&name) {
            name = format!("{made}_{number}");
            number += 1;
        }
        name.into()
    }
}
