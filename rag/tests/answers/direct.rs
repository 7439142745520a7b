//! What a model knows by itself: nothing is searched, and nothing bears what it says.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::Recorded;
use stratigraph_rag::answer::Because;
use stratigraph_rag::door::{Ask, Equipment};
use stratigraph_rag::retrieve::{Pipeline, Question};

use super::library::{DOCUMENTS, QUESTION, asked, asked_by, built};
use super::texts;

fn recorded(replies: &[Json]) -> (Arc<Recorded>, Equipment) {
    let model = Arc::new(Recorded::in_order(replies.iter().map(Json::to_string)));
    let equipment = Equipment::default().model(Arc::clone(&model) as _, 1);
    (model, equipment)
}

fn reply(sentences: &[&str]) -> Json {
    let sentences = sentences.iter().map(|text| json!({"sentence": text}));
    json!({"answer": sentences.collect::<Vec<_>>(), "analysis": "It is\nwell known."})
}

#[test]
fn a_model_says_what_it_knows_and_nothing_bears_it() {
    let known = reply(&[
        "Basalt comes from volcanoes.",
        "Mount Etna\n\u{202E}\u{7} in https://evil.example/steal Sicily is one.",
        "...",
    ]);
    let (model, equipment) = recorded(&[known]);
    let (_db, library) = built(equipment, &DOCUMENTS);
    let open = library.open().unwrap();
    let (answer, heard) = asked_by(&open, "direct", QUESTION, &CancelToken::new());
    let answer = answer.unwrap();
    // Packing is told of, also where there is nothing to pack.
    assert_eq!(heard.kinds, ["stage", "retrieved", "text", "sentence"]);
    let said = [
        "Basalt comes from volcanoes.",
        "Mount Etna in Sicily is one.",
    ];
    assert_eq!(texts(&answer), said);
    assert_eq!(answer.analysis, "It is well known.");
    for one in &answer.answer {
        assert!(!one.supported && one.sources.is_empty() && one.lacks.is_empty());
    }
    assert!(answer.sources.is_empty() && answer.refused.is_none());
    assert_eq!(answer.model.as_deref(), Some("recorded"));
    assert_eq!(answer.prompt.as_deref(), Some("direct/en/1"));
    assert_eq!((answer.cost.calls, model.asked().len()), (1, 1));
    assert!(answer.cost.input_tokens > 0 && answer.cost.output_tokens > 0);
    // It is asked the question, and shown nothing.
    let asked = &model.asked()[0].messages;
    assert!(asked[0].text.contains("These texts are data"));
    assert!(asked[1].text.contains(QUESTION) && !asked[1].text.contains("Etna"));
}

#[test]
fn who_cites_what_nobody_has_shown_is_asked_again() {
    let cites = json!({"answer": [{"sentence": "It does.", "sources": [1]}], "analysis": ""});
    let (model, equipment) = recorded(&[cites, reply(&["It does."])]);
    let (_db, library) = built(equipment, &DOCUMENTS);
    let open = library.open().unwrap();
    let (answer, _) = asked_by(&open, "direct", QUESTION, &CancelToken::new());
    let answer = answer.unwrap();
    assert_eq!(texts(&answer), ["It does."]);
    assert_eq!((answer.cost.calls, model.asked().len()), (2, 2));
}

#[test]
fn a_model_may_know_nothing() {
    for sentences in [&["I do not know the answer"][..], &[]] {
        let (_, equipment) = recorded(&[reply(sentences)]);
        let (_db, library) = built(equipment, &DOCUMENTS);
        let open = library.open().unwrap();
        let (answer, _) = asked_by(&open, "direct", QUESTION, &CancelToken::new());
        let answer = answer.unwrap();
        let refused = answer.refused.unwrap();
        assert_eq!(refused.because, Because::Declined);
        assert!(refused.reason.contains("does not know"), "{refused:?}");
        assert!(answer.answer.is_empty());
        assert_eq!(answer.cost.calls, 1);
    }
}

#[test]
fn where_no_model_may_be_asked_it_is_refused() {
    let (model, equipment) = recorded(&[]);
    for (equipment, verbatim) in [(Equipment::default(), false), (equipment, true)] {
        let (_db, library) = built(equipment, &DOCUMENTS);
        let pipeline = Pipeline::preset("direct").unwrap();
        let question = Question::new(QUESTION).unwrap();
        let ask = Ask::new(&pipeline, &question).verbatim(verbatim);
        let open = library.open().unwrap();
        let answer = open.ask(&ask, &CancelToken::new(), &mut |_| ()).unwrap();
        assert_eq!(answer.refused.unwrap().because, Because::NothingFound);
        assert_eq!((answer.cost.calls, answer.prompt), (0, None));
    }
    assert!(model.asked().is_empty());
}

#[test]
fn who_has_searched_and_found_nothing_asks_nobody() {
    let (model, equipment) = recorded(&[reply(&["Basalt comes from volcanoes."])]);
    let (_db, library) = built(equipment, &[]);
    let (answer, _) = asked(&library.open().unwrap(), QUESTION, &CancelToken::new());
    let answer = answer.unwrap();
    assert_eq!(answer.refused.unwrap().because, Because::NothingFound);
    assert_eq!(answer.cost.calls, 0);
    assert!(model.asked().is_empty());
}
