//! What stands in for models: an extractor that reads the lines that `program.rs` writes, and an embedder of letters.

use std::sync::atomic::{AtomicU64, Ordering};

use stratigraph_models::{Embedder, ModelError, Rows};
use stratigraph_rag::build::Told;
use stratigraph_rag::chunk::Piece;
use stratigraph_rag::extract::{Chain, Domain, Entity, Extracted, Triple};

/// What a piece of a document says.
#[must_use]
pub fn extracted(text: &str, piece: &Piece) -> Extracted {
    let mut extracted = Extracted::default();
    let mut at = piece.span.start;
    for line in text.split('\n') {
        read(line, at, &mut extracted);
        at += line.len() + 1;
    }
    extracted
}

/// The triples of a list, and what it says of their ends.
#[must_use]
pub fn told(lines: &[String]) -> Vec<Told> {
    let told = lines.iter().flat_map(|line| {
        let mut said = Extracted::default();
        read(line, 0, &mut said);
        let entities = said.entities;
        said.triples.into_iter().map(move |triple| Told {
            triple,
            entities: entities.clone(),
            ..Told::default()
        })
    });
    told.collect()
}

fn read(line: &str, at: usize, to: &mut Extracted) {
    let parts =
        |by: &str| -> Vec<String> { line.split(by).map(|part| part.trim().to_owned()).collect() };
    match (
        parts("|").as_slice(),
        parts(":").as_slice(),
        parts(">").as_slice(),
    ) {
        ([subject, predicate, object, source], ..) => to.triples.push(Triple {
            subject: subject.clone(),
            predicate: predicate.clone(),
            object: object.clone(),
            description: format!("{} letters", line.len() / 4),
            source: source.clone(),
        }),
        (_, [name, kind, description], _) => to.entities.push(Entity {
            name: name.clone(),
            kind: Some(kind.clone()).filter(|kind| !kind.is_empty()),
            description: description.clone(),
            sentences: std::iter::once(at..at + line.len()).collect(),
        }),
        (.., [domains @ .., object]) if !domains.is_empty() => to.chains.push(Chain {
            domains: domains.iter().map(|domain| read_domain(domain)).collect(),
            object: object.clone(),
            description: String::new(),
        }),
        _ => {}
    }
}

fn read_domain(text: &str) -> Domain {
    let (name, description) = text.split_once('(').unwrap_or((text, ""));
    Domain {
        name: name.trim().to_owned(),
        description: description.trim_end_matches(')').to_owned(),
    }
}

/// An embedder of letters, which counts what it is asked and can be told to fail.
#[derive(Debug, Default)]
pub struct Letters {
    texts: AtomicU64,
    fails: AtomicU64,
}

impl Letters {
    /// How many texts it was asked for.
    pub fn texts(&self) -> u64 {
        self.texts.load(Ordering::Relaxed)
    }

    /// Lets it fail so many times from now on.
    pub fn fail(&self, times: u64) {
        self.fails.store(times, Ordering::Relaxed);
    }
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        4
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let left = self.fails.load(Ordering::Relaxed);
        if left > 0 {
            self.fails.store(left - 1, Ordering::Relaxed);
            return Err(ModelError::BadTraining);
        }
        self.texts.fetch_add(texts.len() as u64, Ordering::Relaxed);
        let mut rows = Rows::zeros(texts.len(), self.dimensions())?;
        for (text, row) in texts.iter().zip(rows.iter_mut()) {
            for (place, byte) in text.bytes().enumerate() {
                row[place % 4] += f32::from(byte);
            }
            row[0] += 1.0;
        }
        Ok(rows)
    }
}
