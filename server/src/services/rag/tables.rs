//! A stream of tables: a mapping and the files that it names, which are one commit when all of them are here.
//!
//! Nothing that comes names a path of this machine: files are kept in memory, under the names that the mapping has for
//! them, and what they take is reserved as messages are.

use super::upsert::silent;
use super::words::change;
use super::{again, refused, why};
use crate::caller::Caller;
use crate::databases::{Hold, INGESTION, OpenDatabase};
use crate::ending::{Stage, UnderWay};
use crate::failure::Failure;
use crate::intake::Reserved;
use crate::services::feeding::{Fed, Feeding, WAITING_PARTS};
use crate::shared::Shared;
use crate::work::{CancelOnDrop, HeldPlace, blocking};
use std::sync::Arc;
use std::time::Instant;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_proto::v1;
use stratigraph_proto::v1::upsert_tables_request::Part;
use stratigraph_rag::build::TablesLimits;
use stratigraph_rag::door::{Tables, TablesTaken};
use stratigraph_rag::read::TableMapping;
use tokio::sync::mpsc;
use tonic::{Request, Status, Streaming};

/// A stream of tables on its thread.
struct Job {
    shared: Arc<Shared>,
    database: Arc<OpenDatabase>,
    start: v1::TablesStart,
    parts: mpsc::Receiver<Fed<Part>>,
    cancel: CancelToken,
    ends: Instant,
    kept: Kept,
    _hold: Hold,
    _place: HeldPlace,
    _under_way: UnderWay,
}

/// What the mapping and the tables take. Messages are forgotten when they were handled; this is held until the end.
struct Kept {
    bytes: usize,
    reserved: Reserved,
}

pub(super) async fn upsert(
    shared: &Arc<Shared>,
    request: Request<Streaming<v1::UpsertTablesRequest>>,
) -> Result<v1::UpsertTablesResponse, Status> {
    let caller = Caller::of(&request)?;
    let mut stream = request.into_inner();
    let config = &shared.config;
    let idle = config.max_ingestion_idle.0;
    let first = tokio::time::timeout(idle, stream.message())
        .await
        .map_err(|_| silent(idle))??;
    let Some(Part::Start(start)) = first.and_then(|first| first.part) else {
        return Err(Failure::request("part", "the first part is `start`").into());
    };
    let database = caller.database(shared, &start.database)?;
    let place = shared.ingestions.take(caller.identity.name())?;
    let hold = database.holds.hold(INGESTION);
    let cancel = CancelToken::new();
    // Who does not wait for the answer wants no work.
    let _left = CancelOnDrop(cancel.clone());
    let (feed, parts) = mpsc::channel(WAITING_PARTS);
    let ends = Instant::now() + config.max_ingestion_time.0;
    let feeding = Feeding {
        idle,
        ends,
        part: |message: v1::UpsertTablesRequest| message.part,
        is_finish: |part| matches!(part, Part::Finish(_)),
        unfinished: "the stream ended without `finish`: nothing of it is taken in",
        silent,
    };
    let over = shared.ending.reached(Stage::Over);
    feeding.spawn(stream, feed, over, cancel.clone());
    let job = Job {
        _under_way: shared.ending.under_way(&cancel),
        kept: Kept {
            bytes: 0,
            reserved: shared.intake.nothing(),
        },
        shared: Arc::clone(shared),
        database,
        start,
        parts,
        cancel,
        ends,
        _hold: hold,
        _place: place,
    };
    Ok(blocking(move || job.run()).await?)
}

impl Job {
    fn run(mut self) -> Result<v1::UpsertTablesResponse, Failure> {
        let taken = self.take_in();
        let taken = taken.map_err(|failure| why(&self.shared, self.ends, failure))?;
        let report = &taken.report;
        let (nodes, relationships) = (report.nodes, report.relationships);
        let (broken_rows, dry_run) = (report.count_broken, self.start.dry_run);
        tracing::info!(nodes, relationships, broken_rows, dry_run, "tables");
        if !dry_run {
            self.shared.metrics.took_in_tables(broken_rows);
        }
        Ok(told(taken))
    }

    fn take_in(&mut self) -> Result<TablesTaken, Failure> {
        let mapping = self.mapping()?;
        let tables = Tables {
            id: &self.start.id,
            mapping: &mapping,
            keep_embedder: self.start.keep_embedder,
            dry_run: self.start.dry_run,
            limits: TablesLimits {
                cancel: self.cancel.clone(),
                memory: self.shared.config.max_request_memory.bytes(),
                prune: self.start.prune,
            },
        };
        let library = &self.database.library;
        again(|| {
            let taken = library.upsert_tables(&tables, &mut |_| ());
            taken.map_err(refused)
        })
    }

    /// The mapping with all of its files that come.
    fn mapping(&mut self) -> Result<TableMapping, Failure> {
        let Self {
            shared,
            start,
            parts,
            kept,
            ..
        } = self;
        let limit = shared.config.max_tables_size;
        let mut keep = |bytes: usize| kept.more(bytes, limit);
        keep(start.mapping.len())?;
        let mut mapping = TableMapping::parse(&start.id, &start.mapping)
            .map_err(|error| Failure::request("start.mapping", error.to_string()))?;
        loop {
            match parts.blocking_recv().unwrap_or(Err(Failure::Cancelled))? {
                Part::Start(_) => return Err(Failure::request("part", "`start` comes once")),
                Part::Finish(_) => return Ok(mapping),
                Part::File(file) => {
                    keep(file.content.len())?;
                    let sent = mapping.send(&file.name, file.content);
                    sent.map_err(|error| Failure::request("file.name", error.to_string()))?;
                }
            }
        }
    }
}

impl Kept {
    /// Keeps so many bytes more.
    fn more(&mut self, bytes: usize, limit: crate::Size) -> Result<(), Failure> {
        self.bytes += bytes;
        if self.bytes > limit.bytes() {
            return Err(Failure::Limit {
                what: "the size of a mapping with its tables",
                limit: limit.to_string(),
                hint: "split the mapping, or raise max_tables_size",
            });
        }
        self.reserved.set(self.bytes)
    }
}

fn told(taken: TablesTaken) -> v1::UpsertTablesResponse {
    let report = taken.report;
    v1::UpsertTablesResponse {
        nodes: report.nodes,
        relationships: report.relationships,
        untaken: report.untaken,
        problems: report.broken.iter().map(ToString::to_string).collect(),
        count_problems: report.count_broken,
        change: Some(change(&report.change)),
        embedder: taken.embedder,
        note: taken.note.unwrap_or_default(),
    }
}
