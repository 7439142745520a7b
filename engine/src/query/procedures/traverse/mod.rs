//! `rag.traverse`: the clause `TRAVERSE` for tools that insist on standard syntax.
//!
//! The settings are written as the clause and compiled like any other text, so that both are one operator and
//! give the same rows. Values become parameters; the patterns in the settings are parsed on their own before
//! they are put into the text, so that nothing else can come in with them.
//!
//! Next: `wording.rs`.

mod wording;

use super::procedure::Procedure;
use super::types::ProcedureType;
use crate::query::compile::Runs;
use crate::query::error::{Fault, raise};
use crate::query::exec::{Batch, Context, Run, bytes_of_all};
use crate::query::expr::Slot;
use crate::query::plan::TraverseColumn;
use crate::value::Value;
use std::sync::Arc;
use wording::Wording;

/// The procedure.
pub(super) fn procedure() -> Procedure {
    let procedure = Procedure::new("rag.traverse")
        .about("Goes down level by level and keeps the best of each, as TRAVERSE does.")
        .takes("roots", ProcedureType::ANY)
        .takes("settings", ProcedureType::MAP.not_null());
    let procedure = TraverseColumn::ALL
        .iter()
        .fold(procedure, |procedure, (name, column)| {
            procedure.yields(*name, type_of(*column))
        });
    procedure.run_in_engine(|context, arguments| match arguments {
        [roots, settings] => {
            let wording = Wording::of(roots, settings)?;
            run(context, &wording)
        }
        _ => Err(crate::error::Error::bug("arguments of other types came through").into()),
    })
}

fn type_of(column: TraverseColumn) -> ProcedureType {
    match column {
        TraverseColumn::Node | TraverseColumn::Parent => ProcedureType::NODE,
        TraverseColumn::Level | TraverseColumn::Rank => ProcedureType::INTEGER,
        TraverseColumn::Score => ProcedureType::FLOAT,
        TraverseColumn::Status => ProcedureType::STRING,
        TraverseColumn::Path => ProcedureType::PATH,
        TraverseColumn::Roots => ProcedureType::LIST,
        // One relationship, or a list of them where a step has several.
        TraverseColumn::Edge => ProcedureType::ANY,
    }
}

/// Runs the clause within the query that calls the procedure.
fn run(context: &mut Context<'_>, wording: &Wording) -> Result<Vec<Vec<Value>>, Fault> {
    let compiled = context.compile(&wording.text);
    let compiled = compiled.map_err(|error| told(error.into(), &wording.text))?;
    let Runs::Plan(plan) = &compiled.body else {
        return Err(crate::error::Error::bug("TRAVERSE became another statement").into());
    };
    let parameters: Vec<Value> = { plan.parameters.iter() }
        .map(|needed| wording.parameter(&needed.name))
        .collect::<Result<_, Fault>>()?;
    let outer = std::mem::replace(&mut context.parameters, parameters);
    let outer_text = context.provenance.enter(&wording.text);
    let before = context.memory.used();
    let mut rows = Vec::new();
    let mut run = Run::new(&plan.ops, plan.width, vec![Value::Null; plan.width]);
    let ended = loop {
        match run.next(context) {
            Ok(Some(batch)) => {
                if let Err(fault) = take(context, &mut rows, &batch, &plan.columns) {
                    break Err(fault);
                }
            }
            Ok(None) => break Ok(rows),
            Err(fault) => break Err(told(fault, &wording.text)),
        }
    };
    run.close(context);
    context.parameters = outer;
    context.provenance.leave(outer_text);
    // Whoever calls the procedure holds its rows.
    context.memory.reset(before);
    ended
}

/// Appends the rows of a batch.
fn take(
    context: &mut Context<'_>,
    rows: &mut Vec<Vec<Value>>,
    batch: &Batch,
    columns: &[(Arc<str>, Slot)],
) -> Result<(), Fault> {
    for row in batch.rows() {
        let columns = columns.iter();
        let row: Vec<Value> = columns.map(|(_, slot)| row[slot.at()].clone()).collect();
        let bytes = size_of::<Vec<Value>>() + bytes_of_all(&row);
        context.memory.charge(bytes)?;
        rows.push(row);
    }
    Ok(())
}

/// What went wrong, with the clause that the settings became: places in it mean nothing in the query's text.
fn told(fault: Fault, clause: &str) -> Fault {
    let (detail, message, hint) = match fault {
        Fault::Raised(raised) => (raised.detail, raised.message, raised.hint),
        Fault::Engine(error) => match *error {
            crate::error::Error::Query(error) => (
                error.detail(),
                error.message().to_owned(),
                error.hint().map(str::to_owned),
            ),
            other => return other.into(),
        },
    };
    let hint = hint.map_or(String::new(), |hint| format!("{hint}; "));
    raise(detail, message).hint(format!("{hint}the settings mean `{clause}`"))
}
