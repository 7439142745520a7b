//! Every released format opens, with everything in it: see `examples/make_golden.rs`.

mod folder;

use folder::copy;
use std::fs;
use std::path::{Path, PathBuf};
use stratigraph::Database;
use stratigraph::keys::KeyRead;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::storage::family::Family;
use stratigraph::storage::files::header::CURRENT_FORMAT;
use stratigraph::storage::range::KeyRange;

fn golden() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut formats: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    formats.sort();
    formats
}

/// What `make_golden` has written.
fn is_whole(db: &Database) {
    let read = db.key_read().unwrap();
    for family in Family::all().filter(|family| *family != Family::Meta) {
        for number in 1..=30_u64 {
            let deleted = number % 5 == 4;
            let wanted = (!deleted).then(|| format!("{} {number}", family.name()).into_bytes());
            assert_eq!(
                read.get(family, &number.to_be_bytes()).unwrap(),
                wanted,
                "{family:?} {number}"
            );
        }
        let loaded = if family == Family::Vectors { 50 } else { 0 };
        assert_eq!(
            read.scan(family, &KeyRange::all())
                .unwrap()
                .count()
                .unwrap(),
            24 + loaded,
            "{family:?}"
        );
    }
    let report = db
        .check(&mut Watch::new(&mut |_| {}, CancelToken::new()))
        .unwrap();
    assert!(report.is_clean(), "{:?}", report.findings);
}

#[test]
fn there_is_one_for_each_format() {
    let names: Vec<String> = golden()
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let wanted: Vec<String> = (1..=CURRENT_FORMAT.get())
        .map(|format| format!("format-{format}"))
        .collect();
    assert_eq!(names, wanted);
}

#[test]
fn every_format_opens_with_everything_in_it() {
    for source in golden() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db");
        copy(&source, &path);
        if source.ends_with(format!("format-{CURRENT_FORMAT}")) {
            is_whole(&Database::builder().open_read_only(&path).unwrap());
        }
        let builder = Database::builder().disk_reserve_bytes(0);
        let db = builder.clone().open(&path).unwrap();
        is_whole(&db);
        db.close().unwrap();
        is_whole(&builder.open(&path).unwrap());
    }
}
