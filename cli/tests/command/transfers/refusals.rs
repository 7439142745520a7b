//! What is wrong with files is told with its place, and nothing is written unless that was wanted.

use super::{canonical, import};
use crate::world::{World, run};
use std::fs;
use stratigraph::{Constraint, Database};

#[test]
fn what_is_wrong_is_told_with_its_place_and_nothing_is_written() {
    let world = World::new();
    let db = world.path("db");
    {
        let db = Database::create(&db).unwrap();
        db.create_constraint(Constraint::on_nodes("P").unique(["n"]).named("n"))
            .unwrap();
        let mut txn = db.write().unwrap();
        txn.create_node(["P"], [("n", 1)]).unwrap();
        txn.commit().unwrap();
        db.close().unwrap();
    }
    let before = canonical(&db);
    let long = format!("{}\n", "x".repeat(200));
    let mut many = "{\"index\":\"i\",\"label\":\"P\",\"properties\":[\"m\"]}\n".to_owned();
    for number in 0..3000 {
        many.push_str(&format!(
            "{{\"node\":{number},\"labels\":[\"P\"],\"properties\":{{\"m\":{number}}}}}\n"
        ));
    }
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "a.csv",
            b":ID,age:int\n1,7\n2,old\n".to_vec(),
            "a.csv:3:3: age: \"old\" is not of the type int",
        ),
        (
            "a.csv",
            b":ID,n\n1,\xFF\n".to_vec(),
            "a.csv:2:3: this is not text in UTF-8",
        ),
        (
            "a.csv",
            b":ID,n\n1,a\n,b\n".to_vec(),
            "a.csv:3:1: there is no id",
        ),
        (
            "a.csv",
            b":ID,n\n1,a\n1,b\n".to_vec(),
            "a.csv:3: the id \"1\" is there already",
        ),
        (
            "a.csv",
            b":ID,n\n1,a,b\n".to_vec(),
            "this record has 3 fields and the header 2",
        ),
        (
            "a.csv",
            b":ID,n\n1,\"a\n2,b\n".to_vec(),
            "a.csv:2:3: a quote is opened here and never closed",
        ),
        (
            "a.csv",
            b"name\nAnn\n".to_vec(),
            "nothing says what this is",
        ),
        ("a.csv", b"".to_vec(), "the file is empty"),
        (
            "a.csv",
            b":ID,x:strange\n".to_vec(),
            "a.csv:1:5: `strange` is no type",
        ),
        (
            "a.csv",
            b":START_ID,:END_ID,:TYPE\n1,2,T\n".to_vec(),
            "no node has the id \"1\"",
        ),
        (
            "a.csv",
            [b":ID,n\n1,".as_slice(), long.as_bytes()].concat(),
            "more than 100 bytes",
        ),
        (
            "a.jsonl",
            b"{\"node\":1,\"labels\":[],\"properties\":{\"a\":{\"date\":\"x\"}}}\n".to_vec(),
            "a.jsonl:1: a: ",
        ),
        (
            "a.jsonl",
            b"{\"node\":1}\n{\"node\":\"1\"}\n".to_vec(),
            "a.jsonl:2: the id \"1\"",
        ),
        (
            "a.jsonl",
            b"{\"node\":1,\"properties\":{\"a\":[1,\"x\"]}}\n".to_vec(),
            "mixes integer",
        ),
        (
            "a.jsonl",
            b"{\"node\":1,\"labels\":[\"\"]}\n".to_vec(),
            "a.jsonl:1: ",
        ),
        (
            "a.jsonl",
            b"{\"node\":1,\"labels\":[\"P\"],\"properties\":{\"n\":1}}\n".to_vec(),
            "a.jsonl:1: ",
        ),
        (
            "a.jsonl",
            [many.as_bytes(), b"{\"nod\":1}\n"].concat(),
            "a.jsonl:3002: ",
        ),
        (
            "a.jsonl",
            b"{\"index\":\"n\",\"label\":\"P\",\"properties\":[\"m\"]}\n".to_vec(),
            "Nothing was imported",
        ),
        ("a.xml", b"<a/>".to_vec(), "what is it?"),
    ];
    for (name, text, said) in cases {
        let file = world.path(name);
        fs::write(&file, &text).unwrap();
        let limit = if text.len() > 200 && text.len() < 300 {
            "100"
        } else {
            "100000"
        };
        let told = import(
            &world,
            "db",
            &[file.to_str().unwrap(), "--record-limit", limit],
        );
        let (kind, message) = told.assert_code(2).error();
        assert_eq!(kind, "request");
        assert!(message.contains(said), "{said}: {message}");
        let told = import(
            &world,
            "new",
            &[file.to_str().unwrap(), "--create", "--record-limit", "100"],
        );
        if told.code != 0 {
            assert!(
                !world.path("new").exists() && !world.path("new.importing").exists(),
                "{said}"
            );
        } else {
            fs::remove_dir_all(world.path("new")).unwrap();
        }
    }
    assert_eq!(canonical(&db), before);
    let (kind, message) = import(&world, "missing", &["nothing.csv"])
        .assert_code(2)
        .error();
    assert_eq!(kind, "request");
    assert!(message.contains("no file nothing.csv"), "{message}");
}

#[test]
fn bad_records_are_left_out_up_to_a_limit() {
    let world = World::new();
    let file = world.path("a.csv");
    fs::write(&file, ":ID,age:int\n1,7\n2,old\n3,8\n3,9\n4,10\n").unwrap();
    let file = file.to_str().unwrap();
    let told = import(&world, "one", &["--create", "--skip-bad", "2", file]);
    let told = told.assert_code(0).answer("import", &[]);
    assert_eq!((&told["nodes"], &told["skipped"]), (&3.into(), &2.into()));
    assert_eq!(
        (&told["bad"][0]["line"], &told["bad"][0]["column"]),
        (&3.into(), &3.into())
    );
    assert_eq!(told["bad"][1]["line"], 5);
    let (_, message) = import(&world, "two", &["--create", "--skip-bad", "1", file])
        .assert_code(2)
        .error();
    assert!(
        message.contains("more than 1 records are bad; the last was"),
        "{message}"
    );
    assert!(!world.path("two").exists());
    let db = world.path("three");
    let said = run(&[
        "import",
        db.to_str().unwrap(),
        "--create",
        "--skip-bad",
        "9",
        file,
    ]);
    assert!(
        said.stderr.contains("left out: ") && said.stdout.contains("2 bad records left out"),
        "{}{}",
        said.stdout,
        said.stderr
    );
}
