//! A small set, read, asked and judged.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::Lexical;

use super::*;
use crate::door::{Equipment, Library, Open, Wanted};
use crate::ingest::System;
use crate::retrieve::Pipeline;

const CORPUS: &str = r##"{"id": "rocks", "title": "Rocks", "text": "Basalt was lava.\n\n## Chalk\n\nChalk  is white,\nand soft.", "year": 2021}
{"id": 7, "title": "The Sea", "text": "The sea has salt.", "year": 2022}
"##;

const QUESTIONS: &str = r##"{"id": "a", "question": "What was lava?", "gold": ["rocks"], "answer": "Basalt", "type": "one"}
{"question": "Which has salt?", "gold": {"7": 2}, "answers": ["nothing of it", "the SEA"], "only": {"year": 2022}}
{"id": "c", "question": "What is white?", "gold": [{"doc": "rocks", "passages": ["Chalk is white, and soft.", "Chalk is black."]}]}
{"id": "d", "question": "Who won?", "gold": []}
{"id": "e", "question": "Where is salt?", "gold_doc": "The Sea"}
"##;

fn folder(corpus: &str, questions: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("corpus.jsonl"), corpus).unwrap();
    fs::write(folder.path().join("questions.jsonl"), questions).unwrap();
    folder
}

fn built(set: &LabelledSet) -> Open {
    let db = Database::in_memory().unwrap();
    let equipment = Equipment::default().embedder(Arc::new(Lexical::new()));
    let wanted = Wanted {
        filters: set.filters().into_iter().map(str::to_owned).collect(),
        ..Wanted::new(System::Structure)
    };
    let open = Library::new(&db, equipment).create(&wanted).unwrap();
    let report = open
        .ingestion(&CancelToken::new())
        .run(set.documents(), &|_| ());
    assert!(report.failed.is_empty(), "{:?}", report.failed);
    open
}

fn evaluated(set: &LabelledSet, judge: &Judge, open: &Open, pipeline: &str) -> Evaluation {
    let pipeline = Pipeline::of(pipeline).unwrap();
    Evaluation::run((set, judge), open, &pipeline, &CancelToken::new(), |_| ()).unwrap()
}

#[test]
fn a_set_is_read_as_it_says() {
    let folder = folder(CORPUS, QUESTIONS);
    assert!(LabelledSet::is_one(folder.path()) && !LabelledSet::is_one(Path::new("/nowhere")));
    let set = LabelledSet::read(folder.path()).unwrap();
    let ids: Vec<&str> = set.corpus.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids, ["rocks", "7"]);
    assert_eq!(set.corpus[1].metadata["year"], 2022.into());
    let gold: Vec<&Gold> = set
        .questions
        .iter()
        .map(|question| &question.gold)
        .collect();
    let one = |id: &str, grade| Gold::Documents(vec![(id.to_owned(), grade)]);
    assert_eq!(*gold[0], one("rocks", 1.0));
    assert_eq!(*gold[1], one("7", 2.0));
    assert!(matches!(gold[2], Gold::Texts(texts) if texts[0].1.len() == 2));
    assert_eq!(*gold[3], Gold::Nothing);
    assert_eq!(*gold[4], one("7", 1.0));
    assert_eq!(set.questions[1].id, "1");
    assert_eq!(set.filters().into_iter().collect::<Vec<_>>(), ["year"]);
}

#[test]
fn pages_are_documents() {
    let folder = tempfile::tempdir().unwrap();
    let pages = "{\"doc\": \"A\", \"page\": 0, \"text\": \"One.\"}\n{\"doc\": \"A\", \"page\": 1, \"text\": \"Two.\"}\n";
    fs::write(folder.path().join("pages.jsonl"), pages).unwrap();
    let questions = "{\"question\": \"Two?\", \"doc_name\": \"A\", \"gold\": [{\"doc\": \"A\", \"page\": 1, \"text\": \"Two.\"}]}";
    fs::write(folder.path().join("questions.jsonl"), questions).unwrap();
    let set = LabelledSet::read(folder.path()).unwrap();
    assert_eq!(set.corpus[1].id, "A#1");
    assert_eq!(
        set.questions[0].gold,
        Gold::Documents(vec![("A#1".to_owned(), 1.0)])
    );
    assert_eq!(set.questions[0].only["doc"], "A".into());
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (corpus, questions, problem) in [
        (
            "{\"id\": 1}",
            QUESTIONS,
            "corpus.jsonl, line 1: has no `text`",
        ),
        (
            CORPUS,
            "\n{\"question\": \"?\"}",
            "questions.jsonl, line 2: has no `gold`",
        ),
        (CORPUS, "{", "questions.jsonl, line 1: EOF"),
        (
            CORPUS,
            "{\"question\": \"?\", \"gold_doc\": \"The Moon\"}",
            "no document is called \"The Moon\"",
        ),
    ] {
        let folder = folder(corpus, questions);
        let error = LabelledSet::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn questions_are_asked_and_judged() {
    let folder = folder(CORPUS, QUESTIONS);
    let set = LabelledSet::read(folder.path()).unwrap();
    let (judge, open) = (Judge::new(&set).unwrap(), built(&set));
    assert_eq!(judge.missing(), 1);
    let run = evaluated(
        &set,
        &judge,
        &open,
        "name = 'p'
[[stage]]
name = 'a'
run.bm25 = { k = 1 }",
    );
    let value = |question: usize, name: &str| run.questions[question].values[name];
    assert_eq!((value(0, "r1"), value(0, "answer_in_context")), (1.0, 1.0));
    assert_eq!(
        (value(1, "ndcg10"), value(1, "answer_in_context")),
        (1.0, 1.0)
    );
    // The whole of the one text that is in the document, whatever blanks it has there.
    assert_eq!((value(2, "covered"), value(2, "covered5")), (1.0, 1.0));
    assert_eq!(value(3, "refused"), 1.0);
    assert_eq!(run.mean("r1").unwrap().count, 3);
    assert_eq!(run.questions[0].found, ["rocks"]);
    let nothing = evaluated(&set, &judge, &open, "direct");
    assert_eq!(nothing.mean("r1").unwrap().mean, 0.0);
    assert_eq!(nothing.questions[2].values["covered"], 0.0);
    let changed = run.changed(&nothing, "r1");
    assert_eq!(changed, [("a", 1.0, 0.0), ("1", 1.0, 0.0), ("e", 1.0, 0.0)]);
}

#[test]
fn what_is_covered_is_counted_in_bytes() {
    let corpus = format!(
        "{{\"id\": \"long\", \"text\": \"{}\"}}",
        [
            "# One\\n\\nFirst words here.",
            "# Two\\n\\nOther words there."
        ]
        .join("\\n\\n")
    );
    let questions = "{\"question\": \"other\", \"gold\": [{\"doc\": \"long\", \"passages\": [\"First words here.# TwoOther words there.\"]}]}";
    let folder = folder(&corpus, questions);
    let set = LabelledSet::read(folder.path()).unwrap();
    let (judge, open) = (Judge::new(&set).unwrap(), built(&set));
    assert_eq!(judge.missing(), 0);
    let run = evaluated(
        &set,
        &judge,
        &open,
        "name = 'p'
[[stage]]
name = 'a'
run.bm25 = { k = 1 }",
    );
    // 18 of the 44 bytes from `First` to `there.`.
    let covered = run.questions[0].values["covered"];
    assert!((covered - 18.0 / 44.0).abs() < 1e-9, "{covered}");
}
