//! What the texts that something rests on say of the question.

use std::collections::HashMap;

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Node, NodeId, Read};

use super::grounds::LINKS;
use super::{Desk, Item, RetrieveError, Scale};

/// What was found, where it counts more if it rests on texts that were found, too: a summary is short, and names little of
/// what was summed up. So it is with domains, entities and headings; facts and instances say themselves what they do, and stay
/// as they are.
///
/// What rests on the best of the texts gets all of `weight`; others the share of the best score that their best text has.
///
/// ```
/// use stratigraph_rag::retrieve::Attest;
///
/// assert_eq!(Attest::new(1.0), serde_json::from_str(r#"{"weight": 1.0}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Attest {
    weight: f32,
}

impl Attest {
    /// With this weight.
    pub fn new(weight: f32) -> Self {
        Self { weight }
    }

    /// Lifts items by texts. What rests on none of these stays as it is; equal ones stay in the order of the list.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
        texts: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        let mut shares: HashMap<Entity, f32> = HashMap::new();
        let mut chunks = RoaringTreemap::new();
        let best = texts.iter().map(|text| text.score.value);
        let best = best.fold(0.0, f32::max);
        if best <= 0.0 {
            return Ok(items);
        }
        for text in texts {
            shares.insert(text.entity, text.score.value / best);
            chunks.extend(text.entity.node().map(NodeId::get));
        }
        let nodes = items.iter().filter_map(|item| item.entity.node());
        let nodes: Vec<NodeId> = nodes.collect();
        let nodes = desk.read().nodes_with(&nodes, &[])?;
        for (label, direction, by) in LINKS {
            let is_one = |node: &Node| node.has_label(label.name());
            if !nodes.iter().flatten().any(is_one) {
                continue;
            }
            // From the texts, which are few: half of all chunks may rest under one domain.
            let pairs =
                desk.read()
                    .neighbour_pairs(&chunks, direction.reverse(), Some(by.name()))?;
            for (text, of) in pairs {
                let share = shares.get(&text.into()).copied().unwrap_or_default();
                let known = shares.entry(of.into()).or_default();
                *known = known.max(share);
            }
        }
        for item in &mut items {
            let share = shares.get(&item.entity).copied().unwrap_or_default();
            item.score = Scale::Weighted.score(item.score.value + self.weight * share);
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Bm25, Layer, Vector};
    use super::*;

    #[test]
    fn what_rests_on_a_text_that_was_found_is_lifted_by_its_share() {
        let trial = Trial::new();
        trial.put("a", 2020, "# Rivers 0.6\n\nAll water flows.\n", &[]);
        trial.put("b", 2020, "# Rocks 0.5\n\nBasalt and lava.\n", &[]);
        trial.put(
            "c",
            2020,
            "# Sand 0.4\n\nBasalt, much of it under much else.\n",
            &[],
        );
        trial.ask("basalt lava", |desk| {
            let near = Vector::new(Layer::Sections, 10).run(desk).unwrap();
            assert_eq!(called(desk, &near), ["Rivers 0.6", "Rocks 0.5", "Sand 0.4"]);
            let texts = Bm25::new(10).run(desk).unwrap();
            let share = texts[1].score.value / texts[0].score.value;
            let lifted = Attest::new(0.5).run(desk, near.clone(), &texts).unwrap();
            assert_eq!(called(desk, &lifted)[0], "Rocks 0.5");
            let sand = lifted.iter().find(|item| item.entity == near[2].entity);
            for (item, wanted) in [(&lifted[0], 1.0), (sand.unwrap(), 0.4 + 0.5 * share)] {
                assert!((item.score.value - wanted).abs() < 1e-3, "{lifted:?}");
                assert_eq!(item.score.scale, Scale::Weighted);
            }
            let none = Attest::new(0.5).run(desk, near.clone(), &[]).unwrap();
            assert_eq!(none, near);
        });
    }
}
