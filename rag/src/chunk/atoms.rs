//! Atoms: the least pieces that stay whole, none of them longer than what a chunk may have.
//!
//! What is too long is cut at the next finer kind of border: paragraph, line, sentence, word, and at last
//! between any two units.

use std::ops::Range;

use super::{Measured, sentences};
use crate::Block;

/// The borders of texts from the coarsest to the finest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Border {
    Paragraph,
    Line,
    Sentence,
    Word,
    Unit,
}

impl Border {
    fn finer(self) -> Self {
        match self {
            Self::Paragraph => Self::Line,
            Self::Line => Self::Sentence,
            Self::Sentence => Self::Word,
            Self::Word | Self::Unit => Self::Unit,
        }
    }
}

/// The atoms of a span of running text.
pub(super) fn of_text(
    measured: &Measured<'_>,
    span: &Range<usize>,
    limit: usize,
) -> Vec<Range<usize>> {
    let mut atoms = Vec::new();
    cut(measured, span, Border::Paragraph, limit, &mut atoms);
    atoms
}

/// The atoms of a section's body: its blocks, and what stands between them.
pub(super) fn of_blocks(
    measured: &Measured<'_>,
    body: &Range<usize>,
    blocks: &[Block],
    limit: usize,
) -> Vec<Range<usize>> {
    let mut atoms = Vec::new();
    let mut at = body.start;
    for block in blocks {
        if at < block.span.start {
            cut(
                measured,
                &(at..block.span.start),
                Border::Paragraph,
                limit,
                &mut atoms,
            );
        }
        cut_if_long(measured, &block.span, Border::Line, limit, &mut atoms);
        at = block.span.end;
    }
    if at < body.end {
        cut(
            measured,
            &(at..body.end),
            Border::Paragraph,
            limit,
            &mut atoms,
        );
    }
    atoms
}

fn cut_if_long(
    measured: &Measured<'_>,
    span: &Range<usize>,
    border: Border,
    limit: usize,
    atoms: &mut Vec<Range<usize>>,
) {
    if measured.size(span) <= limit {
        atoms.push(span.clone());
    } else {
        cut(measured, span, border, limit, atoms);
    }
}

/// Cuts at this kind of border, and what is still too long at the next finer one.
fn cut(
    measured: &Measured<'_>,
    span: &Range<usize>,
    border: Border,
    limit: usize,
    atoms: &mut Vec<Range<usize>>,
) {
    if border == Border::Unit {
        atoms.extend(measured.windows(span, limit, 0));
        return;
    }
    let text = &measured.text()[span.clone()];
    let mut from = span.start;
    let borders: &mut dyn Iterator<Item = usize> = match border {
        Border::Paragraph => &mut text
            .match_indices("\n\n")
            .map(|(at, found)| at + found.len()),
        Border::Line => &mut text.match_indices('\n').map(|(at, found)| at + found.len()),
        Border::Sentence => &mut sentences(text).map(|sentence| sentence.end),
        Border::Word => &mut text
            .match_indices(char::is_whitespace)
            .map(|(at, found)| at + found.len()),
        Border::Unit => return,
    };
    for end in borders.chain([text.len()]) {
        let end = span.start + end;
        if end > from {
            cut_if_long(measured, &(from..end), border.finer(), limit, atoms);
            from = end;
        }
    }
}
