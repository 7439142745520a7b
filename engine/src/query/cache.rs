//! Plans that were made before.
//!
//! A plan is found by its text and holds as long as nothing has changed that it was made with: indexes,
//! procedures, and roughly how large the graph is. The least recently used goes when there are too many.
//!
//! Next: `prepared.rs`.

use super::compile::Compiled;
use crate::catalog::{Catalog, Readiness};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// How many plans are kept.
const MOST_PLANS: usize = 500;
/// Longer texts are compiled each time: they are loads, which do not come again.
const LONGEST_TEXT: usize = 64 << 10;

/// What a plan was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    schema: u64,
    procedures: u64,
    /// How often the number of nodes can be halved.
    size: u32,
}

impl Fingerprint {
    pub(crate) fn new(catalog: &Catalog, procedures: u64, nodes: u64) -> Self {
        let mut hasher = DefaultHasher::new();
        for index in catalog.indexes() {
            (index.id, index.readiness == Readiness::Ready).hash(&mut hasher);
        }
        Self {
            schema: hasher.finish(),
            procedures,
            size: nodes.checked_ilog2().map_or(0, |log| log + 1),
        }
    }
}

/// Plans by text.
#[derive(Default)]
pub(crate) struct PlanCache {
    plans: Mutex<Plans>,
}

#[derive(Default)]
struct Plans {
    by_text: HashMap<(Arc<str>, bool), Kept>,
    /// Rises with each use.
    tick: u64,
}

struct Kept {
    compiled: Arc<Compiled>,
    made_with: Fingerprint,
    used: u64,
}

impl PlanCache {
    /// The plan of a text, if it still holds.
    pub(crate) fn find(
        &self,
        text: &str,
        optimise: bool,
        now: Fingerprint,
    ) -> Option<Arc<Compiled>> {
        if text.len() > LONGEST_TEXT {
            return None;
        }
        let mut plans = self.plans.lock();
        plans.tick += 1;
        let tick = plans.tick;
        let kept = plans.by_text.get_mut(&(Arc::from(text), optimise))?;
        if kept.made_with != now {
            return None;
        }
        kept.used = tick;
        Some(Arc::clone(&kept.compiled))
    }

    /// Keeps a plan.
    pub(crate) fn keep(&self, compiled: &Arc<Compiled>, optimise: bool, made_with: Fingerprint) {
        if compiled.text.len() > LONGEST_TEXT {
            return;
        }
        let mut plans = self.plans.lock();
        if plans.by_text.len() >= MOST_PLANS {
            let oldest = plans.by_text.iter().min_by_key(|(_, kept)| kept.used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                plans.by_text.remove(&oldest);
            }
        }
        let kept = Kept {
            compiled: Arc::clone(compiled),
            made_with,
            used: plans.tick,
        };
        let key = (Arc::clone(&compiled.text), optimise);
        plans.by_text.insert(key, kept);
    }
}
