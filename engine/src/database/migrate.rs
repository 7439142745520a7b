//! Bringing an older database to the current format, one step at a time.
//!
//! Each step rewrites what it must, and then the header says the new format; a crash in between
//! repeats the step, so a step must come to the same result when it is run again.

use crate::codec::FormatVersion;
use crate::error::Result;
use crate::storage::files::Layout;
use crate::storage::files::header::{CURRENT_FORMAT, Header};
use crate::storage::store::Store;

/// From one format to the next.
pub(super) struct Step {
    /// The format it starts from.
    pub(super) from: FormatVersion,
    /// What it does.
    pub(super) run: fn(&dyn Store) -> Result<()>,
}

/// Every step there has been. Format 1 is the first.
pub(super) const STEPS: &[Step] = &[];

/// Runs the steps that lead from the header's format to the current one.
pub(super) fn to_current(
    layout: &Layout,
    header: &Header,
    store: &dyn Store,
    steps: &[Step],
) -> Result<()> {
    to(CURRENT_FORMAT, layout, header, store, steps)
}

fn to(
    target: FormatVersion,
    layout: &Layout,
    header: &Header,
    store: &dyn Store,
    steps: &[Step],
) -> Result<()> {
    let mut header = *header;
    let wanted = header.format..target;
    for step in steps.iter().filter(|step| wanted.contains(&step.from)) {
        tracing::info!(from = %step.from, "upgrading the database's format");
        (step.run)(store)?;
        store.sync_log()?;
        store.flush()?;
        header.format = FormatVersion::new(step.from.get() + 1);
        header.write(layout)?;
    }
    Ok(())
}
