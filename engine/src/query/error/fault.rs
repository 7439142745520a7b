//! Errors on their way up.

use super::Detail;
use crate::error::Error;
use stratigraph_query_lang::Span;

/// What stops a query: something that the query is to blame for, or the engine below it.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The query's own; it becomes a [`QueryError`](super::QueryError).
    Raised(Box<Raised>),
    /// From below: goes through as it is.
    Engine(Box<Error>),
}

/// An error of a query before its text and phase are known.
#[derive(Debug, Clone)]
pub(crate) struct Raised {
    pub(crate) detail: Detail,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Where; the innermost expression that knows fills it in.
    pub(crate) span: Option<Span>,
    /// Some details are of another type in some places (`SKIP -1` is a syntax error at run time too).
    pub(crate) error_type: Option<super::ErrorType>,
}

/// An error of a query, without its place.
pub(crate) fn raise(detail: Detail, message: impl Into<String>) -> Fault {
    Fault::Raised(Box::new(Raised {
        detail,
        message: message.into(),
        hint: None,
        span: None,
        error_type: None,
    }))
}

impl Fault {
    /// Whether a limit of the query is reached, so that it must end.
    pub(crate) fn is_limit(&self) -> bool {
        use Detail::{MemoryLimit, RowLimit, StepLimit, TimeLimit};
        matches!(self, Self::Raised(raised)
            if matches!(raised.detail, MemoryLimit | TimeLimit | RowLimit | StepLimit))
    }

    /// With what to do about it.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Raised(raised) = &mut self {
            raised.hint = Some(hint.into());
        }
        self
    }

    /// With its place, if it has none yet: the innermost place is the best.
    #[must_use]
    pub(crate) fn at(mut self, span: Span) -> Self {
        if let Self::Raised(raised) = &mut self {
            raised.span.get_or_insert(span);
        }
        self
    }

    /// Of another type than its detail usually is.
    #[must_use]
    pub(crate) fn of_type(mut self, error_type: super::ErrorType) -> Self {
        if let Self::Raised(raised) = &mut self {
            raised.error_type = Some(error_type);
        }
        self
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Engine(Box::new(error))
    }
}

impl From<crate::value::TooDeep> for Fault {
    fn from(error: crate::value::TooDeep) -> Self {
        raise(Detail::NestingTooDeep, error.to_string())
    }
}
