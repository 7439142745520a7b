//! The databases of a server.

use crate::Error;
use crate::call::unary;
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use stratigraph_proto::v1;

/// The databases of a server.
#[derive(Debug, Clone)]
pub struct Databases {
    client: Client,
}

/// A database of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DatabaseDescription {
    /// Its name.
    pub name: String,
    /// The id that it has in its files.
    pub id: String,
    /// Whether calls that name no database mean this one.
    pub is_default: bool,
}

impl Client {
    /// The databases of the server.
    #[must_use]
    pub fn databases(&self) -> Databases {
        Databases {
            client: self.clone(),
        }
    }
}

impl Databases {
    /// Creates a database. Its name is a letter, then letters, digits, `_` and `-`, at most 64, all in lower case.
    ///
    /// # Errors
    /// [`Error::Refused`], also if there is one of that name, and what [`Error`] has for the network.
    pub async fn create(&self, name: impl Into<String>) -> Result<DatabaseDescription, Error> {
        let (database, _) = self.create_one(name.into(), false).await?;
        Ok(database)
    }

    /// Creates a database if there is none of that name; whether it did.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn create_if_missing(
        &self,
        name: impl Into<String>,
    ) -> Result<(DatabaseDescription, bool), Error> {
        self.create_one(name.into(), true).await
    }

    async fn create_one(
        &self,
        database: String,
        if_missing: bool,
    ) -> Result<(DatabaseDescription, bool), Error> {
        let request = v1::CreateDatabaseRequest {
            database,
            if_missing,
        };
        let told: v1::CreateDatabaseResponse = unary!(
            &self.client,
            Safety::MayWrite,
            database_service_client::DatabaseServiceClient,
            create_database,
            request
        )?;
        let database = told.database.unwrap_or_default();
        Ok((database.make(), told.created))
    }

    /// The databases that the caller may read, by name.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn list(&self) -> Result<Vec<DatabaseDescription>, Error> {
        let request = v1::ListDatabasesRequest {};
        let told: v1::ListDatabasesResponse = unary!(
            &self.client,
            Safety::Reads,
            database_service_client::DatabaseServiceClient,
            list_databases,
            request
        )?;
        Ok(told.databases.into_iter().map(Make::make).collect())
    }

    /// Drops a database with all that is in it; whether there was one. Its backups stay.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn remove(&self, name: impl Into<String>) -> Result<bool, Error> {
        let request = v1::DropDatabaseRequest {
            database: name.into(),
            if_exists: true,
        };
        let told: v1::DropDatabaseResponse = unary!(
            &self.client,
            Safety::MayWrite,
            database_service_client::DatabaseServiceClient,
            drop_database,
            request
        )?;
        Ok(told.known)
    }
}

impl Made<v1::DatabaseDescription> for DatabaseDescription {
    fn made_of(sent: v1::DatabaseDescription) -> Self {
        Self {
            name: sent.name,
            id: sent.id,
            is_default: sent.is_default,
        }
    }
}
