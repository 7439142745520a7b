//! Cursors of a plan in one segment.

use super::Run;
use super::cursor::{Cursor, END, Located};
use super::node::{All, Node, Phrase};
use crate::database::keys::KeyRead;
use crate::error::Result;
use crate::index::text::query::plan::Plan;
use crate::index::text::segment::view::SegmentView;

/// Makes cursors of a plan in one segment.
pub(super) struct Build<'b, 's, K> {
    pub(super) run: &'b Run<'s, K>,
    pub(super) segment: &'s SegmentView,
    pub(super) located: &'b mut [Option<Located>],
    pub(super) uses: &'b mut [u32],
    /// How many prefixes were passed.
    pub(super) prefix: usize,
}

impl<'s, K: KeyRead> Build<'_, 's, K> {
    fn cursor(&mut self, term: usize, boost: f32) -> Result<Option<Cursor<'s, K>>> {
        let left = self.uses.get_mut(term).map_or(0, |uses| {
            *uses = uses.saturating_sub(1);
            *uses
        });
        let Some(slot) = self.located.get_mut(term) else {
            return Ok(None);
        };
        let located = if left == 0 { slot.take() } else { slot.clone() };
        let Some(located) = located.filter(|located| located.list().here > 0) else {
            return Ok(None);
        };
        let counted = self.run.counted.get(term).copied().unwrap_or_default();
        let live = self.run.search.statistics.live;
        let weight = self.run.lengths.weight(live, counted.unsigned_abs(), boost);
        Cursor::new(
            &self.run.search.reader,
            self.segment,
            located,
            weight,
            &self.run.lengths,
        )
        .map(Some)
    }

    /// The cursors of a plan that is nothing but any of some terms.
    pub(super) fn words(&mut self, plan: &Plan) -> Result<Option<Vec<Cursor<'s, K>>>> {
        let parts = match plan {
            Plan::Any(parts) => parts.as_slice(),
            one @ Plan::Term(..) => std::slice::from_ref(one),
            _ => return Ok(None),
        };
        if !parts.iter().all(|part| matches!(part, Plan::Term(..))) {
            return Ok(None);
        }
        let mut cursors = Vec::with_capacity(parts.len());
        for part in parts {
            if let Plan::Term(term, boost) = part {
                cursors.extend(self.cursor(*term, *boost)?);
            }
        }
        Ok(Some(cursors))
    }

    pub(super) fn nodes(&mut self, plans: &[Plan]) -> Result<Vec<Node<'s, K>>> {
        plans.iter().map(|plan| self.node(plan)).collect()
    }

    pub(super) fn node(&mut self, plan: &Plan) -> Result<Node<'s, K>> {
        Ok(match plan {
            Plan::Nothing => Node::Nothing,
            Plan::Term(term, boost) => match self.cursor(*term, *boost)? {
                Some(cursor) => Node::Term {
                    cursor: Box::new(cursor),
                    document: END,
                },
                None => Node::Nothing,
            },
            Plan::Any(parts) => Node::Any {
                parts: self.nodes(parts)?,
                document: END,
            },
            Plan::All { must, should, not } => Node::All(Box::new(All {
                must: self.nodes(must)?,
                should: self.nodes(should)?,
                not: self.nodes(not)?,
                document: END,
            })),
            Plan::Phrase { terms, boost } => self.phrase(terms, *boost)?,
            Plan::Prefix { boost, .. } => {
                let expanded = self.run.expanded.get(self.prefix);
                self.prefix += 1;
                let documents = match expanded {
                    Some(expanded) => expanded.documents(
                        &self.run.search.reader,
                        self.segment,
                        &self.run.lengths,
                    )?,
                    None => Vec::new(),
                };
                Node::Listed {
                    documents,
                    at: 0,
                    score: *boost,
                }
            }
        })
    }

    fn phrase(&mut self, terms: &[(usize, u32)], boost: f32) -> Result<Node<'s, K>> {
        let mut distinct: Vec<usize> = Vec::new();
        let mut cursors = Vec::new();
        let mut places = Vec::with_capacity(terms.len());
        let mut missing = false;
        for (term, distance) in terms {
            let known = distinct.iter().position(|known| known == term);
            if known.is_none() || missing {
                match self.cursor(*term, boost)? {
                    Some(cursor) => {
                        distinct.push(*term);
                        cursors.push(cursor);
                    }
                    // The uses of the others still have to be counted.
                    None => missing = true,
                }
            } else if let Some(uses) = self.uses.get_mut(*term) {
                *uses = uses.saturating_sub(1);
            }
            let at = known.unwrap_or(distinct.len().saturating_sub(1));
            places.push((at, *distance));
        }
        if missing {
            return Ok(Node::Nothing);
        }
        let positions = vec![Vec::new(); cursors.len()];
        Ok(Node::Phrase(Box::new(Phrase {
            cursors,
            places,
            positions,
            document: END,
        })))
    }
}
