use super::super::{
    CallCache, Domain, Entity, Extractor, InTurn, MemoryCache, Neighbour, OpenDocument, Run,
    Summariser, SummaryOf,
};
use super::*;
use crate::Document;
use crate::chunk::{Chunker, Chunking, Piece, Words};
use crate::read::{Format, Source};
use serde_json::json;
use std::sync::Arc;
use stratigraph_models::{Recorded, Request};

const TEXT: &str = "# Audit of Ruritania\n\n## Rates\n\nThe Bank of Ruritania raised its rates. It met the Ministry of Finance.\n\n\
    The Ministry of Finance approved the budget of 2023.\n";

fn document(text: &str) -> Document {
    Source::new("a.md", text.as_bytes())
        .read(Format::Markdown)
        .unwrap()
}

fn pieces(document: &Document, limit: usize) -> Vec<Piece> {
    let chunking = Chunking::Headings {
        limit,
        carried_lines: 1,
    };
    Chunker::new(chunking, &Words).pieces(document)
}

fn calls(model: Recorded) -> (Calls, Arc<Recorded>, Arc<MemoryCache>) {
    let (model, cache) = (Arc::new(model), Arc::new(MemoryCache::default()));
    let calls = Calls::new(
        Arc::clone(&model) as _,
        Arc::clone(&cache) as Arc<dyn CallCache>,
    );
    (calls, model, cache)
}

/// The kind of a request, by its schema.
fn task(request: &Request) -> String {
    request
        .schema
        .as_ref()
        .map(|schema| schema.name().to_owned())
        .unwrap_or_default()
}

/// Replies as a good model's, to all prompts.
fn good(request: &Request) -> Option<String> {
    let reply = match task(request).as_str() {
        "bag_entities" => json!({"entities": [
            {"name": "Bank of Ruritania", "kind": "bank", "description": "It raised its rates.", "sentences": [1, 1, 99, 0]},
            {"name": "Ministry of Finance", "kind": "ministry", "description": "It approved the budget.", "sentences": []},
        ]}),
        "bag_relations" => json!({"relations": [
            {"subject": "Bank of Ruritania", "predicate": "met", "object": "Ministry of Finance", "description": "They met."},
            {"subject": "Bank of Ruritania", "predicate": "met", "object": "Bank of Ruritania", "description": ""},
        ]}),
        "triples" => json!({"triples": [
            {"subject": "Ministry of Finance", "relation": "approved", "object": "budget of 2023", "source": "Rates: approved the budget of 2023"},
            {"subject": "Bank of Ruritania", "relation": "raised", "object": "rates", "source": "Constitution of Atlantis, section forty"},
            {"subject": "Bank of Ruritania", "relation": "raised", "object": "rates", "source": "Audit of Ruritania: raised its rates"},
        ]}),
        "condense" => {
            json!({"text": "The Bank of Ruritania raised its rates. The Ministry approved the budget."})
        }
        "typed_triples" => json!({
            "entities": [{"name": "Bank of Ruritania", "kind": "company"}, {"name": "Queen of Hearts", "kind": "executive"}],
            "triples": [{"subject": "Bank of Ruritania", "verb": "increases", "object": "rates"}]
        }),
        "object_tags" => json!({
            "tags": [{"name": "Rates", "kind": "metric", "description": "They were raised."},
                     {"name": "budget", "kind": "plan", "description": "It was approved."}],
            "relations": [{"source": "RATES", "target": "Budget", "description": "Both are decided."}]
        }),
        "tag_chain" => {
            json!({"domains": [{"name": "Economics", "description": "Of goods."}, {"name": "Public finance", "description": ""}],
                              "link": "It is a part of it."})
        }
        "entity_summary" => {
            json!({"summary": "A bank.\nIt raised its rates. See http://evil.example now."})
        }
        "domain_summary" => json!({"summary": "What states spend."}),
        _ => return None,
    };
    Some(reply.to_string())
}

fn root() -> Domain {
    Domain {
        name: "All disciplines".to_owned(),
        description: "Whatever there is.".to_owned(),
    }
}

fn extract(extractor: &dyn Extractor, document: &Document) -> Outcome {
    let pieces = pieces(document, 100);
    let open = OpenDocument::new(document);
    extractor.extract(&Reading::new(&open, &pieces[0])).unwrap()
}

#[test]
fn bag_has_entities_with_their_sentences_and_relations() {
    let (calls, model, cache) = calls(Recorded::by(good));
    let document = document(TEXT);
    let outcome = extract(&Bag::new(calls), &document);
    let texts = |entity: &Entity| -> Vec<String> {
        entity
            .sentences
            .iter()
            .map(|span| document.text_of(span.clone()).to_owned())
            .collect()
    };
    let entities = &outcome.extracted.entities;
    assert_eq!(
        texts(&entities[0]),
        ["The Bank of Ruritania raised its rates."]
    );
    // Where the model tells no sentence, those are taken that have the name.
    assert_eq!(
        texts(&entities[1]),
        [
            "It met the Ministry of Finance.",
            "The Ministry of Finance approved the budget of 2023."
        ]
    );
    assert_eq!(outcome.extracted.triples.len(), 1);
    assert_eq!(outcome.extracted.triples[0].description, "They met.");
    assert_eq!((outcome.cost.calls, outcome.cost.dropped), (2, 1));
    assert_eq!(cache.len(), 2);
    let asked = &model.asked()[0].messages[1].text;
    assert!(
        asked.contains("[2] It met the Ministry of Finance.\n[3] The Ministry of Finance"),
        "{asked}"
    );
    assert!(asked.contains("Audit of Ruritania > Rates"), "{asked}");
}

#[test]
fn bag_carries_what_the_piece_before_says() {
    let (calls, model, _) = calls(Recorded::by(good));
    let document = document(TEXT);
    let pieces = pieces(&document, 16);
    assert_eq!(pieces.len(), 2);
    let bag = Bag::new(calls);
    let done = Run::new(&bag)
        .threads(2)
        .extract(&[(&document, &pieces)], &|_| {});
    assert_eq!(done[0].as_ref().unwrap().pieces.len(), 2);
    let asked = model.asked();
    let second = &asked[2].messages[1].text;
    assert!(
        second.contains("Bank of Ruritania | met | Ministry of Finance"),
        "{second}"
    );
    assert!(
        second.contains("It met the Ministry of Finance."),
        "{second}"
    );
    // Whoever asks again what it would cost is told that all is there, what is carried included.
    let all = [(&document, pieces.as_slice())];
    let after = Run::new(&bag).estimate(&all, &Words).unwrap();
    assert_eq!((after.calls, after.kept), (0, 4));
}

#[test]
fn bag_asks_in_turn_with_others_what_it_asks_alone() {
    let document = document(TEXT);
    let pieces = pieces(&document, 16);
    assert_eq!(pieces.len(), 2);
    let all = [(&document, pieces.as_slice())];
    let asked = |extractor: &dyn Extractor, model: &Recorded| -> Vec<Request> {
        assert!(Run::new(extractor).extract(&all, &|_| {})[0].is_ok());
        let asked = model.asked().into_iter();
        asked
            .filter(|asked| task(asked).starts_with("bag_"))
            .collect()
    };
    let (alone, model, _) = calls(Recorded::by(good));
    let expected = asked(&Bag::new(alone.clone()), &model);
    assert_eq!(expected.len(), 4);
    let (together, model, _) = calls(Recorded::by(good));
    let in_turn = InTurn::new(vec![
        Box::new(Tags::new(together.clone(), root())),
        Box::new(Triples::new(together.clone())),
        Box::new(Bag::new(together)),
    ]);
    assert_eq!(asked(&in_turn, &model), expected);
    // What it has asked alone is there, also where those before it have asked nothing yet.
    let (unasked, _, _) = calls(Recorded::by(good));
    let in_turn = InTurn::new(vec![
        Box::new(Triples::new(unasked)),
        Box::new(Bag::new(alone)),
    ]);
    let estimate = Run::new(&in_turn).estimate(&all, &Words).unwrap();
    assert_eq!(estimate.kept, 4);
}

#[test]
fn triples_cite_what_the_text_has() {
    let (calls, _, _) = calls(Recorded::by(good));
    let outcome = extract(&Triples::new(calls), &document(TEXT));
    let sources: Vec<&str> = outcome
        .extracted
        .triples
        .iter()
        .map(|triple| &*triple.source)
        .collect();
    assert_eq!(
        sources,
        [
            "[Audit of Ruritania]: Rates: approved the budget of 2023",
            "[Audit of Ruritania]",
            "Audit of Ruritania: raised its rates"
        ]
    );
    let names: Vec<&str> = outcome
        .extracted
        .entities
        .iter()
        .map(|entity| &*entity.name)
        .collect();
    assert_eq!(
        names,
        [
            "Ministry of Finance",
            "budget of 2023",
            "Bank of Ruritania",
            "rates"
        ]
    );
}

#[test]
fn typed_has_the_given_kinds_and_verbs_alone() {
    let (calls, model, _) = calls(Recorded::by(good));
    let outcome = extract(&Typed::new(calls.clone()), &document(TEXT));
    let names: Vec<(&str, Option<&str>)> = outcome
        .extracted
        .entities
        .iter()
        .map(|entity| (&*entity.name, entity.kind.as_deref()))
        .collect();
    assert_eq!(
        names,
        [("Bank of Ruritania", Some("company")), ("rates", None)]
    );
    assert_eq!(
        (
            outcome.extracted.triples[0].predicate.as_str(),
            outcome.cost.dropped
        ),
        ("increases", 1)
    );
    let asked = &model.asked()[1];
    assert!(
        asked.messages[1].text.contains("Verbs: has, is part of"),
        "{asked:?}"
    );
    assert!(!asked.messages[1].text.contains("It met the Ministry"));
    // With other lists the reply is none.
    let lists = |kind: &str| vec![kind.to_owned()];
    let other = Typed::with(calls.clone(), lists("person"), lists("knows")).unwrap();
    let pieces = pieces(&document(TEXT), 100);
    let (document, open);
    document = super::tests::document(TEXT);
    open = OpenDocument::new(&document);
    assert!(other.extract(&Reading::new(&open, &pieces[0])).is_err());
    assert!(Typed::with(calls, Vec::new(), lists("knows")).is_err());
}

#[test]
fn tags_are_capitals_and_hang_on_chains() {
    let (calls, _, _) = calls(Recorded::by(good));
    let tags = Tags::new(calls, root());
    let outcome = extract(&tags, &document(TEXT));
    let names: Vec<&str> = outcome
        .extracted
        .entities
        .iter()
        .map(|entity| &*entity.name)
        .collect();
    assert_eq!(names, ["RATES", "BUDGET"]);
    let chains = &outcome.extracted.chains;
    let domains: Vec<&str> = chains[1]
        .domains
        .iter()
        .map(|domain| &*domain.name)
        .collect();
    assert_eq!(
        (domains, chains[1].object.as_str()),
        (
            vec!["All disciplines", "Economics", "Public finance"],
            "BUDGET"
        )
    );
    assert_eq!(
        (outcome.extracted.triples.len(), outcome.cost.calls),
        (1, 3)
    );
}

#[test]
fn summaries_are_bounded_and_have_no_foreign_addresses() {
    let (calls, model, _) = calls(Recorded::by(good));
    let summaries = Summaries::new(calls);
    let of = SummaryOf::Entity {
        name: "Bank",
        descriptions: &["A bank.", "It raised its rates."],
    };
    let summary = summaries.summarise(&of).unwrap();
    assert_eq!(summary.text, "A bank. It raised its rates. See now.");
    assert_eq!(
        (
            summary.cost.calls,
            summaries.summarise(&of).unwrap().cost.calls
        ),
        (1, 0)
    );
    let chain = [root()];
    // Ten times what is read: the nearest stays.
    let wide = "w".repeat(480 << 10);
    let above = [
        wide.as_str(),
        "Money: What is paid with.",
        "Economics: Of goods.",
    ];
    let tags = [Neighbour {
        name: "RATES",
        description: "Raised.",
        link: "A part.",
    }];
    let of = SummaryOf::Domain {
        chain: &chain,
        above: &above,
        tags: &tags,
        relations: &["Both."],
        before: Some("An older one."),
    };
    assert_eq!(summaries.estimate(&of, &Words).unwrap().calls, 1);
    assert_eq!(summaries.summarise(&of).unwrap().text, "What states spend.");
    let asked = model.asked();
    assert!(asked[1].messages[1].text.contains("RATES: Raised. A part."));
    assert!(asked[1].messages[1].text.contains("An older one."));
    let told = ">>\nMoney: What is paid with.\nEconomics: Of goods.\n<<end";
    assert!(asked[1].messages[1].text.contains(told));
}

#[test]
fn the_prompt_is_in_the_language_of_the_text() {
    for (text, words) in [
        (
            "# A\n\nIl ministero della Finanza è in una città che non è la capitale.\n",
            "Trasformi",
        ),
        ("# A\n\n财政部批准预算。\n", "你把法规"),
        (
            "# A\n\nThe ministry of the country is in the city.\n",
            "You turn",
        ),
    ] {
        let (calls, model, _) = calls(Recorded::by(|_| Some("{\"triples\": []}".to_owned())));
        extract(&Triples::new(calls), &document(text));
        let instructions = &model.asked()[0].messages[0].text;
        assert!(instructions.starts_with(words), "{instructions}");
    }
}

/// What the dry run says before is what the run asks; after it, everything is there.
#[test]
fn a_dry_run_counts_what_a_run_asks() {
    let document = document(TEXT);
    let pieces = pieces(&document, 100);
    let all = [(&document, pieces.as_slice())];
    let (calls, model, _) = calls(Recorded::by(good));
    let extractors: [Box<dyn Extractor>; 4] = [
        Box::new(Bag::new(calls.clone())),
        Box::new(Triples::new(calls.clone())),
        Box::new(Typed::new(calls.clone())),
        Box::new(Tags::new(calls, root())),
    ];
    for extractor in extractors {
        let run = Run::new(&*extractor);
        let before = run.estimate(&all, &Words).unwrap();
        let asked = model.asked().len();
        assert!(
            before.input_tokens > 100 && before.output_tokens > 50,
            "{before:?}"
        );
        let done = run.extract(&all, &|_| {});
        let cost = done[0].as_ref().unwrap().cost;
        assert_eq!(cost.calls, (model.asked().len() - asked) as u64);
        // How many tags there will be is a guess.
        if !extractor.version().starts_with("tags") {
            assert_eq!(before.calls, cost.calls, "{}", extractor.version());
        }
        let after = run.estimate(&all, &Words).unwrap();
        let again = run.extract(&all, &|_| {});
        assert_eq!(
            (after.calls, after.kept, after.input_tokens),
            (0, cost.calls, 0)
        );
        assert_eq!(again[0].as_ref().unwrap().cost.kept, cost.calls);
        assert_eq!(
            again[0].as_ref().unwrap().pieces,
            done[0].as_ref().unwrap().pieces
        );
    }
}

/// A run that is broken off pays for nothing twice.
#[test]
fn a_second_run_goes_on_where_the_first_failed() {
    let document = document(TEXT);
    let pieces = pieces(&document, 100);
    let left = std::sync::atomic::AtomicUsize::new(2);
    let (calls, model, _) = calls(Recorded::by(move |request| {
        // The third call fails, once.
        let before = left.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
        if before == 0 { None } else { good(request) }
    }));
    let tags = Tags::new(calls, root());
    let run = Run::new(&tags);
    let all = [(&document, pieces.as_slice())];
    assert!(run.extract(&all, &|_| {})[0].is_err());
    assert_eq!(model.asked().len(), 3);
    let done = run.extract(&all, &|_| {});
    let cost = done[0].as_ref().unwrap().cost;
    assert_eq!((cost.kept, cost.calls, model.asked().len()), (2, 1, 4));
}
