//! Whether a statement only reads: if the connection breaks, the client may send it again.
//!
//! What is not known to read may write. A procedure may: which ones there are only its server knows.
//!
//! Next: `refused.rs`.

use stratigraph_query_lang::ast::{Body, Clause, Mode, Query};
use stratigraph_query_lang::parse;

/// What a text says of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Nature {
    /// It changes nothing.
    pub(super) only_reads: bool,
    /// It is run, or its plan is told, or both.
    pub(super) mode: Mode,
}

impl Nature {
    /// That of a statement. One that is wrong has none: the server says what is wrong.
    pub(super) fn of(text: &str) -> Self {
        let Ok(statement) = parse(text) else {
            return Self {
                only_reads: false,
                mode: Mode::Run,
            };
        };
        Self {
            only_reads: statement.mode == Mode::Explain
                || match &statement.body {
                    Body::Query(query) => reads(query),
                    Body::Schema(_) => false,
                },
            mode: statement.mode,
        }
    }
}

fn reads(query: &Query) -> bool {
    let mut clauses = query.parts.iter().flat_map(|part| &part.clauses);
    clauses.all(|clause| match clause {
        Clause::Subquery(subquery) => subquery.transactions.is_none() && reads(&subquery.query),
        // What a procedure does, only the server knows.
        Clause::Call(_) => false,
        clause => !clause.writes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_surely_reads_reads() {
        for text in [
            "MATCH (n) RETURN n",
            "UNWIND [1] AS x CALL (x) { RETURN x + 1 AS y } RETURN y",
            "SHOW INDEXES",
            "EXPLAIN CREATE (n)",
            "RETURN 1 AS a UNION RETURN 2 AS a",
            "PROFILE RETURN 1",
        ] {
            assert!(Nature::of(text).only_reads, "{text}");
        }
        for text in [
            "CREATE (n)",
            "MATCH (n) SET n.a = 1 RETURN n",
            "PROFILE CREATE (n)",
            "UNWIND [1] AS x CALL (x) { CREATE (:A {x: x}) } RETURN x",
            "CALL db.labels()",
            "CREATE INDEX a FOR (n:A) ON (n.a)",
            "RETRUN 1",
            "",
        ] {
            assert!(!Nature::of(text).only_reads, "{text}");
        }
        assert_eq!(Nature::of("EXPLAIN RETURN 1").mode, Mode::Explain);
        assert_eq!(Nature::of("RETURN 1").mode, Mode::Run);
    }
}
