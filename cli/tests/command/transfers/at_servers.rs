//! `export` at an address: the bytes of a folder.

use super::{export, full};
use crate::served::Served;
use crate::world::{World, run};
use std::fs;
use std::path::Path;

/// All files of an export under their names.
fn files(output: &Path) -> Vec<(String, Vec<u8>)> {
    if output.is_file() {
        return vec![(String::new(), fs::read(output).unwrap())];
    }
    let entries = fs::read_dir(output).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    });
    let mut all: Vec<_> = entries.collect();
    all.sort();
    all
}

#[test]
fn a_server_gives_the_same_bytes_as_its_folder() {
    let world = World::new();
    fs::create_dir(world.path("data")).unwrap();
    let db = full(&world, "data/default", true);
    // Bytes have no literal in a script.
    let other = full(&world, "data/other", false);
    let forms: [(&Path, &str, &[&str]); 3] = [
        (&db, "jsonl", &["--format", "jsonl"]),
        (&db, "csv", &["--format", "csv", "--array-delimiter", "|"]),
        (&other, "script", &["--format", "script"]),
    ];
    let path = |of: &str, form: &str| world.path(&format!("{of}.{form}"));
    let mut answers = Vec::new();
    for (db, form, flags) in forms {
        let output = path("folder", form);
        let mut flags = flags.to_vec();
        flags.extend(["-o", output.to_str().unwrap()]);
        answers.push(export(db, &flags));
    }
    let served = Served::start(&world.path("data"), &[]);
    for ((db, form, flags), of_folder) in forms.into_iter().zip(answers) {
        let output = path("server", form);
        let name = db.file_name().unwrap().to_str().unwrap();
        let mut flags = flags.to_vec();
        flags.extend(["--database", name, "-o", output.to_str().unwrap()]);
        let of_server = export(Path::new(&served.address()), &flags);
        assert_eq!(files(&path("folder", form)), files(&output), "{form}");
        for what in [
            "format",
            "commit",
            "nodes",
            "relationships",
            "declarations",
            "members",
            "bytes",
            "left_out",
        ] {
            assert_eq!(of_folder[what], of_server[what], "{form}: {what}");
        }
    }
    let said = run(&["export", &served.address()]);
    assert_eq!(
        said.assert_code(0).stdout.as_bytes(),
        files(&path("folder", "jsonl"))[0].1
    );
    // What a form cannot say the server says as well, and nothing is left lying.
    let output = world.path("refused.stratql");
    let said = run(&["export", &served.address(), "-o", output.to_str().unwrap()]);
    assert!(
        said.stderr.contains("bytes have no literal"),
        "{}",
        said.stderr
    );
    assert!(said.code != 0 && !output.exists());
    let lying = fs::read_dir(world.path("")).unwrap();
    let lying = lying.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!lying.into_iter().any(|name| name.contains("exporting")));
    served.terminate();
}

/// The lines of an export that are about what is declared.
fn declarations(db: &Path) -> Vec<String> {
    let said = run(&["export", db.to_str().unwrap()]);
    let lines = said.assert_code(0).stdout.lines().map(str::to_owned);
    let others = ["{\"node\"", "{\"relationship\"", "{\"edge\"", "{\"member\""];
    let mut all: Vec<String> = lines
        .filter(|line| !others.iter().any(|other| line.starts_with(other)))
        .collect();
    all.sort();
    all
}

#[test]
fn what_files_declare_is_declared_at_a_server_and_goes_again_with_what_fails() {
    let world = World::new();
    let db = full(&world, "library", true);
    let said = run(&["export", db.to_str().unwrap()]);
    let all = said.assert_code(0).stdout.clone();
    // Members by name are the one thing that no server takes.
    let file = |name: &str, lines: &str| {
        fs::write(world.path(name), lines).unwrap();
        world.path(name).to_str().unwrap().to_owned()
    };
    let whole = file("whole.jsonl", &all);
    let without: Vec<&str> = all
        .lines()
        .filter(|line| !line.starts_with("{\"member\""))
        .collect();
    let without = without.join("\n") + "\n";
    let good = file("good.jsonl", &without);
    let broken = file("broken.jsonl", &(without + "{\"node\":\n"));
    let served = Served::start(&world.path("data"), &[]);
    let address = served.address();
    let shown = || {
        let ask = |what: &str| {
            run(&["query", &address, what])
                .assert_code(0)
                .stdout
                .clone()
        };
        [
            "SHOW INDEXES YIELD name",
            "SHOW CONSTRAINTS YIELD name",
            "MATCH (n) RETURN n LIMIT 1",
        ]
        .map(ask)
        .concat()
    };
    for (bad, said) in [
        (&broken, "broken.jsonl"),
        (&whole, "members of hierarchies"),
    ] {
        let refused = run(&["import", &address, bad]);
        assert!(
            refused.assert_code(2).stderr.contains(said),
            "{}",
            refused.stderr
        );
        assert_eq!(shown(), "", "{bad}");
    }
    let told = run(&["import", &address, &good, "--json"]);
    let told = told
        .assert_code(0)
        .answer("import", &["database", "commit"]);
    assert_eq!(told["declarations"], 6);
    // Again, they are there already.
    let again = run(&["import", &address, &good]);
    assert!(
        again.assert_code(2).stderr.contains("by text"),
        "{}",
        again.stderr
    );
    assert!(shown().contains("by text"), "{}", shown());
    served.terminate();
    let there = declarations(&world.path("data/default"));
    assert_eq!(there, declarations(&db));
    assert_eq!(there.len(), 6, "{there:?}");
}
