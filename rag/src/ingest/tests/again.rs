//! Documents that come again: what has not changed costs nothing, and what has is never left alone.

use std::sync::atomic::{AtomicUsize, Ordering};

use stratigraph_models::{Embedder, Generator, ModelError, Reply, Rows};

use super::*;
use crate::build::Called;
use crate::chunk::{Chunking, Words};
use crate::extract::Rules;

/// Counts what it is asked.
#[derive(Default)]
struct Counting {
    embedded: AtomicUsize,
    measured: AtomicUsize,
}

impl Embedder for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn dimensions(&self) -> usize {
        Lexical::new().dimensions()
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
        Lexical::new().embed(texts)
    }

    fn token_ends(&self, _: &str) -> Result<Option<Vec<usize>>, ModelError> {
        self.measured.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    }
}

/// A model under another name.
struct Named(&'static str, Recorded);

impl Generator for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn generate(&self, request: &Request) -> Result<Reply, ModelError> {
        self.1.generate(request)
    }
}

/// One call for each section that has words.
fn recipe() -> Recipe {
    Recipe::new(System::Triples, 200).chunking(Chunking::Structure { limit: 200 })
}

#[test]
fn who_comes_again_unchanged_costs_nothing() {
    let recipe = recipe();
    let (db, embedder) = (
        Database::in_memory().unwrap(),
        Arc::new(Counting::default()),
    );
    let layers = Layers::open(&db, recipe.profile(), Arc::clone(&embedder) as _).unwrap();
    let model = Arc::new(model(""));
    let spent = || {
        let [embedded, measured] =
            [&embedder.embedded, &embedder.measured].map(|count| count.load(Ordering::Relaxed));
        let commit = db.read().unwrap().commit_seq();
        (embedded, measured, model.asked().len(), commit)
    };
    let ingest = || Ingest::new(&layers, &recipe).model(Arc::clone(&model) as _);
    // More than are held at a time.
    let first = ingest().run(documents(70), &|_| ());
    assert_eq!((first.documents, first.unchanged), (70, 0), "{first:?}");
    let paid = spent();
    // What stands under the same titles in all of them is asked once.
    assert!(paid.0 > 70 && paid.1 >= 70 && paid.2 == 71, "{paid:?}");
    let again = ingest().run(documents(70), &|_| ());
    assert_eq!((again.documents, again.unchanged), (70, 70));
    assert_eq!((again.pieces, again.bytes), (0, first.bytes));
    assert_eq!(again.change.written + again.change.deleted, 0);
    assert!(again.change.unchanged > 70);
    assert_eq!(spent(), paid, "embedded, measured, asked, committed");
    ingest().forecast(documents(70)).unwrap();
    assert_eq!(spent(), paid, "a forecast");
}

#[test]
fn what_would_be_taken_in_otherwise_is_not_left_alone() {
    let recipe = recipe();
    let layers = layers(&recipe);
    let by = |name| Arc::new(Named(name, model("")));
    let ingest = |name| Ingest::new(&layers, &recipe).model(by(name));
    let unchanged = |ingest: Ingest<'_>| {
        let report = ingest.run(documents(1), &|_| ());
        assert_eq!(report.documents, 1, "{report:?}");
        report.unchanged
    };
    assert_eq!(unchanged(ingest("a")), 0);
    assert_eq!(unchanged(ingest("a")), 1);
    // Another model, none, and the first again.
    assert_eq!(unchanged(ingest("b")), 0);
    assert_eq!(unchanged(Ingest::new(&layers, &recipe)), 0);
    assert_eq!(unchanged(ingest("a")), 0);
    assert_eq!(unchanged(ingest("a")), 1);
    // Other pieces.
    let shorter = recipe.clone().chunking(Chunking::Structure { limit: 199 });
    assert_eq!(unchanged(Ingest::new(&layers, &shorter).model(by("a"))), 0);
    assert_eq!(unchanged(ingest("a")), 0);
    // Names, agreed and taken back.
    let agree = |stands| layers.agree(Called::Relation, "approved", stands).unwrap();
    assert!(agree(Some("passed")));
    assert_eq!(unchanged(ingest("a")), 0);
    assert_eq!(unchanged(ingest("a")), 1);
    assert!(agree(None));
    assert_eq!(unchanged(ingest("a")), 0);
    // Whoever reads or measures in his own way may do it otherwise now.
    for _ in 0..2 {
        assert_eq!(unchanged(ingest("a").measure(&Words)), 0);
        assert_eq!(unchanged(ingest("a").extractor(Box::new(Rules::new()))), 0);
    }
    assert_eq!(unchanged(ingest("a")), 0);
    // Metadata alone.
    let known = |year: i64| {
        let source = Source::new("000.md", TEXT.as_bytes());
        source
            .metadata([("year".to_owned(), year.into())].into())
            .read(Format::Markdown)
    };
    for (year, there) in [(2023, 0), (2023, 1), (2024, 0)] {
        let report = ingest("a").run([known(year)], &|_| ());
        assert_eq!((report.documents, report.unchanged), (1, there), "{year}");
    }
}

#[test]
fn what_somebody_has_meddled_with_is_mended() {
    let recipe = recipe();
    let layers = layers(&recipe);
    let ingest = || Ingest::new(&layers, &recipe).run(documents(2), &|_| ());
    ingest();
    let whole = dump(&layers);
    let db = layers.database();
    for meddled in [
        "MATCH (c:Chunk {document: '000.md'}) SET c.embedding = null",
        "MATCH (c:Chunk {document: '000.md'}) SET c.text = 'Nothing.'",
        "MATCH (c:Chunk {document: '000.md'}) DETACH DELETE c",
        "MATCH (d:Document {key: '000.md'}) SET d.taken_in = null",
        "MATCH (c:Chunk {document: '000.md'})-[r:MENTIONS]->() SET r.name = 'Zenda'",
    ] {
        let rows = db.query(meddled, ()).unwrap();
        rows.for_each(|row| drop(row.unwrap()));
        let report = ingest();
        assert_eq!((report.documents, report.unchanged), (2, 1), "{meddled}");
        assert!(dump(&layers) == whole, "{meddled}");
        assert_eq!(ingest().unchanged, 2, "{meddled}");
    }
}

#[test]
fn of_one_that_comes_twice_the_last_stays() {
    let recipe = recipe();
    let layers = layers(&recipe);
    let ingest = Ingest::new(&layers, &recipe);
    let (old, new) = (TEXT.to_owned(), TEXT.replace("2023", "1848"));
    let run = |texts: &[&String]| {
        let documents = texts.iter().map(|text| read("a.md", text));
        ingest.run(documents.collect::<Vec<_>>(), &|_| ())
    };
    run(&[&old]);
    let as_old = dump(&layers);
    let report = run(&[&old, &new, &old]);
    assert_eq!((report.documents, report.unchanged), (3, 1));
    assert_eq!(dump(&layers), as_old);
    run(&[&old, &new]);
    assert_ne!(dump(&layers), as_old);
}

#[test]
fn who_is_new_and_who_takes_the_place_of_another_text_is_counted_and_foreseen() {
    let recipe = recipe();
    let layers = layers(&recipe);
    let ingest = || Ingest::new(&layers, &recipe);
    let other = || read("001.md", &TEXT.replace("2023", "1848"));
    let three = || {
        let mut documents = documents(3);
        documents[1] = other();
        documents
    };
    let twice = || vec![read("001.md", TEXT), other()];
    let many = |documents: &dyn Fn() -> Vec<Result<Document, ReadError>>| {
        let forecast = ingest().forecast(documents()).unwrap();
        let change = ingest().run(documents(), &|_| ()).change;
        let counts = (change.added_documents, change.changed_documents);
        let foreseen = (forecast.added_documents, forecast.changed_documents);
        (foreseen, counts)
    };
    assert_eq!(many(&|| documents(2)), ((2, 0), (2, 0)));
    assert_eq!(many(&three), ((1, 1), (1, 1)));
    assert_eq!(many(&three), ((0, 0), (0, 0)), "they are there");
    // A run compares one after the other, and a forecast each with what is there.
    assert_eq!(many(&twice), ((0, 1), (0, 2)));
    let new = || vec![read("new.md", TEXT), read("new.md", TEXT)];
    assert_eq!(many(&new), ((2, 0), (1, 0)));
    // Whoever else reads them, and whatever is known of them: their texts are the same.
    let model = Arc::new(model(""));
    let report = ingest().model(model).run(three(), &|_| ());
    let change = &report.change;
    assert_eq!((report.unchanged, change.added_documents), (0, 0));
    assert!(change.changed_documents == 0 && change.written > 0);
    // One that has gone is new when it comes again.
    let gone = layers.delete("001.md").unwrap();
    assert_eq!((gone.added_documents, gone.changed_documents), (0, 0));
    assert_eq!(many(&|| vec![other()]), ((1, 0), (1, 0)));
    // Lists are documents, too.
    let lists = |object: &str| {
        let fact =
            format!("{{\"subject\": \"a\", \"relation\": \"is\", \"object\": \"{object}\"}}\n");
        let list = || [list("facts", Cursor::new(fact.clone()))];
        let forecast = ingest().forecast_lists(list());
        let change = ingest().run_lists(list(), &|_| ()).change;
        let foreseen = (forecast.added_documents, forecast.changed_documents);
        assert_eq!(foreseen, (change.added_documents, change.changed_documents));
        foreseen
    };
    assert_eq!(["b", "b", "c"].map(lists), [(1, 0), (0, 0), (0, 1)]);
    // What a list says is what its facts say under agreed names.
    assert!(
        layers
            .agree(Called::Relation, "is", Some("equals"))
            .unwrap()
    );
    assert_eq!(["c", "c"].map(lists), [(0, 1), (0, 0)]);
    // A name that no document may have is foreseen.
    let long = || [read(&"x".repeat(2000), TEXT)];
    let forecast = ingest().forecast(long()).unwrap();
    assert_eq!((forecast.documents, forecast.problems.count_failed), (0, 1));
    assert_eq!(ingest().run(long(), &|_| ()).problems.count_failed, 1);
}

/// Has no vectors for texts with this word.
struct Without(&'static str);

impl Embedder for Without {
    fn name(&self) -> &str {
        "without"
    }

    fn dimensions(&self) -> usize {
        Lexical::new().dimensions()
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        match texts.iter().any(|text| text.contains(self.0)) {
            true => Err(ModelError::NothingRecorded),
            false => Lexical::new().embed(texts),
        }
    }
}

#[test]
fn where_one_cannot_be_written_the_others_are_counted_once() {
    let recipe = Recipe::new(System::Structure, 200);
    let db = Database::in_memory().unwrap();
    let embedder = Arc::new(Without("1848"));
    let layers = Layers::open(&db, recipe.profile(), embedder).unwrap();
    let run = |year: &str| {
        let mut three = documents(3);
        three[0] = read("000.md", &TEXT.replace("2023", year));
        three[1] = read("001.md", &TEXT.replace("2023", "1848"));
        let report = Ingest::new(&layers, &recipe).run(three, &|_| ());
        let change = &report.change;
        let counts = (change.added_documents, change.changed_documents);
        (report.documents, report.problems.count_failed, counts)
    };
    // All of them together first, and then each by itself.
    assert_eq!(run("2023"), (2, 1, (2, 0)));
    assert_eq!(run("2024"), (2, 1, (0, 1)));
}

#[test]
fn an_edit_asks_the_model_only_about_the_pieces_that_changed() {
    let recipe = recipe();
    let (layers, fresh) = (layers(&recipe), layers(&recipe));
    let model = Arc::new(model(""));
    let ingest = || Ingest::new(&layers, &recipe).model(Arc::clone(&model) as _);
    ingest().run(documents(5), &|_| ());
    let paid = model.asked().len();
    assert_eq!(paid, 6, "one section is the same in all of them");
    let edited = || {
        let mut documents = documents(5);
        documents[2] = read("002.md", &TEXT.replace("budget of 2023", "budget of 1848"));
        documents
    };
    let report = ingest().run(edited(), &|_| ());
    assert_eq!((report.documents, report.unchanged), (5, 4));
    assert_eq!((report.cost.calls, report.cost.kept), (1, 1));
    // A chunk goes and one comes, and it alone has a vector of its own.
    assert_eq!(report.change.vectors, 1, "{:?}", report.change);
    let asked = model.asked();
    assert_eq!(asked.len(), paid + 1);
    let asked = &asked[paid].messages.last().unwrap().text;
    assert!(
        asked.contains("budget of 1848") && !asked.contains("raised its rates"),
        "{asked}"
    );
    // Back to what it was: that is paid for already.
    let back = ingest().run(documents(5), &|_| ());
    assert_eq!((back.cost.calls, back.cost.kept), (0, 2));
    ingest().run(edited(), &|_| ());
    let new = Ingest::new(&fresh, &recipe).model(Arc::clone(&model) as _);
    new.run(edited(), &|_| ());
    assert_eq!(dump(&layers), dump(&fresh));
}
