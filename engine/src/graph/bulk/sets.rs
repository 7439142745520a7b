//! The sets of what is loaded, nodes by label and relationships by type, one container at a time.
//!
//! Ids rise, so all containers of 65,536 ids are complete once the next such range begins. They go
//! to a sorter, since their keys begin with the set, and those of labels also to a log in the order of
//! the ids: whoever walks over the loaded nodes later learns their labels from it.
//!
//! ```text
//! a record of the log  [id >> 16: 8 LE][labels: 4 LE]([label: 4 LE][ids: 4 LE][id & FFFF: 2 LE]*)*
//! ```

use super::pairs::PairSorter;
use super::scratch::{Scratch, ScratchReader, ScratchWriter};
use crate::catalog::{LabelId, NameId, TypeId};
use crate::error::{Error, Result};
use crate::graph::sets::{ContainerKey, SetId, encode_container};
use crate::value::NodeId;
use roaring::RoaringBitmap;

/// Ids of one container.
const CONTAINER: usize = 1 << 16;

/// Takes the members of all sets of one kind, in the order of their ids.
pub(super) struct SetWriter {
    set: fn(u32) -> SetId,
    high: u64,
    /// For each set, by its number, the last bits of its ids.
    open: Vec<Vec<u16>>,
    /// The sets that have any.
    touched: Vec<u32>,
    /// How many ids each set has got, as far as its containers are complete.
    counts: Vec<u64>,
    log: Option<ScratchWriter>,
}

impl SetWriter {
    /// For labels, whose log is written into `log`.
    pub(super) fn of_labels(log: ScratchWriter) -> Self {
        Self::new(
            |number| SetId::Label(LabelId::from_number(number)),
            Some(log),
        )
    }

    /// For relationship types.
    pub(super) fn of_types() -> Self {
        Self::new(|number| SetId::Type(TypeId::from_number(number)), None)
    }

    fn new(set: fn(u32) -> SetId, log: Option<ScratchWriter>) -> Self {
        Self {
            set,
            high: 0,
            open: Vec::new(),
            touched: Vec::new(),
            counts: Vec::new(),
            log,
        }
    }

    /// Adds an id to a set. Ids must rise within each set.
    pub(super) fn add(&mut self, number: u32, id: u64, sorter: &mut PairSorter) -> Result<()> {
        if id >> 16 != self.high {
            self.close(sorter)?;
            self.high = id >> 16;
        }
        let set = number as usize;
        if set >= self.open.len() {
            self.open.resize_with(set + 1, Vec::new);
            self.counts.resize(set + 1, 0);
        }
        if let Some(ids) = self.open.get_mut(set) {
            if ids.is_empty() {
                self.touched.push(number);
            }
            // The last sixteen bits, all there are.
            ids.push((id & 0xFFFF) as u16);
        }
        Ok(())
    }

    /// Ends the containers at hand.
    fn close(&mut self, sorter: &mut PairSorter) -> Result<()> {
        if self.touched.is_empty() {
            return Ok(());
        }
        if let Some(log) = &mut self.log {
            let (high, open, touched) = (self.high, &self.open, &self.touched);
            log.record(|block| {
                block.extend_from_slice(&high.to_le_bytes());
                // There are no more sets than names.
                block.extend_from_slice(&(touched.len() as u32).to_le_bytes());
                for number in touched {
                    let ids = open.get(*number as usize).map_or(&[][..], Vec::as_slice);
                    block.extend_from_slice(&number.to_le_bytes());
                    block.extend_from_slice(&(ids.len() as u32).to_le_bytes());
                    block.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
                }
            })?;
        }
        for number in self.touched.drain(..) {
            let Some(ids) = self.open.get_mut(number as usize) else {
                continue;
            };
            if let Some(count) = self.counts.get_mut(number as usize) {
                *count += ids.len() as u64;
            }
            let container = RoaringBitmap::from_sorted_iter(ids.drain(..).map(u32::from));
            let mut container =
                container.map_err(|_| Error::bug("the ids of a bulk load do not rise"))?;
            let key = ContainerKey {
                set: (self.set)(number),
                high: self.high,
            };
            sorter.push(&key.encode(), &encode_container(&mut container))?;
        }
        Ok(())
    }

    /// Ends all sets, and says by their numbers how many ids they have got; returns the log, if there
    /// is one.
    pub(super) fn finish(
        mut self,
        sorter: &mut PairSorter,
        mut counted: impl FnMut(u32, u64),
    ) -> Result<Option<Scratch>> {
        self.close(sorter)?;
        for (number, count) in (0..).zip(&self.counts) {
            counted(number, *count);
        }
        self.log.map(ScratchWriter::finish).transpose()
    }
}

/// Reads the log: the labels of loaded nodes, asked for in the order of their ids.
pub(super) struct LabelReader<'a> {
    log: ScratchReader<'a>,
    high: Option<u64>,
    at_end: bool,
    /// Where the labels of each node of the container begin; one more for the end of the last.
    begins: Vec<u32>,
    labels: Vec<LabelId>,
    /// The part of the record that was read last, to be laid out when it is asked for.
    listed: Vec<(u16, LabelId)>,
}

impl<'a> LabelReader<'a> {
    pub(super) fn new(log: &'a Scratch) -> Result<Self> {
        Ok(Self {
            log: log.read()?,
            high: None,
            at_end: false,
            begins: vec![0; CONTAINER + 1],
            labels: Vec::new(),
            listed: Vec::new(),
        })
    }

    /// The labels of a node, in no particular order.
    pub(super) fn labels_of(&mut self, node: NodeId) -> Result<&[LabelId]> {
        let wanted = node.get() >> 16;
        while !self.at_end && self.high.is_none_or(|high| high < wanted) {
            self.read_container()?;
        }
        if self.high != Some(wanted) {
            return Ok(&[]);
        }
        let low = (node.get() & 0xFFFF) as usize;
        let labels = match self.begins.get(low..low + 2) {
            Some(&[begin, end]) => self.labels.get(begin as usize..end as usize),
            _ => None,
        };
        Ok(labels.unwrap_or_default())
    }

    fn read_container(&mut self) -> Result<()> {
        if !self.log.more()? {
            self.at_end = true;
            return Ok(());
        }
        self.high = Some(self.log.u64()?);
        self.listed.clear();
        for _ in 0..self.log.u32()? {
            let label = LabelId::from_number(self.log.u32()?);
            let ids = self.log.u32()? as usize;
            let (ids, _) = self.log.take(2 * ids)?.as_chunks::<2>();
            let ids = ids.iter().map(|id| (u16::from_le_bytes(*id), label));
            self.listed.extend(ids);
        }
        // Counted, summed up, and put where they belong.
        self.begins.fill(0);
        for (low, _) in &self.listed {
            self.begins[usize::from(*low) + 1] += 1;
        }
        for low in 0..CONTAINER {
            self.begins[low + 1] += self.begins[low];
        }
        self.labels.clear();
        self.labels
            .resize(self.listed.len(), LabelId::from_number(0));
        // From the last to the first, so that each beginning is back in its place in the end.
        for (low, label) in self.listed.iter().rev() {
            let end = &mut self.begins[usize::from(*low) + 1];
            *end -= 1;
            if let Some(place) = self.labels.get_mut(*end as usize) {
                *place = *label;
            }
        }
        // Each beginning now stands one place too far: where its node's labels begin.
        self.begins.rotate_left(1);
        if let Some(last) = self.begins.last_mut() {
            *last = self.labels.len() as u32;
        }
        Ok(())
    }
}
