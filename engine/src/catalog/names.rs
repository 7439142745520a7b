//! Names and their numbers: labels, relationship types and property keys.
//!
//! Records and keys hold the number, so that a name costs its bytes once and is compared as an
//! integer. A name that was used stays known for ever: a number must never come to mean another name.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The longest name.
pub const MAX_NAME_BYTES: usize = 1024;
/// How many names of one kind there may be: all of them are in memory.
pub const MAX_NAMES: usize = 1 << 16;

/// A number that stands for a name of one kind.
pub trait NameId: Copy + Eq + std::hash::Hash {
    /// What such names are called in messages.
    const WHAT: &'static str;
    /// The id with this number.
    fn from_number(number: u32) -> Self;
    /// Its number.
    fn number(self) -> u32;
}

macro_rules! name_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(u32);

        impl NameId for $name {
            const WHAT: &'static str = $what;

            fn from_number(number: u32) -> Self {
                Self(number)
            }

            fn number(self) -> u32 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

name_id!(
    /// A label.
    LabelId,
    "label"
);
name_id!(
    /// A relationship type.
    TypeId,
    "relationship type"
);
name_id!(
    /// A property key.
    PropertyId,
    "property key"
);

/// The names of one kind, numbered in the order of their first use.
#[derive(Clone, Debug)]
pub struct Names<I> {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    kind: PhantomData<I>,
}

impl<I> Default for Names<I> {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            numbers: HashMap::new(),
            kind: PhantomData,
        }
    }
}

impl<I: NameId> Names<I> {
    /// The number of a name that was used before.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<I> {
        self.numbers.get(name).map(|number| I::from_number(*number))
    }

    /// The name of a number; `None` for a number that nobody was given.
    #[must_use]
    pub fn name(&self, id: I) -> Option<&Arc<str>> {
        self.names.get(id.number() as usize)
    }

    /// The name of a number for people, also of one that nobody was given.
    #[must_use]
    pub fn show(&self, id: I) -> String {
        self.name(id)
            .map_or_else(|| format!("#{}", id.number()), ToString::to_string)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Every name with its number, in the order of their first use.
    pub fn iter(&self) -> impl Iterator<Item = (I, &Arc<str>)> {
        (0..).map(I::from_number).zip(&self.names)
    }

    /// Whether `name` could be a name, and there is room for it.
    ///
    /// # Errors
    /// [`Error::BadName`], [`Error::TooMany`].
    pub fn check(&self, name: &str) -> Result<()> {
        check_name(I::WHAT, name)?;
        if self.names.len() >= MAX_NAMES {
            return Err(Error::TooMany {
                what: I::WHAT,
                count: self.names.len() as u64 + 1,
                limit: MAX_NAMES as u64,
            });
        }
        Ok(())
    }

    /// Adds a name that is not known yet.
    pub(super) fn push(&mut self, name: &str) -> I {
        let name: Arc<str> = name.into();
        // Lossless: `check` keeps the number below `MAX_NAMES`.
        let number = self.names.len() as u32;
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        I::from_number(number)
    }
}

/// Whether `name` can name anything.
///
/// # Errors
/// [`Error::BadName`].
pub fn check_name(what: &'static str, name: &str) -> Result<()> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.contains('\0') {
        return Err(Error::BadName {
            what,
            name: name.chars().take(40).collect(),
            limit_bytes: MAX_NAME_BYTES as u64,
        });
    }
    Ok(())
}
