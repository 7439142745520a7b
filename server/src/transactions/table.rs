//! The transactions of a database by id: those that are open, and how the last ones have ended.
//!
//! A client whose connection broke asks again, and must hear what became of its transaction: one that was committed is
//! never said to be rolled back, nor the other way round.

use super::thread::Command;
use crate::failure::Failure;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use stratigraph::storage::cancel::CancelToken;
use tokio::sync::oneshot;

/// The transactions of a database.
#[derive(Default)]
pub(crate) struct Transactions {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    open: HashMap<String, Arc<Transaction>>,
    ended: HashMap<String, (Arc<str>, Ended)>,
    /// The ids of those that have ended, the oldest first.
    order: VecDeque<String>,
}

/// How many ends are remembered.
const REMEMBERED: usize = 4096;

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

/// How a transaction has ended.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    /// It is committed; as which commit, if it wrote.
    Committed(Option<u64>),
    /// Its client has given it up.
    GivenUp,
    /// It was rolled back otherwise.
    RolledBack(Arc<str>),
    /// Nobody knows whether it is committed, for this reason.
    Unknown(Failure),
}

enum Found {
    Open(Arc<Transaction>),
    Ended(Ended),
}

impl Transactions {
    pub(crate) fn count(&self) -> usize {
        self.known.lock().open.len()
    }

    pub(crate) fn add(&self, transaction: Arc<Transaction>) {
        let id = transaction.id.clone();
        self.known.lock().open.insert(id, transaction);
    }

    /// An owner's transaction that is open.
    pub(crate) fn open(&self, owner: &Arc<str>, id: &str) -> Result<Arc<Transaction>, Failure> {
        match self.find(owner, id)? {
            Found::Open(transaction) => Ok(transaction),
            Found::Ended(ended) => Err(ended.refusal(id)),
        }
    }

    /// Commits; says which commit it is. Doing so again says the same again.
    pub(crate) async fn commit(&self, owner: &Arc<str>, id: &str) -> Result<Option<u64>, Failure> {
        loop {
            let transaction = match self.find(owner, id)? {
                Found::Open(transaction) => transaction,
                Found::Ended(ended) => return ended.committed(id),
            };
            let (answer, answered) = oneshot::channel();
            match transaction.command(Command::Commit(answer)) {
                Err(Refused::Busy(failure)) => return Err(failure),
                Err(Refused::Over) => {}
                Ok(()) => {
                    if let Ok(answer) = answered.await {
                        return answer;
                    }
                }
            }
            // It has ended meanwhile, and that is known now.
        }
    }

    /// Rolls back. Doing so again changes nothing.
    pub(crate) async fn roll_back(&self, owner: &Arc<str>, id: &str) -> Result<(), Failure> {
        loop {
            let transaction = match self.find(owner, id)? {
                Found::Open(transaction) => transaction,
                Found::Ended(Ended::GivenUp) => return Ok(()),
                Found::Ended(ended) => return Err(ended.refusal(id)),
            };
            let (answer, answered) = oneshot::channel();
            match transaction.command(Command::Rollback(answer)) {
                Err(Refused::Busy(failure)) => return Err(failure),
                Err(Refused::Over) => {}
                Ok(()) => {
                    if answered.await.is_ok() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// A statement for a transaction; one that has just ended refuses it.
    pub(crate) fn run(&self, transaction: &Transaction, command: Command) -> Result<(), Failure> {
        transaction
            .command(command)
            .map_err(|refused| match refused {
                Refused::Busy(failure) => failure,
                Refused::Over => match self.find(&transaction.owner, &transaction.id) {
                    Ok(Found::Ended(ended)) => ended.refusal(&transaction.id),
                    Ok(Found::Open(_)) => over(),
                    Err(failure) => failure,
                },
            })
    }

    fn find(&self, owner: &Arc<str>, id: &str) -> Result<Found, Failure> {
        let known = self.known.lock();
        if let Some(open) = known.open.get(id).filter(|open| open.owner == *owner) {
            return Ok(Found::Open(Arc::clone(open)));
        }
        match known.ended.get(id) {
            Some((of, ended)) if of == owner => Ok(Found::Ended(ended.clone())),
            _ => Err(unknown(id, "it has ended; begin another")),
        }
    }

    /// It has ended.
    pub(crate) fn remove(&self, transaction: &Transaction, ended: Ended) {
        let mut known = self.known.lock();
        let known = &mut *known;
        known.open.remove(&transaction.id);
        if known.order.len() >= REMEMBERED
            && let Some(oldest) = known.order.pop_front()
        {
            known.ended.remove(&oldest);
        }
        known.order.push_back(transaction.id.clone());
        let ended = (Arc::clone(&transaction.owner), ended);
        known.ended.insert(transaction.id.clone(), ended);
    }

    /// Rolls all of them back.
    pub(crate) fn end_all(&self, why: &str) {
        let open: Vec<_> = self.known.lock().open.values().cloned().collect();
        for transaction in open {
            transaction.cancel.cancel();
            // One that has a statement under way ends with it.
            let _ = transaction
                .commands
                .try_send(Command::End { why: why.into() });
        }
    }
}

/// Why a transaction takes no command.
enum Refused {
    /// It has enough to do.
    Busy(Failure),
    /// Its thread has gone.
    Over,
}

impl Transaction {
    /// Gives its thread something to do.
    fn command(&self, command: Command) -> Result<(), Refused> {
        self.commands.try_send(command).map_err(|error| match error {
            TrySendError::Full(_) => Refused::Busy(Failure::State {
                code: "TransactionBusy",
                problem: "statements of a transaction run one after the other, and several wait already".to_owned(),
            }),
            TrySendError::Disconnected(_) => Refused::Over,
        })
    }
}

impl Ended {
    /// What a commit of it is answered with.
    pub(super) fn committed(self, id: &str) -> Result<Option<u64>, Failure> {
        match self {
            Self::Committed(sequence) => Ok(sequence),
            ended => Err(ended.refusal(id)),
        }
    }

    /// What anything else in it is answered with.
    pub(super) fn refusal(self, id: &str) -> Failure {
        match self {
            Self::Committed(_) => unknown(id, "it is committed; begin another"),
            Self::GivenUp => unknown(id, "it was rolled back; begin another"),
            Self::RolledBack(why) => Failure::TransactionOver { why },
            Self::Unknown(failure) => failure,
        }
    }
}

fn unknown(id: &str, hint: &'static str) -> Failure {
    Failure::Unknown {
        what: "transaction",
        name: id.chars().take(64).collect(),
        hint,
    }
}

/// What a statement is answered with whose transaction has gone without a word.
pub(crate) fn over() -> Failure {
    Failure::TransactionOver {
        why: "it had just ended".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transaction(id: &str, owner: &Arc<str>) -> Arc<Transaction> {
        Arc::new(Transaction {
            id: id.to_owned(),
            owner: Arc::clone(owner),
            writes: true,
            commands: std::sync::mpsc::sync_channel(1).0,
            cancel: CancelToken::default(),
        })
    }

    #[tokio::test]
    async fn nobody_learns_anything_of_the_transactions_of_others() {
        let (mine, other): (Arc<str>, Arc<str>) = ("mine".into(), "other".into());
        let known = Transactions::default();
        known.add(transaction("open", &mine));
        known.add(transaction("ended", &mine));
        assert_eq!(known.count(), 2);
        known.remove(&transaction("ended", &mine), Ended::Committed(Some(7)));
        assert_eq!(known.count(), 1);

        assert!(known.open(&mine, "open").is_ok());
        assert_eq!(known.commit(&mine, "ended").await.ok(), Some(Some(7)));
        let told = |failure: Failure, id: &str| match failure {
            Failure::Unknown { name, hint, .. } => {
                assert_eq!(name, id);
                hint
            }
            failure => panic!("{failure:?}"),
        };
        let nothing = told(known.commit(&other, "none").await.unwrap_err(), "none");
        for id in ["open", "ended"] {
            let refused = [
                known.open(&other, id).map(drop).unwrap_err(),
                known.commit(&other, id).await.map(drop).unwrap_err(),
                known.roll_back(&other, id).await.unwrap_err(),
            ];
            for refused in refused {
                assert_eq!(told(refused, id), nothing, "as if it had never been");
            }
        }
    }
}
