//! What can be wrong with a query: which type of error, when it was found, where, and what to do.
//!
//! The words of [`ErrorType`], [`Phase`] and [`Detail`] are those of the openCypher conformance suite, so
//! that tools which know them know ours. A [`Fault`] is an error on its way up: it gets its place in the text
//! from the expression that raised it, and becomes a [`QueryError`] where the text is known.
//!
//! Next: `detail.rs`, then `fault.rs`.

mod detail;
mod fault;

pub use detail::{Detail, ErrorType, Phase};
pub(crate) use fault::{Fault, Raised, raise};

use std::fmt;
use std::sync::Arc;
use stratigraph_query_lang::{ParseError, ParseErrorKind, Position};

/// A query that is wrong, or went wrong.
///
/// Its `Display` shows the line of the query with a caret under the place.
///
/// ```
/// use stratigraph::{Database, Detail, Error};
///
/// let db = Database::in_memory()?;
/// let Err(Error::Query(error)) = db.query("MATCH (person) RETURN persn", ()) else {
///     panic!("there is no variable of that name");
/// };
/// assert_eq!(error.detail(), Detail::UndefinedVariable);
/// assert_eq!(error.position().map(|position| position.column), Some(23));
/// assert_eq!(error.hint(), Some("did you mean `person`?"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct QueryError {
    error_type: ErrorType,
    phase: Phase,
    detail: Detail,
    message: String,
    hint: Option<String>,
    position: Option<Position>,
    /// The line that the position is in.
    line: Arc<str>,
}

impl QueryError {
    /// An error of a text.
    pub(crate) fn new(text: &str, phase: Phase, raised: Raised) -> Self {
        let position = raised.span.map(|span| span.position(text));
        let line = position.and_then(|position| text.lines().nth(position.line as usize - 1));
        let usual = raised.detail.error_type(phase);
        Self {
            error_type: raised.error_type.unwrap_or(usual),
            phase,
            detail: raised.detail,
            message: raised.message,
            hint: raised.hint,
            position,
            line: line.unwrap_or("").into(),
        }
    }

    /// The same, where so many portions of the statement are committed.
    pub(crate) fn after_portions(mut self, portions: u64) -> Self {
        let word = if portions == 1 {
            "portion is"
        } else {
            "portions are"
        };
        self.message = format!("{}; {portions} {word} committed", self.message);
        self
    }

    /// What the parser found.
    pub(crate) fn parsing(text: &str, error: ParseError) -> Self {
        let detail = match error.kind {
            ParseErrorKind::IntegerOverflow => Detail::IntegerOverflow,
            ParseErrorKind::FloatingPointOverflow => Detail::FloatingPointOverflow,
            ParseErrorKind::InvalidNumberLiteral => Detail::InvalidNumberLiteral,
            ParseErrorKind::InvalidUnicodeLiteral => Detail::InvalidUnicodeLiteral,
            ParseErrorKind::InvalidUnicodeCharacter => Detail::InvalidUnicodeCharacter,
            ParseErrorKind::InvalidRelationshipPattern => Detail::InvalidRelationshipPattern,
            ParseErrorKind::InvalidClauseComposition => Detail::InvalidClauseComposition,
            ParseErrorKind::DuplicateSubclause => Detail::DuplicateSubclause,
            ParseErrorKind::InvalidTraverseStep => Detail::InvalidTraverseStep,
            ParseErrorKind::UnboundedRecover => Detail::UnboundedRecover,
            ParseErrorKind::NestingTooDeep => Detail::NestingTooDeep,
            ParseErrorKind::TooLong => Detail::QueryTooLong,
            _ => Detail::UnexpectedSyntax,
        };
        let raised = Raised {
            detail,
            message: error.message,
            hint: error.hint,
            span: Some(error.span),
            error_type: None,
        };
        Self::new(text, Phase::Compile, raised)
    }

    /// Which type of error it is.
    #[must_use]
    pub fn error_type(&self) -> ErrorType {
        self.error_type
    }

    /// When it was found.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What exactly it is: the stable code of the error.
    #[must_use]
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// What is wrong, in one sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Where in the text.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.position
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (error_type, detail) = (self.error_type().name(), self.detail.name());
        write!(f, "{error_type} ({detail}): {}", self.message)?;
        if let Some(position) = self.position {
            writeln!(
                f,
                "\n  at line {}, column {}",
                position.line, position.column
            )?;
            f.write_str(&position.shown_in(&self.line))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for QueryError {}
