//! A database of documents, as the process that opened it can work on it.

use std::sync::Arc;

use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Read as _, WeakDatabase};
use stratigraph_models::Embedder;

use super::incoming::Ready;
use super::{DoorError, Equipment, Fitting, Incoming, Wanted, procedures};
use crate::build::{BuildError, Built, Change, Layers, NodeKey};
use crate::ingest::{Forecast, Ingest, Progress, Recipe, Report};

/// A database that documents go into, with the models of the process that opened it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Library {
    db: Database,
    equipment: Equipment,
}

/// A library whose layers are there.
pub struct Open {
    layers: Layers,
    recipe: Recipe,
    equipment: Equipment,
    note: Option<String>,
}

/// The same for what the database itself holds: it does not keep it open.
#[derive(Clone)]
pub(super) struct WeakLibrary {
    db: WeakDatabase,
    equipment: Equipment,
}

impl WeakLibrary {
    pub(super) fn upgrade(&self) -> Result<Library, &'static str> {
        let db = self.db.upgrade().ok_or("the database is closed")?;
        Ok(Library::new(&db, self.equipment.clone()))
    }
}

impl Library {
    pub(super) fn downgrade(&self) -> WeakLibrary {
        WeakLibrary {
            db: self.db.downgrade(),
            equipment: self.equipment.clone(),
        }
    }

    /// The database with the models of this process.
    pub fn new(db: &Database, equipment: Equipment) -> Self {
        Self {
            db: db.clone(),
            equipment,
        }
    }

    pub(super) fn database(&self) -> &Database {
        &self.db
    }

    /// Its models.
    pub fn equipment(&self) -> &Equipment {
        &self.equipment
    }

    /// Lets queries call `rag.…` on it.
    ///
    /// # Errors
    /// Another has registered something that cannot be replaced.
    pub fn register(&self) -> Result<(), stratigraph::Error> {
        for procedure in procedures::all(self) {
            self.db.register(procedure)?;
        }
        Ok(())
    }

    /// Sees to it that there are such layers.
    ///
    /// # Errors
    /// [`BuildError::OtherProfile`] if there are others, [`DoorError::NoRecipe`], [`DoorError::NoEmbedder`]; what the
    /// database says.
    pub fn create(&self, wanted: &Wanted) -> Result<Open, DoorError> {
        match self.created(wanted) {
            // Somebody else may have been first since it was looked for, and then what he said decides.
            Err(DoorError::Build(
                BuildError::OtherProfile { .. } | BuildError::OtherEmbedder { .. },
            )) => self.created(wanted),
            created => created,
        }
    }

    fn created(&self, wanted: &Wanted) -> Result<Open, DoorError> {
        let Some(built) = Built::of(&self.db)? else {
            wanted.check(wanted.system.unwrap_or_default())?;
            let sample: Vec<&str> = wanted.sample.iter().map(String::as_str).collect();
            let wanted_embedder = Arc::clone(self.equipment.its_embedder());
            let fitting = Fitting::of(wanted_embedder, &sample)?;
            return self.opened(wanted.recipe(&*fitting.embedder), fitting);
        };
        // What it was built with decides, as for all that come later.
        let kept = Recipe::of(&built.profile).ok_or(DoorError::NoRecipe)?;
        wanted.check(kept.system())?;
        let recipe = wanted.again(kept)?;
        self.opened(recipe, self.as_built(&built)?)
    }

    /// How its layers were made, if it has any.
    ///
    /// # Errors
    /// [`DoorError::NoRecipe`]; what the database says.
    pub fn recipe(&self) -> Result<Option<Recipe>, DoorError> {
        let built = Built::of(&self.db)?;
        let kept = built.map(|built| Recipe::of(&built.profile).ok_or(DoorError::NoRecipe));
        kept.transpose()
    }

    /// Whether nobody has said yet what is made of documents, and it matters which they are: the embedder of the process
    /// may not be able to read them. Then [`Wanted::sample`] is worth being made.
    ///
    /// # Errors
    /// What the database says.
    pub fn wants_sample(&self) -> Result<bool, DoorError> {
        Ok(self.equipment.may_not_fit()? && Built::of(&self.db)?.is_none())
    }

    /// What [`create`](Self::create) would open, for a forecast: a database without layers stays without, and they are
    /// made in memory.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn imagine(&self, wanted: &Wanted) -> Result<Open, DoorError> {
        if Built::of(&self.db)?.is_some() {
            return self.create(wanted);
        }
        Self::new(&Database::in_memory()?, self.equipment.clone()).create(wanted)
    }

    /// Opens it as it was built.
    ///
    /// # Errors
    /// [`DoorError::NoLayers`], [`DoorError::NoRecipe`], [`DoorError::NoEmbedder`]; what the database says.
    pub fn open(&self) -> Result<Open, DoorError> {
        let built = Built::of(&self.db)?.ok_or(DoorError::NoLayers)?;
        let recipe = Recipe::of(&built.profile).ok_or(DoorError::NoRecipe)?;
        let fitting = self.as_built(&built)?;
        self.opened(recipe, fitting)
    }

    fn as_built(&self, built: &Built) -> Result<Fitting, DoorError> {
        let embedder = self.equipment.embedder_named(&built.embedder)?;
        Ok(Fitting::as_built(embedder, &self.equipment))
    }

    fn opened(&self, recipe: Recipe, fitting: Fitting) -> Result<Open, DoorError> {
        Ok(Open {
            layers: Layers::open(&self.db, recipe.profile(), fitting.embedder)?,
            recipe,
            equipment: self.equipment.clone(),
            note: fitting.note,
        })
    }

    /// Takes a document out, with everything that nobody else says, or what the tables of a mapping stated under that
    /// id; one that is not there is fine.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn delete(&self, id: &str) -> Result<Change, DoorError> {
        let layers = self.open()?.layers;
        let change = layers.delete(id)?;
        if change.keys > 0 {
            return Ok(change);
        }
        Ok(layers.delete_tables(id)?)
    }

    /// What has a stale summary; nothing if there are no layers.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn stale(&self) -> Result<Vec<NodeKey>, DoorError> {
        match self.open() {
            Ok(open) => Ok(open.layers.stale()?),
            Err(DoorError::NoLayers) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

impl Open {
    /// Its layers.
    #[must_use]
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// What is made of documents.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    pub(super) fn equipment(&self) -> &Equipment {
        &self.equipment
    }

    /// What makes its vectors.
    #[must_use]
    pub fn embedder(&self) -> &dyn Embedder {
        self.layers.embedder()
    }

    /// Whose vectors it has.
    #[must_use]
    pub fn embedder_name(&self) -> &str {
        self.layers.embedder().name()
    }

    /// Why that is not the embedder that the process was started with, if it is not.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// That a model has read documents here, and this process has none to go on with; nothing if it has one, or rules have read
    /// them.
    ///
    /// # Errors
    /// What the database says.
    pub fn reader_note(&self) -> Result<Option<String>, DoorError> {
        if self.equipment.has_model() {
            return Ok(None);
        }
        let model = self.layers.read_by_model()?;
        Ok(model.map(|model| {
            format!(
                "the model {model} has read documents here, and there is none now: what is taken in is read by rules. A process that is started with --llm URL --model NAME goes on as before; what the model has read is kept, and not paid for again"
            )
        }))
    }

    /// What whoever takes documents in has to know: [`note`](Self::note) and [`reader_note`](Self::reader_note).
    ///
    /// # Errors
    /// What the database says.
    pub fn intake_note(&self) -> Result<Option<String>, DoorError> {
        Ok(both_notes(self.note.clone(), self.reader_note()?))
    }

    /// How many documents there are.
    ///
    /// # Errors
    /// What the database says.
    pub fn count_documents(&self) -> Result<u64, DoorError> {
        Ok(self
            .layers
            .database()
            .read()?
            .node_count(Some("Document"))?)
    }

    /// The ingestion, for whoever has documents that are read already.
    #[must_use]
    pub fn ingestion(&self, cancel: &CancelToken) -> Ingest<'_> {
        let ingest = Ingest::new(&self.layers, &self.recipe).cancel(cancel.clone());
        match self.equipment.its_model() {
            Some(model) => ingest
                .model(Arc::clone(model))
                .threads(self.equipment.its_calls()),
            None => ingest,
        }
    }

    /// Takes one document in, as a whole or not at all.
    ///
    /// # Errors
    /// [`DoorError::Request`] if it does not say how it is read. All else is in the report.
    pub fn upsert(
        &self,
        document: Incoming,
        cancel: &CancelToken,
        told: &(dyn Fn(Progress) + Sync),
    ) -> Result<Report, DoorError> {
        Ok(match self.ready(document)? {
            Ready::Document(read) => self.ingestion(cancel).run([*read], told),
            Ready::Facts(list) => self.ingestion(cancel).run_lists([Ok(list)], told),
        })
    }

    /// What that would cost, without asking a model or writing anything.
    ///
    /// # Errors
    /// [`DoorError::Request`] if it does not say how it is read; replies that are kept cannot be read.
    pub fn forecast(
        &self,
        document: Incoming,
        cancel: &CancelToken,
    ) -> Result<Forecast, DoorError> {
        Ok(match self.ready(document)? {
            Ready::Document(read) => self.ingestion(cancel).forecast([*read])?,
            Ready::Facts(list) => self.ingestion(cancel).forecast_lists([Ok(list)]),
        })
    }

    fn ready(&self, document: Incoming) -> Result<Ready, DoorError> {
        document.ready(&self.equipment, self.layers.profile().has_facts())
    }
}

/// Two notes as one, as far as there are any.
///
/// ```
/// use stratigraph_rag::door::both_notes;
///
/// let note = |text: &str| Some(text.to_owned());
/// assert_eq!(both_notes(note("it is new"), note("nothing fits")), note("it is new; nothing fits"));
/// assert_eq!(both_notes(None, note("nothing fits")), note("nothing fits"));
/// ```
#[must_use]
pub fn both_notes(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}
