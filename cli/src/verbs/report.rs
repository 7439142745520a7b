//! A check's report as an answer; `check`, `scrub` and `recover` share it.

use crate::output::{Reply, Table, count, findings_json, things};
use serde_json::Value;
use std::path::Path;
use stratigraph::{CheckReport, Database};

/// Adds which database was looked at, and what was found.
pub(super) fn add(reply: &mut Reply, path: &Path, db: &Database, report: CheckReport) {
    let entries = report.entries.iter();
    let entries: Value = entries
        .map(|&(family, entries)| (family.to_owned(), Value::from(entries)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    reply
        .field("path", path.display().to_string())
        .field("database", db.id().to_string())
        .field("commit", report.commit.get())
        .field("entries", entries)
        .field("notes", findings_json(&report.notes));

    let mut facts = Table::of_facts();
    facts
        .fact("path", &path.display())
        .fact("database", &db.id())
        .fact("commit", &count(report.commit.get()));
    let mut families = Table::of_numbers(["family", "entries"]);
    for (family, entries) in &report.entries {
        families.row([(*family).to_owned(), count(*entries)]);
    }
    reply.table(&facts).line("").table(&families).line("");
    for note in &report.notes {
        reply.line(format!("note  {}: {}", note.place, note.what));
    }
    reply.line(match report.findings.len() {
        0 => "nothing is wrong".to_owned(),
        found => things(found as u64, "finding"),
    });
    reply.findings(report.findings);
}
