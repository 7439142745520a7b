//! The thread of a transaction.

use super::table::Transaction;
use crate::caller::Caller;
use crate::databases::{OpenDatabase, WriterTurn};
use crate::failure::Failure;
use crate::literals::without_literals;
use crate::run::{self, Place};
use crate::shared::Shared;
use crate::work::{Outlet, RunLimits, caught};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Parameters, ReadTxn, WriteTxn};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

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
    pub(crate) _place: OwnedSemaphorePermit,
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
}

enum Held {
    Read(ReadTxn),
    Write(Box<WriteTxn>),
}

/// How a transaction has ended.
enum End {
    /// As its client wanted.
    Wanted,
    /// Otherwise.
    Over(Arc<str>),
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
            live(&begin, &transaction, &told, ready);
            // The places are given back only now.
            drop(begin);
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
    begin: &Begin,
    transaction: &Arc<Transaction>,
    told: &Receiver<Command>,
    ready: oneshot::Sender<Result<Option<u64>, Failure>>,
) {
    let held = match open(begin, &transaction.cancel) {
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
    begin.database.transactions.add(Arc::clone(transaction));
    // Whoever has given up meanwhile leaves a transaction that nobody knows.
    let end = match ready.send(Ok(sequence)) {
        Ok(()) => caught(|| Ok(obey(begin, transaction, held, told)))
            .unwrap_or_else(|failure| End::Over(failure.to_string().into())),
        Err(_) => End::Wanted,
    };
    let why = match end {
        End::Wanted => None,
        End::Over(why) => {
            tracing::info!(database = %begin.database.name, token = %begin.owner, why = %without_literals(&why), "a transaction was rolled back");
            Some(why)
        }
    };
    begin.database.transactions.remove(&transaction.id, why);
}

fn open(begin: &Begin, cancel: &CancelToken) -> Result<Held, Failure> {
    let engine = &begin.database.engine;
    Ok(if begin.turn.is_some() {
        Held::Write(Box::new(engine.write()?.with_cancel(cancel.clone())))
    } else {
        Held::Read(engine.read()?.with_cancel(cancel.clone()))
    })
}

fn obey(
    begin: &Begin,
    transaction: &Arc<Transaction>,
    mut held: Held,
    told: &Receiver<Command>,
) -> End {
    let ends = Instant::now() + begin.total;
    loop {
        let left = ends.saturating_duration_since(Instant::now());
        let patience = begin.idle.min(left);
        let command = match told.recv_timeout(patience) {
            Ok(command) => command,
            Err(RecvTimeoutError::Timeout) => {
                let (limit, what) = if patience < begin.idle {
                    (begin.total, "lasted")
                } else {
                    (begin.idle, "rested")
                };
                return End::Over(
                    format!("it has {what} for more than {} ms", limit.as_millis()).into(),
                );
            }
            Err(RecvTimeoutError::Disconnected) => return End::Wanted,
        };
        match command {
            Command::Run(statement) => {
                let statement = *statement;
                let mut limits = statement.limits.clone();
                limits.deadline = limits.deadline.min(ends);
                let run = run::Run {
                    shared: &begin.shared,
                    database: &begin.database,
                    caller: &statement.caller,
                    text: &statement.text,
                    parameters: &statement.parameters,
                    limits: &limits,
                    cancel: &statement.cancel,
                    waited: Duration::ZERO,
                };
                let mut place = match &mut held {
                    Held::Read(read) => Place::Snapshot(read),
                    Held::Write(write) => Place::Transaction(write),
                };
                let ran = caught(|| run.answer(&mut place, &statement.outlet));
                if let Err(failure) = ran {
                    statement.outlet.fail(&failure);
                    if let Failure::Stalled { limit } = failure {
                        let why = format!("its client took no rows for {} ms", limit.as_millis());
                        return End::Over(why.into());
                    }
                }
                if transaction.cancel.is_cancelled() {
                    return End::Over("the server has ended it".into());
                }
            }
            Command::Commit(answer) => {
                let committed = caught(|| match held {
                    Held::Read(_) => Ok(None),
                    Held::Write(write) => Ok(Some(write.commit()?.get())),
                });
                let end = match &committed {
                    Ok(_) => End::Wanted,
                    Err(failure) => End::Over(failure.to_string().into()),
                };
                let _ = answer.send(committed);
                return end;
            }
            Command::Rollback(answer) => {
                drop(held);
                let _ = answer.send(());
                return End::Wanted;
            }
            Command::End { why } => return End::Over(why),
        }
    }
}
