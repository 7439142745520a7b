//! Statements that the server has read and planned, and statements that a database keeps under names.

use crate::Error;
use crate::call::unary;
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use crate::query::{Query, Source};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use stratigraph_proto::v1;

/// A statement that the server has read and planned. Cloning it is cheap.
///
/// The server forgets statements that nobody has used for a while; it is prepared again by itself then.
#[derive(Clone)]
pub struct Prepared {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    text: String,
    /// The id changes when it is prepared again.
    id: Mutex<String>,
    parameters: Vec<String>,
    columns: Vec<String>,
    writes: bool,
}

impl Client {
    /// Has a statement read and planned, to run it often.
    ///
    /// # Errors
    /// [`Error::Refused`] if it has a mistake, with its place, and what [`Error`] has for the network.
    pub async fn prepare(&self, text: impl Into<String>) -> Result<Prepared, Error> {
        let text = text.into();
        let told = prepare(self, &text).await?;
        Ok(Prepared {
            inner: Arc::new(Inner {
                client: self.clone(),
                text,
                id: Mutex::new(told.prepared_id),
                parameters: told.parameters,
                columns: told.columns,
                writes: told.writes,
            }),
        })
    }

    /// The statements that the database keeps under names.
    #[must_use]
    pub fn named_queries(&self) -> NamedQueries {
        NamedQueries {
            client: self.clone(),
        }
    }
}

async fn prepare(client: &Client, text: &str) -> Result<v1::PrepareStatementResponse, Error> {
    let request = v1::PrepareStatementRequest {
        database: client.database.to_string(),
        text: text.to_owned(),
    };
    unary!(
        client,
        Safety::Reads,
        query_service_client::QueryServiceClient,
        prepare_statement,
        request
    )
}

impl Prepared {
    /// The statement, to be given parameters and run.
    pub fn query(&self) -> Query {
        Query::new(self.inner.client.clone(), Source::Prepared(self.clone()))
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The names of the parameters that it needs.
    #[must_use]
    pub fn parameters(&self) -> &[String] {
        &self.inner.parameters
    }

    /// The names of the columns that it gives.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.inner.columns
    }

    /// Whether it changes data or declarations.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.inner.writes
    }

    /// Has the server forget it; whether it was known.
    ///
    /// # Errors
    /// What [`Error`] has for the network.
    pub async fn forget(self) -> Result<bool, Error> {
        let client = &self.inner.client;
        let request = v1::ForgetStatementRequest {
            database: client.database.to_string(),
            prepared_id: self.id(),
        };
        let told: v1::ForgetStatementResponse = unary!(
            client,
            Safety::Reads,
            query_service_client::QueryServiceClient,
            forget_statement,
            request
        )?;
        Ok(told.known)
    }

    pub(crate) fn id(&self) -> String {
        let id = self.inner.id.lock();
        id.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the server says that it does not know that id.
    pub(crate) fn is_forgotten(&self, error: &Error, id: &str) -> bool {
        let refusal = error.refusal();
        refusal.is_some_and(|said| said.code() == "NotFound" && said.message().contains(id))
    }

    pub(crate) async fn prepare_again(&self) -> Result<(), Error> {
        let told = prepare(&self.inner.client, &self.inner.text).await?;
        let id = self.inner.id.lock();
        *id.unwrap_or_else(PoisonError::into_inner) = told.prepared_id;
        Ok(())
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Prepared")
            .field("text", &self.inner.text)
            .finish_non_exhaustive()
    }
}

/// The statements that a database keeps under names.
#[derive(Debug, Clone)]
pub struct NamedQueries {
    client: Client,
}

/// A statement that a database keeps under a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct NamedQuery {
    /// Its name: a letter, then letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What it is for.
    pub description: String,
    /// The names of the parameters that it needs.
    pub parameters: Vec<String>,
    /// Whether it changes data or declarations.
    pub writes: bool,
}

impl NamedQueries {
    /// Keeps a statement under a name, for all who may use the database. One of the same name is replaced.
    ///
    /// # Errors
    /// [`Error::Refused`] if it has a mistake, and what [`Error`] has for the network.
    pub async fn save(
        &self,
        name: impl Into<String>,
        text: impl Into<String>,
        description: impl Into<String>,
    ) -> Result<NamedQuery, Error> {
        let client = &self.client;
        let request = v1::SaveNamedQueryRequest {
            database: client.database.to_string(),
            query: Some(v1::NamedQuery {
                name: name.into(),
                text: text.into(),
                description: description.into(),
                ..v1::NamedQuery::default()
            }),
        };
        // Keeping the same under the same name twice is keeping it once.
        let told: v1::SaveNamedQueryResponse = unary!(
            client,
            Safety::Reads,
            query_service_client::QueryServiceClient,
            save_named_query,
            request
        )?;
        let query = told
            .query
            .ok_or_else(|| Error::protocol("no query in the answer"))?;
        Ok(query.make())
    }

    /// All of them, by name.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn list(&self) -> Result<Vec<NamedQuery>, Error> {
        let client = &self.client;
        let request = v1::ListNamedQueriesRequest {
            database: client.database.to_string(),
        };
        let told: v1::ListNamedQueriesResponse = unary!(
            client,
            Safety::Reads,
            query_service_client::QueryServiceClient,
            list_named_queries,
            request
        )?;
        Ok(told.queries.into_iter().map(NamedQuery::made_of).collect())
    }

    /// Removes one; whether it was there.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn remove(&self, name: impl Into<String>) -> Result<bool, Error> {
        let client = &self.client;
        let request = v1::DropNamedQueryRequest {
            database: client.database.to_string(),
            name: name.into(),
        };
        // Done twice, the second answer would say that it was not there.
        let told: v1::DropNamedQueryResponse = unary!(
            client,
            Safety::MayWrite,
            query_service_client::QueryServiceClient,
            drop_named_query,
            request
        )?;
        Ok(told.known)
    }
}

impl Made<v1::NamedQuery> for NamedQuery {
    fn made_of(sent: v1::NamedQuery) -> Self {
        Self {
            name: sent.name,
            text: sent.text,
            description: sent.description,
            parameters: sent.parameters,
            writes: sent.writes,
        }
    }
}
