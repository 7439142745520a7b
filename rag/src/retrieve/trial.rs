//! What the tests of operators share: documents whose texts say how near they are to any question.

use std::sync::Arc;

use roaring::RoaringTreemap;
use stratigraph::{Database, NodeId, Read, ReadTxn, Value};
use stratigraph_models::Placed;

use super::{Desk, Item, Question};
use crate::build::{Contribution, Layers, Profile};
use crate::chunk::{Chunker, Chunking, Words};
use crate::extract::model::Relevance;
use crate::extract::{Extracted, Triple};
use crate::read::{Format, Source};

/// The cosine of a text and any question is the last number of the text that can be one; 0 if it has none.
fn dial() -> Placed {
    let dial = Placed::by("dial", |text| {
        let words = text.split(|sign: char| !(sign.is_ascii_digit() || "-.".contains(sign)));
        let mut numbers = words.filter_map(|word| word.trim_matches('.').parse::<f32>().ok());
        let cosine = numbers.rfind(|number| number.abs() <= 1.0);
        let cosine = cosine.unwrap_or(0.0);
        Ok([cosine, (1.0 - cosine * cosine).sqrt()])
    });
    dial.questions([1.0, 0.0])
}

/// A database that documents are put into.
pub(super) struct Trial {
    db: Database,
    layers: Layers,
}

impl Trial {
    pub(super) fn new() -> Self {
        let db = Database::in_memory().unwrap();
        let profile = Profile::all().filterable(["year"]);
        let layers = Layers::open(&db, profile, Arc::new(dial())).unwrap();
        Self { db, layers }
    }

    /// Puts a text of Markdown in. Each triple is said by the first chunk that has its first word.
    pub(super) fn put(&self, id: &str, year: i64, text: &str, said: &[(&str, &str, &str)]) {
        let metadata = [("year".to_owned(), year.into())].into();
        let source = Source::new(id, text.as_bytes()).metadata(metadata);
        let document = source.read(Format::Markdown).unwrap();
        let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
        let mut extracted = vec![Extracted::default(); pieces.len()];
        for (subject, predicate, object) in said {
            let says = |text: &str| text.contains(subject) && text.contains(object);
            let place = pieces.iter().position(|piece| says(piece.text(&document)));
            extracted[place.unwrap()].triples.push(Triple {
                subject: (*subject).into(),
                predicate: (*predicate).into(),
                object: (*object).into(),
                ..Triple::default()
            });
        }
        let profile = self.layers.profile();
        let contribution = Contribution::new(&document, &pieces, &extracted, profile).unwrap();
        self.layers.upsert(&contribution).unwrap();
    }

    pub(super) fn ask<T>(&self, text: &str, with: impl FnOnce(&Desk<'_, ReadTxn>) -> T) -> T {
        self.ask_for(&Question::new(text).unwrap(), with)
    }

    /// The same as if the chunks whose texts begin so were not there.
    pub(super) fn ask_without<T>(
        &self,
        (text, beginning): (&str, &str),
        with: impl FnOnce(&Desk<'_, ReadTxn>) -> T,
    ) -> T {
        let (question, read) = (Question::new(text).unwrap(), self.db.read().unwrap());
        let dial = dial();
        let desk = Desk::new(&read, &dial, &question);
        let gone = chunks_called(&desk, beginning);
        assert!(!gone.is_empty(), "nothing begins with {beginning}");
        with(&desk.without(gone))
    }

    /// The same with a model that says what is about the question.
    pub(super) fn ask_judged<T>(
        &self,
        text: &str,
        relevance: &Relevance,
        with: impl FnOnce(&Desk<'_, ReadTxn>) -> T,
    ) -> T {
        let (question, read) = (Question::new(text).unwrap(), self.db.read().unwrap());
        with(&Desk::new(&read, &dial(), &question).with_relevance(relevance))
    }

    pub(super) fn ask_for<T>(
        &self,
        question: &Question,
        with: impl FnOnce(&Desk<'_, ReadTxn>) -> T,
    ) -> T {
        let read = self.db.read().unwrap();
        with(&Desk::new(&read, &dial(), question))
    }
}

/// The chunks of a desk whose texts begin so.
pub(super) fn chunks_called<R: Read>(desk: &Desk<'_, R>, beginning: &str) -> RoaringTreemap {
    let chunks = desk.read().nodes_with_label("Chunk").unwrap();
    let begins = |id: &u64| {
        let text = desk.read().property(NodeId::new(*id), "text").unwrap();
        text.as_str()
            .is_some_and(|text| text.starts_with(beginning))
    };
    chunks.into_iter().filter(begins).collect()
}

/// What items are called: their titles, names or predicates, or else the first word of their texts.
pub(super) fn called<R: Read>(desk: &Desk<'_, R>, items: &[Item]) -> Vec<String> {
    let called = |item: &Item| {
        let of = |property| match desk.read().property(item.entity, property).unwrap() {
            Value::String(text) if !text.is_empty() => Some(text.to_string()),
            _ => None,
        };
        let first = |text: String| text.split(' ').next().map(str::to_owned);
        let text = || of("text").and_then(first);
        of("title")
            .or_else(|| of("name"))
            .or_else(|| of("predicate"))
            .or_else(text)
            .unwrap()
    };
    items.iter().map(called).collect()
}
