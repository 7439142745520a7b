//! How much a feature counts: what is in few texts counts more.

use std::collections::HashSet;

use super::features::{Feature, each_feature, fnv};

/// How rare features are. Features share buckets; with so many, few that matter do.
#[derive(Clone, Debug, Default)]
pub(super) struct Rarity {
    /// In how many texts each bucket's features were; empty when nothing was learned.
    texts_with: Vec<u32>,
    texts: u32,
}

const BUCKETS: usize = 1 << 17;
const MAGIC: &[u8; 8] = b"lexical1";
/// What the commonest words weigh when nothing was learned.
const COMMON: f32 = 0.1;

impl Rarity {
    pub(super) fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut learned = Self {
            texts_with: vec![0; BUCKETS],
            texts: 0,
        };
        let mut seen = HashSet::new();
        for text in texts {
            seen.clear();
            each_feature(text, |feature| {
                seen.insert(bucket(&feature));
            });
            for bucket in &seen {
                learned.texts_with[*bucket] = learned.texts_with[*bucket].saturating_add(1);
            }
            learned.texts = learned.texts.saturating_add(1);
        }
        learned
    }

    pub(super) fn weight(&self, feature: &Feature) -> f32 {
        match self.texts_with.get(bucket(feature)) {
            None if feature.common => COMMON,
            None => 1.0,
            Some(with) => ((self.texts as f32 + 1.0) / (*with as f32 + 0.5))
                .ln()
                .max(0.05),
        }
    }

    /// Which training it is; nothing when nothing was learned.
    pub(super) fn fingerprint(&self) -> Option<u64> {
        (!self.texts_with.is_empty()).then(|| checksum(&self.body()))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let body = self.body();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(checksum(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (sum, body) = rest.split_first_chunk::<8>()?;
        if u64::from_le_bytes(*sum) != checksum(body) {
            return None;
        }
        let (numbers, []) = body.as_chunks::<4>() else {
            return None;
        };
        let (texts, texts_with) = numbers.split_first()?;
        let texts_with: Vec<u32> = texts_with
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
            .collect();
        (texts_with.is_empty() || texts_with.len() == BUCKETS).then(|| Self {
            texts_with,
            texts: u32::from_le_bytes(*texts),
        })
    }

    fn body(&self) -> Vec<u8> {
        let numbers = std::iter::once(&self.texts).chain(&self.texts_with);
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }
}

fn bucket(feature: &Feature) -> usize {
    // Other bits than those of the place in the vector.
    (feature.hash >> 20) as usize % BUCKETS
}

/// It finds damage, and tells trainings apart.
fn checksum(bytes: &[u8]) -> u64 {
    fnv(bytes.iter().copied())
}
