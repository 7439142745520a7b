//! A statement on its way to the server.

use crate::call::{Call, stub};
use crate::client::Client;
use crate::error::Safety;
use crate::prepared::Prepared;
use crate::rows::{Parts, Rows};
use crate::transaction::Transaction;
use crate::value::{Value, map_to_wire, to_value};
use crate::{Error, Summary};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::time::Duration;
use stratigraph_proto::v1;

/// A statement with its parameters and settings. Nothing is sent before [`Query::rows`] or one of its kin.
///
/// ```no_run
/// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
/// #[derive(serde::Deserialize)]
/// struct Person {
///     name: String,
///     born: Option<i64>,
/// }
///
/// let people: Vec<Person> = client
///     .query("MATCH (p:Person) WHERE p.born > $year RETURN p.name AS name, p.born AS born")
///     .param("year", 1900)
///     .read_only()
///     .all()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a statement does nothing until it is run"]
pub struct Query {
    target: Target,
    source: Source,
    parameters: Result<BTreeMap<String, Value>, Error>,
    options: v1::QueryOptions,
    timeout: Option<Duration>,
}

/// Where the statement is.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Text(String),
    Prepared(Prepared),
    Name(String),
}

/// Where it runs.
#[derive(Debug, Clone)]
enum Target {
    Client(Client),
    Transaction(Transaction),
}

impl Query {
    pub(crate) fn new(client: Client, source: Source) -> Self {
        Self::on(Target::Client(client), source)
    }

    pub(crate) fn within(transaction: Transaction, source: Source) -> Self {
        Self::on(Target::Transaction(transaction), source)
    }

    fn on(target: Target, source: Source) -> Self {
        Self {
            target,
            source,
            parameters: Ok(BTreeMap::new()),
            options: v1::QueryOptions::default(),
            timeout: None,
        }
    }

    /// What `$name` stands for: anything that serde can take apart, or a [`Value`].
    pub fn param(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        if let Ok(parameters) = &mut self.parameters {
            let name = name.into();
            match to_value(&value) {
                Ok(value) => {
                    parameters.insert(name, value);
                }
                Err(error) => {
                    self.parameters = Err(Error::Parameter {
                        name,
                        problem: error.to_string(),
                    });
                }
            }
        }
        self
    }

    /// What several `$names` stand for: the fields of a structure, or what is in a map.
    pub fn params(mut self, values: impl Serialize) -> Self {
        if let Ok(parameters) = &mut self.parameters {
            let problem = match to_value(&values) {
                Ok(Value::Map(entries)) => {
                    parameters.extend(entries);
                    return self;
                }
                Ok(other) => format!(
                    "parameters are a structure or a map, and not {}",
                    other.kind()
                ),
                Err(error) => error.to_string(),
            };
            self.parameters = Err(Error::Parameter {
                name: "*".to_owned(),
                problem,
            });
        }
        self
    }

    /// Says that the statement changes nothing: the server refuses it otherwise, and the client makes the call again when the
    /// connection breaks, which it does not do with a statement that may have changed something.
    pub fn read_only(mut self) -> Self {
        self.options.read_only = true;
        self
    }

    /// How long the call may take with all its attempts, and reading the rows. The server stops at that time too.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How long the statement may run, which the server alone minds: it says then what was too slow. Without it that is as
    /// long as the call may take.
    pub fn statement_timeout(mut self, timeout: Duration) -> Self {
        let milliseconds = timeout.as_millis().max(1);
        self.options.timeout_ms = Some(u64::try_from(milliseconds).unwrap_or(u64::MAX));
        self
    }

    /// How many rows it may give; one that gives more fails.
    pub fn max_rows(mut self, rows: u64) -> Self {
        self.options.max_rows = Some(rows);
        self
    }

    /// How many bytes of rows the server may hold for it.
    pub fn memory_bytes(mut self, bytes: u64) -> Self {
        self.options.memory_bytes = Some(bytes);
        self
    }

    /// How many rows a message may carry at most.
    pub fn batch_rows(mut self, rows: u32) -> Self {
        self.options.batch_rows = Some(rows);
        self
    }

    /// What `rand()` begins with: the same seed gives the same numbers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.options.seed = Some(seed);
        self
    }

    /// Runs it. Rows come as they are read; what is not read is not sent.
    ///
    /// A statement that writes has committed when this returns, or has changed nothing.
    ///
    /// # Errors
    /// [`Error::Refused`] if the server refuses, [`Error::OutcomeUnknown`] if its answer did not come and the
    /// statement may be one that writes, and what [`Error`] has for the network and the parameters.
    pub async fn rows(self) -> Result<Rows, Error> {
        if let Source::Prepared(prepared) = &self.source {
            let (prepared, id, again) = (prepared.clone(), prepared.id(), self.clone());
            return match self.send().await {
                // The server forgets what nobody has used for a while, and has changed nothing.
                Err(error) if prepared.is_forgotten(&error, &id) => {
                    prepared.prepare_again().await?;
                    again.send().await
                }
                answer => answer,
            };
        }
        self.send().await
    }

    /// Runs it, and gives every row as a `T`.
    ///
    /// # Errors
    /// Those of [`Query::rows`], and [`Error::Type`] if a row is no `T`.
    pub async fn all<T: DeserializeOwned>(self) -> Result<Vec<T>, Error> {
        let mut rows = self.rows().await?.deserialize::<T>();
        let mut all = Vec::new();
        while let Some(one) = rows.next().await? {
            all.push(one);
        }
        Ok(all)
    }

    /// Runs it, and gives its only row.
    ///
    /// # Errors
    /// Those of [`Query::all`], and [`Error::RowCount`] if there is no row, or more than one.
    pub async fn one<T: DeserializeOwned>(self) -> Result<T, Error> {
        self.optional().await?.ok_or(Error::RowCount {
            wanted: "one row",
            came: "none came",
        })
    }

    /// Runs it, and gives its only row, if there is one.
    ///
    /// # Errors
    /// Those of [`Query::all`], and [`Error::RowCount`] if there is more than one.
    pub async fn optional<T: DeserializeOwned>(self) -> Result<Option<T>, Error> {
        let mut rows = self.rows().await?.deserialize::<T>();
        let first = rows.next().await?;
        if first.is_some() && rows.next().await?.is_some() {
            return Err(Error::RowCount {
                wanted: "one row at most",
                came: "more came",
            });
        }
        Ok(first)
    }

    /// Runs it for what it changes, and reads its rows away.
    ///
    /// # Errors
    /// Those of [`Query::rows`], and what ends the rows.
    pub async fn run(self) -> Result<Summary, Error> {
        self.rows().await?.finish().await
    }

    /// Plans it without running it: the summary has the plan.
    ///
    /// # Errors
    /// Those of [`Query::rows`].
    pub async fn explain(mut self) -> Result<Summary, Error> {
        self.options.mode = v1::ExecutionMode::Explain.into();
        self.run().await
    }

    /// Runs it, changes included, and says what each operator did.
    ///
    /// # Errors
    /// Those of [`Query::rows`].
    pub async fn profile(mut self) -> Result<Summary, Error> {
        self.options.mode = v1::ExecutionMode::Profile.into();
        self.run().await
    }

    fn safety(&self) -> Safety {
        let is_planned_only = self.options.mode == i32::from(v1::ExecutionMode::Explain);
        let reads = match &self.source {
            Source::Prepared(prepared) => !prepared.writes(),
            Source::Text(_) | Source::Name(_) => false,
        };
        let is_reader = matches!(&self.target, Target::Transaction(one) if !one.writes());
        if is_planned_only || reads || is_reader || self.options.read_only {
            Safety::Reads
        } else {
            Safety::MayWrite
        }
    }

    async fn send(self) -> Result<Rows, Error> {
        let safety = self.safety();
        let parameters = map_to_wire(self.parameters?).map_err(|error| Error::Parameter {
            name: "*".to_owned(),
            problem: error.to_string(),
        })?;
        let source = match self.source {
            Source::Text(text) => v1::statement::Source::Text(text),
            Source::Prepared(prepared) => v1::statement::Source::PreparedId(prepared.id()),
            Source::Name(name) => v1::statement::Source::Name(name),
        };
        let statement = Some(v1::Statement {
            source: Some(source),
        });
        let mut options = self.options;
        match self.target {
            Target::Client(client) => {
                let call = Call::new(&client, safety, self.timeout);
                options.timeout_ms = options.timeout_ms.or(call.allowed_ms());
                let request = v1::QueryRequest {
                    database: client.database.to_string(),
                    statement,
                    parameters,
                    options: Some(options),
                };
                Rows::open(call, None, |attempt| {
                    let request = request.clone();
                    async move {
                        let mut stub = stub!(attempt, query_service_client::QueryServiceClient);
                        let answer = stub.query(attempt.request(request)?).await?;
                        Ok(Parts::Query(answer.into_inner()))
                    }
                })
                .await
            }
            Target::Transaction(transaction) => {
                let turn = transaction.turn(safety)?;
                let call = Call::new(transaction.client(), safety, self.timeout);
                options.timeout_ms = options.timeout_ms.or(call.allowed_ms());
                let request = v1::RunInTransactionRequest {
                    database: transaction.client().database.to_string(),
                    transaction_id: transaction.id().to_owned(),
                    statement,
                    parameters,
                    options: Some(options),
                };
                Rows::open(call, Some(turn), |attempt| {
                    let request = request.clone();
                    async move {
                        let mut stub = stub!(
                            attempt,
                            transaction_service_client::TransactionServiceClient
                        );
                        let answer = stub.run_in_transaction(attempt.request(request)?).await?;
                        Ok(Parts::Transaction(answer.into_inner()))
                    }
                })
                .await
            }
        }
    }
}
