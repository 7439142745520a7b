//! Which embedder a new database gets, and what is told of documents that the one it has cannot read.

use std::sync::atomic::{AtomicUsize, Ordering};

use stratigraph_models::{Coverage, Embedder, ModelError, Rows};

use super::*;
use crate::ingest::Report;

const CHINESE: &str =
    "# 审计\n\n国有企业审计发现，部分境外投资项目未按规定履行决策程序，存在重大风险隐患。\n";
const ITALIAN: &str = "# La gara\n\nLa stazione appaltante verifica i requisiti di partecipazione degli operatori alla gara.\n";

/// Reads letters of English and no others.
struct Latin(&'static str);

impl Embedder for Latin {
    fn name(&self) -> &str {
        self.0
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn max_tokens(&self) -> usize {
        256
    }
    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let rows = texts.iter().flat_map(|text| [1.0, text.len() as f32]);
        Rows::of(rows.collect(), 2)
    }
    fn coverage(&self, texts: &[&str]) -> Result<Option<Coverage>, ModelError> {
        let mut coverage = Coverage::default();
        let letters = texts.iter().flat_map(|text| text.chars());
        for letter in letters.filter(|sign| sign.is_alphabetic()) {
            coverage.count(letter, letter.is_ascii());
        }
        Ok(Some(coverage))
    }
}

fn latin() -> Equipment {
    Equipment::default().embedder(Arc::new(Latin("latin")))
}

fn wanted(sample: &[&str]) -> Wanted {
    Wanted {
        sample: sample.iter().map(|text| (*text).to_owned()).collect(),
        ..Wanted::new(System::Structure)
    }
}

fn taken(open: &Open, id: &str, text: &str) -> Report {
    let document = Incoming {
        id: id.to_owned(),
        bytes: text.as_bytes().to_vec(),
        format: None,
        metadata: crate::Metadata::new(),
    };
    let report = open.upsert(document, &CancelToken::new(), &|_| ()).unwrap();
    assert_eq!(
        (report.documents, report.problems.count_failed),
        (1, 0),
        "{report:?}"
    );
    report
}

#[test]
fn a_new_database_gets_an_embedder_that_reads_what_will_come() {
    let (db, library) = library(latin());
    assert!(library.wants_sample().unwrap());
    let open = library.create(&wanted(&[CHINESE, CHINESE, ROCKS])).unwrap();
    assert_eq!(open.embedder_name(), "lexical-1");
    let note = open.note().unwrap();
    assert!(
        note.contains("latin reads") && note.contains("lexical-1 is used instead"),
        "{note}"
    );
    // Nothing is asked of an embedder that reads all writing.
    assert_eq!(taken(&open, "审计.md", CHINESE).count_unread, 0);
    // From then on it is as it was built, and whoever would have it otherwise is told.
    assert!(!library.wants_sample().unwrap());
    let again = library.create(&wanted(&[ROCKS])).unwrap();
    assert_eq!(again.embedder_name(), "lexical-1");
    assert!(again.note().unwrap().contains("latin is not used"));
    let opened = Library::new(&db, Equipment::default()).open().unwrap();
    assert_eq!(opened.note(), None);
    // An embedder that reads all, or no texts at all: nothing to be told.
    assert!(
        !Library::new(&db, Equipment::default())
            .wants_sample()
            .unwrap()
    );
}

#[test]
fn one_that_reads_enough_or_is_insisted_on_stays() {
    for sample in [&[ROCKS, ROCKS, CHINESE][..], &[]] {
        let (_db, library) = library(latin());
        let open = library.create(&wanted(sample)).unwrap();
        assert_eq!((open.embedder_name(), open.note()), ("latin", None));
    }
    // A forecast is of the same layers.
    let (db, library) = library(latin());
    let open = library.imagine(&wanted(&[CHINESE])).unwrap();
    assert_eq!(open.embedder_name(), "lexical-1");
    assert!(crate::build::Built::of(&db).unwrap().is_none());
}

#[test]
fn a_model_of_english_alone_gets_no_other_language() {
    let named = || Equipment::default().embedder(Arc::new(Latin("all-MiniLM-L6-v2")));
    for (text, embedder) in [(ITALIAN, "lexical-1"), (ROCKS, "all-MiniLM-L6-v2")] {
        let (_db, library) = library(named());
        let open = library.create(&wanted(&[text])).unwrap();
        assert_eq!(open.embedder_name(), embedder);
        let told = open
            .note()
            .is_some_and(|note| note.contains("English alone"));
        assert_eq!(told, text == ITALIAN);
    }
}

#[test]
fn where_no_embedder_is_named_that_of_the_database_is_opened_by_its_name() {
    let names = ["latin", "roman"];
    let databases = names.map(|name| {
        let (db, library) = library(Equipment::default().embedder(Arc::new(Latin(name))));
        library.create(&wanted(&[ROCKS])).unwrap();
        db
    });
    let opened = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&opened);
    let finds = move |name: &str| {
        counted.fetch_add(1, Ordering::Relaxed);
        let known = names.into_iter().find(|known| *known == name)?;
        Some(Arc::new(Latin(known)) as Arc<dyn Embedder>)
    };
    let untold = Equipment::default().embedder_by_name(finds);
    // A server opens them in any order.
    for _ in 0..2 {
        for (db, name) in databases.iter().zip(names) {
            let open = Library::new(db, untold.clone()).open().unwrap();
            assert_eq!((open.embedder_name(), open.note()), (name, None));
        }
    }
    let count = opened.load(Ordering::Relaxed);
    assert_eq!(count, 2, "the weights of each are read once");
    // A new database gets the one of letters, and what is called otherwise is not taken.
    let fresh = Library::new(&Database::in_memory().unwrap(), untold);
    let open = fresh.create(&wanted(&[])).unwrap();
    assert_eq!(open.embedder_name(), "lexical-1");
    let other = |_: &str| Some(Arc::new(Latin("greek")) as Arc<dyn Embedder>);
    let wrong = Library::new(&databases[0], Equipment::default().embedder_by_name(other));
    assert!(matches!(wrong.open(), Err(DoorError::NoEmbedder { .. })));
}

#[test]
fn what_the_embedder_of_a_database_cannot_read_is_told_of_each_document() {
    let (db, library) = library(latin());
    let open = library.create(&wanted(&[ROCKS])).unwrap();
    assert_eq!(taken(&open, "rocks.md", ROCKS).count_unread, 0);
    let report = taken(&open, "审计.md", CHINESE);
    assert_eq!((report.count_unread, report.unread.len()), (1, 1));
    let told = report.unread[0].to_string();
    assert!(
        told.starts_with("审计.md: latin reads ") && told.contains("Han: 0 %"),
        "{told}"
    );
    // By a call it is among the problems.
    let upsert =
        "CALL rag.upsertDocument({id: 'b.md', content: $text}) YIELD problems RETURN problems";
    let mut found = db.query(upsert, [("text", CHINESE)]).unwrap();
    let problems: Vec<String> = found.next().unwrap().unwrap().get("problems").unwrap();
    assert!(
        problems.len() == 1 && problems[0].starts_with("b.md: latin reads"),
        "{problems:?}"
    );
}

#[test]
fn lists_of_facts_are_looked_at_as_well() {
    let fact = "{\"subject\": \"审计机关\", \"relation\": \"监督\", \"object\": \"国有企业\", \"source\": \"第一条\"}\n";
    let list = Incoming {
        id: "facts.jsonl".to_owned(),
        bytes: fact.as_bytes().to_vec(),
        format: None,
        metadata: crate::Metadata::new(),
    };
    let text = list.beginning(&latin()).unwrap();
    assert_eq!(text, "审计机关 监督 国有企业 第一条");
    let (_db, library) = library(latin());
    let open = library.create(&Wanted::new(System::Triples)).unwrap();
    let report = taken(&open, "facts.jsonl", fact);
    assert_eq!(report.count_unread, 1);
}

#[test]
fn a_call_says_what_will_come_and_how_it_is_cut() {
    let (db, _) = library(latin());
    let create = "CALL rag.createLayers('structure', {sample: [$text], chunks: 'sentences:1'})";
    let mut made = db.query(create, [("text", CHINESE)]).unwrap();
    let row = made.next().unwrap().unwrap();
    drop(made);
    assert_eq!(row.get::<String>("embedder").unwrap(), "lexical-1");
    assert!(row.get::<String>("note").unwrap().contains("latin reads"));
    let three = "# A\n\nOne is here. Two is here. Three is here.\n";
    let upsert = "CALL rag.upsertDocument({id: 'a.md', content: $text}) YIELD pieces RETURN pieces";
    let mut taken = db.query(upsert, [("text", three)]).unwrap();
    assert_eq!(
        taken.next().unwrap().unwrap().get::<i64>("pieces").unwrap(),
        3
    );
    drop(taken);
    // It is decided once, as all else.
    for (chunks, refused) in [
        (
            ", {chunks: 'structure:512'}",
            "built with chunks = sentences:1/0, not structure:512",
        ),
        (
            ", {chunks: 'sentences:1*3'}",
            "built with chunks = sentences:1/0, not sentences:1/0*3",
        ),
        (", {chunks: 'cakes:1'}", "`cakes:1` is no way to cut"),
        (", {sample: 'one'}", "`sample` is a list of texts"),
    ] {
        let call = format!("CALL rag.createLayers('structure'{chunks})");
        let error = db.query(&call, ()).unwrap_err().to_string();
        assert!(error.contains(refused), "{call}: {error}");
    }
    for same in ["", ", {chunks: 'sentences:1/0*1'}"] {
        let again = format!("CALL rag.createLayers('structure'{same})");
        assert_eq!(rows(&db, &again).len(), 1);
    }
}
