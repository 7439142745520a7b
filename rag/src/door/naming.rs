//! Which names may mean the same: proposals for somebody who looks through them, and nothing is changed by asking.

use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph::{Direction, NodeId, Read as _};

use super::{DoorError, Open};
use crate::aliases::{Named, Proposal, propose};
use crate::build::{BuildError, Called};
use crate::relations::{Clustering, Kept, RelationError, Relations};

/// A relation that may mean what another does, by its name: for somebody to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// Its name.
    pub name: String,
    /// The name that would stand for it; none where it is the opposite of what it is near to.
    pub stands_for: Option<String>,
    /// How far its vector is from the mean of its cluster, or from that of its opposite.
    pub distance: f32,
    /// The relation that it negates, or that differs from it by direction alone, near as they are.
    pub opposite: Option<String>,
}

/// The most entities whose names are compared at once.
const MOST_NAMES: usize = 1_000_000;

impl Open {
    /// Which relations of facts mean the same, by how near their names are: each name with the one that would stand for it,
    /// then the pairs that are opposites.
    ///
    /// What is agreed is settled. A name that came since is held against each of the names that stand for others, by the mean
    /// of all that are called so; what is near none of them is clustered among itself.
    ///
    /// # Errors
    /// [`DoorError::Relations`]; what the database says.
    pub fn alike(
        &self,
        clustering: Clustering,
        cancel: &CancelToken,
    ) -> Result<Vec<Alike>, DoorError> {
        let agreed = self.layers().agreed()?;
        let mut kept = Kept::new();
        for (name, stands) in agreed.of(Called::Relation) {
            kept.entry(stands).or_default().insert(name);
        }
        let predicates = self.layers().predicates()?;
        // Documents that were not taken in again still have the names that they came with.
        let names = predicates.keys().map(String::as_str);
        let names = names.map(|name| agreed.name_for(Called::Relation, name).unwrap_or(name));
        let mut told = |_: stratigraph::storage::cancel::Progress<'_>| {};
        let mut watch = Watch::new(&mut told, cancel.clone());
        let embedder = self.layers().embedder();
        let relations = Relations::assign(&kept, names, embedder, clustering, &mut watch)?;
        let is_settled = |name: &String| agreed.name_for(Called::Relation, name).is_some();
        let mut alike = Vec::new();
        for cluster in relations.clusters() {
            let others = cluster.members.iter();
            let others = others.filter(|(name, _)| *name != cluster.representative);
            for (name, distance) in others.filter(|(name, _)| !is_settled(name)) {
                alike.push(Alike {
                    name: name.clone(),
                    stands_for: Some(cluster.representative.clone()),
                    distance: *distance,
                    opposite: None,
                });
            }
        }
        let opposites = relations.opposites().iter();
        alike.extend(opposites.map(|pair| Alike {
            name: pair.name.clone(),
            stands_for: None,
            distance: pair.distance,
            opposite: Some(pair.opposite.clone()),
        }));
        Ok(alike)
    }

    /// Entities that may be one, by their names, and with a least cosine also by the vectors of these.
    ///
    /// # Errors
    /// [`DoorError::Request`] if there are too many; what the embedder or the database says.
    pub fn aliases(&self, least: Option<f32>) -> Result<Vec<Proposal>, DoorError> {
        let read = self.layers().database().read()?;
        let nodes = read.nodes_with_label("Entity")?;
        if nodes.len() > MOST_NAMES as u64 {
            let problem = format!("are {}, and {MOST_NAMES} are compared at once", nodes.len());
            return Err(DoorError::request("the entities", problem));
        }
        let mut known = Vec::new();
        for node in nodes {
            let id = NodeId::new(node);
            let text = |name| -> Result<Option<String>, stratigraph::Error> {
                Ok(read.property(id, name)?.as_str().map(str::to_owned))
            };
            let Some(name) = text("name")? else { continue };
            let mentions = read.degree(id, Direction::Incoming, Some("MENTIONS"))?;
            known.push((name, text("kind")?, mentions));
        }
        drop(read);
        let named = known.iter().map(|(name, kind, mentions)| Named {
            name,
            kind: kind.as_deref(),
            mentions: usize::try_from(*mentions).unwrap_or(usize::MAX),
        });
        let named: Vec<Named<'_>> = named.collect();
        let embedder = least.map(|least| (self.layers().embedder(), least));
        propose(&named, embedder)
            .map_err(|error| DoorError::Relations(RelationError::Embedder(error)))
    }

    /// From now on a name stands for another, in every document that is taken in; with none, for itself again.
    /// Documents that are there have it when they are taken in again. Whether that is new.
    ///
    /// # Errors
    /// [`BuildError::BadName`]; what the database says.
    pub fn agree(
        &self,
        kind: Called,
        name: &str,
        stands: Option<&str>,
    ) -> Result<bool, BuildError> {
        self.layers().agree(kind, name, stands)
    }
}
