//! RECOVER by codes: of a level of a million members few are kept, and codes in a vector index prove of most
//! others that they are not. Only the vectors of the rest are read.
//!
//! The bounds are proven (`stratigraph-vector`, `graph/bounds.rs`), so that the rows are those of reading all
//! vectors. Whoever the index does not know of is scored as if there were no index; so is everybody where it
//! cannot answer at the commit that is read, or the transaction has changes of its own.
//!
//! Next: `exec/graph/searches.rs`.

use super::scoring::{Likeness, Scoring};
use crate::algo::traverse::{Candidates, Measure, Wanted};
use crate::index::vector::Compared;
use crate::query::error::Fault;
use crate::query::provenance::SearchReport;
use crate::value::NodeId;
use stratigraph_vector::Metric;

/// The vectors of so few are read before codes have said anything.
const FEW: usize = 16;

impl Scoring<'_, '_, '_> {
    /// Scores who may be wanted; whether that was possible.
    pub(super) fn by_codes(
        &self,
        like: &Likeness<'_>,
        (candidates, level): (Candidates<'_>, u32),
        wanted: Wanted,
        scores: &mut [f64],
    ) -> Result<bool, Fault> {
        let metric = match like.measure {
            Measure::Cosine => Metric::Cosine,
            Measure::Dot => Metric::Dot,
            Measure::NegativeL2 => return Ok(false),
        };
        let nodes = candidates.nodes();
        if !self.scored.by_codes || nodes.len() <= FEW {
            return Ok(false);
        }
        let recover = self.of.recover.as_ref();
        let level_of = recover.and_then(|recover| recover.level_of.as_ref());
        let compared = Compared {
            property: like.property,
            metric,
            vector: &like.to,
            label: level_of.and_then(|of| of.label.as_deref()),
        };
        let mut shared = self.shared.borrow_mut();
        let context = &mut *shared.context;
        let before = context.memory.used();
        context.memory.charge(size_of_val(nodes))?;
        let ids: Vec<u64> = nodes.iter().map(|node| node.get()).collect();
        let Some((index, sifted)) = context.graph.sift_vectors(compared, &ids, wanted)? else {
            context.memory.reset(before);
            return Ok(false);
        };
        // Each was compared, by its code or whole: as many steps and distances as without codes.
        context.steps(nodes.len() - sifted.unknown.len())?;
        context.work.distances += sifted.scanned;
        let doubtful = sifted.scored.len() as u64;
        let told = (sifted.scanned, doubtful);
        let span = self.scored.expr.span;
        let report = SearchReport::of_codes((&index, metric), told, nodes.len() as u64);
        context.provenance.note_search(span, report);
        for (place, score) in &sifted.scored {
            if let Some(known) = scores.get_mut(*place) {
                *known = f64::from(*score);
            }
        }
        context.memory.reset(before);
        let unknown: Vec<NodeId> = { sifted.unknown.iter() }
            .filter_map(|place| nodes.get(*place).copied())
            .collect();
        let mut found = vec![f64::NAN; unknown.len()];
        drop(shared);
        self.by_vectors(like, (Candidates::of(&unknown), level), &mut found)?;
        for (place, score) in sifted.unknown.iter().zip(found) {
            if let Some(known) = scores.get_mut(*place) {
                *known = score;
            }
        }
        Ok(true)
    }
}
