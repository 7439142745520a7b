//! A conversation with a database: parameters, limits, a transaction that may be open.
//!
//! Next: `script.rs`.

use super::place::{Answer, Asked, Place};
use super::unknown::Known;
use crate::failure::Failure;
use std::time::Duration;
use stratigraph::Parameters;
use stratigraph::storage::cancel::CancelToken;

/// How long an open transaction of a conversation may rest. A person thinks longer than a program.
pub(crate) const IDLE: Duration = Duration::from_secs(600);
/// How long it may last at all.
pub(crate) const TOTAL: Duration = Duration::from_secs(3600);

/// What a statement may take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// How long it may run.
    pub(crate) time: Option<Duration>,
    /// How many rows it may give; one that gives more fails.
    pub(crate) rows: Option<u64>,
}

/// A conversation with a database.
pub(crate) struct Session {
    place: Box<dyn Place>,
    /// What the `$names` stand for.
    pub(crate) parameters: Parameters,
    /// What each statement may take.
    pub(crate) limits: Limits,
    /// Whether somebody is told of names that a statement asked for and nothing has.
    pub(crate) tells_unknown: bool,
    known: Known,
    /// Whether something ran since the names were last looked at.
    has_news: bool,
}

impl Session {
    /// A conversation without an open transaction.
    pub(crate) fn new(place: Box<dyn Place>) -> Self {
        Self {
            place,
            parameters: Parameters::new(),
            limits: Limits::default(),
            tells_unknown: false,
            known: Known::default(),
            has_news: true,
        }
    }

    /// Where statements are answered.
    pub(crate) fn place(&self) -> &dyn Place {
        &*self.place
    }

    /// Runs a statement, in the open transaction if there is one, and gives its answer to `take`.
    ///
    /// # Errors
    /// Those of the statement and of `take`.
    pub(crate) fn run<T: Default>(
        &mut self,
        text: &str,
        cancel: &CancelToken,
        take: impl FnOnce(&mut dyn Answer) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.has_news = true;
        let asked = Asked {
            text,
            parameters: &self.parameters,
            limits: self.limits,
            cancel,
        };
        let (mut take, mut taken) = (Some(take), T::default());
        self.place.run(asked, &mut |answer| {
            if let Some(take) = take.take() {
                taken = take(answer)?;
            }
            Ok(())
        })?;
        Ok(taken)
    }

    /// What is to be said beside the answer to a statement that has run. Nothing within an open transaction, of which only its
    /// own statements know what is new.
    pub(crate) fn notes(&mut self, text: &str) -> Vec<String> {
        match self.tells_unknown && !self.is_open() {
            true => self.known.notes(&*self.place, text),
            false => Vec::new(),
        }
    }

    /// Whether a transaction is open.
    pub(crate) fn is_open(&self) -> bool {
        self.place.is_open()
    }

    /// Whether names may be other ones than when this was last asked.
    pub(crate) fn has_news(&mut self) -> bool {
        std::mem::take(&mut self.has_news)
    }

    /// Opens a transaction. Gives what somebody should know who lets it rest.
    ///
    /// # Errors
    /// One is open already; what the database refuses.
    pub(crate) fn begin(&mut self, cancel: &CancelToken) -> Result<String, Failure> {
        if self.is_open() {
            return Err(Failure::Command(
                "a transaction is open: :commit or :rollback first".to_owned(),
            ));
        }
        self.place.begin(cancel)
    }

    /// Makes what the open transaction has changed durable.
    ///
    /// # Errors
    /// None is open; what keeps it from being committed, and it is rolled back then.
    pub(crate) fn commit(&mut self) -> Result<(), Failure> {
        self.end(true)
    }

    /// Takes back what the open transaction has changed.
    ///
    /// # Errors
    /// None is open.
    pub(crate) fn roll_back(&mut self) -> Result<(), Failure> {
        self.end(false)
    }

    fn end(&mut self, commit: bool) -> Result<(), Failure> {
        if !self.is_open() {
            return Err(Failure::Command(
                "no transaction is open: :begin opens one".to_owned(),
            ));
        }
        self.has_news = true;
        self.place.end(commit)
    }

    /// Closes the database. What is open is rolled back.
    ///
    /// # Errors
    /// What keeps it from being closed in order.
    pub(crate) fn close(self) -> Result<(), Failure> {
        self.place.close()
    }
}
