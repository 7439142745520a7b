//! Where restarts happen: at all nodes alike, or at some.

use std::ops::Range;

use crate::algo::{AlgoError, Projection};
use crate::value::NodeId;

/// Where restarts happen.
pub(super) enum Restart {
    Everywhere,
    /// Places in ascending order with their shares, which add up to 1.
    At(Vec<(u32, f64)>),
}

impl Restart {
    pub(super) fn at(projection: &Projection, nodes: &[(NodeId, f64)]) -> Result<Self, AlgoError> {
        let bad = |value, reason| AlgoError::BadOption {
            name: "restart",
            value,
            reason,
        };
        if nodes.is_empty() {
            return Err(bad(0.0, "name at least one node to restart at"));
        }
        let mut shares = Vec::with_capacity(nodes.len());
        for &(node, weight) in nodes {
            if !weight.is_finite() || weight < 0.0 {
                return Err(bad(weight, "weights are finite and not negative"));
            }
            shares.push((projection.place_of(node)?, weight));
        }
        // By weight as well, so that the order in which a node is named twice does not show.
        shares.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        shares.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        let sum: f64 = shares.iter().map(|&(_, weight)| weight).sum();
        if !sum.is_finite() || sum <= 0.0 {
            return Err(bad(
                sum,
                "the weights must add up to a positive finite number",
            ));
        }
        for (_, weight) in &mut shares {
            *weight /= sum;
        }
        Ok(Self::At(shares))
    }

    /// The share of every node that is not listed.
    pub(super) fn common_share(&self, nodes: usize) -> f64 {
        match self {
            Self::Everywhere => 1.0 / nodes as f64,
            Self::At(_) => 0.0,
        }
    }

    /// The listed nodes within `rows`.
    pub(super) fn listed(&self, rows: &Range<usize>) -> &[(u32, f64)] {
        let Self::At(shares) = self else {
            return &[];
        };
        let before = |end: usize| shares.partition_point(|&(place, _)| (place as usize) < end);
        &shares[before(rows.start)..before(rows.end)]
    }
}
