//! PageRank: where a walker is found who follows relationships at random and restarts now and then.
//!
//! Each round pulls along incoming relationships: a node adds up what its sources give, and a
//! source gives its score divided by its degree, which is computed once per round. Scores are kept
//! in 64 bits; what a source gives is kept in 32, because that array is read at random and should
//! fit a cache. One rounding per round and step keeps every score within a relative 4e-7 of the
//! exact one at a damping of 0.85 (2^-24 x 0.85 / 0.15).
//!
//! Sums over all nodes are taken block by block and added up in the order of blocks, so the result
//! does not depend on threads. Next: `rounds.rs` for a round, `layout.rs` for how it reads the graph,
//! `tiles.rs` for large graphs, `restart.rs` for where walkers begin.

mod layout;
mod restart;
mod rounds;
mod tiles;

pub(in crate::algo) use tiles::Tiling;

use super::{AlgoError, Projection};
use crate::storage::cancel::Watch;
use crate::value::NodeId;
use layout::Layout;
use restart::Restart;

/// How PageRank is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageRankOptions {
    /// The probability of following a relationship rather than restarting; from 0 to below 1.
    pub damping: f64,
    /// The most rounds.
    pub iterations: u32,
    /// Stop once the scores of a round differ from those before by less than this, added up over
    /// all nodes; 0 always takes all rounds.
    pub tolerance: f64,
    /// Follow relationships in proportion to their weights. A node whose weights are all 0 counts
    /// as one without relationships.
    pub weighted: bool,
    /// On how many threads; the result is the same on any number.
    pub threads: usize,
}

impl Default for PageRankOptions {
    /// Damping 0.85, up to 20 rounds, tolerance 1e-6, unweighted, one thread.
    fn default() -> Self {
        Self {
            damping: 0.85,
            iterations: 20,
            tolerance: 1e-6,
            weighted: false,
            threads: 1,
        }
    }
}

/// The score of every node; see [`pagerank`].
#[derive(Debug, Clone, PartialEq)]
pub struct PageRank {
    /// By place; they add up to 1.
    pub scores: Vec<f64>,
    /// How many rounds were taken.
    pub iterations: u32,
    /// By how much the last round changed the scores, added up over all nodes; `None` if the
    /// tolerance is 0, since nobody asks then, or if there was no round.
    pub change: Option<f64>,
}

/// Scores every node; restarts happen at all nodes alike, also from nodes that lead nowhere.
///
/// ```
/// use stratigraph::algo::{self, PageRankOptions};
/// # use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// # use stratigraph::storage::cancel::Watch;
/// # use stratigraph::value::{NodeId, RelationshipId};
/// # let nodes = [10, 20, 30].map(NodeId::new);
/// # let builder = ProjectionBuilder::new(nodes, ProjectionOptions::default())?;
/// # let mut part = builder.part();
/// # part.push(nodes[0], nodes[2], RelationshipId::new(1), None)?;
/// # part.push(nodes[1], nodes[2], RelationshipId::new(2), None)?;
/// # drop(part);
/// # let mut watch = Watch::quiet();
/// # let graph = builder.build(1, &mut watch)?;
/// // 10 -> 30 <- 20
/// let ranks = algo::pagerank(&graph, &PageRankOptions::default(), &mut watch)?;
/// let best = algo::top_k(&ranks.scores, 1)[0].0;
/// assert_eq!(graph.node(best), Some(NodeId::new(30)));
/// # Ok::<(), algo::AlgoError>(())
/// ```
///
/// Besides the projection it holds 24 bytes per node (8 more if weighted, and 8 more with a tolerance), and for graphs of more than
/// 131,072 nodes 4 per relationship. It builds the incoming direction if that is not there.
///
/// # Errors
/// [`AlgoError::BadOption`], [`AlgoError::NoWeights`], [`AlgoError::TooLarge`], and cancellation.
pub fn pagerank(
    projection: &Projection,
    options: &PageRankOptions,
    watch: &mut Watch<'_>,
) -> Result<PageRank, AlgoError> {
    check(options)?;
    let layout = Layout::of(projection, options);
    layout::run(projection, &Restart::Everywhere, options, layout, watch)
}

/// Scores every node by its nearness to some: all restarts happen at the nodes of `restart`, in
/// proportion to their weights. A node that is named twice counts with the sum.
///
/// # Errors
/// As [`pagerank`]; [`AlgoError::NotProjected`], and [`AlgoError::BadOption`] for weights that are
/// negative or not finite, or that add up to nothing.
pub fn personalised_pagerank(
    projection: &Projection,
    restart: &[(NodeId, f64)],
    options: &PageRankOptions,
    watch: &mut Watch<'_>,
) -> Result<PageRank, AlgoError> {
    check(options)?;
    let restart = Restart::at(projection, restart)?;
    let layout = Layout::of(projection, options);
    layout::run(projection, &restart, options, layout, watch)
}

fn check(options: &PageRankOptions) -> Result<(), AlgoError> {
    if !(0.0..1.0).contains(&options.damping) {
        return Err(AlgoError::BadOption {
            name: "damping",
            value: options.damping,
            reason: "it must be at least 0 and below 1",
        });
    }
    if options.tolerance.is_nan() || options.tolerance < 0.0 {
        return Err(AlgoError::BadOption {
            name: "tolerance",
            value: options.tolerance,
            reason: "it must be 0 or more",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
