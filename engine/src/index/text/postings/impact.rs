//! What the best score of some postings is made of.
//!
//! A score rises with the frequency and falls with the length, but how, depends on how long documents are on
//! average, which changes with every commit. So a block does not keep its best score but the pairs of frequency
//! and length of which no other is better in both: whatever the average, the best score is among them. There are
//! [`MAX_PAIRS`] at most; more are joined to pairs that are a little better than any posting.
//!
//! ```text
//! [pairs: 1]([frequency: varint][norm: 1])*     both rise
//! ```

use super::Posting;
use crate::codec::{CodecError, RecordReader, RecordWriter};

/// So many pairs are kept.
pub(crate) const MAX_PAIRS: usize = 4;

/// A frequency, and the norm of the shortest document that has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Impact {
    pub(crate) frequency: u32,
    pub(crate) norm: u8,
}

/// The pairs that no other is better than, by rising frequency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Impacts {
    pairs: [Impact; MAX_PAIRS],
    count: u8,
}

impl Impacts {
    pub(crate) fn of(postings: &[Posting]) -> Self {
        let mut pairs = Vec::new();
        for posting in postings {
            add(
                &mut pairs,
                Impact {
                    frequency: posting.frequency,
                    norm: posting.norm,
                },
            );
        }
        Self::limited(pairs)
    }

    /// Adds what others have.
    pub(crate) fn merge(&mut self, others: &Self) {
        let mut pairs: Vec<Impact> = self.iter().collect();
        others.iter().for_each(|impact| add(&mut pairs, impact));
        *self = Self::limited(pairs);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Impact> {
        self.pairs.iter().take(self.count.into()).copied()
    }

    /// Joins the two that are closest in frequency, by ratio, until few enough are left.
    fn limited(mut pairs: Vec<Impact>) -> Self {
        while pairs.len() > MAX_PAIRS {
            let ratio = |pair: &[Impact]| {
                f64::from(pair[1].frequency) / f64::from(pair[0].frequency.max(1))
            };
            let neighbours = pairs.windows(2).enumerate();
            let closest =
                neighbours.min_by(|(_, one), (_, other)| ratio(one).total_cmp(&ratio(other)));
            let Some((at, _)) = closest else { break };
            let low = pairs.remove(at);
            if let Some(high) = pairs.get_mut(at) {
                high.norm = high.norm.min(low.norm);
            }
        }
        let mut impacts = Self {
            count: pairs.len() as u8,
            ..Self::default()
        };
        impacts
            .pairs
            .iter_mut()
            .zip(pairs)
            .for_each(|(to, from)| *to = from);
        impacts
    }

    pub(crate) fn encode(&self, record: &mut RecordWriter) {
        record.push_u8(self.count);
        for impact in self.iter() {
            record
                .push_varint(impact.frequency.into())
                .push_u8(impact.norm);
        }
    }

    pub(crate) fn decode(record: &mut RecordReader<'_>) -> Result<Self, CodecError> {
        let (what, at) = (record.what(), record.position());
        let wrong = CodecError::NotCanonical { what, at };
        let count = usize::from(record.read_u8()?);
        if count == 0 || count > MAX_PAIRS {
            return Err(wrong);
        }
        let mut impacts = Self {
            count: count as u8,
            ..Self::default()
        };
        let mut last: Option<Impact> = None;
        for to in impacts.pairs.iter_mut().take(count) {
            let new = Impact {
                frequency: record.read_varint_u32()?,
                norm: record.read_u8()?,
            };
            let rises =
                last.is_none_or(|last| last.frequency < new.frequency && last.norm <= new.norm);
            if !rises || new.frequency == 0 {
                return Err(wrong);
            }
            *to = new;
            last = Some(new);
        }
        Ok(impacts)
    }
}

/// Adds a pair unless another is as good, and takes away those that it is better than.
fn add(pairs: &mut Vec<Impact>, new: Impact) {
    let is_better =
        |one: &Impact, other: &Impact| one.frequency >= other.frequency && one.norm <= other.norm;
    if pairs.iter().any(|known| is_better(known, &new)) {
        return;
    }
    pairs.retain(|known| !is_better(&new, known));
    let at = pairs.partition_point(|known| known.frequency < new.frequency);
    pairs.insert(at, new);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn postings(pairs: &[(u32, u8)]) -> Vec<Posting> {
        let pairs = pairs.iter().zip(0..);
        pairs
            .map(|((frequency, norm), document)| Posting {
                document,
                frequency: *frequency,
                norm: *norm,
            })
            .collect()
    }

    #[test]
    fn only_what_no_other_is_better_than_is_kept() {
        let impacts = Impacts::of(&postings(&[(1, 9), (2, 9), (1, 5), (3, 20), (2, 30)]));
        let pairs: Vec<_> = impacts
            .iter()
            .map(|impact| (impact.frequency, impact.norm))
            .collect();
        assert_eq!(pairs, [(1, 5), (2, 9), (3, 20)]);
        let mut record = RecordWriter::part();
        impacts.encode(&mut record);
        assert_eq!(record.as_bytes(), [3, 1, 5, 2, 9, 3, 20]);
    }

    proptest! {
        #[test]
        fn no_posting_is_better_than_all_pairs(pairs in prop::collection::vec((1..200_u32, any::<u8>()), 1..200)) {
            let postings = postings(&pairs);
            let (one, other) = postings.split_at(postings.len() / 2);
            let mut merged = Impacts::of(one);
            merged.merge(&Impacts::of(other));
            for impacts in [Impacts::of(&postings), merged] {
                for posting in &postings {
                    let mut covers = impacts.iter();
                    prop_assert!(covers.any(|pair| pair.frequency >= posting.frequency && pair.norm <= posting.norm));
                }
                let mut record = RecordWriter::part();
                impacts.encode(&mut record);
                prop_assert_eq!(Impacts::decode(&mut RecordReader::part("pairs", 1, record.as_bytes())), Ok(impacts));
            }
        }
    }
}
