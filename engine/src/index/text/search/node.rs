//! Walks over the documents of a plan, whatever it is made of, one document at a time.

use super::cursor::{Cursor, END, Steps};
use super::score::Lengths;
use crate::error::Result;
use crate::keys::KeyRead;
use roaring::RoaringBitmap;
use std::rc::Rc;

/// A part of a plan in one segment.
pub(crate) enum Node<'s, K> {
    Nothing,
    Term {
        cursor: Box<Cursor<'s, K>>,
        document: u32,
    },
    Any {
        parts: Vec<Node<'s, K>>,
        document: u32,
    },
    All(Box<All<'s, K>>),
    Phrase(Box<Phrase<'s, K>>),
    /// Documents that were gathered before, which score the same. It stands at the first of them, or later.
    Listed {
        documents: Rc<RoaringBitmap>,
        document: u32,
        score: f64,
    },
}

/// All of some parts, none of others.
pub(crate) struct All<'s, K> {
    pub(crate) must: Vec<Node<'s, K>>,
    pub(crate) should: Vec<Node<'s, K>>,
    pub(crate) not: Vec<Node<'s, K>>,
    pub(crate) document: u32,
}

/// Terms at distances from each other.
pub(crate) struct Phrase<'s, K> {
    /// Each distinct term once.
    pub(crate) cursors: Vec<Cursor<'s, K>>,
    /// Which of them stand how far from the first.
    pub(crate) places: Vec<(usize, u32)>,
    pub(crate) positions: Vec<Vec<u32>>,
    pub(crate) document: u32,
}

impl<K: KeyRead> Node<'_, K> {
    /// Where it stands: before the first [`advance`](Self::advance) nowhere.
    fn document(&self) -> u32 {
        match self {
            Self::Nothing => END,
            Self::Term { document, .. }
            | Self::Any { document, .. }
            | Self::Listed { document, .. } => *document,
            Self::All(all) => all.document,
            Self::Phrase(phrase) => phrase.document,
        }
    }

    /// Moves to the first document that is not before `target`; [`END`] if there is none.
    pub(crate) fn advance(&mut self, target: u32) -> Result<u32> {
        match self {
            Self::Nothing => Ok(END),
            Self::Term { cursor, document } => {
                *document = cursor.advance(target)?;
                Ok(*document)
            }
            Self::Any { parts, document } => {
                *document = END;
                for part in parts {
                    *document = (*document).min(part.advance(target)?);
                }
                Ok(*document)
            }
            Self::All(all) => all.advance(target),
            Self::Phrase(phrase) => phrase.advance(target),
            Self::Listed {
                documents,
                document,
                ..
            } => {
                // It never goes back, as no other node does.
                if *document < target {
                    *document = documents.range(target..).next().unwrap_or(END);
                }
                Ok(*document)
            }
        }
    }

    /// The score of the document it stands at.
    pub(crate) fn score(&mut self, lengths: &Lengths) -> Result<f64> {
        match self {
            Self::Nothing => Ok(0.0),
            Self::Term { cursor, .. } => Ok(cursor.score(lengths)),
            Self::Any { parts, document } => score_at(parts, *document, lengths),
            Self::All(all) => {
                let document = all.document;
                let mut score = score_at(&mut all.must, document, lengths)?;
                for part in &mut all.should {
                    if part.advance(document)? == document {
                        score += part.score(lengths)?;
                    }
                }
                Ok(score)
            }
            Self::Phrase(phrase) => Ok(phrase
                .cursors
                .iter()
                .map(|cursor| cursor.score(lengths))
                .sum()),
            Self::Listed { score, .. } => Ok(*score),
        }
    }

    /// Adds up what its cursors have done.
    pub(crate) fn count(&self, steps: &mut Steps, all: &mut u64) {
        let mut add = |cursor: &Cursor<'_, K>| {
            steps.blocks += cursor.steps.blocks;
            steps.postings += cursor.steps.postings;
            *all += cursor.postings();
        };
        match self {
            Self::Nothing | Self::Listed { .. } => {}
            Self::Term { cursor, .. } => add(cursor),
            Self::Phrase(phrase) => phrase.cursors.iter().for_each(add),
            Self::Any { parts, .. } => parts.iter().for_each(|part| part.count(steps, all)),
            Self::All(parts) => {
                let parts = parts.must.iter().chain(&parts.should).chain(&parts.not);
                parts.for_each(|part| part.count(steps, all));
            }
        }
    }
}

/// The scores of the parts that stand at a document.
fn score_at<K: KeyRead>(
    parts: &mut [Node<'_, K>],
    document: u32,
    lengths: &Lengths,
) -> Result<f64> {
    let mut score = 0.0;
    for part in parts {
        if part.document() == document {
            score += part.score(lengths)?;
        }
    }
    Ok(score)
}

impl<K: KeyRead> All<'_, K> {
    fn advance(&mut self, target: u32) -> Result<u32> {
        let mut document = target;
        'next: loop {
            for part in &mut self.must {
                let found = part.advance(document)?;
                if found == END {
                    self.document = END;
                    return Ok(END);
                }
                if found > document {
                    document = found;
                    continue 'next;
                }
            }
            for part in &mut self.not {
                if part.advance(document)? == document {
                    document += 1;
                    continue 'next;
                }
            }
            self.document = document;
            return Ok(document);
        }
    }
}

impl<K: KeyRead> Phrase<'_, K> {
    fn advance(&mut self, target: u32) -> Result<u32> {
        let mut document = target;
        'next: loop {
            for cursor in &mut self.cursors {
                let found = cursor.advance(document)?;
                if found == END {
                    self.document = END;
                    return Ok(END);
                }
                if found > document {
                    document = found;
                    continue 'next;
                }
            }
            if self.stands_here()? {
                self.document = document;
                return Ok(document);
            }
            document += 1;
        }
    }

    /// Whether the terms stand at their distances in the document of all cursors.
    fn stands_here(&mut self) -> Result<bool> {
        for (cursor, positions) in self.cursors.iter_mut().zip(&mut self.positions) {
            cursor.positions(positions)?;
        }
        let Some((first, rest)) = self.places.split_first() else {
            return Ok(false);
        };
        let starts = self
            .positions
            .get(first.0)
            .map_or(&[][..], |positions| positions);
        Ok(starts.iter().any(|start| {
            rest.iter().all(|(term, distance)| {
                let positions = self
                    .positions
                    .get(*term)
                    .map_or(&[][..], |positions| positions);
                start
                    .checked_add(*distance)
                    .is_some_and(|at| positions.binary_search(&at).is_ok())
            })
        }))
    }
}
