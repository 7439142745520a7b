//! How what is wanted comes into the catalogue.

use super::wanted::{Constraint, HierarchyOptions, Index};
use crate::catalog::{
    Catalog, Change, ConstraintDef, Demand, HierarchyDef, IndexDef, MAX_INDEXED_PROPERTIES,
    PropertyId, Readiness, TypeId, check_name,
};
use crate::error::{Error, Result};
use crate::graph::Read as _;
use crate::graph::WriteTxn;
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

pub(super) fn already(catalog: &Catalog, what: &'static str, name: &str) -> Error {
    Error::AlreadyDeclared {
        what,
        name: name.into(),
        building: catalog.is_building(name),
    }
}

impl WriteTxn {
    /// Declares an index, which is to be built then, or finds the one that is there.
    pub(super) fn declare_index(&mut self, wanted: &Index) -> Result<Arc<IndexDef>> {
        let scope = wanted.on.scope(self)?;
        let properties = self.declared_properties(&wanted.properties)?;
        let catalog = self.catalog();
        let known = catalog.indexes().find(|index| {
            wanted.name.as_deref() == Some(&*index.name)
                || index.scope == scope && index.properties == properties
        });
        if let Some(known) = known {
            return match wanted.if_missing {
                true => Ok(Arc::clone(known)),
                false => Err(already(catalog, "an index like", &known.name)),
            };
        }
        let name = self.free_name(
            "index",
            wanted.name.as_deref(),
            wanted.on.word(),
            &wanted.properties,
        )?;
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
        let scope = wanted.on.scope(self)?;
        let properties = self.declared_properties(&wanted.properties)?;
        let catalog = self.catalog();
        let known = catalog.constraints().find(|constraint| {
            wanted.name.as_deref() == Some(&*constraint.name)
                || constraint.scope == scope
                    && constraint.properties == properties
                    && constraint.demand == wanted.demand
        });
        if let Some(known) = known {
            return match wanted.if_missing {
                true => Ok(Arc::clone(known)),
                false => Err(already(catalog, "a constraint like", &known.name)),
            };
        }
        if wanted.demand.is_unique() {
            let mut indexes = catalog.indexes();
            let index =
                indexes.find(|index| index.scope == scope && index.properties == properties);
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
        let name = self.free_name(
            kind,
            wanted.name.as_deref(),
            wanted.on.word(),
            &wanted.properties,
        )?;
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
    pub(super) fn free_name(
        &self,
        kind: &'static str,
        wanted: Option<&str>,
        on: &str,
        properties: &[String],
    ) -> Result<Arc<str>> {
        if let Some(name) = wanted {
            check_name("index, constraint or hierarchy", name)?;
            if self.catalog().is_taken(name) {
                return Err(already(
                    self.catalog(),
                    "index, constraint or hierarchy",
                    name,
                ));
            }
            return Ok(name.into());
        }
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
        Ok(name.into())
    }
}
