//! Keys of the overlay. Most are short, and those lie in the tree's own nodes: comparing them follows
//! no pointer, and storing one allocates nothing.

use std::borrow::Borrow;
use std::cmp::Ordering;

/// Covers every key of fixed width; what is left of forty bytes beside the length and the tag.
const INLINE_BYTES: usize = 38;

/// A key's bytes.
#[derive(Debug, Clone)]
pub(crate) enum Key {
    Short {
        length: u8,
        bytes: [u8; INLINE_BYTES],
    },
    Long(Box<[u8]>),
}

const _: () = assert!(size_of::<Key>() == 40);

impl Key {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or(bytes),
            Self::Long(bytes) => bytes,
        }
    }
}

impl From<&[u8]> for Key {
    fn from(key: &[u8]) -> Self {
        let mut bytes = [0; INLINE_BYTES];
        match (bytes.get_mut(..key.len()), u8::try_from(key.len())) {
            (Some(inline), Ok(length)) => {
                inline.copy_from_slice(key);
                Self::Short { length, bytes }
            }
            _ => Self::Long(key.into()),
        }
    }
}

impl Borrow<[u8]> for Key {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_keys_keep_their_bytes_and_their_order() {
        let long: Vec<u8> = (0..100).collect();
        for length in 0..=long.len() {
            let key = Key::from(&long[..length]);
            assert_eq!(key.as_bytes(), &long[..length]);
            assert_eq!(matches!(key, Key::Short { .. }), length <= INLINE_BYTES);
            for other in 0..=long.len() {
                let order = Key::from(&long[..other]).cmp(&key);
                assert_eq!(order, long[..other].cmp(&long[..length]));
            }
        }
    }
}
