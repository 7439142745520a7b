//! The transactions of a database that are open, by id.

use super::thread::Command;
use crate::failure::Failure;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use stratigraph::storage::cancel::CancelToken;

/// The transactions of a database that are open.
#[derive(Default)]
pub(crate) struct Transactions {
    open: Mutex<HashMap<String, Arc<Transaction>>>,
    /// Why some that are gone ended without their client; the last few.
    over: Mutex<Vec<(String, Arc<str>)>>,
}

/// How many ends are remembered.
const REMEMBERED: usize = 256;

/// A transaction that is open.
pub(crate) struct Transaction {
    pub(crate) id: String,
    /// The token that began it. Another one does not see it.
    pub(crate) owner: Arc<str>,
    pub(crate) writes: bool,
    pub(crate) commands: SyncSender<Command>,
    /// Stops what it does, and it.
    pub(crate) cancel: CancelToken,
}

impl Transactions {
    pub(crate) fn count(&self) -> usize {
        self.open.lock().len()
    }

    pub(crate) fn add(&self, transaction: Arc<Transaction>) {
        self.open.lock().insert(transaction.id.clone(), transaction);
    }

    /// An owner's transaction.
    pub(crate) fn get(&self, owner: &Arc<str>, id: &str) -> Result<Arc<Transaction>, Failure> {
        let known = self.open.lock().get(id).cloned();
        if let Some(known) = known.filter(|known| known.owner == *owner) {
            return Ok(known);
        }
        let over = self.over.lock();
        if let Some((_, why)) = over.iter().find(|(known, _)| known == id) {
            return Err(Failure::TransactionOver {
                why: Arc::clone(why),
            });
        }
        Err(Failure::Unknown {
            what: "transaction",
            name: id.chars().take(64).collect(),
            hint: "it has ended; begin another",
        })
    }

    /// It has ended; why, if its client did not end it.
    pub(crate) fn remove(&self, id: &str, why: Option<Arc<str>>) {
        self.open.lock().remove(id);
        if let Some(why) = why {
            let mut over = self.over.lock();
            if over.len() >= REMEMBERED {
                over.remove(0);
            }
            over.push((id.to_owned(), why));
        }
    }

    /// Rolls all of them back.
    pub(crate) fn end_all(&self, why: &str) {
        let open: Vec<_> = self.open.lock().values().cloned().collect();
        for transaction in open {
            transaction.cancel.cancel();
            // One that has a statement under way ends with it.
            let _ = transaction
                .commands
                .try_send(Command::End { why: why.into() });
        }
    }
}

impl Transaction {
    /// Gives its thread something to do.
    pub(crate) fn command(&self, command: Command) -> Result<(), Failure> {
        self.commands.try_send(command).map_err(|error| match error {
            TrySendError::Full(_) => Failure::State {
                code: "TransactionBusy",
                problem: "statements of a transaction run one after the other, and several wait already".to_owned(),
            },
            TrySendError::Disconnected(_) => Failure::TransactionOver {
                why: "it had just ended".into(),
            },
        })
    }
}
