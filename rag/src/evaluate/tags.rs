//! TagRAG's measures that need no model: whether domains say what lies under them, and how far two builds are alike.
//!
//! The root is level 0. An object counts at the level of each domain that covers it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use stratigraph::{Direction, NodeId, Read, Value};
use stratigraph_models::Embedder;

use super::Mean;
use crate::build::{COVERS, DOMAINS, Label, LinkKind, OBJECT_TAG, key_of};
use crate::cosine::cosine;
use crate::retrieve::RetrieveError;

/// So many texts are given to the embedder at a time.
const AT_ONCE: usize = 512;
/// So much is read of what is said of one thing: half of all documents may say something of it.
const MOST_SAID: usize = 64;

/// The measures of a graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TagMeasures {
    /// Level by level, from the root.
    pub levels: Vec<LevelOfTags>,
    /// Domains that have no summary with a vector: nothing can be held against them.
    pub without_summary: usize,
    /// Objects and domains under another of which nothing is said.
    pub without_description: usize,
}

/// The domains of a level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelOfTags {
    /// How far below the root.
    pub level: u32,
    /// How many domains there are.
    pub domains: usize,
    /// The cosines of what is said of each object and the summary of a domain that covers it.
    pub objects: Vec<f64>,
    /// The cosines of what is said of each domain and the summary of one that it lies right under.
    pub children: Vec<f64>,
}

impl LevelOfTags {
    /// The mean cosine of objects and the summaries of their domains; nothing if there are none.
    #[must_use]
    pub fn object_cosine(&self) -> Option<Mean> {
        Mean::of(&self.objects)
    }

    /// The mean cosine of summaries and what is said of the domains right under them; nothing if there are none.
    #[must_use]
    pub fn child_cosine(&self) -> Option<Mean> {
        Mean::of(&self.children)
    }
}

impl TagMeasures {
    /// Of the domains of a snapshot. The embedder has to be that of the summaries' vectors.
    ///
    /// # Errors
    /// What the database or the embedder says; [`stratigraph::Error::UnknownName`] where there are no domains.
    pub fn of<R: Read>(read: &R, embedder: &dyn Embedder) -> Result<Self, RetrieveError> {
        let hierarchy = read.hierarchy(DOMAINS)?;
        let mut measures = Self::default();
        let mut pairs = Pairs::default();
        for level in 0..hierarchy.depth()? {
            let members = hierarchy.members(level)?;
            measures.levels.push(LevelOfTags {
                level,
                domains: members.len() as usize,
                ..LevelOfTags::default()
            });
            for id in members {
                let domain = NodeId::new(id);
                let summary = read.property(domain, "summary_embedding")?;
                let Value::Vector(summary) = summary else {
                    measures.without_summary += 1;
                    continue;
                };
                let domain = (level as usize, summary.as_slice());
                for link in read.neighbours(NodeId::new(id), Direction::Outgoing, Some(COVERS))? {
                    let object = link?.node;
                    let said = said_of(read, object, LinkKind::Mentions)?;
                    pairs.add(&mut measures, domain, said, Kind::Object, embedder)?;
                }
                for child in hierarchy.children(NodeId::new(id))? {
                    let said = said_of(read, NodeId::new(child), LinkKind::Describes)?;
                    pairs.add(&mut measures, domain, said, Kind::Child, embedder)?;
                }
            }
        }
        pairs.settle(&mut measures, embedder)?;
        Ok(measures)
    }
}

/// What is compared with a summary.
#[derive(Clone, Copy)]
enum Kind {
    Object,
    Child,
}

/// Texts that wait for their vectors, each with the summary that it is compared with.
#[derive(Default)]
struct Pairs {
    waiting: Vec<(usize, Kind, Vec<f32>, String)>,
}

impl Pairs {
    fn add(
        &mut self,
        measures: &mut TagMeasures,
        (level, summary): (usize, &[f32]),
        said: String,
        kind: Kind,
        embedder: &dyn Embedder,
    ) -> Result<(), RetrieveError> {
        if said.is_empty() {
            measures.without_description += 1;
            return Ok(());
        }
        self.waiting.push((level, kind, summary.to_vec(), said));
        match self.waiting.len() >= AT_ONCE {
            true => self.settle(measures, embedder),
            false => Ok(()),
        }
    }

    fn settle(
        &mut self,
        measures: &mut TagMeasures,
        embedder: &dyn Embedder,
    ) -> Result<(), RetrieveError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = self.waiting.iter().map(|one| one.3.as_str()).collect();
        let rows = embedder.embed(&texts)?;
        for ((level, kind, summary, _), row) in self.waiting.iter().zip(rows.iter()) {
            // A text that has no direction is not near to anything.
            let cosine = f64::from(cosine(summary, row).unwrap_or_default());
            if let Some(of_level) = measures.levels.get_mut(*level) {
                match kind {
                    Kind::Object => of_level.objects.push(cosine),
                    Kind::Child => of_level.children.push(cosine),
                }
            }
        }
        self.waiting.clear();
        Ok(())
    }
}

/// What is said of something by links of a kind, each text once and in one order.
fn said_of<R: Read>(read: &R, node: NodeId, by: LinkKind) -> Result<String, RetrieveError> {
    let mut said = BTreeSet::new();
    let links = read.neighbours(node, Direction::Incoming, Some(by.name()))?;
    for link in links.take(MOST_SAID) {
        let description = read.property(link?.relationship, "description")?;
        let text = description.as_str().unwrap_or_default().trim();
        if !text.is_empty() {
            said.insert(text.to_owned());
        }
    }
    Ok(said.into_iter().collect::<Vec<_>>().join(" "))
}

/// What a build has made of a corpus: its objects, and the chains that end at them, by their keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagGraph {
    /// The objects.
    pub objects: BTreeSet<String>,
    /// The domains.
    pub domains: BTreeSet<String>,
    /// The chains as they were asserted: domains from the root, and the object.
    pub chains: BTreeSet<Vec<String>>,
}

impl TagGraph {
    /// That of a snapshot.
    ///
    /// # Errors
    /// What the database says.
    pub fn of<R: Read>(read: &R) -> Result<Self, RetrieveError> {
        let mut graph = Self::default();
        for id in read.nodes_with_label(Label::DomainTag.name())? {
            graph.domains.insert(key_of(read, NodeId::new(id))?);
        }
        for id in read.nodes_with_label(OBJECT_TAG)? {
            let object = NodeId::new(id);
            let key = key_of(read, object)?;
            let tags = Some(LinkKind::HasTag.name());
            for link in read.neighbours(object, Direction::Incoming, tags)? {
                let chain = read.property(link?.relationship, "chain")?;
                let domains = chain.as_list().unwrap_or_default().iter();
                let domains = domains.filter_map(|one| one.as_str().map(str::to_owned));
                graph.chains.insert(domains.chain([key.clone()]).collect());
            }
            graph.objects.insert(key);
        }
        Ok(graph)
    }

    /// How far two builds are alike: of objects, domains and chains the share of those that both have among those that any has;
    /// nothing where neither has any.
    #[must_use]
    pub fn jaccard(&self, other: &Self) -> BTreeMap<&'static str, Option<f64>> {
        BTreeMap::from([
            ("chains", jaccard(&self.chains, &other.chains)),
            ("domains", jaccard(&self.domains, &other.domains)),
            ("objects", jaccard(&self.objects, &other.objects)),
        ])
    }
}

fn jaccard<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> Option<f64> {
    let both = one.intersection(other).count();
    let any = one.len() + other.len() - both;
    (any > 0).then(|| both as f64 / any as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Contribution, Layers, Profile};
    use crate::chunk::{Chunker, Chunking, Words};
    use crate::extract::{Chain, Domain, Entity, Extracted};
    use crate::read::{Format, Source};
    use std::sync::Arc;
    use stratigraph::{Database, Vector};
    use stratigraph_models::Placed;

    /// The angle of a text is its first number, in degrees.
    fn angles() -> Placed {
        Placed::by("angles", |text| {
            let mut words = text.split(|sign: char| !sign.is_ascii_digit());
            let angle = words.find_map(|word| word.parse::<f32>().ok());
            Ok(Placed::direction(angle.unwrap_or_default()))
        })
    }

    fn built(objects: &[(&str, &str, &[&str])]) -> Database {
        let db = Database::in_memory().unwrap();
        let layers = Layers::open(&db, Profile::all(), Arc::new(angles())).unwrap();
        let text = "# Stones\n\nAll of them.\n";
        let document = Source::new("stones.md", text.as_bytes());
        let document = document.read(Format::Markdown).unwrap();
        let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
        let mut said = Extracted::default();
        for (object, description, chain) in objects {
            said.entities.push(Entity {
                name: (*object).to_owned(),
                description: (*description).to_owned(),
                ..Entity::default()
            });
            let domains = chain.iter().map(|name| Domain {
                name: (*name).to_owned(),
                description: format!("{name} 60"),
            });
            said.chains.push(Chain {
                domains: domains.collect(),
                object: (*object).to_owned(),
                description: String::new(),
            });
        }
        let mut extracted = vec![Extracted::default(); pieces.len()];
        extracted[0] = said;
        let new = Contribution::new(&document, &pieces, &extracted, layers.profile()).unwrap();
        layers.upsert(&new).unwrap();
        db
    }

    #[test]
    fn objects_and_domains_are_held_against_what_lies_above() {
        let objects: [(&str, &str, &[&str]); 3] = [
            ("Basalt", "It lies at 60.", &["all", "lava"]),
            ("Pumice", "It lies at 90.", &["all", "lava"]),
            ("Jade", "", &["all", "gems"]),
        ];
        let db = built(&objects);
        // Summaries at 0 and at 30 degrees; gems have none.
        for (key, angle) in [("all", 0.0_f32), ("lava", 30.0)] {
            let angle = angle.to_radians();
            let vector = Vector::new(&[angle.cos(), angle.sin()][..]).unwrap();
            let mut txn = db.write().unwrap();
            let node = crate::build::find(&txn, Label::DomainTag, key).unwrap();
            txn.set_property(node.unwrap(), "summary_embedding", Value::Vector(vector))
                .unwrap();
            txn.commit().unwrap();
        }
        let measures = TagMeasures::of(&db.read().unwrap(), &angles()).unwrap();
        let near = |one: Option<Mean>, other: f64| {
            let mean = one.unwrap().mean;
            assert!((mean - other).abs() < 1e-6, "{mean} {other}");
        };
        assert_eq!(
            (measures.without_summary, measures.without_description),
            (1, 0)
        );
        let [root, below] = measures.levels.as_slice() else {
            panic!("{measures:?}");
        };
        assert_eq!((root.domains, below.domains, root.objects.len()), (1, 2, 0));
        // Both domains lie at 60 and the root at 0.
        near(root.child_cosine(), 0.5);
        // 30 degrees from basalt, 60 from pumice.
        near(
            below.object_cosine(),
            (30.0_f64.to_radians().cos() + 0.5) / 2.0,
        );
        assert!(below.child_cosine().is_none());
    }

    #[test]
    fn two_builds_are_alike_as_far_as_they_share_what_any_has() {
        let one = built(&[
            ("Basalt", "", &["all", "lava"]),
            ("Jade", "", &["all", "gems"]),
        ]);
        let other = built(&[
            ("Basalt", "", &["all", "lava"]),
            ("Jade", "", &["all", "lava"]),
            ("Pumice", "", &["all", "lava"]),
        ]);
        let [one, other] = [one, other].map(|db| TagGraph::of(&db.read().unwrap()).unwrap());
        let alike = one.jaccard(&other);
        assert_eq!(alike["objects"], Some(2.0 / 3.0));
        assert_eq!(alike["domains"], Some(2.0 / 3.0));
        assert_eq!(alike["chains"], Some(0.25));
        assert_eq!(one.jaccard(&one)["chains"], Some(1.0));
        assert_eq!(
            TagGraph::default().jaccard(&TagGraph::default())["chains"],
            None
        );
    }
}
