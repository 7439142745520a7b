//! What is declared in a database, in the protocol's words and back.

use crate::databases::OpenDatabase;
use crate::failure::Failure;
use std::collections::HashMap;
use stratigraph::catalog::{Catalog, Demand, NameId, Names, Readiness, Scope};
use stratigraph::value::ValueKind;
use stratigraph::{Analysis, Coding, Metric, Read, VectorIndexState};
use stratigraph_proto::v1::index_definition::Kind;
use stratigraph_proto::v1::schema_target::Entity;
use stratigraph_proto::v1::{self, ConstraintKind, SchemaState, VectorMetric};

/// The ways of making words, by name.
const ANALYSES: &[(&str, Analysis)] = &[
    ("plain", Analysis::Plain),
    ("english", Analysis::English),
    ("italian", Analysis::Italian),
    ("chinese", Analysis::Chinese),
];
/// The ways of keeping vectors, by name.
const CODINGS: &[(&str, Coding)] = &[
    ("halves", Coding::Halves),
    ("bytes", Coding::Bytes),
    ("whole", Coding::Whole),
];
/// The types that a constraint may demand, by the language's first name for each.
const TYPES: &[(&str, ValueKind)] = &[
    ("BOOLEAN", ValueKind::Boolean),
    ("INTEGER", ValueKind::Integer),
    ("FLOAT", ValueKind::Float),
    ("STRING", ValueKind::String),
    ("BYTES", ValueKind::Bytes),
    ("DATE", ValueKind::Date),
    ("ZONED TIME", ValueKind::Time),
    ("LOCAL TIME", ValueKind::LocalTime),
    ("ZONED DATETIME", ValueKind::DateTime),
    ("LOCAL DATETIME", ValueKind::LocalDateTime),
    ("DURATION", ValueKind::Duration),
    ("LIST", ValueKind::List),
    ("VECTOR", ValueKind::Vector),
];

fn named<T: Copy>(table: &[(&str, T)], name: &str, field: &str) -> Result<T, Failure> {
    let found = table
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
        Failure::request(field, format!("must be one of {}", names.join(", ")))
    })
}

fn name_of<T: PartialEq>(table: &[(&str, T)], value: &T) -> String {
    let found = table.iter().find(|(_, known)| known == value);
    found.map_or_else(String::new, |(name, _)| (*name).to_owned())
}

/// A way of making words; the plain one without a name.
pub(super) fn analysis(name: &str) -> Result<Analysis, Failure> {
    if name.is_empty() {
        return Ok(Analysis::Plain);
    }
    named(ANALYSES, name, "definition.text.analysis")
}

/// A way of keeping vectors.
pub(super) fn coding(name: &str) -> Result<Coding, Failure> {
    named(CODINGS, name, "definition.vector.coding")
}

/// A kind of value.
pub(super) fn value_kind(name: &str) -> Result<ValueKind, Failure> {
    named(TYPES, name, "definition.value_type")
}

/// How near vectors are.
pub(super) fn metric_in(metric: VectorMetric) -> Metric {
    match metric {
        VectorMetric::Unspecified | VectorMetric::Cosine => Metric::Cosine,
        VectorMetric::Dot => Metric::Dot,
        VectorMetric::Euclidean => Metric::Euclidean,
    }
}

fn metric_out(metric: Metric) -> VectorMetric {
    match metric {
        Metric::Cosine => VectorMetric::Cosine,
        Metric::Dot => VectorMetric::Dot,
        Metric::Euclidean => VectorMetric::Euclidean,
    }
}

/// All that is declared.
pub(super) fn shown(database: &OpenDatabase) -> Result<v1::ShowSchemaResponse, Failure> {
    let read = database.engine.read()?;
    let catalog = read.catalog();
    let statements = |show: &str| -> Result<HashMap<String, Option<String>>, Failure> {
        let rows = read.query(
            &format!("{show} YIELD name, createStatement RETURN name, createStatement"),
            (),
        )?;
        rows.map(|row| Ok(row?.to::<(String, Option<String>)>()?))
            .collect()
    };
    let of_indexes = statements("SHOW INDEXES")?;
    let statement = |known: &HashMap<String, Option<String>>, name: &str| {
        known.get(name).cloned().flatten().unwrap_or_default()
    };
    let described = |definition: v1::IndexDefinition, state: SchemaState| v1::IndexDescription {
        statement: statement(&of_indexes, &definition.name),
        definition: Some(definition),
        state: state.into(),
    };
    let mut indexes = Vec::new();
    for def in catalog.indexes() {
        let definition = v1::IndexDefinition {
            name: def.name.to_string(),
            target: Some(target(catalog, def.scope)),
            properties: properties(catalog, &def.properties),
            kind: Some(Kind::Property(v1::PropertyIndexOptions {})),
        };
        indexes.push(described(definition, readiness(def.readiness)));
    }
    for def in catalog.text_indexes() {
        let fields = def.settings.fields();
        let ids: Vec<_> = fields.iter().map(|field| field.property).collect();
        let names = properties(catalog, &ids);
        let weights = names
            .iter()
            .cloned()
            .zip(fields.iter().map(|field| field.weight.get()));
        let options = v1::TextIndexOptions {
            analysis: name_of(ANALYSES, &def.settings.analysis()),
            weights: weights.collect(),
            k1: Some(def.settings.k1()),
            b: Some(def.settings.b()),
        };
        let definition = v1::IndexDefinition {
            name: def.name.to_string(),
            target: Some(target(catalog, def.scope)),
            properties: names,
            kind: Some(Kind::Text(options)),
        };
        indexes.push(described(definition, readiness(def.readiness)));
    }
    let states: HashMap<_, _> = database
        .engine
        .vector_indexes()?
        .into_iter()
        .map(|info| (info.definition.id, info.state))
        .collect();
    for def in catalog.vector_indexes() {
        let options = v1::VectorIndexOptions {
            dimensions: def.dimensions,
            metric: metric_out(def.metric).into(),
            coding: name_of(CODINGS, &def.coding),
            links: Some(def.links),
            build_breadth: Some(def.breadth),
            filterable: properties(catalog, &def.filters),
        };
        let definition = v1::IndexDefinition {
            name: def.name.to_string(),
            target: Some(target(catalog, def.scope)),
            properties: properties(catalog, &[def.property]),
            kind: Some(Kind::Vector(options)),
        };
        let state = match states.get(&def.id) {
            Some(VectorIndexState::Ready) => SchemaState::Ready,
            Some(VectorIndexState::Failed(_)) => SchemaState::Failed,
            _ => SchemaState::Building,
        };
        indexes.push(described(definition, state));
    }
    let known = statements("SHOW CONSTRAINTS")?;
    let constraints = catalog.constraints().map(|def| {
        let (kind, value_type) = demand(&def.demand);
        let definition = v1::ConstraintDefinition {
            name: def.name.to_string(),
            target: Some(target(catalog, def.scope)),
            properties: properties(catalog, &def.properties),
            kind: kind.into(),
            value_type,
        };
        v1::ConstraintDescription {
            statement: statement(&known, &def.name),
            definition: Some(definition),
        }
    });
    let mut constraints: Vec<_> = constraints.collect();
    let mut hierarchies = hierarchies(&read)?;
    indexes.sort_by(|one, other| {
        name(&one.definition, |of| &of.name).cmp(name(&other.definition, |of| &of.name))
    });
    constraints.sort_by(|one, other| {
        name(&one.definition, |of| &of.name).cmp(name(&other.definition, |of| &of.name))
    });
    hierarchies.sort_by(|one, other| {
        name(&one.definition, |of| &of.name).cmp(name(&other.definition, |of| &of.name))
    });
    Ok(v1::ShowSchemaResponse {
        indexes,
        constraints,
        hierarchies,
    })
}

fn name<D>(definition: &Option<D>, of: impl Fn(&D) -> &String) -> &str {
    definition.as_ref().map_or("", |definition| of(definition))
}

fn hierarchies(read: &stratigraph::ReadTxn) -> Result<Vec<v1::HierarchyDescription>, Failure> {
    let show = "SHOW HIERARCHIES YIELD name, types, tree, levels, members, createStatement \
                RETURN name, types[0] AS type, tree, levels, members, createStatement";
    let rows = read.query(show, ())?.map(|row| {
        let (name, relationship_type, tree, levels, members, statement) =
            row?.to::<(String, String, bool, u64, u64, String)>()?;
        let definition = v1::HierarchyDefinition {
            name,
            relationship_type,
            tree,
        };
        Ok(v1::HierarchyDescription {
            definition: Some(definition),
            levels,
            members,
            statement,
        })
    });
    rows.collect()
}

fn demand(of: &Demand) -> (ConstraintKind, String) {
    match of {
        Demand::Unique => (ConstraintKind::Unique, String::new()),
        Demand::Exists => (ConstraintKind::Exists, String::new()),
        Demand::Key => (ConstraintKind::Key, String::new()),
        Demand::Type(kind) => (ConstraintKind::Type, name_of(TYPES, kind)),
        _ => (ConstraintKind::Unspecified, String::new()),
    }
}

fn readiness(of: Readiness) -> SchemaState {
    match of {
        Readiness::Ready | Readiness::Refilling => SchemaState::Ready,
        _ => SchemaState::Building,
    }
}

fn target(catalog: &Catalog, scope: Scope) -> v1::SchemaTarget {
    let entity = match scope {
        Scope::Label(label) => Entity::Label(text(&catalog.labels, label)),
        Scope::Type(of) => Entity::RelationshipType(text(&catalog.types, of)),
        Scope::AnyNode => Entity::AnyNode(true),
        Scope::AnyRelationship => Entity::AnyRelationship(true),
    };
    v1::SchemaTarget {
        entity: Some(entity),
    }
}

fn properties(catalog: &Catalog, ids: &[stratigraph::catalog::PropertyId]) -> Vec<String> {
    ids.iter()
        .map(|id| text(&catalog.properties, *id))
        .collect()
}

fn text<I: NameId>(names: &Names<I>, id: I) -> String {
    names.name(id).map_or_else(String::new, ToString::to_string)
}
