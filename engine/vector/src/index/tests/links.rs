//! Links in the narrowest places: as few per slot as can be, many that are all the same, nobody alive.

use super::{Space, settings};
use crate::{Coding, Metric};
use fastrand::Rng;

#[test]
fn the_fewest_links_hold_everything_together() {
    let mut random = Rng::with_seed(1);
    for (dimensions, coding) in [
        (44, Coding::Bytes),
        (48, Coding::Bytes),
        (13, Coding::Whole),
        (88, Coding::Halves),
        (104, Coding::Halves),
    ] {
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            let space = Space::new(&mut random, dimensions);
            let index = settings(dimensions, metric, coding)
                .links(2)
                .breadth(8)
                .build()
                .unwrap();
            let links = index.graph.blocks.layout().links;
            let same = space.vector(&mut random);
            for id in 0..1500 {
                let vector = if id % 3 == 0 {
                    same.clone()
                } else {
                    space.vector(&mut random)
                };
                index.insert(id, id, &vector).unwrap();
                if id % 500 == 499 {
                    index.tend(id);
                    println!("{dimensions} {metric:?} {coding:?}: {links} links, {id}");
                    index.assert_sound();
                }
            }
            for id in (0..1500).filter(|id| id % 5 > 1) {
                index.remove(3000, id).unwrap();
            }
            index.tend(3000);
            index.assert_sound();
        }
    }
}

#[test]
fn new_ones_are_not_linked_to_what_was_taken_out() {
    let mut random = Rng::with_seed(2);
    let space = Space::new(&mut random, 8);
    let index = settings(8, Metric::Euclidean, Coding::Bytes)
        .build()
        .unwrap();
    let insert = |ids: std::ops::Range<u64>, random: &mut Rng| {
        for id in ids {
            index.insert(id, id, &space.vector(random)).unwrap();
        }
    };
    insert(0..2000, &mut random);
    index.tend(0);
    // Some are taken out, which the levels above still know; the rest only dies.
    for id in 0..2000 {
        index.remove(2000 + u64::from(id >= 400), id).unwrap();
    }
    index.tend(2000);
    assert!(index.graph.upper().slots().iter().any(|slot| *slot < 400));
    index.assert_sound();
    insert(3000..3100, &mut random);
    index.tend(2000);
    index.assert_sound();
    index.tend(3000);
    index.assert_sound();
    insert(4000..6000, &mut random);
    index.tend(3000);
    index.assert_sound();
}

#[test]
fn taking_out_touches_no_slot_that_a_writer_may_fill() {
    let mut random = Rng::with_seed(3);
    let space = Space::new(&mut random, 8);
    let index = settings(8, Metric::Cosine, Coding::Bytes).build().unwrap();
    for id in 0..2000 {
        index.insert(id, id, &space.vector(&mut random)).unwrap();
    }
    index.tend(0);
    let remove = |sequence: u64| {
        for id in 0..400 {
            index.remove(sequence, id * 5 + sequence - 2000).unwrap();
        }
        index.tend(sequence);
    };
    remove(2000);
    let free = index.writer.lock().free.clone();
    assert!(free.len() > 300);
    let links = || {
        free.iter()
            .map(|slot| index.marked_links(*slot))
            .collect::<Vec<_>>()
    };
    let before = links();
    remove(2001);
    assert_eq!(links(), before);
    index.assert_sound();
}
