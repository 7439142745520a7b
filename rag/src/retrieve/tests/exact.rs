//! Questions for which nothing that is near may be missed, whatever their pipeline says.

use super::whole::edit;
use super::*;

const QUESTION: &str = "Which number has salt?";

/// More pages, names and facts than are compared whole where a few are wanted.
fn many() -> (Database, Layers) {
    let (db, layers) = database();
    for number in 0..24 {
        let thing = format!("Number {number}");
        let text = format!("# Page {number}\n\n{thing} has salt.\n");
        let facts = [(thing.as_str(), "has", "salt")];
        edit(&layers, &format!("{number}.md"), &text, &facts);
    }
    summarise(&layers);
    (db, layers)
}

fn retrieve(db: &Database, layers: &Layers, pipeline: &Pipeline, is_exact: bool) -> Retrieved {
    let (read, question) = (db.read().unwrap(), Question::new(QUESTION).unwrap());
    let question = match is_exact {
        true => question.exact(),
        false => question,
    };
    let desk = Desk::new(&read, layers.embedder(), &question);
    pipeline.retrieve(&desk).unwrap()
}

fn are_exact(retrieved: &Retrieved) -> bool {
    let pipeline = &retrieved.pipeline;
    assert!(!retrieved.found.is_empty(), "{pipeline}");
    let mut receipts = retrieved.found.iter().map(|found| &found.receipt);
    let first = retrieved.found[0].receipt.exact;
    assert!(receipts.all(|receipt| receipt.exact == first), "{pipeline}");
    first
}

/// What takes a short way somewhere if nothing else is said.
const SHORT: [&str; 4] = [
    "run.vector = { of = 'chunks', k = 1 }",
    "run.descend = { keep = 4 }",
    "run.descend = { keep = 99, exact = true }
    [[stage]]
    name = 'named'
    run.communities = { at_least = -1.0, most = 4 }",
    "if_there = true
    run.extract_triples = { of = 'facts', k = 1 }",
];

#[test]
fn every_search_of_a_pipeline_misses_nothing_if_the_question_says_so() {
    let (db, layers) = many();
    for stages in SHORT {
        let text = format!("name = 'short'\n[[stage]]\nname = 'first'\n{stages}");
        let pipeline = Pipeline::parse(&text).unwrap();
        assert!(
            !are_exact(&retrieve(&db, &layers, &pipeline, false)),
            "{text}"
        );
        assert!(
            are_exact(&retrieve(&db, &layers, &pipeline, true)),
            "{text}"
        );
    }
}

#[test]
fn every_preset_can_be_exact_and_gives_the_same_bytes() {
    let (db, layers) = many();
    // What declared queries give is tested where they are: here are no tables.
    for preset in Pipeline::presets().filter(|preset| !["direct", "audit"].contains(preset)) {
        let pipeline = Pipeline::preset(preset).unwrap();
        let told = [(); 2].map(|()| retrieve(&db, &layers, &pipeline, true));
        assert!(told.iter().all(are_exact), "{preset}");
        let [one, other] = told.map(|told| serde_json::to_string(&told).unwrap());
        assert_eq!(one, other, "{preset}");
    }
}

#[test]
fn a_walk_is_followed_to_its_end_if_the_question_says_so() {
    let (db, layers) = many();
    let text = "name = 'walk'
    [[stage]]
    name = 'near'
    run.vector = { of = 'facts', k = 3 }
    [[stage]]
    name = 'walked'
    run.rank = { of = 'chunks', k = 9 }";
    let pipeline = Pipeline::parse(text).unwrap();
    let left = |is_exact: bool| {
        let retrieved = retrieve(&db, &layers, &pipeline, is_exact);
        retrieved.trace[1].detail["left"].as_f64().unwrap()
    };
    assert!(left(false) > 1e-9 && left(true) < 1e-9);
}
