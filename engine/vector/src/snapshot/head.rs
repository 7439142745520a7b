//! The head: what the index is like, and everything that is not in its parts.

use super::bytes::{Reader, put_u32s, put_u64s, seal, unseal};
use super::{FORMAT, MAGIC, damaged};
use crate::coding::Coding;
use crate::error::IndexError;
use crate::index::Calibration;
use crate::metric::Metric;
use crate::originals::Told;

/// What a head says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Head {
    /// Whose index it is; whatever the caller says.
    pub(super) tag: Vec<u8>,
    pub(super) dimensions: u32,
    pub(super) metric: u8,
    pub(super) coding: u8,
    /// Links of a slot, by which the parts are laid out.
    pub(super) links: u32,
    /// What the parts say of each vector.
    pub(super) told: Told,
    pub(super) latest: u64,
    /// What died at this sequence or before may have been taken out.
    pub(super) forgotten: u64,
    pub(super) used: u32,
    pub(super) entry: u32,
    /// Slots that are not linked yet, those that came first first.
    pub(super) fresh: Vec<u32>,
    /// Slots that nobody lives in.
    pub(super) gone: Vec<u32>,
    pub(super) upper_slots: Vec<u32>,
    /// The links of each level, the lowest first.
    pub(super) upper_levels: Vec<Vec<u32>>,
    pub(super) calibration: Option<Calibration>,
    /// The checksum of each part.
    pub(super) parts: Vec<u64>,
}

/// How many levels there can be: each has a small part of the nodes below.
const MOST_LEVELS: u32 = 32;
const MOST_RECALLS: u32 = 64;

pub(super) fn metric_number(metric: Metric) -> u8 {
    match metric {
        Metric::Cosine => 1,
        Metric::Dot => 2,
        Metric::Euclidean => 3,
    }
}

pub(super) fn coding_number(coding: Coding) -> u8 {
    match coding {
        Coding::Halves => 1,
        Coding::Bytes => 2,
        Coding::Whole => 3,
    }
}

fn told_number(told: Told) -> u8 {
    match told {
        Told::Nothing => 0,
        Told::Whole => 1,
        Told::Seal => 2,
    }
}

fn read_told(number: u8) -> Result<Told, IndexError> {
    match number {
        0 => Ok(Told::Nothing),
        1 => Ok(Told::Whole),
        2 => Ok(Told::Seal),
        _ => Err(damaged("it does not say where its vectors are")),
    }
}

impl Head {
    /// Appends the head as bytes.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        let length_at = bytes.len();
        bytes.extend_from_slice(&[0; size_of::<u64>()]);
        #[expect(clippy::cast_possible_truncation, reason = "a tag is a few bytes")]
        bytes.extend_from_slice(&(self.tag.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.tag);
        bytes.extend_from_slice(&self.dimensions.to_le_bytes());
        bytes.extend_from_slice(&[self.metric, self.coding, told_number(self.told)]);
        bytes.extend_from_slice(&self.links.to_le_bytes());
        bytes.extend_from_slice(&self.latest.to_le_bytes());
        bytes.extend_from_slice(&self.forgotten.to_le_bytes());
        bytes.extend_from_slice(&self.used.to_le_bytes());
        bytes.extend_from_slice(&self.entry.to_le_bytes());
        put_u32s(bytes, &self.fresh);
        put_u32s(bytes, &self.gone);
        put_u32s(bytes, &self.upper_slots);
        #[expect(clippy::cast_possible_truncation, reason = "a handful")]
        bytes.extend_from_slice(&(self.upper_levels.len() as u32).to_le_bytes());
        for level in &self.upper_levels {
            put_u32s(bytes, level);
        }
        bytes.push(u8::from(self.calibration.is_some()));
        if let Some(calibration) = &self.calibration {
            bytes.extend_from_slice(&calibration.scan.to_le_bytes());
            bytes.extend_from_slice(&calibration.vectors.to_le_bytes());
            #[expect(clippy::cast_possible_truncation, reason = "a handful")]
            bytes.extend_from_slice(&(calibration.recalls.len() as u32).to_le_bytes());
            for (breadth, recall) in &calibration.recalls {
                bytes.extend_from_slice(&breadth.to_le_bytes());
                bytes.extend_from_slice(&recall.to_le_bytes());
            }
        }
        put_u64s(bytes, &self.parts);
        let length = (bytes.len() - start) as u64;
        bytes[length_at..length_at + size_of::<u64>()].copy_from_slice(&length.to_le_bytes());
        seal(bytes, start);
    }

    /// How long a head is that begins with these bytes, its checksum included.
    pub(super) fn length(beginning: &[u8; Self::BEGINNING]) -> Result<u64, IndexError> {
        let mut reader = Reader::new(beginning);
        if reader.take(MAGIC.len())? != MAGIC {
            return Err(damaged("it does not begin as a vector index does"));
        }
        let format = reader.u32()?;
        if format != FORMAT {
            return Err(IndexError::OtherFormat {
                found: format,
                known: FORMAT,
            });
        }
        reader
            .u64()?
            .checked_add(super::bytes::CHECKSUM_BYTES as u64)
            .ok_or(damaged("its head is longer than anything"))
    }

    /// How many bytes tell how long a head is.
    pub(super) const BEGINNING: usize = MAGIC.len() + size_of::<u32>() + size_of::<u64>();

    /// Reads a head and nothing behind it.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, IndexError> {
        let beginning = bytes.first_chunk().ok_or(damaged("it ends too early"))?;
        if Self::length(beginning)? != bytes.len() as u64 {
            return Err(damaged("its head is not as long as it says"));
        }
        let (body, _) = unseal(bytes)?;
        let mut reader = Reader::new(&body[Self::BEGINNING..]);
        let tag = reader.u32()? as usize;
        let mut head = Self {
            tag: reader.take(tag)?.to_vec(),
            dimensions: reader.u32()?,
            metric: reader.u8()?,
            coding: reader.u8()?,
            told: read_told(reader.u8()?)?,
            links: reader.u32()?,
            latest: reader.u64()?,
            forgotten: reader.u64()?,
            used: reader.u32()?,
            entry: reader.u32()?,
            fresh: reader.u32s()?,
            gone: reader.u32s()?,
            upper_slots: reader.u32s()?,
            ..Self::default()
        };
        let levels = reader.u32()?;
        if levels > MOST_LEVELS {
            return Err(damaged("it has more levels than there can be"));
        }
        for _ in 0..levels {
            head.upper_levels.push(reader.u32s()?);
        }
        if reader.u8()? == 1 {
            let (scan, vectors, recalls) = (reader.f32()?, reader.u32()?, reader.u32()?);
            if recalls > MOST_RECALLS {
                return Err(damaged("it has measured more than is ever measured"));
            }
            let recalls = (0..recalls).map(|_| Ok((reader.u32()?, reader.f32()?)));
            let recalls = recalls.collect::<Result<Vec<_>, IndexError>>()?;
            let grows = recalls.is_sorted_by(|left, right| left.0 < right.0 && left.1 <= right.1);
            let is_share = |recall: f32| (0.0..=1.0).contains(&recall);
            if !grows || !is_share(scan) || !recalls.iter().all(|(_, recall)| is_share(*recall)) {
                return Err(damaged("what it has measured cannot be"));
            }
            head.calibration = Some(Calibration {
                recalls,
                scan,
                vectors,
            });
        }
        head.parts = reader.u64s()?;
        reader.end()?;
        Ok(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            tag: b"mine".to_vec(),
            dimensions: 3,
            metric: 1,
            coding: 2,
            links: 31,
            told: Told::Whole,
            latest: 77,
            forgotten: 66,
            used: 300,
            entry: 5,
            fresh: vec![299, 298],
            gone: vec![1],
            upper_slots: vec![4, 5],
            upper_levels: vec![vec![0; 32], vec![]],
            calibration: Some(Calibration {
                recalls: vec![(10, 0.5), (20, 0.75)],
                scan: 1.0,
                vectors: 250,
            }),
            parts: vec![1, 2],
        }
    }

    #[test]
    fn a_head_reads_as_it_was_written_and_its_bytes_are_known() {
        let mut bytes = Vec::new();
        head().write(&mut bytes);
        assert_eq!(Head::read(&bytes), Ok(head()));
        assert_eq!(bytes[..12], *b"STRATVEC\x02\0\0\0");
        // A change of the format must change its number.
        assert_eq!(xxhash_rust::xxh3::xxh3_64(&bytes), 0xef08_5263_b552_1fa9);
    }

    #[test]
    fn whatever_is_changed_is_noticed() {
        let mut bytes = Vec::new();
        head().write(&mut bytes);
        for length in 0..bytes.len() {
            assert!(Head::read(&bytes[..length]).is_err(), "{length}");
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                assert!(Head::read(&bytes).is_err(), "{at} {bit}");
                bytes[at] ^= 1 << bit;
            }
        }
    }
}
