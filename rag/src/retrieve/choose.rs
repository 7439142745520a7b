//! Of what was found, what is good enough, and the first of it.

use serde::{Deserialize, Serialize};

use super::search::not_above;
use super::{Item, RetrieveError, Scale};

/// What scores above a number, not equal to it. The number is of one scale, and means nothing on another: a list that has
/// other scores is refused.
///
/// ```
/// use stratigraph::NodeId;
/// use stratigraph_rag::retrieve::{Item, Scale, Threshold};
///
/// let item = |id, value| Item::found(NodeId::new(id), Scale::Cosine.score(value));
/// let found = vec![item(1, 0.8), item(2, 0.6)];
/// assert_eq!(Threshold::new(0.6, Scale::Cosine).run(found)?.len(), 1);
/// let found = vec![Item::found(NodeId::new(1), Scale::Bm25.score(7.5))];
/// assert!(Threshold::new(0.6, Scale::Cosine).run(found).is_err());
/// # Ok::<(), stratigraph_rag::retrieve::RetrieveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Threshold {
    above: f32,
    scale: Scale,
}

impl Threshold {
    /// Above this number of this scale.
    pub fn new(above: f32, scale: Scale) -> Self {
        Self { above, scale }
    }

    /// Chooses. Nothing may be left, which is an answer too: that nothing is known.
    ///
    /// # Errors
    /// [`RetrieveError::Setting`] if a score is of another scale.
    pub fn run(&self, items: Vec<Item>) -> Result<Vec<Item>, RetrieveError> {
        Ok(self.run_traced(items)?.0)
    }

    /// The same, with why nothing is left, if there was something.
    pub(super) fn run_traced(
        &self,
        mut items: Vec<Item>,
    ) -> Result<(Vec<Item>, Option<String>), RetrieveError> {
        let other = items.iter().find(|item| item.score.scale != self.scale);
        if let Some(other) = other {
            let (scale, found) = (self.scale.name(), other.score.scale.name());
            return Err(RetrieveError::Setting {
                operator: "threshold",
                reason: format!(
                    "it is of the scale `{scale}`, and a score before it of `{found}`: put it right \
                     behind what gives `{scale}`, or give it a number of `{found}`"
                ),
            });
        }
        let best = items.iter().map(|item| item.score.value).reduce(f32::max);
        items.retain(|item| item.score.value > self.above);
        let best = best.filter(|_| items.is_empty());
        let why = best.map(|best| not_above(best, self.scale, self.above));
        Ok((items, why))
    }
}

/// The first so many of a list.
///
/// ```
/// use stratigraph::NodeId;
/// use stratigraph_rag::retrieve::{Item, Limit, Scale};
///
/// let item = |id| Item::found(NodeId::new(id), Scale::Cosine.score(0.5));
/// assert_eq!(Limit::new(1).run(vec![item(2), item(1)]), [item(2)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Limit {
    k: usize,
}

impl Limit {
    /// The first `k`.
    pub fn new(k: usize) -> Self {
        Self { k }
    }

    /// Cuts.
    #[must_use]
    pub fn run(&self, mut items: Vec<Item>) -> Vec<Item> {
        items.truncate(self.k);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::NodeId;

    fn list(scores: &[f32], scale: Scale) -> Vec<Item> {
        let scores = scores.iter().zip(0..);
        let item = |(score, id): (&f32, _)| Item::found(NodeId::new(id), scale.score(*score));
        scores.map(item).collect()
    }

    #[test]
    fn what_is_equal_or_no_number_is_not_above() {
        let threshold = Threshold::new(0.5, Scale::Judged);
        let scores = [0.7, 0.5, f32::NAN, 0.4, 0.6];
        let kept = threshold.run(list(&scores, Scale::Judged)).unwrap();
        let kept: Vec<f32> = kept.iter().map(|item| item.score.value).collect();
        assert_eq!(kept, [0.7, 0.6]);
        assert!(threshold.run(Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn another_scale_is_refused_wherever_it_is() {
        let threshold: Threshold =
            serde_json::from_str(r#"{"above": 0.1, "scale": "reciprocal_rank"}"#).unwrap();
        let mut mixed = list(&[0.7, 0.6], Scale::ReciprocalRank);
        mixed.extend(list(&[9.0], Scale::Bm25));
        let refused = threshold.run(mixed).unwrap_err().to_string();
        let wanted = "`threshold`: it is of the scale `reciprocal_rank`, and a score before it of `bm25`: put it right \
                      behind what gives `reciprocal_rank`, or give it a number of `bm25`";
        assert_eq!(refused, wanted);
    }

    #[test]
    fn names_of_scales_are_those_that_are_written() {
        use Scale::*;
        for scale in [
            Cosine,
            Bm25,
            ReciprocalRank,
            Weighted,
            Visits,
            Named,
            Judged,
        ] {
            let written = serde_json::to_value(scale).unwrap();
            assert_eq!(written, scale.name());
        }
    }
}
