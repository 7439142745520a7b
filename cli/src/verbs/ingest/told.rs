//! What is told of an ingestion.

use super::Pruned;
use crate::failure::Failure;
use crate::output::{Reply, Table, count, printable, size, things};
use serde_json::{Value, json};
use std::io::{self, Write as _};
use stratigraph_rag::ingest::{Ended, Forecast, Report};
use stratigraph_rag::read::{Found, Walked};

/// What was asked for, as far as the answer depends on it.
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) prunes: bool,
    pub(super) has_model: bool,
}

/// What it would cost.
pub(super) fn forecast(reply: &mut Reply, forecast: &Forecast, pruned: Option<&Pruned>) {
    let estimate = &forecast.estimate;
    let mut facts = Table::of_facts();
    facts
        .fact("documents", &count(forecast.documents as u64))
        .fact("unreadable", &count(forecast.unreadable as u64))
        .fact("read", &size(forecast.bytes))
        .fact("pieces", &count(forecast.pieces as u64))
        .fact("calls of the model", &count(estimate.calls))
        .fact("replies that are there", &count(estimate.kept))
        .fact("tokens read, about", &count(estimate.input_tokens))
        .fact("tokens written, about", &count(estimate.output_tokens));
    if let Some(pruned) = pruned {
        facts.fact("documents to be taken out", &count(pruned.count));
    }
    reply.table(&facts);
    for id in pruned.iter().flat_map(|pruned| &pruned.ids) {
        reply.line(format!("would be taken out: {}", printable(id)));
    }
    reply
        .line("nothing was written: this was a dry run")
        .field("documents", forecast.documents)
        .field("count_failed", forecast.unreadable)
        .field("failed", Value::Array(Vec::new()))
        .field("broken_lines", Value::Array(Vec::new()))
        .field("count_broken_lines", 0)
        .field("pruned", 0)
        .field(
            "pruned_documents",
            pruned.map_or(Value::Array(Vec::new()), |pruned| {
                pruned.ids.iter().map(String::as_str).collect()
            }),
        )
        .field("bytes", forecast.bytes)
        .field("pieces", forecast.pieces)
        .field("written", 0)
        .field("deleted", 0)
        .field("vectors", 0)
        .field("stale", 0)
        .field(
            "model",
            json!({
                "calls": estimate.calls,
                "kept": estimate.kept,
                "input_tokens": estimate.input_tokens,
                "output_tokens": estimate.output_tokens,
                "dropped": 0,
            }),
        );
}

/// What was done.
///
/// # Errors
/// It ended early.
pub(super) fn report(
    reply: &mut Reply,
    report: Report,
    pruned: &Pruned,
    asked: &Asked,
) -> Result<(), Failure> {
    match report.ended {
        Some(Ended::Database(error)) => return Err(error.into()),
        Some(_) => return Err(stratigraph::Error::Cancelled.into()),
        None => {}
    }
    let (change, cost) = (&report.change, &report.cost);
    let mut facts = Table::of_facts();
    facts
        .fact("path", &asked.path)
        .fact("documents", &count(report.documents as u64))
        .fact("read", &size(report.bytes))
        .fact("pieces", &count(report.pieces as u64))
        .fact("written", &count(change.written))
        .fact("deleted", &count(change.deleted))
        .fact("vectors", &count(change.vectors))
        .fact("stale summaries", &count(change.stale.len() as u64));
    if asked.prunes {
        facts.fact("documents taken out", &count(pruned.count));
    }
    if asked.has_model {
        facts
            .fact("calls of the model", &count(cost.calls))
            .fact("replies that were there", &count(cost.kept))
            .fact("tokens read", &count(cost.usage.input_tokens))
            .fact("tokens written", &count(cost.usage.output_tokens));
    }
    reply.table(&facts);
    if report.count_failed > 0 {
        let failed = things(report.count_failed as u64, "document");
        reply
            .line(format!("{failed} could not be taken in"))
            .incomplete();
    }
    if pruned.problem.is_some() {
        reply
            .line("not everything that is gone could be taken out")
            .incomplete();
    }
    if report.count_broken_lines > 0 {
        let lines = things(report.count_broken_lines, "line");
        reply
            .line(format!("{lines} of lists could not be read"))
            .incomplete();
    }
    let broken = report.broken_lines.iter();
    let broken = broken.map(|error| error.to_string().into());
    let failed = report
        .failed
        .iter()
        .map(|failed| json!({ "document": failed.document, "problem": failed.error.to_string() }));
    let not_taken_out = pruned.problem.iter();
    let not_taken_out =
        not_taken_out.map(|problem| json!({ "document": null, "problem": causes(problem) }));
    let failed = failed.chain(not_taken_out);
    reply
        .field("documents", report.documents)
        .field("failed", failed.collect::<Value>())
        .field("count_failed", report.count_failed)
        .field("broken_lines", Value::Array(broken.collect()))
        .field("count_broken_lines", report.count_broken_lines)
        .field("pruned", pruned.count)
        .field(
            "pruned_documents",
            pruned.ids.iter().map(String::as_str).collect::<Value>(),
        )
        .field("bytes", report.bytes)
        .field("pieces", report.pieces)
        .field("written", change.written)
        .field("deleted", change.deleted)
        .field("vectors", change.vectors)
        .field("stale", change.stale.len())
        .field(
            "model",
            json!({
                "calls": cost.calls,
                "kept": cost.kept,
                "input_tokens": cost.usage.input_tokens,
                "output_tokens": cost.usage.output_tokens,
                "dropped": cost.dropped,
            }),
        );
    Ok(())
}

pub(super) fn failures(report: &Report, pruned: &Pruned) {
    for failed in &report.failed {
        let line = match &failed.document {
            Some(document) => format!("{document}: {}", causes(&*failed.error)),
            None => causes(&*failed.error),
        };
        // Nobody is left to hear that stderr is closed.
        let _ = writeln!(io::stderr(), "not taken in: {}", printable(&line));
    }
    if let Some(problem) = &pruned.problem {
        let line = causes(problem);
        let _ = writeln!(io::stderr(), "not taken out: {}", printable(&line));
    }
    for line in &report.broken_lines {
        let line = line.to_string();
        let _ = writeln!(io::stderr(), "left out: {}", printable(&line));
    }
}

/// An error with what is behind it.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
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
        let id = &found.id;
        tell(&format!(
            "{id}: tables come in with `stratigraph import`, and lists of facts with a profile that has them (tag, triples, hybrid)"
        ));
    }
}
