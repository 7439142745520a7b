//! Nothing is wrong with an index, whatever was done to it.

use super::Index;

impl Index {
    /// Looks at all of it.
    pub(super) fn assert_sound(&self) {
        assert_eq!(self.check(), [""; 0]);
    }
}
