//! One hash of values of several kinds, in an order that whoever makes it keeps to.

use sha2::{Digest as _, Sha256};

/// A hash at work. Each value goes in with what ends it, so that no other values have the same bytes.
#[derive(Default)]
pub(super) struct Digest(Sha256);

impl Digest {
    /// A text, with its length: what ends one text cannot begin the next.
    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
    }

    /// A number. One that says what follows, or how much of it, keeps kinds and lists apart.
    pub(super) fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    /// The hash, as 32 hexadecimal digits.
    pub(super) fn finish(self) -> String {
        let digest = self.0.finalize();
        let bytes = digest.iter().take(16);
        bytes.fold(String::with_capacity(32), |mut text, byte| {
            for digit in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(u32::from(digit), 16));
            }
            text
        })
    }
}
