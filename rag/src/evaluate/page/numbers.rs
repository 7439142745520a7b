//! All numbers of a page, as a table.

use std::fmt::Write as _;

use super::super::Figure;
use super::escape::text;

const HEADINGS: [&str; 7] = [
    "set",
    "pipeline",
    "measure",
    "mean",
    "from",
    "to",
    "questions",
];

/// A row for each, and shut until somebody wants to see it.
pub(super) fn table(figures: &[Figure<'_>]) -> String {
    let mut table = "<details><summary>All numbers</summary><table><tr>".to_owned();
    for heading in HEADINGS {
        // Writing to a string cannot fail.
        let _ = write!(table, "<th>{heading}</th>");
    }
    table.push_str("</tr>\n");
    for one in figures {
        let [low, high] = one.shown_ends().unwrap_or_default();
        let _ = writeln!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{low}</td><td>{high}</td><td>{}</td></tr>",
            text(one.set),
            text(one.pipeline),
            text(&one.name()),
            one.shown(),
            one.questions
        );
    }
    table.push_str("</table></details>\n");
    table
}
