//! Nodes, for each row: all, those with a label, those that are sought.
//!
//! What is walked is a list or a set of ids of its own, or comes page by page, so that no walk over the store is
//! open between two rows.
//!
//! Next: `seek.rs`.

use super::Flat;
use super::seek;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::stage::Site;
use crate::query::expr::Slot;
use crate::query::plan::ScanBy;
use crate::value::{NodeId, NodeValue, Value};

/// How many ids are read at once of all nodes.
const PAGE: usize = 1024;

/// What is still to be given.
#[derive(Default)]
pub(in crate::query::exec) enum Scan {
    /// Nothing.
    #[default]
    Empty,
    /// All nodes from a number on, after what is left of a page.
    All {
        page: Vec<NodeId>,
        at: usize,
        next: Option<u64>,
    },
    /// A set.
    Set(Box<roaring::treemap::IntoIter>),
    /// A list.
    List(std::vec::IntoIter<NodeId>),
}

impl Scan {
    fn all() -> Self {
        Self::All {
            page: Vec::new(),
            at: 0,
            next: Some(0),
        }
    }

    fn labelled(label: &str, site: &Site<'_, '_>) -> Result<Self, Fault> {
        let nodes = site.context.graph.nodes_with_label(label)?;
        Ok(Self::Set(Box::new(nodes.into_iter())))
    }

    fn next(&mut self, site: &Site<'_, '_>) -> Result<Option<NodeId>, Fault> {
        match self {
            Self::Empty => Ok(None),
            Self::Set(ids) => Ok(ids.next().map(NodeId::new)),
            Self::List(ids) => Ok(ids.next()),
            Self::All { page, at, next } => {
                if let (true, Some(from)) = (*at == page.len(), *next) {
                    let size = site.frame.room.clamp(16, PAGE);
                    page.clear();
                    *at = 0;
                    site.context.graph.nodes_from(from, size, page)?;
                    let last = page.last().filter(|_| page.len() == size);
                    *next = last.and_then(|last| last.get().checked_add(1));
                }
                let found = page.get(*at).copied();
                *at += usize::from(found.is_some());
                Ok(found)
            }
        }
    }
}

impl Flat for Scan {
    type Of<'o> = (Slot, &'o ScanBy);

    fn begin(
        &mut self,
        (_, by): (Slot, &ScanBy),
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        *self = match by {
            ScanBy::All => Self::all(),
            ScanBy::Label(label) => Self::labelled(label, site)?,
            ScanBy::Index { index, seek, label } => {
                match seek::by_index(index, seek, site.context, row)? {
                    Some(found) => {
                        site.charge_in_all(found.len() * size_of::<NodeId>())?;
                        Self::List(found.into_iter())
                    }
                    None => Self::labelled(label, site)?,
                }
            }
            ScanBy::Id {
                id,
                element,
                one_of,
            } => match seek::by_id((id, *element, *one_of), site.context, row)? {
                Some(found) => Self::List(found.into_iter()),
                None => Self::all(),
            },
        };
        Ok(())
    }

    fn give(
        &mut self,
        (into, _): (Slot, &ScanBy),
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        while out.len() < site.frame.room {
            let Some(node) = self.next(site)? else {
                return Ok(true);
            };
            if !site.context.graph.is_deleted(node) {
                out.push(row)[into.at()] = Value::Node(NodeValue::of(node));
            }
        }
        Ok(false)
    }
}
