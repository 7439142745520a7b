//! Transactions as closures.
//!
//! ```text
//! begin ──> closure ──Ok──> commit ──> its value
//!   ^          │ Err: roll back
//!   └──────────┴── the transaction was lost on the way: all of it again, as often as the client may
//! ```
//! Doing it again is safe because nothing was committed: a transaction that is lost is never committed, and a commit whose
//! answer did not come is never made again. The closure's own errors are given back at once.

use crate::Error;
use crate::client::Client;
use crate::transaction::{Transaction, TransactionBuilder};
use std::future::Future;
use std::time::Duration;

impl Client {
    /// Runs a closure in a transaction that writes: commits if it gives `Ok`, rolls back if it gives `Err`.
    ///
    /// If the transaction is lost on the way (the server restarted, the connection broke before the commit), the closure runs
    /// again in a new one. So it must do nothing outside of the transaction that may not be done twice.
    ///
    /// ```no_run
    /// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
    /// let friends: i64 = client
    ///     .write(|txn| async move {
    ///         txn.query("MATCH (a:Person {name: 'Ada'}), (b:Person {name: 'Bob'}) CREATE (a)-[:KNOWS]->(b)")
    ///             .run()
    ///             .await?;
    ///         txn.query("MATCH (:Person {name: 'Ada'})-[k:KNOWS]->() RETURN count(k)").one().await
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The closure's; [`Error::OutcomeUnknown`] if the answer to the commit did not come; what beginning and
    /// committing can fail with.
    pub async fn write<T, E, F, W>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(Transaction) -> W,
        W: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        self.transaction().write(work).await
    }

    /// Runs a closure in a transaction that reads one snapshot, whatever others commit meanwhile.
    ///
    /// # Errors
    /// The closure's, and what beginning can fail with.
    pub async fn read<T, E, F, W>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(Transaction) -> W,
        W: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        self.transaction().read(work).await
    }
}

impl TransactionBuilder {
    /// As [`Client::write`], with these settings.
    ///
    /// # Errors
    /// Those of [`Client::write`].
    pub async fn write<T, E, F, W>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(Transaction) -> W,
        W: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        self.within(true, work).await
    }

    /// As [`Client::read`], with these settings.
    ///
    /// # Errors
    /// Those of [`Client::read`].
    pub async fn read<T, E, F, W>(&self, work: F) -> Result<T, E>
    where
        F: FnMut(Transaction) -> W,
        W: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        self.within(false, work).await
    }

    async fn within<T, E, F, W>(&self, writes: bool, mut work: F) -> Result<T, E>
    where
        F: FnMut(Transaction) -> W,
        W: Future<Output = Result<T, E>>,
        E: From<Error>,
    {
        let retry = self.client.inner.retry;
        let mut made = 0;
        loop {
            let begun = if writes {
                self.begin_write().await
            } else {
                self.begin_read().await
            };
            // Beginning has had its own attempts.
            let transaction = begun?.into_inner();
            let worked = work(transaction.clone()).await;
            let worked = match worked {
                // One that is lost is not committed, and says so.
                Ok(value) => match transaction.commit().await {
                    Ok(_) => return Ok(value),
                    Err(error @ Error::OutcomeUnknown { .. }) => return Err(error.into()),
                    Err(error) => Err(error.into()),
                },
                Err(error) => Err(error),
            };
            let _ = transaction.rollback().await;
            made += 1;
            let is_shaken = transaction.trouble().is_shaken;
            match retry.wait(made, Duration::ZERO).filter(|_| is_shaken) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return worked,
            }
        }
    }
}
