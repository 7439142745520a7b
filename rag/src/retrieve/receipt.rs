//! Receipts: what an answer was given on, so that anybody can say later whether it still stands.

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Read, RelationshipId};

use super::reader::Reader;
use super::{Item, Name, Place, RetrieveError, Score};
use crate::build::{FACT, Label, find, find_fact, table_key_index};

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
    /// The commit of the snapshot that was asked.
    pub as_of: u64,
    /// Whether all searches that led to it would find the same every time.
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
    /// The same is said at the same places.
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
        let Some(now) = Reader::new(read).evidence(entity)? else {
            return Ok(Standing::Gone);
        };
        if now.hash() != self.hash {
            return Ok(Standing::Changed);
        }
        // A place is a chunk of these bytes; which bytes of the document they are, and which version it has, may change.
        let chunks = |places: &[Place]| -> Vec<(String, Option<String>)> {
            let place = |place: &Place| (place.document.clone(), place.chunk.clone());
            places.iter().map(place).collect()
        };
        if chunks(&now.places) != chunks(&self.places) {
            return Ok(Standing::Changed);
        }
        let mut both = now.places.iter().zip(&self.places);
        Ok(match both.all(|(now, then)| now.span == then.span) {
            true => Standing::Stands,
            false => Standing::Moved,
        })
    }
}

impl Name {
    /// What is called so, if it is there.
    fn entity<R: Read>(&self, read: &R) -> Result<Option<Entity>, RetrieveError> {
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
