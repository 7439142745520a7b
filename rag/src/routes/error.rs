//! Why a query cannot be declared or called.

use stratigraph_models::ModelError;
use thiserror::Error;

/// Why a query cannot be declared or called.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RouteError {
    /// The database refuses.
    #[error(transparent)]
    Database(#[from] stratigraph::Error),
    /// What is declared makes no sense.
    #[error("the declared query {}{problem}", shown(name, place))]
    Declaration {
        /// Its name, if it has one.
        name: String,
        /// Which part of it, as in `parameters[1].name`.
        place: String,
        /// What is wrong there.
        problem: String,
    },
    /// The statement is none, or names what is not there.
    #[error("the statement of the declared query `{name}` cannot be run: {source}")]
    Statement {
        /// The query.
        name: String,
        /// What the database says.
        source: Box<stratigraph::Error>,
    },
    /// The statement would change something.
    #[error(
        "the declared query `{name}` changes the graph or what is declared in it: a model may call it, and so it may only read"
    )]
    Writes {
        /// The query.
        name: String,
    },
    /// No query is declared under that name.
    #[error("no query is declared as `{name}`: there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// An argument is not what the declaration says.
    #[error("{place} of `{query}`: {problem}")]
    Argument {
        /// The query.
        query: String,
        /// Which argument, as in `$.year`.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// More are declared than anybody can choose from.
    #[error("{most} queries can be declared: drop one first")]
    TooMany {
        /// How many.
        most: usize,
    },
    /// Nothing is declared, and nothing could be made up.
    #[error(
        "no query is declared, and there is no table whose rows could be found by their keys: declare one with `CALL rag.declare(...)` or `stratigraph routes add DIR FILE`, or ingest tables through a mapping"
    )]
    NothingDeclared,
    /// A text has no vector.
    #[error("an argument has no vector: {0}")]
    Embedder(#[from] ModelError),
    /// A declared query calls a declared query that calls one, and so on.
    #[error(
        "declared queries call each other more than {most} deep: let the statement do the work itself"
    )]
    TooDeep {
        /// How deep they may.
        most: usize,
    },
}

impl RouteError {
    pub(super) fn declaration(name: &str, place: &str, problem: impl Into<String>) -> Self {
        Self::Declaration {
            name: name.chars().take(64).collect(),
            place: place.to_owned(),
            problem: problem.into(),
        }
    }

    pub(super) fn argument(query: &str, place: String, problem: impl Into<String>) -> Self {
        Self::Argument {
            query: query.to_owned(),
            place,
            problem: problem.into(),
        }
    }
}

/// Its name and the part that is wrong, as far as they are known.
fn shown(name: &str, place: &str) -> String {
    match (name, place) {
        ("", "") => "cannot be read: ".to_owned(),
        ("", place) => format!("has a problem: `{place}` "),
        (name, "") => format!("`{name}` has a problem: "),
        (name, place) => format!("`{name}` has a problem: `{place}` "),
    }
}
