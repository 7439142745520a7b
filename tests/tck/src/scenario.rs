//! What a scenario is, whichever format it was read from.
//!
//! It must never know a file format; `json_lines.rs` and `feature/` make these.
//!
//! Next: `json_lines.rs`.

use crate::cell::Cell;
use crate::effects::Effects;

/// One thing to try, with everything it needs.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// `folder/file#number`, with `.example` for one of an outline.
    pub id: String,
    /// The folder of its file, by which results are summed up.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// Where to read it: the line in the upstream file.
    pub line: usize,
    /// Procedures that exist.
    pub procedures: Vec<Stub>,
    /// Queries that make the graph, in order; the first of them may be a named graph's script.
    pub setup: Vec<String>,
    /// Parameters of the query under test.
    pub parameters: Vec<(String, Cell)>,
    /// The query under test.
    pub query: String,
    /// What it must give.
    pub expectation: Expectation,
    /// What it must do; `None` if that is not stated.
    pub effects: Option<Effects>,
    /// Queries to run afterwards, and what they must give.
    pub control: Vec<(String, Expectation)>,
}

/// What a query must give.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// Rows.
    Rows(Rows),
    /// An error.
    Error(ExpectedError),
}

impl Default for Expectation {
    fn default() -> Self {
        Self::Rows(Rows::default())
    }
}

/// Expected rows.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The columns; `None` if there must be no rows and the columns are not stated.
    pub columns: Option<Vec<String>>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// Whether their order counts.
    pub ordered: bool,
    /// Whether lists are compared as bags.
    pub ignore_list_order: bool,
}

/// An expected error.
#[derive(Clone, Debug)]
pub struct ExpectedError {
    /// `SyntaxError` and the like.
    pub error_type: String,
    /// When.
    pub phase: Phase,
    /// `UndefinedVariable` and the like, or `*` for any.
    pub detail: String,
}

/// When an error must be raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before anything ran.
    Compile,
    /// While it ran.
    Runtime,
    /// Either.
    Any,
}

impl Phase {
    /// The phase of this name: `compile`, `compile time`, `runtime`, `any` or `any time`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "compile" | "compile time" => Some(Self::Compile),
            "runtime" => Some(Self::Runtime),
            "any" | "any time" => Some(Self::Any),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile time",
            Self::Runtime => "runtime",
            Self::Any => "any time",
        }
    }
}

/// A procedure that exists only for a scenario: a table whose first columns are the arguments.
#[derive(Clone, Debug, Default)]
pub struct Stub {
    /// Its full name, with dots.
    pub name: String,
    /// Names and types of the arguments.
    pub arguments: Vec<(String, String)>,
    /// Names and types of what it yields.
    pub yields: Vec<(String, String)>,
    /// One row per combination that it knows: the arguments, then what they yield.
    pub rows: Vec<Vec<Cell>>,
}

impl Stub {
    /// Reads a signature: `name(a :: TYPE, ...) :: (b :: TYPE, ...)`, or `:: VOID`.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn from_signature(signature: &str) -> anyhow::Result<Self> {
        let wrong = || anyhow::anyhow!("`{signature}` is no signature");
        let (name, rest) = signature.split_once('(').ok_or_else(wrong)?;
        let (arguments, rest) = rest.split_once(')').ok_or_else(wrong)?;
        let yields = rest.trim().strip_prefix("::").ok_or_else(wrong)?.trim();
        let yields = match yields {
            "VOID" => "",
            list => list
                .strip_prefix('(')
                .and_then(|list| list.strip_suffix(')'))
                .ok_or_else(wrong)?,
        };
        let fields = |list: &str| {
            list.split(',')
                .filter(|field| !field.trim().is_empty())
                .map(|field| {
                    let (name, kind) = field.split_once("::").ok_or_else(wrong)?;
                    Ok((name.trim().to_owned(), kind.trim().to_owned()))
                })
                .collect::<anyhow::Result<Vec<_>>>()
        };
        Ok(Self {
            name: name.trim().to_owned(),
            arguments: fields(arguments)?,
            yields: fields(yields)?,
            rows: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures() {
        let stub = Stub::from_signature("my.proc(in :: INTEGER?, x :: STRING?) :: (out :: FLOAT?)")
            .unwrap();
        assert_eq!(stub.name, "my.proc");
        assert_eq!(stub.arguments.len(), 2);
        assert_eq!(stub.arguments[1], ("x".to_owned(), "STRING?".to_owned()));
        assert_eq!(stub.yields, [("out".to_owned(), "FLOAT?".to_owned())]);
        for nothing in ["p() :: VOID", "p() :: ()"] {
            let stub = Stub::from_signature(nothing).unwrap();
            assert!(stub.arguments.is_empty() && stub.yields.is_empty());
        }
        for wrong in ["p", "p()", "p() :: x", "p(a) :: ()"] {
            assert!(Stub::from_signature(wrong).is_err(), "{wrong}");
        }
    }
}
