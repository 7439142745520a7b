//! What cannot be taken in is told before as it is after, in a folder as at an address.

use super::{answer, documents, ingest};
use crate::served::Served;
use crate::world::{World, run, text};
use serde_json::json;
use std::fs;

/// Three files that cannot be taken in, and one that comes in without a line of it.
fn broken(world: &World) {
    let fact = "{\"subject\": \"Etna\", \"relation\": \"is\", \"object\": \"a volcano\"}\n";
    world.write("docs/good.md", "# Rocks\n\nBasalt is dark.\n");
    world.write("docs/bad.md", b"\xFF\xFF");
    world.write("docs/front.md", "---\na:\n  b: c\n---\n# Rocks\n");
    world.write("docs/none.jsonl", "[1]\n[2]\n");
    world.write("docs/some.jsonl", format!("{fact}[3]\n"));
}

#[test]
fn a_dry_run_names_what_a_run_names_in_a_folder_as_at_an_address() {
    let world = World::new();
    broken(&world);
    let docs = world.path("docs");
    let served = Served::start(&world.path("data"), &[]);
    let (folder, address) = (world.path("graph"), served.address());
    let ingest = |into: &str, more: &[&str]| {
        let how = [
            "ingest",
            text(&docs),
            "--into",
            into,
            "--profile",
            "triples",
        ];
        run(&[&how[..], more].concat())
    };
    let told = |into: &str, more: &[&str]| {
        let said = ingest(into, &[&["--json"][..], more].concat());
        let said = answer(said.assert_code(2));
        assert_eq!(
            (&said["documents"], &said["count_failed"]),
            (&2.into(), &3.into()),
            "{said}"
        );
        assert_eq!(said["count_broken_lines"], 3, "{said}");
        json!([said["failed"], said["broken_lines"]])
    };
    let expected = told(text(&folder), &["--dry-run"]);
    for (at, name) in ["bad.md", "front.md", "none.jsonl"].into_iter().enumerate() {
        assert_eq!(expected[0][at]["document"], name, "{expected}");
    }
    assert_eq!(expected[1].as_array().map(Vec::len), Some(3), "{expected}");
    for (into, more) in [
        (address.as_str(), &["--dry-run"][..]),
        (text(&folder), &[]),
        (address.as_str(), &[]),
    ] {
        assert_eq!(told(into, more), expected, "{into} {more:?}");
    }
    // For people: each once, under its name.
    for into in [text(&folder), &address] {
        for more in [&["--dry-run"][..], &[]] {
            let said = ingest(into, more);
            let lines: Vec<&str> = said.assert_code(2).stderr.lines().collect();
            for begins in [
                "not taken in: bad.md, line 1, column 1: the bytes",
                "not taken in: front.md, line 3, column 1: nested names",
                "not taken in: none.jsonl: no fact",
                "left out: none.jsonl, line 1",
                "left out: none.jsonl, line 2",
                "left out: some.jsonl, line 2",
            ] {
                let found = lines.iter().filter(|line| line.starts_with(begins));
                assert_eq!(found.count(), 1, "{begins}: {lines:#?}");
            }
            assert_eq!(lines.len(), 6, "{lines:#?}");
            assert!(
                said.stdout.contains("3 lines of lists could not be read"),
                "{}",
                said.stdout
            );
        }
        let said = ingest(into, &[]);
        assert!(
            said.stdout.contains("3 documents could not be taken in"),
            "{}",
            said.stdout
        );
    }
    served.terminate();
}

#[test]
fn a_pattern_that_fits_no_file_is_told() {
    let world = World::new();
    documents(&world);
    let fits = answer(ingest(&world, "graph", &["--metadata", "{year}/*.md"]).assert_code(0));
    assert_eq!(fits["note"], json!(null), "{fits}");
    let misses = ["--metadata", "{year}/*.pdf"];
    let begins = "--metadata {year}/*.pdf fits none of the 3 files";
    let told = answer(ingest(&world, "graph", &misses).assert_code(0));
    let note = told["note"].as_str().unwrap();
    assert!(note.starts_with(begins), "{told}");
    assert!(note.ends_with("such as 2021/rocks.md"), "{told}");
    let (docs, graph) = (world.path("docs"), world.path("graph"));
    let plain = ["ingest", text(&docs), "--into", text(&graph)];
    let plain = run(&[&plain[..], &misses].concat());
    assert!(
        plain.stderr.contains(&format!("note: {begins}")),
        "{}",
        plain.stderr
    );
}

#[test]
fn no_database_is_made_of_nothing_and_one_that_is_there_is_told_of_it() {
    let world = World::new();
    let fact = "{\"subject\": \"Etna\", \"relation\": \"is\", \"object\": \"a volcano\"}\n";
    world.write("docs/facts.jsonl", fact);
    world.write("docs/picture.png", "x");
    let served = Served::start(&world.path("data"), &[]);
    let (docs, graph) = (world.path("docs"), world.path("graph"));
    let other = format!("{}/other", served.address());
    let places = [(other.as_str(), &["--create"][..]), (text(&graph), &[])];
    let ingest = |into: &str, create: &[&str], more: &[&str]| {
        let how = ["ingest", text(&docs), "--into", into];
        run(&[&how[..], create, more].concat())
    };
    // A list of facts is nothing where there are none.
    for more in [
        &["--json"][..],
        &["--json", "--profile", "structure"],
        &["--json", "--profile", "bag", "--dry-run"],
    ] {
        for (into, create) in places {
            let (kind, message) = ingest(into, create, more).assert_code(2).error();
            assert_eq!(kind, "request", "{message}");
            let begins = "no database is made of nothing: no document was found among 2 files: Markdown (.md)";
            assert!(message.starts_with(begins), "{into} {more:?}: {message}");
            let ends = "profiles with facts (tag, triples, hybrid, strata, layered), lists of them (.jsonl)";
            assert!(message.ends_with(ends), "{into} {more:?}: {message}");
        }
        assert!(!graph.exists());
    }
    run(&["query", &other, "RETURN 1"]).assert_code(2);
    // An empty folder is as good as none, and stays as it is.
    fs::create_dir(&graph).unwrap();
    ingest(text(&graph), &[], &[]).assert_code(2);
    assert!(fs::read_dir(&graph).unwrap().next().is_none());

    for (into, create) in places {
        let made = ingest(into, create, &["--json", "--profile", "triples"]);
        let made = answer(made.assert_code(0));
        assert_eq!(
            (&made["documents"], &made["note"]),
            (&1.into(), &json!(null))
        );
    }
    // What is there already is left as it is.
    fs::remove_file(docs.join("facts.jsonl")).unwrap();
    for (into, create) in places {
        let told = ingest(into, create, &["--json"]);
        let told = answer(told.assert_code(0));
        let note = told["note"].as_str().unwrap_or_default();
        let begins = "no document was found among 1 file: ";
        assert!(note.starts_with(begins), "{told}");
        assert_eq!(told["documents"], 0, "{told}");
        let plain = ingest(into, create, &[]);
        let said = &plain.assert_code(0).stderr;
        assert!(said.contains(&format!("note: {begins}")), "{said}");
    }
    served.terminate();
}
