//! A stream of tables: a mapping and the files that it names, which are one commit when all of them are here.
//!
//! Nothing that comes names a path of this machine: files are kept in memory, under the names that the mapping has for
//! them, and what they take is reserved as messages are.

use super::stream::{opened, silent};
use super::words::change;
use super::{again, refused, why};
use crate::databases::OpenDatabase;
use crate::failure::Failure;
use crate::intake::Reserved;
use crate::services::feeding::{Opened, Parts};
use crate::shared::Shared;
use crate::work::{CancelOnDrop, blocking};
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::upsert_tables_request::Part;
use stratigraph_rag::build::TablesLimits;
use stratigraph_rag::door::{Tables, TablesTaken};
use stratigraph_rag::read::TableMapping;
use tonic::{Request, Status, Streaming};

/// Streams of tables.
static TABLES: Parts<v1::UpsertTablesRequest, Part, v1::TablesStart> = Parts {
    part: |message| message.part,
    start: |part| match part {
        Part::Start(start) => Some(start),
        _ => None,
    },
    database: |start| &start.database,
    is_finish: |part| matches!(part, Part::Finish(_)),
    unfinished: "the stream ended without `finish`: nothing of it is taken in",
    silent,
    may_outlast: false,
};

/// A stream of tables on its thread.
struct Job {
    shared: Arc<Shared>,
    database: Arc<OpenDatabase>,
    start: v1::TablesStart,
    stream: Opened<Part>,
    kept: Kept,
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
    let (start, database, stream) = opened(shared, request, &TABLES).await?;
    // Who does not wait for the answer wants no work.
    let _left = CancelOnDrop(stream.cancel.clone());
    let job = Job {
        shared: Arc::clone(shared),
        database,
        start,
        stream,
        kept: Kept {
            bytes: 0,
            reserved: shared.intake.nothing(),
        },
    };
    Ok(blocking(move || job.run()).await?)
}

impl Job {
    fn run(mut self) -> Result<v1::UpsertTablesResponse, Failure> {
        let taken = self.take_in();
        let taken = taken.map_err(|failure| why(&self.shared, self.stream.ends, failure))?;
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
                cancel: self.stream.cancel.clone(),
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
            stream,
            kept,
            ..
        } = self;
        let limit = shared.config.max_tables_size;
        let mut keep = |bytes: usize| kept.more(bytes, limit);
        keep(start.mapping.len())?;
        let mut mapping = TableMapping::parse(&start.id, &start.mapping)
            .map_err(|error| Failure::request("start.mapping", error.to_string()))?;
        loop {
            match stream.next_part()? {
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
