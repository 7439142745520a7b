//! The query engine from outside: plans, mistakes, and what bounds a run.
//!
//! Nothing here may know how plans are made or run; what rows a query gives is tested by scripts.
//!
//! Next: `patterns.rs`.

mod algorithms;
mod exact_search;
mod held;
mod hierarchies;
mod hosts;
mod mistakes;
mod patterns;
mod plans;
mod portions;
mod profiles;
mod quality;
mod runs;
mod searches;
mod seeks;
mod settled;
mod stops;
mod traverse;
#[path = "../graph_model/values.rs"]
#[expect(dead_code, reason = "the model of the graph needs more of it")]
mod values;
mod walks;

use stratigraph::{Database, Detail, Error};

/// A database with some statements run in it.
fn database(statements: &[&str]) -> Database {
    let database = Database::in_memory().unwrap();
    for statement in statements {
        database.query(statement, ()).unwrap().finish().unwrap();
    }
    database
}

/// The only number of the only row.
fn one(database: &Database, text: &str) -> i64 {
    let mut rows = database.query(text, ()).unwrap();
    let row = rows.next().unwrap().unwrap();
    row.get(0).unwrap()
}

/// The detail, the message and the hint of the mistake that a query is.
fn mistake(database: &Database, text: &str) -> (Detail, String, String) {
    let rows = database.query(text, ());
    let result = rows.and_then(stratigraph::Rows::finish);
    match result {
        Err(Error::Query(error)) => {
            let hint = error.hint().unwrap_or_default().to_owned();
            (error.detail(), error.message().to_owned(), hint)
        }
        Err(other) => panic!("{text}: {other}"),
        Ok(_) => panic!("{text} is no mistake"),
    }
}
