//! What stands next to what was found.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read};

use super::{Desk, Item, RetrieveError, Step};
use crate::build::{Label, LinkKind};

/// What was found, and what stands under the same heading before and after the best of it: an answer is often longer than a
/// chunk, and only its beginning has the words of the question.
///
/// A neighbour gets a share of the score for each chunk that it is away, if that is more than it has.
///
/// ```
/// use stratigraph_rag::retrieve::Around;
///
/// assert_eq!(Around::new(5), serde_json::from_str(r#"{"seeds": 5}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Around {
    /// Around so many of the best.
    seeds: usize,
    /// So many chunks on each side.
    #[serde(default = "reach")]
    reach: usize,
    /// The share of the score that each chunk hands on to the next one.
    #[serde(default = "share")]
    share: f32,
}

fn reach() -> usize {
    2
}

fn share() -> f32 {
    0.95
}

/// So many parts of one heading are looked through.
const MOST_PARTS: usize = 1000;

impl Around {
    /// Around the `seeds` best, two chunks on each side.
    pub fn new(seeds: usize) -> Self {
        Self {
            seeds,
            reach: reach(),
            share: share(),
        }
    }

    /// Looks around. Equal ones stay in the order of the list, and what is new comes after them.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let allowed = desk.allowed()?;
        let places = items.iter().zip(0..);
        let mut places: HashMap<Entity, usize> =
            places.map(|(item, place)| (item.entity, place)).collect();
        for place in 0..items.len().min(self.seeds) {
            let seed = items[place].clone();
            for (neighbour, steps) in self.next_to(desk.read(), seed.entity)? {
                if allowed.is_some_and(|allowed| !allowed.contains(neighbour.get())) {
                    continue;
                }
                let mut score = seed.score;
                score.value *= self.share.powi(steps as i32);
                let entity = Entity::from(neighbour);
                match places.get(&entity) {
                    Some(place) if items[*place].score.value < score.value => {
                        items[*place].score = score;
                    }
                    Some(_) => {}
                    None => {
                        places.insert(entity, items.len());
                        let mut way = seed.way.clone();
                        let from = seed.entity;
                        way.push(Step {
                            from,
                            by: "NEXT".into(),
                        });
                        items.push(Item { entity, score, way });
                    }
                }
            }
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok(items)
    }

    /// The chunks on both sides of this one, each with how far it is away; nothing for what is no chunk.
    fn next_to<R: Read>(
        &self,
        read: &R,
        entity: Entity,
    ) -> Result<Vec<(NodeId, usize)>, RetrieveError> {
        let Entity::Node(chunk) = entity else {
            return Ok(Vec::new());
        };
        let (is_chunk, part) = (Label::Chunk.name(), Some(LinkKind::HasChild.name()));
        if !read.has_label(chunk, is_chunk)? {
            return Ok(Vec::new());
        }
        let mut parts: Vec<(i64, NodeId)> = Vec::new();
        let mut above = read.neighbours(chunk, Direction::Incoming, part)?;
        if let Some(heading) = above.next().transpose()? {
            let below = read.neighbours(heading.node, Direction::Outgoing, part)?;
            for part in below.take(MOST_PARTS) {
                let part = part?.node;
                if read.has_label(part, is_chunk)? {
                    let start = read.property(part, "start")?;
                    parts.push((start.as_int().unwrap_or(i64::MAX), part));
                }
            }
        }
        parts.sort_unstable();
        let Some(here) = parts.iter().position(|(_, part)| *part == chunk) else {
            return Ok(Vec::new());
        };
        let parts = parts.into_iter().enumerate();
        let near = parts.map(|(place, (_, part))| (part, place.abs_diff(here)));
        Ok(near
            .filter(|(_, steps)| (1..=self.reach).contains(steps))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Layer, Question, Vector};
    use super::*;

    /// Five chunks under one heading, and one under another; the third is the nearest.
    fn trial() -> Trial {
        let trial = Trial::new();
        let long = "word ".repeat(90);
        let parts = ["One", "Two", "Three", "Four", "Five"].map(|name| {
            let near = if name == "Three" { "0.8" } else { "0.1" };
            format!("{name} {long} {near}\n\n")
        });
        let text = format!("# Long\n\n{}# Other\n\nElse 0.2\n", parts.concat());
        trial.put("long", 2020, &text, &[]);
        trial
    }

    fn around(question: &Question, around: Around) -> Vec<(String, f32)> {
        trial().ask_for(question, |desk| {
            let found = Vector::new(Layer::Chunks, 2).run(desk).unwrap();
            let items = around.run(desk, found).unwrap();
            let scores = items.iter().map(|item| item.score.value);
            called(desk, &items).into_iter().zip(scores).collect()
        })
    }

    #[test]
    fn neighbours_under_the_same_heading_come_with_a_share() {
        let found = around(&Question::new("what?").unwrap(), Around::new(1));
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Three", "Two", "Four", "One", "Five", "Else"]);
        let shares: Vec<f32> = found.iter().map(|(_, score)| score / found[0].1).collect();
        for (share, wanted) in shares.iter().zip([1.0, 0.95, 0.95, 0.9025, 0.9025, 0.25]) {
            assert!((share - wanted).abs() < 1e-2, "{shares:?}");
        }
    }

    #[test]
    fn what_the_question_is_not_about_is_no_neighbour() {
        let elsewhere = Question::new("what?").unwrap().only("year", 1999);
        assert!(around(&elsewhere, Around::new(1)).is_empty());
        // Nor is what is not there for this question, though it stands next to what is.
        trial().ask_without(("what?", "Two"), |desk| {
            let found = Vector::new(Layer::Chunks, 1).run(desk).unwrap();
            let items = Around::new(1).run(desk, found).unwrap();
            assert_eq!(called(desk, &items), ["Three", "Four", "One", "Five"]);
        });
    }

    #[test]
    fn what_was_found_already_gets_the_greater_score_and_keeps_its_way() {
        trial().ask("what?", |desk| {
            let found = Vector::new(Layer::Chunks, 6).run(desk).unwrap();
            let two = found
                .iter()
                .find(|item| called(desk, &[(*item).clone()]) == ["Two"]);
            assert!((two.unwrap().score.value - 0.1).abs() < 1e-2);
            let items = Around::new(1).run(desk, found).unwrap();
            let names = called(desk, &items);
            assert_eq!((names[0].as_str(), names[5].as_str()), ("Three", "Else"));
            assert!(names[1..3].contains(&"Two".to_owned()), "{names:?}");
            assert!((items[1].score.value - 0.8 * 0.95).abs() < 1e-2);
            assert!(items.iter().all(|item| item.way.is_empty()));
            // All of them are seeds, and none takes from the best what it has.
            let all = Around::new(6).run(desk, items.clone()).unwrap();
            assert_eq!(all[0].score, items[0].score);
            let alone = Around::new(1).run(desk, items[..1].to_vec()).unwrap();
            let way = &alone[1].way;
            assert_eq!(
                (way.len(), &*way[0].by, way[0].from),
                (1, "NEXT", alone[0].entity)
            );
        });
    }
}
