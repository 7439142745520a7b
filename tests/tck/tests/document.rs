//! The document of the language and the engine: every error, function and clause that there is, is in it.
//!
//! That its examples are right is not looked at here: `cargo xtask scripts` runs them.

use std::collections::BTreeSet;
use stratigraph::Database;

const DOCUMENT: &str = include_str!("../../../docs/language.md");

#[test]
fn the_document_says_what_to_do_about_every_error() {
    let table = DOCUMENT.split("\n## Errors\n").nth(1).unwrap_or_default();
    let told: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let known: BTreeSet<&str> = stratigraph::Detail::ALL
        .iter()
        .map(|detail| detail.name())
        .collect();
    assert_eq!(told, known);
}

#[test]
fn the_document_lists_every_function() {
    let section = DOCUMENT
        .split("\n## Functions\n")
        .nth(1)
        .unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let told: BTreeSet<String> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('(').next())
        .map(str::to_owned)
        .collect();
    let database = Database::in_memory().unwrap();
    let rows = database.query("SHOW FUNCTIONS YIELD name", ()).unwrap();
    let known: BTreeSet<String> = rows
        .map(|row| row.unwrap().get::<String>("name").unwrap())
        .collect();
    assert_eq!(told, known);
}

#[test]
fn every_clause_has_an_example_that_is_run() {
    let mut fences = DOCUMENT.split("\n```");
    fences.next();
    // Of what stands between fences every other part is a block.
    let blocks: Vec<&str> = fences
        .step_by(2)
        .filter(|block| block.starts_with("stratql\n"))
        .collect();
    let clauses = [
        "MATCH (",
        "OPTIONAL MATCH",
        "WHERE",
        "RETURN",
        "RETURN DISTINCT",
        "WITH",
        "ORDER BY",
        "SKIP|OFFSET",
        "LIMIT",
        "UNION\n",
        "FINISH",
        "UNWIND",
        "CREATE (",
        "MERGE",
        "ON CREATE SET",
        "ON MATCH SET",
        "SET",
        "REMOVE",
        "DELETE",
        "DETACH DELETE",
        "FOREACH",
        "CALL (",
        "OPTIONAL CALL",
        "IN TRANSACTIONS",
        "ON ERROR",
        "REPORT STATUS",
        "CALL db.",
        "YIELD",
        "SHOW INDEXES",
        "CREATE INDEX",
        "CREATE CONSTRAINT",
        "DROP INDEX",
        "DROP CONSTRAINT",
        "IF NOT EXISTS",
        "IF EXISTS",
        "EXPLAIN",
        "EXISTS {",
        "COUNT {",
        "COLLECT {",
        "reduce(",
        "CASE",
        "ANY SHORTEST",
        "){1,2}",
        ":$(",
    ];
    for clause in clauses {
        let shown = |block: &&str| clause.split('|').any(|word| block.contains(word));
        assert!(blocks.iter().any(shown), "no example of {clause}");
    }
}
