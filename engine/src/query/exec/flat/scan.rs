//! Nodes or relationships, for each row: all, those with a label, those that are sought.
//!
//! What is walked is a list or a set of ids of its own, or comes page by page, so that no walk over the store is
//! open between two rows.
//!
//! Next: `seek.rs`.

use super::Flat;
use super::seek;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::kind::Kind;
use crate::query::exec::stage::Site;
use crate::query::expr::Slot;
use crate::query::plan::ScanBy;
use crate::value::Value;

/// How many ids are read at once of all nodes.
const PAGE: usize = 1024;

/// What is still to be given.
#[derive(Default)]
pub(in crate::query::exec) enum Scan {
    /// Nothing.
    #[default]
    Empty,
    /// All from a number on, after what is left of a page.
    All {
        page: Vec<u64>,
        at: usize,
        next: Option<u64>,
    },
    /// A set.
    Set(Box<roaring::treemap::IntoIter>),
    /// A list.
    List(std::vec::IntoIter<u64>),
}

impl Scan {
    fn all() -> Self {
        Self::All {
            page: Vec::new(),
            at: 0,
            next: Some(0),
        }
    }

    fn labelled(kind: Kind, label: &str, site: &Site<'_, '_>) -> Result<Self, Fault> {
        let ids = site.context.graph.ids_with_label(kind, label)?;
        Ok(Self::Set(Box::new(ids.into_iter())))
    }

    fn next(&mut self, kind: Kind, site: &Site<'_, '_>) -> Result<Option<u64>, Fault> {
        match self {
            Self::Empty => Ok(None),
            Self::Set(ids) => Ok(ids.next()),
            Self::List(ids) => Ok(ids.next()),
            Self::All { page, at, next } => {
                if let (true, Some(from)) = (*at == page.len(), *next) {
                    let size = site.frame.room.clamp(16, PAGE);
                    page.clear();
                    *at = 0;
                    site.context.graph.ids_from(kind, (from, size), page)?;
                    let last = page.last().filter(|_| page.len() == size);
                    *next = last.and_then(|last| last.checked_add(1));
                }
                let found = page.get(*at).copied();
                *at += usize::from(found.is_some());
                Ok(found)
            }
        }
    }
}

impl Flat for Scan {
    type Of<'o> = (Kind, Slot, &'o ScanBy);

    fn begin(
        &mut self,
        (kind, _, by): Self::Of<'_>,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        *self = match by {
            ScanBy::All => Self::all(),
            ScanBy::Label(label) => Self::labelled(kind, label, site)?,
            ScanBy::Entity { value, one_of } => {
                match seek::by_itself(kind, (value, *one_of), site.context, row)? {
                    Some(found) => Self::List(found.into_iter()),
                    None => Self::all(),
                }
            }
            ScanBy::Index { index, seek, label } => {
                match seek::by_index(index, seek, site.context, row)? {
                    Some(found) => {
                        site.charge_in_all(found.len() * size_of::<u64>())?;
                        Self::List(found.into_iter())
                    }
                    None => Self::labelled(kind, label, site)?,
                }
            }
            ScanBy::Level { hierarchy, level } => {
                match seek::by_level(hierarchy, level, site.context, row)? {
                    Some(found) => Self::Set(Box::new(found.into_iter())),
                    None => Self::all(),
                }
            }
            ScanBy::Id {
                id,
                element,
                one_of,
            } => match seek::by_id(kind, (id, *element, *one_of), site.context, row)? {
                Some(found) => Self::List(found.into_iter()),
                None => Self::all(),
            },
        };
        Ok(())
    }

    fn give(
        &mut self,
        (kind, into, _): Self::Of<'_>,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        while out.len() < site.frame.room {
            let Some(number) = self.next(kind, site)? else {
                return Ok(true);
            };
            if !site.context.graph.is_deleted(kind.entity(number)) {
                out.push(row)[into.at()] = kind.value(number);
            }
        }
        Ok(false)
    }
}
