//! Tables as they come through a door: beside the layers that are there, or beside new ones.

use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;

use super::{DoorError, Library, Open, Wanted, both_notes};
use crate::build::{Layers, TablesLimits, TablesProgress, TablesReport};
use crate::ingest::System;
use crate::read::{TableMapping, Typed};

/// So many texts of rows are looked at for whether the embedder can read them.
const MOST_LOOKED_AT: usize = 256;

/// Tables that are to be taken in.
#[derive(Clone, Debug)]
pub struct Tables<'t> {
    /// The name that they are known by: again, they take the place of what they stated before under it.
    pub id: &'t str,
    /// What their rows are.
    pub mapping: &'t TableMapping,
    /// Gives a new database the embedder of the process also if it cannot read what rows say.
    pub keep_embedder: bool,
    /// Only reads them: nothing is written and no vector computed.
    pub dry_run: bool,
    /// How far the work may go.
    pub limits: TablesLimits,
}

/// What came of tables.
#[derive(Debug)]
#[non_exhaustive]
pub struct TablesTaken {
    /// What they state, and what changed in the graph.
    pub report: TablesReport,
    /// Whose vectors there are.
    pub embedder: String,
    /// Why that is not the embedder of the process, if it is not, and what a database without layers has become by these tables.
    pub note: Option<String>,
}

impl Library {
    /// Takes the tables of a mapping in, in one commit; `told` hears how far it has come. While they are written `told` is
    /// called in the writer's place, so it must not write to the same database. A database without layers gets those
    /// of headings and chunks, with an embedder that can read the rows.
    ///
    /// # Errors
    /// [`DoorError::Tables`], and the graph is as it was then; otherwise as [`create`](Self::create).
    pub fn upsert_tables(
        &self,
        tables: &Tables<'_>,
        told: &mut dyn FnMut(TablesProgress),
    ) -> Result<TablesTaken, DoorError> {
        let (open, is_new) = self.open_for_tables(tables)?;
        let layers = open.layers();
        let take_in = match tables.dry_run {
            true => Layers::forecast_tables,
            false => Layers::upsert_tables_within,
        };
        let report = take_in(layers, tables.id, tables.mapping, &tables.limits, told)?;
        let settled = is_new.then(|| settled(open.recipe().system(), tables.dry_run));
        Ok(TablesTaken {
            report,
            embedder: open.embedder_name().to_owned(),
            note: both_notes(open.note().map(str::to_owned), settled),
        })
    }

    /// Layers that are there already are fine, whichever they are. Whether they are new.
    fn open_for_tables(&self, tables: &Tables<'_>) -> Result<(Open, bool), DoorError> {
        match self.open() {
            Err(DoorError::NoLayers) => {}
            opened => return opened.map(|open| (open, false)),
        }
        let mut wanted = Wanted::new(System::Structure);
        if !tables.keep_embedder && self.wants_sample()? {
            wanted.sample = embedded(tables.mapping, &tables.limits.cancel);
            tables.limits.cancel.check()?;
        }
        let opened = match tables.dry_run {
            true => Self::new(&Database::in_memory()?, self.equipment().clone()).create(&wanted),
            false => self.create(&wanted),
        };
        opened.map(|open| (open, true))
    }
}

/// What nobody has said and tables have decided: documents will need it.
fn settled(system: System, dry_run: bool) -> String {
    let (is, first) = match dry_run {
        true => ("would be", ""),
        false => ("is", "begin with a new database, and "),
    };
    format!(
        "the database {is} of the profile {system} from now on, as tables are the first that come in: for another one {first}take documents in first, or CALL rag.createLayers"
    )
}

/// The first texts of rows that get a vector.
fn embedded(tables: &TableMapping, cancel: &CancelToken) -> Vec<String> {
    let rows = tables.rows().cancel(cancel).filter_map(Result::ok);
    let texts = rows.flat_map(|row| match row {
        Typed::Node(node) => node.embed,
        Typed::Edge(_) => Vec::new(),
    });
    texts.map(|(_, text)| text).take(MOST_LOOKED_AT).collect()
}
