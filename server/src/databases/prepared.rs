//! Prepared statements: texts under ids. The engine keeps their plans, under their texts.

use crate::failure::Failure;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// How many are kept. The engine keeps the plans of fewer; one that has made room is prepared again.
pub(super) const MOST_PREPARED: usize = 1024;
/// How long their texts may be together.
pub(super) const MOST_PREPARED_BYTES: usize = 16 << 20;

/// The prepared statements of a database. The one that was not used for longest makes room for a new one.
pub(crate) struct PreparedStatements {
    most: usize,
    most_bytes: usize,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    by_id: HashMap<String, Statement>,
    /// Of all texts.
    bytes: usize,
    /// Counts uses, to know the oldest.
    uses: u64,
}

struct Statement {
    owner: Arc<str>,
    text: Arc<str>,
    used: u64,
}

impl PreparedStatements {
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            most,
            most_bytes,
            known: Mutex::default(),
        }
    }

    /// Keeps a text for an owner.
    pub(crate) fn keep(&self, owner: &Arc<str>, text: &str) -> Result<String, Failure> {
        if text.len() > self.most_bytes {
            return Err(Failure::Limit {
                what: "the size of prepared statements",
                limit: format!("{} bytes", self.most_bytes),
                hint: "send data as parameters",
            });
        }
        let id = crate::ids::random_id()?;
        let mut known = self.known.lock();
        while known.by_id.len() >= self.most || known.bytes + text.len() > self.most_bytes {
            let oldest = known.by_id.iter().min_by_key(|(_, one)| one.used);
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else {
                break;
            };
            known.remove(&oldest);
        }
        known.uses += 1;
        let statement = Statement {
            owner: Arc::clone(owner),
            text: text.into(),
            used: known.uses,
        };
        known.bytes += text.len();
        known.by_id.insert(id.clone(), statement);
        Ok(id)
    }

    /// The text of an owner's statement.
    pub(crate) fn text(&self, owner: &Arc<str>, id: &str) -> Result<Arc<str>, Failure> {
        let mut known = self.known.lock();
        known.uses += 1;
        let uses = known.uses;
        let statement = known.by_id.get_mut(id).filter(|one| one.owner == *owner);
        let statement = statement.ok_or_else(|| Failure::Unknown {
            what: "prepared statement",
            name: id.chars().take(64).collect(),
            hint: "the server may have forgotten it; prepare it again",
        })?;
        statement.used = uses;
        Ok(Arc::clone(&statement.text))
    }

    /// Forgets an owner's statement; whether there was one.
    pub(crate) fn forget(&self, owner: &Arc<str>, id: &str) -> bool {
        let mut known = self.known.lock();
        let is_his = known.by_id.get(id).is_some_and(|one| one.owner == *owner);
        is_his && known.remove(id)
    }
}

impl Known {
    fn remove(&mut self, id: &str) -> bool {
        let removed = self.by_id.remove(id);
        self.bytes -= removed.as_ref().map_or(0, |one| one.text.len());
        removed.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_was_not_used_for_longest_makes_room() {
        let statements = PreparedStatements::new(2, 1000);
        let (ann, bob): (Arc<str>, Arc<str>) = ("ann".into(), "bob".into());
        let one = statements.keep(&ann, "RETURN 1").unwrap();
        let two = statements.keep(&ann, "RETURN 2").unwrap();
        assert_eq!(&*statements.text(&ann, &one).unwrap(), "RETURN 1");
        let three = statements.keep(&bob, "RETURN 3").unwrap();
        assert!(statements.text(&ann, &two).is_err(), "it was the oldest");
        assert!(statements.text(&ann, &three).is_err(), "it is another's");
        assert!(!statements.forget(&ann, &three) && statements.forget(&bob, &three));
        assert_eq!(&*statements.text(&ann, &one).unwrap(), "RETURN 1");
    }

    #[test]
    fn texts_have_a_size_together_and_each() {
        let statements = PreparedStatements::new(1000, 100);
        let ann: Arc<str> = "ann".into();
        let text = "x".repeat(40);
        let ids: Vec<_> = (0..3)
            .map(|_| statements.keep(&ann, &text).unwrap())
            .collect();
        assert!(statements.text(&ann, &ids[0]).is_err(), "it has made room");
        assert!(statements.text(&ann, &ids[1]).is_ok() && statements.text(&ann, &ids[2]).is_ok());
        assert!(statements.forget(&ann, &ids[1]));
        let other = statements.keep(&ann, &text).unwrap();
        assert!(statements.text(&ann, &ids[2]).is_ok() && statements.text(&ann, &other).is_ok());
        let refused = statements.keep(&ann, &"x".repeat(101)).unwrap_err();
        assert!(matches!(refused, Failure::Limit { .. }), "{refused}");
    }
}
