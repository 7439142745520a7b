//! Plans that were made before.
//!
//! A plan is found by its text and holds as long as nothing has changed that it was made with: indexes,
//! procedures, and roughly how large the graph is. The least recently used goes when there are too many.
//!
//! Next: `prepared.rs`.

use super::compile::{Compiled, compile};
use super::procedures::Registry;
use crate::catalog::Readiness;
use crate::codec::CommitSeq;
use crate::error::Result;
use crate::graph::Read;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// How many plans are kept.
const MOST_PLANS: usize = 500;
/// Longer texts are compiled each time: they are loads, which do not come again.
const LONGEST_TEXT: usize = 64 << 10;
/// How long the texts of all plans may be: a plan is some ten times as large as its text.
const MOST_TEXT: usize = 2 << 20;

/// What a plan was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    schema: u64,
    procedures: u64,
    /// How often the number of nodes can be halved.
    size: u32,
}

impl Fingerprint {
    /// What a plan would be made with now.
    pub(super) fn new<R: Read>(read: &R, registry: &Registry) -> Result<Self> {
        Ok(Self::with_size(size(read)?, read, registry))
    }

    fn with_size<R: Read>(size: u32, read: &R, registry: &Registry) -> Self {
        let mut hasher = DefaultHasher::new();
        for index in read.catalog().indexes() {
            (index.id, index.readiness == Readiness::Ready).hash(&mut hasher);
        }
        // A name that is searched is looked up when the query is compiled.
        for index in read.catalog().vector_indexes() {
            index.id.hash(&mut hasher);
        }
        for index in read.catalog().text_indexes() {
            index.id.hash(&mut hasher);
        }
        Self {
            schema: hasher.finish(),
            procedures: registry.generation(),
            size,
        }
    }
}

/// How often the number of nodes can be halved.
fn size<R: Read>(read: &R) -> Result<u32> {
    let nodes = read.node_count(None)?;
    Ok(nodes.checked_ilog2().map_or(0, |log| log + 1))
}

/// Plans by text.
#[derive(Default)]
pub(crate) struct PlanCache {
    plans: Mutex<Plans>,
    /// The size as of the commit that was read last: to look it up takes longer than all else here.
    size: Mutex<Option<(CommitSeq, u32)>>,
}

/// A plan and when it was last used.
struct Kept {
    compiled: Arc<Compiled>,
    used: u64,
}

type ByText = HashMap<Arc<str>, Kept>;

#[derive(Default)]
struct Plans {
    /// Made by the planner's rules, and made without them.
    optimised: ByText,
    plain: ByText,
    /// Rises with each use.
    tick: u64,
    /// How long all texts are.
    text_bytes: usize,
}

impl PlanCache {
    /// The plan of a text: one that was made before, if it still holds.
    pub(crate) fn compiled<R: Read>(
        &self,
        text: &str,
        registry: &Registry,
        read: &R,
        optimise: bool,
    ) -> Result<Arc<Compiled>> {
        let now = self.fingerprint(read, registry)?;
        if let Some(known) = self.find(text, optimise, now) {
            return Ok(known);
        }
        let compiled = Arc::new(compile(text, registry, read, optimise, now)?);
        self.keep(&compiled, optimise);
        Ok(compiled)
    }

    /// What was compiled before, or the same text compiled anew if that does not hold any more.
    pub(crate) fn renewed<R: Read>(
        &self,
        before: &Arc<Compiled>,
        registry: &Registry,
        read: &R,
        optimise: bool,
    ) -> Result<Arc<Compiled>> {
        if before.made_with == self.fingerprint(read, registry)? {
            return Ok(Arc::clone(before));
        }
        self.compiled(&before.text, registry, read, optimise)
    }

    fn fingerprint<R: Read>(&self, read: &R, registry: &Registry) -> Result<Fingerprint> {
        let commit = read.commit_seq();
        // Changes that have not been committed are nobody else's.
        if read.view().pending.is_some() {
            return Fingerprint::new(read, registry);
        }
        let known = self.size.lock().filter(|(of, _)| *of == commit);
        let size = match known {
            Some((_, size)) => size,
            None => {
                let size = size(read)?;
                *self.size.lock() = Some((commit, size));
                size
            }
        };
        Ok(Fingerprint::with_size(size, read, registry))
    }

    fn find(&self, text: &str, optimise: bool, now: Fingerprint) -> Option<Arc<Compiled>> {
        if text.len() > LONGEST_TEXT {
            return None;
        }
        let mut plans = self.plans.lock();
        plans.tick += 1;
        let tick = plans.tick;
        let kept = plans.by_text(optimise).get_mut(text)?;
        if kept.compiled.made_with != now {
            return None;
        }
        kept.used = tick;
        Some(Arc::clone(&kept.compiled))
    }

    fn keep(&self, compiled: &Arc<Compiled>, optimise: bool) {
        let text = &compiled.text;
        if text.len() > LONGEST_TEXT {
            return;
        }
        let mut plans = self.plans.lock();
        plans.forget(text, optimise);
        while plans.len() >= MOST_PLANS || plans.text_bytes + text.len() > MOST_TEXT {
            if !plans.forget_oldest() {
                break;
            }
        }
        let kept = Kept {
            compiled: Arc::clone(compiled),
            used: plans.tick,
        };
        plans.text_bytes += text.len();
        plans.by_text(optimise).insert(Arc::clone(text), kept);
    }
}

impl Plans {
    fn by_text(&mut self, optimise: bool) -> &mut ByText {
        match optimise {
            true => &mut self.optimised,
            false => &mut self.plain,
        }
    }

    fn len(&self) -> usize {
        self.optimised.len() + self.plain.len()
    }

    fn forget(&mut self, text: &str, optimise: bool) {
        if self.by_text(optimise).remove(text).is_some() {
            self.text_bytes -= text.len();
        }
    }

    /// Forgets the plan that was used the longest ago; whether there was one.
    fn forget_oldest(&mut self) -> bool {
        let plans = [(true, &self.optimised), (false, &self.plain)];
        let plans = plans
            .into_iter()
            .flat_map(|(optimise, plans)| plans.iter().map(move |plan| (optimise, plan)));
        let oldest = plans.min_by_key(|(_, (_, kept))| kept.used);
        let Some((optimise, text)) =
            oldest.map(|(optimise, (text, _))| (optimise, Arc::clone(text)))
        else {
            return false;
        };
        self.forget(&text, optimise);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Database;

    fn compiled(db: &Database, text: &str, optimise: bool) -> Arc<Compiled> {
        let read = db.read().unwrap();
        let registry = db.procedures();
        db.plans()
            .compiled(text, &registry, &read, optimise)
            .unwrap()
    }

    #[test]
    fn a_plan_is_made_once_until_what_it_was_made_with_changes() {
        let db = Database::in_memory().unwrap();
        let text = "MATCH (n:Person {name: $name}) RETURN n";
        let first = compiled(&db, text, true);
        assert!(Arc::ptr_eq(&first, &compiled(&db, text, true)));
        let plain = compiled(&db, text, false);
        assert!(!Arc::ptr_eq(&first, &plain), "it follows other rules");
        assert!(Arc::ptr_eq(&plain, &compiled(&db, text, false)));
        db.query("CREATE INDEX names FOR (n:Person) ON (n.name)", ())
            .unwrap();
        let second = compiled(&db, text, true);
        assert!(!Arc::ptr_eq(&first, &second), "there is an index now");
        let (read, registry) = (db.read().unwrap(), db.procedures());
        let renewed = |before| db.plans().renewed(before, &registry, &read, true);
        assert!(Arc::ptr_eq(&renewed(&first).unwrap(), &second));
        assert!(Arc::ptr_eq(&renewed(&second).unwrap(), &second));
    }

    #[test]
    fn a_graph_that_has_grown_is_planned_for_anew() {
        let db = Database::in_memory().unwrap();
        let text = "MATCH (n:Person) RETURN n";
        let grow = |to: usize| {
            let text = format!("UNWIND range(1, {to}) AS i CREATE (:Person)");
            db.query(&text, ()).unwrap();
        };
        grow(4);
        let (before, first) = (db.read().unwrap(), compiled(&db, text, true));
        grow(1);
        assert!(Arc::ptr_eq(&first, &compiled(&db, text, true)), "hardly");
        grow(20);
        let second = compiled(&db, text, true);
        assert!(!Arc::ptr_eq(&first, &second));
        let size = |read| db.plans().fingerprint(read, &db.procedures()).unwrap().size;
        let now = db.read().unwrap();
        assert_eq!((size(&before), size(&now), size(&before)), (3, 5, 3));
        let mut write = db.write().unwrap();
        write
            .query("UNWIND range(1, 40) AS i CREATE ()", ())
            .unwrap();
        let fingerprint = db.plans().fingerprint(&write, &db.procedures());
        assert_eq!(
            (fingerprint.unwrap().size, size(&now)),
            (7, 5),
            "65 for itself alone"
        );
    }

    #[test]
    fn transactions_of_the_host_use_the_plans_of_the_database() {
        let db = Database::in_memory().unwrap();
        let text = "MATCH (n) RETURN count(n) AS n";
        let kept = || db.plans().plans.lock().len();
        drop(db.read().unwrap().query(text, ()).unwrap());
        assert_eq!(kept(), 1);
        let first = compiled(&db, text, true);
        drop(db.write().unwrap().query(text, ()).unwrap());
        assert_eq!(kept(), 1);
        assert!(Arc::ptr_eq(&first, &compiled(&db, text, true)));
    }

    #[test]
    fn what_was_not_used_for_long_is_forgotten() {
        let db = Database::in_memory().unwrap();
        let text = |number: usize| format!("RETURN {number}");
        let first = compiled(&db, &text(0), true);
        let second = compiled(&db, &text(1), true);
        for number in 2..=MOST_PLANS {
            compiled(&db, &text(number), number % 2 == 0);
            assert!(Arc::ptr_eq(&first, &compiled(&db, &text(0), true)));
        }
        assert_eq!(db.plans().plans.lock().len(), MOST_PLANS);
        assert!(!Arc::ptr_eq(&second, &compiled(&db, &text(1), true)));
    }

    #[test]
    fn long_texts_push_others_out_and_longer_ones_are_not_kept() {
        let db = Database::in_memory().unwrap();
        let long = |number: usize, length: usize| {
            let text = format!("RETURN {number}");
            text.clone() + &" ".repeat(length - text.len())
        };
        for number in 0..2 * MOST_TEXT / LONGEST_TEXT {
            compiled(&db, &long(number, LONGEST_TEXT), true);
        }
        let kept = || {
            let plans = db.plans().plans.lock();
            (plans.len(), plans.text_bytes)
        };
        assert_eq!(kept(), (MOST_TEXT / LONGEST_TEXT, MOST_TEXT));
        compiled(&db, &long(0, LONGEST_TEXT + 1), true);
        assert_eq!(kept(), (MOST_TEXT / LONGEST_TEXT, MOST_TEXT));
    }
}
