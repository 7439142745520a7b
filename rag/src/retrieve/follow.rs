//! As a reader follows a link: from a text to those that it speaks of.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Direction, Node, NodeId, Read, Value};

use super::titles::{Titles, rarity};
use super::{Desk, Item, RetrieveError, Score, Step};
use crate::build::{Label, LinkKind};

/// What was found, where a text counts more if a better one names its title, or names something that few others name. What
/// is asked for is often not in the text that has the words of the question, but in the one that this text speaks of.
///
/// A text gets the greatest share that any other hands on to it and not their sum: one link is as good as many.
///
/// A text is called what its lowest heading is, without a number before and brackets behind; of several that are called the
/// same, each gets its part of what is handed on. Scores are of the scale that they
/// had, and may be more than the best one was; what is new has what it was given.
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
    /// The share of a text's score that goes to those that mention an entity with it, if nobody else does; the more do, the
    /// less.
    #[serde(default = "shared")]
    shared: f32,
    /// The share of the best score that goes to those whose titles the question names.
    #[serde(default = "asked")]
    asked: f32,
}

/// What more chunks mention ties no two of them together.
const MOST_MENTIONS: u64 = 20;

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
    1.0
}

fn shared() -> f32 {
    0.25
}

fn asked() -> f32 {
    0.8
}

impl Follow {
    /// Reads the `seeds` best.
    pub fn new(seeds: usize) -> Self {
        Self {
            seeds,
            named: named(),
            shared: shared(),
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
        items: Vec<Item>,
    ) -> Result<(Vec<Item>, Followed), RetrieveError> {
        let mut followed = Followed::default();
        let nodes: Vec<NodeId> = items.iter().filter_map(|item| item.entity.node()).collect();
        let nodes = desk.read().nodes_with(&nodes, &["called"])?;
        // Chunks alone are called something.
        let titles = nodes.iter().flatten().map(|node| text_of(node, "called"));
        let mut titles = Titles::new(desk, titles.filter(|title| !title.is_empty()))?;
        let Some(best) = items.first().map(|item| item.score) else {
            return Ok((items, followed));
        };
        let mut list = List::of(items);
        for named in titles.named_in(desk.text(), true)? {
            let share = best.value * self.asked * named.weight;
            for chunk in named.chunks {
                list.lift(chunk, best.scale.score(share), None);
                followed.asked += 1;
            }
        }
        // What the question names is read first, whatever else was found.
        let chunks = desk.read().node_count(Some(Label::Chunk.name()))?;
        let mut lifts = Lifts::default();
        for seed in list.best(self.seeds) {
            let Some(node) = seed.entity.node() else {
                continue;
            };
            let text = desk.read().node_with(node, &["called", "text"])?;
            let Some(text) = text.filter(is_chunk) else {
                continue;
            };
            followed.read += 1;
            for named in titles.named_in(text_of(&text, "text"), false)? {
                // What stands under the same title is not what it speaks of.
                if named.title != text_of(&text, "called") {
                    for chunk in named.chunks {
                        lifts.offer(chunk, &seed, self.named * named.weight);
                    }
                }
            }
            for (other, mentions) in mentioned_with(desk, node)? {
                lifts.offer(other, &seed, self.shared * rarity(chunks, mentions));
            }
        }
        let lifted = lifts.by_chunk;
        followed.lifted = lifted.len();
        for (chunk, (seed, share)) in lifted {
            list.lift(chunk, share, Some(seed));
        }
        Ok((list.sorted(), followed))
    }
}

/// By whom each chunk is lifted most, and by how much.
#[derive(Default)]
struct Lifts {
    by_chunk: BTreeMap<NodeId, (Entity, Score)>,
}

impl Lifts {
    fn offer(&mut self, chunk: NodeId, seed: &Item, share: f32) {
        let mut score = seed.score;
        score.value *= share;
        let entry = self.by_chunk.entry(chunk);
        let known = entry.or_insert((seed.entity, score));
        if score.value > known.1.value {
            *known = (seed.entity, score);
        }
    }
}

/// The other chunks that mention what this one does, each with how many mention it, if those are few.
fn mentioned_with<R: Read>(
    desk: &Desk<'_, R>,
    chunk: NodeId,
) -> Result<Vec<(NodeId, u64)>, RetrieveError> {
    let (read, by) = (desk.read(), Some(LinkKind::Mentions.name()));
    let allowed = desk.allowed()?;
    let mut others = Vec::new();
    for entity in read.neighbours(chunk, Direction::Outgoing, by)? {
        let entity = entity?.node;
        let mentions = read.degree(entity, Direction::Incoming, by)?;
        if mentions > MOST_MENTIONS {
            continue;
        }
        for other in read.neighbours(entity, Direction::Incoming, by)? {
            let other = other?.node;
            let is_allowed = allowed.is_none_or(|allowed| allowed.contains(other.get()));
            if other != chunk && is_allowed {
                others.push((other, mentions));
            }
        }
    }
    Ok(others)
}

/// A list whose scores rise.
struct List {
    items: Vec<Item>,
    places: HashMap<Entity, usize>,
}

impl List {
    fn of(items: Vec<Item>) -> Self {
        let places = items.iter().zip(0..);
        let places = places.map(|(item, place)| (item.entity, place)).collect();
        Self { items, places }
    }

    /// Adds a score to a chunk, which was come to from another if that is more than it had.
    fn lift(&mut self, chunk: NodeId, by: Score, from: Option<Entity>) {
        let entity = Entity::from(chunk);
        let place = *self.places.entry(entity).or_insert_with(|| {
            self.items.push(Item::found(chunk, by.scale.score(0.0)));
            self.items.len() - 1
        });
        let item = &mut self.items[place];
        if let Some(from) = from.filter(|_| by.value > item.score.value) {
            item.way.push(Step {
                from,
                by: "NAMES".into(),
            });
        }
        item.score.value += by.value;
    }

    /// The first so many by their scores.
    fn best(&self, count: usize) -> Vec<Item> {
        let mut best = self.items.clone();
        sort(&mut best);
        best.truncate(count);
        best
    }

    fn sorted(mut self) -> Vec<Item> {
        sort(&mut self.items);
        self.items
    }
}

/// The best first; equal ones stay as they were.
fn sort(items: &mut [Item]) {
    items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
}

fn is_chunk(node: &Node) -> bool {
    node.has_label(Label::Chunk.name())
}

fn text_of<'n>(node: &'n Node, property: &str) -> &'n str {
    let text = node.get(property).and_then(Value::as_str);
    text.unwrap_or_default()
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
        // Two of five have its rarest word.
        let share = 0.9 * rarity(5, 2);
        assert!((found[2].1 - (0.1 + share)).abs() < 1e-3, "{found:?}");
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
        assert!((found[0].1 - (0.8 + 0.8 * 0.9)).abs() < 1e-3, "{found:?}");
        assert_eq!((counts.asked, counts.read, counts.lifted), (1, 0, 0));
    }

    #[test]
    fn who_mentions_the_same_thing_is_lifted_the_more_the_fewer_do() {
        let trial = Trial::new();
        let rocks = [("Basalt", "rests on", "Granite")];
        trial.put("a", 2020, "# A\n\nBasalt and Granite 0.9\n", &rocks);
        trial.put("b", 2020, "# B\n\nMore of Basalt and Granite 0.1\n", &rocks);
        trial.put("c", 2020, "# C\n\nElse 0.15\n", &[]);
        trial.ask("what?", |desk| {
            let found = Vector::new(Layer::Chunks, 10).run(desk).unwrap();
            assert_eq!(called(desk, &found), ["Basalt", "Else", "More"]);
            let (items, followed) = Follow::new(1).run_traced(desk, found).unwrap();
            assert_eq!(called(desk, &items), ["Basalt", "More", "Else"]);
            let share = 0.25 * 0.9 * rarity(3, 2);
            assert!((items[1].score.value - (0.1 + share)).abs() < 1e-3);
            assert_eq!((followed.read, followed.lifted), (1, 1));
        });
    }

    /// The scores of the chunks after following, by the first words of their texts.
    fn lifted(trial: &Trial, follow: Follow) -> Vec<(String, f32)> {
        trial.ask("what?", |desk| {
            let found = Vector::new(Layer::Chunks, 50).run(desk).unwrap();
            let (items, _) = follow.run_traced(desk, found).unwrap();
            let scores = items.iter().map(|item| item.score.value);
            called(desk, &items).into_iter().zip(scores).collect()
        })
    }

    /// Texts that have nothing to do with others, so that what a few say is rare.
    fn others(trial: &Trial) {
        for number in 0..12 {
            let text = format!("# Other{number}\n\nFiller{number} 0.0\n");
            trial.put(&format!("other{number}"), 2020, &text, &[]);
        }
    }

    fn score(all: &[(String, f32)], name: &str) -> f32 {
        all.iter().find(|(known, _)| known == name).unwrap().1
    }

    #[test]
    fn one_link_is_as_good_as_many() {
        let trial = Trial::new();
        trial.put("a", 2020, "# Near\n\nFirst of the Old Mill 0.8\n", &[]);
        trial.put("b", 2020, "# Nearer\n\nSecond of the Old Mill 0.9\n", &[]);
        trial.put("m", 2020, "# Old Mill\n\nSix 0.1\n", &[]);
        others(&trial);
        let (one, both) = (
            lifted(&trial, Follow::new(1)),
            lifted(&trial, Follow::new(2)),
        );
        assert!(score(&one, "Six") > 0.2, "{one:?}");
        assert_eq!(score(&one, "Six"), score(&both, "Six"));
    }

    #[test]
    fn what_is_called_the_same_does_not_speak_of_it() {
        let trial = Trial::new();
        trial.put("a", 2020, "# Old Mill\n\nMany know the Old Mill 0.9\n", &[]);
        trial.put("b", 2020, "# Old Mill\n\nSix 0.1\n", &[]);
        others(&trial);
        let found = lifted(&trial, Follow::new(1));
        assert!((score(&found, "Six") - 0.1).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn what_very_many_mention_ties_no_two_together() {
        let said = [("Basalt", "rests on", "Granite")];
        let with = |count: usize| {
            let trial = Trial::new();
            others(&trial);
            for number in 0..count {
                let near = if number == 0 { "0.9" } else { "0.1" };
                let text = format!("# N{number}\n\nT{number} Basalt and Granite {near}\n");
                trial.put(&number.to_string(), 2020, &text, &said);
            }
            score(&lifted(&trial, Follow::new(1)), "T1")
        };
        let (few, many) = (with(4), with(MOST_MENTIONS as usize + 1));
        assert!(few > 0.101 && (many - 0.1).abs() < 1e-3, "{few} {many}");
    }

    #[test]
    fn what_is_not_there_for_the_question_is_not_followed_to() {
        let trial = Trial::new();
        let said = [("Basalt", "rests on", "Granite")];
        trial.put("a", 2020, "# A\n\nFirst Basalt and Granite 0.9\n", &said);
        trial.put("b", 2020, "# B\n\nGone Basalt and Granite 0.1\n", &said);
        trial.put("c", 2020, "# C\n\nElse 0.2\n", &[]);
        trial.ask_without(("what?", "Gone"), |desk| {
            let found = Vector::new(Layer::Chunks, 9).run(desk).unwrap();
            let items = Follow::new(1).run(desk, found).unwrap();
            assert_eq!(called(desk, &items), ["First", "Else"]);
        });
    }
}
