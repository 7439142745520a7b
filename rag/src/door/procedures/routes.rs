//! `CALL rag.declare`, `rag.declared`, `rag.undeclare`, `rag.tools`, `rag.call`, `rag.route`: declared queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;
use stratigraph::{HostCall, Procedure, ProcedureType, Value};

use super::super::library::WeakLibrary;
use super::settings::{self, Settings};
use super::{Rows, count, failed, text};
use crate::door::Library;
use crate::retrieve::Question;
use crate::routes::{CallLimits, Declared, plain};

pub(super) fn all(weak: &WeakLibrary) -> [Procedure; 6] {
    [
        declare(weak.clone()),
        declared(weak.clone()),
        undeclare(weak.clone()),
        tools(weak.clone()),
        call(weak.clone()),
        route(weak.clone()),
    ]
}

fn declare(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.declare")
        .about("Declares a query that models and questions can be routed to, in the place of the one that has its name: {name, description, statement, parameters: [{name, type (text, integer, number, boolean, date, choice), description, required, embedded, default, choices, of: {label, property}}], target, examples}; or the same as TOML or JSON, several of them too. A statement that writes is refused. Its transaction is its own.")
        .takes("query", ProcedureType::ANY.not_null())
        .yields("name", ProcedureType::STRING)
        .yields("replaced", ProcedureType::BOOLEAN)
        .commits()
        .run_until_stopped(move |_, arguments| {
            let written = match arguments.first() {
                Some(Value::String(text)) => text.to_string(),
                Some(value @ Value::Map(_)) => plain(value).to_string(),
                other => {
                    let kind = other.map(Value::kind).map(|kind| kind.to_string());
                    let kind = kind.unwrap_or_default();
                    return Err(format!("a query is a map or a text, and no {kind}").into());
                }
            };
            let all = Declared::parse(&written).map_err(|error| failed(error.into()))?;
            let open = library.upgrade()?.open().map_err(failed)?;
            let rows = all.into_iter().map(|one| {
                let replaced = open.declare(&one).map_err(failed)?;
                Ok(vec![one.name.into(), replaced.into()])
            });
            rows.collect()
        })
}

fn declared(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.declared")
        .about("The declared queries, as of the last commit; schema is the JSON Schema of the arguments, definition all of it as JSON.")
        .yields("name", ProcedureType::STRING)
        .yields("description", ProcedureType::STRING)
        .yields("target", ProcedureType::STRING)
        .yields("statement", ProcedureType::STRING)
        .yields("schema", ProcedureType::STRING)
        .yields("definition", ProcedureType::STRING)
        .run_until_stopped(move |_, _| {
            let all = library.upgrade()?.declared().map_err(failed)?;
            let row = |one: Declared| {
                let schema = one.schema().to_string();
                let definition = serde_json::to_string(&one).map_err(|error| error.to_string())?;
                Ok(vec![
                    one.name.into(),
                    one.description.into(),
                    one.target.into(),
                    one.statement.into(),
                    schema.into(),
                    definition.into(),
                ])
            };
            all.into_iter().map(row).collect()
        })
}

fn undeclare(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.undeclare")
        .about("Drops a declared query; one that is not there is fine. Its transaction is its own.")
        .takes("name", ProcedureType::STRING.not_null())
        .yields("dropped", ProcedureType::BOOLEAN)
        .commits()
        .run_until_stopped(move |_, arguments| {
            let open = library.upgrade()?.open().map_err(failed)?;
            let dropped = open.undeclare(text(arguments, 0)).map_err(failed)?;
            Ok(vec![vec![dropped.into()]])
        })
}

fn tools(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.tools")
        .about("The queries that can be called, as definitions for function calling: JSON texts. Where nothing is declared they are made up from the types of tables.")
        .yields("name", ProcedureType::STRING)
        .yields("tool", ProcedureType::STRING)
        .run_until_stopped(move |_, _| {
            let open = library.upgrade()?.open().map_err(failed)?;
            let offered = open.offered().map_err(failed)?.into_iter();
            let row = |one: Declared| {
                let tool = one.tool().to_string();
                vec![one.name.into(), tool.into()]
            };
            Ok(offered.map(row).collect())
        })
}

fn call(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.call")
        .about("Calls a declared query by its name, with a map of arguments or their JSON, as of the last commit: its rows, each a map with a value for each column, and the receipts of what stands in the row, texts for rag.verify. Settings: rows (100).")
        .takes("name", ProcedureType::STRING.not_null())
        .takes_with_default("arguments", ProcedureType::ANY.not_null(), settings::none())
        .takes_with_default("settings", ProcedureType::MAP.not_null(), settings::none())
        .yields("row", ProcedureType::INTEGER)
        .yields("values", ProcedureType::MAP)
        .yields("more", ProcedureType::BOOLEAN)
        .yields("receipts", ProcedureType::LIST)
        .run_until_stopped(move |call, arguments| called(&library.upgrade()?, call, arguments))
}

fn called(library: &Library, call: &HostCall, arguments: &[Value]) -> Rows {
    let given = match arguments.get(1) {
        Some(Value::String(text)) => serde_json::from_str(text)
            .map_err(|error| format!("the arguments are no JSON: {error}"))?,
        Some(value) => plain(value),
        None => Json::Null,
    };
    let settings = arguments.get(2).cloned().unwrap_or_else(settings::none);
    let settings = Settings::of(&settings, &["rows"])?;
    let usual = CallLimits::default();
    let limits = CallLimits {
        rows: settings.count("rows")?.unwrap_or(usual.rows),
        ..usual
    };
    let open = library.open().map_err(failed)?;
    let called = open
        .call(text(arguments, 0), &given, limits, call.stop())
        .map_err(failed)?;
    let more = called.more;
    let mut rows = Vec::with_capacity(called.rows.len());
    for (at, (values, entities)) in called.rows.iter().zip(&called.in_rows).enumerate() {
        let receipts = entities.iter().filter_map(|at| called.found.get(*at));
        let receipts = receipts.map(|found| serde_json::to_string(&found.receipt));
        let receipts: Vec<String> = receipts
            .collect::<Result<_, _>>()
            .map_err(|error: serde_json::Error| error.to_string())?;
        let values = values.iter();
        let values: BTreeMap<Arc<str>, Value> = values
            .map(|(name, value)| (name.as_str().into(), of_json(value)))
            .collect();
        rows.push(vec![
            count(at as u64 + 1),
            Value::Map(Arc::new(values)),
            more.into(),
            receipts.into(),
        ]);
    }
    Ok(rows)
}

fn route(library: WeakLibrary) -> Procedure {
    Procedure::new("rag.route")
        .about("Which declared query a question is for, as of the last commit, the best first: score is similarity plus what it takes of what the question names; lacks says why it cannot be called. chosen is the one that would be called. Nothing is called.")
        .takes("question", ProcedureType::STRING.not_null())
        .yields("rank", ProcedureType::INTEGER)
        .yields("name", ProcedureType::STRING)
        .yields("target", ProcedureType::STRING)
        .yields("score", ProcedureType::FLOAT)
        .yields("arguments", ProcedureType::MAP)
        .yields("lacks", ProcedureType::STRING)
        .yields("chosen", ProcedureType::STRING)
        .run_until_stopped(move |call, arguments| {
            let question = Question::new(text(arguments, 0));
            let question = question.map_err(|error| failed(error.into()))?;
            let open = library.upgrade()?.open().map_err(failed)?;
            let routing = open.route(&question, call.stop()).map_err(failed)?;
            let chosen: Value = routing.chosen.clone().into();
            let rows = routing.candidates.into_iter().zip(1_u64..);
            let rows = rows.map(|(one, rank)| {
                vec![
                    count(rank),
                    one.name.into(),
                    one.target.into(),
                    f64::from(one.score).into(),
                    of_json(&Json::Object(one.arguments)),
                    one.lacks.into(),
                    chosen.clone(),
                ]
            });
            Ok(rows.collect())
        })
}

/// JSON as the language has it. What it came from nests no deeper than values do.
pub(super) fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => (*truth).into(),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().into(),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(all) => all.iter().map(of_json).collect::<Vec<_>>().into(),
        Json::Object(entries) => {
            let entries = entries.iter();
            let entries: BTreeMap<Arc<str>, Value> = entries
                .map(|(name, value)| (name.as_str().into(), of_json(value)))
                .collect();
            Value::Map(Arc::new(entries))
        }
    }
}
