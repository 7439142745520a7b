//! What a check has found, up to a number that somebody will read.

use super::is_finding;
use crate::error::{Error, Result};
use crate::storage::family::Family;

/// More findings than this tell nobody more.
const MAX_FINDINGS: usize = 1000;

/// Places and what is wrong there.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    found: Vec<(&'static str, String)>,
    more: u64,
}

impl Findings {
    /// Something is wrong in a family.
    pub(crate) fn find(&mut self, family: Family, what: impl std::fmt::Display) {
        self.push(family.name(), &what);
    }

    fn push(&mut self, place: &'static str, what: &dyn std::fmt::Display) {
        if self.found.len() < MAX_FINDINGS {
            self.found.push((place, what.to_string()));
        } else {
            self.more += 1;
        }
    }

    /// Takes an error that says what is wrong as a finding, and passes others on.
    pub(super) fn note<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if is_finding(&error) => {
                let place = match &error {
                    Error::Record { family, .. } => family,
                    _ => "graph",
                };
                self.push(place, &error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// All of them.
    pub(crate) fn into_parts(self) -> impl Iterator<Item = (&'static str, String)> {
        let more = (self.more > 0).then(|| ("graph", format!("{} more findings", self.more)));
        self.found.into_iter().chain(more)
    }
}
