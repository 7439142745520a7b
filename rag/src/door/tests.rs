mod questions;

use std::sync::Arc;

use serde_json::json;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, QueryOptions, Read as _, Row};
use stratigraph_models::{Lexical, Recorded, Request};

use super::*;
use crate::build::{Layers, Profile};
use crate::ingest::System;
use crate::read::TableMapping;

mod domains;
mod fitting;
mod hostile;
mod meanwhile;
mod naming;
mod notes;
mod summaries;
mod writers;

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
fn what_tables_stated_goes_out_by_the_name_of_their_mapping() {
    let folder = tempfile::tempdir().unwrap();
    let mapping = folder.path().join("law.toml");
    std::fs::write(
        folder.path().join("clauses.csv"),
        "id,text\nc1,Paid\nc2,Built\n",
    )
    .unwrap();
    let node = "[[nodes]]\nfile = \"clauses.csv\"\nlabel = \"Clause\"\nkey = \"id\"\n[nodes.properties]\ntext = \"string\"\n";
    std::fs::write(&mapping, node).unwrap();
    let (db, library) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('structure')");
    let tables = TableMapping::read(&mapping).unwrap();
    let open = library.open().unwrap();
    open.layers().upsert_tables("law.toml", &tables).unwrap();
    let clauses = || rows(&db, "MATCH (c:Clause) RETURN count(c) AS n")[0].get::<i64>("n");
    assert_eq!(clauses().unwrap(), 2);
    let gone = |id: &str| {
        let text = format!("CALL rag.deleteDocument('{id}') YIELD deleted RETURN deleted");
        rows(&db, &text)[0].get::<i64>("deleted").unwrap()
    };
    assert_eq!((gone("other.toml"), clauses().unwrap()), (0, 2));
    assert!(gone("law.toml") > 1);
    assert_eq!(clauses().unwrap(), 0);
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
    let other = upsert.replace("$text", "$text + 'Chalk is white.'");
    let other = rows(&db, &other);
    let beside = [&first, &again, &other]
        .map(|rows| ["added", "changed"].map(|name| rows[0].get::<bool>(name).unwrap()));
    assert_eq!(beside, [[true, false], [false, false], [false, true]]);
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
            ("rag.agree", "WRITE"),
            ("rag.agreed", "READ"),
            ("rag.aliases", "READ"),
            ("rag.ask", "READ"),
            ("rag.calibrate", "WRITE"),
            ("rag.calibrations", "READ"),
            ("rag.call", "READ"),
            ("rag.context", "READ"),
            ("rag.createLayers", "WRITE"),
            ("rag.declare", "WRITE"),
            ("rag.declared", "READ"),
            ("rag.deleteDocument", "WRITE"),
            ("rag.layers", "READ"),
            ("rag.relations", "READ"),
            ("rag.resummarise", "WRITE"),
            ("rag.retrieve", "READ"),
            ("rag.route", "READ"),
            ("rag.stale", "READ"),
            ("rag.tools", "READ"),
            ("rag.trace", "READ"),
            ("rag.traverse", "READ"),
            ("rag.undeclare", "WRITE"),
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
    let wanted = Wanted::new(System::Bag);
    assert!(matches!(own.create(&wanted), Err(DoorError::NoRecipe)));
}

#[test]
fn what_is_not_said_again_stays_as_it_was_said() {
    let (db, library) = library(Equipment::default());
    let layers = "CALL rag.layers()";
    assert!(rows(&db, layers).is_empty(), "nobody has said it");
    let first = Wanted {
        filters: vec!["year".to_owned()],
        root: Some("Geology".to_owned()),
        ..Wanted::new(System::Tag)
    };
    let first = first.language("english").unwrap();
    let first = first.chunked("sentences:3/1").unwrap();
    library.create(&first).unwrap();
    let told = rows(&db, layers);
    let word = |name: &str| told[0].get::<String>(name).unwrap();
    let words = ["profile", "root", "language", "chunks", "embedder"].map(word);
    assert_eq!(
        words,
        ["tag", "Geology", "english", "sentences:3/1", "lexical-1"]
    );
    assert_eq!(told[0].get::<Vec<String>>("filters").unwrap(), ["year"]);
    // All of it, a part of it, and nothing.
    let nothing = Wanted::default();
    let part = nothing.clone().language("english").unwrap();
    let root = Wanted {
        root: Some("Geology".to_owned()),
        ..Wanted::default()
    };
    for again in [&first, &Wanted::new(System::Tag), &part, &root, &nothing] {
        let open = library.create(again).unwrap();
        assert_eq!(
            open.recipe().profile(),
            first.recipe(&Lexical::new()).profile()
        );
    }
    // Anything else is refused by the name that whoever said it knows.
    let said = |other: Wanted| library.create(&other).err().unwrap().to_string();
    let others = [
        (Wanted::new(System::Bag), "profile = tag, not bag"),
        (
            nothing.clone().chunked("sentences:4/1").unwrap(),
            "chunks = sentences:3/1, not sentences:4/1",
        ),
        (
            nothing.clone().language("plain").unwrap(),
            "language = english, not plain",
        ),
        (
            Wanted {
                root: Some("Everything".to_owned()),
                ..Wanted::default()
            },
            "root = Geology, not Everything",
        ),
        (
            Wanted {
                filters: vec!["month".to_owned()],
                ..Wanted::default()
            },
            "filters = year, not month",
        ),
    ];
    for (other, problem) in others {
        let error = said(other);
        assert!(error.contains(problem), "{error}");
    }
    // Whoever lacks its embedder hears what it is.
    let given = stratigraph_models::GivenVectors::new("given", 3);
    let fresh = Database::in_memory().unwrap();
    let given = Library::new(&fresh, Equipment::default().embedder(Arc::new(given)));
    given.create(&Wanted::new(System::Tag)).unwrap();
    // What stands for everything can be said again, and is nothing where there are no chains.
    let everything = Wanted {
        root: Some("All disciplines".to_owned()),
        ..Wanted::default()
    };
    given.create(&everything).unwrap();
    let lexical = Library::new(&fresh, Equipment::default());
    lexical.register().unwrap();
    assert!(lexical.open().is_err());
    let told = rows(&fresh, layers);
    assert_eq!(told[0].get::<String>("embedder").unwrap(), "given");
    let plain = Library::new(&Database::in_memory().unwrap(), Equipment::default());
    let refused = plain.create(&everything).err().unwrap().to_string();
    assert!(refused.contains("structure has no chains"), "{refused}");
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
