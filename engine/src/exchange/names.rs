//! Names of a dump that is read: each is kept once, and shared by all lines that have it.

use super::error::DumpError;
use crate::catalog::{MAX_NAMES, check_name};
use crate::error::{Error, Result};
use std::collections::HashSet;
use std::sync::Arc;

/// The names of one kind.
pub(super) struct SharedNames {
    what: &'static str,
    names: HashSet<Arc<str>>,
}

impl SharedNames {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            what,
            names: HashSet::new(),
        }
    }

    /// The shared form of a name. There are never more than a database can have.
    pub(super) fn share(&mut self, name: &str, line: u64) -> Result<Arc<str>> {
        if let Some(known) = self.names.get(name) {
            return Ok(Arc::clone(known));
        }
        let refused = |source| DumpError::Refused {
            line,
            source: Box::new(source),
        };
        check_name(self.what, name).map_err(refused)?;
        if self.names.len() >= MAX_NAMES {
            let too_many = Error::TooMany {
                what: self.what,
                count: self.names.len() as u64 + 1,
                limit: MAX_NAMES as u64,
            };
            return Err(refused(too_many).into());
        }
        let name: Arc<str> = name.into();
        self.names.insert(Arc::clone(&name));
        Ok(name)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}
