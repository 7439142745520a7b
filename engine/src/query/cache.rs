//! Plans that were made before.
//!
//! A plan is found by its text and holds as long as nothing has changed that it was made with: indexes,
//! procedures, and roughly how large the graph is and each count that it was made by. Parameters are no part of it. The
//! least recently used goes when there are too many.
//!
//! Next: `prepared.rs`.

use super::compile::{Compiled, compile};
use super::plan::Rules;
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
        // A level of one may be where a pattern begins.
        for hierarchy in read.catalog().hierarchies() {
            hierarchy.id.hash(&mut hasher);
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
    /// By the rules that they were made by, of which there are few.
    by_rules: HashMap<Rules, ByText>,
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
        rules: Rules,
    ) -> Result<Arc<Compiled>> {
        let now = self.fingerprint(read, registry)?;
        if let Some(known) = self.find(text, rules, now)
            && known.guards.hold(read)?
        {
            return Ok(known);
        }
        let compiled = Arc::new(compile(text, registry, read, rules, now)?);
        self.keep(&compiled, rules);
        Ok(compiled)
    }

    /// What was compiled before, or the same text compiled anew if that does not hold any more.
    pub(crate) fn renewed<R: Read>(
        &self,
        before: &Arc<Compiled>,
        registry: &Registry,
        read: &R,
        rules: Rules,
    ) -> Result<Arc<Compiled>> {
        let same = before.made_with == self.fingerprint(read, registry)?;
        if same && before.guards.hold(read)? {
            return Ok(Arc::clone(before));
        }
        self.compiled(&before.text, registry, read, rules)
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

    fn find(&self, text: &str, rules: Rules, now: Fingerprint) -> Option<Arc<Compiled>> {
        if text.len() > LONGEST_TEXT {
            return None;
        }
        let mut plans = self.plans.lock();
        plans.tick += 1;
        let tick = plans.tick;
        let kept = plans.by_rules.get_mut(&rules)?.get_mut(text)?;
        if kept.compiled.made_with != now {
            return None;
        }
        kept.used = tick;
        Some(Arc::clone(&kept.compiled))
    }

    fn keep(&self, compiled: &Arc<Compiled>, rules: Rules) {
        let text = &compiled.text;
        if text.len() > LONGEST_TEXT {
            return;
        }
        let mut plans = self.plans.lock();
        plans.forget(text, rules);
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
        let by_text = plans.by_rules.entry(rules).or_default();
        by_text.insert(Arc::clone(text), kept);
    }
}

impl Plans {
    fn len(&self) -> usize {
        self.by_rules.values().map(HashMap::len).sum()
    }

    fn forget(&mut self, text: &str, rules: Rules) {
        let Some(by_text) = self.by_rules.get_mut(&rules) else {
            return;
        };
        if by_text.remove(text).is_some() {
            self.text_bytes -= text.len();
        }
        if by_text.is_empty() {
            self.by_rules.remove(&rules);
        }
    }

    /// Forgets the plan that was used the longest ago; whether there was one.
    fn forget_oldest(&mut self) -> bool {
        let plans = self.by_rules.iter();
        let plans = plans.flat_map(|(rules, plans)| plans.iter().map(move |plan| (*rules, plan)));
        let oldest = plans.min_by_key(|(_, (_, kept))| kept.used);
        let Some((rules, text)) = oldest.map(|(rules, (text, _))| (rules, Arc::clone(text))) else {
            return false;
        };
        self.forget(&text, rules);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Database;

    fn compiled(db: &Database, text: &str, optimise: bool) -> Arc<Compiled> {
        let rules = if optimise { Rules::ALL } else { Rules::NONE };
        planned_by(db, text, rules)
    }

    fn planned_by(db: &Database, text: &str, rules: Rules) -> Arc<Compiled> {
        let read = db.read().unwrap();
        let registry = db.procedures();
        db.plans().compiled(text, &registry, &read, rules).unwrap()
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
        let renewed = |before| db.plans().renewed(before, &registry, &read, Rules::ALL);
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
    fn a_plan_is_made_anew_when_a_count_that_it_was_made_by_is_another_one() {
        let db = Database::in_memory().unwrap();
        let run = |text: &str| drop(db.query(text, ()).unwrap());
        run("UNWIND range(1, 100) AS i CREATE (:A)-[:R]->(:B) CREATE (:D)");
        let text = "MATCH (a:A)-[:R]->(b:B) RETURN count(*) AS n";
        let (first, other) = (compiled(&db, text, true), "MATCH (c:C) RETURN c");
        let unknown = compiled(&db, other, true);
        // As many nodes as before, and a few less of one label.
        run("MATCH (a:A) WITH a LIMIT 10 REMOVE a:A");
        assert!(Arc::ptr_eq(&first, &compiled(&db, text, true)), "hardly");
        run("MATCH (a:A) WITH a LIMIT 85 REMOVE a:A");
        let second = compiled(&db, text, true);
        assert!(!Arc::ptr_eq(&first, &second), "A has become rare");
        assert!(Arc::ptr_eq(&second, &compiled(&db, text, true)));
        run("MATCH (d:D) SET d:C");
        let known = compiled(&db, other, true);
        assert!(!Arc::ptr_eq(&unknown, &known), "there is C now");
        // What a transaction changes for itself counts for it alone.
        let mut write = db.write().unwrap();
        drop(write.query("MATCH (b:B) REMOVE b:B", ()).unwrap());
        assert!(!second.guards.hold(&write).unwrap());
        assert!(second.guards.hold(&db.read().unwrap()).unwrap());
    }

    #[test]
    fn plans_by_other_rules_are_other_plans() {
        let db = Database::in_memory().unwrap();
        let (text, one) = ("MATCH (n) RETURN n", crate::query::plan::Rule::OrderByCost);
        let all = planned_by(&db, text, Rules::ALL);
        let without = planned_by(&db, text, Rules::ALL.without(one));
        assert!(!Arc::ptr_eq(&all, &without));
        assert!(Arc::ptr_eq(&all, &planned_by(&db, text, Rules::ALL)));
        assert_eq!(db.plans().plans.lock().len(), 2);
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
