//! Several statements in one transaction.
//!
//! The server holds it. One that writes has the only writer's place of its database, so it should be short: the server
//! rolls back one that rests or lasts too long. What happened to a transaction is noted here when a call fails
//! ([`Transaction::note`]): one that is lost cannot be committed any more, which is what makes it safe to do it all
//! again (`closure.rs`).

use crate::Error;
use crate::Refusal;
use crate::call::unary;
use crate::client::Client;
use crate::error::Safety;
use crate::prepared::Prepared;
use crate::query::{Query, Source};
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stratigraph_proto::v1;

/// A transaction that is open, for the statements in it. Cloning it is cheap.
#[derive(Clone)]
pub struct Transaction {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    id: String,
    writes: bool,
    sequence: Option<u64>,
    idle_timeout: Duration,
    total_timeout: Duration,
    /// It was committed or rolled back.
    is_over: AtomicBool,
    /// What has befallen it.
    trouble: Mutex<Trouble>,
    /// The answer to a statement is being read.
    is_busy: AtomicBool,
}

/// What has befallen a transaction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trouble {
    /// A statement of it failed in a way that doing all of it again may mend.
    pub(crate) is_shaken: bool,
    /// Why it cannot be committed, although nobody rolled it back.
    pub(crate) lost: Option<String>,
}

/// That a transaction is busy with one statement.
pub(crate) struct Turn {
    transaction: Transaction,
    /// Whether the statement may change something.
    safety: Safety,
    /// The statement has been answered, or has failed.
    is_answered: bool,
}

/// Settings of transactions.
///
/// ```no_run
/// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
/// use std::time::Duration;
///
/// let sequence = client
///     .transaction()
///     .queue_timeout(Duration::from_secs(30))
///     .write(async |txn| {
///         txn.query("CREATE (:Person {name: $name})").param("name", "Ada").run().await
///     })
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "settings do nothing until a transaction begins"]
pub struct TransactionBuilder {
    pub(crate) client: Client,
    queue_timeout: Option<Duration>,
    idle_timeout: Option<Duration>,
    total_timeout: Option<Duration>,
}

/// A transaction that its holder ends: by [`OpenTransaction::commit`] or [`OpenTransaction::rollback`], or, if it is
/// dropped, by being rolled back.
#[derive(Debug)]
#[must_use = "a transaction that is dropped is rolled back"]
pub struct OpenTransaction {
    transaction: Transaction,
}

impl TransactionBuilder {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            queue_timeout: None,
            idle_timeout: None,
            total_timeout: None,
        }
    }

    /// How long it may wait for those that write before it. The server's own limit holds in any case.
    pub fn queue_timeout(mut self, timeout: Duration) -> Self {
        self.queue_timeout = Some(timeout);
        self
    }

    /// How long it may rest between two statements. The server's own limit holds in any case.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = Some(timeout);
        self
    }

    /// How long it may last. The server's own limit holds in any case.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = Some(timeout);
        self
    }

    /// Begins a transaction that reads one snapshot, whatever others commit meanwhile.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn begin_read(&self) -> Result<OpenTransaction, Error> {
        self.begin(false).await
    }

    /// Begins a transaction that reads and writes, once those before it have ended.
    ///
    /// # Errors
    /// [`Error::Refused`], also if its turn did not come in time, and what [`Error`] has for the network.
    pub async fn begin_write(&self) -> Result<OpenTransaction, Error> {
        self.begin(true).await
    }

    async fn begin(&self, writes: bool) -> Result<OpenTransaction, Error> {
        let client = &self.client;
        let mode = if writes {
            v1::TransactionMode::Write
        } else {
            v1::TransactionMode::Read
        };
        let request = v1::BeginTransactionRequest {
            database: client.database.to_string(),
            mode: mode.into(),
            queue_timeout_ms: self.queue_timeout.map(milliseconds),
            idle_timeout_ms: self.idle_timeout.map(milliseconds),
            total_timeout_ms: self.total_timeout.map(milliseconds),
        };
        // One that was begun and is not known here is rolled back by the server, and has changed nothing.
        let begun = unary!(
            client,
            Safety::Reads,
            transaction_service_client::TransactionServiceClient,
            begin_transaction,
            request
        )?;
        let inner = Inner {
            client: client.clone(),
            id: begun.transaction_id,
            writes,
            sequence: begun.sequence,
            idle_timeout: Duration::from_millis(begun.idle_timeout_ms),
            total_timeout: Duration::from_millis(begun.total_timeout_ms),
            is_over: AtomicBool::new(false),
            trouble: Mutex::default(),
            is_busy: AtomicBool::new(false),
        };
        let transaction = Transaction {
            inner: Arc::new(inner),
        };
        Ok(OpenTransaction { transaction })
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl Client {
    /// Settings for a transaction.
    pub fn transaction(&self) -> TransactionBuilder {
        TransactionBuilder::new(self.clone())
    }
}

impl Transaction {
    /// A statement in this transaction. If it fails it has changed nothing, and the transaction goes on.
    ///
    /// Statements run one after the other: the rows of one are read to their end, or dropped, before the next.
    pub fn query(&self, text: impl Into<String>) -> Query {
        Query::within(self.clone(), Source::Text(text.into()))
    }

    /// A statement that the database keeps under a name, in this transaction.
    pub fn named(&self, name: impl Into<String>) -> Query {
        Query::within(self.clone(), Source::Name(name.into()))
    }

    /// A prepared statement in this transaction.
    pub fn prepared(&self, prepared: &Prepared) -> Query {
        Query::within(self.clone(), Source::Prepared(prepared.clone()))
    }

    /// What the server calls it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// Whether it may write.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.inner.writes
    }

    /// The commit that it reads; `None` for one that writes.
    #[must_use]
    pub fn sequence(&self) -> Option<u64> {
        self.inner.sequence
    }

    /// How long it may rest between two statements before the server rolls it back.
    #[must_use]
    pub fn idle_timeout(&self) -> Duration {
        self.inner.idle_timeout
    }

    /// How long it may last before the server rolls it back.
    #[must_use]
    pub fn total_timeout(&self) -> Duration {
        self.inner.total_timeout
    }

    pub(crate) fn client(&self) -> &Client {
        &self.inner.client
    }

    /// Takes the turn for a statement.
    pub(crate) fn turn(&self, safety: Safety) -> Result<Turn, Error> {
        self.check()?;
        if self.inner.is_busy.swap(true, Ordering::AcqRel) {
            return Err(Error::TransactionBusy);
        }
        Ok(Turn {
            transaction: self.clone(),
            safety,
            is_answered: false,
        })
    }

    fn check(&self) -> Result<(), Error> {
        if self.inner.is_over.load(Ordering::Acquire) {
            return Err(Error::TransactionOver {
                problem: "it was committed or rolled back".to_owned(),
            });
        }
        let lost = self.trouble().lost;
        lost.map_or(Ok(()), |problem| Err(Error::TransactionOver { problem }))
    }

    /// What has befallen it.
    pub(crate) fn trouble(&self) -> Trouble {
        self.trouble_mut().clone()
    }

    /// Notes what an error of one of its calls means for it, and gives the error as it is for a transaction.
    pub(crate) fn note(&self, error: Error) -> Error {
        let lost = match &error {
            Error::Refused(refusal) if self.is_end(refusal) => Some(refusal.to_string()),
            // Whether a statement ran decides what a commit would hold.
            Error::OutcomeUnknown { problem, .. } => Some(problem.clone()),
            Error::Interrupted { problem, .. } if self.inner.writes => Some(problem.clone()),
            // A server that goes down, or has no room for the statement after all attempts: it has changed nothing.
            Error::Refused(refusal) if refusal.is_retryable() => None,
            Error::Connect { .. } => None,
            _ => return error,
        };
        match lost {
            None => {
                self.trouble_mut().is_shaken = true;
                error
            }
            Some(problem) => {
                self.lose(&problem);
                Error::TransactionOver { problem }
            }
        }
    }

    fn lose(&self, why: &str) {
        let mut trouble = self.trouble_mut();
        trouble.is_shaken = true;
        trouble.lost.get_or_insert_with(|| why.to_owned());
    }

    fn trouble_mut(&self) -> MutexGuard<'_, Trouble> {
        let trouble = self.inner.trouble.lock();
        trouble.unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server says that the transaction is no more.
    fn is_end(&self, refusal: &Refusal) -> bool {
        match refusal.code() {
            "TransactionOver" | "TransactionExpired" | "ClientStalled" => true,
            // Of another thing that is not there the message names the other thing.
            "NotFound" => refusal.message().contains(&self.inner.id),
            _ => false,
        }
    }

    pub(crate) async fn commit(&self) -> Result<Option<u64>, Error> {
        self.check()?;
        if self.inner.is_busy.load(Ordering::Acquire) {
            return Err(Error::TransactionBusy);
        }
        self.inner.is_over.store(true, Ordering::Release);
        let safety = if self.inner.writes {
            Safety::MayWrite
        } else {
            Safety::Reads
        };
        let request = v1::CommitTransactionRequest {
            database: self.inner.client.database.to_string(),
            transaction_id: self.inner.id.clone(),
        };
        let committed = unary!(
            &self.inner.client,
            safety,
            transaction_service_client::TransactionServiceClient,
            commit_transaction,
            request
        );
        match committed {
            Ok(committed) => Ok(committed.sequence),
            Err(error @ Error::OutcomeUnknown { .. }) => Err(error),
            Err(error) => Err(self.note(error)),
        }
    }

    pub(crate) async fn rollback(&self) -> Result<(), Error> {
        if self.inner.is_over.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        rollback(&self.inner.client, &self.inner.id).await
    }
}

async fn rollback(client: &Client, id: &str) -> Result<(), Error> {
    let request = v1::RollbackTransactionRequest {
        database: client.database.to_string(),
        transaction_id: id.to_owned(),
    };
    let answer = unary!(
        client,
        Safety::Reads,
        transaction_service_client::TransactionServiceClient,
        rollback_transaction,
        request
    );
    match answer {
        Ok(v1::RollbackTransactionResponse {}) => Ok(()),
        // It has gone by itself.
        Err(error) if matches!(error.code(), Some("NotFound" | "TransactionOver")) => Ok(()),
        Err(error) => Err(error),
    }
}

impl Turn {
    pub(crate) fn transaction(&self) -> &Transaction {
        &self.transaction
    }

    /// The statement has been answered, or has failed.
    pub(crate) fn answered(mut self) -> Self {
        self.is_answered = true;
        self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Whoever gives up a statement that changes something before its answer does not know what a commit would hold.
        let may_have_changed = self.safety == Safety::MayWrite && self.transaction.inner.writes;
        if !self.is_answered && may_have_changed {
            self.transaction
                .lose("a statement was given up before it was answered");
        }
        self.transaction
            .inner
            .is_busy
            .store(false, Ordering::Release);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if *self.is_over.get_mut() {
            return;
        }
        // Without a runtime, and without the server's hearing of it, its idle time ends it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (client, id) = (self.client.clone(), std::mem::take(&mut self.id));
            runtime.spawn(async move {
                let _ = rollback(&client, &id).await;
            });
        }
    }
}

impl OpenTransaction {
    /// Makes what it changed durable; which commit that is, for one that writes.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the answer did not come, [`Error::TransactionOver`] if the server had rolled it back,
    /// [`Error::Refused`]: nothing has changed then.
    pub async fn commit(self) -> Result<Option<u64>, Error> {
        self.transaction.commit().await
    }

    /// Ends it without a trace.
    ///
    /// # Errors
    /// What [`Error`] has for the network. The server rolls it back by itself then.
    pub async fn rollback(self) -> Result<(), Error> {
        self.transaction.rollback().await
    }

    pub(crate) fn into_inner(self) -> Transaction {
        self.transaction
    }
}

impl Deref for OpenTransaction {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        &self.transaction
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Transaction")
            .field("id", &self.inner.id)
            .field("writes", &self.inner.writes)
            .finish_non_exhaustive()
    }
}
