//! How the rows of a query came about: what was searched, what was traversed, how thoroughly and at which cost.
//!
//! A part of a query may run for many rows, and also within a text that a procedure runs; it has one report, by the
//! text and its place in it.
//!
//! Next: `searches.rs`.

mod searches;
mod traversals;

use std::sync::Arc;
use stratigraph_query_lang::Span;

pub use searches::{ScoreScale, SearchReport};
pub use traversals::{BudgetUse, TraversalReport};

/// What there is to tell of a query so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provenance {
    searches: Reports<SearchReport>,
    traversals: Reports<TraversalReport>,
    /// Texts that procedures run within the query, whose own text is the first and not among them.
    texts: Vec<Arc<str>>,
    /// Which text runs now.
    text: usize,
    /// Where the procedure stands that was called last.
    call: Span,
}

impl Provenance {
    /// Another text runs now; returns what ran before.
    pub(crate) fn enter(&mut self, text: &str) -> usize {
        let known = self.texts.iter().position(|known| **known == *text);
        let at = known.unwrap_or_else(|| {
            self.texts.push(text.into());
            self.texts.len() - 1
        });
        std::mem::replace(&mut self.text, at + 1)
    }

    /// That one runs again.
    pub(crate) fn leave(&mut self, text: usize) {
        self.text = text;
    }

    /// What stands there has searched.
    pub(crate) fn note_search(&mut self, span: Span, report: SearchReport) {
        self.searches.note((self.text, span), report);
    }

    /// The procedure that stands there is called.
    pub(crate) fn note_call(&mut self, span: Span) {
        self.call = span;
    }

    /// The procedure that was called last has searched.
    pub(crate) fn note_search_of_call(&mut self, report: SearchReport) {
        self.note_search(self.call, report);
    }

    /// What stands there has traversed.
    pub(crate) fn note_traversal(&mut self, span: Span, report: TraversalReport) {
        self.traversals.note((self.text, span), report);
    }

    /// The searches in the order of the text; what texts of procedures have searched comes after that.
    pub(crate) fn searches(&self) -> Vec<SearchReport> {
        self.searches.in_order()
    }

    /// The traversals, in the same order.
    pub(crate) fn traversals(&self) -> Vec<TraversalReport> {
        self.traversals.in_order()
    }

    /// How often anything ran: whether there is something new to tell.
    pub(crate) fn runs(&self) -> u64 {
        self.searches.runs() + self.traversals.runs()
    }
}

/// A report that goes on with every run.
trait Merged: Clone {
    /// There was another run.
    fn merge(&mut self, new: Self);
    /// How many there were.
    fn runs(&self) -> u64;
}

/// Reports by the text, and the place in it.
#[derive(Clone, Debug)]
struct Reports<T>(Vec<((usize, Span), T)>);

impl<T> Default for Reports<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Merged> Reports<T> {
    fn note(&mut self, place: (usize, Span), new: T) {
        match self.0.iter_mut().find(|(known, _)| *known == place) {
            Some((_, report)) => report.merge(new),
            None => self.0.push((place, new)),
        }
    }

    fn in_order(&self) -> Vec<T> {
        let mut reports: Vec<_> = self.0.iter().collect();
        reports.sort_by_key(|((text, span), _)| (*text, span.start));
        reports
            .into_iter()
            .map(|(_, report)| report.clone())
            .collect()
    }

    fn runs(&self) -> u64 {
        self.0.iter().map(|(_, report)| report.runs()).sum()
    }
}
