//! Questions made from a graph: a labelled set out of facts, after the patterns of `EmPULIA`.
//!
//! | kind | what it asks of |
//! |---|---|
//! | `isolated` | a fact whose ends are in no other |
//! | `single_hop` | the only fact that leads from its subject |
//! | `two_hop` | a fact, and the only one that leads from its object |
//! | `hubs` | all facts of one of the things that most of them name |
//! | `out_of_domain` | nothing that the graph has |
//!
//! The same graph, seed and counts give the same questions, whatever ids the graph has. Where the words come from is in
//! `words.rs`; a model may find better ones (`phrase.rs`). `users.rs` has TagRAG's way, which needs a model: people, their tasks, and
//! what they ask.

mod pattern;
mod phrase;
mod users;
mod words;
mod write;

use std::collections::BTreeSet;

use stratigraph::Read;

use super::set::FactRow;
use crate::retrieve::RetrieveError;
use pattern::{Graph, Stated};
pub use phrase::Phrased;
pub use users::{Posing, UserSet, described};
use words::Words;

/// How questions are made.
///
/// ```
/// use stratigraph::Database;
/// use stratigraph_rag::door::{Equipment, Incoming, Library, Wanted};
/// use stratigraph_rag::evaluate::Making;
/// use stratigraph_rag::ingest::System;
///
/// let db = Database::in_memory()?;
/// let open = Library::new(&db, Equipment::default()).create(&Wanted::new(System::Triples))?;
/// let facts = r#"{"subject": "Basalt", "relation": "was", "object": "lava", "source": "p. 7"}"#;
/// let list = Incoming {
///     id: "facts.jsonl".to_owned(),
///     bytes: facts.as_bytes().to_vec(),
///     format: None,
///     metadata: Default::default(),
/// };
/// open.upsert(list, &Default::default(), &|_| ())?;
///
/// let made = Making { sample: 1.0, ..Making::default() }.run(&db.read()?)?;
/// assert_eq!(made.questions[0].text, "“Basalt” was what?");
/// assert_eq!((made.questions[0].kind, made.questions[0].answer.as_str()), ("isolated", "lava"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Making {
    /// Where chance begins.
    pub seed: u64,
    /// So many questions of each kind that asks of one fact or two, at most.
    pub each: usize,
    /// Which share of the places where a pattern holds is looked at.
    pub sample: f64,
    /// Of so many things, those that most facts name, everything is asked, each twice.
    pub hubs: usize,
    /// So many questions that the graph does not answer, at most.
    pub out_of_domain: usize,
}

impl Default for Making {
    /// As the authors of `EmPULIA` made theirs.
    fn default() -> Self {
        Self {
            seed: 0,
            each: 8,
            sample: 0.1,
            hubs: 3,
            out_of_domain: 6,
        }
    }
}

/// A question that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeQuestion {
    /// Of which kind it is.
    pub kind: &'static str,
    /// It.
    pub text: String,
    /// What is right, in short; empty where that is no one thing.
    pub answer: String,
    /// The names of the facts that answer it; none if nothing does.
    pub gold: Vec<String>,
}

/// How many places of a pattern there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The kind of question.
    pub kind: &'static str,
    /// Where the pattern holds.
    pub places: usize,
    /// How many of those chance has kept.
    pub sampled: usize,
    /// How many became questions.
    pub questions: usize,
}

/// A set of questions with the facts that they are of.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// All facts of the graph.
    pub facts: Vec<FactRow>,
    /// The questions.
    pub questions: Vec<MadeQuestion>,
    /// How they came about, kind by kind.
    pub counted: Vec<Counted>,
}

impl Making {
    /// Makes questions of the facts of a snapshot.
    ///
    /// # Errors
    /// What the database says.
    pub fn run<R: Read>(&self, read: &R) -> Result<Made, RetrieveError> {
        let graph = Graph::read(read)?;
        let words = Words::of(&graph);
        let mut made = Made {
            facts: graph.facts.iter().map(Stated::row).collect(),
            questions: Vec::new(),
            counted: Vec::new(),
        };
        let mut used = BTreeSet::new();
        let single = |fact: &usize, random: &mut fastrand::Rng| {
            let fact = &graph.facts[*fact];
            (words.single(fact, random), fact.object.clone())
        };
        let isolated = graph.isolated();
        self.add(&mut made, "isolated", isolated, &mut used, single);
        let single_hop = graph.single_hop();
        self.add(&mut made, "single_hop", single_hop, &mut used, single);
        // Two facts are not to be asked one by one as well.
        let two_hop = graph.two_hop();
        let mut random = self.random("two_hop");
        let sampled = self.sampled(two_hop.len(), &mut random);
        let mut count = 0;
        for place in sampled.iter().take(self.each) {
            let (first, second) = two_hop[*place];
            let (first, second) = (&graph.facts[first], &graph.facts[second]);
            made.questions.push(MadeQuestion {
                kind: "two_hop",
                text: words.two(first, second, &mut random),
                answer: second.object.clone(),
                gold: vec![first.key.clone(), second.key.clone()],
            });
            count += 1;
        }
        made.count("two_hop", two_hop.len(), sampled.len(), count);
        let hubs = graph.hubs(self.hubs);
        for (name, facts) in &hubs {
            for text in words.hub(name) {
                made.questions.push(MadeQuestion {
                    kind: "hubs",
                    text,
                    answer: String::new(),
                    gold: facts
                        .iter()
                        .map(|fact| graph.facts[*fact].key.clone())
                        .collect(),
                });
            }
        }
        made.count("hubs", hubs.len(), hubs.len(), 2 * hubs.len());
        let mut foreign = words.out_of_domain(&graph);
        let places = foreign.len();
        self.random("out_of_domain").shuffle(&mut foreign);
        foreign.truncate(self.out_of_domain);
        made.count("out_of_domain", places, places, foreign.len());
        made.questions
            .extend(foreign.into_iter().map(|text| MadeQuestion {
                kind: "out_of_domain",
                text: text.to_owned(),
                answer: String::new(),
                gold: Vec::new(),
            }));
        Ok(made)
    }

    /// Questions of one fact each, of which none was asked before.
    fn add(
        &self,
        made: &mut Made,
        kind: &'static str,
        mut places: Vec<usize>,
        used: &mut BTreeSet<usize>,
        of: impl Fn(&usize, &mut fastrand::Rng) -> (String, String),
    ) {
        places.retain(|fact| !used.contains(fact));
        let mut random = self.random(kind);
        let sampled = self.sampled(places.len(), &mut random);
        let mut count = 0;
        for place in sampled.iter().take(self.each) {
            let fact = places[*place];
            used.insert(fact);
            let (text, answer) = of(&fact, &mut random);
            let gold = vec![made.facts[fact].id.clone()];
            made.questions.push(MadeQuestion {
                kind,
                text,
                answer,
                gold,
            });
            count += 1;
        }
        made.count(kind, places.len(), sampled.len(), count);
    }

    /// Chance of its own for each kind, so that more questions of one kind change none of another.
    fn random(&self, kind: &str) -> fastrand::Rng {
        let kind = kind.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        fastrand::Rng::with_seed(self.seed ^ kind)
    }

    /// The places that chance keeps, in the order in which they are taken.
    fn sampled(&self, places: usize, random: &mut fastrand::Rng) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..places).filter(|_| random.f64() < self.sample).collect();
        random.shuffle(&mut kept);
        kept
    }
}

impl Made {
    fn count(&mut self, kind: &'static str, places: usize, sampled: usize, questions: usize) {
        self.counted.push(Counted {
            kind,
            places,
            sampled,
            questions,
        });
    }
}

#[cfg(test)]
mod tests;
