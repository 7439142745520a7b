//! What is told of an ingestion.

use super::relations::Clustered;
use crate::output::{Reply, Table, count, money, printable, size, things};
use serde_json::{Value, json};
use std::io::{self, Write as _};
use stratigraph_client::{DocumentReport, TablesReport as SentTables};
use stratigraph_models::{Prices, Usage};
use stratigraph_rag::build::{BuildError, CutOff, TablesReport};
use stratigraph_rag::door::causes;
use stratigraph_rag::ingest::{Forecast, Problems, Report};
use stratigraph_rag::read::{Found, Walked};

/// What was asked for, as far as the answer depends on it.
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) prunes: bool,
    pub(super) has_model: bool,
    pub(super) dry_run: bool,
    pub(super) is_tables: bool,
    /// What the tokens of the model cost, if that was said here.
    pub(super) prices: Option<Prices>,
}

/// What came of it, wherever it was done.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) documents: u64,
    /// How many of them were not there before.
    added: u64,
    /// How many of them were there under their names with another text.
    changed: u64,
    /// How many of them were there already, and were neither cut nor read.
    unchanged: u64,
    /// Documents that were not taken in, with the reasons: the first of them.
    pub(super) failed: Vec<(Option<String>, String)>,
    pub(super) count_failed: u64,
    /// Lines of lists that could not be read, while the rest of their lists went in: the first of them.
    broken_lines: Vec<String>,
    pub(super) count_broken_lines: u64,
    /// Documents that were taken out, or would be: the first of them.
    pruned_documents: Vec<String>,
    pruned: u64,
    /// Why others are still there.
    not_pruned: Option<String>,
    bytes: u64,
    pub(super) pieces: u64,
    nodes: u64,
    relationships: u64,
    pub(super) written: u64,
    pub(super) deleted: u64,
    pub(super) vectors: u64,
    /// The tokens of their texts, where the embedder counts them.
    pub(super) vector_tokens: u64,
    /// Pieces whose ends the embedder does not read.
    pub(super) cut_off: CutOff,
    pub(super) stale: u64,
    /// Domains that have no summary, by which they are found; nothing where there are no domains, or nobody has looked.
    pub(super) without_summary: Option<u64>,
    pub(super) calls: u64,
    pub(super) kept: u64,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    dropped: u64,
    /// What that costs, where the server has said it.
    pub(super) cost: f64,
    pub(super) relations: Clustered,
    /// Whose vectors there are, where the server has said it.
    pub(super) embedder: Option<String>,
    /// Why that is not the embedder that was asked for, and what else is to be said of all of it.
    pub(super) note: Option<String>,
    /// Documents that were taken in and that the embedder cannot read: the first of them.
    unread: Vec<String>,
    count_unread: u64,
}

impl Outcome {
    /// What it would be.
    pub(super) fn foreseen(forecast: &Forecast) -> Self {
        let estimate = &forecast.estimate;
        Self {
            documents: forecast.documents as u64,
            added: forecast.added_documents,
            changed: forecast.changed_documents,
            unchanged: forecast.unchanged as u64,
            bytes: forecast.bytes,
            pieces: forecast.pieces as u64,
            vectors: forecast.vectors,
            vector_tokens: forecast.vector_tokens,
            calls: estimate.calls,
            kept: estimate.kept,
            input_tokens: estimate.input_tokens,
            output_tokens: estimate.output_tokens,
            ..Self::with(&forecast.problems)
        }
    }

    /// What was done in a folder.
    pub(super) fn of(report: &Report) -> Self {
        let (change, cost) = (&report.change, &report.cost);
        Self {
            documents: report.documents as u64,
            added: change.added_documents,
            changed: change.changed_documents,
            unchanged: report.unchanged as u64,
            unread: report.unread.iter().map(ToString::to_string).collect(),
            count_unread: report.count_unread as u64,
            bytes: report.bytes,
            pieces: report.pieces as u64,
            written: change.written,
            deleted: change.deleted,
            vectors: change.vectors,
            vector_tokens: change.vector_tokens,
            cut_off: change.cut_off,
            stale: change.stale.len() as u64,
            calls: cost.calls,
            kept: cost.kept,
            input_tokens: cost.usage.input_tokens,
            output_tokens: cost.usage.output_tokens,
            dropped: cost.dropped,
            ..Self::with(&report.problems)
        }
    }

    /// What could not be taken in, or would not be.
    fn with(problems: &Problems) -> Self {
        let failed = problems.failed.iter();
        let failed = failed.map(|failed| (failed.document.clone(), causes(&*failed.error)));
        let broken_lines = problems.broken_lines.iter();
        Self {
            failed: failed.collect(),
            count_failed: problems.count_failed as u64,
            broken_lines: broken_lines.map(|error| causes(error)).collect(),
            count_broken_lines: problems.count_broken_lines,
            ..Self::default()
        }
    }

    /// What was done with tables.
    pub(super) fn of_tables(report: &TablesReport) -> Self {
        let change = &report.change;
        let broken = report.broken.iter();
        Self {
            failed: broken.map(|error| (None, error.to_string())).collect(),
            count_failed: report.count_broken,
            nodes: report.nodes,
            relationships: report.relationships,
            written: change.written,
            deleted: change.deleted,
            vectors: change.vectors,
            vector_tokens: change.vector_tokens,
            ..Self::default()
        }
    }

    /// What a server has done with tables.
    pub(super) fn of_sent_tables(report: SentTables) -> Self {
        let change = report.change;
        let problems = report.problems.into_iter();
        Self {
            failed: problems.map(|problem| (None, problem)).collect(),
            count_failed: report.count_problems,
            nodes: report.nodes,
            relationships: report.relationships,
            written: change.written,
            deleted: change.deleted,
            vectors: change.vectors,
            vector_tokens: change.vector_tokens,
            embedder: Some(report.embedder),
            note: report.note,
            ..Self::default()
        }
    }

    /// Nothing of it was kept.
    pub(super) fn unwritten(&mut self) {
        (self.written, self.deleted, self.vectors) = (0, 0, 0);
        self.vector_tokens = 0;
    }

    /// What a server says of one document.
    pub(super) fn add(&mut self, report: DocumentReport) {
        if !report.taken_in {
            self.fail(Some(report.id), report.problems.join("; "));
        }
        self.count_broken_lines += report.count_broken_lines;
        let room = Problems::MOST_TOLD.saturating_sub(self.broken_lines.len());
        self.broken_lines
            .extend(report.broken_lines.into_iter().take(room));
        for warning in report.warnings {
            self.count_unread += 1;
            if self.unread.len() < Problems::MOST_TOLD {
                self.unread.push(warning);
            }
        }
        self.documents += u64::from(report.taken_in);
        self.added += u64::from(report.added);
        self.changed += u64::from(report.changed);
        self.unchanged += u64::from(report.unchanged);
        self.bytes += report.bytes;
        self.pieces += report.pieces;
        self.written += report.change.written;
        self.deleted += report.change.deleted;
        self.vectors += report.change.vectors;
        self.vector_tokens += report.change.vector_tokens;
        self.cut_off += CutOff {
            pieces: report.change.cut_off,
            reads: usize::try_from(report.change.reads).unwrap_or(usize::MAX),
        };
        self.stale += report.change.stale.len() as u64;
        self.calls += report.bill.calls;
        self.kept += report.bill.kept;
        self.input_tokens += report.bill.input_tokens;
        self.output_tokens += report.bill.output_tokens;
        self.dropped += report.bill.dropped;
        self.cost += report.bill.cost;
    }

    /// A line on those that are new, those that have another text, and those that were left alone, where any are.
    fn tell_beside(&self, facts: &mut Table) {
        let beside = [
            ("added", self.added),
            ("changed", self.changed),
            ("unchanged", self.unchanged),
        ];
        for (name, documents) in beside.into_iter().filter(|(_, documents)| *documents > 0) {
            facts.fact(name, &count(documents));
        }
    }

    /// What the tokens cost, by prices that were said here or to the server.
    fn price(&self, prices: Option<Prices>) -> Option<f64> {
        let usage = Usage {
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
        };
        let told = (self.cost > 0.0).then_some(self.cost);
        prices.map(|prices| prices.of(usage)).or(told)
    }

    /// Something that is to be said of all of it.
    pub(super) fn remark(&mut self, text: String) {
        self.note = Some(match self.note.take() {
            Some(note) => format!("{note}; {text}"),
            None => text,
        });
    }

    /// A document that is not there any more, or would not be.
    pub(super) fn took_out(&mut self, id: String) {
        self.pruned += 1;
        if self.pruned_documents.len() < Problems::MOST_TOLD {
            self.pruned_documents.push(id);
        }
    }

    /// The others stay, because of this.
    pub(super) fn not_taken_out(&mut self, problem: &BuildError) {
        self.not_pruned = Some(causes(problem));
    }

    /// One that was not taken in.
    pub(super) fn fail(&mut self, document: Option<String>, problem: String) {
        self.count_failed += 1;
        if self.failed.len() < Problems::MOST_TOLD {
            self.failed.push((document, problem));
        }
    }
}

/// What is answered.
pub(super) fn outcome(reply: &mut Reply, outcome: &Outcome, asked: &Asked) {
    let mut facts = Table::of_facts();
    if asked.is_tables {
        tables(reply, outcome, asked);
    } else if asked.dry_run {
        facts.fact("documents", &count(outcome.documents));
        outcome.tell_beside(&mut facts);
        facts
            .fact("unreadable", &count(outcome.count_failed))
            .fact("read", &size(outcome.bytes))
            .fact("pieces", &count(outcome.pieces))
            .fact(
                "headings, pieces and facts to embed, at most",
                &count(outcome.vectors),
            )
            .fact("their tokens, about", &count(outcome.vector_tokens))
            .fact("calls of the model", &count(outcome.calls))
            .fact("replies that are there", &count(outcome.kept))
            .fact("tokens read, about", &count(outcome.input_tokens))
            .fact("tokens written, about", &count(outcome.output_tokens));
        if let Some(price) = outcome.price(asked.prices) {
            facts.fact("cost, about", &money(price));
        }
        if asked.prunes {
            facts.fact("documents to be taken out", &count(outcome.pruned));
        }
        reply.table(&facts);
        for id in &outcome.pruned_documents {
            reply.line(format!("would be taken out: {}", printable(id)));
        }
        reply.line("nothing was written: this was a dry run");
        if outcome.count_failed > 0 {
            reply.incomplete();
        }
    } else {
        facts
            .fact("path", &asked.path)
            .fact("documents", &count(outcome.documents));
        outcome.tell_beside(&mut facts);
        facts
            .fact("read", &size(outcome.bytes))
            .fact("pieces", &count(outcome.pieces))
            .fact("written", &count(outcome.written))
            .fact("deleted", &count(outcome.deleted))
            .fact("vectors", &count(outcome.vectors));
        if outcome.vector_tokens > 0 {
            facts.fact("tokens of their texts", &count(outcome.vector_tokens));
        }
        facts.fact("stale summaries", &count(outcome.stale));
        if asked.prunes {
            facts.fact("documents taken out", &count(outcome.pruned));
        }
        if asked.has_model {
            facts
                .fact("calls of the model", &count(outcome.calls))
                .fact("replies that were there", &count(outcome.kept))
                .fact("tokens read", &count(outcome.input_tokens))
                .fact("tokens written", &count(outcome.output_tokens));
            if let Some(price) = outcome.price(asked.prices) {
                facts.fact("cost", &money(price));
            }
        }
        reply.table(&facts);
        if let Some(without @ 1..) = outcome.without_summary {
            reply.line(format!(
                "{} without a summary, by which domains are found: `CALL rag.resummarise({{domains: true}})` has the model write summaries, and with `central: true` they are made without one",
                things(without, "domain")
            ));
        }
        outcome.relations.tell(reply);
        if outcome.count_failed > 0 {
            let failed = things(outcome.count_failed, "document");
            reply
                .line(format!("{failed} could not be taken in"))
                .incomplete();
        }
        if outcome.not_pruned.is_some() {
            reply
                .line("not everything that is gone could be taken out")
                .incomplete();
        }
    }
    if outcome.count_broken_lines > 0 {
        let lines = things(outcome.count_broken_lines, "line");
        reply
            .line(format!("{lines} of lists could not be read"))
            .incomplete();
    }
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
        .field("relations", outcome.relations.json())
        .field("merged_relations", outcome.relations.merged)
        .field(
            "model",
            json!({
                "calls": outcome.calls,
                "kept": outcome.kept,
                "input_tokens": outcome.input_tokens,
                "output_tokens": outcome.output_tokens,
                "dropped": outcome.dropped,
                "cost": outcome.price(asked.prices),
            }),
        );
}

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
            Some(document) => under(document, problem),
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
}

/// What is wrong with a document, behind its name: many a problem begins with that.
fn under(document: &str, problem: &str) -> String {
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
        let id = &found.id;
        tell(&format!(
            "{id}: tables come in with --profile typed:MAPPING or `stratigraph import`, and lists of facts with a profile that has them (tag, triples, hybrid)"
        ));
    }
}
