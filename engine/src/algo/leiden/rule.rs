//! What is being maximised, in one form for both qualities.
//!
//! Give each node a mass (its strength for modularity, 1 for the constant Potts model). Then both
//! qualities are, up to a constant factor and addend,
//!
//! ```text
//! sum over communities of (weight inside - scale * mass * mass / 2)
//! ```
//!
//! so that bringing a set into a community gains `weight between - scale * mass * mass`, and an
//! aggregated node needs nothing but the sums of its members. Next: `moving.rs`.

use super::LeidenOptions;
use super::level::{EdgeWeights, Level};

/// What makes one partition better than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Quality {
    /// Newman's modularity: the share of the edge weight inside communities, less what chance would
    /// put there if strengths stayed the same. From -0.5 to 1 at resolution 1.
    #[default]
    Modularity,
    /// The constant Potts model: the edge weight inside communities less `resolution` for each pair
    /// of nodes inside one. It sees small communities in large graphs too.
    ConstantPotts,
}

/// The rule of one search.
pub(super) struct Rule {
    quality: Quality,
    /// What a product of masses costs.
    pub(super) scale: f64,
    /// The most original nodes in a community.
    pub(super) max_members: u32,
    /// Divides gains in refinement; 0 is greedy.
    pub(super) temperature: f64,
    /// Gains up to this are rounding.
    pub(super) tolerance: f64,
    resolution: f64,
    total_weight: f64,
}

/// Part of the mean edge weight (or, for qualities, of 1) that counts as nothing.
const ROUNDING: f64 = 1e-10;

impl Rule {
    pub(super) fn new<W: EdgeWeights>(level: &Level<'_, W>, options: &LeidenOptions) -> Self {
        let (total_weight, edges) = level.total_weight_and_edges();
        let mean_weight = if edges > 0.0 {
            total_weight / edges
        } else {
            0.0
        };
        let scale = match options.quality {
            Quality::Modularity if total_weight > 0.0 => options.resolution / (2.0 * total_weight),
            // Without weight there is no strength either: nothing costs and nothing gains.
            Quality::Modularity => 0.0,
            Quality::ConstantPotts => options.resolution,
        };
        Self {
            quality: options.quality,
            scale,
            max_members: options.max_community_nodes.unwrap_or(u32::MAX),
            temperature: options.theta * mean_weight,
            tolerance: ROUNDING * mean_weight,
            resolution: options.resolution,
            total_weight,
        }
    }

    /// The least difference in quality that is not rounding.
    pub(super) fn least_gain(&self) -> f64 {
        match self.quality {
            Quality::Modularity => ROUNDING,
            Quality::ConstantPotts => self.tolerance,
        }
    }

    /// Whether the quality of every partition, and every gain on the way to it, is finite.
    pub(super) fn has_finite_qualities<W: EdgeWeights>(&self, level: &Level<'_, W>) -> bool {
        // Nothing costs more than one community of everything; twice that has room for any sum.
        let mass: f64 = level.mass.iter().sum();
        (2.0 * self.scale * mass * mass).is_finite() && (self.resolution * mass).is_finite()
    }

    /// The quality of the partition whose communities are the nodes of `level`.
    pub(super) fn quality_of_singletons<W: EdgeWeights>(&self, level: &Level<'_, W>) -> f64 {
        let masses = level.loops.iter().zip(level.mass);
        let sum: f64 = masses
            .map(|(&inside, &mass)| inside - self.scale * mass * mass / 2.0)
            .sum();
        match self.quality {
            Quality::Modularity if self.total_weight > 0.0 => sum / self.total_weight,
            Quality::Modularity => 0.0,
            // A node makes no pair with itself; the masses of all nodes are how many there are.
            Quality::ConstantPotts => sum + self.resolution * level.mass.iter().sum::<f64>() / 2.0,
        }
    }
}
