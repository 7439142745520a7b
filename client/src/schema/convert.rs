//! Declarations of the protocol and ours.

use super::describe::{
    Constraint, ConstraintDescription, ConstraintKind, Hierarchy, HierarchyDescription, Index,
    IndexDescription, IndexKind, SchemaDescription, SchemaState, Target, VectorMetric,
};
use crate::made::{Made, Make};
use stratigraph_proto::v1::{self, index_definition, schema_target};

impl Made<Target> for v1::SchemaTarget {
    fn made_of(target: Target) -> Self {
        Self {
            entity: Some(match target {
                Target::Label(label) => schema_target::Entity::Label(label),
                Target::RelationshipType(name) => schema_target::Entity::RelationshipType(name),
                Target::AnyNode => schema_target::Entity::AnyNode(true),
                Target::AnyRelationship => schema_target::Entity::AnyRelationship(true),
            }),
        }
    }
}

fn target(sent: Option<v1::SchemaTarget>) -> Target {
    match sent.and_then(|target| target.entity) {
        Some(schema_target::Entity::Label(label)) => Target::Label(label),
        Some(schema_target::Entity::RelationshipType(name)) => Target::RelationshipType(name),
        Some(schema_target::Entity::AnyRelationship(_)) => Target::AnyRelationship,
        Some(schema_target::Entity::AnyNode(_)) | None => Target::AnyNode,
    }
}

impl Made<Index> for v1::IndexDefinition {
    fn made_of(index: Index) -> Self {
        let kind = match index.kind {
            IndexKind::Values => index_definition::Kind::Property(v1::PropertyIndexOptions {}),
            IndexKind::Words {
                analysis,
                weights,
                k1,
                b,
            } => index_definition::Kind::Text(v1::TextIndexOptions {
                analysis,
                weights,
                k1,
                b,
            }),
            IndexKind::Vectors {
                dimensions,
                metric,
                coding,
                links,
                build_breadth,
                filterable,
            } => {
                let metric = match metric {
                    VectorMetric::Cosine => v1::VectorMetric::Cosine,
                    VectorMetric::Dot => v1::VectorMetric::Dot,
                    VectorMetric::Euclidean => v1::VectorMetric::Euclidean,
                };
                index_definition::Kind::Vector(v1::VectorIndexOptions {
                    dimensions,
                    metric: metric.into(),
                    coding,
                    links,
                    build_breadth,
                    filterable,
                })
            }
        };
        Self {
            name: index.name,
            target: Some(index.target.make()),
            properties: index.properties,
            kind: Some(kind),
        }
    }
}

impl Made<v1::IndexDefinition> for Index {
    fn made_of(sent: v1::IndexDefinition) -> Self {
        let kind = match sent.kind {
            Some(index_definition::Kind::Text(options)) => IndexKind::Words {
                analysis: options.analysis,
                weights: options.weights,
                k1: options.k1,
                b: options.b,
            },
            Some(index_definition::Kind::Vector(options)) => IndexKind::Vectors {
                dimensions: options.dimensions,
                metric: match options.metric() {
                    v1::VectorMetric::Unspecified | v1::VectorMetric::Cosine => {
                        VectorMetric::Cosine
                    }
                    v1::VectorMetric::Dot => VectorMetric::Dot,
                    v1::VectorMetric::Euclidean => VectorMetric::Euclidean,
                },
                coding: options.coding,
                links: options.links,
                build_breadth: options.build_breadth,
                filterable: options.filterable,
            },
            Some(index_definition::Kind::Property(_)) | None => IndexKind::Values,
        };
        Self {
            name: sent.name,
            target: target(sent.target),
            properties: sent.properties,
            kind,
        }
    }
}

impl Made<Constraint> for v1::ConstraintDefinition {
    fn made_of(constraint: Constraint) -> Self {
        let (kind, value_type) = match constraint.kind {
            ConstraintKind::Unique => (v1::ConstraintKind::Unique, String::new()),
            ConstraintKind::Exists => (v1::ConstraintKind::Exists, String::new()),
            ConstraintKind::Key => (v1::ConstraintKind::Key, String::new()),
            ConstraintKind::Type(name) => (v1::ConstraintKind::Type, name),
            // The server refuses it.
            ConstraintKind::Unknown => (v1::ConstraintKind::Unspecified, String::new()),
        };
        Self {
            name: constraint.name,
            target: Some(constraint.target.make()),
            properties: constraint.properties,
            kind: kind.into(),
            value_type,
        }
    }
}

impl Made<v1::ConstraintDefinition> for Constraint {
    fn made_of(sent: v1::ConstraintDefinition) -> Self {
        let kind = match sent.kind() {
            v1::ConstraintKind::Unique => ConstraintKind::Unique,
            v1::ConstraintKind::Exists => ConstraintKind::Exists,
            v1::ConstraintKind::Key => ConstraintKind::Key,
            v1::ConstraintKind::Type => ConstraintKind::Type(sent.value_type),
            v1::ConstraintKind::Unspecified => ConstraintKind::Unknown,
        };
        Self {
            name: sent.name,
            target: target(sent.target),
            properties: sent.properties,
            kind,
        }
    }
}

impl Made<Hierarchy> for v1::HierarchyDefinition {
    fn made_of(hierarchy: Hierarchy) -> Self {
        Self {
            name: hierarchy.name,
            relationship_type: hierarchy.relationship_type,
            tree: hierarchy.is_tree,
        }
    }
}

impl Made<v1::HierarchyDefinition> for Hierarchy {
    fn made_of(sent: v1::HierarchyDefinition) -> Self {
        Self {
            name: sent.name,
            relationship_type: sent.relationship_type,
            is_tree: sent.tree,
        }
    }
}

impl Made<v1::ShowSchemaResponse> for SchemaDescription {
    fn made_of(sent: v1::ShowSchemaResponse) -> Self {
        let indexes = sent.indexes.into_iter().map(|index| IndexDescription {
            state: match index.state() {
                v1::SchemaState::Unspecified => SchemaState::Unknown,
                v1::SchemaState::Building => SchemaState::Building,
                v1::SchemaState::Ready => SchemaState::Ready,
                v1::SchemaState::Failed => SchemaState::Failed,
            },
            definition: index.definition.unwrap_or_default().make(),
            statement: index.statement,
        });
        let constraints = sent.constraints.into_iter();
        let constraints = constraints.map(|constraint| ConstraintDescription {
            definition: constraint.definition.unwrap_or_default().make(),
            statement: constraint.statement,
        });
        let hierarchies = sent.hierarchies.into_iter();
        let hierarchies = hierarchies.map(|hierarchy| HierarchyDescription {
            definition: hierarchy.definition.unwrap_or_default().make(),
            levels: hierarchy.levels,
            members: hierarchy.members,
            statement: hierarchy.statement,
        });
        Self {
            indexes: indexes.collect(),
            constraints: constraints.collect(),
            hierarchies: hierarchies.collect(),
        }
    }
}
