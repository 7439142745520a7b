//! Facts about what the question names.

use serde::{Deserialize, Serialize};
use stratigraph::Read;

use super::ends::Ends;
use super::{Desk, Item, RetrieveError};

/// What was found, where a fact counts more if the question names what it is about: words of a name that stand in a source
/// by chance say less than the name itself.
///
/// A name counts by its words that the question has, the rare ones most, times the square of the share that they are of
/// it: the longer and rarer of two whole names counts more, and half a name little. The fact that is meant most gets all of
/// `weight`, times the best score; others what they are beside that.
///
/// ```
/// use stratigraph_rag::retrieve::About;
///
/// assert_eq!(About::new(0.5), serde_json::from_str(r#"{"weight": 0.5}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct About {
    weight: f32,
}

impl About {
    /// With this weight.
    pub fn new(weight: f32) -> Self {
        Self { weight }
    }

    /// Lifts. What is no fact stays as it is; equal ones stay in the order of the list.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let ends = Ends::of(desk, items.iter().map(|item| item.entity))?;
        let meant = items.iter().map(|item| {
            let ends_of_it = ends.at(item.entity).iter();
            let meant = ends_of_it.map(|end| ends.naming(*end).meant());
            meant.fold(0.0, f32::max)
        });
        let meant: Vec<f32> = meant.collect();
        let most = meant.iter().copied().fold(0.0, f32::max);
        if most <= 0.0 {
            return Ok(items);
        }
        let best = items.first().map_or(0.0, |item| item.score.value);
        for (item, meant) in items.iter_mut().zip(meant) {
            item.score.value += self.weight * best * meant / most;
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok(items)
    }
}
