//! Receipts: what an answer was given on, so that anybody can say later whether it still stands.

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{NodeId, Read, RelationshipId, Value};

use super::known::Known;
use super::reader::Reader;
use super::{Item, Name, Place, RetrieveError, Score};
use crate::build::{FACT, Label, LinkKind, find, find_all, find_fact, table_key_index};

/// What something said when it was found, where, and how it was come to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// What was found.
    #[serde(flatten)]
    pub name: Name,
    /// The hash of what it said.
    pub hash: String,
    /// Where that was said.
    pub places: Vec<Place>,
    /// How good it was held to be.
    pub score: Score,
    /// How it was come to, from what a search has found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub way: Vec<WayStep>,
    /// The commit of the snapshot that was asked. It is the epoch of every index that was searched, too: an index answers from
    /// the rows of that commit and no others.
    pub as_of: u64,
    /// Whether all searches that led to it would find the same every time. If not, some that are nearer may be missing.
    pub exact: bool,
}

/// A step of a way, by names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayStep {
    /// From where.
    #[serde(flatten)]
    pub from: Name,
    /// Along what.
    pub by: String,
}

/// Whether a receipt stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The same is said at the same places, whoever else says it by now.
    Stands,
    /// The same is said, but elsewhere in the document.
    Moved,
    /// Something else is said, or not in all of the places any more.
    Changed,
    /// It is not there any more.
    Gone,
}

impl Standing {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }

    /// Whether what was said is said still.
    #[must_use]
    pub fn holds(self) -> bool {
        matches!(self, Self::Stands | Self::Moved)
    }
}

impl Receipt {
    /// Whether the graph, as it is now, still says what it said then. Edits elsewhere in a document change nothing.
    ///
    /// # Errors
    /// What the database says.
    pub fn verify<R: Read>(&self, read: &R) -> Result<Standing, RetrieveError> {
        let Some(entity) = self.name.entity(read)? else {
            return Ok(Standing::Gone);
        };
        let Some(mut now) = Reader::new(read).evidence(entity)? else {
            return Ok(Standing::Gone);
        };
        if now.hash() != self.hash {
            // Of chosen documents only these were read, and of many that speak of it others may be the first by now.
            let cited = self.cited(read)?;
            if cited.is_empty() {
                return Ok(Standing::Changed);
            }
            let said = Reader::new(read).among(Some(&cited)).evidence(entity)?;
            match said.filter(|said| said.hash() == self.hash) {
                Some(said) => now = said,
                None => return Ok(Standing::Changed),
            }
        }
        // Who else says the same, and who of them comes first, was not cited: each place that was has to be there still.
        let mut standing = Standing::Stands;
        for then in &self.places {
            let told = now.places.iter().find(|place| place.is_where(then));
            let place = match told {
                Some(place) => Some(place.clone()),
                None => self.name.untold(read, entity, then)?,
            };
            match place {
                Some(place) if place.span == then.span => {}
                Some(_) => standing = Standing::Moved,
                None => return Ok(Standing::Changed),
            }
        }
        Ok(standing)
    }

    /// The chunks of its places that are there still.
    fn cited<R: Read>(&self, read: &R) -> Result<RoaringTreemap, RetrieveError> {
        let keys = self.places.iter();
        let keys: Vec<&str> = keys.filter_map(|place| place.chunk.as_deref()).collect();
        let chunks = find_all(read, Label::Chunk, &keys)?;
        Ok(chunks.into_iter().flatten().map(NodeId::get).collect())
    }
}

impl Place {
    /// Whether it is the same place. A chunk is one of these bytes; which bytes of the document they are, and which version
    /// that has, may change.
    fn is_where(&self, other: &Self) -> bool {
        self.document == other.document && self.chunk == other.chunk
    }
}

impl Name {
    /// What is called so, if it is there.
    pub(crate) fn entity<R: Read>(&self, read: &R) -> Result<Option<Entity>, RetrieveError> {
        let label = Label::ALL
            .into_iter()
            .find(|label| label.name() == self.kind);
        if let Some(label) = label {
            return Ok(find(read, label, &self.key)?.map(Entity::from));
        }
        if self.kind == FACT {
            return Ok(find_fact(read, &self.key)?.map(Entity::from));
        }
        // A relationship of a table has no key, and ids of what was committed never come twice.
        if read.catalog().types.id(&self.kind).is_some()
            && let Ok(id) = self.key.parse()
            && let Some(found) = read.relationship(RelationshipId::new(id))?
            && found.relationship_type() == self.kind
        {
            return Ok(Some(RelationshipId::new(id).into()));
        }
        // A row of a table. Without the index there is no such table any more.
        let name = table_key_index(&self.kind);
        match read.index(&name) {
            Ok(index) => Ok(index
                .equal(&[self.key.as_str().into()])?
                .next()
                .transpose()?),
            Err(stratigraph::Error::UnknownName { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Where this is said at a place that is not told: of a thing that half of all documents say, only the first places are.
    fn untold<R: Read>(
        &self,
        read: &R,
        entity: Entity,
        then: &Place,
    ) -> Result<Option<Place>, RetrieveError> {
        let Some(key) = then.chunk.as_deref() else {
            return Ok(None);
        };
        let Some(chunk) = find(read, Label::Chunk, key)? else {
            return Ok(None);
        };
        if !self.is_said_by(read, entity, (chunk, key))? {
            return Ok(None);
        }
        let mut known = Known::new(read);
        known.read_places([chunk], [])?;
        let now = known.places(&[chunk]).pop();
        Ok(now.filter(|now| now.is_where(then)))
    }

    /// Whether the chunk of this key says it.
    fn is_said_by<R: Read>(
        &self,
        read: &R,
        entity: Entity,
        (chunk, key): (NodeId, &str),
    ) -> Result<bool, RetrieveError> {
        let is_a = |label: Label| self.kind == label.name();
        let (node, by) = match entity {
            Entity::Relationship(id) => match read.relationship_with(id, &[])? {
                Some(fact) => (fact.source(), LinkKind::States),
                None => return Ok(false),
            },
            Entity::Node(node) if is_a(Label::Entity) => (node, LinkKind::Mentions),
            Entity::Node(node) if is_a(Label::DomainTag) => (node, LinkKind::Describes),
            // An instance lists its chunks; all others are at one place, which is told.
            Entity::Node(node) => {
                let listed = read.property(node, "chunks")?;
                let Value::List(listed) = &listed else {
                    return Ok(false);
                };
                return Ok(listed.iter().any(|listed| listed.as_str() == Some(key)));
            }
        };
        let fact = Some(self.key.as_str());
        for link in read.relationships_between(chunk, node, Some(by.name()))? {
            let link = link?.relationship;
            // A chunk may state several facts of one subject.
            if by != LinkKind::States || read.property(link, "fact")?.as_str() == fact {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The receipt of an item that says this, whose way is of things whose names were read.
pub(super) fn receipt<R: Read>(
    reader: &Reader<'_, R>,
    item: &Item,
    evidence: &super::Evidence,
    (as_of, exact): (u64, bool),
) -> Receipt {
    let way = item.way.iter().map(|step| WayStep {
        from: reader.name(step.from),
        by: step.by.to_string(),
    });
    Receipt {
        name: evidence.name.clone(),
        hash: evidence.hash(),
        places: evidence.places.clone(),
        score: item.score,
        way: way.collect(),
        as_of,
        exact,
    }
}
