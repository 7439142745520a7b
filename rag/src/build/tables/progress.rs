//! How far the work on tables has come, told on the way, which is also where it is stopped.

use stratigraph::Error;
use stratigraph::storage::cancel::CancelToken;

/// What is done with tables, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablesStep {
    /// Rows are read, counted in bytes of their files.
    Read,
    /// Texts get their vectors.
    Embed,
    /// Nodes and relationships are written, and those that are not stated any more taken out, all of it at once in the end.
    Write,
}

/// How far the work on tables has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TablesProgress {
    /// What is being done.
    pub step: TablesStep,
    /// How much of it is done: bytes, texts, or nodes and relationships, those that go among them.
    pub done: u64,
    /// How much of it there is.
    pub total: u64,
}

/// Of so many rows, nodes or relationships one is told: each would cost more than the work.
const TOLD_ONE_OF: u64 = 1024;

/// Tells how far the work has come. Each word of it ends the work if somebody has cancelled it.
pub(super) struct Telling<'a> {
    told: &'a mut dyn FnMut(TablesProgress),
    cancel: CancelToken,
    now: TablesProgress,
    /// How many things of this step were not told.
    untold: u64,
}

impl<'a> Telling<'a> {
    pub(super) fn new(told: &'a mut dyn FnMut(TablesProgress), cancel: &CancelToken) -> Self {
        Self {
            told,
            cancel: cancel.clone(),
            now: TablesProgress {
                step: TablesStep::Read,
                done: 0,
                total: 0,
            },
            untold: 0,
        }
    }

    /// A step begins, with so much to do.
    pub(super) fn begin(&mut self, step: TablesStep, total: u64) -> Result<(), Error> {
        let done = 0;
        self.now = TablesProgress { step, done, total };
        self.tell()
    }

    /// So much of the step is done.
    pub(super) fn done(&mut self, done: u64) -> Result<(), Error> {
        self.now.done = done;
        self.tell()
    }

    /// One of many small things was done, and with it so much of the step.
    pub(super) fn one(&mut self, done: u64) -> Result<(), Error> {
        self.now.done = done;
        self.untold += 1;
        match self.untold >= TOLD_ONE_OF {
            true => self.tell(),
            false => Ok(()),
        }
    }

    /// One more of many small things was done.
    pub(super) fn one_more(&mut self) -> Result<(), Error> {
        self.one(self.now.done + 1)
    }

    /// The step is done.
    pub(super) fn end(&mut self) -> Result<(), Error> {
        self.done(self.now.total)
    }

    fn tell(&mut self) -> Result<(), Error> {
        self.cancel.check()?;
        self.untold = 0;
        (self.told)(self.now);
        Ok(())
    }
}
