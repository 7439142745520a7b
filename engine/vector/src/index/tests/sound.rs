//! Nothing is wrong with an index, whatever was done to it.

use super::{Index, Settings};
use crate::{Coding, Metric};

impl Index {
    /// Looks at all of it.
    pub(super) fn assert_sound(&self) {
        assert_eq!(self.check(), [""; 0]);
    }
}

/// Whatever grows between the promise and the writing, such as the list of who was replaced.
#[test]
fn a_promise_of_room_is_kept() {
    let mut promised = 0;
    for limit in (400 << 10..800 << 10).step_by(512) {
        let settings = Settings::new(2, Metric::Dot).coding(Coding::Whole);
        let index = settings.memory_limit(limit).build().unwrap();
        if (0..64).any(|id| index.insert(1, id, &[1.0, 2.0]).is_err()) {
            continue;
        }
        if index.ensure_room(8).is_ok() {
            promised += 1;
            for id in 0..8 {
                index.insert_unlinked(2, id, &[3.0, 4.0]).unwrap();
            }
        }
    }
    assert!(promised > 100, "{promised}");
}
