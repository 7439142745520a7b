//! Who made a call, and what for: put into the call's extensions by the door, taken out by every method.
//!
//! A database is had only from [`Caller::database`], which asks for the role that the method needs. So a method that
//! forgets to ask cannot get at data.

use crate::auth::{EVERY_DATABASE, Identity, Role};
use crate::databases::{OpenDatabase, is_name};
use crate::failure::Failure;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Instant;

/// A call.
#[derive(Clone)]
pub(crate) struct Caller {
    /// Who makes it.
    pub(crate) identity: Arc<Identity>,
    /// The id of the request.
    pub(crate) request_id: Arc<str>,
    /// The role that the method needs; none if anybody may call it.
    pub(crate) needs: Option<Role>,
    /// When it came.
    pub(crate) began: Instant,
    /// Until when the client waits.
    pub(crate) deadline: Option<Instant>,
}

impl Caller {
    /// The caller of a request.
    pub(crate) fn of<T>(request: &tonic::Request<T>) -> Result<Self, Failure> {
        let caller = request.extensions().get::<Self>().cloned();
        caller.ok_or(Failure::Bug {
            what: "a call came in past the door",
        })
    }

    /// Who asks, for what, and the database that the request names.
    pub(crate) fn asks<T>(
        shared: &Shared,
        request: tonic::Request<T>,
        database: impl FnOnce(&T) -> &str,
    ) -> Result<(Self, T, Arc<OpenDatabase>), Failure> {
        let caller = Self::of(&request)?;
        let asked = request.into_inner();
        let database = caller.database(shared, database(&asked))?;
        Ok((caller, asked, database))
    }

    /// The database of that name, or the default one, if the caller has the role that the method needs on it.
    pub(crate) fn database(
        &self,
        shared: &Shared,
        name: &str,
    ) -> Result<Arc<OpenDatabase>, Failure> {
        let name = self.database_name(shared, name)?;
        shared
            .databases
            .get(name)
            .ok_or_else(|| Failure::NoDatabase {
                name: name.to_owned(),
            })
    }

    /// The name of a database that may not be there (any more), if the caller has the role on it.
    pub(crate) fn database_name<'a>(
        &self,
        shared: &'a Shared,
        name: &'a str,
    ) -> Result<&'a str, Failure> {
        let name = if name.is_empty() {
            &shared.config.default_database
        } else {
            name
        };
        if !is_name(name) {
            return Err(crate::databases::bad_name("database"));
        }
        // Before it is looked for: who may not see it does not learn whether it is there.
        self.require_method(name)?;
        Ok(name)
    }

    /// The role that the method needs, on a database.
    fn require_method(&self, database: &str) -> Result<(), Failure> {
        self.needs
            .map_or(Ok(()), |needs| self.require(needs, database))
    }

    /// The role that the method needs, on the server as a whole.
    pub(crate) fn require_everywhere(&self) -> Result<(), Failure> {
        self.require_method(EVERY_DATABASE)
    }

    /// A role on a database.
    pub(crate) fn require(&self, needs: Role, database: &str) -> Result<(), Failure> {
        if self
            .identity
            .role_on(database)
            .is_some_and(|role| role >= needs)
        {
            return Ok(());
        }
        Err(Failure::Denied {
            needs,
            database: database.to_owned(),
        })
    }
}
