//! `summarise`: the summaries that are missing or stale, of a database whose documents are in. `ingest --summarise` does the
//! same with what is here.
//!
//! | what | where |
//! |---|---|
//! | which summaries, and how they are made | `make.rs` |
//! | what came of them, and how it is told | `made.rs` |

mod made;
mod make;

pub(crate) use made::Made;
pub(crate) use make::{Of, Summaries};

use crate::failure::Failure;
use crate::models::Models;
use crate::output::Reply;
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::remote::{Access, Server};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use stratigraph::Database;
use stratigraph_rag::door::Library;

const EXAMPLE: &str = "\
Domains, which the profile `tag` has, are found by their summaries. Written are those that were never made and those that were
made from something else than is said now, the widest domains first; what stands is left alone, and no model is asked for it
again. After Ctrl-C the next run goes on from there. `ingest --summarise` does it when documents are in.

With --llm the model writes them, or that of the server at an address. Without one they are the most central sentences of what
is said, and `by` says so. A model that fails is told of, and nothing is put in the place of what it would have said. With a
model, summaries that rules have written are written anew; without one what a model wrote stays, stale or not, unless --central
says that sentences are to take the place of what is stale. What could not be written is named on stderr, and makes the exit code 2.
What nothing is said of any more loses its summary, which is told, and no failure.

Examples:
  stratigraph summarise library
  stratigraph summarise library --llm http://localhost:11434/v1 --model qwen3 --dry-run
  stratigraph summarise library --entities
  stratigraph summarise grpc://localhost/library

JSON: path, by (the model, or `rules` for the most central sentences), dry_run, written (in a dry run how many would be), failed
[{label, key, problem}] (the first 1000), count_failed, forgotten [{label, key}] (the first 1000, whose summaries were taken away),
count_forgotten, stale (that still are), model {calls, kept, input_tokens, output_tokens, dropped, cost (null without prices)},
milliseconds";

/// How entities are asked for here.
const ENTITIES: &str = "--entities";

/// Arguments of `summarise`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Summarise {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// Also those of entities: a call of the model for each
    #[arg(long)]
    entities: bool,
    /// The most central sentences, without asking a model, also in the place of what one wrote and is stale
    #[arg(long)]
    central: bool,
    /// Say what it would cost, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Which models.
    #[command(flatten)]
    models: Models,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl Summarise {
    /// Writes them.
    ///
    /// # Errors
    /// What the models or the engine refuse; of single summaries the answer tells.
    pub(super) fn run(&self, quiet: bool, progress: &Progress) -> Result<Reply, Failure> {
        let started = Instant::now();
        let wanted = Summaries {
            of: match self.entities {
                true => Of::Entities,
                false => Of::Domains,
            },
            central: self.central,
            dry_run: self.dry_run,
        };
        let cancel = &progress.interrupt().token();
        let (access, models) = (&self.access, self.models.said());
        let mut made = match Server::if_address(&self.dir, access, models, false, cancel)? {
            Some(server) => {
                if let Some(system) = server.system()? {
                    wanted.of.check(system, ENTITIES)?;
                }
                wanted.at_server(&server, progress)?
            }
            None => self.in_folder(&wanted, progress)?,
        };
        if !quiet {
            made.failures();
        }
        let mut reply = Reply::new("summarise");
        let path = self.dir.to_string_lossy();
        made.answer(&mut reply, &path, &wanted, self.models.prices())?;
        let milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        reply
            .field("path", path)
            .field("dry_run", self.dry_run)
            .field("milliseconds", milliseconds);
        if let Some(failure) = made.ended.take() {
            reply.ended(failure);
        }
        Ok(reply)
    }

    fn in_folder(&self, wanted: &Summaries, progress: &Progress) -> Result<Made, Failure> {
        let equipment = self.models.equipment()?;
        let builder = Database::builder();
        let db = match self.dry_run {
            true => builder.open_read_only(&self.dir)?,
            false => builder.open(&self.dir)?,
        };
        let library = Library::new(&db, equipment);
        let open = library.open().map_err(RagError::from)?;
        wanted.of.check(open.recipe().system(), ENTITIES)?;
        let made = wanted.in_folder(&open, &self.dir, progress)?;
        drop((open, library));
        match db.close() {
            // What was told first is why there is no more.
            Err(_) if made.ended.is_some() => {}
            closed => closed?,
        }
        Ok(made)
    }
}
