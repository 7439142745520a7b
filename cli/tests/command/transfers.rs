//! `import` and `export`: what goes out comes back, and nothing is half-written.

use crate::world::{Said, World, ask, run};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use stratigraph::{
    Constraint, Database, HierarchyOptions, Index, NO_PROPERTIES, TextIndex, Value, Vector,
    VectorIndex,
};

fn list(elements: impl IntoIterator<Item = impl Into<Value>>) -> Value {
    let elements: Vec<Value> = elements.into_iter().map(Into::into).collect();
    Value::list(elements).unwrap()
}

/// Every kind of value that a property can hold, also the awkward ones.
fn values() -> Vec<(&'static str, Value)> {
    let day = Value::Date("1984-10-11".parse::<Date>().unwrap());
    vec![
        ("yes", true.into()),
        ("least", i64::MIN.into()),
        ("tenth", 0.1.into()),
        ("whole", 2.0.into()),
        ("huge", 1e300.into()),
        ("minus zero", (-0.0).into()),
        ("nan", f64::NAN.into()),
        ("less", f64::NEG_INFINITY.into()),
        ("text", "plain".into()),
        ("empty", "".into()),
        ("blank", " a ".into()),
        ("quotes, \"and\" commas", "say \"so\", twice".into()),
        ("lines", "one\r\ntwo\nthree\r".into()),
        ("null", "null".into()),
        ("number", "12".into()),
        ("unseen", "\u{1b}[2J\u{7f}\t`'\\".into()),
        ("地层", "层;次".into()),
        ("a:int", "a name with a colon".into()),
        ("date", day.clone()),
        ("time", Value::Time("12:31+01:00".parse::<Time>().unwrap())),
        (
            "local",
            Value::LocalTime("12:31:14.500".parse::<LocalTime>().unwrap()),
        ),
        (
            "zoned",
            Value::DateTime(
                "1984-10-11T12:31+01:00[Europe/Stockholm]"
                    .parse::<DateTime>()
                    .unwrap(),
            ),
        ),
        (
            "then",
            Value::LocalDateTime("1984-10-11T12:31".parse::<LocalDateTime>().unwrap()),
        ),
        (
            "long",
            Value::Duration("P1M-2DT-3H".parse::<Duration>().unwrap()),
        ),
        ("vector", Vector::new([0.1, -2.0, 1e-20]).unwrap().into()),
        ("ints", list([1, -2])),
        ("floats", list([0.5, f64::INFINITY])),
        ("texts", list(["a", "", "c"])),
        ("one empty", list([""])),
        ("delimited", list(["a;b", "c"])),
        ("nothing", list(Vec::<i64>::new())),
        ("days", Value::list([day].to_vec()).unwrap()),
    ]
}

/// A closed database with everything that exports have to hold; bytes only if wanted.
fn full(world: &World, name: &str, with_bytes: bool) -> PathBuf {
    let path = world.path(name);
    let db = Database::create(&path).unwrap();
    db.create_index(Index::on_nodes("Thing", ["text"]).named("by text"))
        .unwrap();
    db.create_constraint(
        Constraint::on_nodes("Part")
            .unique(["number"])
            .named("unique_number"),
    )
    .unwrap();
    db.create_vector_index(VectorIndex::on_nodes("Thing", "vector", 3).named("near"))
        .unwrap();
    if with_bytes {
        // Weights, and members by name: no statement says them.
        db.create_text_index(
            TextIndex::on_nodes("Thing", ["text"])
                .weighted("lines", 2.0)
                .named("words"),
        )
        .unwrap();
    }
    db.create_hierarchy(HierarchyOptions::new("parts", "HAS PART"))
        .unwrap();
    let mut txn = db.write().unwrap();
    let gone = txn.create_node(["Gone"], NO_PROPERTIES).unwrap();
    let bare = txn.create_node::<&str, &str, Value>([], []).unwrap();
    let all = txn.create_node(["Thing", "Two `words`"], values()).unwrap();
    // A property that is of another kind elsewhere.
    let other = txn
        .create_node(["Thing"], [("text", Value::Int(7)), ("ints", list(["x"]))])
        .unwrap();
    let mut last = None;
    for number in 0..5_i64 {
        let part = txn.create_node(["Part"], [("number", number)]).unwrap();
        if let Some(last) = last {
            txn.create_relationship(last, "HAS PART", part, [("at", number)])
                .unwrap();
        }
        last = Some(part);
    }
    txn.create_relationship(all, "LIKES", all, values())
        .unwrap();
    txn.create_relationship(all, "LIKES", other, NO_PROPERTIES)
        .unwrap();
    txn.create_relationship(all, "LIKES", other, NO_PROPERTIES)
        .unwrap();
    if with_bytes {
        txn.add_member("parts", bare).unwrap();
        txn.set_property(bare, "raw", Value::bytes([0, 0xFF]))
            .unwrap();
        txn.set_property(all, "raw", Value::bytes([])).unwrap();
    }
    txn.delete_node(gone).unwrap();
    txn.commit().unwrap();
    db.close().unwrap();
    path
}

/// The canonical dump without its last line, which has a checksum of the rest.
fn canonical(db: &Path) -> String {
    let said = run(&["dump".as_ref(), db.as_os_str(), "--canonical".as_ref()]);
    said.assert_code(0).stdout.clone()
}

fn import(world: &World, name: &str, arguments: &[&str]) -> Said {
    let db = world.path(name);
    let mut all = vec!["import", "--json", db.to_str().unwrap()];
    all.extend(arguments);
    run(&all)
}

fn export(db: &Path, arguments: &[&str]) -> Json {
    let said = ask("export", &[db], arguments);
    let fields = [
        "path",
        "output",
        "format",
        "commit",
        "nodes",
        "relationships",
        "left_out",
    ];
    said.assert_code(0).answer("export", &fields)
}

#[track_caller]
fn same(one: &Path, other: &Path) {
    let (one, other) = (canonical(one), canonical(other));
    for (line, (one, other)) in one.lines().zip(other.lines()).enumerate() {
        assert_eq!(one, other, "line {}", line + 1);
    }
    assert_eq!(one, other);
}

#[test]
fn json_lines_come_back_as_an_equal_graph() {
    let world = World::new();
    let db = full(&world, "one", true);
    let file = world.path("graph.jsonl");
    let told = export(&db, &["-o", file.to_str().unwrap()]);
    assert_eq!((&told["nodes"], &told["members"]), (&8.into(), &1.into()));
    let said = import(&world, "two", &["--create", file.to_str().unwrap()]);
    let told = said
        .assert_code(0)
        .answer("import", &["database", "commit", "bytes", "bad"]);
    assert_eq!(
        (&told["nodes"], &told["relationships"]),
        (&8.into(), &7.into())
    );
    same(&db, &world.path("two"));
    ask("check", &[&world.path("two")], &[]).assert_code(0);
    // Into one that is there and empty, and from a pipe.
    Database::create(world.path("three"))
        .unwrap()
        .close()
        .unwrap();
    let mut piped = crate::world::command(&["import"]);
    piped.arg(world.path("three")).arg("-");
    crate::queries::feed(piped, &fs::read_to_string(&file).unwrap()).assert_code(0);
    same(&db, &world.path("three"));
}

#[test]
fn csv_comes_back_as_an_equal_graph() {
    let world = World::new();
    let db = full(&world, "one", true);
    let folder = world.path("exported");
    export(&db, &["--format", "csv", "-o", folder.to_str().unwrap()]);
    let header = fs::read_to_string(folder.join("nodes.csv")).unwrap();
    let header = header.lines().next().unwrap();
    assert!(
        header.starts_with(":ID,:LABEL,a:int:string,blank:string,date:date,days:date[],"),
        "{header}"
    );
    assert!(
        header.contains(",text:any,") && header.contains(",texts:string[],"),
        "{header}"
    );
    import(&world, "two", &["--create", folder.to_str().unwrap()]).assert_code(0);
    same(&db, &world.path("two"));
    ask("check", &[&world.path("two")], &[]).assert_code(0);
    // A folder that is there is not overwritten.
    let said = ask(
        "export",
        &[&db],
        &["--format", "csv", "-o", folder.to_str().unwrap()],
    );
    said.assert_code(2).error();
}

#[test]
fn a_script_comes_back_as_an_equal_graph() {
    let world = World::new();
    let db = full(&world, "one", false);
    let file = world.path("graph.stratql");
    let told = export(&db, &["-o", file.to_str().unwrap()]);
    assert_eq!(
        (&told["format"], &told["left_out"]),
        (&"script".into(), &Json::Array(vec![]))
    );
    let two = world.path("two");
    let two_text = two.to_str().unwrap();
    run(&["query", two_text, "--create", "-f", file.to_str().unwrap()]).assert_code(0);
    same(&db, &two);
    // What statements cannot say is named, or refused.
    let more = full(&world, "more", true);
    let (_, message) = ask("export", &[&more], &["--format", "script"])
        .assert_code(2)
        .error_after_output();
    assert!(
        message.contains("the property \"raw\" of node"),
        "{message}"
    );
}

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

#[test]
fn an_export_goes_where_it_was_told_and_nowhere_else() {
    let world = World::new();
    let db = full(&world, "one", false);
    let (_, message) = ask(
        "export",
        &[&db],
        &["-o", db.join("x.jsonl").to_str().unwrap()],
    )
    .assert_code(2)
    .error();
    assert!(message.contains("inside the database"), "{message}");
    let file = world.path("x.jsonl");
    fs::write(&file, "mine").unwrap();
    ask("export", &[&db], &["-o", file.to_str().unwrap()])
        .assert_code(2)
        .error();
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    ask("export", &[&db], &["-o", file.to_str().unwrap(), "--force"]).assert_code(0);
    ask("export", &[&db], &["--format", "csv"])
        .assert_code(2)
        .error();
    let said = run(&["export".as_ref(), db.as_os_str()]);
    assert_eq!(
        said.assert_code(0).stdout,
        fs::read_to_string(&file).unwrap()
    );
    assert!(said.stderr.contains("nodes"), "{}", said.stderr);
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
            let pid = child.id().to_string();
            let sent = std::process::Command::new("kill")
                .args(["-INT", &pid])
                .status();
            assert!(sent.unwrap().success());
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
