//! What comes of summaries while others work on the same database: who edits, who writes them too, and who stops it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

use super::*;
use crate::build::{BuildError, Summary};

/// Somebody says that one thing lies on another.
fn say(db: &Database, id: &str, subject: &str, object: &str) {
    let fact = json!({"subject": subject, "relation": "lies on", "object": object, "source": "1"});
    let call = "CALL rag.upsertDocument({id: $id, format: 'facts', content: $fact}) YIELD id";
    let fact = fact.to_string();
    let said = db.query(call, [("id", id), ("fact", fact.as_str())]);
    said.unwrap().for_each(|row| drop(row.unwrap()));
}

fn summary() -> Option<String> {
    Some(json!({"summary": "Basalt is a rock."}).to_string())
}

/// What is stale, and what is missing of entities.
fn missing() -> Resummarise {
    Resummarise {
        entities: true,
        ..Resummarise::default()
    }
}

fn keys(mended: &[Mended]) -> Vec<&str> {
    mended.iter().map(|one| &*one.node.key).collect()
}

#[test]
fn what_is_edited_before_its_turn_is_summarised_as_it_is_then() {
    // Whoever is asked first has somebody say something of what comes later.
    let editor: Arc<Mutex<Option<Database>>> = Arc::default();
    let edits = Arc::clone(&editor);
    let model = Arc::new(Recorded::by(move |_: &Request| {
        let db = edits.lock().unwrap().take();
        if let Some(db) = db {
            say(&db, "later", "Slate", "Chalk");
        }
        summary()
    }));
    let (db, library) = library(Equipment::default().model(Arc::clone(&model) as _, 1));
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "first", "Basalt", "Slate");
    *editor.lock().unwrap() = Some(db.clone());
    let open = library.open().unwrap();
    let done = open
        .resummarise(&missing(), &CancelToken::new(), &|_| ())
        .unwrap();
    assert_eq!(keys(&done.mended), ["basalt", "slate"]);
    // It was read when its turn came, and is paid for once.
    assert_eq!((done.left, done.cost.calls), (0, 2), "{done:?}");
    let asked = model.asked();
    let last = &asked.last().unwrap().messages.last().unwrap().text;
    assert!(last.to_lowercase().contains("chalk"), "{last}");
}

#[test]
fn what_has_gone_before_its_turn_is_passed_over() {
    let (db, library) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "first", "Basalt", "Slate");
    let open = library.open().unwrap();
    let first = |now: &Resummarised| {
        if now.settled() == 0 {
            rows(&db, "CALL rag.deleteDocument('first')");
        }
    };
    let done = open
        .resummarise(&missing(), &CancelToken::new(), &first)
        .unwrap();
    assert_eq!(
        (done.of, done.passed, done.settled()),
        (2, 2, 2),
        "{done:?}"
    );
}

#[test]
fn two_who_want_the_same_at_once_pay_for_it_once() {
    // It takes a while, so that each would have asked before the other was done.
    let model = Arc::new(Recorded::by(|_: &Request| {
        std::thread::sleep(Duration::from_millis(50));
        summary()
    }));
    let (db, library) = library(Equipment::default().model(Arc::clone(&model) as _, 1));
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "first", "Basalt", "Slate");
    // Both know what there is to do before one of them begins.
    let both_know = Barrier::new(2);
    let write = || {
        let open = library.open().unwrap();
        let told = |now: &Resummarised| {
            if now.settled() == 0 {
                both_know.wait();
            }
        };
        open.resummarise(&missing(), &CancelToken::new(), &told)
            .unwrap()
    };
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(write);
        let other = scope.spawn(write);
        (one.join().unwrap(), other.join().unwrap())
    });
    assert_eq!((one.of, other.of), (2, 2));
    assert_eq!(model.asked().len(), 2, "each was asked for once");
    assert_eq!(one.cost.calls + other.cost.calls, 2);
    assert_eq!(one.mended.len() + other.mended.len(), 2);
    assert_eq!(one.passed + other.passed, 2);
    assert!(one.failed.is_empty() && other.failed.is_empty());
}

#[test]
fn sentences_are_not_written_over_what_a_model_wrote_meanwhile() {
    let (db, without) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "first", "Basalt", "Slate");
    let model = Equipment::default().model(Arc::new(Recorded::by(|_: &Request| summary())), 1);
    let with = Library::new(&db, model).open().unwrap();
    // When these were listed nobody had written them. Then a model does, and something else is said of one.
    let meanwhile = |now: &Resummarised| {
        if now.settled() == 0 {
            with.resummarise(&missing(), &CancelToken::new(), &|_| ())
                .unwrap();
            say(&db, "later", "Basalt", "Chalk");
        }
    };
    let without = without.open().unwrap();
    let done = without
        .resummarise(&missing(), &CancelToken::new(), &meanwhile)
        .unwrap();
    assert_eq!((done.mended.len(), done.passed), (0, 1), "{done:?}");
    assert_eq!(done.failed[0].node.key, "basalt");
    assert!(
        matches!(done.failed[0].error, DoorError::WrittenByModel { .. }),
        "{done:?}"
    );
    let by = rows(
        &db,
        "MATCH (e:Entity) WHERE e.summary IS NOT NULL RETURN e.summary_model AS by",
    );
    assert_eq!(by.len(), 2);
    for row in by {
        assert_ne!(row.get::<String>("by").unwrap(), Summary::RULES);
    }
}

#[test]
fn what_was_written_before_it_was_stopped_stays_and_the_next_goes_on() {
    let cancel = CancelToken::new();
    let (stops, times) = (cancel.clone(), AtomicUsize::new(0));
    let model = Arc::new(Recorded::by(move |_: &Request| {
        if times.fetch_add(1, Ordering::Relaxed) == 0 {
            stops.cancel();
        }
        summary()
    }));
    let (db, library) = library(Equipment::default().model(Arc::clone(&model) as _, 1));
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "first", "Basalt", "Slate");
    let open = library.open().unwrap();
    let done = open.resummarise(&missing(), &cancel, &|_| ()).unwrap();
    assert!(done.stopped, "{done:?}");
    assert_eq!((keys(&done.mended), done.cost.calls), (vec!["basalt"], 1));
    let rest = open
        .resummarise(&missing(), &CancelToken::new(), &|_| ())
        .unwrap();
    assert_eq!((keys(&rest.mended), rest.cost.calls), (vec!["slate"], 1));
    assert_eq!(model.asked().len(), 2);
}

#[test]
fn what_was_paid_before_the_database_took_no_more_is_on_the_bill() {
    // It is closed while the second is written, whose reply nobody can keep then.
    let open_still: Arc<Mutex<Option<Database>>> = Arc::default();
    let (closes, times) = (Arc::clone(&open_still), AtomicUsize::new(0));
    let model = Arc::new(Recorded::by(move |_: &Request| {
        if times.fetch_add(1, Ordering::Relaxed) == 1 {
            let db = closes.lock().unwrap().take();
            db.unwrap().close().unwrap();
        }
        summary()
    }));
    let (db, library) = library(Equipment::default().model(Arc::clone(&model) as _, 1));
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "first", "Basalt", "Slate");
    *open_still.lock().unwrap() = Some(db.clone());
    let open = library.open().unwrap();
    let done = open
        .resummarise(&missing(), &CancelToken::new(), &|_| ())
        .unwrap();
    let Some(DoorError::Build(BuildError::Database(error))) = &done.ended else {
        panic!("{done:?}");
    };
    assert!(matches!(error, stratigraph::Error::Closed), "{error}");
    assert_eq!((keys(&done.mended), done.cost.calls), (vec!["basalt"], 2));
    assert_eq!((model.asked().len(), done.left), (2, 1), "{done:?}");
    assert!(done.failed.is_empty() && !done.stopped, "{done:?}");
}
