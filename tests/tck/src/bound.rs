//! The engine, bound: the one file that knows its names.
//!
//! It turns the engine's values into cells and back, and reads the graph through snapshots. It must never
//! use the query language for anything but the queries it is given.
//!
//! Next: `run.rs`.

use crate::cell::{Cell, Entries, NodeCell, PathCell, RelationshipCell, Step};
use crate::compare::Answer;
use crate::effects::GraphState;
use crate::engine::{Engine, Refusal, Session, Variant};
use crate::scenario::Stub;
use anyhow::{Context, Result, anyhow};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use stratigraph::{
    Database, Error, NodeValue, Parameters, PathValue, Procedure, QueryOptions, Read,
    RelationshipValue, Value,
};
use tempfile::TempDir;

/// The longest that a query may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The engine of this repository.
#[derive(Debug, Default)]
pub struct Bound;

impl Engine for Bound {
    fn session(&self, variant: Variant, procedures: &[Stub]) -> Result<Box<dyn Session>> {
        let folder = match variant {
            Variant::Plain | Variant::Reopen => Some(tempfile::tempdir()?),
            Variant::Default | Variant::Batch1 | Variant::NoRules => None,
        };
        let database = match &folder {
            Some(folder) => on_disk(folder)?,
            None => Database::in_memory()?,
        };
        let mut session = BoundSession {
            database: Some(database),
            folder,
            variant,
            procedures: procedures.to_vec(),
        };
        session.register()?;
        Ok(Box::new(session))
    }
}

/// Small: thousands of these are made, each for a few nodes.
fn on_disk(folder: &TempDir) -> Result<Database> {
    let database = Database::builder()
        .create_if_missing(true)
        .cache_bytes(1 << 20)
        .disk_reserve_bytes(0)
        .write_buffer_bytes(1 << 20)
        .background_threads(1)
        .vector_threads(1);
    Ok(database.open(folder.path().join("graph"))?)
}

struct BoundSession {
    /// Absent only while it is closed to be opened again.
    database: Option<Database>,
    /// Removed after the database, which is declared before it.
    folder: Option<TempDir>,
    variant: Variant,
    procedures: Vec<Stub>,
}

impl BoundSession {
    fn database(&self) -> Result<&Database> {
        self.database.as_ref().context("the database is closed")
    }

    fn register(&mut self) -> Result<()> {
        for stub in &self.procedures {
            register(self.database()?, stub)?;
        }
        Ok(())
    }

    fn reopen(&mut self) -> Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        if let Some(database) = self.database.take() {
            database.close()?;
        }
        self.database = Some(on_disk(folder)?);
        self.register()
    }
}

impl Session for BoundSession {
    fn run(&mut self, query: &str, parameters: &[(String, Cell)]) -> Result<Answer, Refusal> {
        let engine = |error: anyhow::Error| Refusal::of_the_engine(format!("{error:#}"));
        if self.variant == Variant::Reopen {
            self.reopen().map_err(engine)?;
        }
        let parameters: Vec<(String, Value)> = parameters
            .iter()
            .map(|(name, value)| Ok((name.clone(), argument(value)?)))
            .collect::<Result<_>>()
            .map_err(engine)?;
        let database = self.database().map_err(engine)?;
        answer(database, query, parameters, self.variant).map_err(|error| refusal(&error))
    }

    fn state(&mut self) -> Result<GraphState> {
        state(&self.database()?.read()?)
    }
}

fn answer(
    database: &Database,
    query: &str,
    parameters: Vec<(String, Value)>,
    variant: Variant,
) -> Result<Answer, Error> {
    // A query that would not end must not go on beside those that follow it.
    let options = QueryOptions::new().timeout(TIMEOUT);
    let options = match variant {
        Variant::Batch1 => options.batch_rows(1),
        Variant::NoRules => options.optimise(false),
        Variant::Default | Variant::Plain | Variant::Reopen => options,
    };
    let parameters: Parameters = parameters.into_iter().collect();
    let mut rows = database.query_with(query, parameters, &options)?;
    let mut answer = Answer {
        columns: rows.columns().iter().map(ToString::to_string).collect(),
        ..Answer::default()
    };
    for row in &mut rows {
        answer.rows.push(row?.values().iter().map(cell).collect());
    }
    answer.counters = rows.summary().counters().to_string();
    Ok(answer)
}

/// A procedure that looks its arguments up in a table.
fn register(database: &Database, stub: &Stub) -> Result<()> {
    let mut procedure = Procedure::new(stub.name.as_str());
    for (name, kind) in &stub.arguments {
        procedure = procedure.takes(name.as_str(), kind.parse()?);
    }
    for (name, kind) in &stub.yields {
        procedure = procedure.yields(name.as_str(), kind.parse()?);
    }
    let mut table = Vec::new();
    for row in &stub.rows {
        let mut given = row.iter().map(argument).collect::<Result<Vec<_>>>()?;
        let gives = given.split_off(stub.arguments.len().min(given.len()));
        table.push((given, gives));
    }
    let procedure = procedure.run(move |arguments| {
        let same = |given: &[Value]| {
            let mut pairs = given.iter().zip(arguments);
            pairs.all(|(known, given)| known.equivalent(given))
        };
        let found = table.iter().filter(|(given, _)| same(given));
        Ok(found.map(|(_, gives)| gives.clone()).collect())
    });
    Ok(database.register(procedure)?)
}

fn refusal(error: &Error) -> Refusal {
    match error {
        Error::Query(error) => Refusal {
            error_type: error.error_type().name().to_owned(),
            phase: error.phase().name().to_owned(),
            detail: error.detail().name().to_owned(),
            message: error.message().to_owned(),
            shown: error.to_string(),
        },
        other => Refusal::of_the_engine(other.to_string()),
    }
}

fn state(read: &impl Read) -> Result<GraphState> {
    let mut state = GraphState::default();
    for id in read.node_ids()? {
        let id = id?;
        let node = read.node(id)?.context("a node of the list is gone")?;
        state.nodes.insert(id.get());
        state.labels.extend(node.labels().map(str::to_owned));
        for (name, value) in node.properties() {
            let value = cell(value).to_string();
            let property = (false, id.get(), name.to_owned(), value);
            state.properties.insert(property);
        }
    }
    for id in read.relationship_ids()? {
        let id = id?;
        let relationship = read.relationship(id)?;
        let relationship = relationship.context("a relationship of the list is gone")?;
        state.relationships.insert(id.get());
        for (name, value) in relationship.properties() {
            let value = cell(value).to_string();
            let property = (true, id.get(), name.to_owned(), value);
            state.properties.insert(property);
        }
    }
    Ok(state)
}

/// What a scenario gives to a query: a value that could be a parameter.
fn argument(cell: &Cell) -> Result<Value> {
    Ok(match cell {
        Cell::Null => Value::Null,
        Cell::Bool(value) => Value::Bool(*value),
        Cell::Int(value) => Value::Int(*value),
        Cell::Float(value) => Value::Float(*value),
        Cell::Text(text) | Cell::Quoted(text) => Value::String(text.as_str().into()),
        Cell::List(elements) => {
            Value::list(elements.iter().map(argument).collect::<Result<Vec<_>>>()?)?
        }
        Cell::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(name, value)| Ok((Arc::from(name.as_str()), argument(value)?)));
            Value::map(entries.collect::<Result<BTreeMap<_, _>>>()?)?
        }
        other => return Err(anyhow!("{other} cannot be given to a query")),
    })
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(value) => Cell::Bool(*value),
        Value::Int(value) => Cell::Int(*value),
        Value::Float(value) => Cell::Float(*value),
        Value::String(text) => Cell::Text(text.to_string()),
        Value::Date(value) => Cell::Quoted(value.to_string()),
        Value::Time(value) => Cell::Quoted(value.to_string()),
        Value::LocalTime(value) => Cell::Quoted(value.to_string()),
        Value::DateTime(value) => Cell::Quoted(value.to_string()),
        Value::LocalDateTime(value) => Cell::Quoted(value.to_string()),
        Value::Duration(value) => Cell::Quoted(value.to_string()),
        Value::List(elements) => Cell::List(elements.iter().map(cell).collect()),
        Value::Map(entries) => {
            Cell::Map(named(entries.iter().map(|(name, value)| (&**name, value))))
        }
        Value::Node(value) => Cell::Node(node(value)),
        Value::Relationship(value) => Cell::Relationship(relationship(value)),
        Value::Path(value) => Cell::Path(path(value)),
        other => Cell::Other(other.to_string()),
    }
}

fn named<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>) -> Entries {
    entries
        .map(|(name, value)| (name.to_owned(), cell(value)))
        .collect()
}

fn node(value: &NodeValue) -> NodeCell {
    NodeCell {
        labels: value.labels().map(str::to_owned).collect(),
        properties: named(value.properties()),
    }
}

fn relationship(value: &RelationshipValue) -> RelationshipCell {
    RelationshipCell {
        relationship_type: value.relationship_type().to_owned(),
        properties: named(value.properties()),
    }
}

fn path(value: &PathValue) -> PathCell {
    let mut nodes = value.nodes().iter();
    let start = nodes.next();
    let mut from = start.map(NodeValue::id);
    let steps = value.relationships().iter().zip(nodes).map(|(along, to)| {
        let forward = along.ends().map(|(source, _)| source) == from;
        from = Some(to.id());
        Step {
            relationship: relationship(along),
            forward,
            node: node(to),
        }
    });
    PathCell {
        steps: steps.collect(),
        start: start.map(node).unwrap_or_default(),
    }
}
