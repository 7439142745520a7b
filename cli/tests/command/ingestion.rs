//! `ingest`: folders of documents become a graph, and it stays the one of what is there now.

mod names;
mod problems;

use crate::served::Served;
use crate::world::{ROCKS, Said, World, command, run, text};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;
use stratigraph_models::{ScriptedServer, Step};

/// Three documents in three formats.
fn documents(world: &World) {
    world.write("docs/2021/rocks.md", ROCKS);
    world.write(
        "docs/2022/rivers.html",
        "<h1>Rivers</h1><p>The Danube runs to the Black Sea.</p>",
    );
    world.write(
        "docs/2022/lakes.txt",
        "1. Lakes\n\nLake Como lies in Italy.\n",
    );
    world.write("docs/.hidden.md", "# Nobody reads this\n");
}

fn ingest(world: &World, into: &str, more: &[&str]) -> Said {
    let (docs, into) = (world.path("docs"), world.path(into));
    let arguments = ["ingest", text(&docs), "--into", text(&into), "--json"];
    run(&[&arguments, more].concat())
}

#[track_caller]
fn answer(said: &Said) -> Json {
    let fields = [
        "path",
        "profile",
        "embedder",
        "dry_run",
        "documents",
        "added",
        "changed",
        "unchanged",
        "failed",
        "count_failed",
        "broken_lines",
        "count_broken_lines",
        "pruned",
        "pruned_documents",
        "bytes",
        "pieces",
        "written",
        "deleted",
        "vectors",
        "stale",
        "model",
        "milliseconds",
    ];
    said.answer("ingest", &fields)
}

fn count(world: &World, into: &str, what: &str) -> String {
    let into = world.path(into);
    let said = run(&[
        "query",
        text(&into),
        &format!("MATCH {what} RETURN count(*) AS n"),
    ]);
    said.assert_code(0).stdout.trim().to_owned()
}

/// The graph without ids.
fn graph(world: &World, name: &str) -> String {
    let said = run(&["dump", "--canonical", text(&world.path(name))]);
    said.assert_code(0).stdout.clone()
}

#[test]
fn a_folder_becomes_a_graph_that_follows_it() {
    let world = World::new();
    documents(&world);
    let how = [
        "--profile",
        "bag",
        "--metadata",
        "{year}/*",
        "--filter",
        "year",
    ];
    let said = answer(ingest(&world, "graph", &how).assert_code(0));
    assert_eq!(
        (&said["documents"], &said["embedder"]),
        (&3.into(), &"lexical-1".into())
    );
    assert_eq!(
        count(&world, "graph", "(d:Document {year: 2022})"),
        "{\"n\":2}"
    );
    assert_eq!(
        count(&world, "graph", "(c:Chunk {year: 2021})"),
        "{\"n\":2}"
    );
    assert_eq!(
        count(&world, "graph", "(i:Instance) WHERE i.name CONTAINS 'Etna'"),
        "{\"n\":1}"
    );
    let again = answer(ingest(&world, "graph", &how).assert_code(0));
    assert_eq!(
        (&again["written"], &again["vectors"]),
        (&0.into(), &0.into())
    );

    world.write(
        "docs/2021/rocks.md",
        ROCKS.replace("Mount Etna", "Mount Hekla"),
    );
    fs::remove_file(world.path("docs/2022/lakes.txt")).unwrap();
    let pruned = [&how[..], &["--prune", "--yes"]].concat();
    let said = answer(ingest(&world, "graph", &pruned).assert_code(0));
    assert_eq!(
        (&said["documents"], &said["pruned"]),
        (&2.into(), &1.into())
    );
    ingest(&world, "fresh", &how).assert_code(0);
    assert!(graph(&world, "graph").contains("Hekla"));
    assert_eq!(graph(&world, "graph"), graph(&world, "fresh"));

    let other = ingest(&world, "graph", &["--profile", "tag"]);
    let (kind, message) = other.assert_code(2).error();
    assert!(
        kind == "request" && message.contains("was built with profile = bag, not tag"),
        "{message}"
    );
}

#[test]
fn a_database_is_gone_on_with_as_it_was_made() {
    let world = World::new();
    documents(&world);
    world.write("docs/facts.jsonl",
        "{\"subject\": \"Etna\", \"relation\": \"is\", \"object\": \"a volcano\", \"source\": \"p. 7\"}\n",
    );
    let served = Served::start(&world.path("data"), &[]);
    let first = ["--profile", "triples", "--language", "english"];
    let folder = text(&world.path("graph")).to_owned();
    let address = served.address();
    let (docs, facts) = (world.path("docs"), world.path("docs/facts.jsonl"));
    let here = |path: &Path, into: &str, more: &[&str]| {
        let said = [&["ingest", text(path), "--into", into, "--json"], more].concat();
        answer(run(&said).assert_code(0))
    };
    for into in [folder.as_str(), &address] {
        let said = here(&docs, into, &first);
        assert_eq!(said["documents"], 4, "{said}");
        // Without a word of it: the same, which also takes lists of facts.
        for more in [&["--dry-run"][..], &[], &["--prune"]] {
            let again = here(&docs, into, more);
            assert_eq!(again["profile"], "triples", "{again}");
            assert_eq!(again["documents"], 4, "{again}");
            assert_eq!(again["pruned"], 0, "{again}");
        }
        // A list alone is something to prune by only where there are facts.
        let less = here(&facts, into, &["--prune", "--yes", "--cluster-relations"]);
        assert_eq!(
            (&less["documents"], &less["pruned"]),
            (&1.into(), &3.into())
        );
    }
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let world = World::new();
    documents(&world);
    world.write("docs/broken.md", b"\xff\xfe\x00");
    world.write("docs/broken.pdf", b"%PDF-1.7\nnothing");
    let said = ingest(&world, "graph", &[]);
    let told = answer(said.assert_code(2));
    assert_eq!(
        (&told["documents"], &told["count_failed"]),
        (&3.into(), &2.into())
    );
    let problems: Vec<&str> = told["failed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["problem"].as_str().unwrap())
        .collect();
    for name in ["broken.md", "broken.pdf"] {
        assert!(
            problems.iter().any(|problem| problem.contains(name)),
            "{problems:?}"
        );
    }
    let plain = run(&[
        "ingest",
        text(&world.path("docs")),
        "--into",
        text(&world.path("graph")),
    ]);
    assert!(
        plain
            .assert_code(2)
            .stderr
            .contains("not taken in: broken.md"),
        "{}",
        plain.stderr
    );
    let nothing = run(&[
        "ingest",
        text(&world.path("missing")),
        "--into",
        text(&world.path("graph")),
    ]);
    assert!(
        nothing.assert_code(2).stderr.contains("missing"),
        "{}",
        nothing.stderr
    );
    for wrong in [
        ["--profile", "bags"],
        ["--embedder", "./nowhere"],
        ["--metadata", "{year"],
    ] {
        let said = ingest(&world, "graph", &wrong);
        assert_eq!(said.error().0, "request", "{}", said.stderr);
    }
}

#[test]
fn pruning_is_foretold_and_refused_where_nothing_was_found() {
    let world = World::new();
    documents(&world);
    world.write("docs/picture.png", "x");
    let fact = "{\"subject\": \"a\", \"relation\": \"is\", \"object\": \"b\"}\n";
    world.write("docs/facts.jsonl", fact);
    let how = ["--profile", "triples"];
    ingest(&world, "graph", &how).assert_code(0);
    let before = graph(&world, "graph");
    let with = |more: &[&'static str]| ingest(&world, "graph", &[&how[..], more].concat());

    fs::remove_file(world.path("docs/2022/lakes.txt")).unwrap();
    let dry = answer(with(&["--prune", "--dry-run"]).assert_code(0));
    assert_eq!((&dry["pruned"], &dry["documents"]), (&0.into(), &3.into()));
    assert_eq!(
        dry["pruned_documents"],
        serde_json::json!(["2022/lakes.txt"])
    );
    assert_eq!(graph(&world, "graph"), before);

    // A folder that is not mounted, say.
    fs::rename(world.path("docs"), world.path("away")).unwrap();
    world.write("docs/picture.png", "x");
    let (kind, message) = with(&["--prune"]).assert_code(2).error();
    assert!(
        kind == "request" && message.contains("take everything out"),
        "{message}"
    );
    assert_eq!(graph(&world, "graph"), before);

    // What cannot be read is named, and a picture is none of it.
    fs::remove_dir_all(world.path("docs")).unwrap();
    fs::rename(world.path("away"), world.path("docs")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", world.path("docs/broken.md")).unwrap();
        let message = with(&["--prune"]).assert_code(2).error().1;
        assert!(message.contains("1 file, first broken.md"), "{message}");
        fs::remove_file(world.path("docs/broken.md")).unwrap();
    }
    let done = answer(with(&["--prune"]).assert_code(0));
    assert_eq!(done["pruned"], 1);
    assert_eq!(
        done["pruned_documents"],
        serde_json::json!(["2022/lakes.txt"])
    );
}

#[test]
fn flags_that_say_nothing_here_are_refused() {
    let world = World::new();
    documents(&world);
    for (how, said) in [
        (
            &["--language", "klingon"][..],
            "--language \"klingon\" is not known: there are plain, english",
        ),
        (
            &["--cluster-relations"],
            "--cluster-relations is for profiles with facts",
        ),
        (&["--cluster-relations=never"], "review, merge"),
        (
            &["--root", "Geology"],
            "--root is for profiles with domains",
        ),
        (
            &["--profile", "triples", "--cluster-relations", "--dry-run"],
            "--dry-run",
        ),
        (
            &["--profile", "typed:x.toml", "--language", "english"],
            "PATH is for documents",
        ),
    ] {
        let refused = ingest(&world, "graph", how);
        let (_, message) = refused.assert_code(2).error();
        assert!(message.contains(said), "{how:?}: {message}");
        assert!(!world.path("graph").exists());
    }
    // The language is decided once.
    ingest(&world, "graph", &["--language", "english"]).assert_code(0);
    let (_, message) = ingest(&world, "graph", &["--language", "italian"])
        .assert_code(2)
        .error();
    assert!(
        message.contains("language = english, not italian"),
        "{message}"
    );
}

#[test]
fn lists_of_facts_are_documents_and_their_broken_lines_are_told() {
    let world = World::new();
    let fact = |object: &str| {
        format!(
            "{{\"subject\": \"Basalt\", \"relation\": \"is\", \"object\": \"{object}\", \"source\": \"p. 7\"}}\n"
        )
    };
    world.write(
        "docs/facts.jsonl",
        fact("lava") + "{\"subject\"\n" + &fact("old") + &fact("old"),
    );
    world.write("docs/table.csv", "a,b\n1,2\n");
    let said = ingest(&world, "graph", &["--profile", "triples"]);
    let told = answer(said.assert_code(2));
    assert_eq!(
        (
            &told["documents"],
            &told["count_failed"],
            &told["count_broken_lines"]
        ),
        (&1.into(), &0.into(), &1.into())
    );
    let problem = told["broken_lines"][0].as_str().unwrap();
    assert!(
        problem.contains("facts.jsonl") && problem.contains('2'),
        "{problem}"
    );
    assert_eq!(
        count(&world, "graph", "(:Entity {name: 'Basalt'})-[f:FACT]->()"),
        "{\"n\":2}"
    );
    let place = (world.path("docs"), world.path("graph"));
    let plain = run(&[
        "ingest",
        text(&place.0),
        "--into",
        text(&place.1),
        "--profile",
        "triples",
    ]);
    assert!(
        plain.stderr.contains("left out: table.csv"),
        "{}",
        plain.stderr
    );
}

/// A page with a line of text. Its places are computed as a writer of PDF does.
fn pdf(line: &str) -> Vec<u8> {
    let stream = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = String::new();
    for (number, object) in objects.iter().enumerate() {
        places += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let table = file.len();
    file += &format!(
        "xref\n0 6\n0000000000 65535 f \n{places}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    );
    file.into_bytes()
}

#[test]
fn pdf_is_read_by_a_child_of_the_program() {
    let world = World::new();
    world.write("docs/page.pdf", pdf("Basalt comes from Mount Etna."));
    let said = answer(ingest(&world, "graph", &[]).assert_code(0));
    assert_eq!(
        (&said["documents"], &said["count_failed"]),
        (&1.into(), &0.into())
    );
    assert_eq!(
        count(
            &world,
            "graph",
            "(c:Chunk {first_page: 1}) WHERE c.text CONTAINS 'Etna'"
        ),
        "{\"n\":1}"
    );
}

/// A model that reads one fact out of whatever it is given.
fn model_of_basalt() -> ScriptedServer {
    let fact = r#"{"triples": [{"subject": "Basalt", "relation": "comes from", "object": "Mount Etna", "source": ""}]}"#;
    ScriptedServer::start(move |_| Step::text(fact)).unwrap()
}

#[test]
fn a_model_is_paid_once_and_the_bill_is_foretold() {
    let world = World::new();
    documents(&world);
    let server = model_of_basalt();
    let url = server.url();
    let model = ["--profile", "triples", "--llm", &url, "--model", "small"];
    let dry =
        answer(ingest(&world, "graph", &[&model[..], &["--dry-run"]].concat()).assert_code(0));
    let calls = dry["model"]["calls"].as_u64().unwrap();
    assert!(
        calls >= 3 && dry["model"]["input_tokens"].as_u64().unwrap() > 0,
        "{dry}"
    );
    assert_eq!(
        (server.asked().len(), world.path("graph").exists()),
        (0, false)
    );

    let paid = answer(ingest(&world, "graph", &model).assert_code(0));
    assert_eq!(
        (&paid["model"]["calls"], server.asked().len()),
        (&calls.into(), usize::try_from(calls).unwrap())
    );
    assert_eq!(
        count(&world, "graph", "(:Entity {name: 'Basalt'})-[f:FACT]->()"),
        "{\"n\":1}"
    );
    let again = answer(ingest(&world, "graph", &model).assert_code(0));
    assert_eq!(
        (
            &again["unchanged"],
            &again["pieces"],
            &again["model"]["kept"]
        ),
        (&again["documents"], &0.into(), &0.into())
    );
    let dry =
        answer(ingest(&world, "graph", &[&model[..], &["--dry-run"]].concat()).assert_code(0));
    assert_eq!(
        (&dry["unchanged"], &dry["model"]["calls"]),
        (&dry["documents"], &0.into())
    );
    // What was paid for is kept, also for a document that is not there any more.
    run(&[
        "query",
        text(&world.path("graph")),
        "CALL rag.deleteDocument('2021/rocks.md')",
    ])
    .assert_code(0);
    let again = answer(ingest(&world, "graph", &model).assert_code(0));
    assert_eq!(again["model"]["calls"], 0);
    assert!(again["model"]["kept"].as_u64().unwrap() > 0, "{again}");
}

#[test]
fn going_on_without_the_model_is_told_in_a_folder_and_at_an_address() {
    let world = World::new();
    documents(&world);
    let server = model_of_basalt();
    let url = server.url();
    let model = ["--profile", "triples", "--llm", &url, "--model", "small"];
    let facts = "(:Entity {name: 'Basalt'})-[f:FACT]->()";
    let told = |said: &Json| {
        let note = said["note"].as_str().unwrap_or_default();
        note.contains("has read documents here") && note.contains("small")
    };
    for into in ["graph", "data/default"] {
        let paid = answer(ingest(&world, into, &model).assert_code(0));
        assert!(paid["note"].is_null(), "{paid}");
    }
    let dry = answer(ingest(&world, "graph", &["--dry-run"]).assert_code(0));
    assert!(told(&dry), "{dry}");
    let rules = answer(ingest(&world, "graph", &[]).assert_code(0));
    assert!(told(&rules), "{rules}");
    assert_eq!(count(&world, "graph", facts), "{\"n\":0}");
    // Whoever says it again has what there was, and pays nothing.
    let again = answer(ingest(&world, "graph", &model).assert_code(0));
    assert_eq!(
        (&again["note"], &again["model"]["calls"]),
        (&Json::Null, &0.into())
    );
    assert_eq!(count(&world, "graph", facts), "{\"n\":1}");

    let served = Served::start(&world.path("data"), &[]);
    let (docs, address) = (world.path("docs"), served.address());
    let far = run(&["ingest", text(&docs), "--into", &address, "--json"]);
    let far = answer(far.assert_code(0));
    assert!(told(&far), "{far}");
    let plain = run(&["ingest", text(&docs), "--into", &address]);
    let said = &plain.assert_code(0).stderr;
    assert!(said.contains("note: the model "), "{said}");
    served.terminate();
}

#[test]
fn domains_without_summaries_are_told_of_until_they_have_them() {
    let world = World::new();
    world.write("docs/rocks.md", ROCKS);
    let tag = ["--profile", "tag"];
    let folder = world.path("graph");
    let graph = text(&folder);
    let served = Served::start(&world.path("data"), &[]);
    let (docs, address) = (world.path("docs"), served.address());
    let far = ["ingest", text(&docs), "--into", &address, "--json"];
    let far = answer(run(&[&far[..], &tag].concat()).assert_code(0));
    let near = answer(ingest(&world, "graph", &tag).assert_code(0));
    let without = near["without_summary"].as_u64().unwrap();
    assert!(without > 1, "{near}");
    assert_eq!(far["without_summary"], near["without_summary"]);
    served.terminate();

    let plain = run(&["ingest", text(&docs), "--into", graph]);
    let line = format!("{without} domains without a summary");
    let said = &plain.assert_code(0).stdout;
    assert!(
        said.contains(&line) && said.contains(&format!("`stratigraph summarise {graph}`")),
        "{said}"
    );
    // Whoever asks before is told why there is nothing.
    let question = "Where does basalt come from?";
    let why = "no domain has a summary yet";
    let asked = run(&["ask", graph, question, "--preset", "tag"]);
    let said = &asked.assert_code(2).stdout;
    assert!(said.contains("no answer") && said.contains(why), "{said}");
    let found = run(&["retrieve", graph, question, "--preset", "tag"]);
    assert!(found.stdout.contains(why), "{}", found.stdout);

    let summarise =
        "CALL rag.resummarise({domains: true, central: true}) YIELD key RETURN count(key)";
    run(&["query", graph, summarise]).assert_code(0);
    run(&["ask", graph, question, "--preset", "tag"]).assert_code(0);
    let again = answer(ingest(&world, "graph", &[]).assert_code(0));
    assert_eq!(again["without_summary"], 0, "{again}");
    // Other profiles have none, and a dry run looks at nothing.
    let other = answer(ingest(&world, "other", &["--profile", "bag"]).assert_code(0));
    let dry = answer(ingest(&world, "graph", &["--dry-run"]).assert_code(0));
    assert!(other["without_summary"].is_null() && dry["without_summary"].is_null());
}

#[test]
fn without_a_name_a_model_is_not_asked() {
    let world = World::new();
    let mut asked = command(&[
        "ingest",
        "docs",
        "--into",
        "graph",
        "--llm",
        "http://localhost:1",
    ]);
    let said = asked.current_dir(world.path("")).output().unwrap();
    assert_eq!(said.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&said.stderr).contains("--model"));
}
