//! Documents of which much was found.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use stratigraph::{NodeId, Read, Value};

use super::{Desk, Item, RetrieveError};

/// What was found, where it counts more if much else of its document was found too: a chunk says by itself little of what
/// it is from.
///
/// The document with the greatest sum of scores gives all of `weight`, times the best score, to each of its chunks; others
/// what their sums are beside that.
///
/// ```
/// use stratigraph_rag::retrieve::Together;
///
/// assert_eq!(Together::new(0.25), serde_json::from_str(r#"{"weight": 0.25}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Together {
    weight: f32,
    /// So many of a document are summed, the best.
    #[serde(default = "of")]
    of: usize,
}

fn of() -> usize {
    20
}

impl Together {
    /// With this weight.
    pub fn new(weight: f32) -> Self {
        Self { weight, of: of() }
    }

    /// Sums. What is of no document stays as it is; equal ones stay in the order of the list.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let documents = documents(desk.read(), &items)?;
        let mut sums: HashMap<&str, (usize, f32)> = HashMap::new();
        for (item, document) in items.iter().zip(&documents) {
            let Some(document) = document else { continue };
            let (count, sum) = sums.entry(document).or_default();
            if *count < self.of {
                *count += 1;
                *sum += item.score.value;
            }
        }
        let best = items.first().map_or(0.0, |item| item.score.value);
        let greatest = sums.values().map(|(_, sum)| *sum).fold(0.0, f32::max);
        if greatest <= 0.0 {
            return Ok(items);
        }
        for (item, document) in items.iter_mut().zip(&documents) {
            let sum = document
                .as_deref()
                .and_then(|document| sums.get(document))
                .map_or(0.0, |(_, sum)| *sum);
            item.score.value += self.weight * best * sum / greatest;
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok(items)
    }
}

/// The document that each of these is a part of, read together.
fn documents<R: Read>(read: &R, items: &[Item]) -> Result<Vec<Option<String>>, RetrieveError> {
    let nodes: Vec<NodeId> = items.iter().filter_map(|item| item.entity.node()).collect();
    let mut nodes = read.nodes_with(&nodes, &["document"])?.into_iter();
    let documents = items.iter().map(|item| {
        item.entity.node()?;
        let document = nodes.next()??;
        let document = document.get("document").and_then(Value::as_str);
        document.map(str::to_owned)
    });
    Ok(documents.collect())
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Layer, Vector};
    use super::*;

    #[test]
    fn a_document_of_which_much_is_found_is_before_a_lone_chunk() {
        let trial = Trial::new();
        let said = [("Lone", "is 0.4", "air")];
        trial.put("lone", 2020, "# A\n\nLone air 0.6\n", &said);
        trial.put("much", 2020, "# B\n\nFirst 0.5\n\n# C\n\nSecond 0.5\n", &[]);
        trial.ask("what?", |desk| {
            let found = Vector::new(Layer::Chunks, 10).run(desk).unwrap();
            assert_eq!(called(desk, &found), ["Lone", "First", "Second"]);
            let items = Together::new(1.0).run(desk, found.clone()).unwrap();
            assert_eq!(called(desk, &items), ["First", "Second", "Lone"]);
            let scores: Vec<f32> = items.iter().map(|item| item.score.value).collect();
            for (score, wanted) in scores.iter().zip([1.1, 1.1, 0.6 + 0.6 * 0.6]) {
                assert!((score - wanted).abs() < 1e-3, "{scores:?}");
            }
            // What is of no document gets nothing and loses nothing.
            let mut with_fact = found.clone();
            with_fact.extend(Vector::new(Layer::Facts, 1).run(desk).unwrap());
            // Wherever it stands, the others are of their own documents.
            with_fact.rotate_right(1);
            assert_eq!(called(desk, &with_fact)[0], "is 0.4");
            with_fact.swap(0, 1);
            let items = Together::new(1.0).run(desk, with_fact).unwrap();
            assert_eq!(called(desk, &items), ["First", "Second", "Lone", "is 0.4"]);
            assert!((items[3].score.value - 0.4).abs() < 1e-3, "{items:?}");
            let one = Together { weight: 1.0, of: 1 };
            let items = one.run(desk, found).unwrap();
            assert_eq!(called(desk, &items), ["Lone", "First", "Second"]);
        });
    }
}
