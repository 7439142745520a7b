//! A run: the operators of one list, each a stage, and the loop that carries batches from one to the next.
//!
//! The loop asks the last stage for rows. A stage that has none asks for more input, and the loop goes to the
//! stage before it; a stage that has some gives them, and the loop goes to the stage after it. So the stack is
//! as deep for a thousand operators as for one.
//!
//! Next: `stage.rs`.

use super::batch::Batch;
use super::context::Context;
use super::stage::{Frame, Poll, Stage};
use crate::error::Error;
use crate::query::error::Fault;
use crate::query::plan::Op;
use crate::value::Value;
use std::sync::Arc;

/// How many rows the first batches have, so that whoever needs few does not wait for many.
const FIRST_ROWS: usize = 64;

/// Operators that are being run over one row.
pub(crate) struct Run {
    ops: Arc<[Op]>,
    stages: Vec<Stage>,
    frame: Frame,
    /// Which stage is to be asked next.
    at: usize,
    over: bool,
}

impl Run {
    /// The operators over a row.
    pub(crate) fn new(ops: &Arc<[Op]>, width: usize, argument: Vec<Value>) -> Self {
        let mut run = Self {
            ops: Arc::clone(ops),
            stages: ops.iter().map(Stage::new).collect(),
            frame: Frame {
                width,
                room: FIRST_ROWS,
                argument,
            },
            at: 0,
            over: false,
        };
        run.begin();
        run
    }

    /// The same for somebody who may be content with one row.
    pub(crate) fn new_for_one(ops: &Arc<[Op]>, width: usize, argument: Vec<Value>) -> Self {
        let mut run = Self::new(ops, width, argument);
        run.frame.room = 1;
        run
    }

    /// The same operators over another row.
    pub(crate) fn restart(&mut self, context: &mut Context<'_>, argument: &[Value]) {
        self.close(context);
        for (stage, op) in self.stages.iter_mut().zip(self.ops.iter()) {
            stage.restart(op);
        }
        self.frame.argument.clear();
        self.frame.argument.extend_from_slice(argument);
        self.begin();
    }

    /// Gives back the memory that it holds. Whoever does not take all rows must call this.
    pub(crate) fn close(&mut self, context: &mut Context<'_>) {
        for stage in &mut self.stages {
            stage.close(context);
        }
        self.over = true;
    }

    fn begin(&mut self) {
        self.over = false;
        self.at = self.stages.len().saturating_sub(1);
        if let Some(first) = self.stages.first_mut() {
            first.input.feed(Batch::of(self.frame.argument.clone()));
            first.input.end();
        }
    }

    /// The next rows, at least one; nothing once there are no more.
    pub(crate) fn next(&mut self, context: &mut Context<'_>) -> Result<Option<Batch>, Fault> {
        if self.over {
            return Ok(None);
        }
        if self.stages.is_empty() {
            self.over = true;
            return Ok(Some(Batch::of(self.frame.argument.clone())));
        }
        self.frame.room = self.frame.room.min(context.batch_rows);
        let found = self.drive(context);
        match &found {
            Ok(Some(_)) => self.frame.room = self.frame.room.saturating_mul(2),
            _ => self.close(context),
        }
        found
    }

    fn drive(&mut self, context: &mut Context<'_>) -> Result<Option<Batch>, Fault> {
        let last = self.stages.len() - 1;
        loop {
            let (stage, op) = (&mut self.stages[self.at], &self.ops[self.at]);
            let mark = context.mark();
            let poll = stage.poll(op, &self.frame, context)?;
            context.note(op, mark, poll.rows(), stage.held());
            match poll {
                Poll::Rows(batch) => {
                    context.steps(batch.len())?;
                    if self.at == last {
                        return Ok(Some(batch));
                    }
                    self.at += 1;
                    self.stages[self.at].input.feed(batch);
                }
                Poll::Wants if self.at > 0 && !self.stages[self.at].input.has_ended() => {
                    self.at -= 1;
                }
                Poll::Wants => {
                    return Err(Error::bug("an operator waits for rows that cannot come").into());
                }
                Poll::Done => {
                    self.stages[self.at].close(context);
                    if self.at == last {
                        return Ok(None);
                    }
                    self.at += 1;
                    self.stages[self.at].input.end();
                }
            }
        }
    }

    /// Takes all rows and forgets them.
    pub(crate) fn exhaust(&mut self, context: &mut Context<'_>) -> Result<(), Fault> {
        while self.next(context)?.is_some() {}
        Ok(())
    }
}
