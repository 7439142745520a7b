//! `load`: a new database out of a dump.

use super::dump::add_contents;
use super::placing::{beside, ensure_free, io_error, put_in_place, remove_empty, remove_folder};
use crate::failure::Failure;
use crate::output::{Reply, Table, count, size, things};
use crate::progress::{Progress, Unit};
use clap::Args;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use stratigraph::{Database, DumpError, Error, LoadOptions, LoadReport};

const EXAMPLE: &str = "\
The database must be new; with --create it must be missing, and appears only when it is whole. Ids,
names and declarations are those of the dump. A dump that is cut, damaged or refused leaves the
database as it is; one whose declarations its contents break leaves a database to be deleted.

Examples:
  stratigraph load /var/lib/library library.jsonl --create
  zstd -dc library.jsonl.zst | stratigraph load /var/lib/library - --create

JSON: path, file (null for stdin), database, commit, nodes, relationships, names, declarations,
members, bytes, left_out (what was still being built, and refuses what is there)";

/// Arguments of `load`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Load {
    /// The database's folder
    dir: PathBuf,
    /// The dump; - for stdin
    #[arg(value_name = "FILE")]
    dump: PathBuf,
    /// Create the database
    #[arg(long)]
    create: bool,
    /// Take a dump that was edited: its checksum and counts need not fit
    #[arg(long)]
    ignore_checksum: bool,
    /// The longest line
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    line_limit: u64,
}

impl Load {
    /// Opens or creates, loads, and closes before it answers.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let (database, report) = if self.create {
            self.load_into_new(progress)?
        } else {
            self.load_into_open(progress)?
        };
        let contents = &report.contents;
        let mut facts = Table::of_facts();
        facts
            .fact("path", &self.dir.display())
            .fact("database", &database)
            .fact("commit", &count(report.commit.get()))
            .fact("nodes", &count(contents.nodes))
            .fact("relationships", &count(contents.relationships))
            .fact("declared", &count(contents.declarations))
            .fact("read", &size(contents.bytes));
        let mut reply = Reply::new("load");
        reply.table(&facts);
        if !report.left_out.is_empty() {
            reply.line(format!(
                "{} left out, being built when dumped and refusing what is there: {}",
                things(report.left_out.len() as u64, "declaration"),
                report.left_out.join(", ")
            ));
        }
        let left_out: Vec<String> = report.left_out.iter().map(ToString::to_string).collect();
        reply
            .field("path", self.dir.display().to_string())
            .field("file", self.file().map(|file| file.display().to_string()))
            .field("database", database)
            .field("commit", report.commit.get());
        add_contents(&mut reply, contents);
        reply.field("left_out", left_out);
        Ok(reply)
    }

    fn load_into_open(&self, progress: &Progress) -> Result<(String, LoadReport), Failure> {
        let input = self.input()?;
        let db = open(&self.dir)?;
        self.load(db, input, progress)
    }

    /// Loads beside the folder first, so that half a database never has its name.
    fn load_into_new(&self, progress: &Progress) -> Result<(String, LoadReport), Failure> {
        let input = self.input()?;
        let path = self.dir.clone();
        ensure_free(&path)?;
        let half = beside(&path, ".loading");
        remove_folder(&half)?;
        let loaded = Database::create(&half)
            .map_err(Failure::from)
            .and_then(|db| self.load(db, input, progress))
            .and_then(|loaded| {
                remove_empty(&path)?;
                put_in_place(&half, &path)?;
                Ok(loaded)
            });
        loaded.map_err(|failure| match remove_folder(&half) {
            Ok(()) => without_remains(failure),
            Err(_) => failure,
        })
    }

    fn load(
        &self,
        db: Database,
        input: Box<dyn BufRead>,
        progress: &Progress,
    ) -> Result<(String, LoadReport), Failure> {
        let report = progress.watch(Unit::Entities, |watch| {
            db.load(input, &self.options(), watch)
        })?;
        let id = db.id().to_string();
        db.close()?;
        Ok((id, report))
    }

    fn options(&self) -> LoadOptions {
        LoadOptions::default()
            .ignore_checksum(self.ignore_checksum)
            .line_bytes(self.line_limit)
    }

    /// The file; `None` is stdin.
    fn file(&self) -> Option<&Path> {
        (self.dump.as_os_str() != "-").then_some(&self.dump)
    }

    fn input(&self) -> Result<Box<dyn BufRead>, Failure> {
        let Some(path) = self.file() else {
            return Ok(Box::new(io::stdin().lock()));
        };
        match File::open(path) {
            Ok(file) => Ok(Box::new(BufReader::with_capacity(1 << 20, file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failure::NoDump {
                path: path.to_path_buf(),
            }),
            Err(error) => Err(io_error("open", path, error)),
        }
    }
}

/// What went wrong, when the part that had been loaded is gone again.
fn without_remains(failure: Failure) -> Failure {
    match failure {
        Failure::Engine(Error::Dump(error)) => Failure::Engine(match *error {
            DumpError::Partial { source, .. } => *source,
            error => error.into(),
        }),
        failure => failure,
    }
}

/// Opens a database that must be there, or be made on purpose.
pub(super) fn open(dir: &Path) -> Result<Database, Failure> {
    Database::open(dir).map_err(|error| match Failure::from(error) {
        Failure::NoDatabase { path, .. } => Failure::NoDatabase {
            path,
            hint: "pass --create to make it, or correct the path",
        },
        failure => failure,
    })
}
