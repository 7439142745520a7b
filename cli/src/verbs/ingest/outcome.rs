//! What came of an ingestion, in a folder or at a server: counts, the first of what went wrong, and the bill.

use super::relations::Clustered;
use crate::bill::Bill;
use crate::failure::Failure;
use crate::statements::Place;
use crate::verbs::summarise::Made;
use stratigraph_client::{DocumentReport, TablesReport as SentTables};
use stratigraph_rag::build::{BuildError, CutOff, Layers, TablesReport};
use stratigraph_rag::door::causes;
use stratigraph_rag::ingest::{Forecast, Problems, Report, System};

/// How far it came that ended while documents came in,
pub(super) const IN_DOCUMENTS: &str =
    "it ended while documents came in: the same command goes on from there";
/// while relations were compared or documents were taken out,
pub(super) const BEHIND_DOCUMENTS: &str =
    "the documents are in, and not all is done that was to come then";
/// or while summaries were written.
const IN_SUMMARIES: &str = "the documents are in, and not all summaries are written";

/// What came of it, wherever it was done.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) documents: u64,
    /// How many of them were not there before.
    pub(super) added: u64,
    /// How many of them were there under their names with another text.
    pub(super) changed: u64,
    /// How many of them were there already, and were neither cut nor read.
    pub(super) unchanged: u64,
    /// Documents that were not taken in, with the reasons: the first of them.
    pub(super) failed: Vec<(Option<String>, String)>,
    pub(super) count_failed: u64,
    /// Lines of lists that could not be read, while the rest of their lists went in: the first of them.
    pub(super) broken_lines: Vec<String>,
    pub(super) count_broken_lines: u64,
    /// Documents that were taken out, or would be: the first of them.
    pub(super) pruned_documents: Vec<String>,
    pub(super) pruned: u64,
    /// Why others are still there.
    pub(super) not_pruned: Option<String>,
    pub(super) bytes: u64,
    pub(super) pieces: u64,
    pub(super) nodes: u64,
    pub(super) relationships: u64,
    pub(super) written: u64,
    pub(super) deleted: u64,
    pub(super) vectors: u64,
    /// The tokens of their texts, where the embedder counts them.
    pub(super) vector_tokens: u64,
    /// Pieces whose ends the embedder does not read.
    pub(super) cut_off: CutOff,
    /// Summaries that became stale, or, where summaries were written, that still are.
    pub(super) stale: u64,
    /// Summaries that were written when the documents were in, if that was wanted.
    pub(super) summaries: Option<Made>,
    /// Why not all was done, and how far it came. What was done stays, so it is told behind what came of it.
    pub(super) ended: Option<(Failure, &'static str)>,
    /// Domains that have no summary, by which they are found; nothing where there are no domains, or nobody has looked.
    pub(super) without_summary: Option<u64>,
    /// That of summaries included.
    pub(super) bill: Bill,
    pub(super) relations: Clustered,
    /// Whose vectors there are, where the server has said it.
    pub(super) embedder: Option<String>,
    /// Why that is not the embedder that was asked for, and what else is to be said of all of it.
    pub(super) note: Option<String>,
    /// Documents that were taken in and that the embedder cannot read: the first of them.
    pub(super) unread: Vec<String>,
    pub(super) count_unread: u64,
}

impl Outcome {
    /// What it would be.
    pub(super) fn foreseen(forecast: &Forecast) -> Self {
        Self {
            documents: forecast.documents as u64,
            added: forecast.added_documents,
            changed: forecast.changed_documents,
            unchanged: forecast.unchanged as u64,
            bytes: forecast.bytes,
            pieces: forecast.pieces as u64,
            vectors: forecast.vectors,
            vector_tokens: forecast.vector_tokens,
            bill: Bill::from(&forecast.estimate),
            ..Self::with(&forecast.problems)
        }
    }

    /// What was done in a folder.
    pub(super) fn of(report: &Report) -> Self {
        let change = &report.change;
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
            bill: Bill::from(report.cost),
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
        self.bill += Bill::from(&report.bill);
    }

    /// Summaries were written when the documents were in, or it was tried.
    pub(super) fn summarised(&mut self, made: Result<Made, Failure>) {
        let mut made = match made {
            Ok(made) => made,
            Err(failure) => {
                self.ended = Some((failure, IN_SUMMARIES));
                return;
            }
        };
        self.ended = made.ended.take().map(|failure| (failure, IN_SUMMARIES));
        self.stale = made.stale;
        self.bill += made.bill;
        self.summaries = Some(made);
    }

    /// Counts the domains that have no summary, where the graph is one of domains. Where something has ended the work already,
    /// that is what is told, and not that this fails as well.
    ///
    /// # Errors
    /// Those of a statement.
    pub(super) fn look_for_summaries(
        &mut self,
        place: &impl Place,
        system: System,
    ) -> Result<(), Failure> {
        if system.has_domains() {
            let rows = match place.look(Layers::DOMAINS_WITHOUT_SUMMARY) {
                Err(_) if self.ended.is_some() => return Ok(()),
                rows => rows?,
            };
            let count = rows.into_iter().flatten().find_map(|value| value.as_int());
            self.without_summary = count.and_then(|count| u64::try_from(count).ok());
        }
        Ok(())
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
