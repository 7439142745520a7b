//! What is declared in a database, in the protocol's words and back.

use crate::databases::OpenDatabase;
use crate::failure::Failure;
use std::collections::HashMap;
use stratigraph::catalog::{
    Catalog, Demand, IndexDef, NameId, Names, PropertyId, Readiness, SchemaId, Scope, TextIndexDef,
    VectorIndexDef,
};
use stratigraph::value::ValueKind;
use stratigraph::{Analysis, Coding, Metric, Read, ReadTxn, VectorIndexState};
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

/// All that is declared, each kind by name.
pub(super) fn shown(database: &OpenDatabase) -> Result<v1::ShowSchemaResponse, Failure> {
    let read = database.engine.read()?;
    Ok(v1::ShowSchemaResponse {
        indexes: indexes(database, &read)?,
        constraints: constraints(&read)?,
        hierarchies: hierarchies(&read)?,
    })
}

/// Indexes of all kinds.
fn indexes(database: &OpenDatabase, read: &ReadTxn) -> Result<Vec<v1::IndexDescription>, Failure> {
    let catalog = read.catalog();
    let states = vector_states(database)?;
    let of_values = catalog
        .indexes()
        .map(|def| (value_index(catalog, def), readiness(def.readiness)));
    let of_texts = catalog
        .text_indexes()
        .map(|def| (text_index(catalog, def), readiness(def.readiness)));
    let of_vectors = catalog.vector_indexes().map(|def| {
        let state = states.get(&def.id).copied();
        let state = state.unwrap_or(SchemaState::Building);
        (vector_index(catalog, def), state)
    });
    let mut all: Vec<_> = of_values.chain(of_texts).chain(of_vectors).collect();
    all.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    let statements = statements(read, "SHOW INDEXES")?;
    let described = all
        .into_iter()
        .map(|(definition, state)| v1::IndexDescription {
            statement: statement(&statements, &definition.name),
            definition: Some(definition),
            state: state.into(),
        });
    Ok(described.collect())
}

fn value_index(catalog: &Catalog, def: &IndexDef) -> v1::IndexDefinition {
    v1::IndexDefinition {
        name: def.name.to_string(),
        target: Some(target(catalog, def.scope)),
        properties: properties(catalog, &def.properties),
        kind: Some(Kind::Property(v1::PropertyIndexOptions {})),
    }
}

fn text_index(catalog: &Catalog, def: &TextIndexDef) -> v1::IndexDefinition {
    let fields = def.settings.fields();
    let ids: Vec<_> = fields.iter().map(|field| field.property).collect();
    let names = properties(catalog, &ids);
    let weights = fields.iter().map(|field| field.weight.get());
    let options = v1::TextIndexOptions {
        analysis: name_of(ANALYSES, &def.settings.analysis()),
        weights: names.iter().cloned().zip(weights).collect(),
        k1: Some(def.settings.k1()),
        b: Some(def.settings.b()),
    };
    v1::IndexDefinition {
        name: def.name.to_string(),
        target: Some(target(catalog, def.scope)),
        properties: names,
        kind: Some(Kind::Text(options)),
    }
}

fn vector_index(catalog: &Catalog, def: &VectorIndexDef) -> v1::IndexDefinition {
    let options = v1::VectorIndexOptions {
        dimensions: def.dimensions,
        metric: metric_out(def.metric).into(),
        coding: name_of(CODINGS, &def.coding),
        links: Some(def.links),
        build_breadth: Some(def.breadth),
        filterable: properties(catalog, &def.filters),
    };
    v1::IndexDefinition {
        name: def.name.to_string(),
        target: Some(target(catalog, def.scope)),
        properties: properties(catalog, &[def.property]),
        kind: Some(Kind::Vector(options)),
    }
}

/// How far vector indexes are: the catalogue does not know it.
fn vector_states(database: &OpenDatabase) -> Result<HashMap<SchemaId, SchemaState>, Failure> {
    let known = database.engine.vector_indexes()?.into_iter().map(|info| {
        let state = match info.state {
            VectorIndexState::Ready => SchemaState::Ready,
            VectorIndexState::Failed(_) => SchemaState::Failed,
            _ => SchemaState::Building,
        };
        (info.definition.id, state)
    });
    Ok(known.collect())
}

fn constraints(read: &ReadTxn) -> Result<Vec<v1::ConstraintDescription>, Failure> {
    let catalog = read.catalog();
    let definitions = catalog.constraints().map(|def| {
        let (kind, value_type) = demand(&def.demand);
        v1::ConstraintDefinition {
            name: def.name.to_string(),
            target: Some(target(catalog, def.scope)),
            properties: properties(catalog, &def.properties),
            kind: kind.into(),
            value_type,
        }
    });
    let mut all: Vec<_> = definitions.collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    let statements = statements(read, "SHOW CONSTRAINTS")?;
    let described = all.into_iter().map(|definition| v1::ConstraintDescription {
        statement: statement(&statements, &definition.name),
        definition: Some(definition),
    });
    Ok(described.collect())
}

fn hierarchies(read: &ReadTxn) -> Result<Vec<v1::HierarchyDescription>, Failure> {
    let show = "SHOW HIERARCHIES YIELD name, types, tree, levels, members, createStatement \
                RETURN name, types[0] AS type, tree, levels, members, createStatement ORDER BY name";
    let rows = read.query(show, ())?;
    let described = rows.map(|row| {
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
    described.collect()
}

/// The statements that declare what `show` shows, by its name; some have none.
fn statements(read: &ReadTxn, show: &str) -> Result<HashMap<String, Option<String>>, Failure> {
    let show = format!("{show} YIELD name, createStatement RETURN name, createStatement");
    let rows = read.query(&show, ())?;
    rows.map(|row| Ok(row?.to::<(String, Option<String>)>()?))
        .collect()
}

fn statement(known: &HashMap<String, Option<String>>, name: &str) -> String {
    known.get(name).cloned().flatten().unwrap_or_default()
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

fn properties(catalog: &Catalog, ids: &[PropertyId]) -> Vec<String> {
    ids.iter()
        .map(|id| text(&catalog.properties, *id))
        .collect()
}

fn text<I: NameId>(names: &Names<I>, id: I) -> String {
    names.name(id).map_or_else(String::new, ToString::to_string)
}
