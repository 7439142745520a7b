//! `export`: a graph as JSON lines, CSV, or a script of statements.

use super::backup::lies_inside;
use super::placing::{beside, ensure_free, io_error, put_in_place, remove_empty, remove_folder};
use crate::failure::Failure;
use crate::output::{Reply, Table, count, size};
use crate::progress::{Progress, Unit};
use crate::remote::{Access, Server};
use crate::transfer::{Folder, Text, TransferError};
use clap::{Args, ValueEnum};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use stratigraph::Database;
use stratigraph_tables::export::{Exported, Form, Outlet, export};

const EXAMPLE: &str = "\
All of it is of one commit; the database is opened read-only, and a server writes down the same. A file
or folder appears under its name only when it is whole. When the export goes to stdout, the answer goes to stderr.

`import` makes an equal graph of JSON lines and of CSV: every kind of value, indexes, constraints and
hierarchies; ids are given anew (`dump` keeps them). A script is run by `query -f`; it says what
statements can say, and the answer names what they cannot.

CSV is a folder with nodes.csv, relationships.csv and schema.jsonl. A property whose values are of
several types is a column of the type `any`, which is JSON.

Examples:
  stratigraph export library -o library.jsonl
  stratigraph export library --format csv -o exported/
  stratigraph export grpc://localhost:7687 -o library.jsonl
  stratigraph export library --format script | less
  stratigraph export library | grep '^{\"node\"' | jq .properties.name

JSON: path, output (null for stdout), format, commit, nodes, relationships, declarations, members,
bytes, left_out [what a script cannot say]";

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportForm {
    /// JSON lines: declarations, nodes, relationships
    Jsonl,
    /// A folder with nodes.csv, relationships.csv and schema.jsonl
    Csv,
    /// Statements of StratQL
    Script,
}

/// What is exported.
enum Source {
    Folder(Database),
    Server(Server),
}

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Export {
    /// The database's folder, or an address: grpc://host:port, grpcs://host:port with TLS
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// Where it goes: a file, or a folder for CSV; stdout if not given
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,
    /// The form; if not given, by the end of the output's name, and else jsonl
    #[arg(long, value_enum)]
    format: Option<ExportForm>,
    /// Between the elements of a list, in CSV
    #[arg(long, default_value_t = ';')]
    array_delimiter: char,
    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    force: bool,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl Export {
    /// Opens read-only and exports.
    ///
    /// # Errors
    /// What the engine refuses, what the form cannot say, or a file that is there.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let form = self.form()?;
        let mut reply = Reply::new("export");
        let source = self.open(progress)?;
        let exported = match (&self.output, form) {
            (None, ExportForm::Csv) => {
                let why = "CSV is a folder of files: name it with -o";
                return Err(TransferError::Request(why.to_owned()).into());
            }
            (None, _) => {
                reply.stdout_is_taken();
                let mut out = io::stdout().lock();
                self.write(&source, &mut Text::new(&mut out), progress)?
            }
            (Some(folder), ExportForm::Csv) => self.to_folder(&source, folder, progress)?,
            (Some(file), _) => self.to_file(&source, file, progress)?,
        };
        let mut facts = Table::of_facts();
        facts.fact("path", &self.dir.display());
        if let Some(output) = &self.output {
            facts.fact("output", &output.display());
        }
        facts
            .fact("commit", &count(exported.commit))
            .fact("nodes", &count(exported.nodes))
            .fact("relationships", &count(exported.relationships))
            .fact("declared", &count(exported.declarations))
            .fact("size", &size(exported.bytes));
        reply.table(&facts);
        for what in &exported.left_out {
            reply.line(format!("left out, for no statement says it: {what}"));
        }
        let output = self.output.as_ref().map(|path| path.display().to_string());
        let name = clap::ValueEnum::to_possible_value(&form);
        reply
            .field("path", self.dir.display().to_string())
            .field("output", output)
            .field("format", name.map(|name| name.get_name().to_owned()))
            .field("commit", exported.commit)
            .field("nodes", exported.nodes)
            .field("relationships", exported.relationships)
            .field("declarations", exported.declarations)
            .field("members", exported.members)
            .field("bytes", exported.bytes)
            .field("left_out", exported.left_out);
        Ok(reply)
    }

    fn form(&self) -> Result<ExportForm, TransferError> {
        if let Some(form) = self.format {
            return Ok(form);
        }
        let ending = self.output.as_ref().and_then(|path| path.extension());
        match ending.and_then(|ending| ending.to_str()) {
            Some("stratql" | "cypher" | "cql") => Ok(ExportForm::Script),
            Some("csv") => {
                let why = "CSV is a folder of files: say --format csv, and name a folder with -o";
                Err(TransferError::Request(why.to_owned()))
            }
            _ => Ok(ExportForm::Jsonl),
        }
    }

    /// Opens a folder read-only, or connects.
    fn open(&self, progress: &Progress) -> Result<Source, Failure> {
        let cancel = progress.interrupt().token();
        Ok(
            match Server::if_address(&self.dir, &self.access, None, true, &cancel)? {
                Some(server) => Source::Server(server),
                None => Source::Folder(Database::builder().open_read_only(&self.dir)?),
            },
        )
    }

    fn write(
        &self,
        source: &Source,
        out: &mut dyn Outlet,
        progress: &Progress,
    ) -> Result<Exported, Failure> {
        let form = match self.form()? {
            ExportForm::Jsonl => Form::JsonLines,
            ExportForm::Csv => Form::Csv {
                array: self.array_delimiter,
            },
            ExportForm::Script => Form::Script,
        };
        progress.watch(Unit::Entities, |watch| match source {
            Source::Folder(db) => Ok(export(db, form, out, watch)?),
            Source::Server(server) => {
                server.export(form, out, &progress.interrupt().token(), watch)
            }
        })
    }

    /// Writes beside the file first, so that an export that was cut short never has its name.
    fn to_file(
        &self,
        source: &Source,
        file: &Path,
        progress: &Progress,
    ) -> Result<Exported, Failure> {
        self.ensure_free_file(file)?;
        let half = beside(file, ".exporting");
        let mut out = File::create(&half).map_err(|error| io_error("create", &half, error))?;
        let exported = self.write(source, &mut Text::new(&mut out), progress);
        let written = exported.and_then(|exported| {
            out.sync_all()
                .map_err(|error| io_error("sync", &half, error))?;
            // It took a while.
            self.ensure_free_file(file)?;
            put_in_place(&half, file)?;
            Ok(exported)
        });
        if written.is_err() {
            // What kept it from being written is what the user has to hear of.
            let _ = fs::remove_file(&half);
        }
        written
    }

    fn to_folder(
        &self,
        source: &Source,
        folder: &Path,
        progress: &Progress,
    ) -> Result<Exported, Failure> {
        self.ensure_outside(folder)?;
        ensure_free(folder)?;
        let half = beside(folder, ".exporting");
        remove_folder(&half)?;
        fs::create_dir(&half).map_err(|error| io_error("create", &half, error))?;
        let written = self
            .write(source, &mut Folder::new(&half), progress)
            .and_then(|exported| {
                remove_empty(folder)?;
                put_in_place(&half, folder)?;
                Ok(exported)
            });
        if written.is_err() {
            let _ = remove_folder(&half);
        }
        written
    }

    fn ensure_outside(&self, path: &Path) -> Result<(), Failure> {
        if lies_inside(path, &self.dir) {
            let path = path.to_path_buf();
            return Err(Failure::DumpInside { path });
        }
        Ok(())
    }

    fn ensure_free_file(&self, file: &Path) -> Result<(), Failure> {
        self.ensure_outside(file)?;
        let path = file.to_path_buf();
        match fs::metadata(file) {
            // A device, say: renaming would put a file in its place.
            Ok(there) if !there.is_file() => Err(Failure::DumpNotAFile { path }),
            Ok(_) if !self.force => Err(Failure::DumpExists { path }),
            _ => Ok(()),
        }
    }
}
