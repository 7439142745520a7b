//! A layered graph that nobody wrote, and vectors that lie together where texts are about the same.

use crate::measure::seeded::rng_of;
use anyhow::Result;
use fastrand::Rng;
use std::fmt::Write as _;
use stratigraph_models::{Embedder, ModelError, Rows};
use stratigraph_rag::Metadata;
use stratigraph_rag::build::{Contribution, Profile};
use stratigraph_rag::chunk::{Chunker, Chunking, Words};
use stratigraph_rag::extract::{Chain, Domain, Entity, Extracted, Triple};
use stratigraph_rag::read::{Format, Source};

/// The numbers of a graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) chunks: usize,
    pub(super) entities: usize,
    pub(super) topics: usize,
}

impl Size {
    /// For each five chunks one entity, as the issue has it; for each chunk three mentions and two facts. Documents are whole.
    pub(super) fn of(chunks: usize) -> Self {
        let chunks = chunks.next_multiple_of(SECTIONS * PARAGRAPHS);
        Self {
            chunks,
            entities: chunks / 5,
            topics: (chunks / 500).clamp(20, 2000),
        }
    }

    pub(super) fn documents(&self) -> usize {
        self.chunks / (SECTIONS * PARAGRAPHS)
    }

    /// Of so many years documents are, in turn.
    fn years(&self) -> usize {
        self.chunks.div_ceil(MOST_OF_A_YEAR).max(LEAST_YEARS)
    }

    fn year(&self, number: usize) -> i64 {
        2019 + (number % self.years()) as i64
    }
}

/// Sections of a document, and paragraphs of a section, each of which is a chunk.
const SECTIONS: usize = 10;
const PARAGRAPHS: usize = 10;
/// Words of a paragraph: two of them are more than a chunk may have.
const WORDS: usize = 60;
const LONGEST: usize = 90;
/// Documents are of so many years at least,
const LEAST_YEARS: usize = 5;
/// and of more where a year would have more chunks: who names a property of more than 50,000 has none of them lifted.
const MOST_OF_A_YEAR: usize = 40_000;
/// The property by which chunks can be chosen.
pub(super) const YEAR: &str = "year";
/// Domains between the root and the fields.
const AREAS: usize = 40;

/// Documents one after the other.
pub(super) struct Content {
    size: Size,
    rng: Rng,
    number: usize,
}

impl Content {
    pub(super) fn new(size: Size, seed: u64) -> Self {
        Self {
            size,
            rng: Rng::with_seed(seed),
            number: 0,
        }
    }

    /// What the next document contributes.
    pub(super) fn next(&mut self, profile: &Profile) -> Result<Contribution> {
        let number = self.number;
        self.number += 1;
        let topic = self.rng.usize(..self.size.topics);
        let mut text = format!("# Report {number}\n\n");
        let mut named: Vec<[usize; 3]> = Vec::new();
        for section in 0..SECTIONS {
            let _ = writeln!(text, "## Part {section} of t{topic}\n");
            for _ in 0..PARAGRAPHS {
                // Most of a document is about one thing, and some of it about others.
                let about = match self.rng.u8(..4) {
                    0 => self.rng.usize(..self.size.topics),
                    _ => topic,
                };
                let names = [(); 3].map(|()| self.entity());
                let _ = write!(text, "t{about} ");
                for word in 0..WORDS {
                    match (word % 20, names.get(word / 20)) {
                        (10, Some(name)) => _ = write!(text, "{} ", entity_name(*name)),
                        _ => _ = write!(text, "w{} ", self.word()),
                    }
                }
                text.push_str("\n\n");
                named.push(names);
            }
        }
        let id = format!("{number:07}.md");
        let source = Source::new(&id, text.as_bytes());
        let year = self.size.year(number);
        let source = source.metadata(Metadata::from([(YEAR.to_owned(), year.into())]));
        let document = source.read(Format::Markdown)?;
        let pieces = Chunker::new(Chunking::Structure { limit: LONGEST }, &Words).pieces(&document);
        anyhow::ensure!(pieces.len() == named.len(), "a paragraph is a chunk");
        let mut extracted: Vec<Extracted> =
            named.iter().map(|names| self.extracted(names)).collect();
        if let Some(first) = extracted.first_mut() {
            first.chains = vec![chain(topic, &named[0])];
        }
        Ok(Contribution::new(&document, &pieces, &extracted, profile)?)
    }

    fn extracted(&mut self, names: &[usize; 3]) -> Extracted {
        let [one, two, three] = names.map(entity_name);
        let entity = |name: &String| Entity {
            name: name.clone(),
            kind: None,
            description: String::new(),
            sentences: Vec::new(),
        };
        let mut fact = |subject: &str, object: &str| Triple {
            subject: subject.to_owned(),
            predicate: format!("relates to {}", self.rng.u16(..500)),
            object: object.to_owned(),
            ..Triple::default()
        };
        Extracted {
            triples: vec![fact(&one, &two), fact(&two, &three)],
            entities: [&one, &two, &three].map(entity).into(),
            ..Extracted::default()
        }
    }

    /// Few are named often, and most seldom.
    fn entity(&mut self) -> usize {
        skewed(&mut self.rng, self.size.entities)
    }

    fn word(&mut self) -> usize {
        skewed(&mut self.rng, 50_000)
    }

    /// A question about a topic that names two entities.
    pub(super) fn question(&mut self) -> String {
        let topic = self.rng.usize(..self.size.topics);
        let names = [(); 2].map(|()| entity_name(self.entity()));
        let words = [(); 4].map(|()| format!("w{}", self.word()));
        format!(
            "t{topic} what of {} and {} in {}?",
            names[0],
            names[1],
            words.join(" ")
        )
    }

    /// The same question, of the year of a document. No text has it as a word.
    pub(super) fn of_year(&self, question: &str, number: usize) -> String {
        let year = self.size.year(number);
        format!("{} of {year}?", question.trim_end_matches('?'))
    }
}

fn skewed(rng: &mut Rng, count: usize) -> usize {
    let share = rng.f64();
    ((share * share * share * count as f64) as usize).min(count - 1)
}

fn entity_name(number: usize) -> String {
    format!("Entity{number}")
}

/// From the root to the field of a topic.
fn chain(topic: usize, names: &[usize; 3]) -> Chain {
    let domain = |name: String| Domain {
        description: format!("t{topic} {name}"),
        name,
    };
    Chain {
        domains: vec![
            domain("All".into()),
            domain(format!("Area {}", topic % AREAS)),
            domain(field(topic)),
        ],
        object: entity_name(names[0]),
        description: String::new(),
    }
}

/// The domain of a topic.
pub(super) fn field(topic: usize) -> String {
    format!("Field {topic}")
}

/// Texts of one topic lie around one point: the first word of the kind `t12` says which. The rest of the text says where.
pub(super) struct Topics {
    pub(super) dimensions: usize,
}

/// How far texts lie from the point of their topic, beside its own length.
const SPREAD: f32 = 0.8;

impl Embedder for Topics {
    fn name(&self) -> &str {
        "topics"
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), self.dimensions)?;
        for (text, row) in texts.iter().zip(rows.iter_mut()) {
            let is_topic = |word: &&str| {
                word.strip_prefix('t')
                    .is_some_and(|number| number.parse::<u32>().is_ok())
            };
            let topic = text.split_whitespace().rfind(is_topic).unwrap_or_default();
            let mut centre = rng_of(topic);
            let mut own = rng_of(text);
            for number in row.iter_mut() {
                *number = centre.f32() - 0.5 + SPREAD * (own.f32() - 0.5);
            }
            let length = row.iter().map(|number| number * number).sum::<f32>().sqrt();
            row.iter_mut().for_each(|number| *number /= length);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_year_has_so_many_chunks_that_naming_it_lifts_none() {
        for (chunks, years) in [(20_000, 5), (200_000, 5), (1_000_000, 25)] {
            let size = Size::of(chunks);
            let all: std::collections::BTreeSet<i64> = (0..size.documents())
                .map(|number| size.year(number))
                .collect();
            assert_eq!(all.len(), years);
            assert!(chunks / years <= MOST_OF_A_YEAR);
        }
    }
}
