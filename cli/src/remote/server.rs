//! A database of a server: statements, and a transaction that may be open there.
//!
//! The client connects again by itself. Here it is said what that means for whoever talks: a statement that only reads
//! is sent again, one that may have written is not, and a transaction that the server does not have any more is lost.
//!
//! Next: `coming.rs`.

use super::access::{Access, usage};
use super::address::Address;
use super::coming::{Coming, unless_cancelled};
use super::reading::Nature;
use super::refused::RemoteFailure;
use super::values;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::statements::{Asked, Building, IDLE, Place, TOTAL, Take, UNDER_WAY, building, took};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Error as EngineError, Value};
use stratigraph_client::value::Value as Sent;
use stratigraph_client::{Client, Error, OpenTransaction, Query};
use tokio::runtime::{Builder, Runtime};

/// How long what the conversation itself asks may take: somebody waits for the prompt.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it may take to tell the server that nobody wants a transaction; it finds out by itself else.
const FAREWELL: Duration = Duration::from_secs(2);
/// How often somebody is told how far the server is.
const OFTEN: Duration = Duration::from_millis(100);
/// A statement that every server answers, to see at once whether this one does.
const HELLO: &str = "RETURN 1 AS hello";

/// A database of a server, and its transaction that may be open.
pub(crate) struct Server {
    /// Its one thread keeps the connection alive while somebody types.
    pub(super) runtime: Runtime,
    pub(super) client: Client,
    pub(super) address: String,
    read_only: bool,
    open: Option<OpenTransaction>,
}

/// How a server is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Statements that change something are refused.
    pub(crate) read_only: bool,
    /// A database that is not there is made.
    pub(crate) create: bool,
}

impl Server {
    /// Connects, and sees whether the database answers.
    ///
    /// # Errors
    /// What was said does not fit together; the server cannot be reached or refuses.
    pub(crate) fn open(
        address: &Address,
        access: &Access,
        manner: Manner,
        cancel: &CancelToken,
    ) -> Result<Self, Failure> {
        let builder = access.client(address)?;
        let database = access.database(address)?;
        if manner.create && database.is_empty() {
            return Err(Failure::Usage(
                "a server has its default database already: name the one to --create with --database"
                    .to_owned(),
            ));
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("connection")
            .enable_all()
            .build()
            .map_err(|error| {
                let message = format!("cannot start the thread of the connection: {error}");
                RemoteFailure::other(message, Exit::Unavailable, "unavailable")
            })?;
        let connected = runtime.block_on(unless_cancelled(cancel, builder.connect()));
        let client = match connected {
            None => return Err(EngineError::Cancelled.into()),
            Some(Err(error @ Error::Settings { .. })) => return Err(usage(&error)),
            Some(Err(error)) => return Err(RemoteFailure::of(&error, &address.shown, "").into()),
            Some(Ok(client)) => client,
        };
        let server = Self {
            runtime,
            client,
            address: address.shown.clone(),
            read_only: manner.read_only,
            open: None,
        };
        if manner.create {
            let databases = server.client.databases();
            let created = server.until(cancel, databases.create_if_missing(database))?;
            created.map_err(|error| server.failure(&error, ""))?;
        }
        let hello = server.client.query(HELLO).read_only().run();
        let hello = server.until(cancel, hello)?;
        hello.map_err(|error| server.failure(&error, HELLO))?;
        Ok(server)
    }

    /// Connects if what stands in the place of a folder is an address.
    ///
    /// # Errors
    /// As [`open`](Self::open), and as [`Address::in_place_of`].
    pub(crate) fn if_address(
        dir: &Path,
        access: &Access,
        of_models: Option<&str>,
        read_only: bool,
        cancel: &CancelToken,
    ) -> Result<Option<Self>, Failure> {
        let Some(address) = Address::in_place_of(dir, access, of_models)? else {
            return Ok(None);
        };
        let manner = Manner {
            read_only,
            create: false,
        };
        Self::open(&address, access, manner, cancel).map(Some)
    }

    /// The name of the database; empty for the default one.
    pub(crate) fn database(&self) -> &str {
        self.client.database_name()
    }

    /// What an error of the client means.
    pub(super) fn failure(&self, error: &Error, text: &str) -> RemoteFailure {
        RemoteFailure::of(error, &self.address, text)
    }

    /// Waits for the server, or for Ctrl-C.
    pub(super) fn until<T>(
        &self,
        cancel: &CancelToken,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let done = self.runtime.block_on(unless_cancelled(cancel, work));
        done.ok_or_else(|| EngineError::Cancelled.into())
    }

    /// The same; `told` gets the last of what was heard of the work until now, every now and then.
    pub(super) fn until_hearing<T, P>(
        &self,
        cancel: &CancelToken,
        work: impl Future<Output = T>,
        heard: &mpsc::Receiver<P>,
        told: &mut dyn FnMut(P),
    ) -> Result<T, Failure> {
        self.until(cancel, async {
            let mut work = std::pin::pin!(work);
            let mut every = tokio::time::interval(OFTEN);
            loop {
                let done = tokio::select! {
                    done = &mut work => Some(done),
                    _ = every.tick() => None,
                };
                if let Some(now) = heard.try_iter().last() {
                    told(now);
                }
                if let Some(done) = done {
                    return done;
                }
            }
        })
    }

    fn query(&self, asked: &Asked<'_>, nature: Nature) -> Result<Query, Failure> {
        let mut query = match &self.open {
            Some(transaction) => transaction.query(asked.text),
            None => self.client.query(asked.text),
        };
        if self.read_only || nature.only_reads {
            query = query.read_only();
        }
        if let Some(time) = asked.limits.time {
            query = query.statement_timeout(time);
        }
        if let Some(rows) = asked.limits.rows {
            query = query.max_rows(rows);
        }
        let mut parameters: BTreeMap<&str, Sent> = BTreeMap::new();
        for (name, value) in asked.parameters.iter() {
            let sent = values::sent(value).map_err(|reason| Failure::BadParameter {
                what: format!("${name}"),
                reason,
            })?;
            parameters.insert(name, sent);
        }
        Ok(query.params(parameters))
    }

    /// Runs a statement; an error may have ended the transaction.
    fn answered(&self, asked: Asked<'_>, take: Take<'_>) -> Result<(), Failure> {
        let nature = Nature::of(asked.text);
        let query = self.query(&asked, nature)?;
        let _shown = Building::show(asked.text, || self.watch());
        let sent = self
            .runtime
            .block_on(unless_cancelled(asked.cancel, query.rows()));
        let rows = match sent {
            Some(Ok(rows)) => rows,
            Some(Err(error)) => {
                let in_transaction = self.open.is_some();
                return Err(match &error {
                    // It may live on for a while over there, but nobody here can know.
                    Error::Connect { .. } if in_transaction => {
                        let why = self.failure(&error, asked.text);
                        RemoteFailure::lost(&why.to_string())
                    }
                    error => self.failure(error, asked.text),
                }
                .into());
            }
            None if nature.only_reads || self.open.is_none() => {
                return Err(EngineError::Cancelled.into());
            }
            None => return Err(RemoteFailure::lost_by_cancelling().into()),
        };
        let columns = rows.columns().iter().map(|name| Arc::from(&**name));
        take(&mut Coming {
            runtime: &self.runtime,
            cancel: asked.cancel,
            address: &self.address,
            text: asked.text,
            nature,
            columns: columns.collect(),
            rows,
        })
    }

    /// Asks beside a statement how far the server is with building what it declares.
    fn watch(&self) -> impl FnMut() -> Option<(String, u64)> + Send + 'static {
        let (client, runtime) = (self.client.clone(), self.runtime.handle().clone());
        move || {
            let query = client.query(UNDER_WAY).read_only().timeout(PATIENCE);
            let row = runtime.block_on(async { query.rows().await.ok()?.next().await.ok()? })?;
            let values = row.into_values().into_iter().map(values::received);
            building(&values.collect::<Result<Vec<Value>, _>>().ok()?)
        }
    }

    /// Lets go of the transaction. The server is told, if it listens.
    fn let_go(&mut self) {
        if let Some(open) = self.open.take() {
            let told = async { tokio::time::timeout(FAREWELL, open.rollback()).await };
            if let Ok(Err(error)) = self.runtime.block_on(told) {
                tracing::debug!(%error, "the server was not told of the end of a transaction");
            }
        }
    }
}

impl Place for Server {
    fn run(&mut self, asked: Asked<'_>, take: Take<'_>) -> Result<(), Failure> {
        let answered = self.answered(asked, take);
        if let Err(Failure::Remote(failure)) = &answered
            && failure.has_lost_transaction()
        {
            self.let_go();
        }
        answered
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn begin(&mut self, cancel: &CancelToken) -> Result<String, Failure> {
        // As over a folder, if the server allows it.
        let settings = self.client.transaction();
        let settings = settings.idle_timeout(IDLE).total_timeout(TOTAL);
        let begun = self.until(cancel, async {
            if self.read_only {
                settings.begin_read().await
            } else {
                settings.begin_write().await
            }
        })?;
        let open = begun.map_err(|error| self.failure(&error, ""))?;
        let (idle, total) = (took(open.idle_timeout()), took(open.total_timeout()));
        self.open = Some(open);
        Ok(format!(
            "the server rolls it back when it rests for {idle} or lasts for {total} (its max_transaction_idle and max_transaction_time)"
        ))
    }

    fn end(&mut self, commit: bool) -> Result<(), Failure> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        if !commit {
            // The server finds out by itself if it does not hear of it: nothing is kept in any case.
            self.open = Some(open);
            self.let_go();
            return Ok(());
        }
        match self.runtime.block_on(open.commit()) {
            Ok(_) => Ok(()),
            Err(error @ Error::Connect { .. }) => {
                let why = self.failure(&error, "");
                Err(RemoteFailure::lost(&why.to_string()).into())
            }
            Err(error) => Err(self.failure(&error, "").into()),
        }
    }

    fn look(&self, text: &str) -> Result<Vec<Vec<Value>>, Failure> {
        let query = self.client.query(text).read_only().timeout(PATIENCE);
        let rows = self.runtime.block_on(async {
            let mut rows = query.rows().await?;
            let mut all = Vec::new();
            while let Some(row) = rows.next().await? {
                all.push(row.into_values());
            }
            Ok(all)
        });
        let rows = rows.map_err(|error: Error| self.failure(&error, text))?;
        let rows = rows.into_iter().map(|row| {
            let values = row.into_iter().map(values::received);
            values.collect::<Result<Vec<Value>, String>>()
        });
        let rows = rows.collect::<Result<_, _>>();
        rows.map_err(|problem| RemoteFailure::other(problem, Exit::Bug, "bug").into())
    }

    fn close(mut self: Box<Self>) -> Result<(), Failure> {
        self.let_go();
        self.runtime.shutdown_background();
        Ok(())
    }
}
