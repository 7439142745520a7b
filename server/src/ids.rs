//! Ids: those that cannot be guessed, and those that only tell calls apart.

use crate::failure::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// 128 random bits as 22 characters.
pub(crate) fn random_id() -> Result<String, Failure> {
    Ok(URL_SAFE_NO_PAD.encode(random()?))
}

/// An id that no other call has, of this process or another. It counts on from a random number, as to ask the system
/// for one each time costs more than the rest of what is done to let a call in.
pub(crate) fn call_id() -> String {
    static FIRST: LazyLock<u128> = LazyLock::new(|| random().map_or(0, u128::from_le_bytes));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let id = FIRST.wrapping_add(u128::from(count));
    URL_SAFE_NO_PAD.encode(id.to_be_bytes())
}

fn random() -> Result<[u8; 16], Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Failure::Bug {
        what: "the operating system has no randomness",
    })?;
    Ok(bytes)
}
