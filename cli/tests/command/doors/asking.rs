//! What is chosen, refused, calibrated and declared: the same through every door. What presets find and answer is in `layered.rs`.

use super::*;

/// What was told, but for the commit that it was told as of: a server that opens a database tidies its indexes, which is a commit
/// that changes nothing that anybody reads.
pub(super) fn at_any_commit(told: &serde_json::Value) -> String {
    let mut told = told.clone();
    forget_commits(&mut told);
    told.to_string()
}

fn forget_commits(told: &mut serde_json::Value) {
    match told {
        serde_json::Value::Object(fields) => {
            fields.remove("as_of");
            fields.values_mut().for_each(forget_commits);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(forget_commits),
        _ => {}
    }
}

/// A query over the table of volcanoes.
pub(super) const QUERIES: &str = r#"
name = "volcano_named"
description = "What is known of a volcano."
target = "Volcano"
examples = ["What is there at Mount Fuji?"]
statement = "MATCH path = (v:Volcano {key: $name})-[:IN]->(:Country) RETURN v, path"
[[parameters]]
name = "name"
type = "text"
of = { label = "Volcano", property = "key" }
"#;

/// One that finds more than one row.
const SEVERAL: &str = r#"
name = "volcanoes"
description = "All volcanoes."
statement = "MATCH (v:Volcano) RETURN v"
"#;

impl Doors {
    /// A table beside the documents.
    pub(super) fn add_volcanoes(&self, into: &str) {
        let write = |name: &str, text: &str| fs::write(self.world.path(name), text).unwrap();
        write(
            "volcanoes.csv",
            "name,metres,country\nMount Etna,3357,Italy\nMount Blanc,4806,\n",
        );
        write(
            "volcanoes.toml",
            "[[nodes]]\nfile = \"volcanoes.csv\"\nlabel = \"Volcano\"\nkey = \"name\"\n[nodes.embed]\nvector = \"name\"\n[[nodes.links]]\ntype = \"IN\"\ncolumn = \"country\"\nto = \"Country\"\n\n[[nodes]]\nfile = \"countries.csv\"\nlabel = \"Country\"\nkey = \"name\"\n",
        );
        write("countries.csv", "name\nItaly\n");
        let mapping = format!("typed:{}", self.world.path("volcanoes.toml").display());
        run(&["ingest", "--into", into, "--profile", &mapping]).assert_code(0);
    }
}

pub(super) const QUESTION: &str =
    "Where does basalt come from, and what was dry near Mount Etna in 2021?";

#[test]
fn what_is_not_answered_is_told_alike_at_both_places() {
    const ELSEWHERE: &str = "Which interest did the central bank announce?";
    let doors = Doors::of("bag");
    let (folder, path) = doors.to_be_served();
    let at = path.to_str().unwrap();
    // What limits it away is refused, with a code that no script takes for an answer.
    let limited = ["ask", at, QUESTION, "--only", "year=1999"];
    let nothing = told(&limited, 2);
    assert_eq!(nothing["refused"]["because"], "nothing_found");
    let served = Served::start(&folder, &[]);
    let address = served.address();
    let limited = ["ask", &address, QUESTION, "--only", "year=1999"];
    assert_eq!(told(&limited, 2).to_string(), nothing.to_string());
    let refused = run(&[
        "ask",
        &address,
        QUESTION,
        "--llm",
        "http://x/v1",
        "--model",
        "y",
    ]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    // What cannot be asked for is refused in the same words, wherever it is.
    let wrong = |at: &str| {
        let wrong = run(&["calibrate", at, "--refuse-at-most", "2", "--json"]);
        assert_eq!(wrong.code, 2, "{}", wrong.stderr);
        wrong.error().1
    };
    let by_address = wrong(&address);
    served.terminate();
    for said in [by_address, wrong(at)] {
        assert!(said.contains("is from 0 and below 1"), "{said}");
    }
    assert!(told(&["ask", at, ELSEWHERE], 0)["threshold"].is_null());
    // What was found and is too long is not told as if nothing had been found.
    let short = told(&["ask", at, QUESTION, "--budget", "1"], 2);
    let reason = short["refused"]["reason"].as_str().unwrap();
    assert!(reason.contains("nothing fits into the budget"), "{reason}");
    for (verb, flag) in [
        ("ask", "--budget"),
        ("retrieve", "--budget"),
        ("retrieve", "--most"),
    ] {
        let none = run(&[verb, at, QUESTION, flag, "0"]);
        assert!(
            none.assert_code(2).stderr.contains("a count above zero"),
            "{}",
            none.stderr
        );
    }
}

#[test]
fn what_metadata_say_can_be_asked_for_at_both_places() {
    let world = World::new();
    let docs = world.path("docs");
    fs::create_dir_all(&docs).unwrap();
    for name in ["00123", "inf", "true", "2023"] {
        let text = format!(
            "---\nopen: true\nedition: \"2023\"\n---\n# Quarry {name}\n\nThe quarry {name} gives basalt.\n"
        );
        fs::write(docs.join(format!("{name}.md")), text).unwrap();
    }
    let folder = world.path("served");
    let path = folder.join("default");
    let at = path.to_str().unwrap();
    let how = ["--profile", "structure", "--metadata", "{code}.md"];
    let filters = [
        "--filter", "code", "--filter", "open", "--filter", "edition",
    ];
    let ingest = ["ingest", docs.to_str().unwrap(), "--into", at];
    run(&[&ingest[..], &how, &filters].concat()).assert_code(0);
    let found = |at: &str, only: &[&str]| -> Vec<String> {
        let question = "Which quarry gives basalt?";
        let asked = ["retrieve", at, question, "--preset", "vector"];
        let only = only.iter().flat_map(|only| ["--only", *only]);
        let all: Vec<&str> = asked.into_iter().chain(only).collect();
        let answer = told(&all, 0);
        let found = answer["found"].as_array().unwrap().iter();
        let documents = found.map(|one| &one["receipt"]["places"][0]["document"]);
        let mut documents: Vec<String> = documents
            .map(|document| document.as_str().unwrap().to_owned())
            .collect();
        documents.sort();
        documents.dedup();
        documents
    };
    let check = |at: &str| {
        for (only, document) in [
            ("code=00123", "00123.md"),
            ("code=inf", "inf.md"),
            ("code='true'", "true.md"),
            ("code=2023", "2023.md"),
        ] {
            assert_eq!(found(at, &[only]), [document], "{only}");
        }
        for nothing in ["code=true", "code=123", "edition=2023", "open='true'"] {
            assert!(found(at, &[nothing]).is_empty(), "{nothing}");
        }
        let of_all = found(at, &["edition=\"2023\"", "open=true"]);
        assert_eq!(of_all.len(), 4, "{of_all:?}");
        let twice = ["retrieve", at, QUESTION, "--only", "code=inf", "--only"];
        let twice = run(&[&twice[..], &["code=2023"]].concat());
        assert!(
            twice.assert_code(2).stderr.contains("given twice"),
            "{}",
            twice.stderr
        );
    };
    check(at);
    let served = Served::start(&folder, &[]);
    check(&served.address());
    served.terminate();
}

/// What the documents below answer, and what they do not.
pub(super) const KNOWN: &str = "Which oldest violins museum stands near violinsville?";
pub(super) const UNKNOWN: &str = "Which mortgage interest did bankers announce yesterday?";

/// A database of documents enough to make questions of: each about something else.
pub(super) fn about_many_things(world: &World, into: &str) {
    let things = [
        "basalt", "violins", "owls", "glaciers", "bread", "clocks", "chess", "sailing", "tea",
        "bees",
    ];
    for (at, thing) in things.iter().enumerate() {
        let other = things[(at + 3) % things.len()];
        let text = format!(
            "# {thing}\n\nWhoever studies {thing} in {year} begins with the {thing}book of Professor {thing}son. \
             The oldest {thing} museum of Europe stands near {thing}ville and opened {year} visitors ago. \
             Nobody there has heard of any {other} so far.\n",
            year = 1900 + at * 7
        );
        world.write(&format!("docs/{thing}.md"), text);
    }
    let docs = world.path("docs");
    let docs = docs.to_str().unwrap();
    let ingest = ["ingest", docs, "--into", into, "--profile", "structure"];
    run(&ingest).assert_code(0);
}

/// Finds a threshold for them, of few questions and always the same.
pub(super) fn calibrate(at: &str) -> [&str; 6] {
    ["calibrate", at, "--questions", "40", "--seed", "3"]
}

#[test]
fn a_calibration_is_the_same_at_both_places_and_is_gone_by() {
    let world = World::new();
    let folder = world.path("served");
    let path = folder.join("default");
    let at = path.to_str().unwrap();
    about_many_things(&world, at);
    let by_folder = told(&calibrate(at), 0);
    assert!(by_folder["auroc"].as_f64().unwrap() > 0.8, "{by_folder}");
    let threshold = &by_folder["threshold"];
    let info = told(&["info", at], 0);
    let listed = &info["calibrations"][0];
    assert_eq!(
        (
            &listed["pipeline"],
            &listed["threshold"],
            &listed["questions"]
        ),
        (&by_folder["pipeline"], threshold, &by_folder["questions"])
    );
    let shown = run(&["info", at]);
    assert!(
        shown.stdout.contains("answers from") && shown.stdout.contains("strata (lexical-1)"),
        "{}",
        shown.stdout
    );
    let answered = told(&["ask", at, KNOWN], 0);
    assert_eq!(&answered["threshold"], threshold);
    let refused = told(&["ask", at, UNKNOWN], 2);
    assert_eq!(refused["refused"]["because"], "below_threshold");
    let shown = run(&["ask", at, UNKNOWN]);
    assert!(
        shown
            .assert_code(2)
            .stdout
            .starts_with("no answer: what was found is trusted")
    );
    let served = Served::start(&folder, &[]);
    let by_address = told(&calibrate(&served.address()), 0);
    // Keeping it was a commit.
    let but_commit = |mut told: serde_json::Value| {
        told.as_object_mut().unwrap().remove("as_of");
        told.to_string()
    };
    assert_eq!(but_commit(by_address), but_commit(by_folder));
    let at_server = told(&["ask", &served.address(), KNOWN], 0);
    assert_eq!(at_any_commit(&at_server), at_any_commit(&answered));
    assert!(
        answered["sources"][0]["receipt"]["as_of"].is_u64(),
        "{answered}"
    );
    served.terminate();
    // Its shares are of questions that it has made itself.
    let shown = run(&calibrate(at));
    assert!(
        shown
            .assert_code(0)
            .stdout
            .contains("a lower --refuse-at-most"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_declared_query_is_the_same_through_every_door() {
    let doors = Doors::of("hybrid");
    let (folder, path) = doors.to_be_served();
    let at = path.to_str().unwrap();
    doors.add_volcanoes(at);
    let queries = doors.world.path("queries.toml");
    fs::write(&queries, QUERIES).unwrap();
    let queries = queries.to_str().unwrap();
    let list = told(&["routes", "list", at], 0);
    assert_eq!(list["declared"], false);
    assert!(list["queries"].as_array().unwrap().len() > 2, "{list}");
    let added = told(&["routes", "add", at, queries], 0);
    assert_eq!(
        added["added"],
        json!([{"name": "volcano_named", "replaced": false}])
    );
    let call = |at: &str, arguments: &str| {
        told(
            &[
                "routes",
                "call",
                at,
                "volcano_named",
                "--arguments",
                arguments,
            ],
            0,
        )
    };
    let etna = r#"{"name": "Mount Etna"}"#;
    let several = doors.world.path("several.toml");
    fs::write(&several, SEVERAL).unwrap();
    told(&["routes", "add", at, several.to_str().unwrap()], 0);
    let one_row = |at: &str| told(&["routes", "call", at, "volcanoes", "--rows", "1"], 0);
    let (list, tools, called) = (
        told(&["routes", "list", at], 0),
        told(&["routes", "tools", at], 0),
        call(at, etna),
    );
    let of_two = one_row(at);
    assert_eq!(
        tools["tools"][0]["function"]["parameters"]["required"],
        json!(["name"])
    );
    assert_eq!(called["found"].as_array().unwrap().len(), 2);
    assert_eq!(called["found"][1]["receipt"]["way"][0]["by"], "IN");
    let by_library = {
        let db = Database::builder().open_read_only(&path).unwrap();
        let open = Library::new(&db, Equipment::default()).open().unwrap();
        let arguments = serde_json::from_str(etna).unwrap();
        let limits = CallLimits::default();
        let called = open.call("volcano_named", &arguments, limits, &CancelToken::new());
        serde_json::to_value(called.unwrap()).unwrap()
    };
    assert_eq!(called.to_string(), by_library.to_string());
    let served = Served::start(&folder, &[]);
    let at = served.address();
    assert_eq!(
        told(&["routes", "list", &at], 0).to_string(),
        list.to_string()
    );
    assert_eq!(
        told(&["routes", "tools", &at], 0).to_string(),
        tools.to_string()
    );
    assert_eq!(call(&at, etna).to_string(), called.to_string());
    // Of two rows one was asked for, which is said.
    assert_eq!(of_two["more"], true);
    assert_eq!(one_row(&at).to_string(), of_two.to_string());
    let again = told(&["routes", "add", &at, queries], 0);
    assert_eq!(again["added"][0]["replaced"], true);
    let refused = run(&[
        "routes",
        "call",
        &at,
        "volcano_named",
        "--arguments",
        r#"{"name": 7}"#,
    ]);
    refused.assert_code(2);
    assert!(
        refused.stderr.contains("it is a text, and this is 7"),
        "{}",
        refused.stderr
    );
    let hostile = doors.world.path("hostile.toml");
    fs::write(
        &hostile,
        QUERIES.replace("RETURN v", "DETACH DELETE v RETURN v"),
    )
    .unwrap();
    let refused = run(&["routes", "add", &at, hostile.to_str().unwrap()]);
    refused.assert_code(2);
    assert!(
        refused.stderr.contains("may only read"),
        "{}",
        refused.stderr
    );
    assert_eq!(
        told(&["routes", "drop", &at, "volcano_named"], 0)["dropped"],
        true
    );
    assert_eq!(
        told(&["routes", "drop", &at, "volcano_named"], 0)["dropped"],
        false
    );
    served.terminate();
}
