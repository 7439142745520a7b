//! Exports that come back as an equal graph: JSON lines, CSV, a script.

use super::{export, full, import, same};
use crate::world::{World, ask, run};
use serde_json::Value as Json;
use std::fs;
use stratigraph::Database;

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
