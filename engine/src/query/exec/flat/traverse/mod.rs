//! Level by level, for each row: the machine of `algo::traverse` over a query's graph and expressions.
//!
//! The machine asks for steps, scores and decisions in turn. All of them need the query, so they share it, and
//! a row of their own in which the step's variables are filled.
//!
//! | what | where |
//! |---|---|
//! | what is the same for all levels | `settings.rs` |
//! | what the parts share | `shared.rs` |
//! | from one level to the next | `stepping.rs` |
//! | SCORE | `scoring.rs` |
//! | what codes prove of members that RECOVER looks at | `by_codes.rs` |
//! | KEEP and RECOVER | `keeping.rs` |
//!
//! Next: `settings.rs`.

mod by_codes;
mod keeping;
mod scoring;
mod settings;
mod shared;
mod stepping;

use super::Flat;
use crate::algo::traverse::{Columns, Emit, Row, Traversal, Traverse as Machine, TraverseError};
use crate::error::Error;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::batch::Batch;
use crate::query::exec::stage::Site;
use crate::query::expr::Expr;
use crate::query::plan::{Op, Traverse, TraverseColumn};
use crate::query::provenance::TraversalReport;
use crate::value::{NodeId, NodeValue, PathValue, RelationshipId, RelationshipValue, Value};
use keeping::Looking;
use scoring::Scoring;
use settings::Settings;
use shared::Shared;
use std::cell::RefCell;
use std::sync::Arc;
use stepping::Stepping;

/// The operator as it was planned.
type Of = Traverse<Arc<[Op]>>;

/// What was found for the row, and how much of it was given.
#[derive(Default)]
pub(in crate::query::exec) struct Traversing {
    found: Traversal,
    at: usize,
    /// How many bytes it takes beside what was given last.
    held: usize,
}

impl Flat for Traversing {
    type Of<'o> = &'o Of;

    fn begin(&mut self, of: &Of, site: &mut Site<'_, '_>, row: &mut [Value]) -> Result<(), Fault> {
        self.at = 0;
        self.found = Traversal::default();
        // What the row before it held is given back.
        site.charge_in_all(0)?;
        self.found = traverse(of, site, row).map_err(|fault| fault.at(of.span))?;
        self.held = site.charge.bytes();
        Ok(())
    }

    fn give(
        &mut self,
        of: &Of,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        // What was given before has gone on.
        site.charge_in_all(self.held)?;
        while out.len() < site.frame.room {
            let Some(found) = self.found.rows.get(self.at) else {
                return Ok(true);
            };
            self.at += 1;
            let new = out.push(row);
            for (column, slot) in &of.yields {
                let value = value_of(*column, &found, of.step.hops.len() > 1);
                // Ways are as long as there are levels, and roots may be many.
                if matches!(column, TraverseColumn::Path | TraverseColumn::Roots) {
                    let charged = site.charge(value.held_bytes());
                    charged.map_err(|fault| fault.at(of.span))?;
                }
                new[slot.at()] = value;
            }
        }
        Ok(false)
    }
}

/// Runs the traversal of a row to its end.
fn traverse(of: &Of, site: &mut Site<'_, '_>, row: &mut [Value]) -> Result<Traversal, Fault> {
    let Some(settings) = Settings::of(of, site, row)? else {
        return Ok(Traversal::default());
    };
    let (clock, stop) = site.context.clock_and_stop();
    let begun = clock.now();
    let shared = RefCell::new(Shared::new(site, row));
    let shared = &shared;
    let mut machine = Machine::from(settings.roots)
        .levels(settings.first, settings.last)
        .columns(columns(of))
        .with_cancel(stop);
    if of.unfiltered {
        machine = machine.unfiltered();
    }
    if of.candidates {
        machine = machine.emit(Emit::Candidates);
    }
    if let Some(budget) = settings.budget {
        machine = machine.budget(budget.limit, budget.unit, budget.on_exceed);
    }
    if let Some(scored) = &of.scored {
        machine = machine.scorer(Scoring::new(shared, of, scored, of.step.to()));
    }
    machine = machine.keep(keeping::keep(
        shared,
        of,
        (&of.keep, settings.top),
        of.step.to(),
    ));
    if let Some(recover) = &of.recover {
        machine = machine.recover(Looking::recover(
            shared,
            of,
            (recover, settings.recover_top),
        ));
    }
    let mut steps = Stepping::new(shared, of);
    let found = machine
        .run(&mut steps, &*clock)
        .map_err(|error| fault(error, of))?;
    let elapsed = clock.now().saturating_sub(begun).as_millis();
    let elapsed_ms = u64::try_from(elapsed).unwrap_or(u64::MAX);
    let report = TraversalReport::of(&found.summary, settings.budget, elapsed_ms);
    let provenance = &mut shared.borrow_mut().context.provenance;
    provenance.note_traversal(of.span, report);
    Ok(found)
}

/// Which columns have to be worked out.
fn columns(of: &Of) -> Columns {
    let wants = |column| of.yields.iter().any(|(wanted, _)| *wanted == column);
    Columns {
        arrivals: wants(TraverseColumn::Parent) || wants(TraverseColumn::Edge),
        paths: wants(TraverseColumn::Path),
        roots: wants(TraverseColumn::Roots),
    }
}

fn value_of(column: TraverseColumn, row: &Row<'_>, long_steps: bool) -> Value {
    match column {
        TraverseColumn::Node => node(row.node),
        TraverseColumn::Level => i64::from(row.level).into(),
        TraverseColumn::Score => row.score.map_or(Value::Null, Value::Float),
        TraverseColumn::Status => row.status.as_str().into(),
        TraverseColumn::Parent => row.parent().map_or(Value::Null, node),
        TraverseColumn::Edge => match row.edge() {
            None => Value::Null,
            Some(edge) if long_steps => list(edge.into_iter().map(relationship)),
            Some(edge) => edge.first().copied().map_or(Value::Null, relationship),
        },
        TraverseColumn::Path => row.path().map_or(Value::Null, |path| {
            let nodes = path.nodes.into_iter().map(NodeValue::of).collect();
            let relationships = path.relationships.into_iter().map(RelationshipValue::of);
            PathValue::new(nodes, relationships.collect()).map_or(Value::Null, Value::from)
        }),
        TraverseColumn::Roots => match row.roots() {
            None => Value::Null,
            Some(roots) => list(roots.iter().copied().map(node)),
        },
        TraverseColumn::Rank => i64::try_from(row.rank).unwrap_or(i64::MAX).into(),
    }
}

fn list(values: impl Iterator<Item = Value>) -> Value {
    Value::from(values.collect::<Vec<_>>())
}

fn node(id: NodeId) -> Value {
    Value::Node(NodeValue::of(id))
}

fn relationship(id: RelationshipId) -> Value {
    Value::Relationship(RelationshipValue::of(id))
}

/// What the machine says, in the words of queries.
fn fault(error: TraverseError<Fault>, of: &Of) -> Fault {
    let at = |place: Option<&Expr>| place.map_or(of.span, |place| place.span);
    match error {
        TraverseError::Outside(fault) => fault,
        TraverseError::Cancelled => Error::Cancelled.into(),
        TraverseError::BudgetExceeded {
            level,
            budget,
            used,
        } => {
            let message =
                format!("level {level} exceeds the budget of {budget}: {used} were needed");
            let place = at(of.budget.as_ref().map(|budget| &budget.limit));
            raise(Detail::BudgetExceeded, message).at(place).hint(
                "allow more, keep fewer per level, or write ON EXCEED STOP to get the levels before it",
            )
        }
        TraverseError::UnboundedRecover => {
            let message = "RECOVER needs a last level, and it is null";
            let place = at(of.last_level.as_ref());
            raise(Detail::UnboundedRecover, message)
                .at(place)
                .hint("give LEVELS 0..n a number")
        }
        TraverseError::LevelsReversed { first, last } => {
            let message = format!("LEVELS {first}..{last} ends before it begins");
            let place = at(of.last_level.as_ref());
            raise(Detail::NumberOutOfRange, message)
                .at(place)
                .hint("write the smaller level first")
        }
        _ => Error::bug("a traversal was asked for what it cannot do").into(),
    }
}
