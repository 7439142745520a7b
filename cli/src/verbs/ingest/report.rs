//! What is told of an ingestion.

use super::files::with_facts;
use super::outcome::Outcome;
use crate::output::{Reply, Table, count, money, printable, size, things};
use crate::verbs::summarise::Made;
use serde_json::{Value, json};
use std::io::{self, Write as _};
use stratigraph_models::Prices;
use stratigraph_rag::read::{Found, Walked};

/// What was asked for, as far as the answer depends on it.
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) prunes: bool,
    pub(super) has_model: bool,
    pub(super) dry_run: bool,
    pub(super) is_tables: bool,
    /// Whether summaries are written as well.
    pub(super) summarises: bool,
    /// What the tokens of the model cost, if that was said here.
    pub(super) prices: Option<Prices>,
}

/// What stands beside the bar while documents come in.
pub(super) fn so_far(pieces: u64, calls: u64) -> String {
    let pieces = things(pieces, "piece");
    match calls {
        0 => pieces,
        calls => format!("{pieces}, {}", things(calls, "call")),
    }
}

/// What is answered.
pub(super) fn outcome(reply: &mut Reply, outcome: &Outcome, asked: &Asked) {
    match (asked.is_tables, asked.dry_run) {
        (true, _) => tables(reply, outcome, asked),
        (false, true) => foreseen(reply, outcome, asked),
        (false, false) => taken_in(reply, outcome, asked),
    }
    if outcome.count_broken_lines > 0 {
        let lines = things(outcome.count_broken_lines, "line");
        reply
            .line(format!("{lines} of lists could not be read"))
            .incomplete();
    }
    fields(reply, outcome, asked);
}

/// What would come of documents, for people.
fn foreseen(reply: &mut Reply, outcome: &Outcome, asked: &Asked) {
    let cost = &outcome.bill.cost;
    let mut facts = Table::of_facts();
    facts.fact("documents", &count(outcome.documents));
    beside(&mut facts, outcome);
    facts
        .fact("unreadable", &count(outcome.count_failed))
        .fact("read", &size(outcome.bytes))
        .fact("pieces", &count(outcome.pieces))
        .fact(
            "headings, pieces and facts to embed, at most",
            &count(outcome.vectors),
        )
        .fact("their tokens, about", &count(outcome.vector_tokens))
        .fact("calls of the model", &count(cost.calls))
        .fact("replies that are there", &count(cost.kept))
        .fact("tokens read, about", &count(cost.usage.input_tokens))
        .fact("tokens written, about", &count(cost.usage.output_tokens));
    if let Some(price) = outcome.bill.price(asked.prices) {
        facts.fact("cost, about", &money(price));
    }
    if asked.prunes {
        facts.fact("documents to be taken out", &count(outcome.pruned));
    }
    reply.table(&facts);
    pruned(reply, outcome, "would be taken out");
    if asked.summarises {
        reply.line(format!(
            "without summaries: which domains there are is known when the documents are in, and `stratigraph summarise {} --dry-run` tells then",
            asked.path
        ));
    }
    reply.line("nothing was written: this was a dry run");
    if outcome.count_failed > 0 {
        reply.incomplete();
    }
}

/// What came of documents, for people.
fn taken_in(reply: &mut Reply, outcome: &Outcome, asked: &Asked) {
    let mut facts = Table::of_facts();
    facts
        .fact("path", &asked.path)
        .fact("documents", &count(outcome.documents));
    beside(&mut facts, outcome);
    facts
        .fact("read", &size(outcome.bytes))
        .fact("pieces", &count(outcome.pieces))
        .fact("written", &count(outcome.written))
        .fact("deleted", &count(outcome.deleted))
        .fact("vectors", &count(outcome.vectors));
    if outcome.vector_tokens > 0 {
        facts.fact("tokens of their texts", &count(outcome.vector_tokens));
    }
    if let Some(made) = &outcome.summaries {
        facts
            .fact("summaries written", &count(made.written))
            .fact("summaries by", &made.by_whom(false));
    }
    facts.fact("stale summaries", &count(outcome.stale));
    if asked.prunes {
        facts.fact("documents taken out", &count(outcome.pruned));
    }
    if asked.has_model {
        let cost = &outcome.bill.cost;
        facts
            .fact("calls of the model", &count(cost.calls))
            .fact("replies that were there", &count(cost.kept))
            .fact("tokens read", &count(cost.usage.input_tokens))
            .fact("tokens written", &count(cost.usage.output_tokens));
        if let Some(price) = outcome.bill.price(asked.prices) {
            facts.fact("cost", &money(price));
        }
    }
    reply.table(&facts);
    if let Some(without @ 1..) = outcome.without_summary {
        let without = things(without, "domain");
        reply.line(match outcome.summaries {
            None => format!(
                "{without} without a summary, by which domains are found: `ingest --summarise` or `stratigraph summarise {}` writes them, by the model or, without one, from the most central sentences",
                asked.path
            ),
            Some(_) => format!("{without} without a summary, by which domains are found"),
        });
    }
    pruned(reply, outcome, "taken out");
    outcome.relations.tell(reply);
    if outcome.count_failed > 0 {
        let failed = things(outcome.count_failed, "document");
        reply
            .line(format!("{failed} could not be taken in"))
            .incomplete();
    }
    if let Some(made) = &outcome.summaries {
        made.tell(reply);
    }
    if let Some((_, far)) = &outcome.ended {
        reply.line(far);
    }
    if outcome.not_pruned.is_some() {
        reply
            .line("not everything that is gone could be taken out")
            .incomplete();
    }
}

/// Which documents are gone, or would be: the first of them.
fn pruned(reply: &mut Reply, outcome: &Outcome, what: &str) {
    for id in &outcome.pruned_documents {
        reply.line(format!("{what}: {}", printable(id)));
    }
    let others = outcome.pruned - outcome.pruned_documents.len() as u64;
    if others > 0 {
        reply.line(format!("{what}: {} more", things(others, "document")));
    }
}

/// What came of tables, for people.
fn tables(reply: &mut Reply, outcome: &Outcome, asked: &Asked) {
    let mut facts = Table::of_facts();
    facts
        .fact("path", &asked.path)
        .fact("nodes", &count(outcome.nodes))
        .fact("relationships", &count(outcome.relationships))
        .fact("written", &count(outcome.written))
        .fact("deleted", &count(outcome.deleted))
        .fact("vectors", &count(outcome.vectors));
    reply.table(&facts);
    if asked.dry_run {
        reply.line("nothing was written: this was a dry run");
    }
    if outcome.count_failed > 0 {
        let failed = things(outcome.count_failed, "row");
        reply.line(format!("{failed} left out")).incomplete();
    }
}

/// A line on those that are new, those that have another text, and those that were left alone, where any are.
fn beside(facts: &mut Table, outcome: &Outcome) {
    let beside = [
        ("added", outcome.added),
        ("changed", outcome.changed),
        ("unchanged", outcome.unchanged),
    ];
    for (name, documents) in beside.into_iter().filter(|(_, documents)| *documents > 0) {
        facts.fact(name, &count(documents));
    }
}

/// All of it, for programs.
fn fields(reply: &mut Reply, outcome: &Outcome, asked: &Asked) {
    let failed = outcome.failed.iter();
    let failed =
        failed.map(|(document, problem)| json!({ "document": document, "problem": problem }));
    let not_pruned = outcome.not_pruned.iter();
    let failed =
        failed.chain(not_pruned.map(|problem| json!({ "document": null, "problem": problem })));
    // A dry run takes nothing out.
    let pruned = if asked.dry_run { 0 } else { outcome.pruned };
    reply
        .field("documents", outcome.documents)
        .field("added", outcome.added)
        .field("changed", outcome.changed)
        .field("unchanged", outcome.unchanged)
        .field("failed", failed.collect::<Value>())
        .field("count_failed", outcome.count_failed)
        .field("broken_lines", outcome.broken_lines.clone())
        .field("count_broken_lines", outcome.count_broken_lines)
        .field("unread", outcome.unread.clone())
        .field("count_unread", outcome.count_unread)
        .field("note", outcome.note.clone())
        .field("pruned", pruned)
        .field("pruned_documents", outcome.pruned_documents.clone())
        .field("bytes", outcome.bytes)
        .field("pieces", outcome.pieces)
        .field("nodes", outcome.nodes)
        .field("relationships", outcome.relationships)
        .field("written", outcome.written)
        .field("deleted", outcome.deleted)
        .field("vectors", outcome.vectors)
        .field("vector_tokens", outcome.vector_tokens)
        // A dry run does not know it.
        .field(
            "cut_off",
            (!asked.dry_run).then_some(outcome.cut_off.pieces),
        )
        .field("stale", outcome.stale)
        .field("without_summary", outcome.without_summary)
        .field("summaries", outcome.summaries.as_ref().map(Made::json))
        .field("relations", outcome.relations.json())
        .field("merged_relations", outcome.relations.merged)
        .field("model", outcome.bill.json(asked.prices));
}

/// What is to be known of it and what went wrong, on stderr: stdout is the answer's.
pub(super) fn failures(outcome: &Outcome) {
    if let Some(note) = &outcome.note {
        // Nobody is left to hear that stderr is closed.
        let _ = writeln!(io::stderr(), "note: {}", printable(note));
    }
    if !outcome.cut_off.is_none() {
        let _ = writeln!(io::stderr(), "warning: {}", outcome.cut_off);
    }
    for warning in &outcome.unread {
        let _ = writeln!(io::stderr(), "warning: {}", printable(warning));
    }
    for (document, problem) in &outcome.failed {
        let line = match document {
            Some(document) => behind_name(document, problem),
            None => problem.clone(),
        };
        // Nobody is left to hear that stderr is closed.
        let _ = writeln!(io::stderr(), "not taken in: {}", printable(&line));
    }
    if let Some(problem) = &outcome.not_pruned {
        let _ = writeln!(io::stderr(), "not taken out: {}", printable(problem));
    }
    for line in &outcome.broken_lines {
        let _ = writeln!(io::stderr(), "left out: {}", printable(line));
    }
    if let Some(made) = &outcome.summaries {
        made.failures();
    }
}

/// What is wrong with a document, behind its name: many a problem begins with that.
fn behind_name(document: &str, problem: &str) -> String {
    let rest = problem.strip_prefix(document);
    match rest.is_some_and(|rest| rest.starts_with([',', ':'])) {
        true => problem.to_owned(),
        false => format!("{document}: {problem}"),
    }
}

/// Files that nothing was made of.
pub(super) fn left_out(walked: &Walked, takes: impl Fn(&Found) -> bool) {
    // Nobody is left to hear that stderr is closed.
    let tell = |line: &str| drop(writeln!(io::stderr(), "left out: {}", printable(line)));
    for error in &walked.left_out {
        tell(&error.to_string());
    }
    if walked.unknown > 0 {
        let files = things(walked.unknown as u64, "file");
        tell(&format!("{files} with endings that nobody here knows"));
    }
    for found in walked.files.iter().filter(|found| !takes(found)) {
        tell(&format!(
            "{}: tables come in with --profile typed:MAPPING or `stratigraph import`, and lists of facts with a profile that has them ({})",
            found.id,
            with_facts()
        ));
    }
}
