//! Documents with instructions for the model in them, and a model that obeys: whatever it writes, nothing
//! comes out that may not. What comes into a database of it is tried in `door/tests/hostile.rs`.

use super::super::reply::{
    DEEPEST_CHAIN, LONGEST_NAME, LONGEST_SUMMARY, LONGEST_TEXT, MOST_ENTITIES, MOST_TRIPLES,
    clean_name,
};
use super::super::{
    CallCache, Domain, Extractor, MemoryCache, OpenDocument, Reading, Summariser, SummaryOf,
};
use super::*;
use crate::Document;
use crate::build::canonical;
use crate::chunk::Piece;
use crate::read::{Format, Source};
use std::sync::Arc;
use stratigraph_models::{Recorded, Request, Schema};

mod documents;

use documents::HARMLESS;
pub(crate) use documents::{ELSEWHERE, ORDERS, documents, obey};

fn root() -> Domain {
    Domain {
        name: "All disciplines".to_owned(),
        description: "Whatever there is.".to_owned(),
    }
}

fn is_clean(text: &str, most: usize) -> bool {
    let signs = text
        .chars()
        .all(|sign| !sign.is_control() && !matches!(sign, '\u{200B}' | '\u{202E}' | '\u{E0041}'));
    // One more for the sign that says that it was cut.
    signs && text.chars().count() <= most + 1 && !text.to_lowercase().contains("evil")
}

/// All that must be true of what comes out, whatever the model wrote.
fn check(extracted: &Extracted, reading: &Reading<'_>, shown: &str) {
    let ground = ground(reading);
    assert!(
        extracted.entities.len() <= MOST_ENTITIES && extracted.triples.len() <= MOST_TRIPLES,
        "{shown}"
    );
    for entity in &extracted.entities {
        assert_eq!(
            clean_name(&entity.name).as_ref(),
            Some(&entity.name),
            "{shown}"
        );
        assert!(ground.says(&entity.name), "{shown}: {}", entity.name);
        assert!(
            is_clean(&entity.name, LONGEST_NAME) && is_clean(&entity.description, LONGEST_TEXT),
            "{shown}: {entity:?}"
        );
        assert!(
            entity.kind.iter().all(|kind| is_clean(kind, LONGEST_NAME)),
            "{shown}"
        );
        for span in &entity.sentences {
            let piece = &reading.piece().span;
            assert!(
                piece.start <= span.start && span.end <= piece.end,
                "{shown}"
            );
            assert!(
                reading.document().text().get(span.clone()).is_some(),
                "{shown}"
            );
        }
    }
    let is_entity = |name: &String| extracted.entities.iter().any(|entity| entity.name == *name);
    for triple in &extracted.triples {
        assert!(
            is_entity(&triple.subject) && is_entity(&triple.object),
            "{shown}: {triple:?}"
        );
        assert_ne!(canonical(&triple.subject), canonical(&triple.object));
        assert!(
            is_clean(&triple.predicate, LONGEST_NAME),
            "{shown}: {triple:?}"
        );
        for text in [&triple.description, &triple.source] {
            assert!(is_clean(text, LONGEST_TEXT), "{shown}: {text}");
        }
    }
    for chain in &extracted.chains {
        assert!(
            is_entity(&chain.object) && chain.domains.first() == Some(&root()),
            "{shown}: {chain:?}"
        );
        assert!(chain.domains.len() <= DEEPEST_CHAIN + 1, "{shown}");
        let mut names: Vec<String> = chain
            .domains
            .iter()
            .map(|domain| canonical(&domain.name))
            .collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), chain.domains.len(), "{shown}: {chain:?}");
        for domain in &chain.domains {
            assert!(
                is_clean(&domain.name, LONGEST_NAME) && is_clean(&domain.description, LONGEST_TEXT),
                "{shown}"
            );
        }
    }
    let all = format!("{extracted:?}").to_lowercase();
    for name in ELSEWHERE {
        assert!(
            !all.contains(&name.to_lowercase()),
            "{shown}: {name} came out"
        );
    }
}

/// All of it as one piece, the order included.
fn piece_of(document: &Document) -> Piece {
    Piece {
        section: 1,
        span: 0..document.text().len(),
        carried: None,
        part: (1, 1),
    }
}

#[test]
fn two_hundred_documents_that_give_orders_get_nothing_out() {
    let documents = documents();
    assert!(documents.len() >= 200);
    let (mut refused, mut kept) = (0, 0);
    for (text, order) in &documents {
        let document = Source::new("hostile.md", text.as_bytes())
            .read(Format::Markdown)
            .unwrap();
        let open = OpenDocument::new(&document);
        let piece = piece_of(&document);
        let reading = Reading::new(&open, &piece);
        let cache = Arc::new(MemoryCache::default());
        let model = Arc::new(Recorded::by(|request| {
            let task = request.schema.as_ref().map_or("", Schema::name);
            let message = &request.messages[1].text;
            Some(obey(task, message, "https://evil.example/"))
        }));
        let calls = Calls::new(
            Arc::clone(&model) as _,
            Arc::clone(&cache) as Arc<dyn CallCache>,
        );
        let typed = Typed::new(calls.clone());
        let extractors: [&dyn Extractor; 4] = [
            &Bag::new(calls.clone()),
            &Triples::new(calls.clone()),
            &typed,
            &Tags::new(calls.clone(), root()),
        ];
        for extractor in extractors {
            let shown = format!("{} for {text:?}", extractor.version());
            match extractor.extract(&reading) {
                Err(ExtractError::Model { source, .. }) => {
                    assert!(
                        matches!(*source, ModelError::BadReply { .. }),
                        "{shown}: {source}"
                    );
                    assert!(!HARMLESS.contains(order), "{shown}: {source}");
                    refused += 1;
                }
                Err(error) => panic!("{shown}: {error}"),
                Ok(outcome) => {
                    check(&outcome.extracted, &reading, &shown);
                    if HARMLESS.contains(order) {
                        assert!(
                            outcome.extracted.entities.len() >= 2,
                            "{shown}: {:?}",
                            outcome.extracted
                        );
                        assert!(!outcome.extracted.triples.is_empty(), "{shown}");
                    }
                    if std::ptr::addr_eq(extractor, &raw const typed) {
                        let allowed = |triple: &super::super::Triple| {
                            Typed::VERBS.contains(&&*triple.predicate)
                        };
                        assert!(outcome.extracted.triples.iter().all(allowed), "{shown}");
                    }
                    kept += 1;
                }
            }
        }
        let summaries = Summaries::new(calls);
        let of = SummaryOf::Entity {
            name: "Report",
            descriptions: &[text],
        };
        if let Ok(summary) = summaries.summarise(&of) {
            assert!(
                is_clean(&summary.text, LONGEST_SUMMARY),
                "{text:?}: {}",
                summary.text
            );
        }
        fences_hold(&model.asked(), text);
    }
    // Neither of the two is what always happens.
    assert!(
        refused > 200 && kept > 200,
        "{refused} refused, {kept} kept"
    );
}

/// Every text is between two lines with a mark that no text has, and nothing of it is in the instructions.
fn fences_hold(asked: &[Request], text: &str) {
    for request in asked {
        assert!(!request.messages[0].text.contains("order-"), "{text:?}");
        let message = &request.messages[1].text;
        let mark = message.lines().next().unwrap_or_default();
        let hex = mark
            .split(|sign: char| !sign.is_ascii_hexdigit())
            .find(|word| word.len() == 16);
        let hex = hex.unwrap_or_else(|| panic!("no mark in {mark:?}"));
        let mut within = false;
        for line in message.lines().skip(1) {
            if !within && line.starts_with("<<") && line.ends_with(&format!(" {hex}>>")) {
                within = true;
            } else if within && line == format!("<<end {hex}>>") {
                within = false;
            } else {
                assert!(
                    within || !line.contains("order-"),
                    "{line:?} is outside of {message:?}"
                );
                assert!(!within || !line.contains(hex));
            }
        }
        assert!(!within, "{message}");
    }
}
