//! Relationships of many nodes beside those of each of them.

use super::*;
use crate::NO_PROPERTIES;
use crate::graph::{Direction, Neighbour};
use crate::value::NodeId;

/// However many are read at once, they are those of node after node, and no node is left half read.
#[test]
fn relationships_of_many_nodes_are_those_of_each() {
    let mut random = fastrand::Rng::with_seed(5);
    let database = Database::in_memory().unwrap();
    let mut writing = database.write().unwrap();
    let nodes: Vec<NodeId> = (0..40)
        .map(|_| writing.create_node(["N"], NO_PROPERTIES).unwrap())
        .collect();
    for _ in 0..300 {
        let (from, to) = (nodes[random.usize(0..30)], nodes[random.usize(0..40)]);
        let of = ["X", "Y", "Z"][random.usize(0..3)];
        let made = writing.create_relationship(from, of, to, NO_PROPERTIES);
        made.unwrap();
    }
    writing.commit().unwrap();
    let context = reading(&database, Setting::default());
    let some: Vec<NodeId> = nodes.iter().copied().filter(|_| random.bool()).collect();
    for types in [
        None,
        Some(vec!["X".into()]),
        Some(vec!["X".into(), "Z".into()]),
    ] {
        for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
            for enough in [1, 7, 50, 1000] {
                let (mut found, mut rest, mut parts) = (Vec::new(), some.as_slice(), 0);
                while !rest.is_empty() {
                    let mut part: Vec<(usize, Neighbour)> = Vec::new();
                    let asked = (direction, enough);
                    let read = context.graph.neighbours_of(rest, asked, &types, &mut part);
                    let read = read.unwrap();
                    assert!(part.iter().all(|(place, _)| *place < read));
                    found.extend(part.into_iter().map(|(place, one)| (rest[place], one)));
                    rest = &rest[read..];
                    parts += 1;
                }
                let mut expected = Vec::new();
                for node in &some {
                    let mut own = Vec::new();
                    let read = context.graph.neighbours(*node, direction, &types, &mut own);
                    read.unwrap();
                    expected.extend(own.into_iter().map(|one| (*node, one)));
                }
                assert_eq!(found, expected, "{direction:?} {types:?} {enough}");
                assert!(parts == 1 || enough < 1000);
            }
        }
    }
}
