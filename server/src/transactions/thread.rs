//! The thread of a transaction.

use super::table::{Ended, Transaction};
use crate::caller::Caller;
use crate::databases::{OpenDatabase, WriterTurn};
use crate::failure::Failure;
use crate::literals::without_literals;
use crate::run::{self, Place};
use crate::shared::Shared;
use crate::work::{HeldPlace, Outlet, RunLimits, Slot, caught};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Parameters, ReadTxn, WriteTxn};
use tokio::sync::oneshot;

/// How many commands may wait: one that runs, and one that a client in a hurry sends before it has its answer.
const WAITING_COMMANDS: usize = 2;

/// What a transaction is told.
pub(crate) enum Command {
    /// Run a statement.
    Run(Box<Statement>),
    /// Commit, and say which commit it is.
    Commit(oneshot::Sender<Result<Option<u64>, Failure>>),
    /// Roll back.
    Rollback(oneshot::Sender<()>),
    /// Roll back, because the server says so.
    End {
        /// Why.
        why: Arc<str>,
    },
}

/// A statement to run.
pub(crate) struct Statement {
    pub(crate) caller: Caller,
    pub(crate) text: Arc<str>,
    pub(crate) parameters: Parameters,
    pub(crate) limits: RunLimits,
    pub(crate) cancel: CancelToken,
    pub(crate) outlet: Outlet,
}

/// What a transaction begins with.
pub(crate) struct Begin {
    pub(crate) shared: Arc<Shared>,
    pub(crate) database: Arc<OpenDatabase>,
    pub(crate) owner: Arc<str>,
    /// The turn to write; none for one that reads.
    pub(crate) turn: Option<WriterTurn>,
    pub(crate) _place: HeldPlace,
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
}

enum Held {
    Read(ReadTxn),
    Write(Box<WriteTxn>),
}

/// Starts the thread of a transaction; its id, and the commit that it reads, if it only reads.
pub(crate) async fn begin(begin: Begin) -> Result<(String, Option<u64>), Failure> {
    let id = crate::ids::random_id()?;
    let (commands, told) = sync_channel(WAITING_COMMANDS);
    let transaction = Arc::new(Transaction {
        id: id.clone(),
        owner: Arc::clone(&begin.owner),
        writes: begin.turn.is_some(),
        commands,
        cancel: CancelToken::new(),
    });
    let (ready, begun) = oneshot::channel();
    let runtime = tokio::runtime::Handle::current();
    let spawned = std::thread::Builder::new()
        .name("transaction".to_owned())
        .spawn(move || {
            let _entered = runtime.enter();
            live(begin, &transaction, &told, ready);
        });
    spawned.map_err(|error| {
        tracing::error!(%error, "no thread for a transaction");
        Failure::Busy {
            what: "threads",
            limit: 0,
            retry_after: Duration::from_secs(1),
        }
    })?;
    let sequence = begun.await.map_err(|_| Failure::Bug {
        what: "the thread of a transaction has panicked",
    })??;
    Ok((id, sequence))
}

/// What the thread does.
fn live(
    begin: Begin,
    transaction: &Arc<Transaction>,
    told: &Receiver<Command>,
    ready: oneshot::Sender<Result<Option<u64>, Failure>>,
) {
    let held = match open(&begin, &transaction.cancel) {
        Ok(held) => held,
        Err(failure) => {
            let _ = ready.send(Err(failure));
            return;
        }
    };
    let sequence = match &held {
        Held::Read(read) => Some(stratigraph::Read::commit_seq(read).get()),
        Held::Write(_) => None,
    };
    let transactions = &begin.database.transactions;
    transactions.add(Arc::clone(transaction));
    // Whoever has given up meanwhile leaves a transaction that nobody knows.
    let (ended, answer) = match ready.send(Ok(sequence)) {
        Ok(()) => caught(|| Ok(obey(&begin, transaction, held, told)))
            .unwrap_or_else(|failure| (Ended::RolledBack(failure.to_string().into()), None)),
        Err(_) => (Ended::GivenUp, None),
    };
    if let Ended::RolledBack(why) = &ended {
        tracing::info!(database = %begin.database.name, token = %begin.owner, why = %without_literals(why), "a transaction was rolled back");
    }
    // Whoever has its answer may ask again, and finds how it ended.
    transactions.remove(transaction, ended.clone());
    // The places and the database are given back before anybody hears that it is over: whoever does may begin another, or
    // end the process.
    drop(begin);
    if let Some(answer) = answer {
        answer.give(&ended, &transaction.id);
    }
    // What came too late hears the same.
    while let Ok(command) = told.try_recv() {
        match command {
            Command::Run(statement) => {
                let refusal = ended.clone().refusal(&transaction.id);
                statement.outlet.fail(&refusal);
            }
            Command::Commit(answer) => Answer::Commit(answer).give(&ended, &transaction.id),
            // It looks for itself.
            Command::Rollback(_) | Command::End { .. } => {}
        }
    }
}

/// Who waits for the end of a transaction.
enum Answer {
    Commit(oneshot::Sender<Result<Option<u64>, Failure>>),
    /// Whoever commits hears why that failed, in its own words.
    Refused(oneshot::Sender<Result<Option<u64>, Failure>>, Failure),
    Rollback(oneshot::Sender<()>),
}

impl Answer {
    fn give(self, ended: &Ended, id: &str) {
        // Who has left does not hear it.
        match self {
            Self::Commit(answer) => drop(answer.send(ended.clone().committed(id))),
            Self::Refused(answer, failure) => drop(answer.send(Err(failure))),
            Self::Rollback(answer) => drop(answer.send(())),
        }
    }
}

fn open(begin: &Begin, cancel: &CancelToken) -> Result<Held, Failure> {
    let engine = &begin.database.engine;
    Ok(if begin.turn.is_some() {
        Held::Write(Box::new(engine.write()?.with_cancel(cancel.clone())))
    } else {
        Held::Read(engine.read()?.with_cancel(cancel.clone()))
    })
}

/// Does what it is told until it ends; how that was, and who is to hear it.
fn obey(
    begin: &Begin,
    transaction: &Arc<Transaction>,
    mut held: Held,
    told: &Receiver<Command>,
) -> (Ended, Option<Answer>) {
    let rolled_back = |why: String| (Ended::RolledBack(why.into()), None);
    let ends = Instant::now() + begin.total;
    loop {
        let left = ends.saturating_duration_since(Instant::now());
        let patience = begin.idle.min(left);
        let command = match told.recv_timeout(patience) {
            Ok(_) if left.is_zero() => return rolled_back(lasted(begin)),
            Ok(command) => command,
            Err(RecvTimeoutError::Timeout) if patience < begin.idle => {
                return rolled_back(lasted(begin));
            }
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("it has rested for more than {} ms", begin.idle.as_millis());
                return rolled_back(why);
            }
            Err(RecvTimeoutError::Disconnected) => return (Ended::GivenUp, None),
        };
        match command {
            Command::Run(statement) => {
                let ran = run_one(begin, transaction, &mut held, *statement, ends);
                if let Err(why) = ran {
                    return rolled_back(why);
                }
            }
            Command::Commit(answer) => {
                return match commit(held) {
                    Ok(sequence) => (Ended::Committed(sequence), Some(Answer::Commit(answer))),
                    Err(failure) => (how(&failure), Some(Answer::Refused(answer, failure))),
                };
            }
            Command::Rollback(answer) => {
                drop(held);
                return (Ended::GivenUp, Some(Answer::Rollback(answer)));
            }
            Command::End { why } => return (Ended::RolledBack(why), None),
        }
    }
}

fn lasted(begin: &Begin) -> String {
    format!("it has lasted for more than {} ms", begin.total.as_millis())
}

/// Runs a statement and answers it; if the transaction ends with it, why.
fn run_one(
    begin: &Begin,
    transaction: &Transaction,
    held: &mut Held,
    mut statement: Statement,
    ends: Instant,
) -> Result<(), String> {
    let mut limits = statement.limits.clone();
    limits.deadline = limits.deadline.min(ends);
    statement
        .outlet
        .held_to(limits.deadline, &transaction.cancel);
    let ran = slot(begin, held, &statement, &limits).and_then(|slot| {
        let run = run::Run {
            shared: &begin.shared,
            database: &begin.database,
            caller: &statement.caller,
            text: &statement.text,
            parameters: &statement.parameters,
            limits: &limits,
            cancel: &statement.cancel,
            waited: slot.waited,
        };
        let mut place = match held {
            Held::Read(read) => Place::Snapshot(read),
            Held::Write(write) => Place::Transaction(write),
        };
        caught(|| run.answer(&mut place, &statement.outlet))
    });
    let ended = match &ran {
        Err(Failure::Stalled { limit }) => Some(format!(
            "its client took no rows for {} ms",
            limit.as_millis()
        )),
        // Half of the statement may be in it.
        Err(failure) if failure.is_bug() => Some(format!("a statement of it met {failure}")),
        _ if transaction.cancel.is_cancelled() => Some("the server has ended it".to_owned()),
        _ if Instant::now() >= ends => Some(lasted(begin)),
        _ => None,
    };
    if let Err(failure) = ran {
        statement.outlet.fail(&match &ended {
            Some(why) if failure.is_bug() => Failure::TransactionBroken {
                why: why.as_str().into(),
            },
            _ => failure,
        });
    }
    ended.map_or(Ok(()), Err)
}

/// Waits for the turn of a statement. It does so here and not before, so that its transaction does not rest meanwhile.
fn slot(
    begin: &Begin,
    held: &Held,
    statement: &Statement,
    limits: &RunLimits,
) -> Result<Slot, Failure> {
    let slots = match held {
        Held::Read(_) => &begin.shared.readers,
        Held::Write(_) => &begin.shared.writers,
    };
    let token = statement.caller.identity.name();
    let entered = slots.enter(token, limits.memory_bytes, limits.time_left()?);
    tokio::runtime::Handle::current().block_on(entered)
}

fn commit(held: Held) -> Result<Option<u64>, Failure> {
    let committed = caught(|| match held {
        Held::Read(_) => Ok(None),
        Held::Write(write) => Ok(Some(write.commit()?.get())),
    });
    committed.map_err(|failure| match failure {
        // It may have been written before that.
        Failure::Bug { what } => {
            Failure::Engine(stratigraph::Error::OutcomeUnknown { cause: what.into() })
        }
        failure => failure,
    })
}

/// How a transaction has ended whose commit failed.
fn how(failure: &Failure) -> Ended {
    match failure {
        Failure::Engine(stratigraph::Error::OutcomeUnknown { .. }) => {
            Ended::Unknown(failure.clone())
        }
        failure => Ended::RolledBack(failure.to_string().into()),
    }
}

#[cfg(test)]
mod tests;
