//! Walking what is stored, with a transaction's own changes laid over it.

use super::meter::Meter;
use crate::error::Result;
use crate::storage::batch::Batch;
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::storage::queue::WriterPlace;
use crate::storage::range::{Direction, KeyRange};
use crate::storage::store::{Cursor, Entry};
use std::cmp::Ordering;
use std::ops::Bound;

/// A scan asks whether it was cancelled once in so many steps.
const STEPS_PER_CHECK: u32 = 256;

/// A walk over the pairs of a family.
///
/// ```
/// use stratigraph::storage::family::Family;
/// use stratigraph::storage::range::KeyRange;
/// use stratigraph::Database;
/// use stratigraph::keys::KeyRead;
///
/// let db = Database::in_memory()?;
/// let mut txn = db.key_write()?;
/// txn.put(Family::Nodes, b"a", b"1")?;
/// txn.put(Family::Nodes, b"b", b"2")?;
/// let mut scan = txn.scan(Family::Nodes, &KeyRange::all())?;
/// while let Some(entry) = scan.next()? {
///     println!("{:?} = {:?}", entry.key, entry.value);
/// }
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct Scan<'a> {
    stored: Box<dyn Cursor + 'a>,
    overlay: Option<Overlay<'a>>,
    cancel: &'a CancelToken,
    /// How many bytes were handed out, and where that is added up when the walk is over.
    bytes: u64,
    meter: &'a Meter,
    /// The place of the writer that scans: walking is not resting.
    place: Option<&'a WriterPlace>,
    steps: u32,
}

/// The changes of a transaction, walked beside the stored pairs.
struct Overlay<'a> {
    batch: &'a Batch,
    family: Family,
    range: KeyRange,
    direction: Direction,
    /// Where the walk over the changes goes on.
    from: Position,
    stored: Head,
    /// The pair that is handed out; lives here because both sources move on.
    key: Vec<u8>,
    value: Vec<u8>,
}

/// A place between changes.
enum Position {
    Start,
    At(Vec<u8>),
    Beyond(Vec<u8>),
}

/// The next stored pair, read one step ahead.
enum Head {
    Unread,
    Pair { key: Vec<u8>, value: Vec<u8> },
    End,
}

impl<'a> Scan<'a> {
    pub(super) fn stored(
        stored: Box<dyn Cursor + 'a>,
        (cancel, meter): (&'a CancelToken, &'a Meter),
        place: Option<&'a WriterPlace>,
    ) -> Self {
        Self {
            stored,
            overlay: None,
            cancel,
            bytes: 0,
            meter,
            place,
            steps: 0,
        }
    }

    pub(super) fn merged(
        stored: Box<dyn Cursor + 'a>,
        (cancel, meter): (&'a CancelToken, &'a Meter),
        batch: &'a Batch,
        place: &'a WriterPlace,
        family: Family,
        range: &KeyRange,
        direction: Direction,
    ) -> Self {
        let overlay = Overlay {
            batch,
            family,
            range: range.clone(),
            direction,
            from: Position::Start,
            stored: Head::Unread,
            key: Vec::new(),
            value: Vec::new(),
        };
        Self {
            stored,
            overlay: Some(overlay),
            cancel,
            bytes: 0,
            meter,
            place: Some(place),
            steps: 0,
        }
    }

    /// Moves to the next pair; `None` once the end of the range is reached, which has been proven.
    ///
    /// # Errors
    /// [`Error::Corruption`](crate::Error::Corruption) at a damaged block,
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    #[expect(
        clippy::should_implement_trait,
        reason = "the pair borrows from the scan, which an Iterator cannot"
    )]
    pub fn next(&mut self) -> Result<Option<Entry<'_>>> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(STEPS_PER_CHECK) {
            self.cancel.check()?;
            self.place.map_or(Ok(()), WriterPlace::step)?;
        }
        let entry = match &mut self.overlay {
            None => self.stored.next(),
            Some(overlay) => overlay.next(&mut *self.stored),
        }?;
        if let Some(entry) = &entry {
            self.bytes += (entry.key.len() + entry.value.len()) as u64;
        }
        Ok(entry)
    }

    /// Moves so that the next pair is the first at or beyond `key` in the scan's direction. It never
    /// leaves the range.
    pub fn seek(&mut self, key: &[u8]) {
        self.stored.seek(key);
        if let Some(overlay) = &mut self.overlay {
            overlay.from = Position::At(key.to_vec());
            overlay.stored = Head::Unread;
        }
    }

    /// Counts what is left.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn count(mut self) -> Result<u64> {
        let mut count = 0;
        while self.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

impl Drop for Scan<'_> {
    fn drop(&mut self) {
        self.meter.add(self.bytes);
    }
}

impl Overlay<'_> {
    fn next(&mut self, stored: &mut dyn Cursor) -> Result<Option<Entry<'_>>> {
        loop {
            if matches!(self.stored, Head::Unread) {
                self.stored = match stored.next()? {
                    Some(Entry { key, value }) => Head::Pair {
                        key: key.to_vec(),
                        value: value.to_vec(),
                    },
                    None => Head::End,
                };
            }
            let change = self.next_change();
            let order = match (&self.stored, change) {
                (Head::Pair { key, .. }, Some((changed, _))) => self.order(key, changed),
                (Head::Pair { .. }, None) => Ordering::Less,
                (_, Some(_)) => Ordering::Greater,
                (_, None) => return Ok(None),
            };
            if order == Ordering::Less {
                if let Head::Pair { key, value } = std::mem::replace(&mut self.stored, Head::Unread)
                {
                    (self.key, self.value) = (key, value);
                }
                return Ok(Some(Entry {
                    key: &self.key,
                    value: &self.value,
                }));
            }
            // The change hides a stored pair of the same key.
            if order == Ordering::Equal {
                self.stored = Head::Unread;
            }
            let Some((key, value)) = self.next_change() else {
                return Ok(None);
            };
            let (key, value) = (key.to_vec(), value.map(<[u8]>::to_vec));
            self.from = Position::Beyond(key.clone());
            if let Some(value) = value {
                (self.key, self.value) = (key, value);
                return Ok(Some(Entry {
                    key: &self.key,
                    value: &self.value,
                }));
            }
        }
    }

    fn next_change(&self) -> Option<(&[u8], Option<&[u8]>)> {
        if self.range.is_empty() {
            return None;
        }
        match self.direction {
            Direction::Forward => {
                let start = self.range.start.as_slice();
                let from = match &self.from {
                    Position::Start => Bound::Included(start),
                    Position::At(key) => Bound::Included(start.max(key)),
                    Position::Beyond(key) => Bound::Excluded(key.as_slice()),
                };
                self.batch.first_from(self.family, from, &self.range)
            }
            Direction::Backward => {
                let end = self.range.end.as_deref();
                let until = match (&self.from, end) {
                    (Position::Start, None) => Bound::Unbounded,
                    (Position::At(key), Some(end)) if key.as_slice() >= end => Bound::Excluded(end),
                    (Position::Start, Some(end)) => Bound::Excluded(end),
                    (Position::At(key), _) => Bound::Included(key.as_slice()),
                    (Position::Beyond(key), _) => Bound::Excluded(key.as_slice()),
                };
                self.batch.last_until(self.family, until, &self.range)
            }
        }
    }

    /// Which of two keys comes first in the scan's direction.
    fn order(&self, stored: &[u8], changed: &[u8]) -> Ordering {
        match self.direction {
            Direction::Forward => stored.cmp(changed),
            Direction::Backward => changed.cmp(stored),
        }
    }
}
