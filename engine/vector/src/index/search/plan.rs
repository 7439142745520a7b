//! Which way is the cheapest.
//!
//! A scan compares every code that is allowed, one after the other. A walk compares a handful per step and
//! has to wait for each, and it takes the more steps the fewer of those it meets are allowed.

use super::{Asked, How, Strategy};
use crate::index::Index;
use std::sync::atomic::Ordering;

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Plan {
    /// Compare all that are allowed.
    Scan,
    /// Walk, and leave out afterwards what is not allowed.
    Walk { breadth: usize },
    /// Walk until enough that is allowed was found, or too much was compared.
    WalkAccepting {
        breadth: usize,
        wanted: usize,
        patience: u64,
    },
}

/// How many codes a step of a walk compares.
const CODES_PER_STEP: f64 = 18.0;
/// How many codes are scanned in the time in which a walk compares one.
const SCANNED_PER_WALKED: f64 = 3.0;
/// If so many of all are allowed, a walk need not care until its end.
const NEARLY_ALL: f64 = 0.5;
/// So many of the nearest are looked at to see whether what lies around a query is allowed.
pub(super) const PROBED: usize = 16;
/// A look that takes so many times less than what it may save is worth it.
const LITTLE: f64 = 4.0;
/// A walk among few keeps somewhat more than it should need, since they do not lie evenly.
const MARGIN: f64 = 1.5;

impl Index {
    pub(super) fn plan(&self, asked: Asked<'_>, allowed: f64, fresh: usize) -> Plan {
        let Some(wanted) = asked.breadth else {
            return Plan::Scan;
        };
        let share = allowed / f64::from(self.used().max(1));
        let steps = wanted as f64 / share.max(1e-9);
        let walk = steps * CODES_PER_STEP + fresh as f64;
        if allowed / SCANNED_PER_WALKED <= walk || self.graph.entry().is_none() {
            return Plan::Scan;
        }
        if share >= NEARLY_ALL {
            Plan::Walk {
                breadth: whole(steps),
            }
        } else {
            self.walk_accepting(asked, allowed, share)
        }
    }

    /// A walk among those of whom such a share is allowed where it goes.
    pub(super) fn walk_accepting(&self, asked: Asked<'_>, allowed: f64, share: f64) -> Plan {
        let wanted = asked.breadth.unwrap_or(asked.k);
        let steps = wanted as f64 / share.max(1e-9);
        let scanned = allowed / SCANNED_PER_WALKED;
        Plan::WalkAccepting {
            breadth: whole(steps * MARGIN),
            wanted,
            // By then a scan would have been through.
            patience: whole(scanned.max(steps * CODES_PER_STEP)) as u64,
        }
    }

    /// Whether a scan takes so long that a look at whether it is needed costs little beside it.
    pub(super) fn is_worth_probing(&self, asked: Asked<'_>, allowed: f64, fresh: usize) -> bool {
        let look = PROBED as f64 * CODES_PER_STEP + fresh as f64;
        asked.within.is_some()
            && asked.breadth.is_some()
            && self.graph.entry().is_some()
            && allowed / SCANNED_PER_WALKED > LITTLE * look
    }

    /// About how many are allowed.
    pub(super) fn allowed(&self, asked: Asked<'_>) -> f64 {
        let used = self.used();
        let dead = self.dead.load(Ordering::Relaxed).min(used);
        let alive = f64::from(used - dead) / f64::from(used.max(1));
        match asked.within {
            Some(within) => alive * within.range_cardinality(..used) as f64,
            None => alive * f64::from(used),
        }
    }
}

fn whole(number: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "far fewer than can be counted"
    )]
    #[expect(clippy::cast_sign_loss, reason = "positive")]
    let whole = number.ceil() as usize;
    whole
}

impl Plan {
    pub(super) fn strategy(self) -> Strategy {
        match self {
            Self::Scan => Strategy::Scan,
            Self::Walk { .. } => Strategy::Walk,
            Self::WalkAccepting { .. } => Strategy::WalkAccepting,
        }
    }
}

impl Index {
    /// Which share of the nearest an answer most likely has.
    pub(super) fn estimate(&self, how: How, plan: Plan, asked: Asked<'_>) -> Option<f32> {
        if how == How::Exact {
            return Some(1.0);
        }
        let calibration = self.measured()?;
        Some(match (plan, asked.breadth) {
            (Plan::Scan, _) | (_, None) => calibration.scan,
            (_, Some(breadth)) => calibration.recall_at(breadth, asked.k),
        })
    }
}
