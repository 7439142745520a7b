//! Functions of the host: arguments and results are what was said they would be.
//!
//! Next: `lists.rs`.

use super::{Context, eval};
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::hydrate;
use crate::query::expr::Expr;
use crate::query::functions::{HostFunction, HostRun};
use crate::value::Value;

/// A call for one row.
pub(super) fn call(
    context: &mut Context<'_>,
    function: &HostFunction,
    arguments: &[Expr],
    row: &mut [Value],
) -> Result<Value, Fault> {
    let mut columns = Vec::with_capacity(arguments.len());
    for argument in arguments {
        columns.push(vec![eval(context, argument, row)?]);
    }
    let results = call_many(context, function, columns, 1)?;
    Ok(results.into_iter().next().unwrap_or(Value::Null))
}

/// A call for many rows: a column of values for each argument that is given, and one result a row.
pub(crate) fn call_many(
    context: &mut Context<'_>,
    function: &HostFunction,
    given: Vec<Vec<Value>>,
    rows: usize,
) -> Result<Vec<Value>, Fault> {
    if rows == 0 {
        return Ok(Vec::new());
    }
    let mut given = given.into_iter();
    let mut columns = Vec::with_capacity(function.arguments().len());
    for field in function.arguments() {
        let default = || vec![field.default().cloned().unwrap_or(Value::Null); rows];
        let mut column = given.next().unwrap_or_else(default);
        for value in &mut column {
            // The host has no transaction to look nodes up in.
            let whole = hydrate(&context.graph, std::mem::replace(value, Value::Null))?;
            *value = field.of_type().admit(whole).map_err(|value| {
                let (name, kind) = (function.name(), value.kind());
                let (argument, wanted) = (field.name(), field.of_type());
                let message = format!("{name} takes {wanted} as {argument}, and no {kind}");
                let hint = format!("its signature is {}", function.signature());
                raise(Detail::InvalidArgumentType, message).hint(hint)
            })?;
        }
        columns.push(column);
    }
    context.check()?;
    let results = match &function.run {
        HostRun::Batch(run) => run(&columns),
        HostRun::One(run) => {
            let arguments = |row: usize| {
                let columns = columns.iter();
                let values = columns.map(move |column| column.get(row).cloned());
                values
                    .map(|value| value.unwrap_or(Value::Null))
                    .collect::<Vec<_>>()
            };
            (0..rows).map(|row| run(&arguments(row))).collect()
        }
    };
    let results = results.map_err(|message| failed(function, &message))?;
    if results.len() != rows {
        let message = format!("it gave {} results for {rows} rows", results.len());
        return Err(failed(function, &message));
    }
    let results = results.into_iter().map(|value| {
        function.result().admit(value).map_err(|value| {
            let (wanted, kind) = (function.result(), value.kind());
            let message = format!("it gives {wanted}, and gave a value of kind {kind}");
            failed(function, &message)
        })
    });
    results.collect()
}

fn failed(function: &HostFunction, message: &str) -> Fault {
    let message = format!("function {} failed: {message}", function.name());
    raise(Detail::ProcedureFailed, message)
}
