//! A file system that is full soon.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use stratigraph::{Database, DatabaseBuilder};
use tempfile::TempDir;

/// Databases whose reserve, buffers and cache suit such a file system.
pub(super) fn builder() -> DatabaseBuilder {
    Database::builder()
        .disk_reserve_bytes(1 << 20)
        .write_buffer_bytes(256 << 10)
        .cache_bytes(1 << 20)
}

/// A file system of a few mebibytes, gone with this value.
pub(super) struct SmallDisk(TempDir);

impl SmallDisk {
    /// Nothing where mounting is refused; then this says so.
    pub(super) fn new(bytes: u64) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(dir.path())
            .output();
        match mount {
            Ok(output) if output.status.success() => Some(Self(dir)),
            refused => {
                eprintln!(
                    "NOT TESTED: no small file system can be mounted here ({refused:?}); only failing calls are tested"
                );
                None
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Takes every free byte with a file that is not the database's.
    pub(super) fn fill(&self) {
        let mut file = File::create(self.0.path().join("filler")).unwrap();
        // Whole pages first, then whatever is left of the last one.
        for piece in [4096, 1] {
            while file.write_all(&vec![1; piece]).is_ok() {}
        }
    }

    /// Takes every free byte but so many.
    pub(super) fn fill_but(&self, bytes: u64) {
        self.fill();
        let filler = File::options()
            .write(true)
            .open(self.0.path().join("filler"))
            .unwrap();
        let length = filler.metadata().unwrap().len();
        filler.set_len(length.saturating_sub(bytes)).unwrap();
    }

    pub(super) fn grow(&self, bytes: u64) {
        let options = format!("remount,size={bytes}");
        let status = Command::new("mount")
            .args(["-o", &options])
            .arg(self.0.path())
            .status();
        assert!(status.unwrap().success());
    }

    pub(super) fn free_up(&self) {
        std::fs::remove_file(self.0.path().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // What stays mounted is in the way of the folder's removal, which the next line would report.
        let unmounted = Command::new("umount").arg(self.0.path()).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()) || std::thread::panicking(),
            "cannot unmount"
        );
    }
}
