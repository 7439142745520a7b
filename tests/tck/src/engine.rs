//! What the runner asks of an engine, and the variants in which it must give the same answers.
//!
//! The engine itself is behind [`Engine`] and [`Session`], so that the judge can be tried with planted
//! mistakes. It must never see an expectation: an engine is told what to run and nothing else.
//!
//! Next: `bound.rs`.

use crate::cell::Cell;
use crate::compare::Answer;
use crate::effects::GraphState;
use crate::scenario::Stub;
use anyhow::Result;

/// A way to run the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Variant {
    /// In memory.
    Default,
    /// In memory, with batches of one row.
    #[value(name = "batch-1")]
    Batch1,
    /// In memory, without the optimiser's rules.
    NoRules,
    /// In a folder that stays open.
    Plain,
    /// In a folder that is closed and opened again between any two statements.
    Reopen,
}

impl Variant {
    /// All of them, the quickest first.
    pub const ALL: [Self; 5] = [
        Self::Default,
        Self::Batch1,
        Self::NoRules,
        Self::Plain,
        Self::Reopen,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Batch1 => "batch-1",
            Self::NoRules => "no-rules",
            Self::Plain => "plain",
            Self::Reopen => "reopen",
        }
    }
}

/// Something that can be asked.
pub trait Engine: Send + Sync {
    /// An empty database in which these procedures exist.
    ///
    /// # Errors
    /// If there can be none; then whatever was to be tried in it has failed.
    fn session(&self, variant: Variant, procedures: &[Stub]) -> Result<Box<dyn Session>>;
}

/// A database for the length of one scenario.
pub trait Session {
    /// Runs one statement to its end.
    ///
    /// # Errors
    /// What the engine refused it with.
    fn run(&mut self, query: &str, parameters: &[(String, Cell)]) -> Result<Answer, Refusal>;

    /// What is in the graph now.
    ///
    /// # Errors
    /// If it cannot be read.
    fn state(&mut self) -> Result<GraphState>;
}

/// An error that the engine answered with.
#[derive(Clone, Debug, Default)]
pub struct Refusal {
    /// `SyntaxError` and the like.
    pub error_type: String,
    /// `compile time` or `runtime`.
    pub phase: String,
    /// `UndefinedVariable` and the like.
    pub detail: String,
    /// One line for people.
    pub message: String,
    /// All that is shown to people: message, place, the line with a caret, a hint.
    pub shown: String,
}

impl Refusal {
    /// An error that is not about the query, and that no scenario can expect.
    pub fn of_the_engine(message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            error_type: "EngineError".to_owned(),
            phase: "runtime".to_owned(),
            detail: "none".to_owned(),
            shown: message.clone(),
            message,
        }
    }

    /// The three words that scenarios compare.
    pub fn words(&self) -> String {
        format!("{} at {}: {}", self.error_type, self.phase, self.detail)
    }
}
