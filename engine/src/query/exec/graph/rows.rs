//! Whom many nodes are linked to, by number, and what is known of labels without looking at nodes.
//!
//! Next: `searches.rs`.

use super::{Graph, Txn, over};
use crate::catalog::{Counter, Scope, TypeId};
use crate::error::{Error, Result};
use crate::graph::keys::{AdjacencyKey, DegreeKey};
use crate::graph::view::{self, View};
use crate::graph::{Direction, Neighbour, Read, ReadTxn, Way, WriteTxn};
use crate::keys::KeyRead;
use crate::query::plan::TypeNames;
use crate::storage::range::KeyRange;
use crate::value::NodeId;
use roaring::RoaringBitmap;

impl Graph<'_> {
    /// Calls `each` with the other end of every relationship of these nodes, which ascend, and with the place of the
    /// node among them. It goes on as long as `each` says so.
    ///
    /// One cursor goes over all of them, and nothing but keys is read.
    pub(in crate::query::exec) fn rows_of(
        &self,
        way: Way,
        types: &TypeNames,
        nodes: &[u64],
        each: &mut dyn FnMut(usize, u64) -> bool,
    ) -> Result<()> {
        self.seeks.set(self.seeks.get() + nodes.len() as u64);
        let types = self.type_ids(types)?;
        let far = &mut |place: usize, key: AdjacencyKey| each(place, key.far.get());
        with_txn!(self, txn => {
            let nodes = nodes.iter().map(|node| NodeId::new(*node));
            rows(&view::of(txn), (way, types.as_deref()), nodes, far)
        })
    }

    /// Appends the relationships of some nodes, which ascend, each with the place of its node among them: of node after
    /// node, until there are `enough`. How many nodes that were.
    ///
    /// One cursor goes over all of them, and another one where they are walked both ways.
    pub(in crate::query::exec) fn neighbours_of(
        &self,
        nodes: &[NodeId],
        (direction, enough): (Direction, usize),
        types: &TypeNames,
        into: &mut Vec<(usize, Neighbour)>,
    ) -> Result<usize> {
        let types = self.type_ids(types)?;
        let both = direction == Direction::Both;
        let mut read = nodes.len();
        for way in direction.ways() {
            let before = into.len();
            let mut left = read;
            let each = &mut |place: usize, key: AdjacencyKey| {
                let last = into.last().map(|(place, _)| *place);
                // A node is read to its end, the next one is not begun.
                if into.len() - before >= enough && last != Some(place) {
                    left = place;
                    return false;
                }
                if !(both && *way == Way::In && key.far == key.near) {
                    let neighbour = Neighbour {
                        node: key.far,
                        relationship: key.relationship,
                        relationship_type: key.relationship_type,
                        way: *way,
                    };
                    into.push((place, neighbour));
                }
                true
            };
            with_txn!(self, txn => {
                let nodes = nodes.iter().copied().take(read);
                rows(&view::of(txn), (*way, types.as_deref()), nodes, each)
            })?;
            read = left;
        }
        into.retain(|(place, _)| *place < read);
        if both {
            into.sort_by_key(|(place, _)| *place);
        }
        self.seeks.set(self.seeks.get() + read as u64);
        Ok(read)
    }

    /// How many relationships each of these nodes has.
    pub(in crate::query::exec) fn degrees_of(
        &self,
        way: Way,
        types: &TypeNames,
        nodes: &[u64],
    ) -> Result<Vec<u64>> {
        fn degrees<K: KeyRead>(
            view: &View<'_, K>,
            (way, types): (Way, Option<&[TypeId]>),
            near: NodeId,
        ) -> Result<u64> {
            let mut sum = 0_u64;
            match types {
                Some(types) => {
                    for of in types {
                        sum = sum.saturating_add(view.degree(way, near, *of)?);
                    }
                }
                None => {
                    for (_, degree) in view.degrees(way, near)? {
                        sum = sum.saturating_add(degree);
                    }
                }
            }
            Ok(sum)
        }
        self.seeks.set(self.seeks.get() + nodes.len() as u64);
        let types = self.type_ids(types)?;
        with_txn!(self, txn => {
            let view = view::of(txn);
            let nodes = nodes.iter().map(|node| NodeId::new(*node));
            nodes.map(|near| degrees(&view, (way, types.as_deref()), near)).collect()
        })
    }

    /// The nodes with a label that have all but their last sixteen bits in common with `node`, by these.
    pub(in crate::query::exec) fn labelled_part(
        &self,
        label: &str,
        node: u64,
    ) -> Result<RoaringBitmap> {
        self.count_seek(0);
        with_txn!(self, txn => {
            let view = view::of(txn);
            match view.set_named(Scope::AnyNode, label) {
                Some(set) => view.set_part(set, node),
                None => Ok(RoaringBitmap::new()),
            }
        })
    }

    /// How many relationships of some types there are, and how many of them have a label at that end: seen `Out` it is
    /// the one that they leave.
    pub(in crate::query::exec) fn labelled_ends(
        &self,
        types: &[TypeId],
        label: &str,
        end: Way,
    ) -> Result<(u64, u64)> {
        let Some(label) = self.catalog()?.labels.id(label) else {
            return Ok((1, 0));
        };
        let (mut all, mut labelled) = (0_u64, 0_u64);
        for of in types.iter().copied() {
            let end = match end {
                Way::Out => Counter::From(label, of),
                Way::In => Counter::To(label, of),
            };
            let (more, of_label) = with_txn!(self, txn => {
                Ok((txn.count(Counter::Type(of))?, txn.count(end)?))
            })?;
            all = all.saturating_add(more);
            labelled = labelled.saturating_add(of_label);
        }
        Ok((all, labelled))
    }
}

fn rows<K: KeyRead>(
    view: &View<'_, K>,
    (way, types): (Way, Option<&[TypeId]>),
    nodes: impl DoubleEndedIterator<Item = NodeId> + Clone,
    each: &mut dyn FnMut(usize, AdjacencyKey) -> bool,
) -> Result<()> {
    let mut ends = nodes.clone();
    let Some(first) = ends.next() else {
        return Ok(());
    };
    let last = ends.next_back().unwrap_or(first);
    let family = way.family();
    let damaged = |error| Error::record(family.name(), error);
    let begin = first.get().to_be_bytes();
    let range = match last.get().checked_add(1) {
        Some(end) => KeyRange::between(begin, end.to_be_bytes()),
        None => KeyRange::starting_at(begin),
    };
    let mut scan = view.keys.scan(family, &range)?;
    for (place, near) in nodes.enumerate() {
        let mut visit = |prefix: &[u8]| -> Result<bool> {
            scan.seek(prefix);
            while let Some(entry) = scan.next()? {
                if !entry.key.starts_with(prefix) {
                    break;
                }
                if entry.key.len() == DegreeKey::BYTES {
                    continue;
                }
                let key = AdjacencyKey::decode(entry.key).map_err(damaged)?;
                if !each(place, key) {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        match types {
            None if !visit(&near.get().to_be_bytes())? => return Ok(()),
            None => {}
            Some(types) => {
                for of in types {
                    let degree = DegreeKey {
                        near,
                        relationship_type: *of,
                    };
                    if !visit(&degree.encode())? {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}
