//! Tables through every door: the library, a folder, the client and an address.

use super::*;
use crate::terminal::Terminal;
use stratigraph_rag::build::TablesLimits;
use stratigraph_rag::door::Tables;
use stratigraph_rag::read::TableMapping;

const MAPPING: &str = r#"
[[nodes]]
file = "issues.csv"
label = "Issue"
key = "number"
metadata = ["year"]
[nodes.properties]
description = "string"
year = "int"
[nodes.embed]
description_vector = "description"
[[nodes.links]]
type = "QUALIFIED_BY"
column = "clauses"
split = ";"
to = "Clause"

[[nodes]]
file = "law/clauses.jsonl"
label = "Clause"
key = "id"

[[relationships]]
file = "law/cites.tsv"
type = "CITES"
from = { label = "Clause", column = "from" }
to = { label = "Clause", column = "to" }
"#;

/// The files as they are at first: more than a message may have by default, and rows of which the middle of some is the
/// border of a piece.
fn first() -> [(&'static str, String); 3] {
    let long = "审计 of the bridge ".repeat(6_000);
    let issues = (0..14).map(|number| {
        let year = 2000 + number;
        format!(
            "{number},\"{number}: {long}\",{year},c{};c{}\n",
            number % 3,
            number % 5
        )
    });
    let issues = issues.collect::<String>();
    [
        ("issues.csv", format!("number,description,year,clauses\n{issues}")),
        (
            "law/clauses.jsonl",
            "{\"id\": \"c0\", \"text\": \"Nothing is paid twice\", \"pages\": [1, 2]}\n{\"id\": \"c1\"}\n".to_owned(),
        ),
        ("law/cites.tsv", "from\tto\nc0\tc1\n".to_owned()),
    ]
}

/// The files as they are later: rows have gone, changed and come, one is broken, and a file is not there.
fn second() -> [(&'static str, String); 2] {
    let issues =
        "number,description,year,clauses\n0,Short,2000,c0\n99,New,twenty,c1\n7,Also,2007,c9;c1\n";
    [
        ("issues.csv", issues.to_owned()),
        (
            "law/clauses.jsonl",
            "{\"id\": \"c0\"}\n{\"id\"\n".to_owned(),
        ),
    ]
}

fn write(folder: &Path, files: &[(&str, String)]) {
    fs::remove_dir_all(folder).ok();
    fs::create_dir_all(folder.join("law")).unwrap();
    fs::write(folder.join("audit.toml"), MAPPING).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// What was told of it: all that does not depend on the door.
fn ingested(tables: &Path, into: &str, code: i32, more: &[&str]) -> serde_json::Value {
    let mapping = format!("typed:{}", tables.join("audit.toml").display());
    let arguments = ["ingest", "--into", into, "--profile", &mapping];
    let mut answer = told(&[&arguments[..], more].concat(), code);
    let fields = answer.as_object_mut().unwrap();
    for name in ["path", "milliseconds"] {
        fields.remove(name).unwrap();
    }
    answer
}

fn by_library(tables: &Path, into: &Path) {
    let mapping = TableMapping::read(&tables.join("audit.toml")).unwrap();
    let db = Database::builder()
        .create_if_missing(true)
        .open(into)
        .unwrap();
    let tables = Tables {
        id: "audit.toml",
        mapping: &mapping,
        keep_embedder: false,
        dry_run: false,
        limits: TablesLimits {
            prune: true,
            ..TablesLimits::default()
        },
    };
    let taken = Library::new(&db, Equipment::default()).upsert_tables(&tables, &mut |_| ());
    taken.unwrap();
    db.close().unwrap();
}

fn by_client(files: &[(&str, String)], served: &Served) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = Client::connect(format!("http://{}", served.place)).await;
        let tables = client.unwrap().rag().tables("audit.toml", MAPPING);
        let mut tables = tables.prune().start();
        // In no order.
        for (name, text) in files.iter().rev() {
            tables.send(*name, text).await.unwrap();
        }
        tables.finish().await.unwrap();
    });
}

#[test]
fn tables_are_the_same_bytes_through_every_door_and_later_too() {
    let world = World::new();
    let tables = world.path("tables");
    let (library, folder) = (world.path("library"), world.path("folder"));
    let at = folder.to_str().unwrap();
    let served = |name: &str| {
        let place = world.path(name);
        (Served::start(&place, &[]), place.join("default"))
    };
    let mut dumps = Vec::new();
    for (files, code) in [(first().to_vec(), 0), (second().to_vec(), 2)] {
        write(&tables, &files);
        by_library(&tables, &library);
        // One of the later files is not there, which is meant.
        let by_folder = ingested(&tables, at, code, &["--prune"]);
        let (server, far) = served("address");
        let by_address = ingested(&tables, &server.address(), code, &["--prune"]);
        assert_eq!(by_address, by_folder);
        // Again there is nothing to do.
        for into in [at, &server.address()] {
            let again = ingested(&tables, into, code, &[]);
            assert_eq!(
                (&again["written"], &again["vectors"]),
                (&0.into(), &0.into())
            );
            assert_eq!(again["failed"], by_folder["failed"]);
        }
        server.terminate();
        let (server, by_hand) = served("client");
        by_client(&files, &server);
        server.terminate();
        let expected = canonical(&library);
        assert!(expected.contains("QUALIFIED_BY") && expected.contains("description_vector"));
        for (door, path) in [
            ("the command at a folder", &folder),
            ("the command at an address", &far),
            ("the client", &by_hand),
        ] {
            assert!(canonical(path) == expected, "{door}, with code {code}");
        }
        dumps.push((expected, by_folder));
    }
    let [(before, first), (after, second)] = &dumps[..] else {
        unreachable!()
    };
    assert_eq!(
        (&first["nodes"], &first["relationships"]),
        (&19.into(), &26.into())
    );
    assert_eq!(first["failed"], json!([]));
    assert!(before != after && second["deleted"].as_u64() > Some(10));
    let problems = second["failed"].as_array().unwrap();
    let problems: Vec<_> = problems
        .iter()
        .map(|one| one["problem"].as_str().unwrap())
        .collect();
    for (problem, said) in problems.iter().zip([
        "issues.csv, line 3, column 8: year: \"twenty\" is not of the type int",
        "law/clauses.jsonl, line 2, column 5: EOF",
        "law/cites.tsv: it cannot be read: it is not there",
    ]) {
        assert!(problem.starts_with(said), "{problems:#?}");
    }
    assert_eq!(problems.len(), 3, "{problems:#?}");
}

#[test]
fn what_is_refused_leaves_an_address_as_it_was() {
    let world = World::new();
    let tables = world.path("tables");
    write(&tables, &second());
    let served = Served::start(&world.path("served"), &["--max-tables-size", "8KiB"]);
    let address = served.address();
    let mapping = format!("typed:{}", tables.join("audit.toml").display());
    let ingest = |into: &str, more: &[&str]| {
        let all = ["ingest", "--into", into, "--profile", &mapping, "--json"];
        run(&[&all[..], more].concat())
    };
    let answer = |said: &crate::world::Said| -> serde_json::Value {
        serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{}", said.stderr))
    };
    let nodes = || {
        let said = run(&["query", &address, "MATCH (n) RETURN count(n) AS n"]);
        said.assert_code(0).stdout.trim().to_owned()
    };
    let nothing = "{\"n\":0}";
    // A dry run says the same wherever it is, and no more than what rows state.
    let folder = world.path("folder");
    let (near, far) = (
        ingest(folder.to_str().unwrap(), &["--dry-run"]),
        ingest(&address, &["--dry-run"]),
    );
    let (near, far) = (answer(near.assert_code(2)), answer(far.assert_code(2)));
    for name in [
        "nodes",
        "relationships",
        "written",
        "vectors",
        "failed",
        "embedder",
    ] {
        assert_eq!(near[name], far[name], "{name}");
    }
    assert_eq!((&far["nodes"], &far["written"]), (&5.into(), &0.into()));
    assert!(!folder.exists());
    assert_eq!(nodes(), nothing);
    for (flags, said) in [
        (
            &["--language", "english"][..],
            "--language is for documents",
        ),
        (&["--embedder", "minilm"], "the server was started with"),
        (&["--create"], "name the one to --create"),
    ] {
        let refused = ingest(&address, flags);
        refused.assert_code(2);
        assert!(
            refused.error().1.contains(said),
            "{flags:?}: {}",
            refused.stderr
        );
    }
    // What cannot be read here must not go there.
    fs::create_dir(tables.join("law/cites.tsv")).unwrap();
    let refused = ingest(&address, &[]);
    let said = refused.error().1;
    assert!(
        said.starts_with("law/cites.tsv: it cannot be read"),
        "{said}"
    );
    // Too much for this server, whatever the pieces are.
    write(&tables, &first());
    let refused = ingest(&address, &[]);
    let said = refused.error().1;
    assert!(
        said.contains("8KiB") && said.contains("max_tables_size"),
        "{said}"
    );
    // Nobody's files but those below the mapping are sent.
    let secret = world.path("secret.csv");
    fs::write(&secret, "number\n1\n").unwrap();
    for file in ["../secret.csv", secret.to_str().unwrap()] {
        fs::write(
            tables.join("audit.toml"),
            MAPPING.replace("issues.csv", file),
        )
        .unwrap();
        let said = ingest(&address, &[]).error().1;
        assert!(
            said.contains("files lie in the folder of the mapping or below it"),
            "{said}"
        );
        assert_eq!(said, ingest(folder.to_str().unwrap(), &[]).error().1);
    }
    assert_eq!(nodes(), nothing);
    // A database is made for what is small enough.
    write(&tables, &second());
    let made = ingest(
        &format!("{address}/audits"),
        &["--create", "--keep-embedder"],
    );
    assert_eq!(answer(made.assert_code(2))["nodes"], 5);
    assert_eq!(nodes(), nothing);
    served.terminate();
}

#[test]
fn tables_become_typed_nodes_that_follow_their_rows() {
    let world = World::new();
    let write = |name: &str, text: &str| fs::write(world.path(name), text).unwrap();
    write(
        "audit.toml",
        "[[nodes]]\nfile = \"issues.csv\"\nlabel = \"Issue\"\nkey = \"number\"\n[[nodes.links]]\ntype = \"QUALIFIED_BY\"\ncolumn = \"clause\"\nto = \"Clause\"\n",
    );
    write("issues.csv", "number,clause\n1,c1\n2,c2\n");
    let mapping = format!("typed:{}", world.path("audit.toml").display());
    let into = world.path("audits");
    let ingest = |more: &[&str]| {
        let all = [
            "ingest",
            "--into",
            into.to_str().unwrap(),
            "--profile",
            &mapping,
            "--json",
        ];
        let said = run(&[&all[..], more].concat());
        let answer: serde_json::Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        (said, answer)
    };
    let (_, dry) = ingest(&["--dry-run"]);
    assert_eq!((&dry["nodes"], &dry["written"]), (&4.into(), &0.into()));
    assert!(!into.exists());
    let (said, first) = ingest(&[]);
    said.assert_code(0);
    assert_eq!(
        (&first["nodes"], &first["relationships"]),
        (&4.into(), &2.into())
    );
    let (_, again) = ingest(&[]);
    assert_eq!(again["written"], 0);
    // A quote that is never closed hides the rows after it, which must not go.
    write("issues.csv", "number,clause\n1,\"c1\n2,c2\n");
    let (refused, _) = ingest(&[]);
    let said = refused.error().1;
    let place = "issues.csv, line 2, column 3: a quote";
    assert!(said.contains(place), "{said}");
    write("issues.csv", "number,clause\n1,c1\n2,c2\n");
    let (_, again) = ingest(&[]);
    assert_eq!(
        (&again["written"], &again["deleted"]),
        (&0.into(), &0.into())
    );
    write("issues.csv", "number,clause\n1,c1\n2\n");
    let (said, broken) = ingest(&[]);
    said.assert_code(2);
    assert_eq!(
        (&broken["nodes"], &broken["count_failed"]),
        (&2.into(), &1.into())
    );
    // Emptied by a mishap it is refused, at an address as well; nobody is asked twice who means it.
    let before = canonical(&into);
    write("issues.csv", "number,clause\n");
    for more in [&[][..], &["--dry-run"]] {
        let (refused, _) = ingest(more);
        let said = refused.assert_code(2).error().1;
        assert!(
            said.starts_with("issues.csv: no row could be read") && said.contains("--prune"),
            "{said}"
        );
    }
    assert_eq!(canonical(&into), before);
    let (said, gone) = ingest(&["--prune"]);
    said.assert_code(0);
    assert!(
        gone["nodes"] == 0 && gone["deleted"].as_u64() > Some(2),
        "{gone}"
    );
    let none = run(&["ingest", "--into", into.to_str().unwrap()]);
    assert_eq!(none.code, 2);
}

#[test]
fn somebody_at_a_terminal_sees_how_far_tables_are() {
    let world = World::new();
    let tables = world.path("tables");
    write(&tables, &second());
    let mapping = format!("typed:{}", tables.join("audit.toml").display());
    let folder = world.path("audits");
    let served = Served::start(&world.path("data"), &[]);
    let address = served.address();
    for (into, step) in [
        (folder.to_str().unwrap(), "read rows"),
        (address.as_str(), "send tables"),
    ] {
        let arguments = ["ingest", "--into", into, "--profile", &mapping];
        let mut terminal = Terminal::start(&arguments, &world.path("state"), 200);
        terminal.waits_for(step);
        terminal.waits_for("relationships");
        // One row is broken, and one file is not there.
        assert_eq!(terminal.ends(), Some(2));
    }
    served.terminate();
}
