//! Every released format opens, with everything in it: see `examples/make_golden.rs`.

mod folder;

use folder::copy;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph::Database;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::files::header::CURRENT_FORMAT;

/// Each database with its dump.
fn golden() -> Vec<(PathBuf, PathBuf)> {
    // At run time: checkouts share their build output, and the path of another may be built in.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    let folder = Path::new(&here).join("tests/golden");
    let entries = fs::read_dir(folder).unwrap();
    let mut formats: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    formats.retain(|path| path.is_dir());
    formats.sort();
    let with_dump = |path: PathBuf| (path.clone(), path.with_extension("jsonl"));
    formats.into_iter().map(with_dump).collect()
}

/// Whether it holds what `make_golden` has written, and nothing that contradicts itself.
fn is_whole(db: &Database, dump: &str) {
    let mut dumped = Vec::new();
    db.dump(&mut dumped, &mut Watch::quiet()).unwrap();
    // Opening may have saved an index, which is a commit: the last line says which it is of.
    let without_origin = |dump: &str| -> Vec<String> {
        let lines = dump.lines().map(|line| line.split(",\"of\":").next());
        lines.map(|line| line.unwrap().to_owned()).collect()
    };
    let dumped = String::from_utf8(dumped).unwrap();
    assert_eq!(without_origin(&dumped), without_origin(dump));
    assert!(dump.lines().count() > 100, "the dump has been cut");
    let report = db.check(&mut Watch::quiet()).unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);
}

#[test]
fn there_is_one_for_each_format() {
    let names: Vec<String> = golden()
        .iter()
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let wanted: Vec<String> = (1..=CURRENT_FORMAT.get())
        .map(|format| format!("format-{format}"))
        .collect();
    assert_eq!(names, wanted);
}

#[test]
fn every_format_opens_with_everything_in_it() {
    for (source, dump) in golden() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db");
        copy(&source, &path);
        let dump = fs::read_to_string(dump).unwrap();
        if source.ends_with(format!("format-{CURRENT_FORMAT}")) {
            is_whole(&Database::builder().open_read_only(&path).unwrap(), &dump);
        }
        let builder = Database::builder().disk_reserve_bytes(0);
        let db = builder.clone().open(&path).unwrap();
        is_whole(&db, &dump);
        db.close().unwrap();
        is_whole(&builder.open(&path).unwrap(), &dump);
    }
}
