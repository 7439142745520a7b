//! As a reader follows a link: from a text to those whose titles it names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Node, Read, Value};

use super::titles::{Titles, called, words_of};
use super::{Desk, Item, RetrieveError, Step};
use crate::build::Label;

/// What was found, where a text counts more if a better one names its title. What is asked for is often not in the text that
/// has the words of the question, but in the one that this text speaks of.
///
/// Nothing is added that was not found, only the order is another: a list that is to be followed should be a long one. A text
/// is called what its lowest heading is, without a number before and brackets behind. Scores are of the scale that they had,
/// and may be more than the best one was.
///
/// ```
/// use stratigraph_rag::retrieve::Follow;
///
/// assert_eq!(Follow::new(10), serde_json::from_str(r#"{"seeds": 10}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Follow {
    /// So many of the best are read.
    seeds: usize,
    /// The share of a text's score that goes to those whose titles it names.
    #[serde(default = "named")]
    named: f32,
    /// The share of the best score that goes to those whose titles the question names.
    #[serde(default = "asked")]
    asked: f32,
}

/// What was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Followed {
    /// Texts whose titles the question names.
    pub asked: usize,
    /// Texts that were read.
    pub read: usize,
    /// Texts that count more for what was read.
    pub lifted: usize,
}

fn named() -> f32 {
    0.6
}

fn asked() -> f32 {
    0.6
}

impl Follow {
    /// Reads the `seeds` best.
    pub fn new(seeds: usize) -> Self {
        Self {
            seeds,
            named: named(),
            asked: asked(),
        }
    }

    /// Follows. Equal ones stay in the order of the list.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        items: Vec<Item>,
    ) -> Result<Vec<Item>, RetrieveError> {
        Ok(self.run_traced(desk, items)?.0)
    }

    pub(super) fn run_traced<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
    ) -> Result<(Vec<Item>, Followed), RetrieveError> {
        let mut followed = Followed::default();
        let texts = texts(desk, &items)?;
        let titles: Vec<Vec<String>> = texts.iter().map(title).collect();
        let index = Titles::of(titles.iter().map(Vec::as_slice).enumerate());
        let best = items.first().map_or(0.0, |item| item.score.value);
        for place in index.named_in(&words_of(desk.text())) {
            items[place].score.value += best * self.asked;
            followed.asked += 1;
        }
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by(|one, other| {
            let value = |place: &usize| items[*place].score.value;
            value(other).total_cmp(&value(one))
        });
        // By whom a text is lifted most, and by how much.
        let mut lifted: BTreeMap<usize, (usize, f32)> = BTreeMap::new();
        for seed in order.into_iter().take(self.seeds) {
            let Some(text) = texts[seed].as_ref().map(words) else {
                continue;
            };
            followed.read += 1;
            let share = items[seed].score.value * self.named;
            for place in index.named_in(&text) {
                // What stands under the same title is not what it speaks of.
                if titles[place] != titles[seed] {
                    let by = lifted.entry(place).or_insert((seed, share));
                    if share > by.1 {
                        *by = (seed, share);
                    }
                }
            }
        }
        followed.lifted = lifted.len();
        let entities: Vec<Entity> = items.iter().map(|item| item.entity).collect();
        for (place, (seed, share)) in lifted {
            let item = &mut items[place];
            if share > item.score.value {
                let from = entities[seed];
                item.way.push(Step { from, by: "NAMES" });
            }
            item.score.value += share;
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok((items, followed))
    }
}

/// The chunks among these; others have no title.
fn texts<R: Read>(desk: &Desk<'_, R>, items: &[Item]) -> Result<Vec<Option<Node>>, RetrieveError> {
    let nodes = items.iter().map(|item| {
        let Entity::Node(id) = item.entity else {
            return Ok(None);
        };
        let node = desk.read().node(id)?;
        Ok(node.filter(|node| node.has_label(Label::Chunk.name())))
    });
    nodes.collect()
}

fn title(text: &Option<Node>) -> Vec<String> {
    text.as_ref().map(called).unwrap_or_default()
}

fn words(text: &Node) -> Vec<String> {
    let text = text.get("text").and_then(Value::as_str);
    words_of(text.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Layer, Vector};
    use super::*;

    /// Texts whose last numbers say how near they are.
    fn trial() -> Trial {
        let trial = Trial::new();
        let texts = [
            (
                "walker",
                "# Kerry Walker\n\nWalker was born in the Old Mill (Kent). 0.9\n",
            ),
            (
                "near",
                "# Near (a village)\n\nPeople are walking there. 0.8\n",
            ),
            ("mill", "# 3. Old Mill (Kent)\n\nSix thousand people. 0.1\n"),
            ("old", "# Old\n\nMuch is that. 0.15\n"),
            ("it", "# In\n\nA word. 0.2\n"),
        ];
        for (id, text) in texts {
            trial.put(id, 2020, text, &[]);
        }
        trial
    }

    fn followed(question: &str, follow: Follow) -> (Vec<(String, f32)>, Followed, Vec<usize>) {
        trial().ask(question, |desk| {
            let found = Vector::new(Layer::Chunks, 10).run(desk).unwrap();
            let (items, followed) = follow.run_traced(desk, found).unwrap();
            let names = called(desk, &items).into_iter();
            let scores = items.iter().map(|item| item.score.value);
            let ways = items.iter().map(|item| item.way.len()).collect();
            (names.zip(scores).collect(), followed, ways)
        })
    }

    #[test]
    fn a_text_whose_title_a_better_one_names_is_lifted_and_says_by_whom() {
        let (found, counts, ways) = followed("where?", Follow::new(1));
        let order: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(order, ["Walker", "People", "Six", "A", "Much"]);
        assert!((found[2].1 - (0.1 + 0.6 * 0.9)).abs() < 1e-3, "{found:?}");
        assert_eq!(ways, [0, 0, 1, 0, 0]);
        let wanted = Followed {
            asked: 0,
            read: 1,
            lifted: 1,
        };
        assert_eq!(counts, wanted);
    }

    #[test]
    fn titles_in_the_question_count_and_common_words_are_none() {
        let (found, counts, _) = followed("What is in Near?", Follow::new(0));
        assert_eq!(found[0].0, "People");
        assert!((found[0].1 - (0.8 + 0.6 * 0.9)).abs() < 1e-3, "{found:?}");
        assert_eq!((counts.asked, counts.read, counts.lifted), (1, 0, 0));
    }
}
