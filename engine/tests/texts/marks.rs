//! Marking where a text matches.

use super::*;
use std::sync::mpsc;
use std::time::Duration;
use stratigraph::index::text::{Highlighter, Query, TextField, TextSettings, Weight};

#[test]
fn marking_a_long_text_takes_no_time_to_speak_of() {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        let field = TextField {
            property: property(),
            weight: Weight::ONE,
        };
        let settings = TextSettings::new(vec![field], Analysis::Plain).unwrap();
        let highlighter = Highlighter::new(&settings, &Query::parse("a")).unwrap();
        let text = "a ".repeat(200_000);
        let highlight = highlighter.mark(&text, 200_000);
        let _ = done.send(highlight.window.len());
    });
    assert!(wait.recv_timeout(Duration::from_secs(20)).is_ok());
}

fn property() -> stratigraph::catalog::PropertyId {
    let db = Database::in_memory().unwrap();
    db.create_text_index(texts_by(Analysis::Plain)).unwrap();
    let read = db.read().unwrap();
    let def = read.catalog().text_index_named("texts").unwrap();
    def.settings.fields()[0].property
}

#[test]
fn a_query_beyond_the_limits_is_refused() {
    let (db, _) = with_texts(Analysis::Plain, &["alpha"]);
    let read = db.read().unwrap();
    let index = read.catalog().text_index_named("texts").unwrap().index();
    let deep = (0..10_000).fold(Query::term("alpha"), |inner, _| Query::any([inner]));
    assert!(Highlighter::new(index.settings(), &deep).is_err());
    // Dropping one in another is deep as well.
    std::mem::forget(deep);
}
