//! A graph drawn by hand, and the questions that are made of it.

use std::collections::BTreeMap;

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::{ModelError, Recorded};

use super::*;
use crate::Metadata;
use crate::door::{Equipment, Incoming, Library, Wanted};
use crate::evaluate::{Gold, LabelledSet};
use crate::ingest::System;

/// Things that are letters. `hub` is named by six facts; `a` to `d` are a chain; `x` and `y` are alone.
const FACTS: [(&str, &str, &str); 11] = [
    ("x", "stands before", "y"),
    ("a", "leads to", "b"),
    ("b", "leads to", "c"),
    ("c", "leads to", "d"),
    ("hub", "has", "p"),
    ("hub", "has", "q"),
    ("hub", "has", "r"),
    ("s", "is of", "hub"),
    ("t", "is of", "hub"),
    ("u", "is of", "hub"),
    ("loop", "turns to", "loop two"),
];

fn graph(facts: &[(&str, &str, &str)]) -> Database {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, Equipment::default());
    let open = library.create(&Wanted::new(System::Triples)).unwrap();
    let lines = facts.iter().map(|(subject, relation, object)| {
        format!("{{\"subject\": {subject:?}, \"relation\": {relation:?}, \"object\": {object:?}, \"source\": \"p. 1\"}}\n")
    });
    let lines: String = lines.collect();
    let list = Incoming {
        id: "facts.jsonl".to_owned(),
        bytes: lines.into_bytes(),
        format: None,
        metadata: Metadata::new(),
    };
    let report = open.upsert(list, &CancelToken::new(), &|_| ()).unwrap();
    assert_eq!(
        (
            report.problems.count_failed,
            report.problems.count_broken_lines
        ),
        (0, 0)
    );
    db
}

fn all() -> Making {
    Making {
        sample: 1.0,
        each: 100,
        hubs: 1,
        ..Making::default()
    }
}

/// The facts of each question of a kind, by the names of their ends.
fn asked(made: &Made, kind: &str) -> Vec<Vec<String>> {
    let named: BTreeMap<&str, String> = { made.facts.iter() }
        .map(|fact| {
            let triple = &fact.triple;
            (
                fact.id.as_str(),
                format!("{}-{}", triple.subject, triple.object),
            )
        })
        .collect();
    let questions = made
        .questions
        .iter()
        .filter(|question| question.kind == kind);
    let mut asked: Vec<Vec<String>> = questions
        .map(|question| {
            question
                .gold
                .iter()
                .map(|id| named[id.as_str()].clone())
                .collect()
        })
        .collect();
    asked.sort();
    asked
}

#[test]
fn patterns_hold_where_their_degrees_say() {
    let back = ("loop two", "turns to", "loop");
    let facts: Vec<_> = FACTS.into_iter().chain([back]).collect();
    let db = graph(&facts);
    let made = all().run(&db.read().unwrap()).unwrap();
    assert_eq!(made.facts.len(), 12);
    let one = |name: &str| vec![name.to_owned()];
    // `c-d` ends at what nothing leads from, but something leads to `c`.
    assert_eq!(asked(&made, "isolated"), [one("x-y")]);
    // Each subject has one fact, but for the hub; `x-y` was asked.
    let single: Vec<_> = [
        "a-b",
        "b-c",
        "c-d",
        "loop two-loop",
        "loop-loop two",
        "s-hub",
        "t-hub",
        "u-hub",
    ]
    .map(one)
    .into();
    assert_eq!(asked(&made, "single_hop"), single);
    // Nothing leads on from `d`, three from the hub; and who turns back asks nothing.
    let two = |first: &str, second: &str| vec![first.to_owned(), second.to_owned()];
    assert_eq!(
        asked(&made, "two_hop"),
        [two("a-b", "b-c"), two("b-c", "c-d")]
    );
    let hubs = asked(&made, "hubs");
    assert_eq!((hubs.len(), hubs[0].len()), (2, 6));
    let outside = made
        .questions
        .iter()
        .filter(|question| question.gold.is_empty());
    assert_eq!(outside.count(), 6);
    let counted = made
        .counted
        .iter()
        .map(|one| (one.kind, one.places, one.questions));
    assert_eq!(
        counted.collect::<Vec<_>>(),
        [
            ("isolated", 1, 1),
            ("single_hop", 8, 8),
            ("two_hop", 2, 2),
            ("hubs", 1, 2),
            ("out_of_domain", 10, 6)
        ]
    );
}

#[test]
fn the_same_seed_gives_the_same_questions_and_another_others() {
    let many: Vec<(String, String)> = (0..400)
        .map(|n| (format!("s{n}"), format!("o{n}")))
        .collect();
    let facts: Vec<(&str, &str, &str)> = many
        .iter()
        .map(|(s, o)| (s.as_str(), "is", o.as_str()))
        .collect();
    let mut turned = facts.clone();
    turned.reverse();
    let making = Making::default();
    let (one, other) = (graph(&facts), graph(&turned));
    let made = making.run(&one.read().unwrap()).unwrap();
    // In another order they have other ids, and are the same.
    assert_eq!(making.run(&other.read().unwrap()).unwrap(), made);
    let isolated = &made.counted[0];
    assert_eq!((isolated.places, isolated.questions), (400, 8));
    assert!((20..65).contains(&isolated.sampled), "{isolated:?}");
    let another = Making { seed: 1, ..making };
    assert_ne!(
        another.run(&one.read().unwrap()).unwrap().questions,
        made.questions
    );
}

#[test]
fn a_question_that_the_graph_may_answer_is_not_out_of_domain() {
    let facts = [
        ("violin", "has", "four strings"),
        ("a cat", "says", "nothing"),
    ];
    let made = all().run(&graph(&facts).read().unwrap()).unwrap();
    let counted = made
        .counted
        .iter()
        .find(|one| one.kind == "out_of_domain")
        .unwrap();
    assert_eq!(counted.places, 8);
    assert!(
        !made
            .questions
            .iter()
            .any(|question| question.gold.is_empty() && question.text.contains("violin"))
    );
}

#[test]
fn what_is_written_is_read_as_a_set() {
    let made = all().run(&graph(&FACTS).read().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path().join("made");
    made.write(&set).unwrap();
    let read = LabelledSet::read(&set).unwrap();
    assert_eq!(read.facts, made.facts);
    assert_eq!(read.questions.len(), made.questions.len());
    for (read, made) in read.questions.iter().zip(&made.questions) {
        assert_eq!(
            (read.text.as_str(), read.kind.as_str()),
            (made.text.as_str(), made.kind)
        );
        match made.gold.is_empty() {
            true => assert_eq!(read.gold, Gold::Nothing),
            false => assert_eq!(read.gold, Gold::Facts(made.gold.clone())),
        }
    }
    // Nobody's gold is written over.
    assert!(made.write(&set).is_err());
}

#[test]
fn a_model_finds_words_and_cannot_change_what_is_asked() {
    let facts = [("x", "stands before", "yew"), ("zed", "is", "last")];
    let db = graph(&facts);
    let mut made = Making { hubs: 0, ..all() }
        .run(&db.read().unwrap())
        .unwrap();
    let before = made.clone();
    let model = Recorded::by(|request| {
        let asked = &request.messages[1].text;
        Some(match asked.contains("“x”") {
            true => r#"{"question": "Say,  what does x stand\nbefore?"}"#.to_owned(),
            // It names the answer.
            false => r#"{"question": "Is zed the last?"}"#.to_owned(),
        })
    });
    let phrased = made.phrase(&model).unwrap();
    assert_eq!((phrased.phrased, phrased.kept), (1, 1));
    let of = |made: &Made, object: &str| -> String {
        let found = made
            .questions
            .iter()
            .find(|question| question.answer == object);
        found.unwrap().text.clone()
    };
    assert_eq!(of(&made, "yew"), "Say, what does x stand before?");
    assert_eq!(of(&made, "last"), of(&before, "last"));
    let silent = Recorded::by(|_| None);
    let error = made.phrase(&silent).unwrap_err();
    assert!(!matches!(error, ModelError::BadReply { .. }), "{error}");
}
