//! Looking after a database: backups, checks, statistics, and what runs.
//!
//! `describe.rs` has what comes back.

mod describe;

pub use describe::{
    Backup, CheckFinding, CheckReport, CompactReport, FamilyStatistics, Progress, RunningQuery,
    SlowQuery, Statistics,
};

use crate::Error;
use crate::call::{Call, stub, unary};
use crate::client::Client;
use crate::error::Safety;
use crate::made::Make;
use stratigraph_proto::v1;

/// Looking after a database. Needs the right to administer it.
#[derive(Debug, Clone)]
pub struct Admin {
    client: Client,
}

impl Client {
    /// Looking after the database.
    #[must_use]
    pub fn admin(&self) -> Admin {
        Admin {
            client: self.clone(),
        }
    }
}

/// Long work: a stream of how far it is, and one result.
macro_rules! work {
    ($admin:expr, $safety:expr, $method:ident, $request:expr, $parts:ident :: $done:ident, $on_progress:expr) => {{
        let call = Call::new(&$admin.client.with_timeout(None), $safety, None).once();
        let attempt = call.attempt();
        let mut stub = stub!(attempt, admin_service_client::AdminServiceClient);
        let mut on_progress = $on_progress;
        let worked = call
            .in_time(async {
                let answer = stub.$method(attempt.request($request)?).await?;
                let mut parts = answer.into_inner();
                while let Some(told) = parts.message().await? {
                    match told.part {
                        Some(v1::$parts::Part::Progress(progress)) => on_progress(progress.make()),
                        Some(v1::$parts::Part::$done(done)) => return Ok(Some(done)),
                        None => {}
                    }
                }
                Ok(None)
            })
            .await;
        match worked {
            Some(Ok(Some(done))) => Ok(done.make()),
            Some(Ok(None)) => Err(Error::Interrupted {
                request_id: call.request_id.clone(),
                rows: 0,
                problem: "the work ended without its result".to_owned(),
                may_have_written: call.safety == Safety::MayWrite,
            }),
            Some(Err(status)) => Err(call.failure(&status).error),
            None => Err(call.too_late()),
        }
    }};
}

impl Admin {
    /// Backs the database up, beside the backups that are there. Readers and writers go on meanwhile.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::OutcomeUnknown`] if the end of it did not come, and what [`Error`] has for the
    /// network.
    pub async fn backup(&self, on_progress: impl FnMut(Progress)) -> Result<Backup, Error> {
        let request = v1::BackupDatabaseRequest {
            database: self.client.database.to_string(),
        };
        work!(
            self,
            Safety::MayWrite,
            backup_database,
            request,
            backup_database_response::Backup,
            on_progress
        )
    }

    /// The backups of the database, by number. It may have been dropped.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn backups(&self) -> Result<Vec<Backup>, Error> {
        let request = v1::ListBackupsRequest {
            database: self.client.database.to_string(),
        };
        let told: v1::ListBackupsResponse = unary!(
            &self.client,
            Safety::Reads,
            admin_service_client::AdminServiceClient,
            list_backups,
            request
        )?;
        Ok(told.backups.into_iter().map(Make::make).collect())
    }

    /// Makes a new database of a backup; of the latest, if no number is given.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::OutcomeUnknown`] if the end of it did not come, and what [`Error`] has for the
    /// network.
    pub async fn restore(
        &self,
        number: Option<u64>,
        new_database: impl Into<String>,
        on_progress: impl FnMut(Progress),
    ) -> Result<Backup, Error> {
        let request = v1::RestoreDatabaseRequest {
            database: self.client.database.to_string(),
            number,
            new_database: new_database.into(),
        };
        work!(
            self,
            Safety::MayWrite,
            restore_database,
            request,
            restore_database_response::Backup,
            on_progress
        )
    }

    /// Reads all of the database and says what is not as it should be.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn check(&self, on_progress: impl FnMut(Progress)) -> Result<CheckReport, Error> {
        let request = v1::CheckDatabaseRequest {
            database: self.client.database.to_string(),
        };
        work!(
            self,
            Safety::Reads,
            check_database,
            request,
            check_database_response::Report,
            on_progress
        )
    }

    /// Rewrites the files of the database without what was deleted and overwritten.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn compact(&self, on_progress: impl FnMut(Progress)) -> Result<CompactReport, Error> {
        let request = v1::CompactDatabaseRequest {
            database: self.client.database.to_string(),
        };
        // It changes no data, so that it may be done twice.
        work!(
            self,
            Safety::Reads,
            compact_database,
            request,
            compact_database_response::Report,
            on_progress
        )
    }

    /// How large the database is and what it has done.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn statistics(&self) -> Result<Statistics, Error> {
        let request = v1::GetStatisticsRequest {
            database: self.client.database.to_string(),
        };
        let told: v1::GetStatisticsResponse = unary!(
            &self.client,
            Safety::Reads,
            admin_service_client::AdminServiceClient,
            get_statistics,
            request
        )?;
        Ok(told.make())
    }

    /// The statements that took longest, the latest first; 100 at most if `limit` is 0.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn slow_queries(&self, limit: u32) -> Result<Vec<SlowQuery>, Error> {
        let request = v1::ListSlowQueriesRequest {
            database: self.client.database.to_string(),
            limit,
        };
        let told: v1::ListSlowQueriesResponse = unary!(
            &self.client,
            Safety::Reads,
            admin_service_client::AdminServiceClient,
            list_slow_queries,
            request
        )?;
        Ok(told.queries.into_iter().map(Make::make).collect())
    }

    /// The statements that run now, the oldest first.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn running_queries(&self) -> Result<Vec<RunningQuery>, Error> {
        let request = v1::ListRunningQueriesRequest {
            database: self.client.database.to_string(),
        };
        let told: v1::ListRunningQueriesResponse = unary!(
            &self.client,
            Safety::Reads,
            admin_service_client::AdminServiceClient,
            list_running_queries,
            request
        )?;
        Ok(told.queries.into_iter().map(Make::make).collect())
    }

    /// Stops a statement that runs, by its [`RunningQuery::query_id`]; whether it was running.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn kill(&self, query_id: impl Into<String>) -> Result<bool, Error> {
        let request = v1::KillQueryRequest {
            database: self.client.database.to_string(),
            query_id: query_id.into(),
        };
        let told: v1::KillQueryResponse = unary!(
            &self.client,
            Safety::Reads,
            admin_service_client::AdminServiceClient,
            kill_query,
            request
        )?;
        Ok(told.known)
    }
}
