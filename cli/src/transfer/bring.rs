//! Bringing records into a database, here or on a server: all of them in one bulk load, or none.
//!
//! Each record is looked at alone; what is wrong with it is told with its place, and it is left out as long as that
//! is allowed. Memory is that of the bulk load, one record, and the ids of nodes (`ids.rs`).

use super::files::{Files, Input, Reading, csv};
use super::header::Part;
use super::ids::{Ids, OuterId};
use super::json_line::{JsonRecord, record};
use super::parts::{Parts, mapped_parts, outer, parts_of, typed};
use super::place::TransferError;
use super::sources::Source;
use super::table::Table;
use crate::failure::Failure;
use crate::remote::{Sending, Unsent};
use stratigraph::storage::cancel::Watch;
use stratigraph::value::check_storable;
use stratigraph::{BulkLoad, Error, ErrorKind, NodeId, Value};
use stratigraph_tables::{BadRecord, Lines, Next, Place, Problem, excerpt, object};

/// Somebody hears of progress once in so many records.
const RECORDS_PER_STEP: u64 = 1024;
/// So many bad records are kept to be shown.
pub(crate) const SHOWN_BAD: usize = 100;

/// What came of an import.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    pub(crate) nodes: u64,
    pub(crate) relationships: u64,
    pub(crate) members: u64,
    pub(crate) bytes: u64,
    pub(crate) bad: u64,
    /// The first of them.
    pub(crate) shown_bad: Vec<BadRecord>,
}

/// Where records go.
pub(crate) enum Target<'s> {
    /// Into a folder.
    Bulk(Box<BulkLoad>),
    /// To a server.
    Server(Box<Sending<'s>>),
    /// Nowhere: they are only looked at. The number is that of the next node.
    Nowhere(u64),
}

/// A node that was added to a hierarchy by name.
struct Member {
    hierarchy: String,
    node: OuterId,
    place: Place,
}

/// An import under way.
struct Bringing<'w, 'r, 's> {
    target: Target<'s>,
    ids: Ids,
    brought: Brought,
    reading: Reading,
    watch: &'w mut Watch<'r>,
    records: u64,
    total_bytes: u64,
    /// Bytes of the files that are done.
    done_bytes: u64,
}

/// Reads all files, brings what is in them to the target, and gives that back.
///
/// # Errors
/// A record is bad and none may be; a file cannot be read on; what ends a load.
pub(crate) fn bring<'s>(
    files: Files<'_>,
    target: Target<'s>,
    watch: &mut Watch<'_>,
) -> Result<(Target<'s>, Brought), Failure> {
    let Files {
        opened,
        total_bytes,
        reading,
        ..
    } = files;
    let mut bringing = Bringing {
        target,
        ids: Ids::default(),
        brought: Brought::default(),
        reading,
        watch,
        records: 0,
        total_bytes,
        done_bytes: 0,
    };
    let mut turns: [Vec<Turn<'_>>; 3] = Default::default();
    for opened in opened {
        match opened.input {
            Input::Json(lines) => {
                let at = match opened.source.part {
                    Some(Part::Nodes) => 0,
                    Some(Part::Relationships) => 2,
                    None => 1,
                };
                turns[at].push(Turn::Json(opened.source, lines));
            }
            Input::Csv => {
                let table = Table::open(opened.source, reading)?;
                let at = if table.part == Part::Nodes { 0 } else { 2 };
                turns[at].push(Turn::Csv(opened.source, table));
            }
        }
    }
    for turn in turns.into_iter().flatten() {
        match turn {
            Turn::Json(source, lines) => bringing.json(source, lines)?,
            Turn::Csv(source, table) => bringing.csv(source, table)?,
        }
    }
    let Bringing {
        target, brought, ..
    } = bringing;
    Ok((target, brought))
}

enum Turn<'s> {
    Json(&'s Source, Lines),
    Csv(&'s Source, Table),
}

impl Bringing<'_, '_, '_> {
    fn csv(&mut self, source: &Source, table: Table) -> Result<(), Failure> {
        let Table {
            columns,
            names,
            part,
            first,
        } = table;
        let mut reader = first;
        for at in 0..source.files.len() {
            if at > 0 {
                reader = csv(&source.files[at], self.reading)?;
            }
            loop {
                match reader.read()? {
                    Next::End => break,
                    Next::Bad(bad) => self.bad(bad)?,
                    Next::Record => match parts_of(&reader, &columns, &names) {
                        Ok(parts) => self.add(part, source, parts, reader.here())?,
                        Err(bad) => self.bad(bad)?,
                    },
                }
                self.step(part, reader.bytes)?;
            }
            self.done_bytes += reader.bytes;
        }
        Ok(())
    }

    fn json(&mut self, source: &Source, mut lines: Lines) -> Result<(), Failure> {
        let mut members = Vec::new();
        loop {
            if !lines.read()? {
                break;
            }
            let place = lines.place(None);
            let Some(text) = lines.text() else {
                let problem = Problem::NotText;
                self.bad(BadRecord::new(place, problem))?;
                continue;
            };
            let at_column = |(column, why): (Option<u64>, String)| {
                BadRecord::new(lines.place(column), Problem::Json(why))
            };
            if let Some(mapped) = &source.mapped {
                let read = object(text).map_err(at_column);
                let parts = read.and_then(|entries| {
                    mapped_parts(entries, mapped, self.reading.signs)
                        .map_err(|problem| BadRecord::new(place.clone(), problem))
                });
                match parts {
                    Ok(parts) => self.add(mapped.part, source, parts, place)?,
                    Err(bad) => self.bad(bad)?,
                }
            } else {
                match record(text).map_err(at_column) {
                    Err(bad) => self.bad(bad)?,
                    Ok(JsonRecord::Declaration) => {
                        let problem = Problem::Json(
                            "declarations stand before all else in a file".to_owned(),
                        );
                        self.bad(BadRecord::new(place, problem))?;
                    }
                    Ok(JsonRecord::Member(line)) => members.push(Member {
                        hierarchy: line.hierarchy,
                        node: outer(line.member.text(), ""),
                        place,
                    }),
                    Ok(JsonRecord::Node(line)) => {
                        let id = Some(outer(line.node.text(), ""));
                        match typed(line.properties) {
                            Ok(properties) => {
                                let parts = Parts {
                                    id,
                                    labels: line.labels,
                                    properties,
                                    ..Parts::default()
                                };
                                self.add(Part::Nodes, source, parts, place)?;
                            }
                            Err(problem) => self.bad(BadRecord::new(place, problem))?,
                        }
                    }
                    Ok(JsonRecord::Relationship(line)) => match typed(line.properties) {
                        Ok(properties) => {
                            let parts = Parts {
                                start: Some(outer(line.from.text(), "")),
                                end: Some(outer(line.to.text(), "")),
                                of: Some(line.of),
                                properties,
                                ..Parts::default()
                            };
                            self.add(Part::Relationships, source, parts, place)?;
                        }
                        Err(problem) => self.bad(BadRecord::new(place, problem))?,
                    },
                }
            }
            self.step(source.part.unwrap_or(Part::Nodes), lines.bytes)?;
        }
        self.done_bytes += lines.bytes;
        for member in members {
            self.member(&member)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        part: Part,
        source: &Source,
        parts: Parts,
        place: Place,
    ) -> Result<(), Failure> {
        let added = match part {
            Part::Nodes => self.node(source, parts),
            Part::Relationships => self.relationship(source, parts),
        };
        match added {
            Ok(()) => Ok(()),
            Err(Refused::Record(problem)) => self.bad(BadRecord::new(place, problem)),
            Err(Refused::All(failure)) => Err(failure),
        }
    }

    fn node(&mut self, source: &Source, parts: Parts) -> Result<(), Refused> {
        if let Some(id) = &parts.id
            && self.ids.find(id).is_some()
        {
            return Err(Refused::Record(Problem::Twice {
                id: excerpt(&id.id),
                space: id.space.clone(),
            }));
        }
        let labels = source.labels.iter().chain(&parts.labels);
        let node = match &mut self.target {
            Target::Bulk(load) => load.add_node(labels, parts.properties).map_err(refused)?,
            Target::Server(sending) => {
                let labels = labels.cloned().collect();
                // What they are called on the way: they have no ids yet.
                NodeId::new(sending.node(labels, &parts.properties)?)
            }
            Target::Nowhere(next) => {
                check(&parts.properties)?;
                *next += 1;
                NodeId::new(*next - 1)
            }
        };
        if let Some(id) = &parts.id {
            self.ids.insert(id, node);
        }
        self.brought.nodes += 1;
        Ok(())
    }

    fn relationship(&mut self, source: &Source, parts: Parts) -> Result<(), Refused> {
        let start = self.end_of(parts.start, "start")?;
        let end = self.end_of(parts.end, "end")?;
        let of = parts.of.or_else(|| source.of.clone());
        let of = of.ok_or(Refused::Record(Problem::Missing("type")))?;
        match &mut self.target {
            Target::Bulk(load) => {
                load.add_relationship(start, &of, end, parts.properties)
                    .map_err(refused)?;
            }
            Target::Server(sending) => {
                sending.relationship((start.get(), end.get()), &of, &parts.properties)?;
            }
            Target::Nowhere(_) => check(&parts.properties)?,
        }
        self.brought.relationships += 1;
        Ok(())
    }

    fn end_of(&self, end: Option<OuterId>, what: &'static str) -> Result<NodeId, Refused> {
        let end = end.ok_or(Refused::Record(Problem::Missing(what)))?;
        self.ids.find(&end).ok_or_else(|| {
            Refused::Record(Problem::UnknownEnd {
                id: excerpt(&end.id),
                space: end.space,
            })
        })
    }

    fn member(&mut self, member: &Member) -> Result<(), Failure> {
        let place = member.place.clone();
        let Some(node) = self.ids.find(&member.node) else {
            let problem = Problem::UnknownEnd {
                id: excerpt(&member.node.id),
                space: String::new(),
            };
            return self.bad(BadRecord::new(place, problem));
        };
        if let Target::Server(_) = &self.target {
            let why = "members of hierarchies by their names do not go to a server: relationships of the hierarchy's type make members";
            return Err(TransferError::Request(format!("{place}: {why}")).into());
        }
        if let Target::Bulk(load) = &mut self.target {
            match load.add_member(&member.hierarchy, node).map_err(refused) {
                Ok(()) => {}
                Err(Refused::Record(problem)) => return self.bad(BadRecord::new(place, problem)),
                Err(Refused::All(failure)) => return Err(failure),
            }
        }
        self.brought.members += 1;
        Ok(())
    }

    /// Leaves a record out, if that is allowed.
    fn bad(&mut self, bad: BadRecord) -> Result<(), Failure> {
        let limit = self.reading.skip_bad;
        if limit == 0 {
            return Err(TransferError::Bad(bad).into());
        }
        self.brought.bad += 1;
        if self.brought.bad > limit {
            return Err(TransferError::TooManyBad { limit, last: bad }.into());
        }
        if self.brought.shown_bad.len() < SHOWN_BAD {
            self.brought.shown_bad.push(bad);
        }
        Ok(())
    }

    fn step(&mut self, part: Part, bytes_of_file: u64) -> Result<(), Failure> {
        self.brought.bytes = self.done_bytes + bytes_of_file;
        self.records += 1;
        if self.records % RECORDS_PER_STEP == 1 {
            let what = match part {
                Part::Nodes => "import nodes",
                Part::Relationships => "import relationships",
            };
            let done = self.brought.bytes.min(self.total_bytes);
            self.watch.step(what, done, self.total_bytes)?;
        }
        Ok(())
    }
}

/// Why something was not added.
enum Refused {
    /// It alone is bad.
    Record(Problem),
    /// Nothing goes on.
    All(Failure),
}

impl From<Unsent> for Refused {
    fn from(unsent: Unsent) -> Self {
        match unsent {
            Unsent::One(problem) => Self::Record(Problem::Refused(problem)),
            Unsent::All(failure) => Self::All(failure),
        }
    }
}

/// What the engine refuses of one item, the load goes on without; anything else ends the load.
fn refused(error: Error) -> Refused {
    let ends = matches!(error, Error::Cancelled | Error::HierarchyTooLarge { .. });
    if error.kind() == ErrorKind::Request && !ends {
        Refused::Record(Problem::Refused(error.to_string()))
    } else {
        Refused::All(error.into())
    }
}

/// What the engine would look at first.
fn check(properties: &[(String, Value)]) -> Result<(), Refused> {
    for (name, value) in properties {
        check_storable(value).map_err(|error| {
            Refused::Record(Problem::Refused(format!("{}: {error}", excerpt(name))))
        })?;
    }
    Ok(())
}
