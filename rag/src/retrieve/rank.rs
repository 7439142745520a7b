//! What a walk comes to that begins anew at what the question names: personalised `PageRank`, as `HippoRAG` uses it.

mod push;
mod seeds;

use serde::{Deserialize, Serialize};
use stratigraph::Read;

use super::{Along, Desk, Item, RetrieveError, Scale};
use crate::build::Label;
use push::{Bounds, Walk};
use seeds::Seeds;

/// What lies together with what was found, by the share of visits of somebody who follows relationships in both
/// directions, at random, and again and again begins anew: at what was found, the better the more often.
///
/// Scores of what was found are brought to 1 for the best of its kind and scale. A fact begins at both of its ends, at
/// each with the mean of the facts that name it. The walk is no round over the whole graph: shares are handed on from
/// node to node as long as they are worth it, so that it costs the same in a large graph as in a small one.
///
/// ```
/// use stratigraph_rag::retrieve::{Along, Rank};
///
/// let rank = Rank::chunks(20).along([Along::Mentions, Along::Facts]).damping(0.5);
/// assert_eq!(rank, serde_json::from_str(r#"{"of": "chunks", "k": 20}"#).unwrap());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Rank {
    of: Ranked,
    k: usize,
    /// How often somebody goes on; otherwise he begins anew.
    #[serde(default = "damping")]
    damping: f64,
    /// What he follows.
    #[serde(default = "along")]
    along: Vec<Along>,
    /// Whether what many chunks name is begun at less often: by one over their number.
    #[serde(default = "yes")]
    specific: bool,
    /// How much a chunk that was found counts beside an entity.
    #[serde(default = "passages")]
    passages: f64,
    /// A share less than this, times the number of relationships that it would go along, is not handed on.
    #[serde(default = "least")]
    least: f64,
    /// So many relationships are followed; whoever would go beyond stays.
    #[serde(default = "most")]
    most: u64,
    /// Everything is followed to the end, whatever it costs.
    #[serde(default)]
    exact: bool,
}

/// What a walk gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ranked {
    /// Pieces of documents.
    Chunks,
    /// What documents name.
    Entities,
}

/// What a walk did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Walked {
    /// Nodes that it came to.
    pub nodes: u64,
    /// How often a node's share was handed on.
    pub pushes: u64,
    /// Relationships that it followed.
    pub edges: u64,
    /// The share of visits that was not handed on.
    pub left: f64,
    /// Whether more was worth following than it was allowed to.
    pub is_cut: bool,
}

fn damping() -> f64 {
    0.5
}

fn along() -> Vec<Along> {
    vec![Along::Mentions, Along::Facts]
}

fn yes() -> bool {
    true
}

fn passages() -> f64 {
    0.05
}

fn least() -> f64 {
    1e-4
}

fn most() -> u64 {
    50_000
}

impl Rank {
    fn new(of: Ranked, k: usize) -> Self {
        Self {
            of,
            k,
            damping: damping(),
            along: along(),
            specific: yes(),
            passages: passages(),
            least: least(),
            most: most(),
            exact: false,
        }
    }

    /// The `k` chunks that are visited most.
    pub fn chunks(k: usize) -> Self {
        Self::new(Ranked::Chunks, k)
    }

    /// The `k` entities that are visited most.
    pub fn entities(k: usize) -> Self {
        Self::new(Ranked::Entities, k)
    }

    /// How often somebody goes on, from 0 to below 1; 0.5 if nothing is said.
    pub fn damping(mut self, share: f64) -> Self {
        self.damping = share;
        self
    }

    /// What he follows: what chunks mention and facts, if nothing is said.
    pub fn along(mut self, along: impl Into<Vec<Along>>) -> Self {
        self.along = along.into();
        self
    }

    /// Begins at what many chunks name as often as at what one does.
    pub fn unspecific(mut self) -> Self {
        self.specific = false;
        self
    }

    /// How much chunks that were found count beside entities: 0.05 if nothing is said, as in `HippoRAG 2`.
    pub fn passages(mut self, weight: f64) -> Self {
        self.passages = weight;
        self
    }

    /// Hands smaller or only larger shares on; 0.0001 for each relationship if nothing is said.
    pub fn least(mut self, share: f64) -> Self {
        self.least = share;
        self
    }

    /// Follows so many relationships; 50,000 if nothing is said.
    pub fn most(mut self, edges: u64) -> Self {
        self.most = edges;
        self
    }

    /// Follows everything, whatever it costs.
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Walks.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        from: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        Ok(self.run_traced(desk, from)?.0)
    }

    /// Walks, and says what it took.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run_traced<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        from: &[Item],
    ) -> Result<(Vec<Item>, Walked), RetrieveError> {
        self.check()?;
        let read = desk.read();
        let chunks = read.nodes_with_label(Label::Chunk.name())?;
        let closed = desk.allowed()?.map(|allowed| &chunks - allowed);
        let closed = closed.unwrap_or_default();
        let mut seeds = Seeds::new(read, &chunks, &closed);
        seeds.add(from, self.passages)?;
        let seeds = seeds.shares(self.specific)?;
        let mut walk = Walk::new(read, &self.along, &closed);
        let (least, most) = match self.exact || desk.question().is_exact() {
            true => (0.0, u64::MAX),
            false => (self.least, self.most),
        };
        let bounds = Bounds {
            damping: self.damping,
            least,
            most,
        };
        walk.run(&seeds, bounds)?;
        let wanted = match self.of {
            Ranked::Chunks => chunks,
            Ranked::Entities => read.nodes_with_label(Label::Entity.name())?,
        };
        let mut visits = walk.visits(bounds.damping);
        visits.retain(|(id, share)| *share > 0.0 && wanted.contains(id.get()));
        visits.sort_by(|(one, more), (other, less)| less.total_cmp(more).then(one.cmp(other)));
        visits.truncate(self.k);
        let items = visits.into_iter().map(|(id, share)| {
            let item = walk.way_to(id, &seeds);
            let score = Scale::Visits.score(share);
            Item { score, ..item }
        });
        Ok((items.collect(), walk.walked()))
    }

    fn check(&self) -> Result<(), RetrieveError> {
        let refused = |reason: &str| RetrieveError::Setting {
            operator: "rank",
            reason: reason.to_owned(),
        };
        if !(0.0..1.0).contains(&self.damping) {
            return Err(refused("`damping` is from 0 to below 1"));
        }
        if self.least.is_nan() || self.least <= 0.0 {
            return Err(refused("`least` is above 0; `exact` follows every share"));
        }
        if !(self.passages.is_finite() && self.passages >= 0.0) {
            return Err(refused("`passages` is 0 or more"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
