#![expect(
    unsafe_code,
    reason = "the safe crate lacks RocksDB's own checksum verification"
)]
//! Reading every block of every sorted file, index and filter blocks included.

use super::handle::Handle;
use crate::error::{Error, Result};
use rocksdb::AsRawPtr;
use std::ffi::CStr;

/// Compares the checksum of every block of every live file; the first that fails is the error.
pub(super) fn every_block(handle: &Handle) -> Result<()> {
    let mut message: *mut std::ffi::c_char = std::ptr::null_mut();
    // SAFETY: the pointer comes from the open database that `handle` keeps alive during the call,
    // and `message` is a valid place for RocksDB to put an error string.
    unsafe { librocksdb_sys::rocksdb_verify_checksum(handle.db().as_raw_ptr(), &raw mut message) };
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: a message that is not null is a NUL-terminated string allocated by RocksDB, which
    // hands it over; it is copied before it is freed, once.
    let text = unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        librocksdb_sys::rocksdb_free(message.cast());
        text
    };
    let path = super::refusal::named_file(handle.dir(), &text)
        .unwrap_or_else(|| handle.dir().to_path_buf());
    Err(Error::Corruption { path, what: text })
}
