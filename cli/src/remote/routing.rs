//! Declared queries at an address: what comes back is what a folder would give.

use super::Server;
use super::retrieving::found;
use crate::failure::Failure;
use serde_json::Value as Json;
use stratigraph_rag::routes::{Called, Declared};

impl Server {
    /// All that can be called, and whether somebody has declared it.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn declared(&self) -> Result<(Vec<Declared>, bool), Failure> {
        let told = self.runtime.block_on(self.client.rag().declared());
        let told = told.map_err(|error| self.failure(&error, ""))?;
        let queries = told.queries.iter().map(|one| read(&one.definition));
        Ok((queries.collect::<Result<_, _>>()?, told.declared))
    }

    /// Declares queries; of each whether it stands in the place of another.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn declare(&self, all: &[Declared]) -> Result<Vec<bool>, Failure> {
        let definitions = serde_json::to_string(all).unwrap_or_default();
        let told = self
            .runtime
            .block_on(self.client.rag().declare(definitions));
        let told = told.map_err(|error| self.failure(&error, ""))?;
        Ok(told.into_iter().map(|one| one.replaced).collect())
    }

    /// Drops a declared query; whether there was one.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn undeclare(&self, name: &str) -> Result<bool, Failure> {
        let told = self.runtime.block_on(self.client.rag().undeclare(name));
        Ok(told.map_err(|error| self.failure(&error, ""))?)
    }

    /// Calls a declared query.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn call(&self, name: &str, arguments: &Json, rows: u32) -> Result<Called, Failure> {
        let rag = self.client.rag();
        let told = self
            .runtime
            .block_on(rag.call(name, arguments.to_string(), rows));
        let told = told.map_err(|error| self.failure(&error, ""))?;
        let in_rows = told.rows.iter().map(|row| row.found.clone()).collect();
        let rows = told.rows.iter().map(|row| read(&row.values));
        Ok(Called {
            name: told.name,
            arguments: read(&told.arguments)?,
            columns: told.columns,
            rows: rows.collect::<Result<_, _>>()?,
            more: told.more,
            found: { told.found.into_iter().map(found) }.collect::<Result<_, _>>()?,
            in_rows,
        })
    }
}

/// JSON of a server.
fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| {
        Failure::Usage(format!(
            "the server says what this version does not know, {error}: take a newer one"
        ))
    })
}
