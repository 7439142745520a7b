//! The document of the language and the engine: every error that there is, is in its table.

use std::collections::BTreeSet;

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
