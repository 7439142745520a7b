//! Tables through a mapping: typed nodes and relationships beside what documents have become.

use super::folder::Done;
use super::told::Outcome;
use super::{Ingest, IngestError};
use crate::failure::Failure;
use std::path::Path;
use stratigraph::Database;
use stratigraph_rag::door::{Library, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::read::TableMapping;

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
        let open = library.open_or_create(&Wanted::new(System::Structure));
        let open = open.map_err(IngestError::from)?;
        let report = open.layers().upsert_tables(&id, &tables);
        let report = report.map_err(IngestError::Tables)?;
        let name = open.embedder_name().to_owned();
        drop((open, library));
        db.close()?;
        let mut outcome = Outcome::of_tables(&report);
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
