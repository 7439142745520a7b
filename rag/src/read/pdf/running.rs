//! What is printed on page after page: running titles, feet, and the numbers of pages.
//!
//! They are no part of what a document says, and stand in the middle of sentences that go on overleaf. They are
//! left out as somebody who reads leaves them out: if they stand at the edge of at least a third of all pages, and
//! of three, and in no larger type than the text.

use std::collections::{HashMap, HashSet};

use super::headings::usual_size;
use super::layout::Paragraph;

/// How many paragraphs of a page may be such, from either edge.
const AT_EDGE: usize = 2;

/// Takes them away.
pub(super) fn leave_out(pages: &mut [(usize, Vec<Paragraph>)]) {
    let Some(usual) = usual_size(pages) else {
        return;
    };
    let repeated = repeated(pages);
    let runs = |paragraph: &Paragraph| {
        paragraph.size <= 1.12 * usual && repeated.contains(&known_again(&paragraph.text))
    };
    for (_, paragraphs) in pages {
        for _ in 0..AT_EDGE {
            if paragraphs.first().is_some_and(runs) {
                paragraphs.remove(0);
            }
            if paragraphs.last().is_some_and(runs) {
                paragraphs.pop();
            }
        }
    }
}

/// What stands at the edges of many pages, whatever its numbers.
pub(super) fn repeated(pages: &[(usize, Vec<Paragraph>)]) -> HashSet<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, paragraphs) in pages {
        let last = paragraphs.iter().rev().take(AT_EDGE);
        let edges = paragraphs.iter().take(AT_EDGE).chain(last);
        let edges: HashSet<String> = edges.map(|one| known_again(&one.text)).collect();
        for text in edges {
            *counts.entry(text).or_default() += 1;
        }
    }
    let many = (pages.len() / 3).max(3);
    let repeated = counts.into_iter().filter(|(_, count)| *count >= many);
    repeated.map(|(text, _)| text).collect()
}

/// A text as it is known again on another page: its numbers may be others.
pub(super) fn known_again(text: &str) -> String {
    let mut known = String::new();
    for one in text.chars().filter(|one| !one.is_whitespace()).take(120) {
        match one.is_numeric() {
            true if known.ends_with('0') => {}
            true => known.push('0'),
            false => known.push(one),
        }
    }
    known
}
