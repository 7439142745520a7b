//! `BulkService`.

use super::Answer;
use super::exporting::{Exporting, form_of};
use super::feeding::{Begun, Opened, Parts};
use super::telling::{Teller, ToldStream, telling};
use crate::caller::Caller;
use crate::convert;
use crate::databases::{BULK_WRITE, EXPORT, OpenDatabase, WriterTurn};
use crate::failure::Failure;
use crate::shared::Shared;
use crate::work::caught;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{BulkLoad, NodeId, Value, WriteTxn};
use stratigraph_proto::v1::bulk_service_server::BulkService;
use stratigraph_proto::v1::bulk_write_request::Part;
use stratigraph_proto::v1::bulk_write_response::Part as Told;
use stratigraph_proto::v1::node_reference::Node as Referred;
use stratigraph_proto::v1::{self, BulkMode};
use tonic::{Request, Response, Streaming};

/// `BulkService`.
pub(crate) struct Bulk(pub(crate) Arc<Shared>);

/// The most references that one stream may hold: 16 bytes each, and the map's room.
const MAX_REFERENCES: usize = 50_000_000;

/// Streams of what is written. A transaction or a load that has all its parts may end late.
static WRITES: Parts<v1::BulkWriteRequest, Part, v1::BulkStart> = Parts {
    part: |message| message.part,
    start: |part| match part {
        Part::Start(start) => Some(start),
        _ => None,
    },
    database: |start| &start.database,
    is_finish: |part| matches!(part, Part::Finish(_)),
    unfinished: "the stream ended without `finish`: nothing was changed",
    silent: stalled,
    may_outlast: true,
};

/// A bulk write on its thread.
struct Job {
    database: Arc<OpenDatabase>,
    _turn: WriterTurn,
    mode: BulkMode,
    stream: Opened<Part>,
    teller: Teller<v1::BulkWriteResponse>,
}

enum Target {
    Transaction(Box<WriteTxn>),
    Load(Box<BulkLoad>),
}

#[derive(Default)]
struct Taken {
    nodes: u64,
    relationships: u64,
    vectors: u64,
    /// What the client calls the nodes of this stream.
    references: HashMap<u64, NodeId>,
}

#[tonic::async_trait]
impl BulkService for Bulk {
    type BulkWriteStream = ToldStream<v1::BulkWriteResponse>;
    type ExportDatabaseStream = ToldStream<v1::ExportDatabaseResponse>;

    async fn bulk_write(
        &self,
        request: Request<Streaming<v1::BulkWriteRequest>>,
    ) -> Answer<Self::BulkWriteStream> {
        let shared = &self.0;
        let config = &shared.config;
        let idle = config.max_transaction_idle.0;
        let begun = Begun::read(shared, request, &WRITES, idle).await?;
        let mode = BulkMode::try_from(begun.start.mode)
            .map_err(|_| Failure::request("start.mode", "this server does not know it"))?;
        let place = shared.bulk_writes.take(begun.caller.identity.name())?;
        let hold = begun.database.holds.hold(BULK_WRITE);
        let patience = config.max_write_queue_wait.0;
        let turn = begun.database.writer_turn(patience).await?;
        let (_, database, stream) = begun.open(shared, hold, place, config.max_bulk_time.0);
        let (teller, told) = telling(idle, &stream.cancel);
        let job = Job {
            database,
            _turn: turn,
            mode,
            stream,
            teller,
        };
        let span = tracing::Span::current();
        tokio::task::spawn_blocking(move || span.in_scope(|| job.run()));
        Ok(Response::new(told))
    }

    async fn export_database(
        &self,
        request: Request<v1::ExportDatabaseRequest>,
    ) -> Answer<Self::ExportDatabaseStream> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let form = form_of(&request)?;
        let config = &self.0.config;
        let cancel = CancelToken::new();
        let (teller, told) = telling(config.max_stall.0, &cancel);
        let exporting = Exporting {
            _place: self.0.exports.take(caller.identity.name())?,
            _hold: database.holds.hold(EXPORT),
            _under_way: self.0.ending.under_way(&cancel),
            ends: Instant::now() + config.max_bulk_time.0,
            database,
            form,
            teller,
            cancel,
        };
        let span = tracing::Span::current();
        tokio::task::spawn_blocking(move || span.in_scope(|| exporting.run()));
        Ok(Response::new(told))
    }
}

fn stalled(limit: Duration) -> Failure {
    Failure::TransactionOver {
        why: format!("its client sent nothing for {} ms", limit.as_millis()).into(),
    }
}

impl Job {
    fn run(mut self) {
        let done = caught(|| self.take_in());
        let told = done.and_then(|verdict| {
            let part = Some(Told::Verdict(verdict));
            self.teller.surely(v1::BulkWriteResponse { part })
        });
        if let Err(failure) = told {
            self.teller.fail(&failure);
        }
    }

    fn take_in(&mut self) -> Result<v1::BulkVerdict, Failure> {
        let engine = &self.database.engine;
        let mut into = match self.mode {
            BulkMode::Unspecified | BulkMode::Transaction => Target::Transaction(Box::new(
                engine.write()?.with_cancel(self.stream.cancel.clone()),
            )),
            BulkMode::Load => Target::Load(Box::new(
                engine.bulk_load()?.with_cancel(self.stream.cancel.clone()),
            )),
        };
        let mut taken = Taken::default();
        loop {
            match self.stream.next_part()? {
                Part::Start(_) => return Err(Failure::request("part", "`start` comes once")),
                Part::Nodes(nodes) => {
                    for node in nodes.nodes {
                        taken.node(&mut into, node)?;
                    }
                }
                Part::Relationships(relationships) => {
                    for one in relationships.relationships {
                        taken.relationship(&mut into, one)?;
                    }
                }
                Part::Vectors(vectors) => {
                    for one in vectors.vectors {
                        taken.vector(&mut into, one)?;
                    }
                }
                Part::Finish(_) => break,
            }
            self.tell("taken in", &taken);
        }
        let commit = match into {
            Target::Transaction(write) => write.commit()?,
            Target::Load(load) => {
                let mut report = |progress: Progress<'_>| self.tell(progress.step, &taken);
                let mut watch = Watch::new(&mut report, self.stream.cancel.clone());
                load.finish(&mut watch)?.commit
            }
        };
        Ok(v1::BulkVerdict {
            sequence: commit.get(),
            nodes: taken.nodes,
            relationships: taken.relationships,
            vectors: taken.vectors,
        })
    }

    fn tell(&self, step: &str, taken: &Taken) {
        let progress = v1::BulkProgress {
            step: step.to_owned(),
            nodes: taken.nodes,
            relationships: taken.relationships,
            vectors: taken.vectors,
        };
        let part = Some(Told::Progress(progress));
        self.teller.perhaps(v1::BulkWriteResponse { part });
    }
}

impl Taken {
    fn node(&mut self, into: &mut Target, node: v1::BulkNode) -> Result<(), Failure> {
        let place = || format!("node {}", self.nodes);
        let properties = properties(node.properties, place)?;
        let id = match into {
            Target::Transaction(write) => write.create_node(&node.labels, properties)?,
            Target::Load(load) => load.add_node(&node.labels, properties)?,
        };
        self.nodes += 1;
        if node.reference == 0 {
            return Ok(());
        }
        if self.references.len() >= MAX_REFERENCES {
            return Err(Failure::Limit {
                what: "the number of references",
                limit: MAX_REFERENCES.to_string(),
                hint: "write in several streams",
            });
        }
        if self.references.insert(node.reference, id).is_some() {
            let field = format!("node {}", self.nodes - 1);
            return Err(Failure::request(
                field,
                format!("another node has the reference {}", node.reference),
            ));
        }
        Ok(())
    }

    fn relationship(
        &mut self,
        into: &mut Target,
        one: v1::BulkRelationship,
    ) -> Result<(), Failure> {
        let place = || format!("relationship {}", self.relationships);
        let properties = properties(one.properties, place)?;
        let source = self.referred(one.source, place)?;
        let target = self.referred(one.target, place)?;
        match into {
            Target::Transaction(write) => {
                write.create_relationship(source, &one.r#type, target, properties)?
            }
            Target::Load(load) => load.add_relationship(source, &one.r#type, target, properties)?,
        };
        self.relationships += 1;
        Ok(())
    }

    fn vector(&mut self, into: &mut Target, one: v1::BulkVector) -> Result<(), Failure> {
        let place = || format!("vector {}", self.vectors);
        let node = self.referred(one.node, place)?;
        let vector = convert::vector(one.vector, &place())?;
        match into {
            Target::Transaction(write) => {
                write.set_property(node, &one.property, Value::Vector(vector))?;
            }
            Target::Load(_) => {
                let problem =
                    "a load only adds: give the vector to its node, or write in a transaction";
                return Err(Failure::request(place(), problem));
            }
        }
        self.vectors += 1;
        Ok(())
    }

    fn referred(
        &self,
        node: Option<v1::NodeReference>,
        place: impl Fn() -> String,
    ) -> Result<NodeId, Failure> {
        match node.and_then(|node| node.node) {
            Some(Referred::Id(id)) => Ok(NodeId::new(id)),
            Some(Referred::Reference(reference)) => {
                self.references.get(&reference).copied().ok_or_else(|| {
                    Failure::request(
                        place(),
                        format!("no node before it has the reference {reference}"),
                    )
                })
            }
            None => Err(Failure::request(place(), "its nodes are needed")),
        }
    }
}

fn properties(
    sent: BTreeMap<String, v1::Value>,
    place: impl Fn() -> String,
) -> Result<Vec<(String, Value)>, Failure> {
    let read = sent.into_iter().map(|(name, value)| {
        let value = convert::value_in(value, &format!("{}: {name}", place()))?;
        Ok((name, value))
    });
    read.collect()
}
