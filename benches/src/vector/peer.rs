//! What the benchmark asks of everybody it measures, ours and the others.

use super::curve::Point;
use anyhow::Result;

/// An index that can be measured.
pub(super) trait Peer {
    /// Builds anew; the index stays for the searches.
    fn build(&mut self, threads: usize) -> Result<Built>;

    /// Searches all queries with each breadth, until the recall is reached, on one thread.
    fn search(&mut self, breadths: &[usize], until: f64) -> Result<Vec<Point>>;

    /// The same with the queries of a case and its allowed rows; nothing if it has no filters.
    fn filtered(
        &mut self,
        case: &str,
        breadths: &[usize],
        until: f64,
    ) -> Result<Option<Vec<Point>>>;
}

/// What building cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Built {
    pub(super) cpu_s: f64,
    pub(super) wall_s: f64,
    /// How much the process grew by, with all that its searches read.
    pub(super) rss_bytes: f64,
}
