//! Tables through a mapping: typed nodes and relationships beside what documents have become.

use super::folder::Done;
use super::told::Outcome;
use super::{Ingest, IngestError};
use crate::failure::Failure;
use std::path::Path;
use stratigraph::Database;
use stratigraph_rag::door::{Library, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::read::{TableMapping, Typed};

/// So many texts of rows are looked at for whether the embedder can read them.
const MOST_LOOKED_AT: usize = 256;

impl Ingest {
    /// Takes the tables of a mapping in, in one commit.
    pub(super) fn take_in_tables(&self, mapping: &Path) -> Result<Done, Failure> {
        self.refuse_for_tables()?;
        let tables = TableMapping::read(mapping).map_err(IngestError::Read)?;
        let id = mapping.file_name().unwrap_or_default().to_string_lossy();
        let equipment = self.models.equipment()?;
        let db = if self.dry_run {
            Database::in_memory()?
        } else {
            Database::builder()
                .create_if_missing(true)
                .open(&self.into)?
        };
        let library = Library::new(&db, equipment);
        // Layers that are there already are fine, whichever they are.
        let mut wanted = Wanted::new(System::Structure);
        if !self.keep_embedder && library.wants_sample().map_err(IngestError::from)? {
            wanted.sample = embedded(&tables);
        }
        let open = library.open_or_create(&wanted);
        let open = open.map_err(IngestError::from)?;
        let report = open.layers().upsert_tables(&id, &tables);
        let report = report.map_err(IngestError::Tables)?;
        let (name, note) = (open.embedder_name().to_owned(), open.note());
        let note = note.map(str::to_owned);
        drop((open, library));
        db.close()?;
        let mut outcome = Outcome::of_tables(&report);
        outcome.note = note;
        if self.dry_run {
            outcome.unwritten();
        }
        Ok((outcome, name))
    }

    fn refuse_for_tables(&self) -> Result<(), Failure> {
        let said = [
            ("PATH", !self.paths.is_empty()),
            ("--metadata", self.metadata.is_some()),
            ("--filter", !self.filter.is_empty()),
            ("--root", self.root.is_some()),
            ("--language", self.language.is_some()),
            ("--chunks", self.chunks.is_some()),
            ("--cluster-relations", self.cluster_relations.is_some()),
            ("--prune", self.prune),
        ];
        match said.iter().find(|(_, said)| *said) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "{flag} is for documents, and --profile typed:MAPPING takes tables in: the mapping names their files, their metadata and all the rest"
            ))),
            None => Ok(()),
        }
    }
}

/// The first texts of rows that get a vector.
fn embedded(tables: &TableMapping) -> Vec<String> {
    let rows = tables.rows().filter_map(Result::ok);
    let texts = rows.flat_map(|row| match row {
        Typed::Node(node) => node.embed,
        Typed::Edge(_) => Vec::new(),
    });
    texts.map(|(_, text)| text).take(MOST_LOOKED_AT).collect()
}
