//! `eval` from end to end: sets that are written here, graphs that are built of them, and everything that is told of it.
//!
//! `measuring/numbers.rs` holds what is told against what was measured, `measuring/refusing.rs` has what a graph should refuse.

pub(crate) mod numbers;
mod refusing;

use crate::world::{World, ask, run, text};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph_models::{ScriptedServer, Step};

const THINGS: [(&str, &str); 12] = [
    ("Basalt", "was lava that ran from Mount Etna"),
    ("Chalk", "is made of the shells of algae"),
    ("Granite", "cooled slowly under the Alps"),
    ("Marble", "was limestone before it was pressed"),
    ("Slate", "splits into thin roofs"),
    ("Obsidian", "is glass, and was cut into knives"),
    ("Pumice", "floats on water"),
    ("Flint", "gives sparks"),
    ("Coal", "was a forest of ferns"),
    ("Amber", "was the resin of pines"),
    ("Quartz", "keeps the time in watches"),
    ("Jade", "was carved in the Hongshan culture"),
];

const FACTS: [(&str, &str, &str); 12] = [
    ("The otter", "eats", "crayfish"),
    ("The heron", "nests in", "alders"),
    ("The badger", "digs", "setts"),
    ("The swift", "winters in", "Congo"),
    ("The pike", "hides among", "reeds"),
    ("The hare", "sleeps in", "a form"),
    ("The adder", "basks on", "heather"),
    ("The wren", "weighs", "nine grams"),
    ("The mole", "stores", "earthworms"),
    ("The eel", "spawns in", "the Sargasso Sea"),
    ("The stoat", "turns", "white"),
    ("The bee", "dances for", "its hive"),
];

fn lines(rows: impl IntoIterator<Item = Json>) -> String {
    rows.into_iter().map(|row| format!("{row}\n")).collect()
}

fn set(suite: &Path, name: &str, files: &[(&str, String)]) {
    let folder = suite.join(name);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
}

/// Four sets: documents, pages, facts, and questions of which nobody says what answers them.
fn suite(world: &World) -> PathBuf {
    let suite = world.path("suite");
    let things = THINGS.iter().enumerate();
    let corpus = things.clone().map(|(id, (name, says))| {
        json!({"id": id, "title": name, "text": format!("## What it is\n\n{name} {says}.")})
    });
    let questions = things.clone().map(|(id, (name, says))| {
        json!({"question": format!("Which stone {says}?"), "gold": [id], "answer": format!("{name} {says}"), "type": if id % 2 == 0 { "even" } else { "odd" }})
    });
    let nothing = json!({"id": "n", "question": "zzz yyy", "gold": []});
    set(
        &suite,
        "things",
        &[
            ("corpus.jsonl", lines(corpus)),
            ("questions.jsonl", lines(questions.chain([nothing]))),
        ],
    );
    let pages = (0..6).map(|page| {
        let (company, page) = (["Ann", "Bob"][page % 2], page / 2);
        json!({"doc": company, "page": page, "text": format!("The sales of year {page} were {} million.", page * 7 + 3)})
    });
    let asked = json!({"question": "What were the sales of year 1, for which Ann had asked?", "doc_name": "Bob", "gold": [{"doc": "Bob", "page": 1, "text": ""}]});
    let gone = json!({"id": "gone", "question": "What were the sales?", "doc_name": "Cyd", "gold": [{"doc": "Cyd", "page": 1, "text": ""}]});
    set(
        &suite,
        "pages",
        &[
            ("pages.jsonl", lines(pages)),
            ("questions.jsonl", lines([asked, gone])),
        ],
    );
    let stated = FACTS.iter().enumerate();
    let facts = stated.clone().map(|(id, (subject, relation, object))| {
        json!({"id": id, "e1": subject, "rel": relation, "e2": object, "source": format!("p. {id}")})
    });
    let asked = stated.map(|(id, (subject, relation, object))| {
        json!({"id": format!("q{id}"), "question": format!("{subject} {relation} {object}"), "category": "1_hop", "gold": [id]})
    });
    let nothing = json!({"id": "h", "question": "Is there anything?", "category": "out_of_domain", "gold": []});
    set(
        &suite,
        "facts",
        &[
            ("triples.jsonl", lines(facts)),
            ("questions.jsonl", lines(asked.chain([nothing]))),
        ],
    );
    let text = lines([json!({"id": 0, "text": "Nobody knows."})]);
    set(
        &suite,
        "silent",
        &[
            ("corpus.jsonl", text),
            ("questions.jsonl", lines([json!({"question": "Why?"})])),
        ],
    );
    suite
}

/// The value of a measure in the last line of a pipeline.
fn value(stdout: &str, preset: &str, name: &str) -> f64 {
    let line = stdout
        .lines()
        .find(|line| line.starts_with(&format!("eval preset={preset} ")));
    let line = line.unwrap_or_else(|| panic!("no line of {preset} in\n{stdout}"));
    let found = line
        .split(' ')
        .find_map(|word| word.strip_prefix(&format!("{name}=")));
    found
        .unwrap_or_else(|| panic!("no {name} in {line}"))
        .parse()
        .unwrap()
}

#[test]
fn all_kinds_of_sets_are_measured_with_one_command() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let (out, csv, html) = (
        world.path("run.json"),
        world.path("run.csv"),
        world.path("run.html"),
    );
    let files = [
        "--out",
        text(&out),
        "--csv",
        text(&csv),
        "--html",
        text(&html),
    ];
    let mut arguments = vec!["eval", "--suite", text(&suite), "--work", text(&work)];
    arguments.extend([
        "--preset", "strata", "--preset", "triples", "--preset", "vector", "--ablate",
    ]);
    arguments.extend(files);
    let said = run(&arguments);
    // Rules make facts of documents, so `triples` is for all of them.
    said.assert_code(0);
    for told in [
        "silent is skipped: nobody says what answers its 1 questions",
        "pages: 1 of its 2 questions are about what is not in its corpus",
        "vector without `considered` is not measured",
    ] {
        assert!(
            said.stdout.contains(told),
            "{told} is not in\n{}",
            said.stdout
        );
    }
    let of = |preset: &str, name: &str| value(&said.stdout, preset, name);
    assert_eq!(
        (
            of("strata", "things_r5"),
            of("strata", "things_answer_in_context")
        ),
        (1.0, 1.0)
    );
    assert_eq!(of("triples", "facts_single_hop_recall"), 1.0);
    assert!(of("triples", "facts_single_hop_cp") > 0.9);
    // With its document a page is found first; without it that of another company is, which the question names.
    assert_eq!(of("vector", "pages_r1"), 1.0);
    assert_eq!(of("vector", "pages_unfiltered_r1"), 0.0);
    // What has no name in it is found by nobody, but for who takes what is nearest.
    assert_eq!(of("vector-kept", "things_refused"), 0.0);
    numbers::assert_all_told(&said.stdout, [&out, &csv, &html], false);
    let html = fs::read_to_string(&html).unwrap();
    assert!(html.contains("strata-followed") && html.contains("<svg") && !html.contains("<script"));
    for (set, layers) in [
        ("things", "strata"),
        ("things", "triples"),
        ("facts", "triples"),
    ] {
        assert!(
            work.join(format!("{set}-{layers}-lexical-1.built"))
                .is_file(),
            "{set} {layers}"
        );
    }
    assert!(!work.join("facts-strata-lexical-1").exists());
}

#[test]
fn what_a_pipeline_asks_of_models_is_in_the_table() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let told = |said: &crate::world::Said, pipeline: &str, name: &str| -> String {
        let rows = said.assert_code(0).stdout.lines();
        let rows = rows.map(|row| row.split_whitespace().collect::<Vec<_>>());
        let mut rows = rows.filter(|row| row.starts_with(&["things", pipeline, name]));
        let row = rows.next().unwrap_or_default();
        row.get(3).copied().unwrap_or_default().to_owned()
    };
    let of_things = ["--set", "things", "--work", text(&work)];
    let nobody = ["eval", "--suite", text(&suite), "--preset", "vector"];
    let said = run(&[&nobody[..], &of_things].concat());
    let asked = ["calls", "tokens"].map(|name| told(&said, "vector", name));
    assert_eq!(asked, ["0.00", "0"]);
    let reply = r#"{"wordings":["Which stone is it?"]}"#;
    let model = ScriptedServer::start(move |_| Step::text(reply)).unwrap();
    let asks = world.path("asks.toml");
    let stage =
        "name = 'asks'\n[[stage]]\nname = 'a'\nrun.multi_query = { search.bm25 = { k = 5 } }";
    fs::write(&asks, stage).unwrap();
    let (set, graph) = (suite.join("things"), work.join("things-strata-lexical-1"));
    let said = run(&[
        "eval",
        "--suite",
        text(&set),
        "--graph",
        text(&graph),
        "--preset",
        text(&asks),
        "--llm",
        &model.url(),
        "--model",
        "writer",
    ]);
    // As the script has it, ten tokens are read and nine written.
    let asked = ["calls", "tokens"].map(|name| told(&said, "asks", name));
    assert_eq!(asked, ["1.00", "19"]);
    assert_eq!(model.asked().len(), 13);
}

#[test]
fn a_graph_follows_its_set_and_runs_are_compared() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let measure = |preset: &str, out: &Path| {
        let flags = ["--set", "things", "--preset", preset, "--out", text(out)];
        let said = ask(
            "eval",
            &[],
            &[
                &["--suite", text(&suite), "--work", text(&work)][..],
                &flags,
            ]
            .concat(),
        );
        said.assert_code(0)
            .answer("eval", &["evaluations", "refusals", "notes"])
    };
    let [before, after, nothing] = ["before", "after", "nothing"].map(|name| world.path(name));
    measure("vector", &before);
    measure("vector", &after);
    let diff = |one: &Path, other: &Path, flags: &[&str]| {
        run(&[&["eval", "diff", text(one), text(other)], flags].concat())
    };
    let said = diff(&before, &after, &[]);
    said.assert_code(0);
    assert!(said.stdout.contains("0 better, 0 worse"), "{}", said.stdout);
    assert!(!said.stdout.contains(" is worse of "), "{}", said.stdout);
    let said = diff(&before, &after, &["--questions", "mrr"]);
    let same = "things: mrr is the same of each question";
    assert!(said.assert_code(0).stdout.contains(same), "{}", said.stdout);
    let said = diff(&before, &after, &["--questions", "nosuch"]);
    let none = &said.assert_code(2).stderr;
    assert!(
        none.contains("--questions nosuch: that is no measure") && none.contains("mrr"),
        "{none}"
    );
    // The document of the first question is gone from the set, and another has its text.
    let corpus = suite.join("things/corpus.jsonl");
    let changed = fs::read_to_string(&corpus)
        .unwrap()
        .replace("lava that ran from Mount Etna", "nothing");
    fs::write(&corpus, changed).unwrap();
    measure("vector", &after);
    let said = diff(&before, &after, &["--questions", "mrr"]);
    assert!(
        said.stdout.contains("things 0: mrr 1.000 -> "),
        "{}",
        said.stdout
    );
    // Nothing is found: that is worse, and no chance.
    measure("direct", &nothing);
    let (csv, html) = (world.path("diff.csv"), world.path("diff.html"));
    let said = diff(
        &before,
        &nothing,
        &["--csv", text(&csv), "--html", text(&html)],
    );
    said.assert_code(2);
    assert!(
        said.stdout.contains("vector -> direct") && said.stdout.contains("worse"),
        "{}",
        said.stdout
    );
    for told in [
        "things by vector -> direct: r5 is worse of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more",
        "things by vector -> direct: refused is better of n",
        "p50 ms",
        "p99 ms",
        "things: the cost units is only in the first",
    ] {
        assert!(
            said.stdout.contains(told),
            "{told} is not in\n{}",
            said.stdout
        );
    }
    // Who names a measure is told its questions alone.
    let one = diff(&before, &nothing, &["--questions", "mrr"]);
    assert!(
        one.stdout.contains("things 11: mrr ") && !one.stdout.contains(" is worse of "),
        "{}",
        one.stdout
    );
    let csv = fs::read_to_string(&csv).unwrap();
    for row in [
        "things,vector,direct,r5,1.000000,0.000000,-1.000000,-1.000000,12,12,worse",
        "things,vector,direct,calls,0.000000,0.000000,,,13,,",
    ] {
        assert!(csv.contains(row), "{row} is not in\n{csv}");
    }
    let html = fs::read_to_string(&html).unwrap();
    assert!(html.contains("vector (before)") && html.contains("direct (after)"));
    let said = ask("eval", &[], &["diff", text(&before), text(&nothing)]);
    assert_eq!(said.code, 2, "{}", said.stderr);
    let answer: Json = serde_json::from_str(&said.stdout).unwrap();
    assert!(answer["worse"].as_u64().unwrap() > 5, "{answer}");
    let costs = answer["costs"].as_array().unwrap().iter();
    let costs: Vec<&str> = costs.map(|one| one["cost"].as_str().unwrap()).collect();
    assert_eq!(costs, ["p50 ms", "p99 ms", "calls", "tokens"]);
    let (_, message) = ask("eval", &[], &["diff", text(&before), text(&corpus)]).error();
    assert!(message.contains("corpus.jsonl"), "{message}");
}

#[test]
fn descents_are_capped_level_by_level() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let flags = [
        "--set", "things", "--preset", "bag", "--levels", "0..2", "--kinds", "--exact",
    ];
    let said = run(&[
        &["eval", "--suite", text(&suite), "--work", text(&work)][..],
        &flags,
    ]
    .concat());
    said.assert_code(0);
    // One level of headings knows the stones, the second only what they are.
    for preset in ["bag", "bag@0", "bag@1", "bag@2"] {
        value(&said.stdout, preset, "things_even_r5");
    }
    assert_eq!(
        value(&said.stdout, "bag", "things_r5"),
        value(&said.stdout, "bag@2", "things_r5")
    );
    for wrong in [
        ["--levels", "5..0"],
        ["--preset", "none"],
        ["--set", "none"],
    ] {
        let asked = ["eval", "--suite", text(&suite), "--work", text(&work)];
        let said = run(&[&asked[..], &wrong].concat());
        said.assert_code(2);
    }
}

#[test]
fn questions_made_from_a_graph_are_a_set() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let said = run(&[
        "eval",
        "--suite",
        text(&suite),
        "--set",
        "facts",
        "--work",
        text(&work),
        "--preset",
        "triples",
    ]);
    said.assert_code(0);
    let graph = work.join("facts-triples-lexical-1");
    let make = |name: &str, seed: &str| {
        let out = world.path(name);
        let flags = [
            "make",
            text(&graph),
            "--out",
            text(&out),
            "--sample",
            "1",
            "--seed",
            seed,
        ];
        let answer = ask("eval", &[], &flags)
            .assert_code(0)
            .answer("eval", &["folder", "facts", "counted"]);
        assert_eq!(
            (answer["facts"].as_u64(), answer["phrased"].is_null()),
            (Some(12), true)
        );
        fs::read_to_string(out.join("questions.jsonl")).unwrap()
    };
    let made = make("made", "7");
    assert_eq!(made, make("again", "7"));
    assert_ne!(made, make("other", "8"));
    assert_eq!(
        made.lines()
            .filter(|line| line.contains("\"isolated\""))
            .count(),
        8
    );
    // On a graph that is built of it, and on the one that it was made of.
    let (set, near) = (world.path("made"), world.path("near.toml"));
    fs::write(
        &near,
        "name = 'near'\n[[stage]]\nname = 'a'\nrun.vector = { of = 'facts_with_sources', k = 12 }",
    )
    .unwrap();
    for place in [&["--work", text(&work)], &["--graph", text(&graph)]] {
        let said = run(&[
            &["eval", "--suite", text(&set), "--preset", text(&near)][..],
            place,
        ]
        .concat());
        said.assert_code(0);
        assert_eq!(value(&said.stdout, "near", "made_isolated_recall"), 1.0);
    }
    // Nobody's questions are written over.
    let out = text(&set);
    run(&["eval", "make", text(&graph), "--out", out]).assert_code(2);
    run(&["eval", "make", text(&graph), "--out", out, "--sample", "0"]).assert_code(2);
}

#[test]
fn rows_of_tables_are_found_by_what_questions_name() {
    let world = World::new();
    let suite = world.path("suite");
    let rows = [
        json!({"table": "Park", "name": "Hazel Hill", "area": "12.5", "city": "Ipswich"}),
        json!({"table": "Park", "name": "Long Meadow", "area": "40", "city": "Norwich"}),
        json!({"table": "Museum", "name": "Clock House", "city": "Norwich", "visitors": "9000"}),
        // One key in two ways: the first stands.
        json!({"table": "Museum", "name": "Clock House", "city": "Lincoln", "visitors": "1"}),
    ];
    let questions = [
        json!({"id": "area", "question": "What is the area of Hazel Hill?", "answers": ["12.5"]}),
        json!({"id": "city", "question": "What is the city of Clock House?", "answers": ["Norwich"]}),
        // Nobody has this one.
        json!({"id": "gone", "question": "What is the area of Dark Wood?", "answers": ["7"]}),
        // It is named, and its cell says something else.
        json!({"id": "other", "question": "What is the area of Long Meadow?", "answers": ["41"]}),
    ];
    let files = [
        ("entities.jsonl", lines(rows)),
        ("questions.jsonl", lines(questions)),
    ];
    set(&suite, "affairs", &files);
    let work = world.path("work");
    let said = run(&[
        "eval",
        "--suite",
        text(&suite),
        "--work",
        text(&work),
        "--preset",
        "audit",
        "--preset",
        "strata",
    ]);
    said.assert_code(0);
    for measure in ["affairs_row1", "affairs_row5", "affairs_type1"] {
        assert_eq!(value(&said.stdout, "audit", measure), 1.0, "{measure}");
    }
    for told in [
        "affairs: 2 of its 4 questions are about what is not in its corpus",
        "affairs: 1 of its rows cannot be read, or state a key in another way",
        "strata is not measured: it takes documents",
    ] {
        assert!(
            said.stdout.contains(told),
            "{told} is not in\n{}",
            said.stdout
        );
    }
    assert!(work.join("affairs-tables-lexical-1.built").is_file());
    // A set of documents has no tables to ask.
    let things = self::suite(&world);
    let said = run(&[
        "eval",
        "--suite",
        text(&things),
        "--set",
        "things",
        "--work",
        text(&work),
        "--preset",
        "audit",
    ]);
    let told = "audit is not measured: it asks declared queries";
    assert!(said.assert_code(0).stdout.contains(told), "{}", said.stdout);
}
