//! The vectors themselves, by which the best are told apart at the end of a search: in memory, in a mapped
//! file, in one that outlives the process, or wherever a caller has them.

mod filed;
mod rows;

use crate::error::IndexError;
use filed::Filed;
use rows::Rows;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// One vector that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Where the index has it.
    pub slot: u32,
    /// Whose it is.
    pub id: u64,
}

/// Keeps vectors whole.
pub trait Originals: Send + Sync + Debug {
    /// Keeps a vector, before anybody asks for it. One who lived in the slot before is not asked for again, but
    /// an earlier vector of the same id in another slot may be. The index must not be called from here.
    ///
    /// # Errors
    ///
    /// [`IndexError::Original`]. The vector is not in the index then.
    fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError>;

    /// Shows each of the wanted vectors, in any order, with its place in the list.
    ///
    /// # Errors
    ///
    /// [`IndexError::Original`], if one cannot be read. A search fails then: it would be wrong without it.
    fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError>;

    /// How many bytes of memory a vector takes: they count towards the limit of the index.
    fn bytes_each(&self) -> usize;
}

/// So many rows are on their way while one is looked at.
const AHEAD: usize = 2;

/// Who keeps the vectors of an index.
#[derive(Debug)]
pub(crate) enum Keeper {
    Memory(Rows),
    File(Filed),
    Custom(Arc<dyn Originals>),
}

/// What a snapshot says of each vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nothing: who keeps them vouches for them.
    #[default]
    Nothing,
    /// All of it.
    Whole,
    /// The seal by which it is known again.
    Seal,
}

impl Keeper {
    pub(crate) fn memory(dimensions: usize, room: u32) -> Result<Self, IndexError> {
        Rows::new(dimensions, room).map(Self::Memory)
    }

    pub(crate) fn file(path: &Path, dimensions: usize, room: u32) -> Result<Self, IndexError> {
        Filed::open(path, dimensions, room).map(Self::File)
    }

    fn keeps(&self) -> &dyn Originals {
        match self {
            Self::Memory(rows) => rows,
            Self::File(rows) => rows,
            Self::Custom(originals) => &**originals,
        }
    }

    /// As [`Originals::put`].
    pub(crate) fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError> {
        self.keeps().put(wanted, vector)
    }

    /// As [`Originals::visit`].
    pub(crate) fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError> {
        self.keeps().visit(wanted, see)
    }

    /// As [`Originals::bytes_each`].
    pub(crate) fn bytes_each(&self) -> usize {
        self.keeps().bytes_each()
    }

    /// Rows in a file, which can be lost.
    pub(crate) fn filed(&self) -> Option<&Filed> {
        match self {
            Self::File(rows) => Some(rows),
            _ => None,
        }
    }
}
