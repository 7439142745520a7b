//! Walking over all nodes, or all relationships, by id.

use crate::error::{Error, Result};
use crate::keys::{KeyRead, Scan};
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use crate::value::{NodeId, RelationshipId};
use std::marker::PhantomData;

/// An id of the kind that a family holds.
pub trait RecordId: Copy {
    /// The family of its records.
    const FAMILY: Family;
    /// The id with this number.
    fn from_number(number: u64) -> Self;
}

impl RecordId for NodeId {
    const FAMILY: Family = Family::Nodes;

    fn from_number(number: u64) -> Self {
        Self::new(number)
    }
}

impl RecordId for RelationshipId {
    const FAMILY: Family = Family::Edges;

    fn from_number(number: u64) -> Self {
        Self::new(number)
    }
}

/// The ids of everything of one kind, in order.
pub struct Ids<'a, I> {
    scan: Scan<'a>,
    kind: PhantomData<I>,
}

impl<'a, I: RecordId> Ids<'a, I> {
    pub(crate) fn new(keys: &'a impl KeyRead) -> Result<Self> {
        Ok(Self {
            scan: keys.scan_with(I::FAMILY, &KeyRange::all(), ScanOptions::once())?,
            kind: PhantomData,
        })
    }

    /// Those from a number on: for whoever cannot hold on to a walk and comes back for more.
    pub(crate) fn starting_at(keys: &'a impl KeyRead, number: u64) -> Result<Self> {
        let range = KeyRange::starting_at(super::keys::record_key(number));
        Ok(Self {
            scan: keys.scan(I::FAMILY, &range)?,
            kind: PhantomData,
        })
    }
}

impl<I: RecordId> Iterator for Ids<'_, I> {
    type Item = Result<I>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = match self.scan.next() {
            Ok(entry) => entry?,
            Err(error) => return Some(Err(error)),
        };
        Some(
            super::keys::decode_record_key(entry.key)
                .map(I::from_number)
                .map_err(|error| Error::record(I::FAMILY.name(), error)),
        )
    }
}
