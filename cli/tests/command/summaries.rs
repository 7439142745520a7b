//! Summaries, by `ingest --summarise` and by `summarise`: the profile `tag` from documents to an answer, in a folder and at an
//! address.

mod stopped;

use crate::served::Served;
use crate::world::{ROCKS, Said, World, run, text};
use serde_json::{Value as Json, json};
use stratigraph_models::{ScriptedServer, Step};

const QUESTION: &str = "Where does basalt come from?";

/// One document, whose headings rules take for domains.
fn documents(world: &World, contents: &str) {
    world.write("docs/rocks.md", contents);
}

fn ingest(world: &World, into: &str, more: &[&str]) -> Said {
    let docs = world.path("docs");
    run(&[&["ingest", text(&docs), "--into", into], more].concat())
}

#[track_caller]
fn ingested(said: &Said, code: i32) -> Json {
    let fields = ["summaries", "without_summary", "stale", "model"];
    said.assert_code(code).answer("ingest", &fields)
}

fn summarise(place: &str, more: &[&str], code: i32) -> Json {
    let said = run(&[&["summarise", place, "--json"], more].concat());
    let fields = [
        "path",
        "by",
        "dry_run",
        "written",
        "failed",
        "count_failed",
        "stale",
        "model",
        "milliseconds",
    ];
    said.assert_code(code).answer("summarise", &fields)
}

/// How many domains have a summary that is by somebody.
fn by(place: &str, whom: &str) -> u64 {
    let count =
        format!("MATCH (d:DomainTag) WHERE d.summary_model = '{whom}' RETURN count(d) AS n");
    let said = run(&["query", place, "--format", "plain", &count]);
    said.assert_code(0).stdout.trim().parse().unwrap()
}

/// A model that writes the same of everything.
fn writing() -> ScriptedServer {
    let summary = json!({"summary": "Basalt is a rock that comes from Mount Etna."}).to_string();
    ScriptedServer::start(move |_| Step::text(&summary)).unwrap()
}

#[test]
fn tag_runs_whole_without_a_model_in_a_folder_and_at_an_address() {
    let world = World::new();
    documents(&world, ROCKS);
    let folder = world.path("graph");
    let served = Served::start(&world.path("data"), &[]);
    let address = served.address();
    let tag = ["--profile", "tag", "--summarise"];
    let mut told = Vec::new();
    for place in [text(&folder), address.as_str()] {
        let dry = ingest(
            &world,
            place,
            &[&tag[..], &["--dry-run", "--json"]].concat(),
        );
        assert!(ingested(&dry, 0)["summaries"].is_null());
        let dry = ingest(&world, place, &[&tag[..], &["--dry-run"]].concat());
        let later = format!("`stratigraph summarise {place} --dry-run`");
        assert!(dry.assert_code(0).stdout.contains(&later), "{}", dry.stdout);

        let done = ingest(&world, place, &[&tag[..], &["--json"]].concat());
        let done = ingested(&done, 0);
        let summaries = &done["summaries"];
        assert!(summaries["written"].as_u64().unwrap() > 1, "{done}");
        assert_eq!(
            (&summaries["by"], &summaries["count_failed"]),
            (&"rules".into(), &0.into())
        );
        assert_eq!(
            (&done["without_summary"], &done["stale"]),
            (&0.into(), &0.into())
        );
        run(&["ask", place, QUESTION, "--preset", "tag"]).assert_code(0);
        // What stands is left alone.
        let again = ingest(&world, place, &["--summarise"]);
        let shown = &again.assert_code(0).stdout;
        assert!(
            shown.contains("the most central sentences, as there is no model"),
            "{shown}"
        );
        let again = summarise(place, &[], 0);
        assert_eq!(
            (&again["written"], &again["by"]),
            (&0.into(), &"rules".into())
        );
        told.push(summaries.clone());
    }
    served.terminate();
    assert_eq!(told[0], told[1]);
    let graph = |name: &str| {
        let said = run(&["dump", "--canonical", text(&world.path(name))]);
        said.assert_code(0).stdout.clone()
    };
    assert_eq!(graph("graph"), graph("data/default"));
}

#[test]
fn what_was_ingested_before_is_summarised_by_a_model_and_paid_once() {
    let world = World::new();
    documents(&world, ROCKS);
    let model = writing();
    let url = model.url();
    let llm = ["--llm", &url, "--model", "small"];
    let folder = world.path("graph");
    let graph = text(&folder);
    ingest(&world, graph, &["--profile", "tag"]).assert_code(0);
    // Sentences stand until a model writes.
    let rules = summarise(graph, &[], 0);
    let all = rules["written"].as_u64().unwrap();
    assert!(all > 1 && by(graph, "rules") == all, "{rules}");
    let dry = summarise(graph, &[&llm[..], &["--dry-run"]].concat(), 0);
    assert_eq!(
        (&dry["written"], &dry["model"]["calls"], &dry["dry_run"]),
        (&all.into(), &all.into(), &true.into())
    );
    assert!(dry["model"]["input_tokens"].as_u64().unwrap() > 0, "{dry}");
    assert_eq!((model.asked().len(), by(graph, "rules")), (0, all));
    // It may say one thing, and the next run goes on from there.
    let limited = ["--calls", "1", "--max-model-tokens", "1"];
    let one = summarise(graph, &[&llm[..], &limited].concat(), 2);
    assert_eq!(
        (&one["written"], &one["count_failed"]),
        (&1.into(), &(all - 1).into())
    );
    assert_eq!(one["failed"][0]["label"], "DomainTag", "{one}");
    let rest = summarise(graph, &llm, 0);
    assert_eq!(
        (&rest["written"], &rest["model"]["calls"]),
        (&(all - 1).into(), &(all - 1).into())
    );
    assert!(rest["by"].as_str().unwrap().contains("small"), "{rest}");
    assert_eq!(by(graph, "rules"), 0);
    let again = summarise(graph, &llm, 0);
    assert_eq!(
        (&again["written"], &again["model"]["calls"]),
        (&0.into(), &0.into())
    );
    assert_eq!(model.asked().len() as u64, all);
    run(&["ask", graph, QUESTION, "--preset", "tag"]).assert_code(0);
}

#[test]
fn what_a_model_wrote_stays_while_there_is_none() {
    let world = World::new();
    documents(&world, ROCKS);
    let model = writing();
    let url = model.url();
    let llm = ["--llm", &url, "--model", "small"];
    let folder = world.path("graph");
    let graph = text(&folder);
    ingest(&world, graph, &["--profile", "tag"]).assert_code(0);
    summarise(graph, &llm, 0);
    documents(&world, &ROCKS.replace("Mount Etna", "Mount Hekla"));
    let without = ingest(&world, graph, &["--summarise"]);
    let told = &without.assert_code(2).stderr;
    assert!(
        told.contains("not summarised: DomainTag") && told.contains("--central"),
        "{told}"
    );
    let without = ingest(&world, graph, &["--summarise", "--json"]);
    let without = ingested(&without, 2);
    let stale = without["summaries"]["count_failed"].as_u64().unwrap();
    assert_eq!(
        (&without["stale"], &without["without_summary"]),
        (&stale.into(), &0.into())
    );
    assert_eq!(by(graph, "rules"), 0);
    // The model mends it; or sentences do, if somebody means that.
    let mended = summarise(graph, &llm, 0);
    assert_eq!(
        (&mended["written"], &mended["stale"]),
        (&stale.into(), &0.into())
    );
    documents(&world, ROCKS);
    ingest(&world, graph, &[]).assert_code(0);
    let forced = summarise(graph, &["--central"], 0);
    let written = forced["written"].as_u64().unwrap();
    assert!(written > 0 && by(graph, "rules") == written, "{forced}");
    assert_eq!(
        (&forced["by"], &forced["stale"]),
        (&"rules".into(), &0.into())
    );
}

#[test]
fn what_nothing_is_said_of_any_more_loses_its_summary_and_that_is_no_failure() {
    let world = World::new();
    documents(&world, ROCKS);
    let folder = world.path("graph");
    let served = Served::start(&world.path("data"), &[]);
    let address = served.address();
    // Somebody summarised what is still there, and of which nothing is said any more.
    let silent = |place: &str, key: &str| {
        let create = format!(
            "CREATE (:Entity {{key: '{key}', name: '{key}', summary: 'It splits.', summary_inputs: '0', stale: true}})"
        );
        run(&["query", place, &create]).assert_code(0);
    };
    for place in [text(&folder), address.as_str()] {
        ingest(&world, place, &["--profile", "tag", "--summarise"]).assert_code(0);
        silent(place, "slate");
        let dry = summarise(place, &["--dry-run"], 0);
        assert_eq!((&dry["written"], &dry["stale"]), (&0.into(), &1.into()));
        let done = ingest(&world, place, &["--summarise", "--json"]);
        let done = ingested(&done, 0);
        let summaries = &done["summaries"];
        assert_eq!(
            summaries["forgotten"],
            json!([{"label": "Entity", "key": "slate"}])
        );
        assert_eq!(
            (&summaries["count_forgotten"], &summaries["count_failed"]),
            (&1.into(), &0.into())
        );
        assert_eq!((&done["stale"], &done["ok"]), (&0.into(), &true.into()));
        // It is told once, to people as well.
        silent(place, "schist");
        let said = run(&["summarise", place]);
        let told = "summary taken away: Entity schist: nothing is said of it any more";
        assert!(
            said.assert_code(0).stderr.contains(told),
            "{}{}",
            said.stdout,
            said.stderr
        );
        assert_eq!(summarise(place, &[], 0)["count_forgotten"], 0);
    }
    served.terminate();
}

#[test]
fn nobody_writes_in_the_place_of_a_model_that_fails() {
    let world = World::new();
    documents(&world, ROCKS);
    let model = ScriptedServer::start(|_| Step::text("Rocks, I think.")).unwrap();
    let url = model.url();
    let llm = ["--llm", &url, "--model", "small"];
    let (folder, data) = (world.path("graph"), world.path("data"));
    let default = world.path("data/default");
    for place in [&folder, &default] {
        ingest(&world, text(place), &["--profile", "tag"]).assert_code(0);
    }
    let near = summarise(text(&folder), &llm, 2);
    assert_eq!(
        (&near["written"], by(text(&folder), "rules")),
        (&0.into(), 0)
    );
    let served = Served::start(&data, &llm);
    let far = summarise(&served.address(), &[], 2);
    for field in ["written", "by", "failed", "count_failed", "stale"] {
        assert_eq!(far[field], near[field], "{field}");
    }
    assert_ne!(near["by"], "rules");
    let plain = run(&["summarise", &served.address()]);
    let told = plain.assert_code(2);
    assert!(
        told.stderr.contains("not summarised: DomainTag")
            && told.stdout.contains("could not be summarised"),
        "{}{}",
        told.stdout,
        told.stderr
    );
    served.terminate();
}

#[test]
fn what_a_profile_does_not_summarise_is_refused_and_entities_are_asked_for() {
    let world = World::new();
    documents(&world, ROCKS);
    let refused = |profile: &str, how: &str| {
        let new = world.path("never");
        let said = ingest(&world, text(&new), &["--profile", profile, how]);
        assert!(!new.exists(), "{profile}");
        said.assert_code(2).stderr.clone()
    };
    for how in ["--summarise", "--summarise=entities"] {
        let said = refused("bag", how);
        assert!(said.contains("bag has neither"), "{said}");
    }
    let said = refused("hybrid", "--summarise");
    assert!(said.contains("--summarise=entities"), "{said}");
    let never = world.path("never");
    let tables = ["--profile", "typed:never.toml", "--summarise"];
    let said = run(&[&["ingest", "--into", text(&never)], &tables[..]].concat());
    let said = &said.assert_code(2).stderr;
    assert!(said.contains("--summarise is for documents"), "{said}");

    let folder = world.path("graph");
    let graph = text(&folder);
    let how = ["--profile", "hybrid", "--summarise=entities", "--json"];
    let done = ingested(&ingest(&world, graph, &how), 0);
    assert!(done["summaries"]["written"].as_u64().unwrap() > 0, "{done}");
    assert!(done["without_summary"].is_null());
    assert_eq!(summarise(graph, &["--entities"], 0)["written"], 0);
    let said = run(&["summarise", graph]);
    let said = &said.assert_code(2).stderr;
    assert!(said.contains("hybrid has no domains"), "{said}");
}
