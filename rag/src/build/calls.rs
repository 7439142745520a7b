//! Replies of models, kept in the database by what was asked.
//!
//! Each is committed on its own, before the document that it was asked for: whatever goes wrong then, nothing is
//! paid for twice. They are no part of the graph of a document, and [`Replies::forget`] takes them all away, after
//! which databases can be compared.

use stratigraph::graph::Entity;
use stratigraph::{Constraint, Database, NodeId, Read, Value};
use stratigraph_models::Usage;

use super::names::hash;
use super::schema::{MODEL_CALL, MODEL_CALL_KEY};

/// So many are taken away in one transaction.
const PORTION: usize = 1000;

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
        Self { db: db.clone() }
    }

    /// The reply to this, if it was asked before.
    ///
    /// # Errors
    /// What the database says.
    pub fn get(&self, asked: &Asked<'_>) -> Result<Option<KeptReply>, stratigraph::Error> {
        let read = self.db.read()?;
        let Some(node) = find(&read, &asked.key())? else {
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

    /// Keeps the reply to this. It is safe when this returns.
    ///
    /// # Errors
    /// What the database says.
    pub fn put(&self, asked: &Asked<'_>, reply: &KeptReply) -> Result<(), stratigraph::Error> {
        let key = asked.key();
        let tokens = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let properties: [(&str, Value); 6] = [
            ("key", key.as_str().into()),
            ("reply", reply.text.as_str().into()),
            ("input_tokens", tokens(reply.usage.input_tokens).into()),
            ("output_tokens", tokens(reply.usage.output_tokens).into()),
            ("prompt", asked.prompt.into()),
            ("model", asked.model.into()),
        ];
        let mut txn = self.db.write()?;
        match find(&txn, &key)? {
            Some(node) => txn.set_properties(node, properties)?,
            None => drop(txn.create_node([MODEL_CALL], properties)?),
        }
        txn.commit()?;
        Ok(())
    }

    /// How many replies are kept.
    ///
    /// # Errors
    /// What the database says.
    pub fn count(&self) -> Result<u64, stratigraph::Error> {
        self.db.read()?.node_count(Some(MODEL_CALL))
    }

    /// Takes all replies away. What was made from them stays; what is asked again is paid for again.
    ///
    /// # Errors
    /// What the database says.
    pub fn forget(&self) -> Result<(), stratigraph::Error> {
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
