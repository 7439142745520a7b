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
/// A walk among few keeps somewhat more than it should need, since they do not lie evenly.
const MARGIN: f64 = 1.5;

impl Index {
    pub(super) fn plan(&self, asked: Asked<'_>, fresh: usize) -> Plan {
        let Some(wanted) = asked.breadth else {
            return Plan::Scan;
        };
        let used = self.used();
        let dead = self.dead.load(Ordering::Relaxed).min(used);
        let alive = f64::from(used - dead) / f64::from(used.max(1));
        let allowed = match asked.within {
            Some(within) => alive * within.range_cardinality(..used) as f64,
            None => alive * f64::from(used),
        };
        let share = allowed / f64::from(used.max(1));
        let steps = wanted as f64 / share.max(1e-9);
        let walk = steps * CODES_PER_STEP + fresh as f64;
        let scanned = allowed / SCANNED_PER_WALKED;
        if scanned <= walk || self.graph.entry().is_none() {
            return Plan::Scan;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "far fewer than can be counted"
        )]
        #[expect(clippy::cast_sign_loss, reason = "positive")]
        if share >= NEARLY_ALL {
            Plan::Walk {
                breadth: steps.ceil() as usize,
            }
        } else {
            Plan::WalkAccepting {
                breadth: (steps * MARGIN).ceil() as usize,
                wanted,
                // By then a scan would have been through.
                patience: (allowed / SCANNED_PER_WALKED).max(walk) as u64,
            }
        }
    }
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
