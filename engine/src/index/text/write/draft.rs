//! A document before it is written: its terms with how often and where they are.

use super::terms::{TermNo, Terms};
use crate::catalog::PropertyId;
use crate::index::text::analysis::MAX_POSITIONS;
use crate::index::text::segment::positions;
use crate::index::text::settings::TextSettings;

/// Positions that no phrase can bridge lie between two properties, and between two strings of a list.
const GAP: u32 = 16;

/// The texts of one property.
struct Field {
    property: PropertyId,
    units: u32,
    /// How many positions were counted.
    positions: u32,
    /// Its positions lie before this, and after those of the property before.
    end: u32,
}

/// A term of a draft.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) term: TermNo,
    /// In units of weight.
    pub(super) frequency: u32,
    /// Where its positions end among those of the draft.
    positions_end: u32,
}

/// A document of a transaction.
#[derive(Debug)]
pub(super) struct Draft {
    /// In units of weight.
    pub(super) length: u32,
    pub(super) uses: Box<[Use]>,
    positions: Box<[u8]>,
}

impl Draft {
    /// The draft of some texts; none if they have no terms. Those of one property follow each other.
    pub(super) fn new<'t>(
        settings: &TextSettings,
        texts: impl IntoIterator<Item = (PropertyId, &'t str)>,
        terms: &mut Terms,
    ) -> Option<Self> {
        // The term above, the position below: sorting brings the uses of a term together.
        let mut occurrences: Vec<u64> = Vec::new();
        let mut fields: Vec<Field> = Vec::new();
        let mut length = 0_u32;
        let mut base = 0_u32;
        for (property, text) in texts {
            let Some(units) = settings.units_of(property) else {
                continue;
            };
            if fields.last().is_none_or(|last| last.property != property) {
                fields.push(Field {
                    property,
                    units,
                    positions: 0,
                    end: base,
                });
            }
            let Some(field) = fields.last_mut() else {
                continue;
            };
            if field.positions >= MAX_POSITIONS {
                continue;
            }
            let count = settings.analysis().tokens(text, |token| {
                terms.of_token(token, |term| {
                    let position = base.saturating_add(token.position);
                    occurrences.push(u64::from(term.0) << 32 | u64::from(position));
                });
            });
            length = length.saturating_add(count.saturating_mul(units));
            base = base.saturating_add(count).saturating_add(GAP);
            field.positions += count;
            field.end = base;
        }
        if occurrences.is_empty() {
            return None;
        }
        occurrences.sort_unstable();
        // Two stems of an accented word may be equal, and so may be a pair of characters and a word.
        occurrences.dedup();
        let mut uses = Vec::new();
        let mut encoded = Vec::with_capacity(3 * occurrences.len());
        let mut places = Vec::new();
        for same in occurrences.chunk_by(|one, other| one >> 32 == other >> 32) {
            places.clear();
            places.extend(
                same.iter()
                    .map(|occurrence| (occurrence & u64::from(u32::MAX)) as u32),
            );
            let units = |position: &u32| {
                fields
                    .iter()
                    .find(|field| *position < field.end)
                    .map_or(1, |field| field.units)
            };
            let frequency = if let [Field { units, .. }] = fields[..] {
                (places.len() as u32).saturating_mul(units)
            } else {
                places
                    .iter()
                    .fold(0, |sum: u32, position| sum.saturating_add(units(position)))
            };
            positions::encode(&places, &mut encoded);
            uses.push(Use {
                term: TermNo((same.first().copied().unwrap_or_default() >> 32) as u32),
                frequency,
                positions_end: encoded.len() as u32,
            });
        }
        Some(Self {
            length,
            uses: uses.into(),
            positions: encoded.into(),
        })
    }

    /// The encoded positions of one of the uses.
    pub(super) fn positions(&self, at: usize) -> &[u8] {
        let end = |at: usize| {
            self.uses
                .get(at)
                .map_or(0, |one| one.positions_end as usize)
        };
        let begin = at.checked_sub(1).map_or(0, end);
        self.positions.get(begin..end(at)).unwrap_or_default()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.uses[..]) + self.positions.len()
    }
}
