use std::sync::Arc;

use serde_json::json;
use stratigraph_models::Recorded;

use super::super::model::Triples;
use super::super::reply::LONGEST_TEXT;
use super::super::{Calls, MemoryCache, OpenDocument, Run};
use super::*;
use crate::Document;
use crate::chunk::{Characters, Chunker, Words};
use crate::read::{Format, Source};

const WIDE: Chunking = Chunking::Text {
    size: 160,
    overlap: 40,
};

/// Sentences of which each names two things that no other names.
fn document() -> Document {
    let text: String = (10..40)
        .map(|number| format!("Firm{number} buys Mine{number} soon. "))
        .collect();
    let source = Source::new("firms.md", text.as_bytes());
    source.read(Format::Markdown).unwrap()
}

/// Finds a fact in each whole sentence, and some that no sentence states.
fn model() -> Recorded {
    Recorded::by(|request| {
        let text = &request.messages.last()?.text;
        let mut triples = Vec::new();
        for number in 10..40 {
            if text.contains(&format!("Firm{number} buys Mine{number} ")) {
                let (firm, mine) = (format!("FIRM{number}"), format!("Mine{number}"));
                triples.push(
                    json!({"subject": firm, "relation": "buys", "object": mine, "source": ""}),
                );
                // Names that the text has in another form.
                triples.push(json!({"subject": "buyer soon", "relation": "is", "object": mine, "source": ""}));
            }
        }
        Some(json!({ "triples": triples }).to_string())
    })
}

#[test]
fn what_wide_pieces_say_is_said_by_the_narrow_ones_where_it_stands() {
    let document = document();
    let narrow = Chunking::Text {
        size: 70,
        overlap: 0,
    };
    let pieces = Chunker::new(narrow, &Characters).pieces(&document);
    let count = OpenDocument::new(&document).wide(WIDE).len() as u64;
    assert!(pieces.len() as u64 > count && count > 5);
    let model = Arc::new(model());
    let calls = Calls::new(Arc::clone(&model) as _, Arc::new(MemoryCache::default()));
    let wide = Wide::new(Triples::new(calls), WIDE);
    let documents = [(&document, pieces.as_slice())];
    let run = Run::new(&wide).threads(3);
    assert_eq!(run.estimate(&documents, &Words).unwrap().calls, count);
    let done = run.extract(&documents, &|_| {});
    let done = done[0].as_ref().unwrap();
    // Each was read once, however many narrow pieces it reaches into.
    assert_eq!(
        (done.cost.calls, model.asked().len() as u64),
        (count, count)
    );
    for (piece, said) in pieces.iter().zip(&done.pieces) {
        let text = piece.text(&document);
        let named = |name: &str| said.entities.iter().any(|entity| entity.name == name);
        for number in 10..40 {
            let (firm, mine) = (format!("FIRM{number}"), format!("Mine{number}"));
            let triples: Vec<_> = { said.triples.iter() }
                .filter(|triple| triple.object == mine && triple.subject == firm)
                .collect();
            // Once, where the sentence begins that says it, also where two wide pieces have it.
            let here = text.contains(&format!("Firm{number}"));
            assert_eq!(triples.len(), usize::from(here), "{number}: {text}");
            assert_eq!(named(&mine), text.contains(&mine), "{number}: {text}");
            assert!(!here || named(&firm), "{number}: {text}");
        }
    }
    let invented = done.pieces.iter().flat_map(|said| &said.triples);
    let invented = invented.filter(|triple| triple.predicate == "is").count();
    assert!(invented >= 30, "{invented}");
    let again = run.estimate(&documents, &Words).unwrap();
    assert_eq!((again.calls, again.kept), (0, count));
}

/// Calls one thing in two ways, from piece to piece, and says something else of it each time.
struct ByTurns;

impl Extractor for ByTurns {
    fn version(&self) -> &str {
        "by-turns"
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        let part = reading.piece().part.0;
        let name = if part % 2 == 1 { "Straße" } else { "STRASSE" };
        let entity = Entity {
            name: name.to_owned(),
            description: format!("{part:0>300}"),
            ..Entity::default()
        };
        Ok(Outcome {
            extracted: Extracted {
                entities: vec![entity],
                ..Extracted::default()
            },
            ..Outcome::default()
        })
    }
}

#[test]
fn what_several_wide_pieces_name_is_one_thing_and_what_they_say_of_it_has_an_end() {
    let document = document();
    let narrow = Chunking::Text {
        size: 10_000,
        overlap: 0,
    };
    let pieces = Chunker::new(narrow, &Characters).pieces(&document);
    assert_eq!(pieces.len(), 1);
    let open = OpenDocument::new(&document);
    assert!(open.wide(WIDE).len() > 4);
    let reading = Reading::new(&open, &pieces[0]);
    let said = Wide::new(ByTurns, WIDE).extract(&reading).unwrap();
    let entities = said.extracted.entities;
    assert_eq!(entities.len(), 1, "{entities:?}");
    assert_eq!(entities[0].name, "Straße");
    assert_eq!(entities[0].description.chars().count(), LONGEST_TEXT);
}

#[test]
fn a_wide_reader_has_a_version_of_its_own() {
    let calls = || Calls::new(Arc::new(model()), Arc::new(MemoryCache::default()));
    let narrow = Triples::new(calls());
    let versions = [160, 161].map(|size| {
        let chunking = Chunking::Text { size, overlap: 40 };
        Wide::new(Triples::new(calls()), chunking)
            .version()
            .to_owned()
    });
    assert_ne!(versions[0], versions[1]);
    assert!(versions[0].ends_with(narrow.version()));
}
