//! `dump`: a database as text.

use super::backup::lies_inside;
use super::placing::{beside, io_error, put_in_place};
use crate::failure::Failure;
use crate::output::{Reply, Table, count, size};
use crate::progress::{Progress, Unit};
use clap::Args;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use stratigraph::exchange::DumpContents;
use stratigraph::storage::files::folder_of;
use stratigraph::{Database, DumpReport};

const EXAMPLE: &str = "\
One JSON object a line, of one commit; docs/dump-format.md describes them. The database is opened
read-only. A file appears under its name only when it is whole. When the dump goes to stdout, the
answer goes to stderr.

With --canonical ids are left out, and equal graphs give equal text, whatever their ids are: that is
for comparing, and cannot be loaded.

Examples:
  stratigraph dump /var/lib/library -o library.jsonl
  stratigraph dump /var/lib/library | zstd > library.jsonl.zst
  diff <(stratigraph dump --canonical one) <(stratigraph dump --canonical other)

JSON: path, file (null for stdout), database, canonical, commit, nodes, relationships, names,
declarations, members, bytes, longest_line_bytes, checksum";

/// Arguments of `dump`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Dump {
    /// The database's folder
    dir: PathBuf,
    /// Where the dump goes; stdout if not given
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Leave ids out, in an order that does not depend on them
    #[arg(long)]
    canonical: bool,
    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    force: bool,
}

impl Dump {
    /// Opens read-only and dumps.
    ///
    /// # Errors
    /// What the engine refuses, or a file that is there; it is as it was before then.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let mut reply = Reply::new("dump");
        let db = Database::builder().open_read_only(&self.dir)?;
        let report = match &self.output {
            Some(file) => self.to_file(&db, file, progress)?,
            None => {
                reply.stdout_is_taken();
                self.write(&db, &mut io::stdout().lock(), progress)?
            }
        };
        let contents = &report.contents;
        let mut facts = Table::of_facts();
        facts.fact("path", &self.dir.display());
        if let Some(file) = &self.output {
            facts.fact("file", &file.display());
        }
        facts
            .fact("commit", &count(report.commit.get()))
            .fact("nodes", &count(contents.nodes))
            .fact("relationships", &count(contents.relationships))
            .fact("size", &size(contents.bytes))
            .fact("checksum", &report.checksum);
        let file = self.output.as_ref().map(|file| file.display().to_string());
        reply
            .table(&facts)
            .field("path", self.dir.display().to_string())
            .field("file", file)
            .field("database", db.id().to_string())
            .field("canonical", self.canonical)
            .field("commit", report.commit.get());
        add_contents(&mut reply, contents);
        reply
            .field("longest_line_bytes", report.longest_line_bytes)
            .field("checksum", report.checksum);
        Ok(reply)
    }

    fn write(
        &self,
        db: &Database,
        out: &mut dyn Write,
        progress: &Progress,
    ) -> Result<DumpReport, Failure> {
        let report = progress.watch(Unit::Entities, |watch| {
            if self.canonical {
                db.dump_canonical(out, watch)
            } else {
                db.dump(out, watch)
            }
        });
        Ok(report?)
    }

    /// Writes beside the file first, so that a dump that was cut short never has its name.
    fn to_file(
        &self,
        db: &Database,
        file: &Path,
        progress: &Progress,
    ) -> Result<DumpReport, Failure> {
        self.ensure_free(file)?;
        let half = beside(file, ".dumping");
        let mut out = File::create(&half).map_err(|error| not_created(file, error))?;
        let report = self.write(db, &mut out, progress).and_then(|report| {
            out.sync_all()
                .map_err(|error| io_error("sync", &half, error))?;
            // It took a while.
            self.ensure_free(file)?;
            put_in_place(&half, file)?;
            Ok(report)
        });
        if report.is_err() {
            // What kept the dump from being written is what the user has to hear of.
            let _ = fs::remove_file(&half);
        }
        report
    }

    fn ensure_free(&self, file: &Path) -> Result<(), Failure> {
        let path = file.to_path_buf();
        if lies_inside(file, &self.dir) {
            return Err(Failure::DumpInside { path });
        }
        match fs::metadata(file) {
            // A device, say: renaming would put a file in its place.
            Ok(there) if !there.is_file() => Err(Failure::DumpNotAFile { path }),
            Ok(_) if !self.force => Err(Failure::DumpExists { path }),
            _ => Ok(()),
        }
    }
}

/// Why there is no file to write into, in terms of the one that was asked for.
fn not_created(file: &Path, error: io::Error) -> Failure {
    let folder = folder_of(file);
    if !folder.is_dir() {
        return Failure::DumpNowhere {
            path: file.to_path_buf(),
            folder: folder.to_path_buf(),
        };
    }
    io_error("write", file, error)
}

/// Adds the counts of a dump.
pub(super) fn add_contents(reply: &mut Reply, contents: &DumpContents) {
    reply
        .field("nodes", contents.nodes)
        .field("relationships", contents.relationships)
        .field("names", contents.names)
        .field("declarations", contents.declarations)
        .field("members", contents.members)
        .field("bytes", contents.bytes);
}
