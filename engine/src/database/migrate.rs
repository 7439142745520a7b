//! Bringing an older database to the current format, one step at a time.
//!
//! Each step rewrites what it must, and then the header says the new format; a crash in between
//! repeats the step, so a step must come to the same result when it is run again.

use crate::codec::FormatVersion;
use crate::error::{Error, Result};
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
pub(super) const STEPS: &[Step] = &[
    // Vector and text indexes: new kinds of declarations, and a family that opening for writing has made.
    Step {
        from: FormatVersion::new(1),
        run: |_| Ok(()),
    },
];

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
    if header.format < target {
        let path = layout.root().to_path_buf();
        return Err(Error::MigrationNeeded {
            path,
            found: header.format,
            current: target,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::DatabaseId;
    use crate::storage::batch::Batch;
    use crate::storage::family::Family;
    use crate::storage::memory::MemoryStore;

    const fn format(number: u32) -> FormatVersion {
        FormatVersion::new(number)
    }

    /// Appends its name to what earlier steps left, unless it is there already.
    fn visit(store: &dyn Store, name: u8) -> Result<()> {
        let mut trail = trail(store);
        if !trail.contains(&name) {
            trail.push(name);
        }
        let mut batch = Batch::new();
        batch.put(Family::Nodes, b"trail", &trail);
        store.append(&batch)
    }

    fn trail(store: &dyn Store) -> Vec<u8> {
        let mut trail = Vec::new();
        let found = store.snapshot().get(Family::Nodes, b"trail", &mut |value| {
            trail = value.to_vec();
        });
        found.map(|_| trail).unwrap()
    }

    const THREE_STEPS: &[Step] = &[
        Step {
            from: format(1),
            run: |store| visit(store, 1),
        },
        Step {
            from: format(2),
            run: |store| visit(store, 2),
        },
        Step {
            from: format(3),
            run: |store| visit(store, 3),
        },
    ];

    fn at_format(number: u32) -> (tempfile::TempDir, Layout, Header) {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path());
        let id = DatabaseId::from_bytes([7; 16]);
        (
            folder,
            layout,
            Header {
                id,
                format: format(number),
                ready: true,
            },
        )
    }

    fn written_format(layout: &Layout) -> u32 {
        // Formats of the future are refused by `Header::read`, so the bytes are asked.
        let bytes = std::fs::read(layout.header()).unwrap();
        u32::from_le_bytes(bytes[8..12].try_into().unwrap())
    }

    #[test]
    fn steps_run_in_order_from_the_format_that_is_there() {
        for (from, wanted) in [
            (1, vec![1, 2, 3]),
            (2, vec![2, 3]),
            (3, vec![3]),
            (4, vec![]),
        ] {
            let (_folder, layout, header) = at_format(from);
            let store = MemoryStore::new();
            to(format(4), &layout, &header, &store, THREE_STEPS).unwrap();
            assert_eq!(trail(&store), wanted, "from format {from}");
            if from < 4 {
                assert_eq!(written_format(&layout), 4);
            }
        }
    }

    #[test]
    fn a_step_that_fails_is_repeated_by_the_next_open_and_no_other() {
        const FAILING: &[Step] = &[
            Step {
                from: format(1),
                run: |store| visit(store, 1),
            },
            Step {
                from: format(2),
                run: |store| {
                    visit(store, 2)?;
                    Err(Error::Cancelled)
                },
            },
        ];
        let (_folder, layout, header) = at_format(1);
        let store = MemoryStore::new();
        to(format(4), &layout, &header, &store, FAILING).unwrap_err();
        assert_eq!(
            written_format(&layout),
            2,
            "the first step is done for good"
        );
        let reopened = Header {
            format: format(written_format(&layout)),
            ..header
        };
        to(format(4), &layout, &reopened, &store, THREE_STEPS).unwrap();
        assert_eq!(trail(&store), [1, 2, 3]);
        assert_eq!(written_format(&layout), 4);
    }
}
