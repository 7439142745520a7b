//! Answers from lists of facts, without a model: what says nothing but a name or an address, and what was written there.

use std::slice;

use serde_json::{Value as Json, json};
use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::Metadata;
use stratigraph_rag::door::{Equipment, Incoming, Library, Open, Wanted};
use stratigraph_rag::ingest::System;

use super::library::asked_by;
use super::texts;

/// A library of one list of facts.
fn of_facts(system: System, facts: &[Json]) -> (Database, Open) {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, Equipment::default());
    let open = library.create(&Wanted::new(system)).unwrap();
    let lines: Vec<String> = facts.iter().map(Json::to_string).collect();
    let list = Incoming {
        id: "register.jsonl".to_owned(),
        bytes: lines.join("\n").into_bytes(),
        format: None,
        metadata: Metadata::new(),
    };
    open.upsert(list, &CancelToken::new(), &|_| ()).unwrap();
    (db, open)
}

/// The sentences of an answer from passages alone.
fn told(facts: &[Json], question: &str) -> Vec<String> {
    let (_db, open) = of_facts(System::Layered, facts);
    let (answer, _) = asked_by(&open, "vector", question, &CancelToken::new());
    let answer = answer.unwrap();
    texts(&answer).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_name_that_nobody_describes_is_no_answer() {
    let fact = json!({"subject": "Marl Head Light", "relation": "is a", "object": "lighthouse", "source": "Register, sheet 2"});
    let (_db, open) = of_facts(System::Triples, &[fact]);
    let question = "How old is the lighthouse?";
    let (answer, _) = asked_by(&open, "graph", question, &CancelToken::new());
    let answer = answer.unwrap();
    assert_eq!(
        texts(&answer),
        ["Marl Head Light is a lighthouse: Register, sheet 2"]
    );
}

#[test]
fn what_was_written_is_told_before_where_facts_are_from() {
    let white = "Edda Rowe painted the lighthouse white";
    let facts = [
        json!({"subject": "Marl Head Light", "relation": "is made of", "object": "steel", "source": "Register of each lighthouse, sheet 2"}),
        json!({"subject": "Edda Rowe", "relation": "painted", "object": "Marl Head Light", "source": white}),
    ];
    let question = "On which sheet of the register is a lighthouse?";
    assert_eq!(told(&facts, question)[0], white);
    // What fits as well is told without it.
    assert_eq!(told(&facts, "Who painted the lighthouse white?"), [white]);
}

#[test]
fn a_name_within_a_word_is_not_named() {
    let counted = "Edda Rowe counted the people of Canada";
    let facts = [
        json!({"subject": "Ada", "relation": "lives in", "object": "Gimli", "source": "Canada census, sheet 2"}),
        json!({"subject": "Edda Rowe", "relation": "counted", "object": "people", "source": counted}),
    ];
    assert_eq!(
        told(&facts, "On which sheet of the census of Canada is she?")[0],
        counted
    );
}

#[test]
fn what_passes_for_an_address_is_told_where_nothing_else_answers() {
    let white = "She painted it white in 1903";
    let fact = json!({"subject": "Edda Rowe", "relation": "painted", "object": "Marl Head Light", "source": white});
    assert_eq!(
        told(slice::from_ref(&fact), "When did she paint it white?"),
        [white]
    );
    // Also beside what has nothing to do with it.
    let owls = json!({"subject": "Owls", "relation": "hunt", "object": "mice", "source": "Owls hunt mice"});
    assert_eq!(told(&[fact.clone(), owls], white), [white]);
    // Also where more sentences than an answer has say a word of the question: it keeps a place behind them.
    let others = ["snow", "milk", "chalk", "salt"].map(|name| {
        let source = format!("Fresh {name} is white.");
        json!({"subject": name, "relation": "is a", "object": "thing", "source": source})
    });
    let facts: Vec<Json> = others.into_iter().chain([fact]).collect();
    let told = told(&facts, white);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[..2].iter().all(|one| one.ends_with(" is white.")));
    assert_eq!(told[2], white);
}
