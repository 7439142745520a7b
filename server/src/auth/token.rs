//! Tokens and their hashes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;
use subtle::ConstantTimeEq;

/// What a token begins with, so that scanners for leaked secrets know one.
const PREFIX: &str = "stratigraph_";
/// How many random bytes it has.
const RANDOM_BYTES: usize = 32;
/// How the text of a hash begins.
const HASH_PREFIX: &str = "sha256:";

/// Something that must not be shown. It has neither `Debug` nor `Display`.
pub struct Secret(String);

impl Secret {
    /// A new token.
    ///
    /// # Errors
    /// The operating system has no randomness.
    pub fn new_token() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// What somebody has sent.
    #[must_use]
    pub fn received(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text, to be given to its owner once.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Its hash.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

/// The hash of a token.
#[derive(Clone, Copy)]
pub struct TokenHash([u8; 32]);

impl TokenHash {
    /// Whether they are the same, in a time that does not depend on where they differ.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HASH_PREFIX}{}", URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl FromStr for TokenHash {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const PROBLEM: &str =
            "a hash is `sha256:` and 43 characters; `stratigraph token new` makes one";
        let encoded = text.strip_prefix(HASH_PREFIX).ok_or(PROBLEM)?;
        let bytes = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| PROBLEM)?;
        Ok(Self(bytes.try_into().map_err(|_| PROBLEM)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_no_two_are_alike() {
        let (one, other) = (Secret::new_token().unwrap(), Secret::new_token().unwrap());
        assert_eq!(one.expose().len(), PREFIX.len() + 43);
        assert!(one.expose().starts_with(PREFIX));
        assert_ne!(one.expose(), other.expose());
        assert!(one.hash().is(&Secret::received(one.expose()).hash()));
        assert!(!one.hash().is(&other.hash()));
    }

    #[test]
    fn hashes_are_read_as_they_are_shown() {
        // The digest of "abc" is in FIPS 180-2.
        let hash = Secret::received("abc").hash();
        assert_eq!(
            hash.to_string(),
            "sha256:ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"
        );
        assert!(hash.to_string().parse::<TokenHash>().unwrap().is(&hash));
        for text in [
            "",
            "abc",
            "sha256:",
            "sha256:AAAA",
            "md5:ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0",
        ] {
            assert!(text.parse::<TokenHash>().is_err(), "{text}");
        }
    }
}
