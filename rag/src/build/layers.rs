//! A database of layers: documents come in, change and go.

use std::collections::BTreeSet;
use std::iter;
use std::sync::Arc;

use stratigraph::{Database, ErrorKind, Read, WriteTxn};
use stratigraph_models::Embedder;

use super::apply::{Counts, Refusal, apply};
use super::contribution::{Contribution, Label, NodeKey};
use super::held::{Held, key_of};
use super::names::document_key;
use super::property::bytes_of;
use super::vectors::Vectors;
use super::wording::Wording;
use super::{BuildError, CutOff, Profile, Replies, schema};
use crate::extract::reads_documents;

/// So often a document is tried that others change at the same time.
const ATTEMPTS: usize = 32;

/// So often somebody is waited for who has the writer's place, each time as long as the database says.
const WAITS: usize = 3;

/// So many replies of models are looked at for whether one has read documents: others have written summaries.
const REPLIES_LOOKED_AT: usize = 64;

/// A database of layers.
#[derive(Clone)]
pub struct Layers {
    db: Database,
    profile: Profile,
    embedder: Arc<dyn Embedder>,
    replies: Replies,
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
    /// The tokens of their texts, where whoever computed them counts: an embedder at an address does.
    pub vector_tokens: u64,
    /// New pieces whose ends are in no vector.
    pub cut_off: CutOff,
    /// Summaries that became stale by it.
    pub stale: BTreeSet<NodeKey>,
    /// Documents that were not there before.
    pub added_documents: u64,
    /// Documents that were there under their names with another text.
    pub changed_documents: u64,
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
        Ok(Self {
            db: db.clone(),
            profile,
            embedder,
            replies: Replies::of(db),
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
    pub fn replies(&self) -> &Replies {
        &self.replies
    }

    /// What makes its vectors, for whoever needs it when the database is closed.
    #[must_use]
    pub fn its_embedder(&self) -> &Arc<dyn Embedder> {
        &self.embedder
    }

    pub(crate) fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    /// The texts that stand for what a document adds: its own nodes, the facts that it states, and what they name.
    pub(crate) fn texts(&self, new: &Contribution) -> BTreeSet<String> {
        let wording = self.wording();
        let nodes = new.nodes.iter();
        let nodes = nodes.filter_map(|(node, properties)| wording.of_node(node, properties));
        let facts = new.facts.values().flat_map(|fact| {
            let (plain, sourced) = wording.of_fact(fact);
            iter::once(plain).chain(sourced)
        });
        let ends = new.links.iter().map(|link| &link.target);
        let entities = ends.filter(|end| end.label == Label::Entity);
        let names = entities.map(|entity| entity.key.clone());
        nodes.chain(facts).chain(names).collect()
    }

    pub(super) fn wording(&self) -> Wording<'_> {
        Wording {
            profile: &self.profile,
            embedder: &*self.embedder,
        }
    }

    /// Puts a document in, or what it is now in the place of what it was, in one commit. What is in both is not
    /// touched: nothing of it is written, and no vector computed.
    ///
    /// # Errors
    /// What the embedder or the database says; the document is as it was then.
    pub fn upsert(&self, document: &Contribution) -> Result<Change, BuildError> {
        self.upsert_all(std::slice::from_ref(document))
    }

    /// Puts several documents in, one after the other, in one commit: all of them or none.
    ///
    /// # Errors
    /// As [`upsert`](Self::upsert); all documents are as they were then.
    pub fn upsert_all(&self, documents: &[Contribution]) -> Result<Change, BuildError> {
        let mut vectors = Vectors::default();
        let mut waits = WAITS;
        for _ in 0..ATTEMPTS {
            let read = self.db.read()?;
            let mut held = Vec::with_capacity(documents.len());
            for document in documents {
                held.push(Held::read(&read, document.document())?);
            }
            self.check_size(documents, &held)?;
            for (document, before) in documents.iter().zip(&held) {
                vectors.prepare((&read, before), document, self.wording())?;
            }
            let mut txn = match self.db.write() {
                Ok(txn) => txn,
                // Vectors that are computed are kept for the next attempt.
                Err(error) if error.kind() == ErrorKind::Retry && waits > 0 => {
                    waits -= 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            // Somebody else may have been here while vectors were computed.
            let is_alone = txn.commit_seq() == read.commit_seq();
            drop(read);
            match self.apply_all(&mut txn, documents, held, is_alone, &vectors) {
                Ok(counts) => return finish(txn, counts, &vectors),
                // What was counted on has gone: for what others did, or a document before this one.
                Err(Refusal::NoVectors(texts)) => {
                    drop(txn);
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    vectors.compute(&texts, first(documents), &*self.embedder)?;
                }
                Err(Refusal::Failed(error)) => return Err(error),
            }
        }
        Err(BuildError::Busy {
            document: first(documents).to_owned(),
        })
    }

    /// Refuses what no transaction would hold, before anything is paid for.
    fn check_size(&self, documents: &[Contribution], held: &[Held]) -> Result<(), BuildError> {
        let numbers = self.embedder.dimensions() * size_of::<f32>();
        let documents_held = documents.iter().zip(held);
        let bytes = documents_held.map(|(new, held)| least_bytes(new, held, numbers));
        let (bytes, limit_bytes) = (bytes.sum::<u64>(), self.db.transaction_bytes());
        if bytes <= limit_bytes {
            return Ok(());
        }
        Err(BuildError::TooLarge {
            document: first(documents).to_owned(),
            bytes,
            limit_bytes,
        })
    }

    fn apply_all(
        &self,
        txn: &mut WriteTxn,
        documents: &[Contribution],
        held: Vec<Held>,
        is_alone: bool,
        vectors: &Vectors,
    ) -> Result<Counts, Refusal> {
        let mut counts = Counts::default();
        let mut seen = BTreeSet::new();
        let mut without = BTreeSet::new();
        for (document, held) in documents.iter().zip(held) {
            // Nobody changes what a document has added but the document itself.
            let held = match seen.insert(document.document()) && is_alone {
                true => held,
                false => Held::read(txn, document.document())?,
            };
            match apply(txn, (&held, document), self.wording(), vectors) {
                Ok(more) => counts += more,
                // On, to find all of them at once.
                Err(Refusal::NoVectors(texts)) => without.extend(texts),
                Err(failed) => return Err(failed),
            }
        }
        match without.is_empty() {
            true => Ok(counts),
            false => Err(Refusal::NoVectors(without)),
        }
    }

    /// Takes a document out, with everything that nobody else says. No model is asked, and one that is not there is
    /// fine.
    ///
    /// # Errors
    /// What the database says; the document is there then as it was.
    pub fn delete(&self, id: &str) -> Result<Change, BuildError> {
        self.upsert(&Contribution::none(document_key(id)?))
    }

    /// The model that has read documents that are there, if one has: of the replies that are kept a few are looked at, as hashes
    /// mix them.
    pub(crate) fn read_by_model(&self) -> Result<Option<String>, BuildError> {
        let documents = self.db.read()?.node_count(Some(Label::Document.name()))?;
        if documents == 0 {
            return Ok(None);
        }
        let mut replies = self.replies.first(REPLIES_LOOKED_AT)?.into_iter();
        let of_documents = replies.find(|(prompt, _)| reads_documents(prompt));
        Ok(of_documents.map(|(_, model)| model))
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

fn first(documents: &[Contribution]) -> &str {
    documents.first().map_or("", Contribution::document)
}

/// What a transaction holds of a document at the least: the texts that are new, and the vectors of what has one of its
/// own.
fn least_bytes(new: &Contribution, held: &Held, bytes_of_vector: usize) -> u64 {
    let nodes = new.nodes.iter();
    let nodes = nodes.filter(|(key, _)| !held.nodes.contains_key(key));
    let nodes = nodes.map(|(key, properties)| match key.label {
        Label::Document => bytes_of(properties),
        _ => bytes_of(properties) + bytes_of_vector as u64,
    });
    let links = new.links.iter();
    let links = links.filter(|link| !held.links.contains_key(link));
    nodes.sum::<u64>() + links.map(|link| bytes_of(&link.properties)).sum::<u64>()
}

fn finish(mut txn: WriteTxn, counts: Counts, vectors: &Vectors) -> Result<Change, BuildError> {
    let mut change = Change {
        written: counts.written,
        deleted: counts.deleted,
        unchanged: counts.unchanged,
        keys: 0,
        vectors: vectors.computed(),
        vector_tokens: vectors.tokens(),
        cut_off: vectors.cut_off(),
        stale: counts.stale,
        added_documents: counts.added_documents,
        changed_documents: counts.changed_documents,
    };
    if change.written + change.deleted > 0 {
        change.keys = txn.changes()?.count() as u64;
        txn.commit()?;
    }
    Ok(change)
}
