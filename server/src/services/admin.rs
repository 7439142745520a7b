//! `AdminService`.

use super::Answer;
use super::reports::Reports;
use crate::caller::Caller;
use crate::convert::micros;
use crate::databases::{NamedQueries, OpenDatabase, bad_name, is_name};
use crate::failure::Failure;
use crate::shared::Shared;
use crate::status::status;
use crate::work::caught;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{BackupInfo, CheckReport, Finding, Read};
use stratigraph_proto::v1::admin_service_server::AdminService;
use stratigraph_proto::v1::{
    self, backup_database_response as backup, check_database_response as check,
    compact_database_response as compact, restore_database_response as restore,
};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_stream::Stream;
use tonic::{Request, Response, Status};

/// `AdminService`.
pub(crate) struct Admin(pub(crate) Arc<Shared>);

/// How many findings of a check are sent.
const MAX_FINDINGS: usize = 1000;

/// Progress and a last word. Dropping it cancels the work.
pub(crate) struct WorkStream<M> {
    receiver: mpsc::Receiver<Result<M, Status>>,
    cancel: CancelToken,
}

impl<M> Drop for WorkStream<M> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl<M> Stream for WorkStream<M> {
    type Item = Result<M, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context)
    }
}

impl Admin {
    /// A place for long work.
    fn place(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let place = Arc::clone(&self.0.maintenance).try_acquire_owned();
        place.map_err(|_| Failure::Busy {
            what: "backups, checks and their kin",
            limit: 2,
            retry_after: Duration::from_secs(5),
        })
    }

    /// Where the backups of a database lie.
    fn backups_of(&self, name: &str) -> Result<PathBuf, Failure> {
        let folder = self
            .0
            .config
            .backup_dir
            .as_ref()
            .ok_or_else(|| Failure::State {
                code: "NoBackupFolder",
                problem: "this server has no folder for backups: set backup_dir".to_owned(),
            })?;
        Ok(folder.join(name))
    }

    /// Does long work on a thread, with progress.
    fn long<M: Send + 'static>(
        &self,
        told: fn(v1::WorkProgress) -> M,
        work: impl FnOnce(&mut Watch<'_>) -> Result<M, Failure> + Send + 'static,
    ) -> Answer<WorkStream<M>> {
        let place = self.place()?;
        let (mut reports, receiver) = Reports::new(told);
        let cancel = CancelToken::new();
        let stream = WorkStream {
            receiver,
            cancel: cancel.clone(),
        };
        let span = tracing::Span::current();
        let under_way = self.0.ending.under_way(&cancel);
        tokio::task::spawn_blocking(move || {
            let (_place, _under_way) = (place, under_way);
            span.in_scope(|| {
                let mut report = |progress: Progress<'_>| reports.progress(&progress);
                let mut watch = Watch::new(&mut report, cancel);
                let done = caught(|| work(&mut watch));
                reports.last(done.map_err(|failure| status(&failure)));
            });
        });
        Ok(Response::new(stream))
    }
}

#[tonic::async_trait]
impl AdminService for Admin {
    type BackupDatabaseStream = WorkStream<v1::BackupDatabaseResponse>;
    type RestoreDatabaseStream = WorkStream<v1::RestoreDatabaseResponse>;
    type CheckDatabaseStream = WorkStream<v1::CheckDatabaseResponse>;
    type CompactDatabaseStream = WorkStream<v1::CompactDatabaseResponse>;

    async fn backup_database(
        &self,
        request: Request<v1::BackupDatabaseRequest>,
    ) -> Answer<Self::BackupDatabaseStream> {
        let caller = Caller::of(&request)?;
        let database = caller.database(&self.0, &request.into_inner().database)?;
        let folder = self.backups_of(&database.name)?;
        let keep = self.0.config.backup_keep;
        let hold = database.holds.hold("backup");
        let part = |part| v1::BackupDatabaseResponse { part: Some(part) };
        self.long(
            |progress| v1::BackupDatabaseResponse {
                part: Some(backup::Part::Progress(progress)),
            },
            move |watch| {
                let _hold = hold;
                let made = database.engine.backup(&folder, watch)?;
                // They are the server's, not the engine's; a backup that lacks them has failed.
                database.named.copy_to(&queries_of(&folder, made.number))?;
                if let Some(keep) = keep {
                    let pruned = database.engine.prune_backups(&folder, keep, watch)?;
                    for number in pruned.removed {
                        NamedQueries::forget(&queries_of(&folder, number));
                    }
                }
                Ok(part(backup::Part::Backup(described(&made))))
            },
        )
    }

    async fn list_backups(
        &self,
        request: Request<v1::ListBackupsRequest>,
    ) -> Answer<v1::ListBackupsResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let name = caller.database_name(&self.0, &request.database)?;
        let folder = self.backups_of(name)?;
        let backups = self.0.side.run(move || {
            if !folder.exists() {
                return Ok(Vec::new());
            }
            Ok(stratigraph::list_backups(&folder)?
                .iter()
                .map(described)
                .collect())
        });
        let backups = backups.await?;
        Ok(Response::new(v1::ListBackupsResponse { backups }))
    }

    async fn restore_database(
        &self,
        request: Request<v1::RestoreDatabaseRequest>,
    ) -> Answer<Self::RestoreDatabaseStream> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        caller.require_everywhere()?;
        let folder = self.backups_of(caller.database_name(&self.0, &request.database)?)?;
        if !is_name(&request.new_database) {
            return Err(bad_name("new_database").into());
        }
        let shared = Arc::clone(&self.0);
        self.long(
            |progress| v1::RestoreDatabaseResponse {
                part: Some(restore::Part::Progress(progress)),
            },
            move |watch| {
                let made = shared
                    .databases
                    .create_with(&request.new_database, |target| {
                        let made = stratigraph::restore(&folder, request.number, target, watch)?;
                        let queries = queries_of(&folder, made.number);
                        NamedQueries::take_along(&queries, target);
                        Ok(made)
                    })?;
                Ok(v1::RestoreDatabaseResponse {
                    part: Some(restore::Part::Backup(described(&made))),
                })
            },
        )
    }

    async fn check_database(
        &self,
        request: Request<v1::CheckDatabaseRequest>,
    ) -> Answer<Self::CheckDatabaseStream> {
        let caller = Caller::of(&request)?;
        let database = caller.database(&self.0, &request.into_inner().database)?;
        let hold = database.holds.hold("check");
        self.long(
            |progress| v1::CheckDatabaseResponse {
                part: Some(check::Part::Progress(progress)),
            },
            move |watch| {
                let _hold = hold;
                let report = database.engine.check(watch)?;
                Ok(v1::CheckDatabaseResponse {
                    part: Some(check::Part::Report(checked(&report))),
                })
            },
        )
    }

    async fn compact_database(
        &self,
        request: Request<v1::CompactDatabaseRequest>,
    ) -> Answer<Self::CompactDatabaseStream> {
        let caller = Caller::of(&request)?;
        let database = caller.database(&self.0, &request.into_inner().database)?;
        let hold = database.holds.hold("compaction");
        self.long(
            |progress| v1::CompactDatabaseResponse {
                part: Some(compact::Part::Progress(progress)),
            },
            move |watch| {
                let _hold = hold;
                let bytes = || database.engine.info().store.live_file_bytes;
                let bytes_before = bytes();
                database.engine.compact(watch)?;
                let report = v1::CompactReport {
                    bytes_before,
                    bytes_after: bytes(),
                };
                Ok(v1::CompactDatabaseResponse {
                    part: Some(compact::Part::Report(report)),
                })
            },
        )
    }

    async fn get_statistics(
        &self,
        request: Request<v1::GetStatisticsRequest>,
    ) -> Answer<v1::GetStatisticsResponse> {
        let caller = Caller::of(&request)?;
        let database = caller.database(&self.0, &request.into_inner().database)?;
        Ok(Response::new(
            self.0.side.run(move || statistics(&database)).await?,
        ))
    }

    async fn list_slow_queries(
        &self,
        request: Request<v1::ListSlowQueriesRequest>,
    ) -> Answer<v1::ListSlowQueriesResponse> {
        const USUAL: usize = 100;
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let name = caller.database_name(&self.0, &request.database)?;
        let limit = match request.limit {
            0 => USUAL,
            limit => limit as usize,
        };
        let queries = self.0.running.slow(name, limit);
        Ok(Response::new(v1::ListSlowQueriesResponse { queries }))
    }

    async fn list_running_queries(
        &self,
        request: Request<v1::ListRunningQueriesRequest>,
    ) -> Answer<v1::ListRunningQueriesResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let name = caller.database_name(&self.0, &request.database)?;
        let running = self.0.running.of(name);
        let queries = running.iter().map(|query| v1::RunningQuery {
            query_id: query.id(),
            request_id: query.request_id.to_string(),
            database: query.database.to_string(),
            text: query.text.clone(),
            elapsed_us: micros(query.began.elapsed()),
            token_name: query.token_name.to_string(),
        });
        let queries = queries.collect();
        Ok(Response::new(v1::ListRunningQueriesResponse { queries }))
    }

    async fn kill_query(
        &self,
        request: Request<v1::KillQueryRequest>,
    ) -> Answer<v1::KillQueryResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let name = caller.database_name(&self.0, &request.database)?;
        let known = self.0.running.kill(name, &request.query_id);
        Ok(Response::new(v1::KillQueryResponse { known }))
    }
}

/// Where the named queries lie that were taken along with a backup.
fn queries_of(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:06}.queries.json"))
}

fn described(of: &BackupInfo) -> v1::BackupDescription {
    let newest = of.manifest.files.iter().map(|file| file.written_ns).max();
    v1::BackupDescription {
        number: of.number,
        sequence: of.manifest.commit.get(),
        taken_at_ms: newest.unwrap_or(0) / 1_000_000,
        total_bytes: of.manifest.total_bytes(),
        new_bytes: of.new_bytes,
    }
}

fn checked(of: &CheckReport) -> v1::CheckReport {
    let told = |findings: &[Finding]| {
        let findings = findings
            .iter()
            .take(MAX_FINDINGS)
            .map(|finding| v1::CheckFinding {
                place: finding.place.clone(),
                what: finding.what.clone(),
            });
        findings.collect()
    };
    v1::CheckReport {
        sequence: of.commit.get(),
        entries: of.entries.iter().map(|(_, count)| count).sum(),
        findings: told(&of.findings),
        notes: told(&of.notes),
    }
}

fn statistics(database: &OpenDatabase) -> Result<v1::GetStatisticsResponse, Failure> {
    let info = database.engine.info();
    let read = database.engine.read()?;
    let mut told = v1::GetStatisticsResponse {
        sequence: info.commit.get(),
        durable_sequence: info.durable.get(),
        nodes: read.node_count(None)?,
        relationships: read.relationship_count(None)?,
        file_bytes: info.store.live_file_bytes,
        memtable_bytes: info.store.memtable_bytes,
        cache_bytes: info.store.block_cache_bytes,
        pending_compaction_bytes: info.store.pending_compaction_bytes,
        snapshots: info.store.snapshots,
        failure: info.failure.as_deref().unwrap_or_default().to_owned(),
        ..v1::GetStatisticsResponse::default()
    };
    for (_, name) in read.catalog().labels.iter() {
        told.nodes_by_label
            .insert(name.to_string(), read.node_count(Some(name))?);
    }
    for (_, name) in read.catalog().types.iter() {
        told.relationships_by_type
            .insert(name.to_string(), read.relationship_count(Some(name))?);
    }
    let families = info
        .store
        .families
        .iter()
        .map(|family| v1::FamilyStatistics {
            name: family.name.to_owned(),
            keys: family.keys,
            file_bytes: family.file_bytes,
        });
    told.families = families.collect();
    Ok(told)
}
