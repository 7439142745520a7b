//! The life of an index: write, search, restrict, look back, save and load.
//!
//! `cargo run --example points -p stratigraph-vector`

use roaring::RoaringBitmap;
use std::error::Error;
use std::io::Cursor;
use stratigraph_vector::{Effort, Index, Metric, Query, Settings};

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::new(2, Metric::Euclidean).memory_limit(64 << 20);
    let index = settings.clone().build()?;

    // Five thousand points on a spiral, all in the commit with the sequence 1.
    for id in 0..5000_u32 {
        let turn = 0.02 * f64::from(id);
        let point = [turn * turn.cos(), turn * turn.sin()];
        index.insert(1, id.into(), &point.map(|number| number as f32))?;
    }
    // Links what was written. `tend_in_background` does it in a thread of its own.
    let done = index.tend(1);
    println!("{} points, {} linked", index.len(), done.linked);

    let origin = [0.5, 0.0];
    let query = Query::new(&origin, 3).effort(Effort::Recall(0.95));
    let answer = index.search(&query)?;
    println!("near {origin:?}: {:?}", ids(&answer));
    println!("found by a {:?}, {:?}", answer.strategy, answer.how);

    // Only among some. A filter is a set of slots, which are ids as long as nothing was replaced.
    let hundreds: RoaringBitmap = (100..5000).step_by(100).collect();
    let answer = index.search(&query.within(&hundreds))?;
    println!("of the hundreds: {:?}", ids(&answer));

    // At sequence 2 a point moves away, and another is removed. Who asks at 1 does not notice.
    index.insert(2, 20, &[400.0, 400.0])?;
    index.remove(2, 19)?;
    println!("then: {:?}", ids(&index.search(&query.at(1))?));
    println!("now:  {:?}", ids(&index.search(&query)?));

    // A snapshot carries a tag, by which the one who loads it knows that it is the right one.
    let mut bytes = Vec::new();
    index.save(b"spiral", &mut bytes)?;
    let again = Index::load(settings, b"spiral", &mut Cursor::new(&bytes))?;
    println!("{} bytes, loaded: {} points", bytes.len(), again.len());
    Ok(())
}

fn ids(answer: &stratigraph_vector::Answer) -> Vec<u64> {
    answer.hits.iter().map(|hit| hit.id).collect()
}
