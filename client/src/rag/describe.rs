//! What the server says of documents and summaries.

use crate::made::{Made, Make};
use stratigraph_proto::v1;

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct RagProgress {
    /// Documents, or summaries, that are done, well or not.
    pub done: u64,
    /// Pieces of the document under way that were read.
    pub pieces: u64,
    /// What was spent on it so far.
    pub bill: ModelBill,
    /// Of how many; 0 where that is not known.
    pub of: u64,
}

/// What a model was paid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct ModelBill {
    /// How often it was asked.
    pub calls: u64,
    /// How many replies were there already.
    pub kept: u64,
    /// The tokens that it read.
    pub input_tokens: u64,
    /// The tokens that it wrote.
    pub output_tokens: u64,
    /// How many statements of replies were dropped.
    pub dropped: u64,
    /// What that costs by the prices that the server was told; 0 if it was told none.
    pub cost: f64,
}

/// What changed in the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GraphChange {
    /// Nodes and relationships that are new or say something else.
    pub written: u64,
    /// Nodes and relationships that are gone.
    pub deleted: u64,
    /// Nodes and relationships that were left alone.
    pub unchanged: u64,
    /// Vectors that were computed.
    pub vectors: u64,
    /// The tokens of their texts, where the embedder counts them; for a dry run, as pieces are measured.
    pub vector_tokens: u64,
    /// New pieces that are longer, with their headings, than what the embedder reads: their ends are in no vector.
    pub cut_off: u64,
    /// How many tokens of a text the embedder reads, where that is not all of such a piece.
    pub reads: u64,
    /// Summaries that became stale.
    pub stale: Vec<SummarySubject>,
}

/// What a summary is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub struct SummarySubject {
    /// Its label: `Entity` or `DomainTag`.
    pub label: String,
    /// Its key.
    pub key: String,
}

/// What came of a document.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct DocumentReport {
    /// Its name.
    pub id: String,
    /// Whether it is in the graph as it was sent. If not, it is there as it was before.
    pub taken_in: bool,
    /// Why it was not taken in; for a dry run, why it would not be.
    pub problems: Vec<String>,
    /// The bytes of its text.
    pub bytes: u64,
    /// Its pieces.
    pub pieces: u64,
    /// What changed in the graph. For a dry run, only how many vectors its headings and pieces get, unless they are there.
    pub change: GraphChange,
    /// The bill; for a dry run, what it would be.
    pub bill: ModelBill,
    /// What is wrong with it although it was taken in as it was sent: the embedder cannot read its writing, for one.
    pub warnings: Vec<String>,
    /// Whether it was there already as it would have been taken in; then it was neither cut nor read.
    pub unchanged: bool,
    /// Lines of a list of facts that are left out because they are broken: the first of them.
    pub broken_lines: Vec<String>,
    /// How many that are.
    pub count_broken_lines: u64,
    /// Whether it was not there before; for a dry run, whether it is not there yet.
    pub added: bool,
    /// Whether it was there under its name with another text.
    pub changed: bool,
}

/// What documents come into.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct UpsertOpened {
    /// The embedder whose vectors they get.
    pub embedder: String,
    /// Why that is not the one that the server was started with, and that a model has read documents here while the server has
    /// none, if there is something to tell.
    pub note: Option<String>,
}

/// Stale summaries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StaleSummaries {
    /// What they are of, in order; the first of them, if there are too many for an answer.
    pub subjects: Vec<SummarySubject>,
    /// How many there are.
    pub count: u64,
}

/// What came of one summary.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SummaryReport {
    /// What it is of.
    pub subject: SummarySubject,
    /// It; none if it could not be written, or was taken away.
    pub text: Option<String>,
    /// Why it could not be written.
    pub problem: Option<String>,
    /// Whether it was taken away, as nothing is said of its subject any more; that is no failure.
    pub forgotten: bool,
    /// The bill.
    pub bill: ModelBill,
}

/// What came of all summaries.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Resummarised {
    /// One by one: those that were written, those that were taken away, and those that could not be written.
    pub summaries: Vec<SummaryReport>,
    /// How many were written; of a dry run, how many would be.
    pub written: u64,
    /// Who writes at this server: the name of the model, or `rules` for the most central sentences. Empty if there is no model and nobody
    /// else may.
    pub by: String,
    /// How many are still stale.
    pub left: u64,
    /// The bill, all of it; of a dry run, what it would be.
    pub bill: ModelBill,
}

impl Made<v1::RagProgress> for RagProgress {
    fn made_of(sent: v1::RagProgress) -> Self {
        Self {
            done: sent.done,
            pieces: sent.pieces,
            bill: sent.bill.unwrap_or_default().make(),
            of: sent.of,
        }
    }
}

impl Made<v1::ModelBill> for ModelBill {
    fn made_of(sent: v1::ModelBill) -> Self {
        Self {
            calls: sent.calls,
            kept: sent.kept,
            input_tokens: sent.input_tokens,
            output_tokens: sent.output_tokens,
            dropped: sent.dropped,
            cost: sent.cost,
        }
    }
}

impl Made<v1::GraphChange> for GraphChange {
    fn made_of(sent: v1::GraphChange) -> Self {
        Self {
            written: sent.written,
            deleted: sent.deleted,
            unchanged: sent.unchanged,
            vectors: sent.vectors,
            vector_tokens: sent.vector_tokens,
            cut_off: sent.cut_off,
            reads: sent.reads,
            stale: sent.stale.into_iter().map(Make::make).collect(),
        }
    }
}

impl Made<v1::SummarySubject> for SummarySubject {
    fn made_of(sent: v1::SummarySubject) -> Self {
        Self {
            label: sent.label,
            key: sent.key,
        }
    }
}

impl Made<v1::DocumentReport> for DocumentReport {
    fn made_of(sent: v1::DocumentReport) -> Self {
        Self {
            id: sent.id,
            taken_in: sent.taken_in,
            problems: sent.problems,
            bytes: sent.bytes,
            pieces: sent.pieces,
            change: sent.change.unwrap_or_default().make(),
            bill: sent.bill.unwrap_or_default().make(),
            warnings: sent.warnings,
            unchanged: sent.unchanged,
            broken_lines: sent.broken_lines,
            count_broken_lines: sent.count_broken_lines,
            added: sent.added,
            changed: sent.changed,
        }
    }
}

impl Made<v1::UpsertOpened> for UpsertOpened {
    fn made_of(sent: v1::UpsertOpened) -> Self {
        Self {
            embedder: sent.embedder,
            note: (!sent.note.is_empty()).then_some(sent.note),
        }
    }
}

impl Made<v1::SummaryReport> for SummaryReport {
    fn made_of(sent: v1::SummaryReport) -> Self {
        let some = |text: String| (!text.is_empty()).then_some(text);
        Self {
            subject: sent.subject.unwrap_or_default().make(),
            text: some(sent.text),
            problem: some(sent.problem),
            forgotten: sent.forgotten,
            bill: sent.bill.unwrap_or_default().make(),
        }
    }
}
