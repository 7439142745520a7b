//! Imports: files of others, mappings, delimiters, and one that is stopped.

use super::{export, import, list, same};
use crate::served::interrupt;
use crate::world::{World, ask, run};
use serde_json::Value as Json;
use std::fs;
use stratigraph::Database;

#[test]
fn files_of_admin_import_are_understood() {
    let world = World::new();
    let write = |name: &str, text: &str| {
        fs::write(world.path(name), text).unwrap();
        world.path(name).to_str().unwrap().to_owned()
    };
    let movies = write(
        "movies.csv",
        "movieId:ID(Movie),title,year:int,:LABEL,tags:string[],emb:float[],note:IGNORE\n\
         tt1,\"The Matrix\",1999,Movie,sci-fi;action,0.5;1,x\n\
         tt2,\"The Matrix, Reloaded\",2003,Movie;Sequel,,,\n",
    );
    let people = write(
        "people.csv",
        ":ID(Person)|name\n1|Keanu Reeves\n2|'Carrie-Anne|Moss'\n",
    );
    let roles = write(
        "roles.csv",
        ":START_ID(Person),role,:END_ID(Movie),:TYPE\n1,Neo,tt1,ACTED_IN\n2,\"\",tt2,\n",
    );
    let known = [
        "--create",
        "--nodes",
        &movies,
        "--relationships",
        &format!("PLAYED={roles}"),
    ];
    // Other signs are for all files of a call.
    let said = import(&world, "db", &known);
    let (kind, message) = said.assert_code(2).error();
    assert_eq!(kind, "request");
    assert!(
        message.contains("roles.csv:2:") && message.contains("no node has the id \"1\" of Person"),
        "{message}"
    );
    assert!(!world.path("db").exists() && !world.path("db.importing").exists());
    let signs = [
        "--create",
        "--delimiter",
        "|",
        "--quote",
        "'",
        "--nodes",
        &format!("Person={people}"),
        "--dry-run",
    ];
    let told = import(&world, "db", &signs)
        .assert_code(0)
        .answer("import", &[]);
    assert_eq!(
        (&told["nodes"], &told["database"]),
        (&2.into(), &Json::Null)
    );
    assert!(!world.path("db").exists());
    let people = write("people.csv", ":ID(Person),name\n");
    let more = write("more.csv", "1,Keanu Reeves\n2,Carrie-Anne Moss\n");
    let all = format!("Person={people},{more}");
    let known = [
        "--create",
        "--nodes",
        &movies,
        "--nodes",
        &all,
        "--relationships",
        &format!("PLAYED={roles}"),
    ];
    import(&world, "db", &known).assert_code(0);
    let rows = run(&[
        "query",
        world.path("db").to_str().unwrap(),
        "MATCH (p:Person)-[r]->(m:Movie) RETURN p.name AS p, type(r) AS r, r.role AS role, m AS m ORDER BY p DESC",
    ]);
    let rows: Vec<Json> = rows
        .assert_code(0)
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&rows[0]["p"], &rows[0]["r"], &rows[0]["role"]),
        (&"Keanu Reeves".into(), &"ACTED_IN".into(), &"Neo".into())
    );
    assert_eq!(
        (&rows[1]["r"], &rows[1]["role"]),
        (&"PLAYED".into(), &"".into())
    );
    let matrix = &rows[0]["m"]["properties"];
    let expected: Json = serde_json::from_str(
        r#"{"movieId":"tt1","title":"The Matrix","year":1999,"tags":["sci-fi","action"],"emb":[0.5,1.0]}"#,
    )
    .unwrap();
    assert_eq!(matrix, &expected);
    assert_eq!(
        rows[1]["m"]["labels"],
        serde_json::json!(["Movie", "Sequel"])
    );
}

#[test]
fn a_mapping_explains_other_files() {
    let world = World::new();
    fs::write(
        world.path("people.csv"),
        "key,born,who,noise\n7,1984-10-11,Ann,x\n8,,Bob,y\n",
    )
    .unwrap();
    fs::write(
        world.path("knows.jsonl"),
        "{\"a\":7,\"b\":8,\"since\":\"2020\",\"tags\":[\"x\"]}\n{\"a\":\"8\",\"b\":7,\"weight\":0.5}\n",
    )
    .unwrap();
    fs::write(
        world.path("m.toml"),
        "[[nodes]]\nfile = 'people.csv'\nlabels = ['Person']\nid = 'key'\n\
         [nodes.properties]\nname = { from = 'who' }\nborn = 'date'\nkey = 'int'\n\
         [[relationships]]\nfile = 'knows.jsonl'\ntype = 'KNOWS'\nstart = 'a'\nend = 'b'\n\
         [relationships.properties]\nsince = 'int'\ntags = 'string[]'\nweight = 'float'\n",
    )
    .unwrap();
    let mapping = world.path("m.toml");
    import(
        &world,
        "db",
        &["--create", "--mapping", mapping.to_str().unwrap()],
    )
    .assert_code(0);
    let said = run(&[
        "query",
        world.path("db").to_str().unwrap(),
        "MATCH (a)-[r:KNOWS]->(b) RETURN a.name AS a, a.key AS key, a.born AS born, r{.*} AS r ORDER BY a",
    ]);
    assert_eq!(
        said.assert_code(0).stdout,
        "{\"a\":\"Ann\",\"key\":7,\"born\":\"1984-10-11\",\"r\":{\"since\":2020,\"tags\":[\"x\"]}}\n\
         {\"a\":\"Bob\",\"key\":8,\"born\":null,\"r\":{\"weight\":0.5}}\n"
    );
}

#[test]
fn an_import_that_is_stopped_was_never_there() {
    let world = World::new();
    let db = world.path("db");
    let mut child = crate::world::command(&["import"])
        .arg(&db)
        .args(["--create", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut stopped = false;
    for number in 0_u64.. {
        let line =
            format!("{{\"node\":{number},\"labels\":[\"N\"],\"properties\":{{\"n\":{number}}}}}\n");
        // It ends while we still write.
        if std::io::Write::write_all(&mut input, line.as_bytes()).is_err() {
            break;
        }
        if number == 20_000 {
            assert!(
                world.path("db.importing").exists(),
                "it is made beside its name"
            );
            interrupt(&child);
            stopped = true;
        }
    }
    drop(input);
    assert!(stopped);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(!db.exists() && !world.path("db.importing").exists());
}

#[test]
fn labels_with_the_delimiter_take_another_one() {
    let world = World::new();
    let path = world.path("db");
    let db = Database::create(&path).unwrap();
    let mut txn = db.write().unwrap();
    txn.create_node(["a;b", "c"], [("list", list(["x", "y;z"]))])
        .unwrap();
    txn.commit().unwrap();
    db.close().unwrap();
    let out = world.path("out");
    let out_text = out.to_str().unwrap();
    let csv = ["--format", "csv", "-o", out_text];
    let (_, message) = ask("export", &[&path], &csv).assert_code(2).error();
    assert!(
        message.contains("the label \"a;b\"") && message.contains("--array-delimiter"),
        "{message}"
    );
    assert!(!out.exists() && !world.path("out.exporting").exists());
    let csv = [&csv[..], &["--array-delimiter", "|"]].concat();
    export(&path, &csv);
    let signs = ["--create", "--array-delimiter", "|", out_text];
    import(&world, "copy", &signs).assert_code(0);
    same(&path, &world.path("copy"));
}
