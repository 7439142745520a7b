//! Replies of models, kept in the database by what was asked.
//!
//! Each is committed on its own, before the document that it was asked for: whatever goes wrong then, nothing is
//! paid for twice. It is written before the next thing is done with it, so a process that is killed loses none; the
//! disk is waited for once a second and at the end of each portion of documents, so a loss of power takes the
//! replies of one second at the most. Those that come while others are written go into one commit together. They are no part of the graph of a document, and [`Replies::forget`] takes
//! them all away, after which databases can be compared.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use stratigraph::codec::CommitSeq;
use stratigraph::graph::Entity;
use stratigraph::{Constraint, Database, NodeId, Read, Value};
use stratigraph_models::Usage;

use super::names::hash;
use super::schema::{MODEL_CALL, MODEL_CALL_KEY};
use turns::Turns;

mod turns;

/// So many are taken away in one transaction.
const PORTION: usize = 1000;

/// Whoever keeps a reply this long after the disk was last waited for waits for it.
const UNSYNCED: Duration = Duration::from_secs(1);

/// What a model was asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Everything that it was given to read.
    pub content: &'a str,
    /// Which prompt, in which version.
    pub prompt: &'a str,
    /// Which model, with everything that decides what it answers.
    pub model: &'a str,
}

impl Asked<'_> {
    fn key(&self) -> String {
        hash([self.content, self.prompt, self.model])
    }
}

/// A reply that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptReply {
    /// What the model said.
    pub text: String,
    /// What it cost.
    pub usage: Usage,
}

/// Replies of models.
///
/// Clones know of each other's replies at once; who opens the same database anew knows of them when they are synced.
///
/// ```
/// use stratigraph::Database;
/// use stratigraph_rag::build::{Asked, KeptReply, Replies};
///
/// let replies = Replies::open(&Database::in_memory()?)?;
/// let asked = Asked { content: "Basalt was lava.", prompt: "entities/3", model: "small" };
/// assert_eq!(replies.get(&asked)?, None);
/// let reply = KeptReply { text: r#"["basalt"]"#.into(), ..KeptReply::default() };
/// replies.put(&asked, &reply)?;
/// assert_eq!(replies.get(&asked)?, Some(reply));
/// assert_eq!(replies.get(&Asked { prompt: "entities/4", ..asked })?, None);
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replies {
    db: Database,
    unsynced: Arc<Mutex<Unsynced>>,
    turns: Arc<Turns<Written>>,
}

/// A reply as it is stored.
#[derive(Clone, Debug)]
struct Written {
    key: String,
    reply: KeptReply,
    prompt: String,
    model: String,
}

/// What is written, and shown to readers only when it is durable.
#[derive(Debug, Default)]
struct Unsynced {
    replies: HashMap<String, (CommitSeq, KeptReply)>,
    last_sync: Option<Instant>,
}

impl Replies {
    /// The replies that are kept in a database.
    ///
    /// # Errors
    /// What the database says.
    pub fn open(db: &Database) -> Result<Self, stratigraph::Error> {
        let key = Constraint::on_nodes(MODEL_CALL).key(["key"]);
        db.create_constraint(key.named(MODEL_CALL_KEY).if_missing())?;
        Ok(Self::of(db))
    }

    /// The replies of a database that has layers.
    pub(super) fn of(db: &Database) -> Self {
        Self {
            db: db.clone(),
            unsynced: Arc::default(),
            turns: Arc::default(),
        }
    }

    /// The reply to this, if it was asked before.
    ///
    /// # Errors
    /// What the database says.
    pub fn get(&self, asked: &Asked<'_>) -> Result<Option<KeptReply>, stratigraph::Error> {
        let key = asked.key();
        if let Some((_, reply)) = self.unsynced().replies.get(&key) {
            return Ok(Some(reply.clone()));
        }
        let read = self.db.read()?;
        let Some(node) = find(&read, &key)? else {
            return Ok(None);
        };
        let reply = read.property(node, "reply")?;
        let tokens = |name| -> Result<u64, stratigraph::Error> {
            let count = read.property(node, name)?.as_int();
            Ok(count
                .and_then(|count| u64::try_from(count).ok())
                .unwrap_or_default())
        };
        let usage = Usage {
            input_tokens: tokens("input_tokens")?,
            output_tokens: tokens("output_tokens")?,
        };
        let text = reply.as_str().map(str::to_owned);
        Ok(text.map(|text| KeptReply { text, usage }))
    }

    /// Keeps the reply to this. When this returns, no crash of the process takes it away, and no loss of power that
    /// comes more than a second later than the next reply, or than [`sync`](Self::sync).
    ///
    /// # Errors
    /// What the database says.
    pub fn put(&self, asked: &Asked<'_>, reply: &KeptReply) -> Result<(), stratigraph::Error> {
        let key = asked.key();
        let commit = self.turns.take(
            Written {
                key: key.clone(),
                reply: reply.clone(),
                prompt: asked.prompt.to_owned(),
                model: asked.model.to_owned(),
            },
            &|all| self.write(all),
        )?;
        let is_due = {
            let mut unsynced = self.unsynced();
            unsynced.replies.insert(key, (commit, reply.clone()));
            let last = unsynced.last_sync.get_or_insert_with(Instant::now);
            let is_due = last.elapsed() >= UNSYNCED;
            if is_due {
                // Not everybody at once.
                *last = Instant::now();
            }
            is_due
        };
        match is_due {
            true => self.sync(),
            false => Ok(()),
        }
    }

    /// Writes some replies in one commit, without waiting for the disk.
    fn write(&self, all: &[Written]) -> Result<CommitSeq, stratigraph::Error> {
        let tokens = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
        let mut txn = self.db.write()?;
        for Written {
            key,
            reply,
            prompt,
            model,
        } in all
        {
            let properties: [(&str, Value); 6] = [
                ("key", key.as_str().into()),
                ("reply", reply.text.as_str().into()),
                ("input_tokens", tokens(reply.usage.input_tokens)),
                ("output_tokens", tokens(reply.usage.output_tokens)),
                ("prompt", prompt.as_str().into()),
                ("model", model.as_str().into()),
            ];
            // Nobody asks twice, so there is hardly ever one: looking for it first would be for nothing.
            match txn.create_node([MODEL_CALL], properties.clone()) {
                Err(violation @ stratigraph::Error::ConstraintViolation(_)) => {
                    let known = find(&txn, key)?.ok_or(violation)?;
                    txn.set_properties(known, properties)?;
                }
                created => drop(created?),
            }
        }
        txn.commit_unsynced()
    }

    /// Waits until the replies that are kept are on the disk.
    ///
    /// # Errors
    /// What the database says.
    pub fn sync(&self) -> Result<(), stratigraph::Error> {
        if self.unsynced().replies.is_empty() {
            return Ok(());
        }
        let synced = self.db.sync()?;
        let mut unsynced = self.unsynced();
        unsynced.replies.retain(|_, (commit, _)| *commit > synced);
        unsynced.last_sync = Some(Instant::now());
        Ok(())
    }

    fn unsynced(&self) -> MutexGuard<'_, Unsynced> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many replies are kept.
    ///
    /// # Errors
    /// What the database says.
    pub fn count(&self) -> Result<u64, stratigraph::Error> {
        self.sync()?;
        self.db.read()?.node_count(Some(MODEL_CALL))
    }

    /// The first of the replies that are kept, in the order of their hashes: the prompt and the model of each.
    pub(super) fn first(&self, most: usize) -> Result<Vec<(String, String)>, stratigraph::Error> {
        let read = self.db.read()?;
        let text = |node: NodeId, name: &str| -> Result<String, stratigraph::Error> {
            let value = read.property(node, name)?;
            Ok(value.as_str().unwrap_or_default().to_owned())
        };
        let mut first = Vec::new();
        for found in read.index(MODEL_CALL_KEY)?.range(..)?.take(most) {
            if let Entity::Node(node) = found? {
                first.push((text(node, "prompt")?, text(node, "model")?));
            }
        }
        Ok(first)
    }

    /// Takes all replies away. What was made from them stays; what is asked again is paid for again.
    ///
    /// # Errors
    /// What the database says.
    pub fn forget(&self) -> Result<(), stratigraph::Error> {
        // Transactions see what is not synced; who asks meanwhile must not.
        self.sync()?;
        loop {
            let mut txn = self.db.write()?;
            let calls = txn.nodes_with_label(MODEL_CALL)?;
            if calls.is_empty() {
                return Ok(());
            }
            for call in calls.iter().take(PORTION) {
                txn.detach_delete_node(NodeId::new(call))?;
            }
            txn.commit()?;
        }
    }
}

fn find<R: Read>(read: &R, key: &str) -> Result<Option<NodeId>, stratigraph::Error> {
    let index = read.index(MODEL_CALL_KEY)?;
    match index.equal(&[key.into()])?.next().transpose()? {
        Some(Entity::Node(node)) => Ok(Some(node)),
        _ => Ok(None),
    }
}
