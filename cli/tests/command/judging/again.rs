//! Runs that fail in the middle and are given again: nothing is asked twice, and a dry run says how much is left.

use super::*;
use crate::world::Said;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Models that answer so many calls and refuse all others.
struct Failing {
    server: ScriptedServer,
    left: Arc<AtomicUsize>,
}

impl Failing {
    fn after(calls: usize) -> Self {
        let left = Arc::new(AtomicUsize::new(calls));
        let spent = Arc::clone(&left);
        let script = move |asked: &Asked| {
            let one_less = |left: usize| left.checked_sub(1);
            match spent.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
                Ok(_) => step(asked),
                // It is not asked again for what it refuses so.
                Err(_) => Step::refuse(400),
            }
        };
        Self {
            server: ScriptedServer::start(script).unwrap(),
            left,
        }
    }

    /// From here on all is answered.
    fn mend(&self) {
        self.left.store(usize::MAX, Ordering::SeqCst);
    }

    fn asked(&self) -> usize {
        self.server.asked().len()
    }
}

/// The failure of a run that has kept something: what it says.
fn failed(said: &Said) -> String {
    let (_, message) = said.assert_code(2).error();
    let way_on = "run the same command again";
    assert!(message.contains(way_on), "{message}");
    message
}

fn foreseen(said: &Said, who: &str, what: &str) -> Option<u64> {
    let answer = said.assert_code(0).answer("eval", &["foreseen"]);
    let found = match who {
        "" => &answer["foreseen"][what],
        who => &answer["foreseen"][who][what],
    };
    found.as_u64()
}

#[test]
fn judges_are_asked_for_what_is_missing() {
    let world = World::new();
    let models = Failing::after(5);
    let rows = ["Etna", "Hekla", "Laki"].map(|place| {
        let row = json!({
            "id": place,
            "question": QUESTION,
            "answer": format!("From {place}."),
            "context": format!("Basalt comes from {place}."),
            "references": ["From Mount Etna."],
        });
        format!("{row}\n")
    });
    let file = world.path("ours.jsonl");
    fs::write(&file, rows.concat()).unwrap();
    let (work, out) = (world.path("work"), world.path("out.json"));
    let fair = format!("fair@{}", models.server.url());
    let judge = |more: &[&str]| {
        let flags = [
            "judge",
            "--answers",
            text(&file),
            "--judge",
            &fair,
            "--measure",
            "faithfulness",
            "--measure",
            "accuracy",
            "--work",
            text(&work),
            "--out",
            text(&out),
        ];
        ask("eval", &[], &[&flags[..], more].concat())
    };
    let left = || foreseen(&judge(&["--dry-run"]), "judges", "calls");
    // Statements and what of them is borne out, and both orders: of each of the three. Nobody is asked, and nothing written.
    assert_eq!((left(), models.asked()), (Some(12), 0));
    assert!(!work.exists() && !out.exists());
    let message = failed(&judge(&[]));
    for part in [
        "the judge fair cannot be asked",
        "5 replies are kept in",
        "replies.jsonl",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!out.exists());
    let before = models.asked();
    assert_eq!((left(), models.asked()), (Some(7), before));
    // The last line of a run that was killed is half a line.
    let kept = work.join("replies.jsonl");
    let whole = fs::read_to_string(&kept).unwrap();
    fs::write(&kept, format!("{whole}{{\"key\": \"12")).unwrap();
    models.mend();
    let said = judge(&[]);
    let first = said.assert_code(0).answer("eval", &["evaluations", "cost"]);
    assert_eq!(models.asked(), before + 7);
    assert_eq!(
        (&first["cost"]["calls"], &first["cost"]["kept"]),
        (&7.into(), &5.into())
    );
    // Once more: nobody is asked, and the same is told.
    let said = judge(&[]);
    let again = said.assert_code(0).answer("eval", &["evaluations", "cost"]);
    assert_eq!((left(), models.asked()), (Some(0), before + 7));
    assert_eq!(again["evaluations"], first["evaluations"]);
    assert_eq!(
        (&again["cost"]["calls"], &again["cost"]["kept"]),
        (&0.into(), &12.into())
    );
    // Another judge has said nothing yet.
    let first = format!("first@{}", models.server.url());
    let same = format!("same={}", text(&file));
    let pairs = ["--answers", &same, "--pairs"];
    let both = [&pairs[..], &["--judge", &first]].concat();
    let both = judge(&[&both[..], &["--dry-run"]].concat());
    // The answers are the same, so that what is said of one is said of the other; both orders of a pair are one.
    assert_eq!(foreseen(&both, "judges", "calls"), Some(12 + 2 * 3));
    assert_eq!(models.asked(), before + 7);
}

#[test]
fn answers_are_asked_for_once_and_kept_as_they_come() {
    let world = World::new();
    let (graph, set) = library(&world, "structure");
    let questions = [
        json!({"id": "b", "question": QUESTION, "answer": "From Mount Etna."}),
        json!({"id": "g", "question": "Where does granite come from?", "answer": "From Mont Blanc."}),
    ];
    let questions = questions.map(|row| format!("{row}\n")).concat();
    fs::write(set.join("questions.jsonl"), questions).unwrap();
    let models = Failing::after(1);
    let url = models.server.url();
    let (work, keep) = (world.path("work"), world.path("kept"));
    let fair = format!("fair@{url}");
    let judge = |more: &[&str]| {
        let vector = of_vector(&set, &graph, &work);
        let judge = ["--judge", &fair];
        ask(
            "eval",
            &[],
            &[&vector[..], &written_at(&url), &judge, more].concat(),
        )
    };
    let keeps = ["--keep", text(&keep)];
    let dry = judge(&[&keeps[..], &["--dry-run"]].concat());
    for (what, count) in [("there", 0), ("missing", 2), ("calls", 2)] {
        assert_eq!(foreseen(&dry, "answers", what), Some(count), "{what}");
    }
    assert!(foreseen(&dry, "judges", "calls") > Some(0));
    assert!(!work.exists() && !keep.exists());
    let file = keep.join("vector.jsonl");
    let message = failed(&judge(&keeps));
    for part in ["1 answer is kept in", "vector.jsonl"] {
        assert!(message.contains(part), "{message}");
    }
    // Half of the next one is there.
    let whole = fs::read_to_string(&file).unwrap();
    assert_eq!(whole.lines().count(), 1);
    fs::write(
        &file,
        format!("{whole}{{\"id\": \"g\", \"answer\": \"From Mo"),
    )
    .unwrap();
    let dry = judge(&[&keeps[..], &["--dry-run"]].concat());
    assert_eq!(foreseen(&dry, "answers", "there"), Some(1));
    models.mend();
    let written = || {
        let asked = models.server.asked().into_iter();
        asked.filter(|asked| asked.model() == "writer").count()
    };
    let before = written();
    // Whoever reads the numbers hears that answers of before are in them.
    let told = |count: usize| {
        let path = file.display();
        format!("vector: answers that were there already, in {path}: {count}")
    };
    let first = judge(&keeps);
    let first = first
        .assert_code(0)
        .answer("eval", &["evaluations", "notes"]);
    assert_eq!(written(), before + 1);
    assert_eq!(first["notes"][0], told(1));
    let rows = fs::read_to_string(&file).unwrap();
    let rows: Vec<Json> = rows
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    assert_eq!((&rows[0]["id"], &rows[1]["id"]), (&"b".into(), &"g".into()));
    // What is there is taken as it is, with what it took.
    let asked = models.asked();
    let again = judge(&keeps);
    let again = again
        .assert_code(0)
        .answer("eval", &["evaluations", "notes"]);
    assert_eq!(again["evaluations"], first["evaluations"]);
    assert_eq!(again["notes"][0], told(2));
    assert_eq!(models.asked(), asked);
    // Such as were asked otherwise are neither taken nor written over.
    let (_, message) = judge(&[&keeps[..], &["--budget", "100"]].concat()).error();
    assert!(
        message.contains("asked otherwise") && message.contains("--keep"),
        "{message}"
    );
    assert_eq!((models.asked(), rows.len()), (asked, 2));
    // Without a folder of their own they are kept, too.
    let fresh = judge(&[]);
    let fresh = fresh.assert_code(0).answer("eval", &["notes"]);
    assert!(!fresh["notes"].to_string().contains("already"), "{fresh}");
    assert_eq!(written(), before + 3);
    let asked = models.asked();
    judge(&[]).assert_code(0);
    assert_eq!(models.asked(), asked);
    judge(&["--budget", "100"]).assert_code(0);
    assert!(models.asked() > asked);
}

#[test]
fn what_cannot_be_is_said_before_answers_are_paid_for() {
    let world = World::new();
    let (graph, set) = library(&world, "structure");
    let models = Failing::after(usize::MAX);
    let url = models.server.url();
    let (work, fair) = (world.path("work"), format!("fair@{url}"));
    let answers = world.path("vector.jsonl");
    let row = json!({"id": "q", "question": QUESTION, "answer": "From Etna."});
    fs::write(&answers, format!("{row}\n")).unwrap();
    let broken = world.path("broken.jsonl");
    fs::write(&broken, "{").unwrap();
    let twice = "two systems are called vector";
    for (more, problem) in [
        (["--preset", "vector"], twice),
        (["--answers", text(&answers)], twice),
        (["--answers", text(&broken)], "broken.jsonl"),
    ] {
        let vector = of_vector(&set, &graph, &work);
        let flags = [&vector[..], &written_at(&url), &["--judge", &fair], &more].concat();
        let (_, message) = ask("eval", &[], &flags).error();
        assert!(message.contains(problem), "{message}");
        assert_eq!(models.asked(), 0, "{more:?}");
    }
    assert!(!work.join("answers").exists());
}

#[test]
fn a_dry_run_refuses_what_the_run_refuses() {
    let world = World::new();
    let (graph, set) = library(&world, "structure");
    let work = world.path("work");
    let refused = |more: &[&str]| {
        let vector = of_vector(&set, &graph, &work);
        let (_, message) = ask("eval", &[], &[&vector[..], more].concat()).error();
        message
    };
    // Nobody judges, and the vectors of the database are not of tokens.
    let message = refused(&[]);
    assert!(
        message.contains("nobody judges") && message.contains("the embedder lexical-1"),
        "{message}"
    );
    assert_eq!(refused(&["--dry-run"]), message);
    // An embedder behind an address has none of tokens either, and is not asked for its width.
    let models = models();
    let url = models.url();
    let away = ["--embedder", &url, "--embedder-model", "tiny", "--dry-run"];
    let message = refused(&away);
    assert!(message.contains("the embedder tiny"), "{message}");
    assert!(models.asked().is_empty() && !work.exists());
    let message = refused(&["--embedder", "no/such-model", "--dry-run"]);
    assert!(message.contains("no/such-model"), "{message}");
}

#[test]
fn users_are_thought_of_once() {
    let world = World::new();
    let about = world.path("about.md");
    fs::write(&about, "What is known of stones.").unwrap();
    let models = Failing::after(2);
    let url = models.server.url();
    let (out, work) = (world.path("users"), world.path("work"));
    let make = |more: &[&str]| {
        let flags = [
            "make",
            "--about",
            text(&about),
            "--out",
            text(&out),
            "--users",
            "2",
            "--tasks",
            "2",
            "--questions",
            "2",
            "--llm",
            &url,
            "--model",
            "writer",
            "--work",
            text(&work),
        ];
        ask("eval", &[], &[&flags[..], more].concat())
    };
    let left = || foreseen(&make(&["--dry-run"]), "", "calls");
    assert_eq!((left(), models.asked()), (Some(5), 0));
    assert!(!work.exists() && !out.exists());
    let message = failed(&make(&[]));
    assert!(message.contains("2 replies are kept in"), "{message}");
    assert!(!out.join("questions.jsonl").exists());
    let before = models.asked();
    assert_eq!(left(), Some(3));
    models.mend();
    let said = make(&[]);
    let answer = said.assert_code(0).answer("eval", &["questions", "cost"]);
    assert_eq!(
        (
            &answer["cost"]["calls"],
            answer["questions"].as_array().map(Vec::len)
        ),
        (&3.into(), Some(8))
    );
    assert_eq!(models.asked(), before + 3);
    // What is there is not written over, and nobody is asked for it.
    let (_, message) = make(&[]).error();
    assert!(message.contains("questions already"), "{message}");
    assert_eq!(models.asked(), before + 3);
}
