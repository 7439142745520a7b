//! Names of documents: of two folders that have the same, the second takes the place of the first, which is told and can be
//! avoided.

use super::{answer, documents, ingest};
use crate::served::Served;
use crate::world::{ROCKS, Said, World, run, text};
use std::fs;

const NOTES: &str = "# Notes\n\nThe Danube runs to the Black Sea.\n";

/// Takes a folder in; how many were added, changed and left alone.
fn beside(said: &Said) -> [u64; 3] {
    let told = answer(said.assert_code(0));
    ["added", "changed", "unchanged"].map(|name| told[name].as_u64().unwrap())
}

#[test]
fn a_second_folder_with_the_same_names_is_told_and_can_lie_under_a_name() {
    let world = World::new();
    world.write("one/2021/rocks.md", ROCKS);
    world.write("one/2021/more.md", ROCKS);
    world.write("other/2021/rocks.md", NOTES);
    let served = Served::start(&world.path("data"), &[]);
    let folder = world.path("graph");
    let address = served.address();
    for into in [text(&folder), address.as_str()] {
        let ingest = |docs: &str, more: &[&str]| {
            let docs = world.path(docs);
            let how = ["--metadata", "{year}/*", "--filter", "year"];
            let arguments = ["ingest", text(&docs), "--into", into];
            run(&[&arguments[..], &how, more].concat())
        };
        let json = |docs: &str, more: &[&str]| ingest(docs, &[more, &["--json"]].concat());
        let years = || {
            let all = "MATCH (d:Document {year: 2021}) RETURN d.id AS id ORDER BY id";
            let said = run(&["query", into, all]);
            said.assert_code(0).stdout.clone()
        };
        assert_eq!(beside(&json("one", &[])), [2, 0, 0]);
        // It is foreseen that a text would be replaced; under a name nothing is.
        assert_eq!(beside(&json("other", &["--dry-run"])), [0, 1, 0]);
        let under = ["--under", "other/"];
        let dry = [&under[..], &["--dry-run"]].concat();
        assert_eq!(beside(&json("other", &dry)), [1, 0, 0]);
        assert_eq!(beside(&json("other", &under)), [1, 0, 0]);
        assert_eq!(beside(&json("other", &under)), [0, 0, 1]);
        assert_eq!(
            years(),
            "{\"id\":\"2021/more.md\"}\n{\"id\":\"2021/rocks.md\"}\n{\"id\":\"other/2021/rocks.md\"}\n"
        );
        // Who prunes under a name takes out what lies there, and nothing else.
        fs::rename(world.path("other/2021"), world.path("other/2022")).unwrap();
        let pruned = json("other", &[&under[..], &["--prune"]].concat());
        let pruned = answer(pruned.assert_code(0));
        let gone = serde_json::json!(["other/2021/rocks.md"]);
        assert_eq!(
            (&pruned["pruned_documents"], &pruned["added"]),
            (&gone, &1.into())
        );
        assert_eq!(years().lines().count(), 2);
        fs::rename(world.path("other/2022"), world.path("other/2021")).unwrap();
        // Without the name the one takes the place of the other, and the text tells it.
        let plain = ingest("other", &[]);
        let lines: Vec<&str> = plain.assert_code(0).stdout.lines().collect();
        let has = |name: &str, number: &str| {
            let mut facts = lines.iter().map(|line| line.split_whitespace());
            facts.any(|mut fact| fact.next() == Some(name) && fact.next() == Some(number))
        };
        assert!(has("documents", "1") && has("changed", "1"), "{lines:?}");
        assert!(!has("added", "0") && !has("unchanged", "0"), "{lines:?}");
    }
    served.terminate();
}

/// Whoever prunes two folders gives each a name that no other has below it: these are the ways not to.
#[test]
fn pruning_looks_at_all_that_lies_under_the_name_and_without_one_at_all_there_is() {
    let world = World::new();
    for file in ["one/a.md", "holds/reports/a.md", "other/b.md", "third/c.md"] {
        world.write(file, NOTES);
    }
    let ingest = |into: &str, docs: &str, more: &[&str]| {
        let (docs, into) = (world.path(docs), world.path(into));
        let said = run(&[&["ingest", text(&docs), "--into", text(&into)][..], more].concat());
        let lines = said.assert_code(0).stdout.lines();
        let gone = lines.filter(|line| line.contains("taken out: "));
        gone.map(str::to_owned).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    let under = ["--under", "reports"];
    let pruned = ["--under", "reports", "--prune"];
    // Without a name all of it is looked at, also what lies under one.
    ingest("all", "one", &[]);
    ingest("all", "other", &under);
    let foreseen = ingest("all", "one", &["--prune", "--dry-run"]);
    assert_eq!(foreseen, ["would be taken out: reports/b.md"]);
    let gone = ingest("all", "one", &["--prune", "--yes"]);
    assert_eq!(gone, ["taken out: reports/b.md"]);
    // Another folder may have a folder of that name.
    ingest("below", "holds", &[]);
    let gone = ingest("below", "other", &pruned);
    assert_eq!(gone, ["taken out: reports/a.md"]);
    // A name may lie below another.
    ingest("nested", "third", &["--under", "reports/2021"]);
    let gone = ingest("nested", "other", &pruned);
    assert_eq!(gone, ["taken out: reports/2021/c.md"]);
    // Where each has a name of its own, each is left to itself.
    ingest("apart", "third", &["--under", "third"]);
    assert_eq!(ingest("apart", "other", &pruned), none);
    assert_eq!(
        ingest("apart", "third", &["--under", "third", "--prune"]),
        none
    );
}

#[test]
fn much_and_whole_folders_are_taken_out_only_if_that_is_meant() {
    let world = World::new();
    documents(&world);
    world.write("other/b.md", NOTES);
    let served = Served::start(&world.path("data"), &[]);
    let (folder, address) = (world.path("graph"), served.address());
    for into in [text(&folder), address.as_str()] {
        let ingest = |docs: &str, more: &[&str]| {
            let docs = world.path(docs);
            run(&[&["ingest", text(&docs), "--into", into, "--json"][..], more].concat())
        };
        assert_eq!(beside(&ingest("docs", &[])), [3, 0, 0]);
        // It is another folder, and what the first has in the database is no file of it.
        let refused = |docs: &str| {
            let said = ingest(docs, &["--prune"]);
            let (kind, message) = said.assert_code(2).error();
            let ways = message.contains("--yes") && message.contains("--under");
            assert!(kind == "request" && ways, "{message}");
            message
        };
        let message = refused("other");
        let all = "3 of 3 documents (2021/rocks.md, 2022/lakes.txt, 2022/rivers.html)";
        assert!(message.contains(all), "{message}");
        // Nothing was taken in or out.
        assert_eq!(beside(&ingest("docs", &["--prune"])), [0, 0, 3]);
        let foreseen = answer(ingest("other", &["--prune", "--dry-run"]).assert_code(0));
        assert_eq!(foreseen["pruned_documents"].as_array().unwrap().len(), 3);
        // Under a name nothing else is looked at, and without it not even one of four goes that is all there is in its folder.
        let under = answer(ingest("other", &["--prune", "--under", "b"]).assert_code(0));
        assert_eq!((&under["pruned"], &under["added"]), (&0.into(), &1.into()));
        let message = refused("docs");
        let one = "1 of 4 documents (b/b.md), and leave none under b/";
        assert!(message.contains(one), "{message}");
        let less = answer(ingest("docs", &["--prune", "--yes"]).assert_code(0));
        assert_eq!(less["pruned_documents"], serde_json::json!(["b/b.md"]));
        let meant = answer(ingest("other", &["--prune", "--yes"]).assert_code(0));
        assert_eq!((&meant["pruned"], &meant["added"]), (&3.into(), &1.into()));
    }
    served.terminate();
    let alone = ingest(&world, "graph", &["--yes"]);
    let message = alone.assert_code(2).error().1;
    assert!(message.contains("--prune"), "{message}");
}

/// Two folders of one size: neither is the greater part of the database.
#[test]
fn a_second_folder_is_not_taken_out_by_the_first_without_a_word() {
    let world = World::new();
    for number in 1..=6 {
        world.write(&format!("one/a{number}.md"), ROCKS);
        world.write(&format!("other/b{number}.md"), NOTES);
    }
    let (folder, both) = (world.path("graph"), ["one", "other"]);
    let ingest = |docs: &[&str], more: &[&str]| {
        let docs: Vec<_> = docs.iter().map(|docs| world.path(docs)).collect();
        let docs: Vec<&str> = docs.iter().map(|docs| text(docs)).collect();
        let into = ["--into", text(&folder), "--json"];
        run(&[&["ingest"][..], &docs[..], &into[..], more].concat())
    };
    assert_eq!(beside(&ingest(&both, &[])), [12, 0, 0]);
    let message = ingest(&["one"], &["--prune"]).assert_code(2).error().1;
    let half = "6 of 12 documents (b1.md, b2.md, b3.md and 3 more): ";
    assert!(message.contains(half), "{message}");
    // One of twelve is gone, and more of its folder stay.
    fs::remove_file(world.path("other/b6.md")).unwrap();
    let less = answer(ingest(&both, &["--prune"]).assert_code(0));
    assert_eq!(
        (&less["unchanged"], &less["pruned_documents"]),
        (&11.into(), &serde_json::json!(["b6.md"]))
    );
}

#[cfg(unix)]
#[test]
fn what_is_left_out_is_told_under_the_name_as_well() {
    let world = World::new();
    documents(&world);
    std::os::unix::fs::symlink("nowhere", world.path("docs/broken.md")).unwrap();
    let refused = ingest(&world, "graph", &["--under", "a", "--prune"]);
    let message = refused.assert_code(2).error().1;
    assert!(message.contains("1 file, first a/broken.md: "), "{message}");
}

#[test]
fn what_documents_are_to_lie_under_is_a_name_and_no_affair_of_tables() {
    let world = World::new();
    documents(&world);
    for odd in ["", "/", " ", "a//b", "./a", "../a", "a\\b"] {
        let refused = ingest(&world, "graph", &["--under", odd]);
        let message = refused.assert_code(2).error().1;
        assert!(message.contains("--under reports"), "{message}");
    }
    let into = world.path("graph");
    let tables = ["--profile", "typed:x.toml", "--under", "a"];
    let tables = run(&[&["ingest", "--into", text(&into), "--json"][..], &tables].concat());
    let message = tables.assert_code(2).error().1;
    assert!(message.contains("--under is for documents"), "{message}");
    let misses = ["--metadata", "{year}/*.pdf", "--under", "a"];
    let told = answer(ingest(&world, "graph", &misses).assert_code(0));
    let note = told["note"].as_str().unwrap();
    assert!(note.ends_with("such as 2021/rocks.md"), "{note}");
    fs::remove_dir_all(world.path("docs")).unwrap();
    world.write("docs/picture.png", "x");
    let refused = ingest(&world, "graph", &["--under", "a", "--prune"]);
    let message = refused.assert_code(2).error().1;
    assert!(message.contains("take everything under a out"), "{message}");
}
