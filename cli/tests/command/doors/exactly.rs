//! Questions for which nothing that is near may be missed: asked so through every door, and the same bytes.

use super::asking::at_any_commit;
use super::*;

const SALT: &str = "Which page has salt?";

/// Of more chunks than are compared whole the one that is nearest.
const NEAREST: &str =
    "name = 'nearest'\n[[stage]]\nname = 'near'\nrun.vector = { of = 'chunks', k = 1 }\n";

/// Whether the first receipt in a list of what was found, or is cited, is of a search that misses nothing.
fn is_exact(told: &serde_json::Value, list: &str) -> bool {
    told[list][0]["receipt"]["exact"].as_bool().unwrap()
}

#[test]
fn a_question_that_misses_nothing_is_asked_so_through_every_door() {
    let world = World::new();
    for number in 0..24 {
        let text = format!("# Page {number}\n\nNumber {number} has salt.\n");
        world.write(&format!("docs/{number}.md"), text);
    }
    world.write("nearest.toml", NEAREST);
    let (docs, pipeline) = (world.path("docs"), world.path("nearest.toml"));
    let folder = world.path("served");
    let path = folder.join("default");
    let at = path.to_str().unwrap();
    let how = ["--into", at, "--profile", "structure"];
    run(&[&["ingest", docs.to_str().unwrap()], &how[..]].concat()).assert_code(0);
    let asked = |verb: &str, at: &str, more: &[&str]| {
        let asked = [verb, at, SALT, "--preset", pipeline.to_str().unwrap()];
        told(&[&asked[..], more].concat(), 0)
    };
    // Nobody has said so.
    assert!(!is_exact(&asked("retrieve", at, &[]), "found"));
    assert!(!is_exact(&asked("ask", at, &[]), "sources"));
    let found = asked("retrieve", at, &["--exact"]);
    let answer = asked("ask", at, &["--exact"]);
    assert!(is_exact(&found, "found") && is_exact(&answer, "sources"));
    {
        let db = Database::builder().open_read_only(&path).unwrap();
        let library = Library::new(&db, Equipment::default());
        library.register().unwrap();
        let (open, cancel) = (library.open().unwrap(), CancelToken::new());
        let nearest = Pipeline::parse(NEAREST).unwrap();
        let question = Question::new(SALT).unwrap().exact();
        let retrieved = open.retrieve(&nearest, &question, &cancel).unwrap();
        let by_library = serde_json::to_value(&retrieved).unwrap();
        assert_eq!(by_library.to_string(), found.to_string());
        let ask = Ask::new(&nearest, &question);
        let answered = open.ask(&ask, &cancel, &mut |_| ()).unwrap();
        let by_library = serde_json::to_value(&answered).unwrap();
        assert_eq!(by_library.to_string(), answer.to_string());
        for (call, list) in [
            (
                "CALL rag.retrieve($pipeline, {question: $question, exact: true}) YIELD receipt RETURN receipt",
                "found",
            ),
            (
                "CALL rag.ask($pipeline, $question, {exact: true}) YIELD sources UNWIND sources AS one RETURN one.receipt AS receipt",
                "sources",
            ),
        ] {
            let parameters = [("pipeline", NEAREST), ("question", SALT)];
            let rows = db.query(call, parameters).unwrap();
            let receipts: Vec<String> = rows
                .map(|row| row.unwrap().get("receipt").unwrap())
                .collect();
            let told = match list {
                "found" => &retrieved.found[0].receipt,
                _ => &answered.sources[0].receipt,
            };
            assert_eq!(receipts, [serde_json::to_string(told).unwrap()], "{list}");
        }
    }
    let served = Served::start(&folder, &[]);
    let address = served.address();
    for (verb, told) in [("retrieve", &found), ("ask", &answer)] {
        let by_address = asked(verb, &address, &["--exact"]);
        assert_eq!(at_any_commit(&by_address), at_any_commit(told), "{verb}");
    }
    assert!(!is_exact(&asked("retrieve", &address, &[]), "found"));
    served.terminate();
}
