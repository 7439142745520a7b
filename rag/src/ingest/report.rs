//! What is told of an ingestion: before, on the way, and after.

use std::collections::BTreeSet;

use thiserror::Error;

use super::Problems;
use super::unchanged::Unchanged;
use crate::Document;
use crate::build::{BuildError, Change, Standing};
use crate::chunk::{Measure, Piece};
use crate::extract::{Cost, Estimate};
use stratigraph_models::Coverage;

/// How far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Documents that are done, well or not.
    pub documents: usize,
    /// The bytes of their texts.
    pub bytes: u64,
    /// Pieces that were read, those of documents under way among them.
    pub pieces: usize,
    /// What was spent.
    pub cost: Cost,
}

/// What came of it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Documents that are in the graph as they are now.
    pub documents: usize,
    /// How many of them were there already, and were neither cut nor read.
    pub unchanged: usize,
    /// What could not be taken in.
    pub problems: Problems,
    /// Documents that are in the graph although the embedder cannot read their writing: the first
    /// [`Problems::MOST_TOLD`] of them.
    pub unread: Vec<Unread>,
    /// How many that were.
    pub count_unread: usize,
    /// The bytes of all texts.
    pub bytes: u64,
    /// Pieces that were read; those of documents that are unchanged are not among them.
    pub pieces: usize,
    /// What changed in the graph, and how many documents are new or have another text than before.
    pub change: Change,
    /// The bill.
    pub cost: Cost,
    /// Why it ended before all documents were done.
    pub ended: Option<Ended>,
}

/// Why an ingestion ended early. What was committed before stays, and the next run goes on from there.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Ended {
    /// Somebody said that it should stop.
    #[error("stopped; documents that are done stay, and the next run goes on from there")]
    Stopped,
    /// The database takes nothing any more.
    #[error(transparent)]
    Database(stratigraph::Error),
}

impl Report {
    /// Both together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.unchanged += other.unchanged;
        self.problems = self.problems.and(other.problems);
        self.count_unread += other.count_unread;
        let room = Problems::MOST_TOLD.saturating_sub(self.unread.len());
        self.unread.extend(other.unread.into_iter().take(room));
        self.bytes += other.bytes;
        self.pieces += other.pieces;
        self.cost += other.cost;
        self.wrote(other.documents, other.change);
        self.ended = self.ended.or(other.ended);
        self
    }

    /// The database takes or gives nothing any more.
    pub(super) fn end(&mut self, error: BuildError) {
        match error {
            BuildError::Database(error) => {
                self.ended.get_or_insert(Ended::Database(error));
            }
            error => self.problems.fail(None, error),
        }
    }

    pub(super) fn unread(&mut self, unread: Unread) {
        self.count_unread += 1;
        if self.unread.len() < Problems::MOST_TOLD {
            self.unread.push(unread);
        }
    }

    /// These are there already.
    pub(super) fn leave(&mut self, unchanged: &Unchanged) {
        self.unchanged += unchanged.documents;
        self.bytes += unchanged.bytes;
        let change = Change {
            unchanged: unchanged.parts,
            ..Change::default()
        };
        self.wrote(unchanged.documents, change);
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            documents: self.documents + self.problems.count_failed,
            bytes: self.bytes,
            pieces: self.pieces,
            cost: self.cost,
        }
    }

    pub(super) fn wrote(&mut self, documents: usize, change: Change) {
        self.documents += documents;
        let all = &mut self.change;
        all.written += change.written;
        all.deleted += change.deleted;
        all.unchanged += change.unchanged;
        all.keys += change.keys;
        all.vectors += change.vectors;
        all.vector_tokens += change.vector_tokens;
        all.cut_off += change.cut_off;
        all.stale.extend(change.stale);
        all.added_documents += change.added_documents;
        all.changed_documents += change.changed_documents;
    }
}

/// A document that is in the graph, with vectors that say little of it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{document}: {embedder} {coverage} as more than single letters, so its vectors say little of what it means: it is found by its words; a new database gets an embedder that reads it"
)]
pub struct Unread {
    /// Its id.
    pub document: String,
    /// Whose vectors it has.
    pub embedder: String,
    /// How much of it that reads.
    pub coverage: Coverage,
}

impl Forecast {
    /// Both together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.documents += other.documents;
        self.unchanged += other.unchanged;
        self.added_documents += other.added_documents;
        self.changed_documents += other.changed_documents;
        self.problems = self.problems.and(other.problems);
        self.bytes += other.bytes;
        self.pieces += other.pieces;
        self.vectors += other.vectors;
        self.vector_tokens += other.vector_tokens;
        self.estimate += other.estimate;
        self
    }

    /// Counts what a document would be beside what is there.
    pub(super) fn compare(&mut self, standing: Standing) {
        match standing {
            Standing::New => self.added_documents += 1,
            Standing::Changed => self.changed_documents += 1,
            Standing::Same => {}
        }
    }

    /// Counts a document with its pieces.
    pub(super) fn count(&mut self, document: &Document, pieces: &[Piece], measure: &dyn Measure) {
        self.documents += 1;
        self.bytes += document.text().len() as u64;
        self.pieces += pieces.len();
        let tokens = |text: &str| measure.ends(text).len() as u64;
        // The document itself has no vector.
        let sections = 1..document.sections().len();
        self.vectors += (sections.len() + pieces.len()) as u64;
        for section in sections {
            self.vector_tokens += tokens(&document.heading_line(section));
        }
        for piece in pieces {
            self.vector_tokens += tokens(&document.heading_line(piece.section));
            self.vector_tokens += tokens(piece.text(document));
        }
    }

    /// Counts a list of facts, of which these texts have vectors.
    pub(super) fn count_texts(&mut self, texts: &BTreeSet<String>, measure: &dyn Measure) {
        self.documents += 1;
        self.vectors += texts.len() as u64;
        let tokens = texts.iter().map(|text| measure.ends(text).len() as u64);
        self.vector_tokens += tokens.sum::<u64>();
    }

    /// These are there already, and cost nothing.
    pub(super) fn leave(&mut self, unchanged: &Unchanged) {
        self.documents += unchanged.documents;
        self.unchanged += unchanged.documents;
        self.bytes += unchanged.bytes;
    }
}

/// What it would cost.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Forecast {
    /// Documents that can be read.
    pub documents: usize,
    /// How many of them are there already, and would be neither cut nor read.
    pub unchanged: usize,
    /// How many of them are not there yet: each beside what is there, not beside the others. Of two with one name both are
    /// counted, here and below, where a run counts what the second is after the first.
    pub added_documents: u64,
    /// How many of them are there under their names with another text.
    pub changed_documents: u64,
    /// Documents that cannot, and lines of lists that are broken.
    pub problems: Problems,
    /// The bytes of their texts.
    pub bytes: u64,
    /// Their pieces.
    pub pieces: usize,
    /// Their headings and pieces, and what is in lists of facts: each gets a vector, unless it is there with the same text.
    /// What is named in pieces gets some on top.
    pub vectors: u64,
    /// The tokens of these texts, as pieces are measured.
    pub vector_tokens: u64,
    /// What a model would be asked.
    pub estimate: Estimate,
}
