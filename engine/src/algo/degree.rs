//! How many relationships each node has, or how much they weigh together.

use super::pace::Pace;
use super::projection::Ways;
use super::{AlgoError, Direction, Projection};
use crate::storage::cancel::Watch;

/// Counts the relationships of every node, by place.
///
/// [`Direction::Both`] adds up both directions, so a relationship from a node to itself counts
/// twice there. In an undirected projection every entry counts once, whatever the direction.
///
/// ```
/// use stratigraph::algo::{self, Direction};
/// # use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// # use stratigraph::storage::cancel::Watch;
/// # use stratigraph::value::{NodeId, RelationshipId};
/// # let nodes = [10, 20].map(NodeId::new);
/// # let builder = ProjectionBuilder::new(nodes, ProjectionOptions::default())?;
/// # let mut part = builder.part();
/// # part.push(nodes[0], nodes[1], RelationshipId::new(1), None)?;
/// # part.push(nodes[0], nodes[1], RelationshipId::new(2), None)?;
/// # drop(part);
/// # let mut watch = Watch::quiet();
/// # let graph = builder.build(1, &mut watch)?;
/// // two relationships 10 -> 20
/// assert_eq!(algo::degrees(&graph, Direction::Outgoing, &mut watch)?, [2, 0]);
/// assert_eq!(algo::degrees(&graph, Direction::Both, &mut watch)?, [2, 2]);
/// # Ok::<(), algo::AlgoError>(())
/// ```
///
/// # Errors
/// [`AlgoError::TooLarge`] if the direction has to be built, and cancellation.
pub fn degrees(
    projection: &Projection,
    direction: Direction,
    watch: &mut Watch<'_>,
) -> Result<Vec<u64>, AlgoError> {
    let ways = Ways::of(projection, direction)?;
    let mut pace = Pace::start(watch, "count degrees", projection.len() as u64)?;
    (0..projection.len() as u32)
        .map(|place| {
            pace.advance(1)?;
            Ok(ways.degree(place) as u64)
        })
        .collect()
}

/// Adds up the weights of the relationships of every node, by place; otherwise as [`degrees`].
///
/// # Errors
/// [`AlgoError::NoWeights`], [`AlgoError::TooLarge`] if the direction has to be built, and
/// cancellation.
pub fn weighted_degrees(
    projection: &Projection,
    direction: Direction,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, AlgoError> {
    if !projection.is_weighted() {
        return Err(AlgoError::NoWeights);
    }
    let ways = Ways::of(projection, direction)?;
    let mut pace = Pace::start(watch, "add up weights", projection.len() as u64)?;
    (0..projection.len() as u32)
        .map(|place| {
            pace.advance(1 + ways.degree(place))?;
            Ok(ways.entries(place).map(|entry| entry.weight).sum())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::ProjectionOptions;
    use crate::algo::random_graph::RandomGraph;

    #[test]
    fn degrees_are_those_of_the_plain_list() {
        for seed in 0..300 {
            let graph = RandomGraph::new(seed, 40);
            for undirected in [false, true] {
                let projection = graph.project(undirected);
                for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
                    let mut counts = vec![0; graph.ids.len()];
                    let mut weights = vec![0.0; graph.ids.len()];
                    let mut add = |place: u32, weight: f64| {
                        counts[place as usize] += 1;
                        weights[place as usize] += weight;
                    };
                    for (source, target, _, weight) in graph.steps(undirected) {
                        if undirected || direction != Direction::Incoming {
                            add(source, weight);
                        }
                        if !undirected && direction != Direction::Outgoing {
                            add(target, weight);
                        }
                    }
                    let found = degrees(&projection, direction, &mut Watch::quiet()).unwrap();
                    assert_eq!(found, counts, "seed {seed}");
                    let found = weighted_degrees(&projection, direction, &mut Watch::quiet());
                    assert_eq!(found.unwrap(), weights, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn weights_must_be_there() {
        let graph = RandomGraph::new(3, 20).project_with(ProjectionOptions::default(), 1, 1);
        let outcome = weighted_degrees(&graph, Direction::Both, &mut Watch::quiet());
        assert!(matches!(outcome, Err(AlgoError::NoWeights)));
    }
}
