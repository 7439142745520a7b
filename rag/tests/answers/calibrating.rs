//! Thresholds: how sure a retrieval must be, from the graph itself.

use serde_json::json;
use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::Metadata;
use stratigraph_rag::answer::Because;
use stratigraph_rag::calibrate::{Calibrate, CalibrateError};
use stratigraph_rag::door::{DoorError, Equipment, Incoming, Library, Open, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::retrieve::{Pipeline, Question};

use super::library::{DOCUMENTS, QUESTION, asked_by, built};

fn wanted(seed: u64) -> Calibrate {
    Calibrate {
        questions: 60,
        seed,
        ..Calibrate::default()
    }
}

fn calibrated(open: &Open, preset: &str, seed: u64) -> stratigraph_rag::calibrate::Calibration {
    let pipeline = Pipeline::preset(preset).unwrap();
    let mut told = Vec::new();
    let found = open.calibrate(
        &pipeline,
        &wanted(seed),
        &CancelToken::new(),
        &mut |done, of| {
            told.push((done, of));
        },
    );
    let found = found.unwrap();
    assert_eq!(told.len(), found.questions);
    assert_eq!(told.last(), Some(&(found.questions, found.questions)));
    found
}

#[test]
fn a_threshold_is_found_kept_and_gone_by() {
    let (db, library) = built(Equipment::default(), &DOCUMENTS);
    let open = library.open().unwrap();
    let found = calibrated(&open, "strata", 7);
    assert!(found.questions >= 20 && found.auroc > 0.9, "{found:?}");
    assert!(
        found.false_refusals <= 0.02 && found.true_refusals > 0.5,
        "{found:?}"
    );
    assert_eq!((found.left_out.as_str(), found.documents), ("document", 12));
    // The same seed asks the same, another one others.
    assert_eq!(calibrated(&open, "strata", 7).threshold, found.threshold);
    let other = calibrated(&open, "strata", 8);
    assert_ne!(other.answerable, found.answerable);
    // Kept once, in the place of the one before, for this pipeline alone.
    let read = db.read().unwrap();
    let kept = open.calibrations(&read).unwrap();
    assert_eq!(kept, std::slice::from_ref(&other));
    let of = |preset: &str| {
        let pipeline = Pipeline::preset(preset).unwrap();
        open.calibration(&read, &pipeline).unwrap()
    };
    assert_eq!((of("strata"), of("vector")), (Some(other.clone()), None));
    // How much is packed and told is not part of what it is for, and who reads less is as sure.
    let strata = Pipeline::preset("strata").unwrap();
    let sure = |pipeline: &Pipeline| {
        let question = Question::new(QUESTION).unwrap();
        let found = open.retrieve(pipeline, &question, &CancelToken::new());
        found.unwrap().confidence
    };
    for budget in [10, 100] {
        let narrow = Pipeline {
            budget,
            ..strata.clone()
        };
        assert_eq!(
            open.calibration(&read, &narrow).unwrap(),
            Some(other.clone())
        );
        assert_eq!(sure(&narrow), sure(&strata), "{budget}");
    }
    // Another domain is refused, and what the documents say is not.
    let (answer, heard) = asked_by(
        &open,
        "strata",
        "Which interest rate did the central bank announce for mortgages?",
        &CancelToken::new(),
    );
    let answer = answer.unwrap();
    let refused = answer.refused.unwrap();
    assert_eq!(refused.because, Because::BelowThreshold, "{refused:?}");
    assert_eq!(answer.threshold, Some(other.threshold));
    assert!(answer.confidence.value < other.threshold);
    assert_eq!(heard.kinds, ["stage", "retrieved"]);
    for question in [
        QUESTION,
        "How do barn owls hunt?",
        "What do bees dance for?",
    ] {
        let (answer, _) = asked_by(&open, "strata", question, &CancelToken::new());
        let answer = answer.unwrap();
        assert_eq!(answer.refused, None, "{question}");
        assert!(!answer.answer.is_empty());
    }
}

#[test]
fn what_is_retrieved_says_whether_it_would_be_refused() {
    let (_db, library) = built(Equipment::default(), &DOCUMENTS);
    let open = library.open().unwrap();
    let pipeline = Pipeline::preset("strata").unwrap();
    let retrieved = |text: &str| {
        let question = Question::new(text).unwrap();
        open.retrieve(&pipeline, &question, &CancelToken::new())
            .unwrap()
    };
    let before = retrieved(QUESTION);
    assert_eq!(
        (before.threshold, before.is_below_threshold()),
        (None, false)
    );
    let threshold = Some(calibrated(&open, "strata", 7).threshold);
    let elsewhere = "Which interest rate did the central bank announce for mortgages?";
    for (question, is_below) in [(QUESTION, false), (elsewhere, true)] {
        let found = retrieved(question);
        assert_eq!(found.threshold, threshold);
        assert_eq!(found.is_below_threshold(), is_below, "{question}");
        let (answer, _) = asked_by(&open, "strata", question, &CancelToken::new());
        let answer = answer.unwrap();
        assert_eq!(
            (answer.threshold, answer.refused.is_some()),
            (threshold, is_below)
        );
    }
}

#[test]
fn of_one_document_its_sections_are_left_out() {
    let sections = DOCUMENTS.map(|(name, text)| format!("## {name}\n\n{text}\n"));
    let whole = sections.join("\n");
    let (_db, library) = built(Equipment::default(), &[("all", whole.as_str())]);
    let found = calibrated(&library.open().unwrap(), "vector", 1);
    assert_eq!((found.left_out.as_str(), found.documents), ("section", 1));
    assert!(found.auroc > 0.8, "{found:?}");
}

/// A library of this document alone.
fn of_one(layers: &Wanted, id: &str, text: &str) -> (Database, Library) {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, Equipment::default());
    let document = Incoming {
        id: id.to_owned(),
        bytes: text.as_bytes().to_vec(),
        format: None,
        metadata: Metadata::new(),
    };
    let open = library.create(layers).unwrap();
    open.upsert(document, &CancelToken::new(), &|_| ()).unwrap();
    (db, library)
}

#[test]
fn of_one_document_without_headings_its_chunks_are_left_out() {
    let text = DOCUMENTS.map(|(_, text)| text).join("\n\n");
    let cut = Wanted::new(System::Structure).chunked("sentences:3");
    let (_db, library) = of_one(&cut.unwrap(), "all.txt", &text);
    let found = calibrated(&library.open().unwrap(), "vector", 1);
    assert_eq!((found.left_out.as_str(), found.documents), ("chunk", 1));
    assert!(found.auroc > 0.8, "{found:?}");
}

#[test]
fn of_one_list_of_facts_what_they_cite_is_left_out() {
    let fact = |sentence: &str| {
        let words: Vec<&str> = sentence.split(' ').collect();
        let (subject, object) = (words[..2].join(" "), words[3..].join(" "));
        let fact =
            json!({"subject": subject, "relation": words[2], "object": object, "source": sentence});
        format!("{fact}\n")
    };
    let sentences = DOCUMENTS.iter().flat_map(|(_, text)| text.split(". "));
    let list: String = sentences.map(fact).collect();
    let (_db, library) = of_one(&Wanted::new(System::Triples), "all.jsonl", &list);
    let open = library.open().unwrap();
    let found = calibrated(&open, "vector", 1);
    assert_eq!((found.left_out.as_str(), found.documents), ("chunk", 1));
    assert!(found.auroc > 0.8, "{found:?}");
    // With what it cites goes the fact.
    let facts = "name = 'facts'\n[[stage]]\nname = 'near'\nrun.vector = { of = 'facts_with_sources', k = 5 }";
    let facts = Pipeline::parse(facts).unwrap();
    let found = open.try_calibrate(&facts, &wanted(1), &CancelToken::new(), &mut |_, _| ());
    let found = found.unwrap();
    assert!(found.auroc > 0.8, "{found:?}");
}

#[test]
fn what_is_left_out_is_left_out_of_searches_and_of_what_was_found() {
    let (_db, library) = built(Equipment::default(), &DOCUMENTS);
    let open = library.open().unwrap();
    let of = |layer: &str, k: usize| {
        let pipeline = format!(
            "name = 'one'\n[[stage]]\nname = 'near'\nrun.vector = {{ of = '{layer}', k = {k} }}"
        );
        let pipeline = Pipeline::parse(&pipeline).unwrap();
        // Headings say nothing of some questions: who may refuse no more than the usual share of them has no threshold.
        let how = Calibrate {
            refuse_at_most: 0.25,
            ..wanted(3)
        };
        let found = open.try_calibrate(&pipeline, &how, &CancelToken::new(), &mut |_, _| ());
        found.unwrap()
    };
    // Of a search for one the next best takes the place of what is left out: else nothing would be found at all.
    let nearest = of("chunks", 1);
    assert!(
        nearest.unanswerable.least > 0.0 && nearest.auroc > 0.8,
        "{nearest:?}"
    );
    // Searches for headings know nothing of it, and lose what they found of it.
    let headings = of("sections", 12);
    assert!(headings.auroc > 0.55, "{headings:?}");
    // Nothing of it is kept.
    let read = open.layers().database().read().unwrap();
    assert!(open.calibrations(&read).unwrap().is_empty());
}

#[test]
fn where_nothing_is_found_there_is_no_threshold() {
    let (db, library) = built(Equipment::default(), &DOCUMENTS);
    let open = library.open().unwrap();
    let never = "name = 'never'\n[[stage]]\nname = 'near'\nrun.vector = { of = 'chunks', k = 5, above = 1.0 }";
    let direct = Pipeline::preset("direct").unwrap();
    for pipeline in [direct, Pipeline::parse(never).unwrap()] {
        let refused = open.calibrate(&pipeline, &wanted(1), &CancelToken::new(), &mut |_, _| ());
        let refused = refused.unwrap_err();
        let DoorError::Calibrate(CalibrateError::NothingFound { asked, .. }) = &refused else {
            panic!("{refused}");
        };
        assert!(*asked >= 20, "{refused}");
        let said = refused.to_string();
        let told = format!("the pipeline {} found nothing", pipeline.name);
        assert!(
            said.contains(&told) && said.contains("rag.resummarise"),
            "{said}"
        );
    }
    // Half of the questions find something near enough: whatever may be refused of them, less is.
    let half = "name = 'half'\n[[stage]]\nname = 'near'\nrun.vector = { of = 'chunks', k = 5, above = 0.4 }";
    let half = Pipeline::parse(half).unwrap();
    let refused = open.calibrate(&half, &wanted(1), &CancelToken::new(), &mut |_, _| ());
    let refused = refused.unwrap_err();
    let DoorError::Calibrate(CalibrateError::RefusesNothing { unsure, asked, .. }) = &refused
    else {
        panic!("{refused}");
    };
    assert!((2..*asked).contains(unsure), "{refused}");
    assert!(
        refused.to_string().contains("a threshold of 0"),
        "{refused}"
    );
    // Nothing of it is kept.
    let kept = open.calibrations(&db.read().unwrap()).unwrap();
    assert!(kept.is_empty(), "{kept:?}");
}

#[test]
fn what_cannot_be_calibrated_says_why() {
    let (_db, library) = built(Equipment::default(), &DOCUMENTS[..1]);
    let open = library.open().unwrap();
    let pipeline = Pipeline::preset("vector").unwrap();
    let refused = |how: &Calibrate| {
        let refused = open.calibrate(&pipeline, how, &CancelToken::new(), &mut |_, _| ());
        match refused.unwrap_err() {
            DoorError::Calibrate(error) => error,
            other => panic!("{other}"),
        }
    };
    let one = refused(&wanted(0));
    assert!(matches!(one, CalibrateError::NothingToLeaveOut), "{one}");
    assert!(one.to_string().ends_with("Take in more documents first"));
    for how in [
        Calibrate {
            questions: 3,
            ..wanted(0)
        },
        Calibrate {
            refuse_at_most: 1.0,
            ..wanted(0)
        },
        Calibrate {
            refuse_at_most: f64::NAN,
            ..wanted(0)
        },
    ] {
        let refused = refused(&how);
        assert!(
            matches!(refused, CalibrateError::Setting { .. }),
            "{refused}"
        );
    }
    let (_db, library) = built(
        Equipment::default(),
        &[("one", "Owls hunt mice."), ("two", "Tea is green.")],
    );
    let open = library.open().unwrap();
    let few = open.calibrate(&pipeline, &wanted(0), &CancelToken::new(), &mut |_, _| ());
    let few = few.unwrap_err().to_string();
    assert!(few.contains("take in more documents"), "{few}");
    let cancel = CancelToken::new();
    cancel.cancel();
    let stopped = open.calibrate(&pipeline, &wanted(0), &cancel, &mut |_, _| ());
    assert!(stopped.unwrap_err().to_string().contains("cancelled"));
}
