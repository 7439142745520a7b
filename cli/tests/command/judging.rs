//! `eval judge`, `eval make --users` and `eval tags` from end to end, with models behind a real socket: one that is fair, one that
//! writes no JSON, one that always prefers what it sees first, and one that is not there.

mod again;
mod made;

use crate::measuring::numbers;
use crate::world::{World, ask, run, text};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph_models::{Asked, ScriptedServer, Step, cached_minilm};

const QUESTION: &str = "Where does basalt come from?";

/// What stands in a place of a prompt.
fn place<'t>(asked: &'t str, name: &str) -> &'t str {
    let within = asked
        .split(&format!("<<{name} "))
        .nth(1)
        .unwrap_or_default();
    let within = within.split_once(">>\n").unwrap_or_default().1;
    within.split("\n<<end ").next().unwrap_or_default()
}

fn task(asked: &Asked) -> &str {
    let schema = &asked.body["response_format"]["json_schema"]["name"];
    schema.as_str().unwrap_or_default()
}

fn verdicts(asked: &str, better: &str) -> Step {
    let lines = place(asked, "criteria").lines();
    let names = lines.filter_map(|line| line.split_once(": "));
    let verdicts =
        names.map(|(name, _)| json!({"criterion": name, "reason": "So.", "better": better}));
    Step::text(&json!({"verdicts": verdicts.collect::<Vec<_>>()}).to_string())
}

/// A writer and three judges at one address.
fn models() -> ScriptedServer {
    ScriptedServer::start(step).unwrap()
}

/// What they say.
fn step(asked: &Asked) -> Step {
    // Another try tells what was wrong; the question is where it was.
    let question = asked.body["messages"][1]["content"]
        .as_str()
        .unwrap_or_default();
    let json = |json: Json| Step::text(&json.to_string());
    match (asked.model(), task(asked)) {
        ("writer", "answer") => {
            let sentence = match question.contains("basalt") {
                true => "Basalt comes from Mount Etna.",
                false => "The sources do not answer this question.",
            };
            let answer = json!({"answer": [{"sentence": sentence, "sources": [1]}], "analysis": "It says so."});
            Step::Stream {
                pieces: vec![answer.to_string()],
                whole: true,
            }
        }
        ("writer", "direct") => {
            let sentence = match question.contains("basalt") {
                true => "Basalt comes from Rome.",
                false => "I do not know the answer.",
            };
            let answer = json!({"answer": [{"sentence": sentence}], "analysis": "So I know."});
            Step::Stream {
                pieces: vec![answer.to_string()],
                whole: true,
            }
        }
        ("writer", "users") => {
            let user = |name: &str| json!({"user": name, "tasks": ["to compare", "to explain"]});
            json(json!({"users": [user("A geologist"), user("A mason")]}))
        }
        ("writer", "task_questions") => {
            let user = place(question, "user").replace("A ", "").to_lowercase();
            let task = place(question, "task");
            let of = |number: usize| format!("What does a {user} need {task} {number}?");
            json(json!({"questions": [of(1), of(2)]}))
        }
        ("writer", "question") => {
            let shown: Json = serde_json::from_str(question).unwrap();
            let draft = shown["draft"].as_str().unwrap();
            json(json!({"question": format!("Say, please: {draft}")}))
        }
        ("writer", "wordings") => {
            json(json!({"wordings": ["Which volcano gave basalt?", "Who dances in the hive?"]}))
        }
        ("writer", "question_triples") => json(
            json!({"triples": [{"subject": "basalt", "relation": "comes from", "object": ""}]}),
        ),
        ("chatty", _) => Step::text("Both answers are excellent!"),
        ("first", _) => verdicts(question, "first"),
        ("fair", "statements") => json(json!({"statements": ["It is from Etna.", "It is green."]})),
        ("fair", "borne_out") => json(json!({"supported": ["1"]})),
        ("fair", "asked_by") => json(json!({"questions": [QUESTION], "noncommittal": false})),
        ("fair", "alike") => json(json!({"reason": "Same.", "rating": "4"})),
        ("fair", "better") => match place(question, "first").contains("Etna") {
            true => verdicts(question, "first"),
            false => verdicts(question, "second"),
        },
        _ => Step::refuse(400),
    }
}

/// A database of two documents, and a set of two questions, of which nothing answers the second.
fn library(world: &World, profile: &str) -> (PathBuf, PathBuf) {
    library_by(world, &["--profile", profile])
}

/// The same, made as these flags say.
fn library_by(world: &World, flags: &[&str]) -> (PathBuf, PathBuf) {
    let documents = world.path("docs");
    let rocks = "# Rocks\n\nBasalt comes from Mount Etna. Granite comes from Mont Blanc.\n";
    world.write("docs/rocks.md", rocks);
    let bees = "# Bees\n\nHoney bees dance in the hive.\n";
    world.write("docs/bees.md", bees);
    let graph = world.path("graph");
    let ingest = ["ingest", text(&documents), "--into", text(&graph)];
    run(&[&ingest[..], flags].concat()).assert_code(0);
    let set = world.path("stones");
    let questions = [
        json!({"id": "q", "question": QUESTION, "answer": "From Mount Etna.", "gold": ["rocks.md"], "type": "one"}),
        json!({"id": "n", "question": "Who won the match?", "gold": [], "type": "none"}),
    ];
    let questions = questions.map(|row| format!("{row}\n")).concat();
    world.write("stones/questions.jsonl", questions);
    (graph, set)
}

/// `eval judge` of what `vector` answers from a graph.
fn of_vector<'a>(set: &'a Path, graph: &'a Path, work: &'a Path) -> [&'a str; 9] {
    [
        "judge",
        "--work",
        text(work),
        "--set",
        text(set),
        "--graph",
        text(graph),
        "--preset",
        "vector",
    ]
}

/// The model that writes the answers.
fn written_at(url: &str) -> [&str; 4] {
    ["--llm", url, "--model", "writer"]
}

/// What is said of `vector` beside `direct`.
fn beside_direct(set: &Path, graph: &Path, more: &[&str]) -> Json {
    let work = graph.with_file_name("work");
    let flags = of_vector(set, graph, &work);
    let pairs = ["--preset", "direct", "--pairs"];
    let said = ask("eval", &[], &[&flags[..], &pairs, more].concat());
    said.assert_code(0).answer("eval", &["evaluations"])
}

fn mean(answer: &Json, system: &str, measure: &str) -> Option<f64> {
    let runs = answer["evaluations"].as_array().unwrap();
    let run = runs.iter().find(|run| run["pipeline"] == system)?;
    let values = run["questions"].as_array()?.iter();
    let values: Vec<f64> = values
        .filter_map(|question| question["values"][measure].as_f64())
        .collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[test]
fn answers_of_a_database_are_judged_over_a_socket() {
    let world = World::new();
    let (graph, set) = library(&world, "structure");
    let models = models();
    let url = models.url();
    let (kept, out) = (world.path("kept"), world.path("out.json"));
    let work = world.path("work");
    let fair = format!("fair@{url}");
    let flags = ["--keep", text(&kept), "--out", text(&out), "--judge", &fair];
    let flags = [
        &of_vector(&set, &graph, &work)[..],
        &written_at(&url),
        &flags,
    ]
    .concat();
    let said = ask("eval", &[], &flags);
    let fields = ["evaluations", "judgements", "cost", "notes"];
    let answer = said.assert_code(0).answer("eval", &fields);
    let of = |measure: &str| mean(&answer, "vector", measure);
    assert_eq!(
        (of("answered"), of("context_faithfulness")),
        (Some(0.5), Some(0.5))
    );
    assert_eq!(
        (of("analysis_faithfulness"), of("answer_relevance")),
        (Some(0.5), Some(1.0))
    );
    // The answer is right, and so is the refusal.
    assert_eq!(of("answer_accuracy"), Some(1.0));
    assert_eq!(answer["cost"]["calls"], 6);
    // What the answers cost stands beside them, and is not of the judges.
    let questions = answer["evaluations"][0]["questions"].as_array().unwrap();
    let calls = questions.iter().map(|one| one["cost"]["calls"].as_u64());
    let written = models.asked().into_iter();
    let written = written.filter(|asked| asked.model() == "writer").count();
    assert_eq!(calls.sum::<Option<u64>>(), Some(written as u64));
    assert!(written > 0);
    let said = &answer["judgements"][0];
    assert_eq!(
        (&said["judge"], &said["said"][1]["supported"]),
        (&"fair".into(), &false.into())
    );
    // Judges see neither the name of the pipeline nor that of the writer.
    let heard = models.asked();
    let judged = heard.iter().filter(|asked| asked.model() == "fair");
    for asked in judged {
        let whole = asked.body["messages"].to_string();
        assert!(
            !whole.contains("writer") && !whole.contains("vector"),
            "{whole}"
        );
    }
    let saved: Json = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(saved["judgements"], answer["judgements"]);
    // What was kept is judged again without asking for answers; a judge without JSON does not count, and is told.
    let before = heard.len();
    let (file, chatty) = (kept.join("vector.jsonl"), format!("chatty@{url}"));
    let flags = [
        "eval",
        "judge",
        "--work",
        text(&work),
        "--answers",
        text(&file),
        "--judge",
        &fair,
        "--judge",
        &chatty,
    ];
    let again = run(&flags);
    again.assert_code(2);
    assert!(
        again.stdout.contains("5 times a judge gave nothing of use"),
        "{}",
        again.stdout
    );
    assert!(
        again
            .stdout
            .contains("chatty on q of vector (context_faithfulness)"),
        "{}",
        again.stdout
    );
    let line = "eval preset=vector answers_analysis_faithfulness=0.5000";
    assert!(again.stdout.contains(line), "{}", again.stdout);
    assert!(
        models.asked()[before..]
            .iter()
            .all(|asked| asked.model() != "writer")
    );
    // Both runs are runs as others are.
    run(&["eval", "diff", text(&out), text(&out)]).assert_code(0);
}

#[test]
fn every_number_of_answers_is_in_the_table_the_csv_and_the_page() {
    let world = World::new();
    let (graph, set) = library(&world, "structure");
    let models = models();
    let (url, work) = (models.url(), world.path("work"));
    let fair = format!("fair@{url}");
    let [out, csv, html] = ["run.json", "run.csv", "run.html"].map(|name| world.path(name));
    let flags = [
        "--judge",
        &fair,
        "--out",
        text(&out),
        "--csv",
        text(&csv),
        "--html",
        text(&html),
    ];
    let vector = of_vector(&set, &graph, &work);
    let said = run(&[&["eval"], &vector[..], &written_at(&url), &flags].concat());
    // What the answers took is among them: times, calls and tokens.
    said.assert_code(0);
    numbers::assert_all_told(&said.stdout, [&out, &csv, &html], false);
}

#[test]
fn where_no_embedder_is_named_vectors_are_those_of_the_database() {
    let Some(folder) = cached_minilm() else {
        eprintln!(
            "SKIPPED: the model is not in the cache; `cargo xtask setup --models` fetches it"
        );
        return;
    };
    let world = World::new();
    let flags = ["--profile", "structure", "--embedder", "minilm"];
    let (graph, set) = library_by(&world, &flags);
    let work = world.path("work");
    let judge = |more: &[&str]| {
        let vector = of_vector(&set, &graph, &work);
        ask("eval", &[], &[&vector[..], more].concat())
    };
    judge(&["--dry-run"]).assert_code(0);
    // They are of tokens, so that nobody has to judge.
    let said = judge(&[]);
    let answer = said.assert_code(0).answer("eval", &["evaluations"]);
    assert!(mean(&answer, "vector", "acc_total").is_some(), "{answer}");
    let name = folder.file_name().unwrap().to_str().unwrap();
    assert_eq!(answer["evaluations"][0]["embedder"], name);
}

#[test]
fn systems_are_compared_in_both_orders() {
    let world = World::new();
    let models = models();
    let url = models.url();
    let write = |name: &str, answers: [&str; 2]| {
        let rows = answers.iter().enumerate().map(|(id, answer)| {
            format!(
                "{}\n",
                json!({"id": id, "question": QUESTION, "answer": answer})
            )
        });
        let file = world.path(name);
        fs::write(&file, rows.collect::<String>()).unwrap();
        file
    };
    let ours = write("ours.jsonl", ["From Etna.", "From Etna."]);
    let theirs = write("theirs.jsonl", ["From Rome.", "From Oslo."]);
    let compare = |judges: &[&str], more: &[&str]| {
        let judges: Vec<String> = judges.iter().map(|name| format!("{name}@{url}")).collect();
        let named = format!("others={}", text(&theirs));
        let work = world.path("work");
        let mut flags = vec![
            "judge",
            "--work",
            text(&work),
            "--pairs",
            "--answers",
            text(&ours),
            "--answers",
            &named,
        ];
        judges
            .iter()
            .for_each(|judge| flags.extend(["--judge", judge]));
        flags.extend(more);
        ask("eval", &[], &flags)
    };
    let pair = "ours over others";
    let own = [
        "--criterion",
        "overall",
        "--criterion",
        "brevity=how short it is",
    ];
    let answer = compare(&["fair"], &own)
        .assert_code(0)
        .answer("eval", &["judgements"]);
    for (measure, share) in [
        ("overall", 1.0),
        ("brevity_won", 1.0),
        ("overall_tied", 0.0),
        ("orders_agree", 1.0),
    ] {
        assert_eq!(mean(&answer, pair, measure), Some(share), "{measure}");
    }
    assert!(
        mean(&answer, pair, "diversity").is_none() && mean(&answer, "ours", "answered").is_none()
    );
    // Who always prefers the first says nothing of either.
    let answer = compare(&["first"], &[])
        .assert_code(0)
        .answer("eval", &["judgements"]);
    for (measure, share) in [
        ("empowerment", 0.5),
        ("overall_tied", 1.0),
        ("overall_won", 0.0),
        ("orders_agree", 0.0),
    ] {
        assert_eq!(mean(&answer, pair, measure), Some(share), "{measure}");
    }
    let answer = compare(&["first", "fair"], &[])
        .assert_code(0)
        .answer("eval", &["judgements"]);
    assert_eq!(mean(&answer, pair, "overall"), Some(0.75));
    // What cannot be is said before anybody is asked.
    let before = models.asked().len();
    for (flags, problem) in [
        (vec!["judge", "--answers", text(&ours)], "nobody judges"),
        (vec!["judge", "--judge", "fair"], "MODEL@URL"),
        (
            vec!["judge", "--pairs", "--answers", text(&ours)],
            "two systems",
        ),
        (vec!["judge"], "there are no answers"),
    ] {
        let mut flags = flags;
        if problem == "MODEL@URL" {
            flags.extend(["--answers", text(&ours)]);
        }
        let (_, message) = ask("eval", &[], &flags).error();
        assert!(message.contains(problem), "{message}");
    }
    assert!(
        !compare(&["fair"], &["--criterion", "charm"])
            .stderr
            .is_empty()
    );
    assert_eq!(models.asked().len(), before);
    // A judge that is not there ends it.
    let gone = compare(&["nobody"], &[]);
    let (_, message) = gone.error();
    assert!(
        message.contains("the judge nobody cannot be asked"),
        "{message}"
    );
}

#[test]
fn what_a_model_knows_by_itself_is_judged_too() {
    let world = World::new();
    let (graph, set) = library(&world, "structure");
    let models = models();
    let url = models.url();
    let fair = format!("fair@{url}");
    let writer = ["--llm", &url, "--model", "writer"];
    let answer = beside_direct(&set, &graph, &[&["--judge", &fair], &writer[..]].concat());
    let of = |measure: &str| mean(&answer, "vector over direct", measure);
    // Of the second question both know nothing, and no judge is asked.
    assert_eq!(
        (of("overall_won"), of("overall_tied"), of("orders_agree")),
        (Some(0.5), Some(0.5), Some(1.0))
    );
    let heard = models.asked();
    let alone = heard.iter().filter(|asked| task(asked) == "direct");
    let shown: Vec<bool> = alone
        .map(|asked| asked.body["messages"].to_string().contains("Etna"))
        .collect();
    assert_eq!(shown, [false, false]);
}

#[test]
fn domains_are_measured_without_a_model() {
    let world = World::new();
    let (graph, _) = library(&world, "tag");
    let bare = ask("eval", &[], &["tags", text(&graph)])
        .assert_code(0)
        .answer("eval", &["levels", "beside"]);
    assert!(bare["without_summary"].as_u64().unwrap() > 0 && bare["beside"].is_null());
    let summarise =
        "CALL rag.resummarise({domains: true, central: true}) YIELD key RETURN count(key)";
    run(&["query", text(&graph), summarise]).assert_code(0);
    let answer = ask(
        "eval",
        &[],
        &["tags", text(&graph), "--beside", text(&graph)],
    );
    let answer = answer
        .assert_code(0)
        .answer("eval", &["levels", "without_description"]);
    let levels = answer["levels"].as_array().unwrap();
    let cosines = levels
        .iter()
        .filter_map(|level| level["objects"]["mean"].as_f64());
    let cosines: Vec<f64> = cosines.collect();
    assert!(
        !cosines.is_empty() && cosines.iter().all(|one| (-1.0..=1.0).contains(one)),
        "{answer}"
    );
    for what in ["objects", "domains", "chains"] {
        assert_eq!(answer["beside"][what], 1.0, "{answer}");
    }
    let other = World::new();
    let (plain, _) = library(&other, "structure");
    let (_, message) = ask("eval", &[], &["tags", text(&plain)]).error();
    assert!(message.contains("--profile tag"), "{message}");
}

#[test]
fn a_pipeline_shows_what_a_model_made_of_the_question() {
    let world = World::new();
    let (graph, _) = library(&world, "triples");
    let models = models();
    let url = models.url();
    let pipeline = world.path("mine.toml");
    let write = |if_there: bool| {
        let stages = format!(
            "name = 'mine'\n[[stage]]\nname = 'words'\nif_there = {if_there}\nrun.multi_query = {{ n = 2, search.bm25 = {{ k = 5 }} }}\n\
             [[stage]]\nname = 'facts'\nif_there = {if_there}\nrun.extract_triples = {{ of = 'facts', k = 3 }}\n\
             [[stage]]\nname = 'all'\nfrom = ['words', 'facts']\nrun.fuse = {{ by = 'concatenate' }}\n"
        );
        fs::write(&pipeline, stages).unwrap();
    };
    write(false);
    let asked = [text(&graph), QUESTION, "--preset", text(&pipeline)];
    let with = |more: &[&str]| ask("retrieve", &[], &[&asked[..], more].concat());
    let found = with(&["--llm", &url, "--model", "writer"]);
    let found = found.assert_code(0).answer("retrieve", &["trace"]);
    let detail = |stage: usize| &found["trace"][stage]["detail"];
    assert_eq!(detail(0)["wordings"][1], "Who dances in the hive?");
    // The second wording is about bees, which the question is not.
    assert_eq!(
        (&detail(0)["found"][0], &detail(0)["model"]),
        (&1.into(), &"writer".into())
    );
    assert_eq!(found["trace"][0]["gave"], 2);
    assert_eq!(detail(1)["triples"][0]["subject"], "basalt");
    assert_eq!((&detail(1)["calls"], models.asked().len()), (&1.into(), 2));
    // Without a model it is refused, or the question is searched for alone.
    let (_, message) = with(&[]).error();
    assert!(
        message.contains("`multi_query` asks a model") && message.contains("--llm URL"),
        "{message}"
    );
    write(true);
    let alone = with(&[]).assert_code(0).answer("retrieve", &["trace"]);
    assert_eq!(
        (&alone["trace"][0]["gave"], models.asked().len()),
        (&1.into(), 2)
    );
    assert!(alone["trace"][0]["detail"]["model"].is_null());
    // A model that writes no JSON ends it.
    write(false);
    let (_, message) = with(&["--llm", &url, "--model", "chatty"]).error();
    assert!(
        message.contains("`chatty` cannot read the question"),
        "{message}"
    );
}
