//! Nothing is wrong with an index, whatever was done to it.

use super::{Index, Settings};
use crate::error::IndexError;
use crate::{Coding, Metric};
use std::sync::atomic::Ordering;

impl Index {
    /// Looks at all of it.
    pub(super) fn assert_sound(&self) {
        assert_eq!(self.check(), [""; 0]);
    }
}

/// Whatever grows between the promise and the writing, such as what a merge of fresh vectors takes.
#[test]
fn a_promise_of_room_is_kept() {
    let limit = 4 << 20;
    let settings = Settings::new(2, Metric::Dot).coding(Coding::Whole);
    let index = settings.memory_limit(limit).build().unwrap();
    index.ensure_room(8).unwrap();
    index.tending_bytes.fetch_add(limit, Ordering::Relaxed);
    for id in 0..8 {
        index.insert_unlinked(1, id, &[3.0, 4.0]).unwrap();
    }
    let ninth = index.insert_unlinked(1, 8, &[3.0, 4.0]);
    assert!(matches!(ninth, Err(IndexError::Full { .. })), "{ninth:?}");
}
