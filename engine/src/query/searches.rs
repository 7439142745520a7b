//! How the searches of a query were answered: which index, how thoroughly, by whom.
//!
//! Next: `result.rs`, whose summary carries it.

use super::exec::hits::NearAnswer;
use crate::index::vector::ServedBy;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_vector::{How, Strategy};

/// How one `SEARCH` of a query was answered, or one `RECOVER` by the codes of a vector index. It may have run for many rows: counts are of all of them, and what may
/// differ from one to the next is that of the least.
///
/// Scores of vectors are on the scale on which more is nearer: (1 + cosine) / 2, 1 / (1 + distance squared), or the
/// dot product. Scores of texts are BM25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SearchReport {
    /// The name of the index.
    pub index: Arc<str>,
    /// Whether it is a full-text index, and no vector index.
    pub fulltext: bool,
    /// How often it was asked. Rows that ask for the same share an answer.
    pub runs: u64,
    /// How many were found; by a `RECOVER`, how many were left that might be kept: their vectors were read.
    pub found: u64,
    /// Whether none can be missing. Full-text indexes are always exact.
    pub exact: bool,
    /// How many candidates a walk through a vector index keeps, known as `ef`; none if everything was compared.
    pub breadth: Option<u64>,
    /// Which way was taken through a vector index.
    pub strategy: Option<Strategy>,
    /// Who has answered of a vector index: it, or the stored vectors while it is being made.
    pub served_by: Option<ServedBy>,
    /// How many vectors or codes were compared, or documents scored.
    pub compared: u64,
    /// Which share of the true nearest was most likely found, if the index has measured it.
    pub estimated_recall: Option<f32>,
    /// Among how many it was searched, if there was a `WHERE`: of the last run.
    pub among: Option<u64>,
}

/// The searches of a query so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Searches {
    /// By the place in the text.
    reports: Vec<(Span, SearchReport)>,
}

impl Searches {
    /// A vector index has answered.
    pub(crate) fn note_vectors(
        &mut self,
        span: Span,
        index: &Arc<str>,
        near: &NearAnswer,
        among: Option<u64>,
    ) {
        let answer = &near.answer;
        let compares_all = answer.strategy == Strategy::Exact;
        let breadth = near.breadth.filter(|_| !compares_all);
        self.note(
            span,
            SearchReport {
                index: Arc::clone(index),
                fulltext: false,
                runs: 1,
                found: answer.hits.len() as u64,
                exact: answer.how == How::Exact,
                breadth: breadth.map(|breadth| breadth as u64),
                strategy: Some(answer.strategy),
                served_by: Some(answer.served_by),
                compared: answer.compared,
                estimated_recall: answer.estimated_recall,
                among,
            },
        );
    }

    /// Codes of a vector index have told who of so many members of a level may be kept: how many were compared,
    /// and how many are left.
    pub(crate) fn note_sifted(
        &mut self,
        span: Span,
        index: &Arc<str>,
        (compared, found): (u64, u64),
        among: u64,
    ) {
        self.note(
            span,
            SearchReport {
                index: Arc::clone(index),
                fulltext: false,
                runs: 1,
                found,
                exact: true,
                breadth: None,
                strategy: Some(Strategy::Proven),
                served_by: Some(ServedBy::Index),
                compared,
                estimated_recall: Some(1.0),
                among: Some(among),
            },
        );
    }

    /// A full-text index has answered.
    pub(crate) fn note_texts(
        &mut self,
        span: Span,
        index: &Arc<str>,
        (found, compared): (usize, u64),
        among: Option<u64>,
    ) {
        self.note(
            span,
            SearchReport {
                index: Arc::clone(index),
                fulltext: true,
                runs: 1,
                found: found as u64,
                exact: true,
                breadth: None,
                strategy: None,
                served_by: None,
                compared,
                estimated_recall: None,
                among,
            },
        );
    }

    fn note(&mut self, span: Span, new: SearchReport) {
        let known = self.reports.iter_mut().find(|(known, _)| *known == span);
        let Some((_, report)) = known else {
            self.reports.push((span, new));
            return;
        };
        report.runs += 1;
        report.found += new.found;
        report.compared += new.compared;
        report.among = new.among;
        if report.exact || !new.exact {
            report.strategy = new.strategy;
            report.served_by = new.served_by;
        }
        report.exact &= new.exact;
        report.breadth = report.breadth.max(new.breadth);
        report.estimated_recall = match (report.estimated_recall, new.estimated_recall) {
            (Some(one), Some(other)) => Some(one.min(other)),
            _ => None,
        };
    }

    /// What there is to tell, in the order of the text.
    pub(crate) fn reports(&self) -> Vec<SearchReport> {
        let mut reports = self.reports.clone();
        reports.sort_by_key(|(span, _)| span.start);
        reports.into_iter().map(|(_, report)| report).collect()
    }

    /// How many there are, and how often they ran: whether there is something new to tell.
    pub(crate) fn runs(&self) -> u64 {
        self.reports.iter().map(|(_, report)| report.runs).sum()
    }
}
