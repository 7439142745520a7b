//! From headings up to what stands under them: the second half of `BAG-RAG`, which reads what is named under the kept
//! headings community by community.

mod layers;

use std::collections::BTreeMap;

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::algo::leiden::{LeidenOptions, Undirected, leiden};
use stratigraph::graph::Entity;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Direction, NodeId, Read, Vector, VectorSearch};

use super::{Along, Desk, Item, RetrieveError, Scale};
use layers::Aggregate;

/// What is named under the headings that were found, as far as it is about the question together with its neighbours.
///
/// The instances of all these headings, whatever their level, are a graph of the relations between them. Nothing leads
/// from heading to heading: things of one name under two headings are two things. Communities of that graph, within
/// communities of communities, are its layers. From the finest layer upward each instance takes in what its neighbours in the
/// layer have taken in below it, and the mean of all that is compared with the question. So a thing that alone looks far
/// comes along with its company, and one that alone looks near does not help a company that is far.
///
/// ```
/// use stratigraph_rag::retrieve::Communities;
///
/// let communities = Communities::at_least(0.4).seed(7);
/// assert_eq!(communities, serde_json::from_str(r#"{"at_least": 0.4, "seed": 7}"#).unwrap());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Communities {
    /// The least cosine of what is kept in a layer: the paper's tau of the question.
    at_least: f32,
    /// Where the search for communities begins.
    #[serde(default)]
    seed: u64,
    /// More for smaller communities.
    #[serde(default = "one")]
    resolution: f64,
    /// So many instances are looked at: of more, those that are nearest to the question.
    #[serde(default = "most")]
    most: usize,
}

/// What became of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CommunityLayer {
    /// How many communities it has.
    pub communities: u32,
    /// How many instances were kept in it.
    pub kept: u64,
    /// How many of them were not in any layer below.
    pub new: u64,
}

/// The index of instances.
const INSTANCES: &str = "instance_vectors";

fn one() -> f64 {
    1.0
}

fn most() -> usize {
    1_000
}

/// An instance, with the item of its heading.
struct Instance {
    item: Item,
    vector: Vector,
}

impl Communities {
    /// Keeps what has at least this cosine in a layer.
    pub fn at_least(cosine: f32) -> Self {
        Self {
            at_least: cosine,
            seed: 0,
            resolution: one(),
            most: most(),
        }
    }

    /// Begins the search for communities elsewhere.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// More for smaller communities; 1 if nothing is said.
    pub fn resolution(mut self, resolution: f64) -> Self {
        self.resolution = resolution;
        self
    }

    /// Looks at so many instances; 1,000 if nothing is said.
    pub fn most(mut self, instances: usize) -> Self {
        self.most = instances;
        self
    }

    /// Aggregates.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        sections: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        Ok(self.run_traced(desk, sections)?.0)
    }

    /// Aggregates, and says what each layer did, from the finest.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run_traced<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        sections: &[Item],
    ) -> Result<(Vec<Item>, Vec<CommunityLayer>), RetrieveError> {
        // A graph without instances has none under these headings either, but not because there is nothing to say.
        if desk
            .read()
            .catalog()
            .vector_index_named(INSTANCES)
            .is_none()
        {
            let (what, name) = ("vector index", INSTANCES.into());
            return Err(stratigraph::Error::UnknownName { what, name }.into());
        }
        let instances = self.instances(desk, sections)?;
        let related = related(desk.read(), &instances)?;
        let partitions = self.partitions(&related)?;
        let vectors = instances
            .values()
            .map(|instance| instance.vector.as_slice());
        let mut aggregate = Aggregate::new(vectors.collect(), related);
        let question = desk.vector()?;
        let mut best: Vec<Option<f32>> = vec![None; instances.len()];
        let mut layers = Vec::new();
        for (communities, community) in &partitions {
            aggregate.rise(community);
            let mut layer = CommunityLayer {
                communities: *communities,
                kept: 0,
                new: 0,
            };
            for (place, best) in best.iter_mut().enumerate() {
                let cosine = aggregate.cosine(place, question);
                if cosine >= self.at_least {
                    layer.kept += 1;
                    layer.new += u64::from(best.is_none());
                    *best = Some(best.map_or(cosine, |known| known.max(cosine)));
                }
            }
            layers.push(layer);
        }
        let kept = instances.into_values().zip(best);
        let kept = kept.filter_map(|(instance, best)| {
            let score = Scale::Cosine.score(best?);
            let item = instance.item;
            Some(Item { score, ..item })
        });
        let mut items: Vec<Item> = kept.collect();
        // Equal ones stay in the order of their ids.
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok((items, layers))
    }

    /// What hangs on these sections and has a vector, by id.
    fn instances<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        sections: &[Item],
    ) -> Result<BTreeMap<NodeId, Instance>, RetrieveError> {
        let (read, by) = (desk.read(), Along::Instances.name());
        let mut of_section: BTreeMap<NodeId, &Item> = BTreeMap::new();
        for section in sections {
            if let Entity::Node(node) = section.entity {
                of_section.entry(node).or_insert(section);
            }
        }
        let nodes: RoaringTreemap = of_section.keys().map(|id| id.get()).collect();
        let mut found: BTreeMap<NodeId, &Item> = BTreeMap::new();
        for (section, instance) in read.neighbour_pairs(&nodes, Direction::Outgoing, Some(by))? {
            if let Some(section) = of_section.get(&section) {
                found.entry(instance).or_insert(section);
            }
        }
        if found.len() > self.most {
            let ids: RoaringTreemap = found.keys().map(|id| id.get()).collect();
            let nearest = VectorSearch::new(desk.vector()?, self.most).among(&ids);
            let nearest = desk.search_vectors(INSTANCES, &nearest)?;
            let hits = nearest.hits.iter();
            let nearest: RoaringTreemap = hits.map(|hit| hit.entity.number()).collect();
            found.retain(|id, _| nearest.contains(id.get()));
        }
        let entities: Vec<Entity> = found.keys().map(|id| Entity::from(*id)).collect();
        let vectors = read.vectors_of(&entities, "embedding")?;
        let instances = found.into_iter().zip(vectors);
        let instances = instances.filter_map(|((id, section), vector)| {
            let (item, vector) = (section.step(by, id), vector?);
            Some((id, Instance { item, vector }))
        });
        Ok(instances.collect())
    }

    /// The layers from the finest: how many communities each has, and to which every instance belongs.
    fn partitions(
        &self,
        related: &[BTreeMap<u32, f32>],
    ) -> Result<Vec<(u32, Vec<u32>)>, RetrieveError> {
        let refused = |error: &dyn std::fmt::Display| RetrieveError::Setting {
            operator: "communities",
            reason: error.to_string(),
        };
        let mut offsets = vec![0];
        let (mut targets, mut weights) = (Vec::new(), Vec::new());
        for row in related {
            targets.extend(row.keys());
            weights.extend(row.values());
            offsets.push(targets.len() as u32);
        }
        let graph = Undirected::new(&offsets, &targets, Some(&weights));
        let graph = graph.map_err(|error| refused(&error))?;
        let options = LeidenOptions {
            seed: self.seed,
            resolution: self.resolution,
            ..LeidenOptions::default()
        };
        let mut watch = Watch::quiet();
        let found = leiden(&graph, &options, &mut watch).map_err(|error| refused(&error))?;
        let levels = found.levels().iter();
        Ok(levels
            .map(|level| (level.count, level.community.clone()))
            .collect())
    }
}

/// How often each instance is related to which others, by their places.
fn related<R: Read>(
    read: &R,
    instances: &BTreeMap<NodeId, Instance>,
) -> Result<Vec<BTreeMap<u32, f32>>, RetrieveError> {
    let places: BTreeMap<NodeId, u32> = instances.keys().copied().zip(0..).collect();
    let mut rows = vec![BTreeMap::new(); instances.len()];
    let ids: RoaringTreemap = places.keys().map(|id| id.get()).collect();
    let by = Along::Related.name();
    for (one, other) in read.neighbour_pairs(&ids, Direction::Outgoing, Some(by))? {
        let (Some(one), Some(other)) = (places.get(&one), places.get(&other)) else {
            continue;
        };
        if one == other {
            continue;
        }
        for (from, to) in [(one, other), (other, one)] {
            *rows[*from as usize].entry(*to).or_insert(0.0) += 1.0;
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
