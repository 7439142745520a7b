//! A stream of parts that a task of its own carries to the server, as whoever writes it holds it.

use crate::Error;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Parts on their way, and what will come of all of them. When it is dropped, the stream is reset.
pub(crate) struct Carried<P, V> {
    parts: Option<mpsc::Sender<P>>,
    carrier: JoinHandle<Result<V, Error>>,
    /// What ended it.
    error: Option<Error>,
}

impl<P, V> Carried<P, V> {
    /// Parts that this task carries.
    pub(crate) fn new(parts: mpsc::Sender<P>, carrier: JoinHandle<Result<V, Error>>) -> Self {
        Self {
            parts: Some(parts),
            carrier,
            error: None,
        }
    }

    /// What ended it, if something has.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)
    }

    /// Sends a part, and waits while the server is busy with those before it.
    pub(crate) async fn send(&mut self, part: P) -> Result<(), Error> {
        self.check()?;
        let sent = match &self.parts {
            Some(parts) => parts.send(part).await.is_ok(),
            None => false,
        };
        if sent {
            return Ok(());
        }
        self.parts = None;
        let error = match self.end().await {
            Err(error) => error,
            Ok(_) => Error::protocol("an end before everything was sent"),
        };
        self.error = Some(error.clone());
        Err(error)
    }

    /// Sends the last part, and waits for what comes of all of them.
    pub(crate) async fn finish(mut self, last: P) -> Result<V, Error> {
        self.check()?;
        if let Some(parts) = self.parts.take() {
            // A carrier that has gone says why below.
            let _ = parts.send(last).await;
        }
        self.end().await
    }

    async fn end(&mut self) -> Result<V, Error> {
        (&mut self.carrier).await.unwrap_or_else(|_| {
            // What somebody does with what is heard, if anything.
            Err(Error::protocol("the task of the stream has panicked"))
        })
    }
}

impl<P, V> Drop for Carried<P, V> {
    fn drop(&mut self) {
        // So that the server does not wait for more.
        self.carrier.abort();
    }
}
