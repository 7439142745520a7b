//! `SHOW INDEXES`: those of properties, of vectors and of texts in one list, by their numbers.
//!
//! Next: `constraints.rs`.

use super::{accesses, entity_type, labels_or_types, list, pattern, strings};
use crate::catalog::{
    Catalog, IndexDef, PropertyId, Readiness, SchemaId, TextIndexDef, VectorIndexDef,
};
use crate::index::vector::{VectorIndexInfo, VectorIndexState};
use crate::query::procedures::{Procedure, ProcedureType};
use crate::query::schema::fulltext::{ANALYZER, ANALYZERS};
use crate::query::schema::vector::{
    BREADTH, CODINGS, DIMENSIONS, LINKS, METRICS, QUANTIZATION, QUANTIZED, SIMILARITY,
};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph_query_lang::quoted_name;

const COLUMNS: &[(&str, ProcedureType)] = &[
    ("id", ProcedureType::INTEGER),
    ("name", ProcedureType::STRING),
    ("state", ProcedureType::STRING),
    ("populationPercent", ProcedureType::FLOAT),
    ("type", ProcedureType::STRING),
    ("entityType", ProcedureType::STRING),
    ("labelsOrTypes", ProcedureType::LIST),
    ("properties", ProcedureType::LIST),
    ("indexProvider", ProcedureType::STRING),
    ("owningConstraint", ProcedureType::STRING),
    ("options", ProcedureType::MAP),
    ("failureMessage", ProcedureType::STRING),
    ("createStatement", ProcedureType::STRING),
];

/// The procedure that lists indexes; only those of one type if it is named.
pub(super) fn procedure(name: &str, only: Option<&'static str>) -> Procedure {
    let procedure = list(name, COLUMNS).about("The indexes of the database.");
    procedure.run_in_engine(move |context, _| {
        let wanted = |of: &str| only.is_none_or(|only| only == of);
        let catalog = context.graph.catalog()?;
        let mut rows = BTreeMap::new();
        if wanted("RANGE") {
            rows.extend(
                catalog
                    .indexes()
                    .map(|index| (index.id, range(catalog, index))),
            );
        }
        if wanted("VECTOR") {
            for index in catalog.vector_indexes() {
                let info = context.graph.vector_index_info(index.id)?;
                rows.insert(index.id, vector(catalog, index, info.as_ref()));
            }
        }
        if wanted("FULLTEXT") {
            for index in catalog.text_indexes() {
                rows.insert(index.id, text(catalog, index));
            }
        }
        Ok(rows.into_values().collect())
    })
}

/// What a row says beside what all indexes have.
struct Told {
    id: SchemaId,
    name: Arc<str>,
    state: &'static str,
    percent: f64,
    of: &'static str,
    entity_type: Value,
    labels_or_types: Value,
    properties: Value,
    owner: Value,
    options: Value,
    failure: Value,
    statement: Value,
}

impl Told {
    fn row(self) -> Vec<Value> {
        let provider = match self.of {
            "VECTOR" => "vector-1.0",
            "FULLTEXT" => "fulltext-1.0",
            _ => "range-1.0",
        };
        vec![
            i64::from(self.id.get()).into(),
            self.name.into(),
            self.state.into(),
            self.percent.into(),
            self.of.into(),
            self.entity_type,
            self.labels_or_types,
            self.properties,
            provider.into(),
            self.owner,
            self.options,
            self.failure,
            self.statement,
        ]
    }
}

fn state(readiness: Readiness) -> (&'static str, f64) {
    match readiness {
        Readiness::Ready => ("ONLINE", 100.0),
        // How far they are is known only to whoever builds them.
        Readiness::Building | Readiness::Refilling => ("POPULATING", 0.0),
    }
}

fn range(catalog: &Catalog, index: &IndexDef) -> Vec<Value> {
    let (state, percent) = state(index.readiness);
    let constraint = index.owner.and_then(|owner| catalog.constraint(owner));
    let statement = match index.owner {
        // It comes with what it belongs to.
        Some(_) => Value::Null,
        None => {
            let (name, on) = (quoted_name(&index.name), pattern(catalog, index.scope));
            let by = accesses(&catalog.properties, index.properties.iter().copied());
            Value::from(format!("CREATE RANGE INDEX {name} FOR {on} ON ({by})"))
        }
    };
    let told = Told {
        id: index.id,
        name: Arc::clone(&index.name),
        state,
        percent,
        of: "RANGE",
        entity_type: entity_type(index.scope),
        labels_or_types: labels_or_types(catalog, index.scope),
        properties: strings(&catalog.properties, index.properties.iter().copied()),
        owner: constraint.map_or(Value::Null, |of| Value::from(Arc::clone(&of.name))),
        options: options(Vec::new()),
        failure: Value::from(""),
        statement,
    };
    told.row()
}

fn vector(catalog: &Catalog, index: &VectorIndexDef, info: Option<&VectorIndexInfo>) -> Vec<Value> {
    let (state, percent, failure) = match info.map(|info| &info.state) {
        None | Some(VectorIndexState::Ready) => ("ONLINE", 100.0, String::new()),
        Some(VectorIndexState::Building { done, total }) => {
            let percent = 100.0 * *done as f64 / (*total).max(1) as f64;
            ("POPULATING", percent, String::new())
        }
        Some(VectorIndexState::Failed(error)) => ("FAILED", 0.0, error.to_string()),
    };
    let metric = METRICS.iter().find(|(_, metric)| *metric == index.metric);
    let metric = metric.map_or(String::new(), |(name, _)| name.to_uppercase());
    let coding = CODINGS.iter().find(|(_, coding)| *coding == index.coding);
    let coding = coding.map(|(name, _)| *name);
    let filters = strings(&catalog.properties, index.filters.iter().copied());
    let mut config = vec![
        (DIMENSIONS, i64::from(index.dimensions).into()),
        (SIMILARITY, metric.into()),
        (LINKS, i64::from(index.links).into()),
        (BREADTH, i64::from(index.breadth).into()),
        (QUANTIZED, coding.is_some().into()),
    ];
    config.extend(coding.map(|coding| (QUANTIZATION, Value::from(coding))));
    let statement = vector_statement(catalog, index, &config);
    config.push(("vector.filterable_properties", filters));
    let told = Told {
        id: index.id,
        name: Arc::clone(&index.name),
        state,
        percent,
        of: "VECTOR",
        entity_type: entity_type(index.scope),
        labels_or_types: labels_or_types(catalog, index.scope),
        properties: strings(&catalog.properties, [index.property]),
        owner: Value::Null,
        options: options(config),
        failure: failure.into(),
        statement: statement.into(),
    };
    told.row()
}

fn vector_statement(catalog: &Catalog, index: &VectorIndexDef, config: &[(&str, Value)]) -> String {
    let (name, on) = (quoted_name(&index.name), pattern(catalog, index.scope));
    let by = accesses(&catalog.properties, [index.property]);
    let filters = accesses(&catalog.properties, index.filters.iter().copied());
    let with = match filters.is_empty() {
        true => String::new(),
        false => format!(" WITH [{filters}]"),
    };
    let config = said(config);
    format!("CREATE VECTOR INDEX {name} FOR {on} ON ({by}){with} OPTIONS {config}")
}

/// Settings as a statement has to write them.
fn said(config: &[(&str, Value)]) -> String {
    let config = config.iter();
    let config = config.map(|(key, value)| format!("`{key}`: {value}"));
    let config = config.collect::<Vec<_>>().join(", ");
    format!("{{indexConfig: {{{config}}}}}")
}

fn text(catalog: &Catalog, index: &TextIndexDef) -> Vec<Value> {
    let (state, percent) = state(index.readiness);
    let fields = index.settings.fields().iter();
    let fields: Vec<PropertyId> = fields.map(|field| field.property).collect();
    let analysis = index.settings.analysis();
    let analysis = ANALYZERS.iter().find(|(_, known)| *known == analysis);
    let analysis = analysis.map_or("", |(name, _)| name);
    let config = vec![(ANALYZER, Value::from(analysis))];
    let (name, on) = (quoted_name(&index.name), pattern(catalog, index.scope));
    let by = accesses(&catalog.properties, fields.iter().copied());
    let said = said(&config);
    let statement = format!("CREATE FULLTEXT INDEX {name} FOR {on} ON EACH [{by}] OPTIONS {said}");
    let told = Told {
        id: index.id,
        name: Arc::clone(&index.name),
        state,
        percent,
        of: "FULLTEXT",
        entity_type: entity_type(index.scope),
        labels_or_types: labels_or_types(catalog, index.scope),
        properties: strings(&catalog.properties, fields),
        owner: Value::Null,
        options: options(config),
        failure: Value::from(""),
        statement: statement.into(),
    };
    told.row()
}

/// `{indexProvider: ..., indexConfig: {...}}` without the provider, which has a column.
fn options(config: Vec<(&str, Value)>) -> Value {
    let config = config.into_iter().map(|(key, value)| (key.into(), value));
    let config = Value::Map(Arc::new(config.collect()));
    Value::Map(Arc::new(BTreeMap::from([("indexConfig".into(), config)])))
}
