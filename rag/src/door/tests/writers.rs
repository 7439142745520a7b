//! Who writes summaries: the model, or the most central sentences where there is none.

use super::*;
use crate::build::Summary;

/// Every summary there is, with whom it is by.
fn summaries(db: &Database) -> Vec<(String, String, String)> {
    let all = "MATCH (e:Entity) WHERE e.summary IS NOT NULL RETURN e.key AS key, e.summary AS summary, e.summary_model AS by ORDER BY key";
    let told = rows(db, all).into_iter();
    told.map(|row| {
        let text = |name: &str| row.get::<String>(name).unwrap();
        (text("key"), text("summary"), text("by"))
    })
    .collect()
}

fn say(db: &Database, id: &str, object: &str) {
    let fact = json!({"subject": "Basalt", "relation": "lies on", "object": object, "source": "1"});
    let call = "CALL rag.upsertDocument({id: $id, format: 'facts', content: $fact}) YIELD id";
    let fact = fact.to_string();
    let said = db.query(call, [("id", id), ("fact", fact.as_str())]);
    said.unwrap().for_each(|row| drop(row.unwrap()));
}

fn resummarise(open: &Open, wanted: &Resummarise) -> Resummarised {
    let told = std::sync::Mutex::new(Vec::new());
    let tell = |now: &Resummarised| {
        let done = now.mended.len() + now.failed.len();
        told.lock().unwrap().push((done, now.of));
    };
    let done = open.resummarise(wanted, &CancelToken::new(), &tell);
    let done = done.unwrap();
    let told = told.into_inner().unwrap();
    // Of how many is heard before the first is made, and where there is nothing to do nothing is.
    match done.of {
        0 => assert!(told.is_empty(), "{told:?}"),
        of => assert_eq!((told[0], *told.last().unwrap()), ((0, of), (of, of))),
    }
    done
}

/// What is missing, by whoever there is.
fn missing() -> Resummarise {
    Resummarise {
        entities: true,
        ..Resummarise::default()
    }
}

#[test]
fn without_a_model_the_most_central_sentences_are_taken_and_a_model_takes_their_place() {
    let (db, without) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "one", "Etna");
    let open = without.open().unwrap();
    let only = Resummarise {
        central: Some(false),
        ..missing()
    };
    let refused = open.resummarise(&only, &CancelToken::new(), &|_| ());
    assert!(matches!(refused, Err(DoorError::NoModel)), "{refused:?}");
    let done = resummarise(&open, &missing());
    assert_eq!(
        (done.by.as_deref(), done.mended.len(), done.failed.len()),
        (Some(Summary::RULES), 2, 0)
    );
    assert!(summaries(&db).iter().all(|(_, _, by)| by == Summary::RULES));
    // They stand, and are not made again, but for a model.
    assert_eq!(resummarise(&open, &missing()).of, 0);
    let told = rows(&db, "CALL rag.resummarise({entities: true})");
    assert!(told.is_empty());

    let model = Arc::new(model());
    let with = Library::new(&db, Equipment::default().model(Arc::clone(&model) as _, 1));
    with.register().unwrap();
    assert!(
        rows(&db, "CALL rag.resummarise()").is_empty(),
        "what is stale, and no more"
    );
    let open = with.open().unwrap();
    let foreseen = open.foresee_summaries(&missing(), &CancelToken::new());
    let foreseen = foreseen.unwrap();
    assert_eq!((foreseen.summaries, foreseen.estimate.calls), (2, 2));
    assert!(foreseen.estimate.input_tokens > 0 && foreseen.by.is_some());
    assert!(model.asked().is_empty(), "nobody is asked for it");
    let told = rows(&db, "CALL rag.resummarise({entities: true})");
    let by: Vec<String> = told.iter().map(|row| row.get("by").unwrap()).collect();
    assert_eq!(by, vec![foreseen.by.unwrap(); 2]);
    assert_eq!(model.asked().len(), 2);
    assert!(summaries(&db).iter().all(|(_, _, by)| by != Summary::RULES));
    assert_eq!(resummarise(&open, &missing()).of, 0);
    assert_eq!(model.asked().len(), 2, "what stands is not asked again");
}

#[test]
fn what_a_model_wrote_stays_while_there_is_none_unless_sentences_are_asked_for() {
    let with = Equipment::default().model(Arc::new(model()), 1);
    let (db, with) = library(with);
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "one", "Etna");
    let open = with.open().unwrap();
    assert_eq!(resummarise(&open, &missing()).mended.len(), 2);
    let before = summaries(&db);
    // One more says something of basalt, and names what was not there.
    say(&db, "other", "Slate");
    let without = Library::new(&db, Equipment::default()).open().unwrap();
    let foreseen = without.foresee_summaries(&missing(), &CancelToken::new());
    let foreseen = foreseen.unwrap();
    assert_eq!((foreseen.summaries, foreseen.failed.len()), (1, 1));
    assert_eq!(foreseen.estimate.calls, 0);
    let done = resummarise(&without, &missing());
    let made: Vec<&str> = done.mended.iter().map(|one| &*one.node.key).collect();
    let kept: Vec<&str> = done.failed.iter().map(|one| &*one.node.key).collect();
    assert_eq!((made, kept, done.left), (vec!["slate"], vec!["basalt"], 1));
    let why = causes(&done.failed[0].error);
    assert!(
        why.contains(&before[0].2) && why.contains("--central"),
        "{why}"
    );
    let old = summaries(&db).into_iter();
    let old: Vec<_> = old.filter(|(key, ..)| key != "slate").collect();
    assert_eq!(old, before);
    // Asked for by name they take its place: of what is stale, and of nothing else.
    let forced = Resummarise {
        central: Some(true),
        ..missing()
    };
    let done = resummarise(&without, &forced);
    assert_eq!((done.mended.len(), done.failed.len(), done.left), (1, 0, 0));
    let by: Vec<String> = summaries(&db).into_iter().map(|(_, _, by)| by).collect();
    assert_eq!(by[0], Summary::RULES);
    assert_ne!(by[1], Summary::RULES, "etna stands as it was");
}

#[test]
fn nobody_writes_in_the_place_of_a_model_that_fails() {
    let failing = Recorded::by(|_: &Request| None);
    let (db, library) = library(Equipment::default().model(Arc::new(failing), 1));
    rows(&db, "CALL rag.createLayers('triples')");
    say(&db, "one", "Etna");
    let open = library.open().unwrap();
    let done = resummarise(&open, &missing());
    assert_eq!((done.mended.len(), done.failed.len()), (0, 2), "{done:?}");
    assert_ne!(done.by.as_deref(), Some(Summary::RULES));
    assert!(summaries(&db).is_empty());
}
