//! `import`: nodes and relationships from CSV and JSON lines.

use super::placing::{beside, ensure_free, put_in_place, remove_empty, remove_folder};
use crate::failure::Failure;
use crate::output::{Reply, Table, count, printable, size, things};
use crate::progress::{Progress, Unit};
use crate::remote::{Access, Address, Manner, Sending, Server};
use crate::transfer::{self, Brought, Files, Reading, SHOWN_BAD, Signs, Target, TransferError};
use clap::Args;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;
use stratigraph::{BulkOptions, Database};
use stratigraph_query_lang::quoted_name;

const EXAMPLE: &str = "\
All of it is imported, or nothing: whatever goes wrong, Ctrl-C too, leaves the database as it was, and
with --create no database. There is nothing to resume: correct what was said, and start again.

CSV has a header as Neo4j's admin import has it: `:ID`, `name:ID(Space)`, `:LABEL`, `:START_ID(Space)`,
`:END_ID(Space)`, `:TYPE`, `:IGNORE`, and properties as `name`, `age:int`, `tags:string[]`, `seen:date`,
`emb:vector`. An empty field is null, \"\" is the empty text. JSON lines are those of `export`, and of a
dump without its header; other objects, and other headers, are explained by --mapping, a TOML file.
docs/command-line.md describes them.

Errors name file, line and column. A record is bad if a field is not of its type, an id is missing or
there twice, an end is unknown, or a constraint refuses it; --skip-bad leaves such ones out and says
which. --dry-run reads everything and writes nothing; constraints are not looked at then.

Memory does not grow with the size of the files, but for some 50 bytes a node with an id.

To a server everything goes in one stream, into the database that is there, or with --create into the one
that --database names. What the files declare is declared there first, and taken back if the import fails;
members of hierarchies by their names do not go along. A record that the server refuses ends the import,
without its place in a file.

Examples:
  stratigraph import library --create people.csv knows.csv
  stratigraph import grpc://localhost:7687 people.csv knows.csv
  stratigraph import library --nodes Person=people.csv --relationships KNOWS=knows.csv --dry-run
  stratigraph import library --create --nodes Person=header.csv,part1.csv,part2.csv --skip-bad 100
  stratigraph import library --create --mapping mapping.toml
  stratigraph import copy --create exported/
  zstd -dc graph.jsonl.zst | stratigraph import library --create -

JSON: path, database (null for --dry-run; at an address its name), commit (the same), dry_run, nodes, relationships, members,
declarations, bytes, milliseconds, skipped, bad [{file, line, column, problem}] (the first 100)";

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Import {
    /// The database's folder, or an address: grpc://host:port, grpcs://host:port with TLS
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// CSV or JSON lines, or a folder of them; - for JSON lines on stdin
    files: Vec<PathBuf>,
    /// Create the database
    #[arg(long)]
    create: bool,
    /// Nodes, with the labels that all of them get; files after a comma have no header of their own
    #[arg(long, value_name = "[LABEL:LABEL=]FILE[,FILE]")]
    nodes: Vec<String>,
    /// Relationships, with the type of those that have none of their own
    #[arg(long, value_name = "[TYPE=]FILE[,FILE]")]
    relationships: Vec<String>,
    /// What columns and keys are, in TOML
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Between two fields: a character, or TAB
    #[arg(long, default_value = ",", value_parser = sign)]
    delimiter: char,
    /// Between the elements of a list
    #[arg(long, default_value = ";", value_parser = sign)]
    array_delimiter: char,
    /// Around fields with delimiters in them
    #[arg(long, default_value = "\"", value_parser = sign)]
    quote: char,
    /// Leave out up to so many bad records
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_bad: u64,
    /// Look at everything and write nothing
    #[arg(long)]
    dry_run: bool,
    /// The longest record
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    record_limit: u64,
    /// About how much memory sorting may take, and relationships of hierarchies as much again
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    memory: usize,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl Import {
    /// Opens or creates, imports, and closes before it answers.
    ///
    /// # Errors
    /// What the files or the engine refuse.
    pub(super) fn run(&self, quiet: bool, progress: &Progress) -> Result<Reply, Failure> {
        let started = Instant::now();
        let reading = self.reading()?;
        let mapping = self.mapping.as_deref();
        let sources = transfer::gather(&self.files, &self.nodes, &self.relationships, mapping)?;
        let files = Files::open(&sources, reading)?;
        let declared = files.declarations.len() as u64;
        let address = Address::in_place_of(&self.dir, &self.access, None)?;
        let (database, brought) = if self.dry_run {
            let looked = progress.watch(Unit::Bytes, |watch| {
                transfer::bring(files, Target::Nowhere(0), watch)
            })?;
            (None, looked.1)
        } else if let Some(address) = &address {
            let (database, brought) = self.load_at(address, files, progress)?;
            (Some(database), brought)
        } else if self.create {
            let (database, brought) = self.load_into_new(files, progress)?;
            (Some(database), brought)
        } else {
            let db = super::load::open(&self.dir)?;
            let (database, brought) = self.load_into_open(&db, files, progress)?;
            db.close()?;
            (Some(database), brought)
        };
        if !quiet {
            for bad in &brought.shown_bad {
                // Nobody is left to hear that stderr is closed.
                let _ = writeln!(io::stderr(), "left out: {}", printable(&bad.to_string()));
            }
            if brought.bad > SHOWN_BAD as u64 {
                let more = brought.bad - SHOWN_BAD as u64;
                let _ = writeln!(io::stderr(), "and {} more", count(more));
            }
        }
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(self.reply(database, &brought, declared, milliseconds))
    }

    fn reading(&self) -> Result<Reading, Failure> {
        let byte = |sign: char| {
            let byte = u8::try_from(sign).ok().filter(u8::is_ascii);
            byte.ok_or_else(|| TransferError::Request(format!("{sign:?} is not one byte of ASCII")))
        };
        let signs = Signs {
            delimiter: byte(self.delimiter)?,
            quote: byte(self.quote)?,
            array: self.array_delimiter,
        };
        if self.delimiter == self.quote || self.delimiter == self.array_delimiter {
            let why = "the delimiters and the quote are different characters";
            return Err(TransferError::Request(why.to_owned()).into());
        }
        Ok(Reading {
            signs,
            record_limit: self.record_limit,
            skip_bad: self.skip_bad,
        })
    }

    /// Imports beside the folder first, so that half a database never has its name.
    fn load_into_new(
        &self,
        files: Files<'_>,
        progress: &Progress,
    ) -> Result<((String, u64), Brought), Failure> {
        ensure_free(&self.dir)?;
        let half = beside(&self.dir, ".importing");
        remove_folder(&half)?;
        let imported = Database::create(&half)
            .map_err(Failure::from)
            .and_then(|db| {
                let imported = self.load_into_open(&db, files, progress)?;
                db.close()?;
                Ok(imported)
            })
            .and_then(|imported| {
                remove_empty(&self.dir)?;
                put_in_place(&half, &self.dir)?;
                Ok(imported)
            });
        if imported.is_err() {
            // What went wrong before is what the user has to hear of.
            let _ = remove_folder(&half);
        }
        imported
    }

    /// Declares, and loads on top of that: so each record is held against the constraints, and told with its place.
    fn load_into_open(
        &self,
        db: &Database,
        files: Files<'_>,
        progress: &Progress,
    ) -> Result<((String, u64), Brought), Failure> {
        let before = Names::of(db)?;
        let loaded = self.load(db, files, progress);
        match loaded {
            Ok((commit, brought)) => Ok(((db.id().to_string(), commit), brought)),
            Err(failure) => {
                before.restore(db);
                Err(failure)
            }
        }
    }

    /// Sends everything to a server, which takes all of it or nothing. Its name, or nothing for the default one, and
    /// the commit.
    fn load_at(
        &self,
        address: &Address,
        files: Files<'_>,
        progress: &Progress,
    ) -> Result<((String, u64), Brought), Failure> {
        let cancel = progress.interrupt().token();
        let manner = Manner {
            read_only: false,
            create: self.create,
        };
        let server = Server::open(address, &self.access, manner, &cancel)?;
        // Before the rest: so each record is held against the constraints, as in a folder.
        let declared = server.declare_schema(&files.declarations, &cancel);
        let declared = declared.map_err(|failure| undeclared(failure, &files))?;
        match send(&server, files, progress) {
            Ok((commit, brought)) => Ok(((server.database().to_owned(), commit), brought)),
            Err(failure) => {
                declared.take_back();
                Err(failure)
            }
        }
    }

    fn load(
        &self,
        db: &Database,
        files: Files<'_>,
        progress: &Progress,
    ) -> Result<(u64, Brought), Failure> {
        if !files.declarations.is_empty() {
            let declared = progress.watch(Unit::Entities, |watch| {
                db.declare(&files.declarations, watch)
            });
            declared.map_err(|error| undeclared(error.into(), &files))?;
        }
        let options = BulkOptions::new().memory_bytes(self.memory.saturating_mul(1 << 20));
        let load = db.bulk_load_with(options)?;
        let load = load.with_cancel(progress.interrupt().token());
        let (target, brought) = progress.watch(Unit::Bytes, |watch| {
            transfer::bring(files, Target::Bulk(Box::new(load)), watch)
        })?;
        let Target::Bulk(load) = target else {
            return Err(stratigraph::Error::Cancelled.into());
        };
        let report = progress.watch(Unit::Entities, |watch| load.finish(watch))?;
        Ok((report.commit.get(), brought))
    }

    fn reply(
        &self,
        database: Option<(String, u64)>,
        brought: &Brought,
        declared: u64,
        milliseconds: u64,
    ) -> Reply {
        let mut facts = Table::of_facts();
        facts.fact("path", &self.dir.display());
        let (database, commit) = database.unzip();
        if let (Some(database), Some(commit)) = (&database, commit) {
            facts
                .fact("database", database)
                .fact("commit", &count(commit));
        }
        let records = brought.nodes + brought.relationships;
        let rate = records.saturating_mul(1000) / milliseconds.max(1);
        facts
            .fact("nodes", &count(brought.nodes))
            .fact("relationships", &count(brought.relationships))
            .fact("declared", &count(declared))
            .fact("read", &size(brought.bytes))
            .fact("records per second", &count(rate));
        let mut reply = Reply::new("import");
        reply.table(&facts);
        if self.dry_run {
            reply.line("nothing was written: this was a dry run");
        }
        if brought.bad > 0 {
            reply.line(format!("{} left out", things(brought.bad, "bad record")));
        }
        let bad = brought.shown_bad.iter().map(|bad| {
            json!({
                "file": &*bad.place.file,
                "line": bad.place.line,
                "column": bad.place.column,
                "problem": bad.problem.to_string(),
            })
        });
        reply
            .field("path", self.dir.display().to_string())
            .field("database", database)
            .field("commit", commit)
            .field("dry_run", self.dry_run)
            .field("nodes", brought.nodes)
            .field("relationships", brought.relationships)
            .field("members", brought.members)
            .field("declarations", declared)
            .field("bytes", brought.bytes)
            .field("milliseconds", milliseconds)
            .field("skipped", brought.bad)
            .field("bad", bad.collect::<Value>());
        reply
    }
}

/// Sends everything; the commit.
fn send(server: &Server, files: Files<'_>, progress: &Progress) -> Result<(u64, Brought), Failure> {
    let cancel = progress.interrupt().token();
    let sending = Target::Server(Box::new(Sending::begin(server, cancel)));
    let (target, brought) =
        progress.watch(Unit::Bytes, |watch| transfer::bring(files, sending, watch))?;
    let Target::Server(sending) = target else {
        return Err(stratigraph::Error::Cancelled.into());
    };
    Ok((sending.finish()?, brought))
}

/// Why something could not be declared, with the file that declares it.
fn undeclared(failure: Failure, files: &Files<'_>) -> Failure {
    match failure {
        Failure::Engine(error @ stratigraph::Error::Dump(_)) => {
            Failure::from(TransferError::Declaration {
                file: files.declaring.to_string(),
                reason: error.to_string(),
                after: "Nothing was imported",
            })
        }
        other => other,
    }
}

/// One character, or its name.
fn sign(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("TAB" | "tab" | "\\t", ..) => Ok('\t'),
        (_, Some('\n' | '\r'), _) => Err("lines end with that".to_owned()),
        (_, Some(one), None) => Ok(one),
        _ => Err("write one character, or TAB".to_owned()),
    }
}

/// What is declared, so that what an import has declared can be taken back when it fails.
struct Names {
    indexes: Vec<String>,
    constraints: Vec<String>,
    hierarchies: Vec<String>,
}

impl Names {
    fn of(db: &Database) -> Result<Self, Failure> {
        use stratigraph::Read;
        let read = db.read()?;
        let catalog = read.catalog();
        let plain = catalog.indexes().filter(|index| index.owner.is_none());
        let indexes = plain.map(|index| index.name.to_string());
        let vectors = catalog.vector_indexes().map(|index| index.name.to_string());
        let texts = catalog.text_indexes().map(|index| index.name.to_string());
        let constraints = catalog.constraints().map(|one| one.name.to_string());
        let hierarchies = catalog.hierarchies().map(|one| one.name.to_string());
        Ok(Self {
            indexes: indexes.chain(vectors).chain(texts).collect(),
            constraints: constraints.collect(),
            hierarchies: hierarchies.collect(),
        })
    }

    /// Drops what was not there.
    fn restore(&self, db: &Database) {
        let Ok(now) = Self::of(db) else { return };
        for (what, before, now) in [
            ("CONSTRAINT", &self.constraints, &now.constraints),
            ("INDEX", &self.indexes, &now.indexes),
            ("HIERARCHY", &self.hierarchies, &now.hierarchies),
        ] {
            for name in now.iter().filter(|name| !before.contains(name)) {
                let statement = format!("DROP {what} {}", quoted_name(name));
                if let Err(error) = db.query(&statement, ()) {
                    tracing::warn!(%error, name, "what the import had declared stays");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
