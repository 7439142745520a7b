//! The rows of all files of a mapping, one after the other.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use stratigraph::storage::cancel::CancelToken;
use stratigraph_tables::{
    BadRecord, CsvReader, Lines, Next, Problem, Signs, TableError, excerpt, object,
};

use super::counted::Count;
use super::row::{Csv, Row};
use super::{Bytes, MappedFile, Origin, SilentFile, Typed};
use crate::read::{Format, Place, ReadError};

/// What the rows of a mapping's files state.
pub struct TypedRows<'m> {
    files: std::slice::Iter<'m, MappedFile>,
    open: Option<Open<'m>>,
    /// What the row that was read last states.
    waiting: VecDeque<Result<Typed, ReadError>>,
    untaken: u64,
    silent: Vec<SilentFile>,
    is_cut_short: bool,
    count: Count,
    cancel: CancelToken,
}

/// A file that is open.
struct Open<'m> {
    file: &'m MappedFile,
    input: Input,
    /// Columns that rules want and no row has had yet. Only JSON lines: CSV has a header.
    missing: HashSet<&'m str>,
    /// Which rules took a row: those of nodes, then those of relationships.
    took: Vec<bool>,
    /// Whether no row of it could be read so far.
    is_silent: bool,
    /// What was wrong with the first row that is broken.
    broken: Option<ReadError>,
}

/// Why a file is not open.
enum Unopened {
    /// It has no rows: it is not there, or nothing is in it.
    NoRows(ReadError),
    /// It may have rows, and nobody knows what they state.
    Unread(ReadError),
}

impl From<ReadError> for Unopened {
    fn from(error: ReadError) -> Self {
        Self::Unread(error)
    }
}

enum Input {
    Csv(Box<Csv>, HashMap<String, usize>),
    Json(Box<Lines>),
}

/// What came of reading a row.
enum Step {
    Row,
    End,
}

impl<'m> TypedRows<'m> {
    /// The most bytes of a record.
    pub const MAX_RECORD: u64 = 16 << 20;

    pub(super) fn new(files: &'m [MappedFile]) -> Self {
        Self {
            files: files.iter(),
            open: None,
            waiting: VecDeque::new(),
            untaken: 0,
            silent: Vec::new(),
            is_cut_short: false,
            count: Count::default(),
            cancel: CancelToken::new(),
        }
    }

    /// Ends early when this is cancelled, also among rows that no rule is for. Whoever asks for it looks at it then.
    #[must_use]
    pub fn cancel(mut self, cancel: &CancelToken) -> Self {
        self.cancel = cancel.clone();
        self
    }

    /// How many rows no rule was for.
    #[must_use]
    pub fn untaken(&self) -> u64 {
        self.untaken
    }

    /// How many bytes of the files were read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.bytes()
    }

    /// Whether a file that is there could not be read to its end: what the rest of it states is not known. The first error
    /// after which this is so says which file that is, and where. One that is missing or empty has an end.
    #[must_use]
    pub fn is_cut_short(&self) -> bool {
        self.is_cut_short
    }

    /// The files so far of which no row could be read.
    pub(crate) fn silent(&self) -> &[SilentFile] {
        &self.silent
    }

    fn step(&mut self, open: &mut Open<'m>) -> Step {
        let read = match &mut open.input {
            Input::Csv(reader, columns) => match reader.read() {
                Ok(Next::End) => return Step::End,
                Ok(Next::Bad(bad)) => Err(bad),
                Ok(Next::Record) if reader.width() != columns.len() => {
                    let problem = Problem::Fields {
                        found: reader.width(),
                        expected: columns.len(),
                    };
                    Err(BadRecord::new(reader.here(), problem))
                }
                Ok(Next::Record) => open.file.states(&Row::Csv(reader, columns), &mut open.took),
                Err(error) => return self.unreadable(error),
            },
            Input::Json(lines) => match lines.read() {
                Ok(false) => return Step::End,
                Ok(true) => {
                    let entries = match lines.text() {
                        None => Err((None, Problem::NotText)),
                        Some(text) => {
                            object(text).map_err(|(column, why)| (column, Problem::Json(why)))
                        }
                    };
                    match entries {
                        Err((column, problem)) => Err(BadRecord::new(lines.place(column), problem)),
                        Ok(entries) => {
                            let row = Row::Json(lines, &entries);
                            open.missing.retain(|column| !row.has(column));
                            open.file.states(&row, &mut open.took)
                        }
                    }
                }
                Err(error) => return self.unreadable(error),
            },
        };
        open.is_silent &= read.is_err();
        match read {
            Ok(stated) if stated.is_empty() => self.untaken += 1,
            Ok(stated) => {
                self.waiting.extend(stated.into_iter().map(Ok));
            }
            Err(bad) => {
                let error = ReadError::of_record(&bad);
                open.broken.get_or_insert_with(|| error.clone());
                self.waiting.push_back(Err(error));
            }
        }
        Step::Row
    }

    fn unreadable(&mut self, error: TableError) -> Step {
        self.is_cut_short = true;
        self.waiting.push_back(Err(ReadError::of_table(error)));
        Step::End
    }

    /// Columns that no row has had are slips in the mapping.
    fn closed(&mut self, open: &Open<'m>) {
        if open.is_silent {
            self.silent.push(open.file.silent(open.broken.clone()));
        }
        let rules = open.file.rules().zip(&open.took);
        let columns = rules.filter(|(_, took)| **took).flat_map(|(rule, _)| rule);
        let mut missing: Vec<&str> = columns
            .filter(|column| open.missing.contains(column))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        for column in missing {
            let why = format!(
                "the mapping names {:?}, which no record has",
                excerpt(column)
            );
            let hint = "look for a slip in the mapping";
            let error = ReadError::new(&open.file.name, Place::File, why, hint);
            self.waiting.push_back(Err(error));
        }
    }
}

impl Iterator for TypedRows<'_> {
    type Item = Result<Typed, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(waiting) = self.waiting.pop_front() {
                return Some(waiting);
            }
            if self.cancel.is_cancelled() {
                return None;
            }
            let mut open = match self.open.take() {
                Some(open) => open,
                None => {
                    let file = self.files.next()?;
                    match file.open(&self.count) {
                        Ok(open) => open,
                        Err(Unopened::NoRows(error)) => {
                            self.silent.push(file.silent(Some(error.clone())));
                            return Some(Err(error));
                        }
                        Err(Unopened::Unread(error)) => {
                            self.is_cut_short = true;
                            return Some(Err(error));
                        }
                    }
                }
            };
            match self.step(&mut open) {
                Step::Row => self.open = Some(open),
                Step::End => self.closed(&open),
            }
        }
    }
}

impl MappedFile {
    fn open(&self, count: &Count) -> Result<Open<'_>, Unopened> {
        let refuse =
            |reason: String, hint: &str| ReadError::new(&self.name, Place::File, reason, hint);
        let Some(format) = self.format() else {
            let hint = "CSV ends with .csv or .tsv, JSON lines with .jsonl, .ndjson or .json";
            return Err(refuse("this is no table".to_owned(), hint).into());
        };
        let buffered: Box<dyn BufRead> = match &self.bytes {
            Bytes::OnDisk(path) => {
                let file = count.of(self.on_disk(path)?);
                Box::new(BufReader::with_capacity(1 << 16, file))
            }
            Bytes::Sent(Some(sent)) => Box::new(count.of(sent.read())),
            Bytes::Sent(None) => return Err(self.unreadable(&io::ErrorKind::NotFound.into())),
        };
        let name = Arc::clone(&self.name);
        if format == Format::JsonLines {
            let lines = Lines::new(buffered, name, TypedRows::MAX_RECORD);
            return Ok(Open {
                file: self,
                input: Input::Json(Box::new(lines)),
                missing: self.columns().collect(),
                took: vec![false; self.nodes.len() + self.edges.len()],
                is_silent: true,
                broken: None,
            });
        }
        let mut signs = Signs::default();
        if self
            .place
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"))
        {
            signs.delimiter = b'\t';
        }
        let mut reader = CsvReader::new(buffered, name, signs, TypedRows::MAX_RECORD);
        let columns = self.header(&mut reader)?;
        Ok(Open {
            file: self,
            input: Input::Csv(Box::new(reader), columns),
            missing: HashSet::new(),
            took: vec![false; self.nodes.len() + self.edges.len()],
            is_silent: true,
            broken: None,
        })
    }

    fn on_disk(&self, path: &Path) -> Result<File, Unopened> {
        let unreadable = |error| self.unreadable(&error);
        let file = File::open(path).map_err(unreadable)?;
        if file.metadata().map_err(unreadable)?.is_file() {
            return Ok(file);
        }
        let reason = "it is no file".to_owned();
        Err(ReadError::new(&self.name, Place::File, reason, "name a file").into())
    }

    /// One that is missing is told of in the same words wherever its bytes should be.
    fn unreadable(&self, error: &io::Error) -> Unopened {
        let told = |reason, hint| ReadError::new(&self.name, Place::File, reason, hint);
        if error.kind() == io::ErrorKind::NotFound {
            let reason = "it cannot be read: it is not there".to_owned();
            return Unopened::NoRows(told(reason, "look for a slip in the mapping"));
        }
        let reason = format!("it cannot be read: {error}");
        Unopened::Unread(told(reason, "look at the disk"))
    }

    /// The places of the columns, by the first record.
    fn header(&self, reader: &mut Csv) -> Result<HashMap<String, usize>, Unopened> {
        let at = |line: u64, column: Option<u64>, reason: String| {
            let place = Place::of_line(line, column);
            ReadError::new(&self.name, place, reason, "mend the header, or the mapping")
        };
        match reader.read() {
            Ok(Next::Record) => {}
            Ok(Next::Bad(bad)) => return Err(ReadError::of_record(&bad).into()),
            Ok(Next::End) => {
                let why = "the file is empty: it begins with a header".to_owned();
                return Err(Unopened::NoRows(at(1, None, why)));
            }
            Err(error) => return Err(ReadError::of_table(error).into()),
        }
        /// A table that anybody has made has fewer.
        const MOST_COLUMNS: usize = 10_000;
        if reader.width() > MOST_COLUMNS {
            let why = format!(
                "the header has {} columns, and at most {MOST_COLUMNS} are read",
                reader.width()
            );
            return Err(at(reader.here().line, None, why).into());
        }
        let mut columns = HashMap::new();
        for number in 0..reader.width() {
            let Some(field) = reader.field(number) else {
                continue;
            };
            let name = field.text.trim().to_owned();
            if let Some(twice) = columns.insert(name.clone(), number) {
                let why = format!(
                    "the columns {} and {} are both {name:?}",
                    twice + 1,
                    number + 1
                );
                return Err(at(field.line, Some(field.column), why).into());
            }
        }
        if let Some(missing) = self.columns().find(|column| !columns.contains_key(*column)) {
            let why = format!("there is no column {:?}", excerpt(missing));
            return Err(at(reader.here().line, None, why).into());
        }
        Ok(columns)
    }

    /// The columns that the rules read.
    fn columns(&self) -> impl Iterator<Item = &str> {
        self.rules().flatten()
    }

    /// The columns of each rule: those of nodes, then those of relationships.
    fn rules(&self) -> impl Iterator<Item = Vec<&str>> {
        let nodes = self.nodes.iter().map(|rule| rule.columns().collect());
        nodes.chain(self.edges.iter().map(|rule| rule.columns().collect()))
    }

    /// What all rules make of a row: all of it, or nothing if one of them cannot.
    fn states(&self, row: &Row<'_>, took: &mut [bool]) -> Result<Vec<Typed>, BadRecord> {
        let origin = Origin {
            file: Arc::clone(&self.name),
            line: row.place().line,
        };
        let mut took = took.iter_mut();
        let mut all = Vec::new();
        for rule in &self.nodes {
            let stated = rule.apply(row, &origin)?;
            note(took.next(), !stated.is_empty());
            all.extend(stated);
        }
        for rule in &self.edges {
            let stated = rule.apply(row, &origin)?;
            note(took.next(), stated.is_some());
            all.extend(stated);
        }
        Ok(all)
    }
}

fn note(took: Option<&mut bool>, now: bool) {
    if let Some(took) = took {
        *took |= now;
    }
}
