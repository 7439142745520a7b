//! The process that `tests/steps.rs` ends at every step of its work: indexes are made, kept, left behind by a
//! load, dropped and made again.
//!
//! ```text
//! steps_child DIR FIRST STEP   ends at a step, or tells at its end how many there were
//! ```
//! On standard output it says how many nodes are acknowledged.

use anyhow::{Context, Result};
use std::io::Write;
use std::path::Path;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::storage::plant;
use stratigraph::{Database, Error, TextIndex, VectorIndex};
use stratigraph_tests::driver::steps::{LABEL, TEXT, VECTOR, properties};

/// As many are added by a load, and by each of a few commits.
const LOADED: u64 = 150;
const COMMITTED: u64 = 40;

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().context("steps_child DIR FIRST STEP");
    let (dir, first, step) = (word()?, word()?.parse()?, word()?.parse()?);
    plant::end_at(step);
    work(Path::new(&dir), first)?;
    say(&format!("steps {}", plant::steps()))
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}

fn work(dir: &Path, first: u64) -> Result<()> {
    let db = Database::builder().disk_reserve_bytes(0).open(dir)?;
    let mut next = first;
    db.create_vector_index(vectors())?;
    db.create_text_index(TextIndex::on_nodes(LABEL, [TEXT]).named("t").if_missing())?;
    commit(&db, &mut next)?;
    load(&db, &mut next)?;
    commit(&db, &mut next)?;
    db.drop_vector_index("v")?;
    db.drop_text_index("t")?;
    commit(&db, &mut next)?;
    // Given up in the middle.
    let cancel = CancelToken::new();
    let token = cancel.clone();
    let mut report = |progress: Progress<'_>| {
        if progress.done > 0 {
            token.cancel();
        }
    };
    match db.create_vector_index_watched(vectors(), &mut Watch::new(&mut report, cancel)) {
        Err(Error::Cancelled) => db.create_vector_index(vectors())?,
        outcome => outcome?,
    }
    commit(&db, &mut next)?;
    db.close()?;
    let db = Database::builder().disk_reserve_bytes(0).open(dir)?;
    commit(&db, &mut next)?;
    db.close()?;
    Ok(())
}

fn vectors() -> VectorIndex {
    let index = VectorIndex::on_nodes(LABEL, VECTOR, properties::DIMENSIONS);
    index.filterable(["number"]).named("v").if_missing()
}

fn commit(db: &Database, next: &mut u64) -> Result<()> {
    let mut txn = db.write()?;
    for number in *next..*next + COMMITTED {
        txn.create_node([LABEL], properties::of(number))?;
    }
    txn.commit()?;
    *next += COMMITTED;
    say(&format!("nodes {next}"))
}

fn load(db: &Database, next: &mut u64) -> Result<()> {
    let mut load = db.bulk_load()?;
    for number in *next..*next + LOADED {
        load.add_node([LABEL], properties::of(number))?;
    }
    load.finish(&mut Watch::quiet())?;
    *next += LOADED;
    say(&format!("nodes {next}"))
}
