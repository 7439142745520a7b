//! Names that somebody has agreed to: which relation, and which entity, is called by another's name.
//!
//! They are data in the database, one node each, and no part of any document. What a piece says is put under them
//! before it is built in ([`Agreed::apply`]), so the graph stays what the documents of now make, under the names of
//! now. Documents that are there keep the names that they came with until they are taken in again, which asks no
//! model, as its replies are kept.

use std::collections::BTreeMap;

use stratigraph::{NodeId, Read, RelationshipId, Value, WriteTxn};

use super::names::{canonical, shown};
use super::schema::FACT;
use super::{BuildError, Layers};
use crate::aliases::{Merges, resolve};
use crate::extract::Extracted;

/// The label of agreed names.
pub(super) const AGREED: &str = "AgreedName";
/// So many there may be: all of them are read for each portion of documents.
pub const MOST_AGREED: usize = 100_000;

/// What is called by another's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Called {
    /// A relation: the predicate of facts, whatever blanks it is written with.
    Relation,
    /// An entity, in whatever form its name is written.
    Entity,
}

impl Called {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Relation, Self::Entity];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Relation => "relation",
            Self::Entity => "entity",
        }
    }

    /// What two names have in common that are the same.
    fn key(self, name: &str) -> String {
        match self {
            Self::Relation => shown(name),
            Self::Entity => canonical(name),
        }
    }
}

/// Names that stand for others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreed(BTreeMap<(Called, String), Pair>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pair {
    name: String,
    stands: String,
}

impl Agreed {
    fn read<R: Read>(read: &R) -> Result<Self, stratigraph::Error> {
        let mut agreed = BTreeMap::new();
        for node in read.nodes_with_label(AGREED)? {
            let text = |property| -> Result<String, stratigraph::Error> {
                let value = read.property(NodeId::new(node), property)?;
                Ok(value.as_str().unwrap_or_default().to_owned())
            };
            let kind = text("of")?;
            let Some(kind) = Called::ALL.into_iter().find(|one| one.word() == kind) else {
                continue;
            };
            let (name, stands) = (text("name")?, text("stands_for_it")?);
            agreed.insert((kind, kind.key(&name)), Pair { name, stands });
        }
        Ok(Self(agreed))
    }

    /// All of them: what is called so, its name, and the name that stands for it.
    pub fn all(&self) -> impl ExactSizeIterator<Item = (Called, &str, &str)> {
        let all = self.0.iter();
        all.map(|((kind, _), pair)| (*kind, pair.name.as_str(), pair.stands.as_str()))
    }

    /// Those of one kind: each name, and the one that stands for it in the end.
    pub fn of(&self, kind: Called) -> impl Iterator<Item = (&str, &str)> {
        let all = self.all().filter(move |(of, ..)| *of == kind);
        all.map(move |(_, name, stands)| (name, self.name_for(kind, name).unwrap_or(stands)))
    }

    /// The name that stands for this one; none if it stands for itself.
    #[must_use]
    pub fn name_for(&self, kind: Called, name: &str) -> Option<&str> {
        let mut found = None;
        // A way along them never comes back: see `agree`. Whoever has written nodes by hand may have made one.
        let mut key = kind.key(name);
        for _ in 0..=self.0.len() {
            let Some(pair) = self.0.get(&(kind, key)) else {
                break;
            };
            found = Some(pair.stands.as_str());
            key = kind.key(&pair.stands);
        }
        found
    }

    /// Puts what a piece says under these names.
    pub fn apply(&self, extracted: &mut Extracted) {
        if self.0.is_empty() {
            return;
        }
        for triple in &mut extracted.triples {
            if let Some(name) = self.name_for(Called::Relation, &triple.predicate) {
                triple.predicate = name.to_owned();
            }
        }
        let mut merges = Merges::new();
        let entities = extracted.entities.iter().map(|entity| &entity.name);
        let ends = extracted.triples.iter();
        let ends = ends.flat_map(|triple| [&triple.subject, &triple.object]);
        let objects = extracted.chains.iter().map(|chain| &chain.object);
        for name in entities.chain(ends).chain(objects) {
            if let Some(stands) = self.name_for(Called::Entity, name)
                && stands != name
            {
                // The same name again is refused, and has what it had.
                let _ = merges.apply(stands, name);
            }
        }
        resolve(extracted, &merges);
    }
}

impl Layers {
    /// The names that somebody has agreed to.
    ///
    /// # Errors
    /// What the database says.
    pub fn agreed(&self) -> Result<Agreed, BuildError> {
        Ok(Agreed::read(&self.database().read()?)?)
    }

    /// From now on a name stands for another; with none, that one stands for itself again. Whether that is new.
    ///
    /// # Errors
    /// [`BuildError::BadName`]; what the database says.
    pub fn agree(
        &self,
        kind: Called,
        name: &str,
        stands: Option<&str>,
    ) -> Result<bool, BuildError> {
        let (name, stands) = (shown(name), stands.map(shown));
        let bad = |problem| BuildError::BadName {
            name: name.clone(),
            problem,
        };
        if name.is_empty() || stands.as_deref().is_some_and(str::is_empty) {
            return Err(bad("is no name: it is empty"));
        }
        let mut txn = self.database().write()?;
        let mut agreed = Agreed::read(&txn)?;
        let known = agreed.0.remove(&(kind, kind.key(&name)));
        if known.map(|pair| pair.stands) == stands {
            return Ok(false);
        }
        forget(&mut txn, kind, &name)?;
        if let Some(stands) = stands {
            let last = agreed.name_for(kind, &stands).unwrap_or(&stands);
            if kind.key(last) == kind.key(&name) {
                return Err(bad(
                    "would stand for itself: the other is called by its name",
                ));
            }
            if agreed.0.len() >= MOST_AGREED {
                return Err(bad("is one too many: 100,000 names can be agreed"));
            }
            let properties: [(&str, Value); 3] = [
                ("of", kind.word().into()),
                ("name", name.as_str().into()),
                ("stands_for_it", stands.into()),
            ];
            txn.create_node([AGREED], properties)?;
        }
        txn.commit()?;
        Ok(true)
    }

    /// The predicates of all facts, each with how many there are.
    ///
    /// # Errors
    /// What the database says.
    pub fn predicates(&self) -> Result<BTreeMap<String, u64>, BuildError> {
        let read = self.database().read()?;
        let mut counts = BTreeMap::new();
        for fact in read.relationships_of_type(FACT)? {
            let predicate = read.property(RelationshipId::new(fact), "predicate")?;
            if let Some(predicate) = predicate.as_str() {
                *counts.entry(predicate.to_owned()).or_default() += 1;
            }
        }
        Ok(counts)
    }
}

fn forget(txn: &mut WriteTxn, kind: Called, name: &str) -> Result<(), BuildError> {
    for node in txn.nodes_with_label(AGREED)? {
        let node = NodeId::new(node);
        let of = txn.property(node, "of")?;
        let known = txn.property(node, "name")?;
        if of.as_str() == Some(kind.word())
            && known.as_str().map(|known| kind.key(known)) == Some(kind.key(name))
        {
            txn.delete_node(node)?;
        }
    }
    Ok(())
}
