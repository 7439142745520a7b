//! Reads relationships into a projection, on several threads.
//!
//! Without weights only the family `out` is read, whose keys say everything; with weights the
//! relationship records are, in their order. Either is divided by ranges of ids, and the result does
//! not depend on how. The first range is read by the calling thread, which reports for all.

use crate::algo::parallel::{Pulse, run_jobs};
use crate::algo::{AlgoError, ProjectionBuilder, ProjectionPart};
use crate::catalog::{PropertyId, TypeId};
use crate::error::Error;
use crate::graph::keys::{AdjacencyKey, DegreeKey, Entity, decode_record_key};
use crate::graph::record::RelationshipRecord;
use crate::graph::view::View;
use crate::keys::KeyRead;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use crate::value::{RelationshipId, Value};

/// How many keys or records are read between two reports, or looks at whether to go on, less one: a millisecond's worth or so.
pub(super) const BETWEEN_BEATS: u64 = 0xfff;

/// Which relationships are read.
pub(super) struct Source<'v, 'a, K> {
    pub(super) view: &'v View<'a, K>,
    /// Of these types, ascending; of any if there are none.
    pub(super) types: Option<&'v [TypeId]>,
    /// The property that weighs them, if they are weighed.
    pub(super) weight: Option<&'v str>,
}

/// Ids that one thread reads: the sources of relationships, or relationships with weights.
#[derive(Clone, Copy)]
struct Portion {
    from: u64,
    to: u64,
    /// Ids that are new since the portions were cut are read by the last one.
    open: bool,
}

impl Portion {
    fn range(self) -> KeyRange {
        let from = self.from.to_be_bytes();
        if self.open {
            KeyRange::starting_at(from)
        } else {
            KeyRange::between(from, self.to.to_be_bytes())
        }
    }
}

/// Says how far a portion is, every few thousand keys.
struct Beats<'b, 'p, 'w> {
    pulse: &'b mut Pulse<'p, 'w>,
    portion: Portion,
    keys: u64,
}

impl Beats<'_, '_, '_> {
    #[inline]
    fn key(&mut self, id: u64) -> Result<(), AlgoError> {
        self.keys += 1;
        if self.keys & BETWEEN_BEATS == 0 {
            // Ids are a fair measure of the work, and the only one that is known beforehand.
            let Portion { from, to, .. } = self.portion;
            let total = to.saturating_sub(from);
            let done = id.saturating_sub(from).min(total);
            self.pulse.beat(done as usize, total as usize)?;
        }
        Ok(())
    }
}

impl<K: KeyRead + Sync> Source<'_, '_, K> {
    /// Reads them all into a builder.
    pub(super) fn fill(
        &self,
        builder: &ProjectionBuilder,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(), AlgoError> {
        const STEP: &str = "read the relationships";
        let next = match self.weight {
            Some(_) => self.view.state.next.relationship,
            None => self.view.state.next.node,
        };
        let threads = threads as u64;
        let portions: Vec<_> = (0..threads)
            .map(|portion| {
                let last = portion + 1 == threads;
                let share = next / threads;
                Portion {
                    from: share * portion,
                    to: if last { next } else { share * (portion + 1) },
                    open: last,
                }
            })
            .collect();
        watch.step(STEP, 0, 0)?;
        run_jobs(portions, STEP, watch, |portion, pulse| {
            let mut part = builder.part();
            let mut beats = Beats {
                pulse,
                portion,
                keys: 0,
            };
            match self.weight {
                Some(weight) => self.push_records(weight, &mut beats, &mut part),
                None => self.push_adjacency(&mut beats, &mut part),
            }
        })?;
        Ok(())
    }

    fn wants(&self, of: TypeId) -> bool {
        self.types
            .is_none_or(|types| types.binary_search(&of).is_ok())
    }

    /// Keys alone, of sources in a range.
    fn push_adjacency(
        &self,
        beats: &mut Beats<'_, '_, '_>,
        part: &mut ProjectionPart<'_>,
    ) -> Result<(), AlgoError> {
        let mut scan =
            self.view
                .keys
                .scan_with(Family::Out, &beats.portion.range(), ScanOptions::once())?;
        while let Some(entry) = scan.next()? {
            if entry.key.len() == DegreeKey::BYTES {
                continue;
            }
            let key = AdjacencyKey::decode(entry.key)
                .map_err(|error| Error::record(Family::Out.name(), error))?;
            beats.key(key.near.get())?;
            if self.wants(key.relationship_type) {
                part.push(key.near, key.far, key.relationship, None)?;
            }
        }
        Ok(())
    }

    /// Records, of relationships in a range.
    fn push_records(
        &self,
        name: &str,
        beats: &mut Beats<'_, '_, '_>,
        part: &mut ProjectionPart<'_>,
    ) -> Result<(), AlgoError> {
        let weight: Option<PropertyId> = self.view.catalog().properties.id(name);
        let mut scan =
            self.view
                .keys
                .scan_with(Family::Edges, &beats.portion.range(), ScanOptions::once())?;
        while let Some(entry) = scan.next()? {
            let damaged = |error| Error::record(Family::Edges.name(), error);
            let id = RelationshipId::new(decode_record_key(entry.key).map_err(damaged)?);
            beats.key(id.get())?;
            let ends = RelationshipRecord::decode_ends(entry.value).map_err(damaged)?;
            if !self.wants(ends.relationship_type) {
                continue;
            }
            let slot = match weight {
                Some(weight) => {
                    RelationshipRecord::decode_property(entry.value, weight).map_err(damaged)?
                }
                None => None,
            };
            let value = match (slot, weight) {
                (Some(slot), Some(property)) => {
                    slot.into_value(self.view.keys, Entity::Relationship(id), property)?
                }
                _ => Value::Null,
            };
            let number = match &value {
                Value::Null => None,
                Value::Int(weight) => Some(*weight as f64),
                Value::Float(weight) => Some(*weight),
                _ => Some(f64::NAN),
            };
            // Only the part knows whether the relationship is projected, and its weight matters.
            let pushed = part.push(ends.source, ends.target, id, number);
            pushed.map_err(|error| match (error, value) {
                (error, Value::Int(_) | Value::Float(_)) => error,
                (AlgoError::BadWeight { relationship, .. }, value) => AlgoError::WeightKind {
                    property: name.into(),
                    relationship,
                    kind: value.kind(),
                },
                (error, _) => error,
            })?;
        }
        Ok(())
    }
}
