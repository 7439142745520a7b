//! Declared queries: which there are, and calls of them.

use super::retrieve::Found;
use crate::Error;
use crate::call::unary;
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use stratigraph_proto::v1;

/// The queries that can be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeclaredQueries {
    /// They, by name.
    pub queries: Vec<DeclaredQuery>,
    /// Whether somebody has declared them; otherwise they are made up from the types of tables.
    pub declared: bool,
}

/// A query that can be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeclaredQuery {
    /// Its name.
    pub name: String,
    /// What it finds.
    pub description: String,
    /// The label of what it finds; empty if nobody has said.
    pub target: String,
    /// All of it as JSON, in the form in which it is declared.
    pub definition: String,
    /// It as a definition for function calling: JSON.
    pub tool: String,
}

/// A query that was declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeclaredReport {
    /// Its name.
    pub name: String,
    /// Whether it stands in the place of another.
    pub replaced: bool,
}

/// What a declared query gave.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Called {
    /// Its name.
    pub name: String,
    /// What it was called with, defaults included, as an object of JSON.
    pub arguments: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<CalledRow>,
    /// Whether there are more, which are not told.
    pub more: bool,
    /// The nodes and relationships of the rows with their receipts, each once.
    pub found: Vec<Found>,
}

/// A row of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CalledRow {
    /// An object of JSON with a value for each column.
    pub values: String,
    /// Which of what was found stands in it.
    pub found: Vec<usize>,
}

pub(super) async fn declared(client: &Client) -> Result<DeclaredQueries, Error> {
    let request = v1::ListDeclaredQueriesRequest {
        database: client.database.to_string(),
    };
    let told: v1::ListDeclaredQueriesResponse = unary!(
        client,
        Safety::Reads,
        rag_service_client::RagServiceClient,
        list_declared_queries,
        request
    )?;
    Ok(told.make())
}

pub(super) async fn declare(
    client: &Client,
    definitions: String,
) -> Result<Vec<DeclaredReport>, Error> {
    let request = v1::DeclareQueriesRequest {
        database: client.database.to_string(),
        definitions,
    };
    // Once more declares the same.
    let told: v1::DeclareQueriesResponse = unary!(
        client,
        Safety::Reads,
        rag_service_client::RagServiceClient,
        declare_queries,
        request
    )?;
    Ok(told.declared.into_iter().map(Make::make).collect())
}

pub(super) async fn undeclare(client: &Client, name: String) -> Result<bool, Error> {
    let request = v1::DropDeclaredQueryRequest {
        database: client.database.to_string(),
        name,
    };
    // Once more would say that it was not there.
    let told: v1::DropDeclaredQueryResponse = unary!(
        client,
        Safety::MayWrite,
        rag_service_client::RagServiceClient,
        drop_declared_query,
        request
    )?;
    Ok(told.dropped)
}

pub(super) async fn call(
    client: &Client,
    name: String,
    arguments: String,
    rows: u32,
) -> Result<Called, Error> {
    let request = v1::CallDeclaredQueryRequest {
        database: client.database.to_string(),
        name,
        arguments,
        rows,
    };
    let told: v1::CallDeclaredQueryResponse = unary!(
        client,
        Safety::Reads,
        rag_service_client::RagServiceClient,
        call_declared_query,
        request
    )?;
    Ok(told.make())
}

impl Made<v1::ListDeclaredQueriesResponse> for DeclaredQueries {
    fn made_of(told: v1::ListDeclaredQueriesResponse) -> Self {
        Self {
            queries: told.queries.into_iter().map(Make::make).collect(),
            declared: told.declared,
        }
    }
}

impl Made<v1::DeclaredQuery> for DeclaredQuery {
    fn made_of(told: v1::DeclaredQuery) -> Self {
        Self {
            name: told.name,
            description: told.description,
            target: told.target,
            definition: told.definition,
            tool: told.tool,
        }
    }
}

impl Made<v1::DeclaredReport> for DeclaredReport {
    fn made_of(told: v1::DeclaredReport) -> Self {
        Self {
            name: told.name,
            replaced: told.replaced,
        }
    }
}

impl Made<v1::CallDeclaredQueryResponse> for Called {
    fn made_of(told: v1::CallDeclaredQueryResponse) -> Self {
        Self {
            name: told.name,
            arguments: told.arguments,
            columns: told.columns,
            rows: told.rows.into_iter().map(Make::make).collect(),
            more: told.more,
            found: told.found.into_iter().map(Make::make).collect(),
        }
    }
}

impl Made<v1::CalledRow> for CalledRow {
    fn made_of(told: v1::CalledRow) -> Self {
        Self {
            values: told.values,
            found: told.found.into_iter().map(|at| at as usize).collect(),
        }
    }
}
