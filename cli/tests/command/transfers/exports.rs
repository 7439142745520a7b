//! Where exports go.

use super::full;
use crate::world::{World, ask, run};
use std::fs;

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
    let table = world.path("x.csv");
    let (_, message) = ask("export", &[&db], &["-o", table.to_str().unwrap()])
        .assert_code(2)
        .error();
    assert!(
        message.contains("--format csv") && !table.exists(),
        "{message}"
    );
    let said = run(&["export".as_ref(), db.as_os_str()]);
    assert_eq!(
        said.assert_code(0).stdout,
        fs::read_to_string(&file).unwrap()
    );
    assert!(said.stderr.contains("nodes"), "{}", said.stderr);
}
