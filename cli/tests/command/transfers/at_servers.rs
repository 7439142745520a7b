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
