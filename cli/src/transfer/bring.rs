//! Bringing records into a database: all of them in one bulk load, or none.
//!
//! Each record is looked at alone; what is wrong with it is told with its place, and it is left out as long as that
//! is allowed. Memory is that of the bulk load, one record, and the ids of nodes (`ids.rs`).

use super::csv_reader::{CsvReader, Field, Read1, Signs};
use super::header::{Column, Part, part_of};
use super::ids::{Ids, OuterId};
use super::json_line::{Entries, JsonRecord, Lines, object, record};
use super::kind::Kind;
use super::place::{BadRecord, Place, Problem, TransferError, excerpt};
use super::sources::{Form, Source, is_stdin};
use crate::failure::Failure;
use serde_json::Value as Json;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use stratigraph::exchange::DeclarationLines;
use stratigraph::storage::cancel::Watch;
use stratigraph::value::check_storable;
use stratigraph::value::json::from_json;
use stratigraph::{BulkLoad, Error, ErrorKind, NodeId, Value};

/// Somebody hears of progress once in so many records.
const RECORDS_PER_STEP: u64 = 1024;
/// So many bad records are kept to be shown.
pub(crate) const SHOWN_BAD: usize = 100;

/// How records are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) signs: Signs,
    /// The most bytes of a record.
    pub(crate) record_limit: u64,
    /// How many bad records are left out before the import ends.
    pub(crate) skip_bad: u64,
}

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
enum Target {
    Bulk(Box<BulkLoad>),
    /// Nowhere: they are only looked at. The number is that of the next node.
    Nowhere(u64),
}

/// A file that is open.
struct Opened<'s> {
    source: &'s Source,
    input: Input,
    name: Arc<str>,
}

enum Input {
    /// Opened when its turn comes: there may be many.
    Csv,
    Json(Lines),
}

/// Files that are open, and what they declare.
pub(crate) struct Files<'s> {
    opened: Vec<Opened<'s>>,
    pub(crate) declarations: DeclarationLines,
    /// The file that declares, for messages.
    pub(crate) declaring: Arc<str>,
    total_bytes: u64,
    reading: Reading,
}

impl<'s> Files<'s> {
    /// Opens what holds declarations and reads them; they stand before all else in a file.
    ///
    /// # Errors
    /// A file cannot be read, or declares nonsense.
    pub(crate) fn open(sources: &'s [Source], reading: Reading) -> Result<Self, Failure> {
        let mut files = Self {
            opened: Vec::new(),
            declarations: DeclarationLines::default(),
            declaring: "".into(),
            total_bytes: 0,
            reading,
        };
        for source in sources {
            for path in &source.files {
                files.total_bytes += path.metadata().map_or(0, |metadata| metadata.len());
            }
            let path = &source.files[0];
            let name: Arc<str> = path.display().to_string().into();
            let input = match source.form {
                Form::Csv => Input::Csv,
                Form::Json => Input::Json(Lines::new(
                    open(path)?,
                    Arc::clone(&name),
                    reading.record_limit,
                )),
            };
            files.opened.push(Opened {
                source,
                input,
                name,
            });
        }
        files.read_declarations()?;
        Ok(files)
    }

    fn read_declarations(&mut self) -> Result<(), Failure> {
        for opened in &mut self.opened {
            let Input::Json(lines) = &mut opened.input else {
                continue;
            };
            if opened.source.mapped.is_some() {
                continue;
            }
            while lines.read()? {
                let text = lines.text().unwrap_or_default();
                if !matches!(record(text), Ok(JsonRecord::Declaration)) {
                    lines.put_back();
                    break;
                }
                let added = self.declarations.add(lines.number, text);
                added.map_err(|error| TransferError::Unreadable {
                    place: lines.place(None),
                    reason: error.to_string(),
                })?;
                self.declaring = Arc::clone(&opened.name);
            }
        }
        Ok(())
    }
}

/// A node that was added to a hierarchy by name.
struct Member {
    hierarchy: String,
    node: OuterId,
    place: Place,
}

/// An import under way.
struct Bringing<'w, 'r> {
    target: Target,
    ids: Ids,
    brought: Brought,
    reading: Reading,
    watch: &'w mut Watch<'r>,
    records: u64,
    total_bytes: u64,
    /// Bytes of the files that are done.
    done_bytes: u64,
}

/// Reads all files into a bulk load, or only looks at them if there is none, and gives the load back.
///
/// # Errors
/// A record is bad and none may be; a file cannot be read on; what ends a load.
pub(crate) fn bring(
    files: Files<'_>,
    load: Option<BulkLoad>,
    watch: &mut Watch<'_>,
) -> Result<(Option<BulkLoad>, Brought), Failure> {
    let Files {
        opened,
        total_bytes,
        reading,
        ..
    } = files;
    let mut bringing = Bringing {
        target: match load {
            Some(load) => Target::Bulk(Box::new(load)),
            None => Target::Nowhere(0),
        },
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
    let load = match target {
        Target::Bulk(load) => Some(*load),
        Target::Nowhere(_) => None,
    };
    Ok((load, brought))
}

enum Turn<'s> {
    Json(&'s Source, Lines),
    Csv(&'s Source, Table),
}

/// The header of CSV files.
struct Table {
    columns: Vec<Column>,
    names: Vec<String>,
    part: Part,
    /// The file with the header, after it.
    first: CsvReader<Box<dyn BufRead>>,
}

impl Table {
    fn open(source: &Source, reading: Reading) -> Result<Self, Failure> {
        let mut reader = csv(&source.files[0], reading)?;
        let wrong =
            |place: Place, reason: String| Failure::from(TransferError::Header { place, reason });
        match reader.read()? {
            Read1::Record => {}
            Read1::Bad(bad) => return Err(wrong(bad.place, bad.problem.to_string())),
            Read1::End => {
                return Err(wrong(
                    reader.place(1, None),
                    "the file is empty: it begins with a header".to_owned(),
                ));
            }
        }
        let (mut columns, mut names) = (Vec::new(), Vec::new());
        for at in 0..reader.len() {
            let Some(field) = reader.field(at) else {
                continue;
            };
            let mapped = source
                .mapped
                .as_ref()
                .and_then(|mapped| mapped.column(field.text));
            let column = match mapped {
                Some(column) => column,
                None => Column::read(field.text).map_err(|reason| {
                    wrong(reader.place(field.line, Some(field.column)), reason)
                })?,
            };
            columns.push(column);
            names.push(super::header::split(field.text.trim()).0.to_owned());
        }
        if let Some(mapped) = &source.mapped
            && let Some(missing) = mapped
                .expected()
                .find(|name| !names.iter().any(|known| known == name))
        {
            return Err(wrong(
                reader.here(),
                format!("the mapping names the column {missing:?}, which is not there"),
            ));
        }
        let said = part_of(&columns).map_err(|reason| wrong(reader.here(), reason))?;
        let part = match (said, source.part) {
            (Some(said), Some(asked)) if said != asked => {
                return Err(wrong(reader.here(), "the header is of the other kind: nodes have :ID and :LABEL, relationships :START_ID, :END_ID and :TYPE".to_owned()));
            }
            (Some(said), _) => said,
            (None, Some(asked)) => asked,
            (None, None) => {
                return Err(wrong(reader.here(), "nothing says what this is: a header of nodes has :ID or :LABEL, one of relationships :START_ID, :END_ID and :TYPE; or use --nodes, --relationships or --mapping".to_owned()));
            }
        };
        let has = |is: fn(&Column) -> bool| columns.iter().any(is);
        if part == Part::Relationships {
            for (there, word) in [
                (
                    has(|column| matches!(column, Column::Start { .. })),
                    ":START_ID",
                ),
                (
                    has(|column| matches!(column, Column::End { .. })),
                    ":END_ID",
                ),
                (
                    has(|column| matches!(column, Column::Type)) || source.of.is_some(),
                    ":TYPE, and no --relationships TYPE=",
                ),
            ] {
                if !there {
                    return Err(wrong(reader.here(), format!("there is no {word}")));
                }
            }
        }
        Ok(Self {
            columns,
            names,
            part,
            first: reader,
        })
    }
}

/// What the fields of a record come to.
#[derive(Default)]
struct Parts {
    id: Option<OuterId>,
    labels: Vec<String>,
    start: Option<OuterId>,
    end: Option<OuterId>,
    of: Option<String>,
    properties: Vec<(String, Value)>,
}

impl Bringing<'_, '_> {
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
                    Read1::End => break,
                    Read1::Bad(bad) => self.bad(bad)?,
                    Read1::Record => match parts_of(&reader, &columns, &names) {
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
                self.bad(BadRecord { place, problem })?;
                continue;
            };
            let at_column = |(column, why): (Option<u64>, String)| BadRecord {
                place: lines.place(column),
                problem: Problem::Json(why),
            };
            if let Some(mapped) = &source.mapped {
                let read = object(text).map_err(at_column);
                let parts = read.and_then(|entries| {
                    mapped_parts(entries, mapped, self.reading.signs).map_err(|problem| BadRecord {
                        place: place.clone(),
                        problem,
                    })
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
                        self.bad(BadRecord { place, problem })?;
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
                            Err(problem) => self.bad(BadRecord { place, problem })?,
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
                        Err(problem) => self.bad(BadRecord { place, problem })?,
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
            Err(Refused::Record(problem)) => self.bad(BadRecord { place, problem }),
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
            return self.bad(BadRecord { place, problem });
        };
        if let Target::Bulk(load) = &mut self.target {
            match load.add_member(&member.hierarchy, node).map_err(refused) {
                Ok(()) => {}
                Err(Refused::Record(problem)) => return self.bad(BadRecord { place, problem }),
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

fn outer(id: String, space: &str) -> OuterId {
    OuterId {
        id,
        space: space.to_owned(),
    }
}

/// The values of an object as dumps write them.
fn typed(entries: Entries) -> Result<Vec<(String, Value)>, Problem> {
    let values = entries.0.into_iter().map(|(name, json)| {
        let value = from_json(&json)
            .map_err(|error| Problem::Json(format!("{}: {error}", excerpt(&name))))?;
        Ok((name, value))
    });
    values.collect()
}

fn parts_of(
    reader: &CsvReader<Box<dyn BufRead>>,
    columns: &[Column],
    names: &[String],
) -> Result<Parts, BadRecord> {
    if reader.len() != columns.len() {
        return Err(BadRecord {
            place: reader.here(),
            problem: Problem::Fields {
                found: reader.len(),
                expected: columns.len(),
            },
        });
    }
    let mut parts = Parts::default();
    let array = reader.signs().array;
    for (at, column) in columns.iter().enumerate() {
        let Some(field) = reader.field(at) else {
            continue;
        };
        let bad = |problem| BadRecord {
            place: reader.place(field.line, Some(field.column)),
            problem,
        };
        let read = |kind: Kind| {
            kind.read(field.text, array)
                .map_err(|reason| bad(of_another_type(names.get(at), field, kind, reason)))
        };
        let missing = field.text.is_empty() && !field.quoted;
        match column {
            Column::Ignore => {}
            Column::Id {
                space,
                property,
                kind,
            } => {
                if field.text.is_empty() {
                    return Err(bad(Problem::Missing("id")));
                }
                // Also where it is no property: a number is a number.
                let value = read(Kind::One(*kind))?;
                if let Some(property) = property {
                    parts.properties.push((property.clone(), value));
                }
                parts.id = Some(outer(field.text.to_owned(), space));
            }
            Column::Labels => {
                let labels = field.text.split(array).map(str::trim);
                parts.labels = labels
                    .filter(|label| !label.is_empty())
                    .map(str::to_owned)
                    .collect();
            }
            Column::Start { space } if !field.text.is_empty() => {
                parts.start = Some(outer(field.text.to_owned(), space))
            }
            Column::End { space } if !field.text.is_empty() => {
                parts.end = Some(outer(field.text.to_owned(), space))
            }
            Column::Start { .. } => return Err(bad(Problem::Missing("start"))),
            Column::End { .. } => return Err(bad(Problem::Missing("end"))),
            Column::Type => parts.of = (!field.text.is_empty()).then(|| field.text.to_owned()),
            Column::Property { .. } if missing => {}
            Column::Property { name, kind } => {
                // Numbers and dates have no empty text: it is nothing, also in quotes.
                let no_text = !matches!(
                    kind,
                    Kind::One(super::kind::Simple::String) | Kind::List(_) | Kind::Bytes
                );
                if !(no_text && field.text.is_empty()) {
                    parts.properties.push((name.clone(), read(*kind)?));
                }
            }
        }
    }
    Ok(parts)
}

fn of_another_type(name: Option<&String>, field: Field<'_>, kind: Kind, reason: String) -> Problem {
    Problem::Value {
        field: name.cloned().unwrap_or_default(),
        text: excerpt(field.text),
        kind: kind.name(),
        reason,
    }
}

/// What a mapping makes of the entries of an object.
fn mapped_parts(
    entries: Entries,
    mapped: &super::mapping::Mapped,
    signs: Signs,
) -> Result<Parts, Problem> {
    let mut parts = Parts::default();
    for (key, json) in entries.0 {
        let id = |json: &Json| match json {
            Json::String(text) => Ok(text.clone()),
            Json::Number(number) if number.is_i64() => Ok(number.to_string()),
            Json::Null => Ok(String::new()),
            _ => Err(Problem::Json(format!(
                "{}: an id is a text or a whole number",
                excerpt(&key)
            ))),
        };
        match mapped.column(&key) {
            Some(Column::Ignore) => {}
            Some(Column::Id {
                space,
                property,
                kind,
            }) => {
                let text = id(&json)?;
                if text.is_empty() {
                    return Err(Problem::Missing("id"));
                }
                if let Some(property) = property {
                    let value = value_as(Kind::One(kind), Json::String(text.clone()), &key, signs)?;
                    parts.properties.push((property, value));
                }
                parts.id = Some(outer(text, &space));
            }
            Some(Column::Labels) => match json {
                Json::String(text) => parts.labels.push(text),
                Json::Array(all) => parts
                    .labels
                    .extend(all.iter().filter_map(Json::as_str).map(str::to_owned)),
                Json::Null => {}
                _ => {
                    return Err(Problem::Json(format!(
                        "{}: labels are texts",
                        excerpt(&key)
                    )));
                }
            },
            Some(Column::Start { space }) => parts.start = Some(outer(id(&json)?, &space)),
            Some(Column::End { space }) => parts.end = Some(outer(id(&json)?, &space)),
            Some(Column::Type) => parts.of = Some(id(&json)?),
            Some(Column::Property { .. }) if json.is_null() => {}
            Some(Column::Property { name, kind }) => {
                let value = value_as(kind, json, &key, signs)?;
                parts.properties.push((name, value));
            }
            None if json.is_null() => {}
            None => {
                let value = plain(&json)
                    .map_err(|why| Problem::Json(format!("{}: {why}", excerpt(&key))))?;
                parts.properties.push((key, value));
            }
        }
    }
    if mapped.part == Part::Nodes && parts.id.is_none() && mapped.has_id() {
        return Err(Problem::Missing("id"));
    }
    Ok(parts)
}

/// JSON as a value of a type: a text is read as a field is, a list as one of such.
fn value_as(kind: Kind, json: Json, key: &str, signs: Signs) -> Result<Value, Problem> {
    let wrong = |text: &str, reason| Problem::Value {
        field: excerpt(key),
        text: excerpt(text),
        kind: kind.name(),
        reason,
    };
    match (kind, &json) {
        (Kind::List(of), Json::Array(all)) => {
            let elements = all
                .iter()
                .map(|one| value_as(Kind::One(of), one.clone(), key, signs));
            let elements = elements.collect::<Result<Vec<_>, _>>()?;
            Value::list(elements).map_err(|error| Problem::Json(error.to_string()))
        }
        (Kind::Any, json) => {
            from_json(json).map_err(|error| wrong(&json.to_string(), error.to_string()))
        }
        (kind, Json::String(text)) => kind
            .read(text, signs.array)
            .map_err(|reason| wrong(text, reason)),
        // Numbers and truth in the text that a field would have.
        (kind, json) => {
            let text = json.to_string();
            kind.read(&text, signs.array)
                .map_err(|reason| wrong(&text, reason))
        }
    }
}

/// JSON that nobody has explained.
fn plain(json: &Json) -> Result<Value, String> {
    match json {
        Json::Object(_) => {
            Err("an object is no property: map its keys, or leave it out".to_owned())
        }
        other => from_json(other).map_err(|error| error.to_string()),
    }
}

fn csv(path: &Path, reading: Reading) -> Result<CsvReader<Box<dyn BufRead>>, Failure> {
    let name = path.display().to_string();
    let mut signs = reading.signs;
    if path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"))
    {
        signs.delimiter = b'\t';
    }
    Ok(CsvReader::new(
        open(path)?,
        name.into(),
        signs,
        reading.record_limit,
    ))
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if is_stdin(path) {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).map_err(|source| Failure::Input {
        name: path.display().to_string(),
        source,
    })?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, file)))
}
