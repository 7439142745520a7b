//! Bytes of the overlay. Most keys and many values are short, and those lie in the tree's own nodes:
//! comparing them follows no pointer, and storing one allocates nothing.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::Deref;

/// A key: every key of fixed width is short.
pub(crate) type Key = Bytes<38>;
/// A value: degrees, index entries, relationships with a property or two are short.
pub(crate) type Value = Bytes<22>;

const _: () = assert!(size_of::<Key>() == 40);
const _: () = assert!(size_of::<Option<Value>>() == 24);

/// Some bytes, `INLINE` of them in place. What is short is followed by zeros.
#[derive(Debug, Clone)]
pub(crate) enum Bytes<const INLINE: usize> {
    Short { length: u8, bytes: [u8; INLINE] },
    Long(Box<[u8]>),
}

impl<const INLINE: usize> Bytes<INLINE> {
    fn short(from: &[u8]) -> Option<Self> {
        let mut bytes = [0; INLINE];
        bytes.get_mut(..from.len())?.copy_from_slice(from);
        let length = u8::try_from(from.len()).ok()?;
        Some(Self::Short { length, bytes })
    }
}

impl<const INLINE: usize> Deref for Bytes<INLINE> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or(bytes),
            Self::Long(bytes) => bytes,
        }
    }
}

impl<const INLINE: usize> From<&[u8]> for Bytes<INLINE> {
    fn from(bytes: &[u8]) -> Self {
        Self::short(bytes).unwrap_or_else(|| Self::Long(bytes.into()))
    }
}

impl<const INLINE: usize> From<Vec<u8>> for Bytes<INLINE> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::short(&bytes).unwrap_or_else(|| Self::Long(bytes.into()))
    }
}

impl<const INLINE: usize> Borrow<[u8]> for Bytes<INLINE> {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl<const INLINE: usize> PartialEq for Bytes<INLINE> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<const INLINE: usize> Eq for Bytes<INLINE> {}

impl<const INLINE: usize> PartialOrd for Bytes<INLINE> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const INLINE: usize> Ord for Bytes<INLINE> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_keys_keep_their_bytes() {
        let long: Vec<u8> = (0..100).collect();
        for length in 0..=long.len() {
            let key = Key::from(&long[..length]);
            assert_eq!(*key, long[..length]);
            assert_eq!(matches!(key, Key::Short { .. }), length <= 38);
            assert_eq!(*Key::from(long[..length].to_vec()), long[..length]);
        }
    }

    #[test]
    fn keys_are_ordered_as_their_bytes_are() {
        let mut random = fastrand::Rng::with_seed(7);
        // Few different bytes and lengths about every border, so that many keys begin alike.
        let mut drawn: Vec<Vec<u8>> = Vec::new();
        for _ in 0..400 {
            let length = random.choice([0, 1, 7, 8, 9, 37, 38, 39, 60]).unwrap();
            drawn.push(
                (0..length)
                    .map(|_| random.choice([0, 1, 255]).unwrap())
                    .collect(),
            );
            let alike = &drawn[random.usize(..drawn.len())];
            let mut alike = alike.clone();
            alike.truncate(random.usize(..=alike.len()));
            drawn.push(alike);
        }
        for one in &drawn {
            for other in &drawn {
                let order = Key::from(&one[..]).cmp(&Key::from(&other[..]));
                assert_eq!(order, one.cmp(other), "{one:?} {other:?}");
            }
        }
    }
}
