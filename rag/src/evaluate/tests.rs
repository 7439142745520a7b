//! A small set, read, asked and judged.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::{Lexical, Recorded, Request};

use super::*;
use crate::door::{Equipment, Library, Open, Wanted};
use crate::ingest::System;
use crate::retrieve::{Pipeline, Retrieved};

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
    built_in(&Database::in_memory().unwrap(), set, System::Structure)
}

fn built_in(db: &Database, set: &LabelledSet, system: System) -> Open {
    let equipment = Equipment::default().embedder(Arc::new(Lexical::new()));
    let wanted = Wanted {
        filters: set.filters().into_iter().map(str::to_owned).collect(),
        ..Wanted::new(system)
    };
    let open = Library::new(db, equipment).create(&wanted).unwrap();
    let report = open
        .ingestion(&CancelToken::new())
        .run(set.documents(), &|_| ());
    assert!(
        report.problems.failed.is_empty(),
        "{:?}",
        report.problems.failed
    );
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
            "{\"question\": \"?\", \"gold\": []}\n\n{\"question\": \"!\"}",
            "questions.jsonl, line 3: has no `gold`",
        ),
        (
            CORPUS,
            "{\"question\": \"?\"}\n{\"question\": \"!\", \"gold\": []}",
            "questions.jsonl, line 2: says what answers it",
        ),
        (
            CORPUS,
            "{\"question\": \"?\"}\n{\"question\": \"!\"}",
            "nobody says what answers its 2 questions",
        ),
        (
            CORPUS,
            "{\"id\": 1, \"question\": \"?\", \"gold\": []}\n{\"id\": \"1\", \"question\": \"!\", \"gold\": []}",
            "two of its questions have the id \"1\"",
        ),
        (
            "{\"id\": 1, \"text\": \"a\"}\n{\"id\": 1, \"text\": \"b\"}",
            "{\"question\": \"?\", \"gold\": []}",
            "two of its documents have the id \"1\"",
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
    // All that name documents, also by the texts in them.
    assert_eq!(run.mean("r1").unwrap().count, 4);
    assert_eq!(run.questions[0].found, ["rocks"]);
    // Of which nobody says how it is answered in words.
    assert!(!run.questions[2].values.contains_key("answer_in_context"));
    assert!(run.questions[0].confidence.unwrap() > 0.0);
    assert_eq!(run.questions[3].confidence, None);
    assert_eq!(
        (value(0, "packed_recall"), value(0, "packed_ap")),
        (1.0, 1.0)
    );
    let nothing = evaluated(&set, &judge, &open, "direct");
    assert_eq!(nothing.mean("r1").unwrap().mean, 0.0);
    assert_eq!(nothing.questions[2].values["covered"], 0.0);
    assert_eq!(nothing.questions[0].values["answer_in_context"], 0.0);
    let changed = run.changed(&nothing, "r1");
    let all = ["a", "1", "c", "e"];
    assert_eq!(changed, all.map(|question| (question, 1.0, 0.0)));
}

#[test]
fn a_set_may_be_asked_so_that_nothing_is_missed() {
    let folder = folder(CORPUS, QUESTIONS);
    let mut set = LabelledSet::read(folder.path()).unwrap();
    for exact in [false, true] {
        set.exact = exact;
        for set in [&set, &set.without_filters()] {
            let mut questions = set.questions.iter().map(|one| set.question(one).unwrap());
            assert!(questions.all(|question| question.is_exact() == exact));
        }
    }
}

const ASKS: &str = "name = 'p'
[[stage]]
name = 'wordings'
run.multi_query = { n = 1, search.bm25 = { k = 5 } }
[[stage]]
name = 'triples'
run.extract_triples = { of = 'facts_with_sources', k = 5 }
[[stage]]
name = 'sections'
run.descend = { keep = 5, recover = 2, judged = true }
[[stage]]
name = 'all'
from = ['wordings', 'triples', 'sections']
run.fuse = {}
[[stage]]
name = 'judged'
run.judge = { take = 9 }";

#[test]
fn what_pipelines_ask_of_models_is_counted() {
    let folder = folder(CORPUS, QUESTIONS);
    let set = LabelledSet::read(folder.path()).unwrap();
    let judge = Judge::new(&set).unwrap();
    let model = Arc::new(Recorded::by(|request: &Request| {
        let reply = match request.schema.as_ref()?.name() {
            "wordings" => r#"{"wordings": ["Which rock flows?"]}"#,
            "question_triples" => r#"{"triples": []}"#,
            _ => r#"{"relevant": ["1"]}"#,
        };
        Some(reply.to_owned())
    }));
    let db = Database::in_memory().unwrap();
    built_in(&db, &set, System::Triples);
    let equipment = Equipment::default().model(Arc::clone(&model) as _, 1);
    let equipment = equipment.embedder(Arc::new(Lexical::new()));
    let open = Library::new(&db, equipment).open().unwrap();
    let run = evaluated(&set, &judge, &open, ASKS);
    let asked = model.asked();
    let sum = |of: fn(&Evaluated) -> u64| run.questions.iter().map(of).sum::<u64>();
    assert_eq!(sum(|one| one.cost.calls), asked.len() as u64);
    // Each is put in other words, read as facts, and has what was found judged.
    assert!(run.questions.iter().all(|one| one.cost.calls >= 3));
    assert!(run.questions.iter().any(|one| one.cost.calls > 3));
    let texts = asked.iter().flat_map(|request| &request.messages);
    let read: usize = texts.map(|message| message.text.len().div_ceil(4)).sum();
    assert_eq!(sum(|one| one.cost.input_tokens), read as u64);
    let questions = run.questions.len() as f64;
    assert_eq!(
        run.mean_calls().unwrap().mean,
        asked.len() as f64 / questions
    );
    let written = sum(|one| one.cost.output_tokens);
    assert!(written > 0);
    let tokens = (read as u64 + written) as f64;
    assert_eq!(run.mean_tokens().unwrap().mean, tokens / questions);
    // The same questions are not paid for twice, and who asks nobody pays nothing.
    for pipeline in [ASKS, "vector"] {
        let free = evaluated(&set, &judge, &open, pipeline);
        let paid = [free.mean_calls(), free.mean_tokens()];
        assert_eq!(paid.map(|mean| mean.unwrap().mean), [0.0, 0.0]);
    }
    assert_eq!(model.asked().len(), asked.len());
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

/// A pipeline of one stage.
fn pipeline(run: &str) -> String {
    format!("name = 'p'\n[[stage]]\nname = 'a'\nrun.{run}")
}

#[test]
fn filters_limit_and_are_taken_away() {
    let folder = folder(CORPUS, QUESTIONS);
    let set = LabelledSet::read(folder.path()).unwrap();
    let (judge, open) = (Judge::new(&set).unwrap(), built(&set));
    let near = pipeline("vector = { of = 'chunks', k = 9 }");
    let limited = evaluated(&set, &judge, &open, &near);
    assert_eq!(limited.questions[1].found, ["7"]);
    let unlimited = set.without_filters();
    assert!(unlimited.name.ends_with("_unfiltered") && unlimited.filters().is_empty());
    let all = evaluated(&unlimited, &judge, &open, &near);
    assert_eq!(all.questions[1].found.len(), 2);
    assert_eq!(all.questions[2].values["covered10"], 1.0);
}

#[test]
fn documents_say_more_of_their_pages() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "pages.jsonl",
        "{\"doc\": \"A\", \"page\": 0, \"text\": \"One.\"}",
    );
    write(
        "documents.jsonl",
        "{\"doc\": \"A\", \"company\": \"Ann\", \"page\": 7}\n{\"doc\": \"B\", \"company\": \"Bob\"}",
    );
    let gone =
        "{\"question\": \"Where?\", \"gold\": [{\"doc\": \"C\", \"page\": 1, \"text\": \"\"}]}";
    let here = "{\"question\": \"One?\", \"gold\": [{\"doc\": \"A\", \"page\": 0, \"text\": \"\"}, {\"doc\": \"C\", \"page\": 1}]}";
    write("questions.jsonl", &format!("{gone}\n{here}"));
    let set = LabelledSet::read(folder.path()).unwrap();
    assert_eq!(set.corpus[0].metadata["company"], "Ann".into());
    // What the page says itself stays.
    assert_eq!(set.corpus[0].metadata["page"], 0.into());
    assert_eq!(set.questions.len(), 1);
    let notes = set.notes.join("\n");
    assert!(
        notes.contains("1 of its 2 questions are about what is not in its corpus"),
        "{notes}"
    );
    assert!(notes.contains("1 of its questions are in part"), "{notes}");
}

#[test]
fn evidence_is_texts_of_documents_and_what_is_not_covered_is_left_out() {
    let corpus = "{\"title\": \"Rocks\", \"body\": \"Basalt was lava. Chalk is white.\"}\n{\"title\": \"Seas\", \"body\": \"Salt.\"}";
    let questions = [
        "{\"question\": \"lava\", \"covered\": true, \"evidence\": [{\"title\": \"Rocks\", \"fact\": \"Basalt was lava.\"}, {\"title\": \"Rocks\", \"fact\": \"Chalk  is white.\"}]}",
        "{\"question\": \"moon\", \"covered\": false, \"evidence\": [{\"title\": \"Moons\", \"fact\": \"Far.\"}]}",
    ];
    let folder = folder(corpus, &questions.join("\n"));
    let set = LabelledSet::read(folder.path()).unwrap();
    assert_eq!(set.questions.len(), 1);
    assert!(
        set.notes[0].contains("1 of its 2 questions are not covered"),
        "{:?}",
        set.notes
    );
    let (judge, open) = (Judge::new(&set).unwrap(), built(&set));
    assert_eq!(judge.missing(), 0);
    let run = evaluated(&set, &judge, &open, &pipeline("bm25 = { k = 5 }"));
    let values = &run.questions[0].values;
    assert_eq!(
        (values["r1"], values["covered"], values["all"]),
        (1.0, 1.0, 1.0)
    );
}

#[test]
fn what_was_extracted_already_is_what_the_graph_says() {
    let corpus = "{\"id\": \"a\", \"title\": \"Rocks\", \"text\": \"Etna is high.\", \"entities\": [\"lava\"], \"triples\": [[\"lava\", \"is\", \"hot\"], [\"lava\", \"is\"], [\"a\", 1, \"b\"], \"c\"]}";
    let folder = folder(corpus, "{\"question\": \"?\", \"gold\": [\"a\"]}");
    let set = LabelledSet::read(folder.path()).unwrap();
    let said = &set.said()["a"];
    assert_eq!((said.entities.len(), said.triples.len()), (1, 1));
    assert!(
        set.notes[0].starts_with("3 of the triples"),
        "{:?}",
        set.notes
    );
    assert!(!set.corpus[0].metadata.contains_key("triples"));
    // Another extraction is another graph.
    let other = corpus.replace("hot", "cold");
    fs::write(folder.path().join("corpus.jsonl"), other).unwrap();
    let again = LabelledSet::read(folder.path()).unwrap();
    assert_ne!(again.fingerprint(), set.fingerprint());
}

const TRIPLES: &str = r#"{"id": 0, "e1": "Basalt", "rel": "was", "e2": "lava", "source": "p. 1"}
{"id": 1, "e1": "lava", "rel": "was", "e2": "Basalt", "source": "p. 1", "reversed_of": 0}
{"id": 2, "e1": "Basalt", "rel": "is", "e2": "black", "source": "p. 2"}
{"id": 3, "e1": "Chalk", "rel": "is", "e2": "white", "source": "p. 3"}
{"id": 4, "e1": "Chalk", "rel": "", "e2": "soft", "source": "p. 3"}
"#;

/// A set of facts with its graph.
fn of_facts(questions: &str) -> (LabelledSet, Judge, Open, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("triples.jsonl"), TRIPLES).unwrap();
    fs::write(folder.path().join("questions.jsonl"), questions).unwrap();
    assert!(LabelledSet::is_one(folder.path()));
    let set = LabelledSet::read(folder.path()).unwrap();
    let equipment = Equipment::default().embedder(Arc::new(Lexical::new()));
    let db = Database::in_memory().unwrap();
    let open = Library::new(&db, equipment)
        .create(&Wanted::new(System::Triples))
        .unwrap();
    let report = open
        .ingestion(&CancelToken::new())
        .run_lists(set.fact_lists().into_iter().map(Ok), &|_| ());
    assert_eq!(
        (
            report.problems.count_failed,
            report.problems.count_broken_lines
        ),
        (0, 1)
    );
    // The one that says the same the other way round is not there twice.
    let facts = open.layers().database().read().unwrap();
    assert_eq!(
        stratigraph::Read::relationship_count(&facts, Some("FACT")).unwrap(),
        3
    );
    let judge = Judge::new(&set).unwrap();
    (set, judge, open, folder)
}

#[test]
fn facts_are_judged_whichever_way_they_are_written() {
    let questions = r#"{"id": "h", "question": "basalt was lava", "category": "1_hop", "gold": [1, 3]}
{"id": "o", "question": "Who won?", "category": "out_of_domain", "gold": []}
"#;
    let (set, judge, open, _folder) = of_facts(questions);
    assert_eq!(set.questions[0].kind, "single_hop");
    assert_eq!(
        set.questions[0].gold,
        Gold::Facts(vec!["1".into(), "3".into()])
    );
    let facts = pipeline("vector = { of = 'facts_with_sources', k = 2 }");
    let run = evaluated(&set, &judge, &open, &facts);
    let values = &run.questions[0].values;
    // 1 is 0 the other way round, and first; the second is 2, which is not right.
    assert_eq!(run.questions[0].found, ["0", "2"]);
    assert_eq!(
        (values["cp"], values["recall"], values["ap"]),
        (1.0, 0.5, 0.5)
    );
    assert_eq!((values["recall50"], values["cr"]), (0.5, 1.0));
    let found = &run.questions[1].values;
    assert_eq!(
        (found["refused"], found["cp"], found["recall"]),
        (0.0, 0.0, 0.0)
    );
    let nothing = evaluated(&set, &judge, &open, "direct");
    let values = &nothing.questions[1].values;
    assert_eq!(
        (values["refused"], values["cp"], values["recall"]),
        (1.0, 1.0, 1.0)
    );
    assert_eq!(nothing.questions[0].values["recall"], 0.0);
    let kinds: Vec<&str> = run.kinds().into_iter().collect();
    assert_eq!(kinds, ["out_of_domain", "single_hop"]);
    assert_eq!(run.mean_of_kind("single_hop", "cp").unwrap().mean, 1.0);
    assert_eq!(run.mean("cp").unwrap().mean, 0.5);
}

#[test]
fn a_chunk_among_facts_counts_for_nothing() {
    let questions = r#"{"question": "chalk is white", "gold": [3]}"#;
    let (set, judge, open, _folder) = of_facts(questions);
    let both = "name = 'p'
[[stage]]
name = 'texts'
run.vector = { of = 'chunks', k = 3 }
[[stage]]
name = 'facts'
run.vector = { of = 'facts', k = 1 }
[[stage]]
name = 'both'
from = ['texts', 'facts']
run.fuse = { by = 'concatenate' }";
    let run = evaluated(&set, &judge, &open, both);
    let values = &run.questions[0].values;
    assert_eq!(
        (values["cp"], values["ap"], values["recall"]),
        (1.0, 1.0, 1.0)
    );
    assert_eq!(run.questions[0].found, ["3"]);
}

#[test]
fn who_asks_for_a_hub_is_told_all_that_counts() {
    let hub = Labelled {
        id: "h".into(),
        text: "?".into(),
        kind: String::new(),
        only: crate::Metadata::new(),
        gold: Gold::Facts((0..547).map(|id| id.to_string()).collect()),
        answers: Vec::new(),
    };
    let (_, judge, ..) = of_facts("{\"question\": \"?\", \"gold\": [0]}");
    // A tenth more than 547, and as much again of what does not count.
    assert_eq!(judge.needs(&hub), 1000 + 602);
}

#[test]
fn what_ask_refuses_counts_as_refused() {
    let folder = folder(CORPUS, QUESTIONS);
    let set = LabelledSet::read(folder.path()).unwrap();
    let (judge, open) = (Judge::new(&set).unwrap(), built(&set));
    let unanswered = &set.questions[3];
    assert_eq!(unanswered.gold, Gold::Nothing);
    let question = unanswered.question().unwrap();
    let retrieved = |pipeline: &Pipeline| -> Retrieved {
        open.retrieve(pipeline, &question, &CancelToken::new())
            .unwrap()
    };
    let refused = |retrieved: &Retrieved| judge.values(unanswered, retrieved)["refused"];
    let mut nearest = Pipeline::of(&pipeline("vector = { of = 'chunks', k = 9 }")).unwrap();
    let mut found = retrieved(&nearest);
    assert!(!found.found.is_empty());
    assert_eq!(refused(&found), 0.0);
    // Below the threshold that somebody has found, and not at it.
    let value = found.confidence.value;
    for (threshold, is_refused) in [(value + 0.1, 1.0), (value, 0.0)] {
        found.threshold = Some(threshold);
        assert_eq!(refused(&found), is_refused, "{threshold}");
    }
    // Nothing of it fits.
    nearest.budget = 1;
    assert_eq!(refused(&retrieved(&nearest)), 1.0);
}

#[test]
fn a_document_counts_where_it_is_first() {
    let corpus = [
        r##"{"id": "a", "text": "# One\n\nBasalt was lava.\n\n# Two\n\nBasalt is lava."}"##,
        r##"{"id": "b", "text": "Lava cools."}"##,
    ];
    let questions = r#"{"question": "basalt lava", "gold": ["b", "c"], "answer": "cools"}"#;
    let folder = folder(&corpus.join("\n"), questions);
    let set = LabelledSet::read(folder.path()).unwrap();
    assert!(
        set.notes[0].contains("1 of its questions are in part"),
        "{:?}",
        set.notes
    );
    let (judge, open) = (Judge::new(&set).unwrap(), built(&set));
    let run = evaluated(&set, &judge, &open, &pipeline("bm25 = { k = 9 }"));
    let one = &run.questions[0];
    // Two chunks of `a` come first, and are one document; of the gold one is there, and second.
    assert_eq!(one.found, ["a", "b"]);
    let value = |name: &str| one.values[name];
    assert_eq!((value("r1"), value("r2"), value("all")), (0.0, 0.5, 0.0));
    assert_eq!(
        (value("mrr"), value("ap"), value("hit1"), value("hit3")),
        (0.5, 0.25, 0.0, 1.0)
    );
    assert_eq!(
        (
            value("support3"),
            value("packed_recall"),
            value("packed_ap"),
            value("packed_cp")
        ),
        (0.5, 0.5, 0.25, 0.5)
    );
    assert_eq!(
        (value("answer_in_context"), value("answer_in_context5")),
        (1.0, 1.0)
    );
    // A context that has no room for it has not got it.
    let mut little = Pipeline::of(&pipeline("bm25 = { k = 9 }")).unwrap();
    little.budget = 1;
    let run = Evaluation::run((&set, &judge), &open, &little, &CancelToken::new(), |_| ()).unwrap();
    let values = &run.questions[0].values;
    assert_eq!((values["packed_recall"], values["r2"]), (0.0, 0.5));
    assert_eq!(
        (values["answer_in_context"], values["answer_in_context10"]),
        (0.0, 1.0)
    );
}
