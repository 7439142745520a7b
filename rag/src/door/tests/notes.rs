//! What whoever takes documents or tables in is told: that a model read here before, and which profile tables have settled.

use stratigraph_models::Generator as _;

use super::*;
use crate::build::TablesLimits;

const UPSERT: &str =
    "CALL rag.upsertDocument({id: 'a.md', content: $text}) YIELD problems RETURN problems";

fn problems(db: &Database) -> Vec<String> {
    rows(db, UPSERT)[0].get("problems").unwrap()
}

/// A database of facts whose document the model has read, as a process without a model opens it.
fn read_by_model() -> (Database, Library) {
    let (db, _) = library(Equipment::default().model(Arc::new(model()), 1));
    rows(&db, "CALL rag.createLayers('triples')");
    assert!(problems(&db).is_empty());
    let without = Library::new(&db, Equipment::default());
    without.register().unwrap();
    (db, without)
}

#[test]
fn who_goes_on_without_the_model_that_read_before_is_told_by_each_door() {
    let (db, without) = read_by_model();
    let name = model().name().to_owned();
    let open = without.open().unwrap();
    let note = open.intake_note().unwrap().unwrap();
    let told = format!("the model {name} has read documents here");
    assert!(
        note.starts_with(&told) && note.contains("--llm URL --model NAME"),
        "{note}"
    );
    assert_eq!(open.note(), None, "its embedder is the one of the process");
    let created = rows(&db, "CALL rag.createLayers('triples') YIELD note");
    assert_eq!(created[0].get::<String>("note").unwrap(), note);
    // Rules read it now; what is left alone then, nobody reads.
    assert_eq!(problems(&db), [note]);
    assert!(problems(&db).is_empty());
    // With a model, whichever it is, there is nothing to tell.
    let with = Library::new(&db, Equipment::default().model(Arc::new(model()), 1));
    assert_eq!(with.open().unwrap().intake_note().unwrap(), None);
}

#[test]
fn where_no_model_has_read_documents_there_is_nothing_to_tell() {
    let (db, without) = read_by_model();
    let note = || without.open().unwrap().reader_note().unwrap();
    assert!(note().is_some());
    rows(&db, "CALL rag.deleteDocument('a.md')");
    assert_eq!(note(), None, "its replies are kept, and no document is");
    // Rules have read, or nobody had to, and a model has only summarised.
    let (db, with) = library(Equipment::default().model(Arc::new(model()), 1));
    rows(&db, "CALL rag.createLayers('triples')");
    let fact =
        json!({"subject": "Basalt", "relation": "lies on", "object": "Etna", "source": "p. 7"});
    let list = "CALL rag.upsertDocument({id: 'list', format: 'facts', content: $fact}) YIELD id";
    let taken = db.query(list, [("fact", fact.to_string())]).unwrap();
    assert_eq!(taken.count(), 1);
    assert_eq!(rows(&db, "CALL rag.resummarise({entities: true})").len(), 2);
    assert!(with.open().unwrap().layers().replies().count().unwrap() > 0);
    let without = Library::new(&db, Equipment::default());
    assert_eq!(without.open().unwrap().intake_note().unwrap(), None);
}

#[test]
fn tables_tell_which_profile_they_have_settled() {
    let text = "[[nodes]]\nfile = 'clauses.csv'\nlabel = 'Clause'\nkey = 'id'\n";
    let mut mapping = TableMapping::parse("law.toml", text).unwrap();
    mapping.send("clauses.csv", b"id\nc1\n".to_vec()).unwrap();
    let take_in = |library: &Library, dry_run: bool| {
        let tables = Tables {
            id: "law.toml",
            mapping: &mapping,
            keep_embedder: false,
            dry_run,
            limits: TablesLimits::default(),
        };
        library.upsert_tables(&tables, &mut |_| ()).unwrap().note
    };
    let (_db, new) = library(Equipment::default());
    let would = take_in(&new, true).unwrap();
    let is = take_in(&new, false).unwrap();
    for (note, said) in [(would, "would be"), (is, "is")] {
        let begins = format!("the database {said} of the profile structure from now on");
        assert!(
            note.starts_with(&begins) && note.contains("CALL rag.createLayers"),
            "{note}"
        );
    }
    assert_eq!(take_in(&new, false), None, "it is said once");
    // Nothing is settled by them where it was said before, nor is it told who reads: nobody does.
    let (_db, without) = read_by_model();
    assert_eq!(take_in(&without, false), None);
}
