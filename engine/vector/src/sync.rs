//! What the concurrent parts are made of; a model checker takes its place in its own tests.

#[cfg(all(loom, test))]
pub(crate) use checked::Mutex;
#[cfg(all(loom, test))]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
#[cfg(not(all(loom, test)))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(all(loom, test)))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

#[cfg(all(loom, test))]
mod checked {
    //! The model checker's lock, with the face of the other.

    use loom::sync::{Mutex as Checked, MutexGuard};

    #[derive(Debug)]
    pub(crate) struct Mutex<T>(Checked<T>);

    impl<T: Default> Default for Mutex<T> {
        fn default() -> Self {
            Self(Checked::new(T::default()))
        }
    }

    impl<T> Mutex<T> {
        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            self.0.lock().expect("no model panics under a lock")
        }
    }
}
