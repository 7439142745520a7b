//! Between our types and the generated ones, without `From`: an implementation of `From` would put the generated types into
//! the face of this crate, and every change of the protocol with them.

/// Something that is made of something else.
pub(crate) trait Made<T> {
    /// Makes it.
    fn made_of(from: T) -> Self;
}

/// The other way to say it.
pub(crate) trait Make: Sized {
    /// Makes something of it.
    fn make<O: Made<Self>>(self) -> O {
        O::made_of(self)
    }
}

impl<T> Make for T {}
