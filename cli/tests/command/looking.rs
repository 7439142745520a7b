//! The verbs that only look: `check`, `scrub` and `info`, and what every verb says of a folder that
//! is no database.

use crate::world::{World, ask, contents, flip, largest, run};
use serde_json::json;
use std::fs;
use stratigraph::value::ValueKind;
use stratigraph::{
    Analysis, Constraint, Database, HierarchyOptions, Index, NO_PROPERTIES, TextIndex, VectorIndex,
};

const REPORT: &[&str] = &["path", "database", "commit", "entries", "notes"];

#[test]
fn check_counts_what_is_there() {
    let world = World::new();
    let db = world.database("library");
    let said = ask("check", &[&db], &[]);
    let answer = said.assert_code(0).answer("check", REPORT);
    assert_eq!(answer["commit"], 3);
    assert_eq!(answer["entries"]["nodes"], 3000);
    assert_eq!(answer["entries"]["edges"], 3000);
    // A relationship and a degree for each.
    assert_eq!(answer["entries"]["out"], 6000);
    assert_eq!(answer["notes"].as_array().unwrap().len(), 0);
    assert_eq!(said.stderr, "");
}

#[test]
fn check_is_readable_for_people() {
    let world = World::new();
    let db = world.database("library");
    let said = run(&["check".as_ref(), db.as_os_str()]);
    said.assert_code(0);
    assert!(
        said.stdout.contains("nodes              3,000\n"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.ends_with("nothing is wrong\n"),
        "{}",
        said.stdout
    );
}

#[test]
fn looking_changes_nothing() {
    let world = World::new();
    let db = world.database("library");
    let before = contents(&db);
    for verb in ["check", "scrub", "info", "recover"] {
        ask(verb, &[&db], &[]);
        assert!(contents(&db) == before, "{verb} has changed the database");
    }
}

#[test]
fn check_notes_files_of_others() {
    let world = World::new();
    let db = world.database("library");
    fs::write(db.join("notes\u{1b}[2J.txt"), "mine").unwrap();
    let said = ask("check", &[&db], &[]);
    let answer = said.assert_code(0).answer("check", REPORT);
    let place = answer["notes"][0]["place"].as_str().unwrap();
    assert!(place.ends_with("notes\u{1b}[2J.txt"), "{place}");
    let said = run(&["check".as_ref(), db.as_os_str()]);
    assert!(said.stdout.contains("note  "), "{}", said.stdout);
    assert!(
        !said.stdout.contains('\u{1b}'),
        "a file name may not steer the terminal"
    );
}

#[test]
fn scrub_reads_a_sound_database() {
    let world = World::new();
    let db = world.database("library");
    let said = ask("scrub", &[&db], &[]);
    let answer = said.assert_code(0).answer("scrub", REPORT);
    assert_eq!(answer["entries"]["nodes"], 3000);
}

#[test]
fn scrub_names_the_damaged_file() {
    let world = World::new();
    let db = world.database("library");
    let damaged = largest(&db.join("store"), ".sst");
    flip(&damaged, 1000);
    let said = ask("scrub", &[&db], &[]);
    let answer = said.assert_code(1).answer("scrub", REPORT);
    let findings = answer["findings"].to_string();
    let name = damaged.file_name().unwrap().to_str().unwrap();
    assert!(findings.contains(name), "{name} is not in {findings}");
    // For people too, and also when they want to hear of nothing else.
    let said = run(&["scrub".as_ref(), "--quiet".as_ref(), db.as_os_str()]);
    said.assert_code(1);
    assert!(said.stdout.contains(name), "{}", said.stdout);
    assert!(
        said.stdout.lines().all(|line| line.starts_with("FINDING")),
        "{}",
        said.stdout
    );
}

#[test]
fn scrub_reads_what_no_scan_does() {
    let world = World::new();
    let db = world.database("library");
    let damaged = largest(&db.join("store"), ".sst");
    // The Bloom filter, between the data and its index: only reads by key look at it.
    let bytes = fs::metadata(&damaged).unwrap().len();
    flip(&damaged, usize::try_from(bytes).unwrap() - 4000);
    ask("check", &[&db], &[]).assert_code(0);
    ask("scrub", &[&db], &[]).assert_code(1);
}

#[test]
fn check_finds_the_damage_too() {
    let world = World::new();
    let db = world.database("library");
    flip(&largest(&db.join("store"), ".sst"), 1000);
    let said = ask("check", &[&db], &[]);
    let answer = said.assert_code(1).answer("check", REPORT);
    assert_eq!(answer["findings"][0]["place"], "nodes");
}

#[test]
fn a_damaged_header_is_damage() {
    let world = World::new();
    let db = world.database("library");
    flip(&db.join("STRATIGRAPH"), 20);
    for verb in ["check", "scrub", "info"] {
        let (kind, message) = ask(verb, &[&db], &[]).assert_code(1).error();
        assert_eq!(kind, "corrupt");
        assert!(message.contains("STRATIGRAPH"), "{message}");
    }
}

#[test]
fn info_says_what_it_is() {
    let world = World::new();
    let db = world.database("library");
    let id = Database::open(&db).unwrap().id().to_string();
    let fields = [
        "path",
        "database",
        "format",
        "commit",
        "durable",
        "files",
        "file_bytes",
    ];
    let said = ask("info", &[&db], &[]);
    let answer = said.assert_code(0).answer("info", &fields);
    assert_eq!(answer["database"], id);
    assert_eq!(answer["commit"], 3);
    assert_eq!(answer["durable"], 3);
    assert!(answer["file_bytes"].as_u64().unwrap() > 250_000, "{answer}");
    let families = answer["families"].as_array().unwrap();
    let nodes = families
        .iter()
        .find(|family| family["name"] == "nodes")
        .unwrap();
    assert!(nodes["file_bytes"].as_u64().unwrap() > 250_000, "{answer}");
    let said = run(&["info".as_ref(), db.as_os_str()]);
    assert!(said.stdout.contains(&id), "{}", said.stdout);
    assert!(said.stdout.contains(" KiB in "), "{}", said.stdout);
}

#[test]
fn a_second_opener_is_a_conflict() {
    let world = World::new();
    let db = world.database("library");
    let holder = Database::open(&db).unwrap();
    let dest = world.path("backups");
    let calls = [
        ask("check", &[&db], &[]),
        ask("scrub", &[&db], &[]),
        ask("info", &[&db], &[]),
        ask("compact", &[&db], &[]),
        ask("backup", &[&db, &dest], &[]),
        ask("recover", &[&db], &["--accept-loss"]),
    ];
    for said in calls {
        assert_eq!(said.assert_code(3).error().0, "conflict");
    }
    assert!(!dest.exists(), "a refused backup leaves nothing");
    drop(holder);
    let reader = Database::builder().open_read_only(&db).unwrap();
    ask("check", &[&db], &[]).assert_code(0);
    ask("compact", &[&db], &[]).assert_code(3);
    drop(reader);
}

#[test]
fn no_database_is_a_wrong_request() {
    let world = World::new();
    let missing = world.path("missing");
    let foreign = world.path("photos");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("holiday.jpg"), "not ours").unwrap();
    let before = contents(&foreign);
    for place in [&missing, &foreign] {
        let backups = world.path("backups");
        let calls = [
            ask("check", &[place], &[]),
            ask("scrub", &[place], &[]),
            ask("info", &[place], &[]),
            ask("compact", &[place], &[]),
            ask("backup", &[place, &backups], &[]),
            ask("recover", &[place], &["--accept-loss"]),
        ];
        for said in calls {
            let (kind, message) = said.assert_code(2).error();
            assert_eq!(kind, "request");
            assert!(message.contains(place.to_str().unwrap()), "{message}");
        }
        assert!(!backups.exists(), "a refused backup leaves nothing");
    }
    assert!(!missing.exists(), "nothing is created on the way");
    assert!(
        contents(&foreign) == before,
        "somebody else's folder has changed"
    );
}

#[test]
fn info_says_what_the_graph_holds() {
    let world = World::new();
    let path = world.path("library");
    let db = Database::create(&path).unwrap();
    db.create_constraint(
        Constraint::on_nodes("Book")
            .unique(["title"])
            .named("by_title"),
    )
    .unwrap();
    db.create_constraint(Constraint::on_nodes("Book").kind("year", ValueKind::Integer))
        .unwrap();
    db.create_index(Index::on_relationships("HAS", ["since", "place"]).named("by_since"))
        .unwrap();
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS").tree())
        .unwrap();
    let meaning = VectorIndex::on_nodes("Part", "meaning", 8).filterable(["since"]);
    db.create_vector_index(meaning.named("meanings")).unwrap();
    let words = TextIndex::on_any_node(["title"]).analysis(Analysis::English);
    db.create_text_index(words.named("words")).unwrap();
    let mut txn = db.write().unwrap();
    let book = txn.create_node(["Book"], [("title", "Moby-Dick")]).unwrap();
    for number in 0..15 {
        let label = format!("L{number:02}");
        let part = txn.create_node(["Part", &label], NO_PROPERTIES).unwrap();
        txn.create_relationship(book, "HAS", part, [("since", 1851), ("place", 1)])
            .unwrap();
    }
    txn.commit().unwrap();
    db.close().unwrap();

    let answer = ask("info", &[&path], &[])
        .assert_code(0)
        .answer("info", &[]);
    assert_eq!(
        (&answer["nodes"], &answer["relationships"]),
        (&16.into(), &15.into())
    );
    let labels = answer["labels"].as_array().unwrap();
    assert_eq!(labels.len(), 17, "all of them, for programs");
    assert_eq!(labels[0], json!({"name": "Part", "nodes": 15}));
    assert_eq!(labels[1], json!({"name": "Book", "nodes": 1}));
    assert_eq!(
        answer["types"],
        json!([{"name": "HAS", "relationships": 15}])
    );
    assert_eq!(
        answer["constraints"],
        json!([
            {"name": "by_title", "label": "Book", "properties": ["title"], "demand": "unique", "readiness": "ready"},
            {"name": "type_Book_year", "label": "Book", "properties": ["year"], "demand": "type integer", "readiness": "ready"},
        ])
    );
    assert_eq!(
        answer["indexes"],
        json!([
            {"name": "by_title", "label": "Book", "properties": ["title"], "entries": 1, "readiness": "ready", "constraint": "by_title"},
            {"name": "by_since", "type": "HAS", "properties": ["since", "place"], "entries": 15, "readiness": "ready"},
            {"name": "index_Part_since", "label": "Part", "properties": ["since"], "entries": 0, "readiness": "ready", "vector_index": "meanings"},
        ])
    );
    assert_eq!(
        answer["vector_indexes"],
        json!([
            {"name": "meanings", "label": "Part", "properties": ["meaning"], "dimensions": 8, "metric": "cosine", "coding": "bytes", "links": 16, "breadth": 128, "filters": ["since"]},
        ])
    );
    assert_eq!(
        answer["text_indexes"],
        json!([
            {"name": "words", "label": null, "properties": ["title"], "weights": [1.0], "analysis": "english", "k1": 1.2, "b": 0.75, "readiness": "ready"},
        ])
    );
    assert_eq!(
        answer["hierarchies"],
        json!([{"name": "outline", "type": "HAS", "tree": true, "members": 16, "depth": 2}])
    );

    let said = run(&["info".as_ref(), path.as_os_str()]);
    let text = &said.assert_code(0).stdout;
    for line in [
        "nodes          16",
        "relationships  15",
        "Part      15",
        "and 7 more",
        "by_title        :Book(title)  unique        ready",
        "by_since          [:HAS](since, place)  15       ready",
        "meanings      :Part(meaning)  8           cosine",
        "words       any node(title)  english   ready",
        "outline    [:HAS]  16       2",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "no {line:?} in\n{text}"
        );
    }
}
