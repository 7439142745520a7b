//! `SHOW FUNCTIONS` and `SHOW PROCEDURES`: what can be called, with its documentation.
//!
//! Next: `crate::query::procedures`.

use super::list;
use crate::query::functions::{self, Argument, HostFunction};
use crate::query::procedures::{Procedure, ProcedureField, ProcedureType};
use crate::query::types::Types;
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The procedure that lists functions and aggregates.
pub(super) fn functions() -> Procedure {
    let columns = [
        ("name", ProcedureType::STRING),
        ("category", ProcedureType::STRING),
        ("description", ProcedureType::STRING),
        ("signature", ProcedureType::STRING),
        ("isBuiltIn", ProcedureType::BOOLEAN),
        ("argumentDescription", ProcedureType::LIST),
        ("returnDescription", ProcedureType::STRING),
        ("aggregating", ProcedureType::BOOLEAN),
        ("example", ProcedureType::STRING),
    ];
    let procedure = list("show.functions", &columns).about("The functions that queries can call.");
    procedure.run_in_engine(|context, _| {
        let mut rows: Vec<Vec<Value>> = functions::functions().map(function).collect();
        rows.extend(functions::aggregate_functions().map(aggregate));
        let registry = context.graph.registry()?;
        rows.extend(registry.functions().map(|of| of_host(of)));
        Ok(rows)
    })
}

fn function(of: &'static functions::Function) -> Vec<Value> {
    // A function of time is one of the temporal ones, whatever it gives.
    let category = if of.gives.is_within(Types::TEMPORAL) && of.gives != Types::NULL {
        "Temporal"
    } else {
        "Scalar"
    };
    let takes = arguments(of.takes, of.required, of.variadic);
    callable(of.name, category, of.about, &takes, of.gives, of.example.0)
}

fn aggregate(of: &'static functions::AggregateFunction) -> Vec<Value> {
    let takes = arguments(of.takes, of.takes.len(), false);
    let mut row = callable(
        of.name,
        "Aggregating",
        of.about,
        &takes,
        of.gives,
        of.example.0,
    );
    if let Some(aggregating) = row.get_mut(7) {
        *aggregating = true.into();
    }
    row
}

/// Name, types, and whether it may be left out.
struct Taken {
    name: String,
    types: Types,
    optional: bool,
}

fn arguments(takes: &[Argument], required: usize, variadic: bool) -> Vec<Taken> {
    let last = takes.len().saturating_sub(1);
    let takes = takes.iter().enumerate().map(|(at, argument)| Taken {
        name: match variadic && at == last {
            true => format!("{}...", argument.name),
            false => argument.name.to_owned(),
        },
        types: argument.types,
        optional: at >= required,
    });
    takes.collect()
}

fn callable(
    name: &str,
    category: &str,
    about: &str,
    takes: &[Taken],
    gives: Types,
    example: &str,
) -> Vec<Value> {
    let written = takes.iter().map(|taken| match taken.optional {
        true => format!("[{} :: {}]", taken.name, taken.types),
        false => format!("{} :: {}", taken.name, taken.types),
    });
    let written = written.collect::<Vec<String>>().join(", ");
    let described = takes
        .iter()
        .map(|taken| described(&taken.name, taken.types, taken.optional));
    vec![
        name.into(),
        category.into(),
        about.into(),
        format!("{name}({written}) :: {gives}").into(),
        true.into(),
        described.collect::<Vec<Value>>().into(),
        gives.to_string().into(),
        false.into(),
        example.into(),
    ]
}

fn of_host(of: &HostFunction) -> Vec<Value> {
    let arguments = of.arguments().iter();
    vec![
        of.name().into(),
        "Host".into(),
        of.description().into(),
        of.signature().into(),
        false.into(),
        arguments.map(field).collect::<Vec<Value>>().into(),
        of.result().to_string().into(),
        false.into(),
        "".into(),
    ]
}

/// The procedure that lists procedures.
pub(super) fn procedures() -> Procedure {
    let columns = [
        ("name", ProcedureType::STRING),
        ("description", ProcedureType::STRING),
        ("mode", ProcedureType::STRING),
        ("worksOnSystem", ProcedureType::BOOLEAN),
        ("signature", ProcedureType::STRING),
        ("argumentDescription", ProcedureType::LIST),
        ("returnDescription", ProcedureType::LIST),
    ];
    let procedure =
        list("show.procedures", &columns).about("The procedures that queries can call.");
    procedure.run_in_engine(|context, _| {
        let registry = context.graph.registry()?;
        let rows = registry.procedures().map(|of| {
            let (arguments, columns) = (of.arguments().iter(), of.columns().iter());
            vec![
                of.name().into(),
                of.description().into(),
                if of.writes() { "WRITE" } else { "READ" }.into(),
                false.into(),
                of.signature().into(),
                arguments.map(field).collect::<Vec<Value>>().into(),
                columns.map(field).collect::<Vec<Value>>().into(),
            ]
        });
        Ok(rows.collect())
    })
}

fn field(of: &ProcedureField) -> Value {
    described(of.name(), of.of_type().types(), of.default().is_some())
}

fn described(name: &str, types: Types, optional: bool) -> Value {
    let entries = [
        ("name", Value::from(name)),
        ("type", types.to_string().into()),
        ("isOptional", optional.into()),
    ];
    let entries = entries.map(|(key, value)| (Arc::from(key), value));
    Value::Map(Arc::new(BTreeMap::from(entries)))
}
