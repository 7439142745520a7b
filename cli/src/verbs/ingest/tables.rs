//! Tables through a mapping: typed nodes and relationships beside what documents have become, in a folder or at a server.
//!
//! The mapping and its files are found here in either case. At an address they are sent, and the server does with them
//! what a folder would get here, byte for byte.

use super::Ingest;
use super::outcome::Outcome;
use crate::failure::Failure;
use crate::progress::{Progress, Unit};
use crate::rag_error::RagError;
use crate::remote::{Address, Manner, SendingTables, Server, TablesHead, UnsentTable};
use std::path::Path;
use stratigraph::Database;
use stratigraph::storage::cancel;
use stratigraph_rag::build::{TablesLimits, TablesProgress, TablesStep};
use stratigraph_rag::door::{Library, Tables};
use stratigraph_rag::read::{Format, TableMapping};

impl Ingest {
    /// Takes the tables of a mapping in, in one commit.
    pub(super) fn tables(
        &self,
        mapping: &Path,
        address: Option<&Address>,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        self.refuse_for_tables()?;
        let tables = TableMapping::read(mapping).map_err(RagError::Read)?;
        let id = mapping.file_name().unwrap_or_default().to_string_lossy();
        let mut outcome = match address {
            Some(address) => self.send_tables(address, &id, &tables, progress)?,
            None => self.take_in_tables(&id, &tables, progress)?,
        };
        if self.dry_run {
            outcome.unwritten();
        }
        Ok(outcome)
    }

    fn take_in_tables(
        &self,
        id: &str,
        mapping: &TableMapping,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let equipment = self.models.equipment()?;
        let db = match self.dry_run {
            true => self.looked_at()?,
            false => Database::builder()
                .create_if_missing(true)
                .open(&self.into)?,
        };
        let library = Library::new(&db, equipment);
        let tables = Tables {
            id,
            mapping,
            keep_embedder: self.keep_embedder,
            dry_run: self.dry_run,
            limits: TablesLimits {
                cancel: progress.interrupt().token(),
                prune: self.prune,
                ..TablesLimits::default()
            },
        };
        let taken = progress.showing(|show| {
            library.upsert_tables(&tables, &mut |now| {
                let (unit, now) = shown(now);
                show(unit, now);
            })
        });
        let taken = taken.map_err(RagError::from)?;
        drop(library);
        db.close()?;
        let mut outcome = Outcome::of_tables(&taken.report);
        outcome.note = taken.note;
        outcome.embedder = Some(taken.embedder);
        Ok(outcome)
    }

    fn send_tables(
        &self,
        address: &Address,
        id: &str,
        mapping: &TableMapping,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let cancel = progress.interrupt().token();
        let manner = Manner {
            read_only: false,
            create: self.create,
        };
        let server = Server::open(address, &self.access, manner, &cancel)?;
        let head = TablesHead {
            id,
            mapping: mapping.text(),
            keep_embedder: self.keep_embedder,
            dry_run: self.dry_run,
            prune: self.prune,
        };
        let report = progress.showing(|show| {
            let mut sending = SendingTables::begin(&server, &head, cancel);
            send_files(&mut sending, mapping, show)?;
            // How far it is with them the server does not say.
            show(Unit::Bytes, at("wait for the server", 0, 0));
            sending.finish()
        });
        Ok(Outcome::of_sent_tables(report?))
    }

    fn refuse_for_tables(&self) -> Result<(), Failure> {
        let said = [
            ("PATH", !self.paths.is_empty()),
            ("--under", self.under.is_some()),
            ("--metadata", self.metadata.is_some()),
            ("--filter", !self.filter.is_empty()),
            ("--root", self.root.is_some()),
            ("--language", self.language.is_some()),
            ("--chunks", self.chunks.is_some()),
            ("--cluster-relations", self.cluster_relations.is_some()),
            ("--summarise", self.summarise.is_some()),
        ];
        match said.iter().find(|(_, said)| *said) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "{flag} is for documents, and --profile typed:MAPPING takes tables in: the mapping names their files, their metadata and all the rest"
            ))),
            None => Ok(()),
        }
    }
}

/// Sends the files that a mapping names.
fn send_files(
    sending: &mut SendingTables<'_>,
    mapping: &TableMapping,
    show: &mut dyn FnMut(Unit, cancel::Progress<'_>),
) -> Result<(), Failure> {
    let (mut sent, total) = (0, mapping.bytes());
    let mut tell = |bytes: u64| {
        sent += bytes;
        show(Unit::Bytes, at("send tables", sent, total));
    };
    for (name, path) in mapping.files() {
        // Of what is no table the server says so without its bytes.
        let path = path
            .filter(|path| matches!(Format::of_path(path), Some(Format::Csv | Format::JsonLines)));
        let Some(path) = path else { continue };
        match sending.file(name, path, &mut tell) {
            // One that is missing is told of by the server, as it is of a folder.
            Ok(()) | Err(UnsentTable::Missing) => {}
            // What its rows state is there, and must not go because nobody here may read it.
            Err(UnsentTable::Unreadable(error)) => {
                let why = format!("{name}: it cannot be read: {error}");
                return Err(Failure::of_request(why));
            }
            Err(UnsentTable::All(failure)) => return Err(failure),
        }
    }
    Ok(())
}

/// How a bar shows how far it is.
fn shown(now: TablesProgress) -> (Unit, cancel::Progress<'static>) {
    let (unit, step) = match now.step {
        TablesStep::Read => (Unit::Bytes, "read rows"),
        TablesStep::Embed => (Unit::Entities, "embed texts"),
        TablesStep::Write => (Unit::Entities, "write nodes and relationships"),
    };
    (unit, at(step, now.done, now.total))
}

fn at(step: &str, done: u64, total: u64) -> cancel::Progress<'_> {
    cancel::Progress { step, done, total }
}
