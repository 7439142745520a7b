//! Communities of an undirected weighted graph by the Leiden algorithm (Traag, Waltman and van Eck,
//! "From Louvain to Leiden: guaranteeing well-connected communities", 2019).
//!
//! A pass works on the graph and then on ever smaller graphs made from it:
//!
//! | stage | file | what it does |
//! |---|---|---|
//! | move | `moving.rs` | single nodes go to the neighbouring community that gains most, until none wants to |
//! | refine | `refine.rs` | each community is built again from single nodes, merging only what is well connected |
//! | aggregate | `level.rs` | each refined set becomes one node; it starts in the community it came from |
//!
//! A pass ends when every community is a single node of the smaller graph, so a community is always
//! one refined set and therefore connected. Passes repeat, each starting from the result of the one
//! before, until one gains nothing.
//!
//! This module must never read storage ([`Undirected`] borrows plain slices, of a projection or of
//! anybody's), read a clock, or draw numbers from anywhere but its seed: the same graph and options give the
//! same answer, bit for bit. It allocates per level, never per node.
//!
//! Next: `graph.rs` for the shape of the input, `rule.rs` for what is being maximised.

mod error;
mod graph;
mod level;
mod moving;
mod random;
mod refine;
mod rule;

use crate::storage::cancel::Watch;
use level::{Aggregate, Base, EdgeWeights, Level, Ones};
use moving::Mover;
use random::Random;
use refine::Refiner;
use rule::Rule;

pub use error::LeidenError;
pub use graph::{Subgraph, Undirected};
pub use rule::Quality;

/// How [`leiden`] looks for communities.
#[derive(Debug, Clone, PartialEq)]
pub struct LeidenOptions {
    /// What makes one partition better than another.
    pub quality: Quality,
    /// How fine the communities are: more for smaller ones. 1 is the usual one for
    /// [`Quality::Modularity`]; for [`Quality::ConstantPotts`] it is the density that a community
    /// must have at least.
    pub resolution: f64,
    /// Where the random numbers start. The same seed gives the same result.
    pub seed: u64,
    /// How many passes at most; `None` goes on until a pass gains nothing.
    pub max_passes: Option<u32>,
    /// How far refinement may stray from the best merge, in multiples of the mean edge weight. 0 is
    /// greedy.
    pub theta: f64,
    /// The most nodes a community may have; `None` for no limit.
    pub max_community_nodes: Option<u32>,
}

impl Default for LeidenOptions {
    fn default() -> Self {
        Self {
            quality: Quality::Modularity,
            resolution: 1.0,
            seed: 0,
            max_passes: None,
            theta: 0.01,
            max_community_nodes: None,
        }
    }
}

/// One level of the hierarchy: a partition of all nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// The community of each node. Communities are numbered in the order of their first members.
    pub community: Vec<u32>,
    /// How many communities there are.
    pub count: u32,
    /// The quality of this partition.
    pub quality: f64,
}

/// What [`leiden`] has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    /// The hierarchy from the finest level to the coarsest. Every community is connected, and every
    /// community of a level is a union of communities of the level before. Never empty; the last
    /// is the result.
    levels: Vec<Partition>,
    /// The quality after each pass. It never falls; the last pass may have gained nothing.
    pub pass_qualities: Vec<f64>,
}

impl Communities {
    /// The hierarchy, from the finest level to the coarsest.
    #[must_use]
    pub fn levels(&self) -> &[Partition] {
        &self.levels
    }

    /// The coarsest level, which is the one of highest quality.
    #[must_use]
    pub fn best(&self) -> &Partition {
        // `leiden` makes at least one level, even for no nodes.
        &self.levels[self.levels.len() - 1]
    }
}

/// Finds the communities of `graph`.
///
/// ```
/// use stratigraph::algo::leiden::{LeidenOptions, Undirected, leiden};
/// use stratigraph::storage::cancel::Watch;
///
/// // Two triangles, 0-1-2 and 3-4-5, with one edge between 2 and 3.
/// let offsets = [0, 2, 4, 7, 10, 12, 14];
/// let targets = [1, 2, 0, 2, 0, 1, 3, 2, 4, 5, 3, 5, 3, 4];
/// let graph = Undirected::new(&offsets, &targets, None)?;
///
/// let mut watch = Watch::quiet();
/// let found = leiden(&graph, &LeidenOptions::default(), &mut watch)?;
///
/// assert_eq!(found.best().community, [0, 0, 0, 1, 1, 1]);
/// assert!((found.best().quality - 5.0 / 14.0).abs() < 1e-12);
/// # Ok::<(), stratigraph::algo::leiden::LeidenError>(())
/// ```
///
/// # Errors
///
/// [`LeidenError::Option`] for an option out of range, [`LeidenError::Stopped`] if `watch` cancels.
pub fn leiden(
    graph: &Undirected<'_>,
    options: &LeidenOptions,
    watch: &mut Watch<'_>,
) -> Result<Communities, LeidenError> {
    check_options(options)?;
    match graph.weights() {
        Some(weights) => find(&Base::new(graph, weights, options.quality), options, watch),
        None => find(&Base::new(graph, Ones, options.quality), options, watch),
    }
}

fn check_options(options: &LeidenOptions) -> Result<(), LeidenError> {
    for (name, value) in [("resolution", options.resolution), ("theta", options.theta)] {
        if !value.is_finite() || value < 0.0 {
            return Err(LeidenError::Option {
                name,
                value,
                reason: "it must be finite and not negative",
            });
        }
    }
    for (name, value) in [
        ("max_passes", options.max_passes),
        ("max_community_nodes", options.max_community_nodes),
    ] {
        if value == Some(0) {
            return Err(LeidenError::Option {
                name,
                value: 0.0,
                reason: "it must be at least 1; leave it out for no limit",
            });
        }
    }
    Ok(())
}

/// Runs passes until one gains nothing.
fn find<W: EdgeWeights>(
    base: &Base<'_, W>,
    options: &LeidenOptions,
    watch: &mut Watch<'_>,
) -> Result<Communities, LeidenError> {
    let level = base.level();
    let rule = Rule::new(&level, options);
    if !rule.has_finite_qualities(&level) {
        return Err(LeidenError::Option {
            name: "resolution",
            value: options.resolution,
            reason: "with these weights it is so large that a partition's quality is not finite",
        });
    }
    let mut search = Search {
        rule,
        mover: Mover::new(level.nodes()),
        refiner: Refiner::new(level.nodes()),
        random: Random::new(options.seed),
        watch,
    };
    let mut best = vec![search.singletons(&level)];
    let mut pass_qualities = Vec::new();
    for pass in 0..options.max_passes.unwrap_or(u32::MAX) {
        search
            .watch
            .step("find communities, pass by pass", pass.into(), 0)?;
        let before = &best[best.len() - 1];
        let levels = search.pass(&level, before.community.clone())?;
        let after = &levels[levels.len() - 1];
        pass_qualities.push(after.quality.max(before.quality));
        let gains = after.quality - before.quality > search.rule.least_gain();
        // The first pass always counts: where nothing can be gained, it still says so by levels.
        if gains || pass == 0 {
            best = levels;
        }
        if !gains {
            break;
        }
    }
    Ok(Communities {
        levels: best,
        pass_qualities,
    })
}

/// What the stages of a search share.
struct Search<'s, 'w> {
    rule: Rule,
    mover: Mover,
    refiner: Refiner,
    random: Random,
    watch: &'s mut Watch<'w>,
}

/// The next smaller graph, how the nodes of the one before fall into it, and where its nodes start.
struct Step {
    refined: Vec<u32>,
    aggregate: Aggregate,
    community: Vec<u32>,
}

impl Search<'_, '_> {
    /// One pass, from the partition `start`; returns its levels, of which there is at least one.
    fn pass<W: EdgeWeights>(
        &mut self,
        base: &Level<'_, W>,
        start: Vec<u32>,
    ) -> Result<Vec<Partition>, LeidenError> {
        let Some(mut step) = self.step(base, start)? else {
            return Ok(vec![self.singletons(base)]);
        };
        let mut levels: Vec<Partition> = Vec::new();
        loop {
            let community = match levels.last() {
                // Aggregate nodes are numbered in the order of their first members, so no renumbering is due.
                Some(finer) => level::compose(&finer.community, &step.refined),
                None => step.refined,
            };
            let level = step.aggregate.level();
            levels.push(Partition {
                community,
                count: level.node_count(),
                quality: self.rule.quality_of_singletons(&level),
            });
            let start = std::mem::take(&mut step.community);
            match self.step(&level, start)? {
                Some(next) => step = next,
                None => return Ok(levels),
            }
        }
    }

    /// Moves, refines and aggregates one level; `None` once every node is a community.
    fn step<W: EdgeWeights>(
        &mut self,
        level: &Level<'_, W>,
        mut community: Vec<u32>,
    ) -> Result<Option<Step>, LeidenError> {
        self.mover.run(
            level,
            &self.rule,
            &mut community,
            &mut self.random,
            self.watch,
        )?;
        let communities = level::renumber(&mut community);
        if communities == level.node_count() {
            return Ok(None);
        }
        let mut refined =
            self.refiner
                .run(level, &self.rule, &community, &mut self.random, self.watch)?;
        let mut sets = level::renumber(&mut refined);
        if sets == level.node_count() {
            // Chance (or rounding, where gains are next to nothing) has merged nothing. Whole
            // communities are merged then, as far as they are connected: that keeps the quality,
            // the promise of connected communities, and an end in sight.
            refined = level::connected_parts(level, &community);
            sets = level::renumber(&mut refined);
            if sets == level.node_count() {
                return Ok(None);
            }
        }
        let aggregate = Aggregate::new(level, &refined, sets);
        let mut start = vec![0; sets as usize];
        for (&set, &community) in refined.iter().zip(&community) {
            start[set as usize] = community;
        }
        Ok(Some(Step {
            refined,
            aggregate,
            community: start,
        }))
    }

    /// The partition that puts every node alone.
    fn singletons<W: EdgeWeights>(&self, level: &Level<'_, W>) -> Partition {
        Partition {
            community: (0..level.node_count()).collect(),
            count: level.node_count(),
            quality: self.rule.quality_of_singletons(level),
        }
    }
}

#[cfg(test)]
mod tests;
