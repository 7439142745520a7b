//! What an index of texts is told when it is declared, and never again: its terms are made by it.
//!
//! Weights are multiples of a quarter, so that weighted frequencies and lengths stay whole numbers and
//! equal texts have equal scores whatever order they were added in. Changing any of this means another index.

use super::analysis::Analysis;
use crate::catalog::PropertyId;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How many properties one index may be on.
pub const MAX_FIELDS: usize = 8;
/// The heaviest weight.
const MAX_WEIGHT: f32 = 64.0;
/// How many steps a weight of one has.
const QUARTERS: f32 = 4.0;

/// How much a word in a property counts, beside the same word in another: 0.25 to 64 in steps of a quarter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Weight {
    quarters: u16,
}

impl Weight {
    /// What words count without further words.
    pub const ONE: Self = Self { quarters: 4 };

    /// The weight of a number.
    ///
    /// # Errors
    /// [`Error::BadDeclaration`] for a number that is no weight.
    pub fn new(weight: f32) -> Result<Self> {
        let quarters = weight * QUARTERS;
        if !(1.0..=MAX_WEIGHT * QUARTERS).contains(&quarters) || quarters.fract() != 0.0 {
            return Err(refused(
                "a weight lies between 0.25 and 64 and is a multiple of 0.25",
            ));
        }
        Ok(Self {
            quarters: quarters as u16,
        })
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f32 {
        f32::from(self.quarters) / QUARTERS
    }
}

/// A property whose text is in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextField {
    /// Which property.
    pub property: PropertyId,
    /// How much its words count.
    pub weight: Weight,
}

/// Everything that decides what terms an index has and how they are scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextSettings {
    fields: Vec<TextField>,
    analysis: Analysis,
    k1: f32,
    b: f32,
}

impl TextSettings {
    /// The `k1` of an index of which nothing was said.
    pub const DEFAULT_K1: f32 = 1.2;
    /// The `b` of an index of which nothing was said.
    pub const DEFAULT_B: f32 = 0.75;

    /// Settings for one or several properties, with [`DEFAULT_K1`](Self::DEFAULT_K1) and [`DEFAULT_B`](Self::DEFAULT_B).
    ///
    /// # Errors
    /// [`Error::BadDeclaration`] for no property or one that is named twice, [`Error::TooMany`].
    pub fn new(fields: Vec<TextField>, analysis: Analysis) -> Result<Self> {
        let settings = Self {
            fields,
            analysis,
            k1: Self::DEFAULT_K1,
            b: Self::DEFAULT_B,
        };
        settings.check()?;
        Ok(settings)
    }

    /// The same with other parameters of BM25: how soon a further occurrence of a word adds little, and how much
    /// a long text is held against it.
    ///
    /// # Errors
    /// [`Error::BadDeclaration`] unless `k1` lies between 0 and 10, and `b` between 0 and 1.
    pub fn with_parameters(mut self, k1: f32, b: f32) -> Result<Self> {
        self.k1 = k1;
        self.b = b;
        self.check()?;
        Ok(self)
    }

    /// Whether these can be settings: what is read from the catalogue must pass as well.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`with_parameters`](Self::with_parameters).
    pub fn check(&self) -> Result<()> {
        if self.fields.is_empty() {
            return Err(refused("a text index is on one property at least"));
        }
        if self.fields.len() > MAX_FIELDS {
            return Err(Error::TooMany {
                what: "properties of a text index",
                count: self.fields.len() as u64,
                limit: MAX_FIELDS as u64,
            });
        }
        let mut seen = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            if seen.contains(&field.property) {
                return Err(refused("a text index names a property once"));
            }
            seen.push(field.property);
            Weight::new(field.weight.get())?;
        }
        if !(0.0..=10.0).contains(&self.k1) {
            return Err(refused("k1 lies between 0 and 10"));
        }
        if !(0.0..=1.0).contains(&self.b) {
            return Err(refused("b lies between 0 and 1"));
        }
        Ok(())
    }

    /// The properties with their weights.
    #[must_use]
    pub fn fields(&self) -> &[TextField] {
        &self.fields
    }

    /// How text becomes terms.
    #[must_use]
    pub fn analysis(&self) -> Analysis {
        self.analysis
    }

    /// How soon a further occurrence of a word adds little.
    #[must_use]
    pub fn k1(&self) -> f32 {
        self.k1
    }

    /// How much a long text is held against it.
    #[must_use]
    pub fn b(&self) -> f32 {
        self.b
    }

    /// The greatest common part of all weights, in quarters: frequencies and lengths are stored in it, so that
    /// an index whose properties weigh the same stores plain counts.
    pub(super) fn unit_quarters(&self) -> u32 {
        let quarters = self.fields.iter().map(|field| field.weight.quarters);
        u32::from(quarters.fold(0, greatest_common_divisor).max(1))
    }

    /// What one of the stored units is worth.
    pub(super) fn unit(&self) -> f32 {
        self.unit_quarters() as f32 / QUARTERS
    }

    /// How many stored units one occurrence in a property is; `None` if the property is not in the index.
    pub(super) fn units_of(&self, property: PropertyId) -> Option<u32> {
        let field = self
            .fields
            .iter()
            .find(|field| field.property == property)?;
        Some(u32::from(field.weight.quarters) / self.unit_quarters())
    }
}

fn greatest_common_divisor(left: u16, right: u16) -> u16 {
    if right == 0 {
        left
    } else {
        greatest_common_divisor(right, left % right)
    }
}

fn refused(reason: &'static str) -> Error {
    Error::BadDeclaration {
        what: "text index",
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::NameId;

    fn field(number: u32, weight: f32) -> TextField {
        TextField {
            property: PropertyId::from_number(number),
            weight: Weight::new(weight).unwrap(),
        }
    }

    #[test]
    fn weights_are_counted_in_their_greatest_common_part() {
        let of = |weights: &[f32]| {
            let fields = (0..)
                .zip(weights)
                .map(|(number, weight)| field(number, *weight));
            let settings = TextSettings::new(fields.collect(), Analysis::English).unwrap();
            let units = settings
                .fields()
                .iter()
                .map(|field| settings.units_of(field.property).unwrap());
            (settings.unit(), units.collect::<Vec<_>>())
        };
        assert_eq!(of(&[1.0]), (1.0, vec![1]));
        assert_eq!(of(&[3.0, 1.0]), (1.0, vec![3, 1]));
        assert_eq!(of(&[2.0, 2.0]), (2.0, vec![1, 1]));
        assert_eq!(of(&[1.5, 0.25]), (0.25, vec![6, 1]));
    }

    #[test]
    fn what_cannot_be_settings_is_refused_with_a_reason() {
        let one = || vec![field(1, 1.0)];
        assert!(TextSettings::new(Vec::new(), Analysis::Plain).is_err());
        assert!(TextSettings::new([one(), one()].concat(), Analysis::Plain).is_err());
        let many = (0..9).map(|number| field(number, 1.0)).collect();
        assert!(matches!(
            TextSettings::new(many, Analysis::Plain),
            Err(Error::TooMany { .. })
        ));
        let settings = TextSettings::new(one(), Analysis::Plain).unwrap();
        for (k1, b) in [
            (-0.1, 0.5),
            (11.0, 0.5),
            (1.0, -0.1),
            (1.0, 1.1),
            (f32::NAN, 0.5),
            (1.0, f32::NAN),
        ] {
            assert!(settings.clone().with_parameters(k1, b).is_err(), "{k1} {b}");
        }
        for weight in [0.0, -1.0, 0.3, 64.25, f32::NAN, f32::INFINITY] {
            assert!(Weight::new(weight).is_err(), "{weight}");
        }
    }

    #[test]
    fn settings_come_back_from_the_catalogues_bytes() {
        let settings = TextSettings::new(vec![field(1, 3.0), field(2, 1.0)], Analysis::Chinese)
            .and_then(|settings| settings.with_parameters(0.9, 0.4))
            .unwrap();
        let bytes = postcard::to_stdvec(&settings).unwrap();
        assert_eq!(
            postcard::from_bytes::<TextSettings>(&bytes).unwrap(),
            settings
        );
    }
}
