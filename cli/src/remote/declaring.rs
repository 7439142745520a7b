//! What an import declares, at a server: before anything is sent, and taken back if nothing comes of it.
//!
//! Lines of declarations are read by the engine, in a database in memory, so that what a folder refuses is refused here
//! too; what they come to goes over as the protocol has it.

use super::server::Server;
use crate::failure::Failure;
use stratigraph::catalog::{Catalog, Demand, PropertyId, Scope};
use stratigraph::exchange::DeclarationLines;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::value::ValueKind;
use stratigraph::{Coding, Database, Metric, Read as _};
use stratigraph_client::{
    Constraint, ConstraintKind, Error, Hierarchy, Index, Target, VectorMetric,
};

/// What was declared, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Made {
    Index(String),
    Constraint(String),
    Hierarchy(String),
}

/// What is to be declared.
enum Wanted {
    Index(Index),
    Constraint(Constraint),
    Hierarchy(Hierarchy),
}

/// Declarations of a server that go again if nothing comes of what they are for.
pub(crate) struct Declared<'s> {
    server: &'s Server,
    made: Vec<Made>,
}

impl Server {
    /// Declares all of this, or none of it.
    ///
    /// # Errors
    /// What the lines say does not fit together; the server refuses it, because something like it is there for example.
    pub(crate) fn declare_schema(
        &self,
        lines: &DeclarationLines,
        cancel: &CancelToken,
    ) -> Result<Declared<'_>, Failure> {
        let db = Database::in_memory()?;
        db.declare(lines, &mut Watch::new(&mut |_| {}, cancel.clone()))?;
        let read = db.read()?;
        let mut declared = Declared {
            server: self,
            made: Vec::new(),
        };
        for one in wanted(read.catalog()) {
            if let Err(failure) = declared.one(one, cancel) {
                declared.take_back();
                return Err(failure);
            }
        }
        Ok(declared)
    }
}

impl Declared<'_> {
    fn one(&mut self, wanted: Wanted, cancel: &CancelToken) -> Result<(), Failure> {
        let schema = self.server.client.schema();
        let made = self.server.until(cancel, async {
            Ok(match wanted {
                Wanted::Index(index) => Made::Index(schema.create_index(index).await?),
                Wanted::Constraint(constraint) => {
                    Made::Constraint(schema.create_constraint(constraint).await?)
                }
                Wanted::Hierarchy(hierarchy) => {
                    Made::Hierarchy(schema.create_hierarchy(hierarchy).await?)
                }
            })
        })?;
        let made = made.map_err(|error: Error| self.server.failure(&error, ""))?;
        self.made.push(made);
        Ok(())
    }

    /// Drops what was declared, the last first.
    pub(crate) fn take_back(self) {
        let schema = self.server.client.schema();
        for made in self.made.into_iter().rev() {
            let dropped = self.server.runtime.block_on(async {
                match made.clone() {
                    Made::Index(name) => schema.drop_index(name).await,
                    Made::Constraint(name) => schema.drop_constraint(name).await,
                    Made::Hierarchy(name) => schema.drop_hierarchy(name).await,
                }
            });
            if let Err(error) = dropped {
                tracing::warn!(%error, ?made, "what the import had declared stays");
            }
        }
    }
}

/// What a catalogue declares, in an order in which it can be declared.
fn wanted(catalog: &Catalog) -> Vec<Wanted> {
    let mut all = Vec::new();
    let plain = catalog.indexes().filter(|index| index.owner.is_none());
    for index in plain {
        let wanted = Index::values(
            target(catalog, index.scope),
            names(catalog, &index.properties),
        );
        all.push(Wanted::Index(wanted.named(&*index.name)));
    }
    for index in catalog.text_indexes() {
        let settings = &index.settings;
        let fields = settings.fields().iter();
        let fields = fields.map(|field| {
            let name = catalog.properties.show(field.property).to_string();
            (name, field.weight.get())
        });
        let fields: Vec<(String, f32)> = fields.collect();
        let properties = fields.iter().map(|(name, _)| name.as_str());
        let analysis = serde_json::json!(settings.analysis());
        let mut wanted = Index::words(target(catalog, index.scope), properties)
            .analysis(analysis.as_str().unwrap_or("plain"))
            .parameters(settings.k1(), settings.b());
        for (name, weight) in &fields {
            wanted = wanted.weight(name, *weight);
        }
        all.push(Wanted::Index(wanted.named(&*index.name)));
    }
    for constraint in catalog.constraints() {
        let kind = match &constraint.demand {
            Demand::Unique => ConstraintKind::Unique,
            Demand::Key => ConstraintKind::Key,
            Demand::Exists => ConstraintKind::Exists,
            Demand::Type(kind) => ConstraintKind::Type(type_name(*kind).to_owned()),
            _ => ConstraintKind::Unknown,
        };
        let on = target(catalog, constraint.scope);
        let wanted = Constraint::new(on, names(catalog, &constraint.properties), kind);
        all.push(Wanted::Constraint(wanted.named(&*constraint.name)));
    }
    for hierarchy in catalog.hierarchies() {
        let of = catalog.types.show(hierarchy.relationship_type).to_string();
        let wanted = Hierarchy::new(&*hierarchy.name, of);
        all.push(Wanted::Hierarchy(match hierarchy.tree {
            true => wanted.tree(),
            false => wanted,
        }));
    }
    // As in a load: last, for the indexes that they are given for their filters.
    for index in catalog.vector_indexes() {
        let on = target(catalog, index.scope);
        let property = catalog.properties.show(index.property).to_string();
        let wanted = Index::vectors(on, property, index.dimensions)
            .metric(match index.metric {
                Metric::Dot => VectorMetric::Dot,
                Metric::Euclidean => VectorMetric::Euclidean,
                _ => VectorMetric::Cosine,
            })
            .coding(match index.coding {
                Coding::Halves => "halves",
                Coding::Bytes => "bytes",
                _ => "whole",
            })
            .links(index.links)
            .build_breadth(index.breadth)
            .filterable(names(catalog, &index.filters));
        all.push(Wanted::Index(wanted.named(&*index.name)));
    }
    all
}

fn target(catalog: &Catalog, scope: Scope) -> Target {
    let name = catalog.scope_name(scope).to_string();
    match scope {
        Scope::Label(_) => Target::Label(name),
        Scope::Type(_) => Target::RelationshipType(name),
        Scope::AnyNode => Target::AnyNode,
        Scope::AnyRelationship => Target::AnyRelationship,
    }
}

fn names(catalog: &Catalog, properties: &[PropertyId]) -> Vec<String> {
    let properties = properties.iter();
    properties
        .map(|id| catalog.properties.show(*id).to_string())
        .collect()
}

/// The name that the protocol has for a type; the server refuses one that it has none for.
fn type_name(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Boolean => "BOOLEAN",
        ValueKind::Integer => "INTEGER",
        ValueKind::Float => "FLOAT",
        ValueKind::String => "STRING",
        ValueKind::Bytes => "BYTES",
        ValueKind::Date => "DATE",
        ValueKind::Time => "ZONED TIME",
        ValueKind::LocalTime => "LOCAL TIME",
        ValueKind::DateTime => "ZONED DATETIME",
        ValueKind::LocalDateTime => "LOCAL DATETIME",
        ValueKind::Duration => "DURATION",
        ValueKind::List => "LIST",
        ValueKind::Vector => "VECTOR",
        other => other.name(),
    }
}
