//! The model and the embedder of both sides. `peers/python/documents.py` has the twins of both.
//!
//! The model is a rule over texts, the vectors are made of a text's bytes: nothing is downloaded, both sides are told
//! the same, and the time that both take is known, so that it can be taken off.

use serde_json::{Value, json};
use std::collections::hash_map::{Entry, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use stratigraph_models::{Embedder, Generator, ModelError, Reply, Request, Role, Rows};
use stratigraph_rag::extract::model::Tags;
use stratigraph_rag::extract::{
    Entity, ExtractError, Extracted, Extractor, Outcome, Reading, Triple,
};

/// How many names of a chunk the model tells.
const MOST_NAMES: usize = 12;

/// How long both took, so far.
#[derive(Debug, Default)]
pub(super) struct Spent {
    nanos: AtomicU64,
    calls: AtomicU64,
}

impl Spent {
    fn take<T>(&self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        let nanos = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        done
    }

    pub(super) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }

    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

/// Tells the names in a text, each with the sentence that it is first in and with the name after it.
pub(super) struct Teller(pub(super) Arc<Spent>);

impl Generator for Teller {
    fn name(&self) -> &str {
        "names"
    }

    fn generate(&self, request: &Request) -> Result<Reply, ModelError> {
        self.0.take(|| {
            let question = request
                .messages
                .iter()
                .rfind(|message| message.role == Role::User)
                .map_or("", |message| message.text.as_str());
            // A chain is asked for by tag, and names by text.
            let reply = match (between(question, "tag"), between(question, "text")) {
                (Some(tag), _) => chain(tag),
                (None, text) => names(text.unwrap_or_default()),
            };
            Ok(Reply {
                text: reply.to_string(),
                ..Reply::default()
            })
        })
    }
}

/// What the model says of a text, without a question around it.
pub(super) struct Told(pub(super) Arc<Spent>);

impl Extractor for Told {
    fn version(&self) -> &str {
        "told-1"
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        let told = self.0.take(|| names(reading.text()));
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let all = |name: &str| told[name].as_array().into_iter().flatten();
        let entities = all("tags").map(|tag| Entity {
            name: text(tag, "name").to_uppercase(),
            kind: Some(text(tag, "kind")),
            description: text(tag, "description"),
            ..Entity::default()
        });
        let triples = all("relations").map(|relation| Triple {
            subject: text(relation, "source").to_uppercase(),
            predicate: Tags::RELATES.to_owned(),
            object: text(relation, "target").to_uppercase(),
            description: text(relation, "description"),
            ..Triple::default()
        });
        Ok(Outcome {
            extracted: Extracted {
                entities: entities.collect(),
                triples: triples.collect(),
                ..Extracted::default()
            },
            ..Outcome::default()
        })
    }
}

/// What a question has between the lines that begin and end its part `name`.
fn between<'a>(question: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = question.split_once(&format!("<<{name} "))?;
    let (_, rest) = rest.split_once(">>\n")?;
    rest.split_once("\n<<end ").map(|(part, _)| part)
}

fn names(text: &str) -> Value {
    let mut told: Vec<(&str, &str)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for sentence in text.split_inclusive(". ").map(str::trim) {
        let words = sentence.split(|sign: char| !sign.is_alphanumeric());
        for name in words.filter(|word| is_name(word)) {
            if told.len() == MOST_NAMES {
                break;
            }
            if let Entry::Vacant(place) = places.entry(name) {
                place.insert(told.len());
                told.push((name, sentence));
            }
        }
    }
    let tags: Vec<Value> = told
        .iter()
        .map(|(name, sentence)| json!({ "name": name, "kind": "concept", "description": sentence }))
        .collect();
    // The lesser name first: some libraries keep directions and some do not.
    let relations: Vec<Value> = told
        .windows(2)
        .map(|pair| {
            let (one, other) = (pair[0].0, pair[1].0);
            json!({ "source": one.min(other), "target": one.max(other), "description": pair[1].1 })
        })
        .collect();
    json!({ "tags": tags, "relations": relations })
}

/// A capital, small letters, digits.
fn is_name(word: &str) -> bool {
    let letters = word.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let mut signs = letters.chars();
    letters.len() < word.len()
        && signs.next().is_some_and(|sign| sign.is_ascii_uppercase())
        && letters.len() > 1
        && signs.all(|sign| sign.is_ascii_lowercase())
}

/// Two domains for a tag, by its number.
fn chain(tag: &str) -> Value {
    let digits = tag.chars().filter(char::is_ascii_digit).take(9);
    let number: u32 = digits.collect::<String>().parse().unwrap_or_default();
    let domain = |name: String| json!({ "name": name, "description": "What belongs together." });
    json!({
        "domains": [domain(format!("Field {}", number % 7)), domain(format!("Area {}", number % 101))],
        "link": "It is a part of it.",
    })
}

/// Rows that only the same bytes have in common.
pub(super) struct Stirred(pub(super) Arc<Spent>);

const DIMENSIONS: usize = 384;

impl Embedder for Stirred {
    fn name(&self) -> &str {
        "stirred"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn max_tokens(&self) -> usize {
        8192
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.0.take(|| {
            let mut rows = Rows::zeros(texts.len(), DIMENSIONS)?;
            for (text, row) in texts.iter().zip(rows.iter_mut()) {
                stir(text, row);
            }
            Ok(rows)
        })
    }
}

static STEPS: LazyLock<[u64; DIMENSIONS]> = LazyLock::new(|| {
    std::array::from_fn(|place| 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(place as u64 + 1))
});

fn stir(text: &str, row: &mut [f32]) {
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    });
    for (number, step) in row.iter_mut().zip(&*STEPS) {
        let mut stirred = hash.wrapping_add(*step);
        stirred = (stirred ^ (stirred >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        stirred = (stirred ^ (stirred >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        *number = (stirred >> 40) as f32 / (1 << 23) as f32 - 1.0;
    }
    let norm = row.iter().map(|number| number * number).sum::<f32>().sqrt();
    for number in row {
        *number /= norm;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_with_their_sentences() {
        let told = names("Of old, Kalo3 met Mira12. Kalo3 went on to Abo1, not to Kalo or K2.");
        let names: Vec<&str> = told["tags"].as_array().map_or(Vec::new(), |tags| {
            tags.iter().filter_map(|tag| tag["name"].as_str()).collect()
        });
        assert_eq!(names, ["Kalo3", "Mira12", "Abo1"]);
        assert_eq!(told["tags"][1]["description"], "Of old, Kalo3 met Mira12.");
        assert_eq!(told["relations"][1]["source"], "Abo1");
        assert_eq!(told["relations"][1]["target"], "Mira12");
    }
}
