//! Power loss: record what a process does to its files, then build the disks it may leave behind.
//!
//! Killing a process keeps the page cache, so a kill test cannot see a missing sync. Here a child
//! runs under an `LD_PRELOAD` shim ([`shim`]), its file calls are read back ([`Recording`]), and a
//! model of the disk ([`Disk`]) is moved along the record. At any point the model gives an
//! [`Image`]: what was synced is certain, everything else may be there, in part or not at all.
//!
//! The model must never be kinder than POSIX: a sync covers only what completed before it began,
//! and a file's name is durable only after a sync of its directory. It must not be crueller than a
//! journalling file system either: names of one directory change in order, a rename is whole, and
//! no byte appears that nobody wrote.
//!
//! A harness that uses this must first check that nothing went round the shim (raw system calls,
//! `rustix` with its default backend, mappings): after a clean exit,
//! `recording.image_at(recording.len(), .., Mode::Everything).differences(root)` has to be empty.
//! It must not run on btrfs, where RocksDB leaves directory syncs out on purpose.
//!
//! Start with `record.rs` (what is seen), then `disk.rs` (names) and `content.rs` (bytes).

mod content;
mod disk;
mod image;
mod record;
pub mod shim;
#[cfg(test)]
mod shim_tests;
#[cfg(test)]
mod tests;

pub use disk::{Disk, Mode};
pub use image::{Image, MAPPED};
pub use record::{NodeId, Op, Recording};
