//! What goes on beside writers: merging, filling after a load, dropping.

use super::*;
use std::time::Duration;
use stratigraph::Error;

/// A merge in the background keeps the folder locked after the last user has gone.
#[test]
fn a_folder_is_free_when_its_database_was_dropped() {
    for pause in [2, 5, 10, 20, 40] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db");
        let db = Database::create(&path).unwrap();
        db.create_text_index(texts_by(Analysis::Plain)).unwrap();
        for number in 0..8 {
            let mut txn = db.write().unwrap();
            let text = words(number * 20_000, 20_000);
            txn.create_node(["N"], [("text", text.as_str())]).unwrap();
            txn.commit().unwrap();
        }
        std::thread::sleep(Duration::from_millis(pause));
        drop(db);
        if let Err(error) = Database::open(&path) {
            panic!("{pause} ms after the last commit: {error}");
        }
    }
}

/// `finish_texts` says that nothing takes back what was there before; `finish_schema` does.
#[test]
fn an_index_survives_a_load_and_a_finish_that_were_cancelled() {
    let (db, _) = with_texts(Analysis::Plain, &["basalt"]);
    let mut load = db.bulk_load().unwrap();
    load.add_node(["N"], [("text", "granite")]).unwrap();
    let token = CancelToken::new();
    let stop = token.clone();
    let mut report = |progress: Progress<'_>| {
        if progress.step == "fill the index" {
            stop.cancel();
        }
    };
    let outcome = load.finish(&mut Watch::new(&mut report, token));
    assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
    let token = CancelToken::new();
    let stop = token.clone();
    let mut report = |_: Progress<'_>| stop.cancel();
    let outcome = db.finish_schema(&mut Watch::new(&mut report, token));
    assert!(matches!(outcome, Err(Error::Cancelled)), "{outcome:?}");
    let read = db.read().unwrap();
    assert!(
        read.catalog().text_index_named("texts").is_some(),
        "the user's index is gone"
    );
}

/// Dropping removes postings first and statistics last; whoever tends meanwhile finds "damage".
#[test]
fn tending_an_index_that_is_being_dropped_finds_no_damage() {
    for _ in 0..4 {
        let (db, _) = with_texts(Analysis::Plain, &["alpha"]);
        let def = db.read().unwrap();
        let index = def.catalog().text_index_named("texts").unwrap().index();
        drop(def);
        let field = index.settings().fields()[0].property;
        // Written past the graph, so that nobody merges in the background.
        for number in 0..24 {
            let mut txn = db.key_write().unwrap();
            let mut writer = stratigraph::index::text::TextWriter::new(index.clone());
            let text = words(number * 9000, 9000);
            let owner = stratigraph::index::text::OwnerId::new(1000 + number as u64);
            writer.set(owner, [(field, text.as_str())]);
            writer.settle(&mut txn).unwrap();
            txn.commit().unwrap();
        }
        let other = db.clone();
        let mut dropping = None;
        let mut report = |_: Progress<'_>| {
            if dropping.is_none() {
                let other = other.clone();
                dropping = Some(std::thread::spawn(move || other.drop_text_index("texts")));
            }
        };
        let tended = db.tend_text_index("texts", &mut Watch::new(&mut report, CancelToken::new()));
        if let Some(dropping) = dropping {
            dropping.join().unwrap().unwrap();
        }
        assert!(
            !matches!(tended, Err(Error::Corruption { .. } | Error::Record { .. })),
            "{tended:?}"
        );
    }
}

/// Whoever dropped it does not miss it, and the load is there.
#[test]
fn an_index_may_be_dropped_while_a_load_fills_it() {
    let (db, _) = with_texts(Analysis::Plain, &["basalt"]);
    let mut load = db.bulk_load().unwrap();
    load.add_node(["N"], [("text", "granite")]).unwrap();
    let mut report = |progress: Progress<'_>| {
        if progress.step == "fill the index" {
            db.drop_text_index("texts").unwrap();
        }
    };
    load.finish(&mut Watch::new(&mut report, CancelToken::new()))
        .unwrap();
    let read = db.read().unwrap();
    assert!(read.catalog().text_index_named("texts").is_none());
    assert_eq!(read.node_count(None).unwrap(), 2);
}

/// A load reads the texts that it has brought, and no others.
#[test]
fn an_index_is_filled_with_what_a_load_has_brought() {
    let (db, nodes) = with_texts(Analysis::Plain, &["basalt", "slate"]);
    let before = db.read().unwrap();
    let hit = |read: &stratigraph::ReadTxn| {
        let search = TextSearch::new("granite basalt", 9);
        read.search_text("texts", &search).unwrap().hits.len()
    };
    assert_eq!(hit(&before), 1);
    let mut load = db.bulk_load().unwrap();
    let new = load.add_node(["N"], [("text", "granite")]).unwrap();
    load.finish(&mut Watch::quiet()).unwrap();
    let read = db.read().unwrap();
    assert_eq!(hit(&read), 2);
    assert_eq!(found(&read, "texts", "slate"), [nodes[1].into()]);
    assert_eq!(found(&read, "texts", "granite"), [new.into()]);
    let report = db.check(&mut Watch::quiet()).unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}
