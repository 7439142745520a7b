//! Ids that cannot be guessed.

use crate::failure::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// 128 random bits as 22 characters.
pub(crate) fn random_id() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Failure::Bug {
        what: "the operating system has no randomness",
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
