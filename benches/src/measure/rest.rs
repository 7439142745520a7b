//! Waiting for what a database does after it has answered: what is measured next must not pay for it.

use super::cpu_time;
use anyhow::Result;
use std::time::Duration;
use stratigraph::{Database, VectorIndexState};

/// Until all vectors are linked: what is not linked yet is scanned, which would be measured as searching.
///
/// # Errors
/// What the database says; an index that could not be made.
pub(crate) fn until_linked(db: &Database) -> Result<()> {
    loop {
        let mut are_ready = true;
        for index in db.vector_indexes()? {
            match index.state {
                VectorIndexState::Ready => {}
                VectorIndexState::Failed(error) => return Err(error.into()),
                _ => are_ready = false,
            }
        }
        if are_ready {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Until this process does nothing any more: what was written last is linked after it can be found, and files are merged.
pub(crate) fn until_quiet() {
    loop {
        let before = cpu_time::of_process();
        std::thread::sleep(Duration::from_secs(1));
        if cpu_time::of_process() - before < 0.05 {
            break;
        }
    }
}
