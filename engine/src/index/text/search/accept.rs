//! Walking over documents, and taking those that are there and allowed.

use super::answer::Work;
use super::cursor::END;
use super::node::Node;
use super::score::Lengths;
use super::top::Top;
use crate::error::Result;
use crate::index::text::OwnerId;
use crate::index::text::segment::view::SegmentView;
use crate::keys::KeyRead;
use roaring::RoaringTreemap;
use stratigraph_vector::IdSet;

/// After so many documents it is asked whether the search may go on: not all are in postings that are read.
const DOCUMENTS_BETWEEN_LOOKS: u64 = 1024;

/// Walks over all documents of a node.
pub(super) fn walk<K: KeyRead>(
    keys: &K,
    segment: &SegmentView,
    node: &mut Node<'_, K>,
    lengths: &Lengths,
    accept: &mut Accept<'_>,
    work: &mut Work,
) -> Result<()> {
    let mut document = node.advance(0)?;
    let mut walked = 0_u64;
    while document != END {
        walked += 1;
        if walked.is_multiple_of(DOCUMENTS_BETWEEN_LOOKS) {
            keys.may_go_on()?;
        }
        if accept.allows(segment, document) {
            work.documents += 1;
            let score = node.score(lengths)?;
            accept.offer(segment, document, score);
        }
        document = node.advance(document + 1)?;
    }
    Ok(())
}

/// Looks at some documents of the index only, those of them that lie in the segment.
pub(super) fn lead<K: KeyRead>(
    segment: &SegmentView,
    documents: &[u32],
    node: &mut Node<'_, K>,
    lengths: &Lengths,
    accept: &mut Accept<'_>,
    work: &mut Work,
) -> Result<()> {
    let first = segment.record.first;
    let from = documents.partition_point(|document| *document < first);
    for document in documents.get(from..).unwrap_or_default() {
        let number = document - first;
        if number >= segment.record.span {
            break;
        }
        if node.advance(number)? == number {
            work.documents += 1;
            let score = node.score(lengths)?;
            accept.offer(segment, number, score);
        }
    }
    Ok(())
}

/// The owners that may be found.
pub(super) enum Owners<'a> {
    Set(&'a RoaringTreemap),
    /// Quicker to ask, but to be made first.
    Ids(IdSet),
}

impl<'a> Owners<'a> {
    /// Those of a set that is asked about no more documents than this.
    pub(super) fn of(set: &'a RoaringTreemap, documents: u64) -> Self {
        match set.len() <= documents {
            true => Self::Ids(IdSet::of_set(set)),
            false => Self::Set(set),
        }
    }

    fn contains(&self, owner: OwnerId) -> bool {
        match self {
            Self::Set(set) => set.contains(owner.get()),
            Self::Ids(ids) => ids.contains(owner.get()),
        }
    }
}

/// Takes documents that were found, unless they are gone or not allowed.
pub(super) struct Accept<'a> {
    pub(super) top: &'a mut Top,
    pub(super) among: Option<&'a Owners<'a>>,
}

impl Accept<'_> {
    pub(super) fn threshold(&self) -> f64 {
        self.top.threshold()
    }

    pub(super) fn is_filtered(&self) -> bool {
        self.among.is_some()
    }

    /// Whether a document may be found at all.
    pub(super) fn allows(&self, segment: &SegmentView, number: u32) -> bool {
        if segment.is_gone(number) {
            return false;
        }
        let Some(document) = segment.columns.get(number) else {
            return false;
        };
        self.among
            .is_none_or(|owners| owners.contains(document.owner))
    }

    /// Takes a document that is allowed; without a filter this looks whether it is gone.
    pub(super) fn offer(&mut self, segment: &SegmentView, number: u32, score: f64) {
        if segment.is_gone(number) {
            return;
        }
        if let Some(document) = segment.columns.get(number) {
            self.top.offer(score, document.owner);
        }
    }
}
