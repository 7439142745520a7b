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
fn the_document_lists_every_procedure() {
    let section = DOCUMENT
        .split("\n## Procedures: CALL ... YIELD\n")
        .nth(1)
        .unwrap_or_default();
    let section = section.split("\n### ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let told: BTreeSet<(String, String)> = rows
        .filter_map(|line| {
            let (call, rest) = line.split_once('`')?;
            let name = call.split('(').next()?;
            let columns = rest.trim_start_matches([' ', '|']).split('|').next()?;
            // Without columns the next cell is what it is for.
            let columns = if rest.starts_with(" | |") {
                ""
            } else {
                columns
            };
            Some((name.to_owned(), columns.trim().to_owned()))
        })
        .collect();
    let database = Database::in_memory().unwrap();
    let procedures = database.procedures();
    let known: BTreeSet<(String, String)> = procedures
        .procedures()
        .map(|one| {
            let columns: Vec<&str> = one
                .columns()
                .iter()
                .map(stratigraph::ProcedureField::name)
                .collect();
            (one.name().to_owned(), columns.join(", "))
        })
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
        "CREATE VECTOR INDEX",
        "CREATE FULLTEXT INDEX",
        "CREATE HIERARCHY",
        "DROP HIERARCHY",
        "SHOW HIERARCHIES",
        "IN (VECTOR INDEX",
        "IN (FULLTEXT INDEX",
        "SCORE AS",
        "EXACT)",
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
