//! Judges that say what the test tells them: good ones, one that always prefers the first, and one that writes no JSON.

use std::collections::BTreeSet;
use std::sync::Arc;

use stratigraph_models::{Embedder, Lexical, ModelError, Recorded, Request, Rows};

use super::*;
use crate::evaluate::Posed;
use crate::extract::model::Criterion;
use crate::extract::{Calls, MemoryCache, text_at};

/// A judge that answers each prompt by its name.
fn judge(answer: impl Fn(&str, &str) -> Option<String> + Send + Sync + 'static) -> Judging {
    let model = Recorded::by(move |request: &Request| {
        let schema = request.schema.as_ref()?;
        answer(schema.name(), &request.messages[1].text)
    });
    let cache = Arc::new(MemoryCache::default());
    Judging::new(Calls::new(Arc::new(model), cache))
}

/// Finds two statements in everything and bears the first out; rates 4 in one order and 2 in the other.
fn fair() -> Judging {
    judge(|task, text| {
        let reply = match task {
            "statements" => r#"{"statements": ["Basalt was lava.", "It is white."]}"#.to_owned(),
            "borne_out" => r#"{"supported": ["1"]}"#.to_owned(),
            "asked_by" => {
                r#"{"questions": ["What was basalt?"], "noncommittal": false}"#.to_owned()
            }
            "alike" => {
                let rating = if text_at(text, "first") == "Lava." {
                    2
                } else {
                    4
                };
                format!(r#"{{"reason": "So.", "rating": "{rating}"}}"#)
            }
            "better" => verdicts(text, |first, second| {
                match (first.contains("good"), second.contains("good")) {
                    (true, false) => "first",
                    (false, true) => "second",
                    _ => "equal",
                }
            }),
            _ => return None,
        };
        Some(reply)
    })
}

fn verdicts(text: &str, better: impl Fn(&str, &str) -> &'static str) -> String {
    let better = better(text_at(text, "first"), text_at(text, "second"));
    let criteria = text_at(text, "criteria").lines();
    let names = criteria.filter_map(|line| line.split_once(": "));
    let verdicts = names.map(|(name, _)| {
        format!(r#"{{"criterion": "{name}", "reason": "So.", "better": "{better}"}}"#)
    });
    let verdicts: Vec<String> = verdicts.collect();
    format!("{{\"verdicts\": [{}]}}", verdicts.join(", "))
}

/// Likes what it sees first.
fn first_of_all() -> Judging {
    judge(|_, text| Some(verdicts(text, |_, _| "first")))
}

/// Writes no JSON.
fn chatty() -> Judging {
    judge(|_, _| Some("Both are very good answers!".to_owned()))
}

fn jury(judges: Vec<Judging>, embedder: &Lexical) -> Jury<'_> {
    Jury {
        judges,
        embedder,
        threads: 3,
        cancel: CancelToken::new(),
    }
}

fn given(id: &str, answer: &str) -> Given {
    Given {
        posed: Posed {
            id: id.to_owned(),
            text: "What was basalt?".to_owned(),
            references: vec!["Lava.".to_owned()],
            ..Posed::default()
        },
        answer: answer.to_owned(),
        context: "Basalt was lava once.".to_owned(),
        ..Given::default()
    }
}

fn all() -> BTreeSet<Measured> {
    Measured::ALL.into()
}

#[test]
fn an_answer_is_measured_and_what_was_said_of_it_is_told() {
    let embedder = Lexical::new();
    let mut one = given("1", "Basalt was lava, and is white.");
    one.analysis = "It says so.".to_owned();
    let judged = jury(vec![fair()], &embedder).judge(("set", "mine"), &[one], &all(), &|_| ());
    let judged = judged.unwrap();
    let values = &judged.evaluation.questions[0].values;
    assert_eq!(
        (values["answered"], values["context_faithfulness"]),
        (1.0, 0.5)
    );
    assert_eq!(
        (values["analysis_faithfulness"], values["answer_accuracy"]),
        (0.5, 0.75)
    );
    assert!(
        (values["answer_relevance"] - 1.0).abs() < 1e-6,
        "{values:?}"
    );
    assert_eq!(judged.evaluation.pipeline, "mine");
    let said: Vec<(&str, &Json)> = { judged.judgements.iter() }
        .map(|one| (one.measure.as_str(), &one.said))
        .collect();
    assert_eq!(said.len(), 4);
    assert_eq!(said[0].1[1]["supported"], false);
    assert_eq!(said[3].1["ratings"], serde_json::json!([4, 2]));
    // Two for each text, one for what it answers, two orders; the second text finds its statements judged already.
    assert_eq!((judged.cost.calls, judged.cost.kept), (6, 1));
}

#[test]
fn who_evades_answers_nothing() {
    let embedder = Lexical::new();
    let of = |noncommittal: bool| {
        let evasive = judge(move |_, _| {
            let reply =
                r#"{"questions": ["What was basalt?", "Who sells tea?"], "noncommittal": IT}"#;
            Some(reply.replace("IT", &noncommittal.to_string()))
        });
        let measured = [Measured::Relevance].into();
        let jury = jury(vec![evasive], &embedder);
        let judged = jury.judge(
            ("set", "mine"),
            &[given("1", "Who knows?")],
            &measured,
            &|_| (),
        );
        judged.unwrap().evaluation.questions[0].values["answer_relevance"]
    };
    assert_eq!(of(true), 0.0);
    // The mean of one that is the question and of one that is not.
    assert!((0.4..0.9).contains(&of(false)), "{}", of(false));
}

#[test]
fn what_cannot_be_measured_is_left_out_and_refusals_need_no_judge() {
    let embedder = Lexical::new();
    let silent = judge(|_, _| None);
    let mut refused = given("1", "");
    refused.refused = Some("nothing was found".to_owned());
    let mut right = refused.clone();
    right.posed.id = "2".to_owned();
    right.posed.nothing = true;
    let mut wrong = given("3", "It was.");
    wrong.posed.nothing = true;
    let mut unknown = refused.clone();
    unknown.posed.id = "4".to_owned();
    unknown.posed.references.clear();
    let jury = jury(vec![silent], &embedder);
    let judged = jury.judge(
        ("set", "mine"),
        &[refused, right, wrong, unknown],
        &all(),
        &|_| (),
    );
    let judged = judged.unwrap();
    let of = |place: usize| &judged.evaluation.questions[place].values;
    let accuracy = |place: usize| of(place).get("answer_accuracy").copied();
    assert_eq!(
        [0, 1, 2, 3].map(accuracy),
        [Some(0.0), Some(1.0), Some(0.0), None]
    );
    assert_eq!(
        (of(0)["answered"], of(2)["answered"], of(3).len()),
        (0.0, 1.0, 1)
    );
    assert_eq!(judged.cost.calls, 0);
}

#[test]
fn a_judge_that_says_nothing_of_use_does_not_count_and_one_that_is_gone_ends_it() {
    let embedder = Lexical::new();
    let given = [given("1", "Basalt was lava.")];
    let two = jury(vec![chatty(), fair()], &embedder);
    let judged = two.judge(("set", "mine"), &given, &all(), &|_| ()).unwrap();
    let values = &judged.evaluation.questions[0].values;
    assert_eq!(
        (values["context_faithfulness"], values["answer_accuracy"]),
        (0.5, 0.75)
    );
    let failed: Vec<&Judgement> = { judged.judgements.iter() }
        .filter(|one| one.problem.is_some())
        .collect();
    // Statements, questions, and both orders.
    assert_eq!(failed.len(), 4);
    assert!(
        failed[0].problem.as_ref().unwrap().contains("no JSON"),
        "{failed:?}"
    );
    // Each was asked for three times, and paid.
    assert_eq!(judged.cost.calls, 4 * 3 + 5);
    let gone = jury(vec![fair(), judge(|_, _| None)], &embedder);
    let gone = gone
        .judge(("set", "mine"), &given, &all(), &|_| ())
        .unwrap_err();
    assert!(matches!(gone, JuryError::Judge { .. }), "{gone}");
    let nobody = jury(Vec::new(), &embedder).judge(("set", "mine"), &given, &all(), &|_| ());
    assert!(matches!(nobody, Err(JuryError::NoJudge)));
    let stopped = jury(vec![fair()], &embedder);
    stopped.cancel.cancel();
    let stopped = stopped.judge(("set", "mine"), &given, &all(), &|_| ());
    assert!(matches!(stopped, Err(JuryError::Cancelled)));
}

#[test]
fn pairs_are_won_in_both_orders_or_tied() {
    let embedder = Lexical::new();
    let ours = [
        given("1", "a good one"),
        given("2", "bad"),
        given("3", "bad"),
        given("4", "x"),
    ];
    let theirs = [
        given("1", "bad"),
        given("2", "a good one"),
        given("3", "so so"),
        given("5", "x"),
    ];
    let criteria = ["overall", "logic"].map(|one| Criterion::of(one).unwrap());
    let compare = |judges| {
        let jury = jury(judges, &embedder);
        jury.compare(
            "set",
            (("ours", &ours), ("theirs", &theirs)),
            &criteria,
            &|_| (),
        )
    };
    let (judged, alone) = compare(vec![fair()]).unwrap();
    assert_eq!(
        (alone, judged.evaluation.pipeline.as_str()),
        (2, "ours over theirs")
    );
    let mean = |judged: &Judged, name: &str| judged.evaluation.plain_mean(name).unwrap();
    assert_eq!(mean(&judged, "overall"), 0.5);
    let of = |place: usize, name: &str| judged.evaluation.questions[place].values[name];
    assert_eq!([0, 1, 2].map(|place| of(place, "logic")), [1.0, 0.0, 0.5]);
    assert_eq!(
        [0, 1, 2].map(|place| of(place, "logic_won")),
        [1.0, 0.0, 0.0]
    );
    assert_eq!(
        [0, 1, 2].map(|place| of(place, "logic_tied")),
        [0.0, 0.0, 1.0]
    );
    assert_eq!(mean(&judged, "orders_agree"), 1.0);
    // Who always prefers the first has said nothing of either.
    let (judged, _) = compare(vec![first_of_all()]).unwrap();
    for (name, share) in [
        ("overall", 0.5),
        ("overall_won", 0.0),
        ("overall_tied", 1.0),
        ("orders_agree", 0.0),
    ] {
        assert_eq!(mean(&judged, name), share, "{name}");
    }
    // Of two judges each has half a say.
    let (judged, _) = compare(vec![first_of_all(), fair()]).unwrap();
    assert_eq!(judged.evaluation.questions[0].values["overall"], 0.75);
    let (judged, _) = compare(vec![chatty()]).unwrap();
    assert!(judged.evaluation.questions[0].values.is_empty());
    assert_eq!(judged.judgements.len(), 6);
}

#[test]
fn answers_are_read_from_files_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.jsonl");
    let write = |text: &str| std::fs::write(&file, text).unwrap();
    let mut one = given("1", "Basalt was lava.");
    one.confidence = Some(0.5);
    let mut other = given("2", "");
    other.refused = Some("nothing was found".to_owned());
    write(&format!("{}\n{}\n", one.row(), other.row()));
    let (read, others) = Given::read(&file, None).unwrap();
    assert_eq!((read.as_slice(), others), (&[one.clone(), other][..], 0));
    assert!(read[0].is_answered() && !read[1].is_answered());
    // A set says what is asked, and of what else.
    let posed = [Posed {
        text: "What?".to_owned(),
        ..one.posed
    }];
    let (read, others) = Given::read(&file, Some(&posed)).unwrap();
    assert_eq!(
        (read.len(), others, read[0].posed.text.as_str()),
        (1, 1, "What?")
    );
    write("{\"question\": \"Why?\", \"answer\": \"So.\", \"context\": [\"a\", \"b\"]}\n");
    assert_eq!(Given::read(&file, None).unwrap().0[0].context, "a\n\nb");
    for (text, problem) in [
        ("{\"answer\": \"So.\"}", "line 1: has no `question`"),
        (
            "{\"question\": \"Why?\", \"answer\": 7}",
            "`answer` is no text",
        ),
        (
            "{\"question\": \"Why?\", \"id\": 1}\n{\"question\": \"Why?\", \"id\": \"1\"}",
            "two of its answers",
        ),
        ("{", "line 1"),
    ] {
        write(text);
        let wrong = Given::read(&file, None).unwrap_err().to_string();
        assert!(wrong.contains(problem), "{wrong}");
    }
    let long = serde_json::json!({"question": "Why?", "answer": "x".repeat((64 << 10) + 1)});
    write(&long.to_string());
    let wrong = Given::read(&file, None).unwrap_err().to_string();
    assert!(wrong.contains("at most 65536 are judged"), "{wrong}");
}

/// Each word is a token, and its vector has one number for each letter from a to h; a number is an h.
struct Letters;

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        8
    }

    fn max_tokens(&self) -> usize {
        usize::MAX
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        Rows::zeros(texts.len(), 8)
    }

    fn token_vectors(&self, texts: &[&str]) -> Result<Option<Vec<Rows>>, ModelError> {
        let vectors = texts.iter().map(|text| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let mut rows = Rows::zeros(words.len(), 8)?;
            for (word, row) in words.iter().zip(rows.iter_mut()) {
                for (letter, number) in ('a'..='h').zip(row.iter_mut()) {
                    *number = word.matches(letter).count() as f32;
                }
                // All numbers look alike.
                row[7] += f32::from(u8::from(word.contains(char::is_numeric)));
            }
            Ok(rows)
        });
        vectors.collect::<Result<Vec<Rows>, ModelError>>().map(Some)
    }
}

#[test]
fn accuracy_by_tokens_needs_an_embedder_that_has_them_and_no_judge() {
    let with = |id: &str, answer: &str, references: &[&str]| {
        let mut given = given(id, answer);
        given.posed.references = references.iter().map(|one| (*one).to_owned()).collect();
        given
    };
    let mut refused = with("4", "", &["a"]);
    refused.refused = Some("so".to_owned());
    let mut nothing = refused.clone();
    nothing.posed.nothing = true;
    let given = [
        with("1", "a 7", &["a 7"]),
        // The number is another, and the words are alike.
        with("2", "a 8", &["a 7"]),
        // The second of two is meant.
        with("3", "b", &["a", "b"]),
        refused,
        nothing,
        with("6", "a", &[]),
    ];
    let jury = Jury {
        judges: Vec::new(),
        embedder: &Letters,
        threads: 1,
        cancel: CancelToken::new(),
    };
    let run = jury.exact(("set", "mine"), &given).unwrap().unwrap();
    let value = |place: usize, name: &str| run.questions[place].values.get(name).copied();
    assert_eq!(
        [0, 1, 2, 3, 4, 5].map(|place| value(place, "acc_total")),
        [Some(1.0), Some(0.0), Some(1.0), Some(0.0), None, None]
    );
    assert_eq!(
        [0, 1, 2, 3].map(|place| value(place, "acc_num")),
        [Some(1.0), Some(0.0), None, None]
    );
    assert_eq!(
        [0, 1, 2, 3].map(|place| value(place, "acc_sem")),
        [None, None, Some(1.0), Some(0.0)]
    );
    assert_eq!(run.plain_mean("acc_total"), Some(0.5));
    let embedder = Lexical::new();
    let none = self::jury(Vec::new(), &embedder).exact(("set", "mine"), &given);
    assert!(none.unwrap().is_none());
}
