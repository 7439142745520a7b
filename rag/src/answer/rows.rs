//! Without a model, and where a declared query has answered: its rows, in their order. Whoever wrote the query has said what
//! answers such a question, and no comparison of words knows better.

use stratigraph::Read;

use super::{Answer, Answering, Sentence};
use crate::retrieve::{Found, Scale};

/// So many rows are told at most; what was found has all of them.
const MOST_ROWS: usize = 20;

impl<R: Read> Answering<'_, R> {
    /// Tells the rows of the query that the question was routed to, a line each; whether there are any.
    pub(super) fn tells_rows(&self, answer: &mut Answer) -> bool {
        let found = (1..).zip(&self.retrieved.found);
        let rows = found.filter(|(_, found)| found.receipt.score.scale == Scale::Routed);
        // What has nothing but its key is packed once for all of its kind.
        let rows = rows.filter(|(_, found)| found.packed || found.text.trim().is_empty());
        let rows: Vec<(usize, &Found)> = rows.collect();
        if rows.is_empty() {
            return false;
        }
        let told = rows.len().min(MOST_ROWS);
        answer.analysis = format!(
            "{told} of {} rows of the query that the question is for, in their order.",
            rows.len()
        );
        let lines = rows.iter().take(told).map(|(number, found)| Sentence {
            text: line(found),
            sources: vec![*number],
            supported: true,
            // How well the query fits the question; what it takes of its names may lift it above 1.
            score: found.receipt.score.value.clamp(0.0, 1.0),
            lacks: Vec::new(),
        });
        answer.answer = lines.collect();
        true
    }
}

/// A row as one line; one that has only its key by that.
fn line(found: &Found) -> String {
    let lines = found.text.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    match lines.is_empty() {
        true => format!("{} {}", found.receipt.name.kind, found.receipt.name.key),
        false => lines.join("; "),
    }
}
