//! Does to a database what the program says, and builds the database that there should be.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, NodeId, Read};
use stratigraph_rag::Document;
use stratigraph_rag::build::{Asked, Change, Contribution, KeptReply, Layers, Profile};
use stratigraph_rag::chunk::{Chunker, Chunking, Piece, Words};
use stratigraph_rag::extract::{Domain, Extracted, Extractor as _, OpenDocument, Reading, Rules};
use stratigraph_rag::read::{Format, ReadError, Source};

use super::program::{Documents, Step, Written};
use super::stub::{Letters, extracted, told};

/// The label of kept replies.
const MODEL_CALL: &str = "ModelCall";

/// One of the documents is a list of triples.
const LIST: &str = "d5#";

/// Who says what a piece says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// What stands in for a model: it reads the lines of `program.rs`, and its replies are kept.
    Model,
    /// The rules that read where there is no model.
    Rules,
}

impl Reader {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Model, Self::Rules];
}

/// A hand at a database.
pub struct Hand {
    /// What it works on.
    pub layers: Layers,
    /// What it has vectors from.
    pub embedder: Arc<Letters>,
    /// How often a model was asked that no kept reply could answer for.
    pub model_calls: u64,
    /// Who reads for it.
    pub reader: Reader,
    /// Is told the hash of what a model was asked, once its reply is safe.
    pub tell: Option<fn(u64) -> Result<()>>,
}

impl Hand {
    /// A hand at this database, for which this one reads.
    ///
    /// # Errors
    /// Whatever the layers refuse.
    pub fn at(db: &Database, profile: Profile, reader: Reader) -> Result<Self> {
        let embedder = Arc::new(Letters::default());
        Ok(Self {
            layers: Layers::open(db, profile, embedder.clone())?,
            embedder,
            model_calls: 0,
            reader,
            tell: None,
        })
    }

    /// Does one step.
    ///
    /// # Errors
    /// Whatever the layers refuse.
    pub fn make(&mut self, step: &Step) -> Result<Change> {
        match step {
            Step::Upsert(id, written) => self.upsert(id, written),
            Step::Delete(id) => Ok(self.layers.delete(id)?),
        }
    }

    fn upsert(&mut self, id: &str, written: &Written) -> Result<Change> {
        let contribution = self.contribution(id, written)?;
        Ok(self.layers.upsert(&contribution)?)
    }

    /// Puts several documents in with one commit.
    ///
    /// # Errors
    /// Whatever the layers refuse.
    pub fn upsert_all(&mut self, documents: &[(&str, &Written)]) -> Result<Change> {
        let contributions = documents.iter();
        let contributions = contributions.map(|(id, written)| self.contribution(id, written));
        let contributions = contributions.collect::<Result<Vec<_>>>()?;
        Ok(self.layers.upsert_all(&contributions)?)
    }

    /// What such a document adds.
    ///
    /// # Errors
    /// Whatever the reader or the database refuses.
    pub fn contribution(&mut self, id: &str, written: &Written) -> Result<Contribution> {
        if id.contains(LIST) {
            let told = told(&written.lines);
            let (known, profile) = (written.known.clone(), self.layers.profile());
            return Ok(Contribution::of_triples(id, known, &told, profile)?);
        }
        let (document, pieces) = cut(id, written)?;
        let extracted = match self.reader {
            Reader::Model => {
                let extracted = pieces.iter().map(|piece| self.ask(&document, piece));
                extracted.collect::<Result<Vec<_>>>()?
            }
            Reader::Rules => {
                let (rules, open) = (rules(), OpenDocument::new(&document));
                let extracted = pieces.iter().map(|piece| {
                    let outcome = rules.extract(&Reading::new(&open, piece))?;
                    Ok(outcome.extracted)
                });
                extracted.collect::<Result<Vec<_>>>()?
            }
        };
        let profile = self.layers.profile();
        Ok(Contribution::new(&document, &pieces, &extracted, profile)?)
    }

    /// The reply is the piece's own text here, as the stub reads it; what is tried is that it is kept.
    fn ask(&mut self, document: &Document, piece: &Piece) -> Result<Extracted> {
        let content = piece.text(document);
        let asked = Asked {
            content,
            prompt: "lines/1",
            model: "stub",
        };
        let reply = match self.layers.replies().get(&asked)? {
            Some(reply) => reply.text,
            None => {
                self.model_calls += 1;
                let reply = KeptReply {
                    text: content.to_owned(),
                    ..KeptReply::default()
                };
                self.layers.replies().put(&asked, &reply)?;
                if let Some(tell) = self.tell {
                    tell(hash(content))?;
                }
                reply.text
            }
        };
        ensure!(reply == content, "the reply to another question");
        Ok(extracted(&reply, piece))
    }
}

/// The rules, with chains along the headings; profiles without domains leave those out.
fn rules() -> Rules {
    Rules::new().chains_from(Domain {
        name: "Everything".to_owned(),
        description: String::new(),
    })
}

/// A document as its reader understands it.
///
/// # Errors
/// If the reader refuses it.
pub fn read(id: &str, written: &Written) -> Result<Document, ReadError> {
    let text = written.lines.join("\n\n");
    let source = Source::new(id, text.as_bytes()).metadata(written.known.clone());
    source.read(Format::Markdown)
}

/// A document and its pieces.
///
/// # Errors
/// If the reader refuses it.
pub fn cut(id: &str, written: &Written) -> Result<(Document, Vec<Piece>)> {
    let document = read(id, written)?;
    let pieces = Chunker::new(Chunking::Structure { limit: 40 }, &Words).pieces(&document);
    Ok((document, pieces))
}

/// The canonical dump of a database that was built from these documents, in the opposite of their order.
///
/// # Errors
/// Whatever the layers refuse.
pub fn built(documents: &Documents, profile: &Profile, reader: Reader) -> Result<String> {
    let db = Database::in_memory()?;
    let mut hand = Hand::at(&db, profile.clone(), reader)?;
    for (id, written) in documents.iter().rev() {
        hand.upsert(id, written)?;
    }
    canonical(&hand.layers)
}

/// The canonical dump of a database without the replies of models, which are put back then.
///
/// # Errors
/// What the database says.
pub fn canonical(layers: &Layers) -> Result<String> {
    let db = layers.database();
    let read = db.read()?;
    let mut calls = Vec::new();
    for node in read.nodes_with_label(MODEL_CALL)? {
        calls.extend(read.node(NodeId::new(node))?);
    }
    drop(read);
    layers.replies().forget()?;
    let mut text = Vec::new();
    let mut watch = Watch::quiet();
    db.dump_canonical(&mut text, &mut watch)?;
    let mut txn = db.write()?;
    for call in calls {
        let properties = call.properties().map(|(name, value)| (name, value.clone()));
        txn.create_node([MODEL_CALL], properties)?;
    }
    txn.commit()?;
    String::from_utf8(text).context("a dump is text")
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Says where two dumps differ, if they do.
///
/// # Errors
/// If they differ.
pub fn compare(found: &str, expected: &str) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let lacks = |one: &str, other: &str| -> Vec<String> {
        let other: std::collections::BTreeSet<&str> = other.lines().collect();
        let missing = one.lines().filter(|line| !other.contains(line));
        missing.take(12).map(str::to_owned).collect()
    };
    anyhow::bail!(
        "there should not be:\n{}\nthere should be:\n{}",
        lacks(found, expected).join("\n"),
        lacks(expected, found).join("\n")
    );
}
