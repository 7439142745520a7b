//! One operator at work: the rows that it was given, what it remembers, and one step of it.
//!
//! Next: `flat/mod.rs`, then `gather/mod.rs`.

use super::batch::Batch;
use super::context::Context;
use super::flat::{self, Flat};
use super::gather;
use super::kind::Kind;
use super::memory::Charge;
use super::pipeline::Run;
use super::walks;
use crate::error::Error;
use crate::query::error::Fault;
use crate::query::plan::Op;
use crate::value::Value;

/// What a stage answers.
pub(super) enum Poll {
    /// Rows, at least one; there may be more.
    Rows(Batch),
    /// It needs more rows, or to hear that there are none.
    Wants,
    /// There are no more rows, whether or not all of the input was taken.
    Done,
}

impl Poll {
    /// How many rows it gives.
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Rows(batch) => batch.len(),
            Self::Wants | Self::Done => 0,
        }
    }
}

/// What the stages of a run have in common.
pub(super) struct Frame {
    /// How many slots a row has.
    pub(super) width: usize,
    /// About how many rows to give at once.
    pub(super) room: usize,
    /// The row that the run was given.
    pub(super) argument: Vec<Value>,
}

/// Where an operator works.
pub(super) struct Site<'s, 't> {
    /// The query.
    pub(super) context: &'s mut Context<'t>,
    /// The run.
    pub(super) frame: &'s Frame,
    /// The memory that the operator holds.
    pub(super) charge: &'s mut Charge,
}

impl Site<'_, '_> {
    /// Charges so many bytes more to the operator.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), Fault> {
        self.charge.add(&mut self.context.memory, bytes)
    }

    /// Charges so many bytes in all to the operator.
    pub(super) fn charge_in_all(&mut self, bytes: usize) -> Result<(), Fault> {
        self.charge.set(&mut self.context.memory, bytes)
    }
}

/// The rows that a stage was given and has not done with.
#[derive(Default)]
pub(super) struct Input {
    batch: Batch,
    at: usize,
    /// Whether the row at `at` was begun with.
    open: bool,
    ended: bool,
}

impl Input {
    /// Gives it rows. It has none at that time.
    pub(super) fn feed(&mut self, batch: Batch) {
        self.batch = batch;
        self.at = 0;
        self.open = false;
    }

    /// Tells it that there are no more.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether it was told so.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// All rows at once.
    pub(super) fn take(&mut self) -> Option<Batch> {
        let batch = std::mem::take(&mut self.batch);
        (!batch.is_empty()).then_some(batch)
    }

    /// What a stage answers that has nothing to give.
    pub(super) fn without_rows(&self) -> Poll {
        if self.ended { Poll::Done } else { Poll::Wants }
    }
}

/// A stage of a run.
pub(super) struct Stage {
    pub(super) input: Input,
    state: State,
    charge: Charge,
}

/// What an operator remembers between two steps.
enum State {
    /// Nothing.
    Plain,
    Scan(flat::Scan),
    Search(Box<flat::Searching>),
    Expand(flat::Expanding),
    Ends(flat::EndsOf),
    ExpandMany(Box<flat::Trails>),
    Repeat(Box<flat::Rounds>),
    Shortest(Box<flat::Ways>),
    Traverse(Box<flat::Traversing>),
    Unwind(flat::Unwind),
    Optional(flat::Optional),
    Union(Box<flat::Arms>),
    Apply(flat::Applied),
    Call(flat::Called),
    Merge(flat::Merging),
    Foreach(Option<Box<Run>>),
    Counted(flat::Counted),
    Aggregate(Box<gather::Groups>),
    Walks(Box<walks::Walking>),
    Sort(Box<gather::Sorting>),
    Distinct(Box<gather::Seen>),
    Eager(Box<gather::Kept>),
    Delete(Box<gather::Doomed>),
    InTransactions(Box<gather::Portions>),
}

impl State {
    fn new(op: &Op) -> Self {
        match op {
            Op::Scan { .. } | Op::ScanRelationships { .. } => Self::Scan(flat::Scan::default()),
            Op::Search(_) => Self::Search(Box::default()),
            Op::Expand(_) => Self::Expand(flat::Expanding::default()),
            Op::Ends(_) => Self::Ends(flat::EndsOf::default()),
            Op::ExpandMany(_) => Self::ExpandMany(Box::default()),
            Op::Repeat(_) => Self::Repeat(Box::default()),
            Op::Shortest(_) => Self::Shortest(Box::default()),
            Op::Traverse(_) => Self::Traverse(Box::default()),
            Op::Unwind { .. } => Self::Unwind(flat::Unwind::default()),
            Op::Optional { .. } => Self::Optional(flat::Optional::default()),
            Op::Union(_) => Self::Union(Box::default()),
            Op::Apply(apply) if apply.transactions.is_some() => {
                Self::InTransactions(Box::default())
            }
            Op::Apply(_) => Self::Apply(flat::Applied::default()),
            Op::Call(_) => Self::Call(flat::Called::default()),
            Op::Merge(_) => Self::Merge(flat::Merging::default()),
            Op::Foreach { .. } => Self::Foreach(None),
            Op::Skip(_) | Op::Limit(_) => Self::Counted(flat::Counted::default()),
            Op::Aggregate(_) => Self::Aggregate(Box::default()),
            Op::Walks(_) => Self::Walks(Box::default()),
            Op::Sort { .. } => Self::Sort(Box::default()),
            Op::Distinct(_) => Self::Distinct(Box::default()),
            Op::Eager { .. } => Self::Eager(Box::default()),
            Op::Delete { .. } => Self::Delete(Box::default()),
            Op::Filter(_)
            | Op::Compute(_)
            | Op::Drain
            | Op::Create(_)
            | Op::Set(_)
            | Op::Remove(_) => Self::Plain,
        }
    }

    /// The run that is nested in it.
    fn nested(&mut self) -> Option<&mut Run> {
        match self {
            Self::Optional(optional) => optional.nested(),
            Self::Union(arms) => arms.nested(),
            Self::Apply(applied) => applied.nested(),
            Self::Merge(merging) => merging.nested(),
            Self::Foreach(run) => run.as_deref_mut(),
            Self::InTransactions(portions) => portions.nested(),
            Self::Walks(walking) => walking.nested(),
            // The rounds of a repetition are closed one by one.
            _ => None,
        }
    }
}

impl Stage {
    /// An operator that was given nothing yet.
    pub(super) fn new(op: &Op) -> Self {
        Self {
            input: Input::default(),
            state: State::new(op),
            charge: Charge::default(),
        }
    }

    /// How many bytes it holds.
    pub(super) fn held(&self) -> usize {
        self.charge.bytes()
    }

    /// As if it were new.
    pub(super) fn restart(&mut self, op: &Op) {
        self.input = Input::default();
        if let State::Search(searching) = &mut self.state {
            searching.restart();
            return;
        }
        // What is nested is kept: it is begun anew for each row anyway.
        if self.state.nested().is_none() {
            self.state = State::new(op);
        } else {
            self.reset_nested();
        }
    }

    fn reset_nested(&mut self) {
        match &mut self.state {
            State::Union(arms) => arms.reset(),
            State::InTransactions(portions) => portions.reset(),
            State::Merge(merging) => merging.reset(),
            State::Walks(walking) => **walking = walks::Walking::default(),
            _ => {}
        }
    }

    /// Gives back the memory that it holds.
    pub(super) fn close(&mut self, context: &mut Context<'_>) {
        self.charge.free(&mut context.memory);
        if let Some(nested) = self.state.nested() {
            nested.close(context);
        }
        if let State::Repeat(rounds) = &mut self.state {
            rounds.close(context);
        }
    }

    /// One step.
    pub(super) fn poll(
        &mut self,
        op: &Op,
        frame: &Frame,
        context: &mut Context<'_>,
    ) -> Result<Poll, Fault> {
        let input = &mut self.input;
        let site = &mut Site {
            context,
            frame,
            charge: &mut self.charge,
        };
        match (op, &mut self.state) {
            (Op::Filter(expr), State::Plain) => flat::filter(expr, input, site),
            (Op::Compute(slots), State::Plain) => flat::compute(slots, input, site),
            (Op::Create(items), State::Plain) => flat::create(items, input, site),
            (Op::Set(items), State::Plain) => flat::set(items, input, site),
            (Op::Remove(items), State::Plain) => flat::remove(items, input, site),
            (Op::Foreach { list, into, ops }, State::Foreach(run)) => {
                flat::foreach((list, *into, ops), run, input, site)
            }
            (Op::Drain, State::Plain) => Ok(gather::drain(input)),
            (Op::Scan { into, by }, State::Scan(state)) => {
                drive(state, (Kind::Nodes, *into, by), input, site)
            }
            (Op::ScanRelationships { into, by }, State::Scan(state)) => {
                drive(state, (Kind::Relationships, *into, by), input, site)
            }
            (Op::Search(of), State::Search(state)) => drive(&mut **state, &**of, input, site),
            (Op::Expand(of), State::Expand(state)) => drive(state, of, input, site),
            (Op::Ends(of), State::Ends(state)) => drive(state, of, input, site),
            (Op::ExpandMany(of), State::ExpandMany(state)) => drive(&mut **state, of, input, site),
            (Op::Repeat(of), State::Repeat(state)) => drive(&mut **state, &**of, input, site),
            (Op::Shortest(of), State::Shortest(state)) => drive(&mut **state, &**of, input, site),
            (Op::Traverse(of), State::Traverse(state)) => drive(&mut **state, &**of, input, site),
            (Op::Unwind { list, into }, State::Unwind(state)) => {
                drive(state, (list, *into), input, site)
            }
            (Op::Optional { ops, nulls }, State::Optional(state)) => {
                drive(state, (ops, nulls), input, site)
            }
            (Op::Union(of), State::Union(state)) => drive(&mut **state, of, input, site),
            (Op::Apply(of), State::Apply(state)) => drive(state, &**of, input, site),
            (Op::Call(of), State::Call(state)) => drive(state, &**of, input, site),
            (Op::Merge(of), State::Merge(state)) => drive(state, &**of, input, site),
            (Op::Skip(rows), State::Counted(state)) => state.skip(rows, input, site),
            (Op::Limit(rows), State::Counted(state)) => state.limit(rows, input, site),
            (Op::Aggregate(of), State::Aggregate(state)) => state.poll(of, input, site),
            (Op::Walks(of), State::Walks(state)) => state.poll(of, input, site),
            (
                Op::Sort {
                    by,
                    skip,
                    limit,
                    keep,
                },
                State::Sort(state),
            ) => {
                let most = (skip.as_ref(), limit.as_ref());
                state.poll((by, most, keep), input, site)
            }
            (Op::Distinct(slots), State::Distinct(state)) => state.poll(slots, input, site),
            (Op::Eager { keep, .. }, State::Eager(state)) => state.poll(keep, input, site),
            (Op::Delete { detach, items }, State::Delete(state)) => {
                state.poll(*detach, items, input, site)
            }
            (Op::Apply(of), State::InTransactions(state)) => state.poll(of, input, site),
            _ => Err(Error::bug("an operator met what another remembers").into()),
        }
    }
}

/// One step of an operator that makes rows of each row.
fn drive<F: Flat>(
    state: &mut F,
    of: F::Of<'_>,
    input: &mut Input,
    site: &mut Site<'_, '_>,
) -> Result<Poll, Fault> {
    let mut out = Batch::new(site.frame.width);
    while input.at < input.batch.len() {
        let row = input.batch.row_mut(input.at);
        if !input.open {
            site.context.step()?;
            state.begin(of, site, row)?;
            input.open = true;
        }
        if state.give(of, site, row, &mut out)? {
            input.open = false;
            input.at += 1;
        }
        if out.len() >= site.frame.room {
            break;
        }
    }
    if out.is_empty() {
        return Ok(input.without_rows());
    }
    Ok(Poll::Rows(out))
}
