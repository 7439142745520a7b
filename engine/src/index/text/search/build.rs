//! Cursors of a plan in one segment.

use super::Run;
use super::cursor::{Cursor, END};
use super::located::Located;
use super::node::{All, Node, Phrase};
use crate::error::Result;
use crate::index::text::query::plan::Plan;
use crate::index::text::segment::view::SegmentView;
use crate::keys::KeyRead;
use roaring::RoaringBitmap;
use std::rc::Rc;

/// Makes cursors of a plan in one segment.
pub(super) struct Build<'b, 's, K> {
    pub(super) run: &'b Run<'s, K>,
    pub(super) segment: &'s SegmentView,
    pub(super) located: &'b mut [Option<Located>],
    pub(super) uses: &'b mut [u32],
    /// The documents of each prefix, once they were listed.
    pub(super) listed: Vec<Option<Rc<RoaringBitmap>>>,
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
        let weight = self.run.weight(term, boost);
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

    /// The parts of a plan that the segment has anything of.
    fn there(&mut self, plans: &[Plan]) -> Result<Vec<Node<'s, K>>> {
        let mut nodes = Vec::with_capacity(plans.len());
        for plan in plans {
            match self.node(plan)? {
                Node::Nothing => {}
                node => nodes.push(node),
            }
        }
        Ok(nodes)
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
            Plan::Any(parts) => {
                let parts = self.there(parts)?;
                if parts.is_empty() {
                    return Ok(Node::Nothing);
                }
                Node::Any {
                    parts,
                    document: END,
                }
            }
            Plan::All { must, should, not } => {
                // All are made, so that the uses of their terms are counted.
                let all = self.there(must)?;
                let (should, not) = (self.there(should)?, self.there(not)?);
                if all.len() < must.len() {
                    return Ok(Node::Nothing);
                }
                Node::All(Box::new(All {
                    must: all,
                    should,
                    not,
                    document: END,
                }))
            }
            Plan::Phrase { terms, boost } => self.phrase(terms, *boost)?,
            Plan::Prefix(prefix, boost) => {
                let documents = self.listed(*prefix)?;
                let Some(document) = documents.min() else {
                    return Ok(Node::Nothing);
                };
                Node::Listed {
                    documents,
                    document,
                    score: self.run.lengths.rounded(f64::from(*boost)),
                }
            }
        })
    }

    /// The documents of a prefix: listed once, however often the plan names it.
    fn listed(&mut self, prefix: usize) -> Result<Rc<RoaringBitmap>> {
        if let Some(Some(documents)) = self.listed.get(prefix) {
            return Ok(Rc::clone(documents));
        }
        let Some(expanded) = self.run.expanded.get(prefix) else {
            return Ok(Rc::default());
        };
        let (reader, lengths) = (&self.run.search.reader, &self.run.lengths);
        let documents = Rc::new(expanded.documents(reader, self.segment, lengths)?);
        if let Some(slot) = self.listed.get_mut(prefix) {
            *slot = Some(Rc::clone(&documents));
        }
        Ok(documents)
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
