//! What once went wrong, each as small as it can be.

mod shared;

use fastrand::Rng;
use roaring::RoaringBitmap;
use shared::{METRICS, Space};
use stratigraph_vector::{Coding, Effort, How, Metric, Query, Settings};

/// An exact search that may look at nothing gave the hits of the search before it.
#[test]
fn nothing_is_found_where_nothing_is_allowed() {
    let index = Settings::new(2, Metric::Dot).memory_limit(1 << 20).build().unwrap();
    index.insert(1, 1, &[1.0, 0.0]).unwrap();
    let query = Query::new(&[1.0, 1.0], 5).effort(Effort::Exact);
    assert_eq!(index.search(&query).unwrap().hits.len(), 1);
    let nobody = RoaringBitmap::from([7, u32::MAX]);
    assert_eq!(index.search(&query.within(&nobody)).unwrap().hits, []);
    assert_eq!(index.search(&query.at(0)).unwrap().hits, []);
}

/// A slot that there is not, in a set of those that are allowed, took memory for all slots before it, and