mod questions;

use std::sync::Arc;

use serde_json::json;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, QueryOptions, Read as _, Row};
use stratigraph_models::{Lexical, Recorded, Request};

use super::*;
use crate::build::{Layers, Profile};
use crate::ingest::System;

const ROCKS: &str = "# Rocks\n\n## Basalt\n\nBasalt comes from Mount Etna in Sicily.\n\n## Granite\n\nGranite comes from Mount Blanc.\n";

fn library(equipment: Equipment) -> (Database, Library) {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, equipment);
    library.register().unwrap();
    (db, library)
}

fn rows(db: &Database, text: &str) -> Vec<Row> {
    let rows = db.query(text, [("text", ROCKS)]);
    rows.unwrap_or_else(|error| panic!("{text}: {error}"))
        .map(|row| row.unwrap())
        .collect()
}

/// The message of an error, and the part of the text that it points at.
fn refused(db: &Database, text: &str) -> (String, String) {
    pointed(text, db.query(text, [("text", ROCKS)]).unwrap_err())
}

fn pointed(text: &str, error: stratigraph::Error) -> (String, String) {
    let stratigraph::Error::Query(error) = error else {
        panic!("{text}: {error}");
    };
    let place = error.position().unwrap();
    let part = &text[place.offset as usize..][..place.length as usize];
    (error.to_string(), part.to_owned())
}

/// A model that says one fact of each piece, and summarises by what it was asked.
fn model() -> Recorded {
    Recorded::by(|request: &Request| {
        let asked = &request.messages.last()?.text;
        if asked.contains("unspeakable") {
            return None;
        }
        let is_summary = request
            .messages
            .iter()
            .any(|one| one.text.contains("summar"));
        let fact = json!({"triples": [{"subject": "Basalt", "relation": "comes from", "object": "Mount Etna", "source": ""}]});
        let summary = json!({"summary": "Basalt comes from Mount Etna."});
        Some(if is_summary { summary } else { fact }.to_string())
    })
}

#[test]
fn documents_come_in_and_go_out_by_calls() {
    let (db, _) = library(Equipment::default());
    let made = rows(&db, "CALL rag.createLayers('bag', {filters: ['year']})");
    assert_eq!(made[0].get::<String>("profile").unwrap(), "bag");
    assert_eq!(made[0].get::<i64>("documents").unwrap(), 0);
    let upsert =
        "CALL rag.upsertDocument({id: 'rocks.md', content: $text, metadata: {year: 2023}})";
    let first = rows(&db, upsert);
    assert_eq!(first[0].get::<i64>("pieces").unwrap(), 2);
    assert!(first[0].get::<i64>("written").unwrap() > 5);
    let found = rows(&db, "MATCH (c:Chunk {year: 2023}) RETURN count(c) AS n");
    assert_eq!(found[0].get::<i64>("n").unwrap(), 2);
    // The same once more is nothing, and so are the same layers.
    let again = rows(&db, upsert);
    assert_eq!(again[0].get::<i64>("written").unwrap(), 0);
    let made = rows(
        &db,
        "CALL rag.createLayers('bag', {filters: ['year']}) YIELD documents",
    );
    assert_eq!(made[0].get::<i64>("documents").unwrap(), 1);
    // Several in one statement, each a transaction of its own, whether or not somebody takes the rows.
    let before = db.read().unwrap().commit_seq();
    db.query(
        "UNWIND range(1, 3) AS i CALL rag.upsertDocument({id: i + '.md', content: $text + i}) YIELD id RETURN id",
        [("text", ROCKS)],
    )
    .unwrap();
    assert_eq!(db.read().unwrap().commit_seq().get() - before.get(), 3);
    let gone = rows(
        &db,
        "UNWIND ['1.md', '2.md', '3.md', 'rocks.md'] AS id CALL rag.deleteDocument(id) YIELD deleted RETURN deleted",
    );
    assert!(
        gone.iter()
            .all(|row| row.get::<i64>("deleted").unwrap() > 0)
    );
    let left = rows(
        &db,
        "MATCH (n) WHERE NOT n:LayerSettings RETURN count(n) AS n",
    );
    assert_eq!(left[0].get::<i64>("n").unwrap(), 0);
    assert!(rows(&db, "CALL rag.stale()").is_empty());
}

#[test]
fn calls_are_listed_with_what_they_do() {
    let (db, _) = library(Equipment::default());
    let listed = rows(
        &db,
        "SHOW PROCEDURES YIELD name, mode, signature, description WHERE name STARTS WITH 'rag.' RETURN *",
    );
    let told: Vec<(String, String)> = listed
        .iter()
        .map(|row| (row.get("name").unwrap(), row.get("mode").unwrap()))
        .collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(
        told,
        [
            ("rag.createLayers", "WRITE"),
            ("rag.deleteDocument", "WRITE"),
            ("rag.resummarise", "WRITE"),
            ("rag.retrieve", "READ"),
            ("rag.stale", "READ"),
            ("rag.traverse", "READ"),
            ("rag.upsertDocument", "WRITE"),
            ("rag.verify", "READ"),
        ]
    );
    for row in &listed {
        assert!(!row.get::<String>("description").unwrap().is_empty());
    }
}

#[test]
fn what_cannot_be_taken_in_is_refused_where_it_stands() {
    let (db, _) = library(Equipment::default());
    let upsert = "CALL rag.upsertDocument({id: 'a.md', content: 'x'})";
    let (message, part) = refused(&db, upsert);
    assert!(
        message.contains("CALL rag.createLayers('structure')"),
        "{message}"
    );
    assert!(part.contains("rag.upsertDocument"), "{part}");
    rows(&db, "CALL rag.createLayers('bag')");
    for (call, wanted) in [
        ("rag.createLayers('cake')", "no system is called `cake`"),
        ("rag.createLayers('tag')", "this database was built with"),
        (
            "rag.createLayers('bag', {filter: 1})",
            "no setting `filter`",
        ),
        ("rag.upsertDocument({content: 'x'})", "`id` is needed"),
        ("rag.upsertDocument({id: 'a.md'})", "`content` is needed"),
        (
            "rag.upsertDocument({id: 'a.md', content: 7})",
            "`content` is a text",
        ),
        (
            "rag.upsertDocument({id: 'a.md', text: 'x'})",
            "no setting `text`",
        ),
        (
            "rag.upsertDocument({id: 'a', content: 'x'})",
            "give its `format`",
        ),
        (
            "rag.upsertDocument({id: 'a', content: 'x', format: 'x'})",
            "none of markdown",
        ),
        (
            "rag.upsertDocument({id: 'a.csv', content: 'x'})",
            "is a table",
        ),
        (
            "rag.upsertDocument({id: 'a.jsonl', content: '{}'})",
            "is a list of facts",
        ),
        ("rag.upsertDocument({id: 'a.pdf', content: 'x'})", "PDF"),
        (
            "rag.upsertDocument({id: '', content: 'x', format: 'plain'})",
            "may have 1 to",
        ),
        (
            "rag.upsertDocument({id: 'a.md', content: 'x', metadata: {a: {b: 1}}})",
            "metadata `a`",
        ),
        ("rag.resummarise({most: 0})", "`most` is a count"),
        (
            "rag.resummarise({central: 1})",
            "`central` is true or false",
        ),
    ] {
        let text = format!("RETURN 1 AS one UNION CALL {call} RETURN 1 AS one");
        let text = text.replace("RETURN 1 AS one UNION ", "");
        let (message, part) = refused(&db, &text.replace(" RETURN 1 AS one", ""));
        assert!(message.contains(wanted), "{call}: {message}");
        assert!(part.contains("rag."), "{call}: {part}");
    }
    assert_eq!(db.read().unwrap().node_count(Some("Document")).unwrap(), 0);
}

#[test]
fn a_document_takes_part_in_no_transaction() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('structure')");
    let upsert = "CALL rag.upsertDocument({id: 'a.md', content: $text})";
    let parameters = [("text", ROCKS)];
    let mut txn = db.write().unwrap();
    let (message, part) = pointed(upsert, txn.query(upsert, parameters).unwrap_err());
    assert!(
        message.contains("cannot take part in this one"),
        "{message}"
    );
    assert_eq!(part, upsert);
    // The transaction goes on.
    txn.query("CREATE (:Other)", ()).unwrap();
    txn.commit().unwrap();
    let error = db.read().unwrap().query(upsert, parameters).unwrap_err();
    assert!(error.to_string().contains("snapshot"), "{error}");
    for text in [
        "CREATE (:Other) WITH 1 AS one CALL rag.deleteDocument('a.md') YIELD id RETURN id",
        "CALL rag.deleteDocument('a.md') YIELD id CREATE (:Other {id: id})",
        "UNWIND [1] AS i CALL (i) { CALL rag.deleteDocument('a.md') YIELD id RETURN id } IN TRANSACTIONS RETURN id",
    ] {
        let (message, part) = refused(&db, text);
        assert!(message.contains("transactions of its own"), "{message}");
        assert!(
            part.starts_with("CALL rag.deleteDocument('a.md')"),
            "{part}"
        );
    }
    let prepared = db.prepare(upsert).unwrap();
    assert!(prepared.writes() && prepared.commits_itself() && !prepared.declares());
    assert!(!db.prepare("CALL rag.stale()").unwrap().writes());
}

#[test]
fn who_stops_the_statement_stops_the_reading() {
    let cancel = CancelToken::new();
    let (own, stopped) = (cancel.clone(), cancel.clone());
    let model = Recorded::by(move |_: &Request| {
        own.cancel();
        None
    });
    let equipment = Equipment::default().model(Arc::new(model), 1);
    let (db, _) = library(equipment);
    rows(&db, "CALL rag.createLayers('triples')");
    let upsert = "CALL rag.upsertDocument({id: 'a.md', content: $text})";
    let options = QueryOptions::new().cancel(stopped);
    let error = db
        .query_with(upsert, [("text", ROCKS)], &options)
        .unwrap_err();
    assert!(matches!(error, stratigraph::Error::Cancelled), "{error}");
    assert_eq!(db.read().unwrap().node_count(Some("Document")).unwrap(), 0);
}

#[test]
fn a_database_is_opened_as_it_was_built() {
    let (db, library) = library(Equipment::default());
    assert!(matches!(library.open(), Err(DoorError::NoLayers)));
    let mut wanted = Wanted::new(System::Tag);
    wanted.root = Some("Geology".to_owned());
    library.create(&wanted).unwrap();
    let open = library.open().unwrap();
    assert_eq!(open.recipe().system(), System::Tag);
    // Whoever was started with another embedder still finds the one that needs no files, and no third one.
    let other = stratigraph_models::GivenVectors::new("given", 3);
    let other = Equipment::default().embedder(Arc::new(other));
    Library::new(&db, other.clone()).open().unwrap();
    let fresh = Database::in_memory().unwrap();
    Library::new(&fresh, other).create(&wanted).unwrap();
    let lexical = Library::new(&fresh, Equipment::default());
    let error = lexical.open().err().unwrap();
    assert!(
        error.to_string().contains("of the embedder given"),
        "{error}"
    );
    // Layers of a program of its own have no recipe.
    let own = Database::in_memory().unwrap();
    Layers::open(&own, Profile::bag(), Arc::new(Lexical::new())).unwrap();
    let own = Library::new(&own, Equipment::default());
    assert!(matches!(own.open(), Err(DoorError::NoRecipe)));
}

#[test]
fn summaries_are_mended_by_the_model_and_by_nobody_else() {
    let model = Arc::new(model());
    let equipment = Equipment::default().model(Arc::clone(&model) as _, 2);
    let (db, _) = library(equipment);
    rows(&db, "CALL rag.createLayers('triples')");
    let upsert = "CALL rag.upsertDocument({id: 'a.md', content: $text})";
    rows(&db, upsert);
    assert!(
        rows(&db, "CALL rag.resummarise()").is_empty(),
        "nothing is stale"
    );
    let made = rows(&db, "CALL rag.resummarise({entities: true})");
    assert_eq!(made.len(), 2);
    for row in &made {
        assert_eq!(
            row.get::<String>("summary").unwrap(),
            "Basalt comes from Mount Etna."
        );
    }
    // Somebody says something else of both, and nobody is asked until somebody wants it.
    let asked = model.asked().len();
    let fact = json!({"subject": "Basalt", "relation": "lies on", "object": "Mount Etna", "source": "p. 7"});
    let list = "CALL rag.upsertDocument({id: 'list', format: 'facts', content: $fact}) YIELD stale RETURN stale";
    let told = db.query(list, [("fact", fact.to_string())]).unwrap();
    let told: Vec<i64> = told.map(|row| row.unwrap().get("stale").unwrap()).collect();
    assert_eq!((told, model.asked().len()), (vec![2], asked));
    let stale = rows(&db, "CALL rag.stale()");
    assert_eq!(stale.len(), 2);
    let mended = rows(&db, "CALL rag.resummarise()");
    assert_eq!((mended.len(), model.asked().len()), (2, asked + 2));
    assert!(rows(&db, "CALL rag.stale()").is_empty());
    rows(&db, "CALL rag.deleteDocument('list')");
    assert_eq!(rows(&db, "CALL rag.stale()").len(), 2);
    // Without a model it says what it needs, and rules are asked for by name.
    let without = Library::new(&db, Equipment::default());
    without.register().unwrap();
    let (message, _) = refused(&db, "CALL rag.resummarise()");
    assert!(message.contains("--llm URL --model NAME"), "{message}");
    assert_eq!(rows(&db, "CALL rag.stale()").len(), 2);
    let one = rows(&db, "CALL rag.resummarise({central: true, most: 1})");
    assert_eq!(one.len(), 1);
    assert!(!one[0].get::<String>("summary").unwrap().is_empty());
    assert_eq!(rows(&db, "CALL rag.stale()").len(), 1);
    rows(&db, "CALL rag.resummarise({central: true})");
    assert!(rows(&db, "CALL rag.stale()").is_empty());
    let by = rows(
        &db,
        "MATCH (e:Entity) RETURN DISTINCT e.summary_model AS by",
    );
    assert_eq!(by[0].get::<String>("by").unwrap(), "rules");
}

#[test]
fn a_summary_that_fails_leaves_the_others() {
    let refusing = Recorded::by(|request: &Request| {
        let asked = &request.messages.last()?.text;
        let summary = json!({"summary": "Basalt is a rock of Mount Etna."}).to_string();
        (!asked.contains("Etna") || asked.contains("Basalt")).then_some(summary)
    });
    let (db, library) = library(Equipment::default().model(Arc::new(refusing), 1));
    rows(&db, "CALL rag.createLayers('triples')");
    let facts = [
        json!({"subject": "Basalt", "relation": "is", "object": "rock", "source": "1"}),
        json!({"subject": "Etna", "relation": "is", "object": "mountain", "source": "2"}),
    ];
    let facts = facts.map(|fact| fact.to_string()).join("\n");
    let call =
        "CALL rag.upsertDocument({id: 'list', format: 'facts', content: $facts}) YIELD problems";
    let broken = format!("{facts}\n[1]");
    let told = db.query(call, [("facts", broken.as_str())]).unwrap();
    let told: Vec<Row> = told.map(|row| row.unwrap()).collect();
    assert_eq!(told[0].get::<Vec<String>>("problems").unwrap().len(), 1);
    let wanted = Resummarise {
        entities: true,
        ..Resummarise::default()
    };
    let open = library.open().unwrap();
    let done = open
        .resummarise(&wanted, &CancelToken::new(), &|_| ())
        .unwrap();
    assert!(
        !done.mended.is_empty() && !done.failed.is_empty(),
        "{done:?}"
    );
    let rows = rows(
        &db,
        "CALL rag.resummarise({entities: true}) YIELD key, problem WHERE problem IS NOT NULL RETURN key, problem",
    );
    assert_eq!(rows.len(), done.failed.len());
    let cancelled = CancelToken::new();
    cancelled.cancel();
    assert!(
        open.resummarise(&wanted, &cancelled, &|_| ())
            .unwrap()
            .stopped
    );
}

#[test]
fn a_database_does_not_hold_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let db = Database::create(&path).unwrap();
    Library::new(&db, Equipment::default()).register().unwrap();
    rows(&db, "CALL rag.createLayers('bag')");
    db.close().unwrap();
    Database::open(&path).unwrap();
}
