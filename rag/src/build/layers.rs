//! A database of layers: documents come in, change and go.

use std::collections::BTreeSet;
use std::sync::Arc;

use stratigraph::{Database, Read, WriteTxn};
use stratigraph_models::Embedder;

use super::apply::{Counts, Refusal, apply};
use super::contribution::{Contribution, Label, NodeKey};
use super::held::{Held, key_of};
use super::names::document_key;
use super::vectors::Vectors;
use super::{BuildError, CallCache, Profile, schema};

/// So often a document is tried that others change at the same time.
const ATTEMPTS: usize = 32;

/// A database of layers.
#[derive(Clone)]
pub struct Layers {
    db: Database,
    profile: Profile,
    embedder: Arc<dyn Embedder>,
    calls: CallCache,
}

/// What a change did to the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Nodes and relationships that are new or say something else.
    pub written: u64,
    /// Nodes and relationships that are gone.
    pub deleted: u64,
    /// Nodes and relationships of the document that were left alone.
    pub unchanged: u64,
    /// Keys of the store that the commit wrote or deleted; none if there was nothing to commit.
    pub keys: u64,
    /// Vectors that were computed.
    pub vectors: u64,
    /// Summaries that became stale by it.
    pub stale: BTreeSet<NodeKey>,
}

impl Layers {
    /// Opens the layers of a database, which get their indexes and hierarchies if it has none yet.
    ///
    /// # Errors
    /// [`BuildError::OtherEmbedder`] and [`BuildError::OtherProfile`] if it was built in another way;
    /// [`BuildError::BadFilter`]; what the database says.
    pub fn open(
        db: &Database,
        profile: Profile,
        embedder: Arc<dyn Embedder>,
    ) -> Result<Self, BuildError> {
        profile.check()?;
        schema::settle(db, &profile, &*embedder)?;
        schema::declare(db, &profile, embedder.dimensions())?;
        Ok(Self {
            db: db.clone(),
            profile,
            embedder,
            calls: CallCache::open(db)?,
        })
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.db
    }

    /// Which layers there are.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The replies of models that are kept in the database.
    #[must_use]
    pub fn calls(&self) -> &CallCache {
        &self.calls
    }

    pub(super) fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    /// Puts a document in, or what it is now in the place of what it was, in one commit. What is in both is not
    /// touched: nothing of it is written, and no vector computed.
    ///
    /// # Errors
    /// What the embedder or the database says; the document is as it was then.
    pub fn upsert(&self, document: &Contribution) -> Result<Change, BuildError> {
        let mut vectors = Vectors::default();
        for _ in 0..ATTEMPTS {
            let read = self.db.read()?;
            let held = Held::read(&read, document.document())?;
            vectors.prepare((&read, &held), document, &self.profile, &*self.embedder)?;
            let mut txn = self.db.write()?;
            // Somebody else may have been here while vectors were computed.
            let held = match txn.commit_seq() == read.commit_seq() {
                true => held,
                false => Held::read(&txn, document.document())?,
            };
            drop(read);
            match apply(&mut txn, (&held, document), &self.profile, &vectors) {
                Ok(counts) => return finish(txn, counts, &vectors),
                Err(Refusal::NoVector) => {}
                Err(Refusal::Failed(error)) => return Err(error),
            }
        }
        Err(BuildError::Busy {
            document: document.document().to_owned(),
        })
    }

    /// Takes a document out, with everything that nobody else says. No model is asked, and one that is not there is
    /// fine.
    ///
    /// # Errors
    /// What the database says; the document is there then as it was.
    pub fn delete(&self, id: &str) -> Result<Change, BuildError> {
        self.upsert(&Contribution::none(document_key(id)?))
    }

    /// The ids of all documents, in order.
    ///
    /// # Errors
    /// What the database says.
    pub fn documents(&self) -> Result<Vec<String>, BuildError> {
        let read = self.db.read()?;
        let mut ids = Vec::new();
        for node in read.nodes_with_label(Label::Document.name())? {
            let id = read.property(stratigraph::NodeId::new(node), "id")?;
            ids.push(match id.as_str() {
                Some(id) => id.to_owned(),
                None => key_of(&read, stratigraph::NodeId::new(node))?,
            });
        }
        ids.sort_unstable();
        Ok(ids)
    }
}

fn finish(mut txn: WriteTxn, counts: Counts, vectors: &Vectors) -> Result<Change, BuildError> {
    let mut change = Change {
        written: counts.written,
        deleted: counts.deleted,
        unchanged: counts.unchanged,
        keys: 0,
        vectors: vectors.computed(),
        stale: counts.stale,
    };
    if change.written + change.deleted > 0 {
        change.keys = txn.changes()?.count() as u64;
        txn.commit()?;
    }
    Ok(change)
}
