//! Calling a procedure: its arguments and what it gives are what it said they would be.
//!
//! Next: `builtin.rs`.

use super::host::{HostCall, HostFailure};
use super::procedure::{Procedure, ProcedureField, Run};
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::{Context, hydrate};
use crate::value::Value;

/// Calls a procedure. Arguments at the end that are not given are what they are by default.
pub(crate) fn call(
    context: &mut Context<'_>,
    procedure: &Procedure,
    arguments: Vec<Value>,
) -> Result<Vec<Vec<Value>>, Fault> {
    let arguments = admit_arguments(procedure, arguments)?;
    let mut rows = match &procedure.run {
        Run::Engine(run) => run(context, &arguments)?,
        Run::Host(run) => {
            // The host has no transaction to look nodes up in.
            let arguments = arguments.into_iter();
            let arguments = arguments.map(|argument| hydrate(&context.graph, argument));
            let arguments = arguments.collect::<Result<Vec<_>, Fault>>()?;
            let (_, stop) = context.clock_and_stop();
            match run(&HostCall { stop }, &arguments) {
                Ok(rows) => rows,
                Err(failure) => {
                    // Whatever it says: who was told to stop has stopped.
                    context.check()?;
                    return Err(match failure {
                        HostFailure::Said(message) => failed(procedure, &message),
                        HostFailure::Engine(error) => (*error).into(),
                    });
                }
            }
        }
    };
    for row in &mut rows {
        context.step()?;
        admit_row(procedure, row)?;
    }
    Ok(rows)
}

fn admit_arguments(procedure: &Procedure, given: Vec<Value>) -> Result<Vec<Value>, Fault> {
    let (count, most) = (given.len(), procedure.takes.len());
    if count > most || count < procedure.required() {
        let message = format!("{} was given {count} arguments", procedure.name);
        let hint = format!("its signature is {}", procedure.signature());
        return Err(raise(Detail::InvalidNumberOfArguments, message).hint(hint));
    }
    let mut admitted = Vec::with_capacity(most);
    let mut given = given.into_iter();
    for field in &procedure.takes {
        let default = || field.default.clone().unwrap_or(Value::Null);
        let value = given.next().unwrap_or_else(default);
        let value = field.admits.admit(value);
        admitted.push(value.map_err(|value| unfit(procedure, field, &value))?);
    }
    Ok(admitted)
}

fn admit_row(procedure: &Procedure, row: &mut [Value]) -> Result<(), Fault> {
    if row.len() != procedure.gives.len() {
        let (has, columns) = (row.len(), procedure.gives.len());
        let message = format!("it gave a row of {has} values for {columns} columns");
        return Err(failed(procedure, &message));
    }
    for (value, field) in row.iter_mut().zip(&procedure.gives) {
        let taken = std::mem::replace(value, Value::Null);
        *value = field.admits.admit(taken).map_err(|value| {
            let (name, kind) = (&field.name, value.kind());
            let message = format!(
                "its column {name} is {}, and not of kind {kind}",
                field.admits
            );
            failed(procedure, &message)
        })?;
    }
    Ok(())
}

fn unfit(procedure: &Procedure, field: &ProcedureField, value: &Value) -> Fault {
    let (name, argument, kind) = (&procedure.name, &field.name, value.kind());
    let message = format!("{name} takes {} as {argument}, and no {kind}", field.admits);
    let hint = format!("its signature is {}", procedure.signature());
    raise(Detail::InvalidArgumentType, message).hint(hint)
}

fn failed(procedure: &Procedure, message: &str) -> Fault {
    raise(
        Detail::ProcedureFailed,
        format!("procedure {} failed: {message}", procedure.name),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::procedures::ProcedureType;

    fn shown(result: Result<Vec<Value>, Fault>) -> Result<String, Detail> {
        match result {
            Ok(values) => Ok(Value::from(values).to_string()),
            Err(Fault::Raised(raised)) => Err(raised.detail),
            Err(Fault::Engine(error)) => panic!("{error}"),
        }
    }

    #[test]
    fn arguments_are_made_to_fit_or_refused() {
        let procedure = Procedure::new("p")
            .takes("a", ProcedureType::FLOAT)
            .takes_with_default("b", ProcedureType::STRING.not_null(), "x");
        let admit = |given: Vec<Value>| shown(admit_arguments(&procedure, given));
        assert_eq!(admit(vec![1.into()]), Ok("[1.0, 'x']".to_owned()));
        assert_eq!(
            admit(vec![Value::Null, "y".into()]),
            Ok("[null, 'y']".to_owned())
        );
        assert_eq!(admit(vec![]), Err(Detail::InvalidNumberOfArguments));
        let three = vec![1.into(), "y".into(), 2.into()];
        assert_eq!(admit(three), Err(Detail::InvalidNumberOfArguments));
        assert_eq!(admit(vec![true.into()]), Err(Detail::InvalidArgumentType));
        let null = vec![1.into(), Value::Null];
        assert_eq!(admit(null), Err(Detail::InvalidArgumentType));
    }

    #[test]
    fn rows_that_are_not_what_was_said_are_the_procedures_fault() {
        let procedure = Procedure::new("p").yields("a", ProcedureType::FLOAT);
        let admit = |mut row: Vec<Value>| shown(admit_row(&procedure, &mut row).map(|()| row));
        assert_eq!(admit(vec![2.into()]), Ok("[2.0]".to_owned()));
        assert_eq!(admit(vec![]), Err(Detail::ProcedureFailed));
        assert_eq!(admit(vec!["2".into()]), Err(Detail::ProcedureFailed));
    }
}
