//! Dumps: everything comes back, equal graphs have equal canonical text, and nothing that is damaged
//! or hostile is taken.

mod canonical;
mod edited;
mod hostile;
mod model;
mod round_trip;

use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, DumpError, DumpReport, Error, LoadOptions, LoadReport};

fn dump(db: &Database) -> (String, DumpReport) {
    let mut text = Vec::new();
    let report = db.dump(&mut text, &mut Watch::quiet()).unwrap();
    assert_eq!(report.contents.bytes, text.len() as u64);
    (String::from_utf8(text).unwrap(), report)
}

fn canonical(db: &Database) -> String {
    let mut text = Vec::new();
    let report = db.dump_canonical(&mut text, &mut Watch::quiet()).unwrap();
    assert_eq!(report.contents.bytes, text.len() as u64);
    String::from_utf8(text).unwrap()
}

fn load_with(bytes: &[u8], options: &LoadOptions) -> Result<(Database, LoadReport), Error> {
    let db = Database::in_memory().unwrap();
    let report = db.load(bytes, options, &mut Watch::quiet())?;
    Ok((db, report))
}

fn load(text: &str) -> Result<Database, Error> {
    load_with(text.as_bytes(), &LoadOptions::default()).map(|(db, _)| db)
}

/// A dump without the place where it comes from.
fn without_origin(text: &str) -> &str {
    text.rsplit_once(",\"of\":").unwrap().0
}

fn dump_error(error: Error) -> DumpError {
    match error {
        Error::Dump(error) => match *error {
            DumpError::Partial { source, .. } => dump_error(*source),
            error => error,
        },
        error => panic!("{error}"),
    }
}
