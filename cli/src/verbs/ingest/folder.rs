//! Into a folder, with the models of this process.

use super::outcome::{BEHIND_DOCUMENTS, IN_DOCUMENTS, Outcome};
use super::relations::{Cluster, Clustered};
use super::{Done, Ingest, report};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::statements::Folder;
use crate::verbs::ingest::files::Files;
use crate::verbs::summarise::Summaries;
use std::io::Cursor;
use stratigraph::Database;
use stratigraph_rag::Document;
use stratigraph_rag::build::{BuildError, Built, Called};
use stratigraph_rag::door::{Equipment, Library, Open, Wanted};
use stratigraph_rag::ingest::{Ended, FactList};
use stratigraph_rag::read::{Found, ReadError, Source};
use stratigraph_rag::relations::Clustering;

impl Ingest {
    /// Says what it would cost.
    pub(super) fn forecast(
        &self,
        wanted: &Wanted,
        files: &Files,
        progress: &Progress,
    ) -> Result<Done, Failure> {
        let equipment = self.models.equipment()?;
        // Replies that are paid for are in the database, if there is one.
        let there = self.looked_at()?;
        let library = Library::new(&there, equipment.clone());
        let open = self.opened(&library, wanted, files)?;
        let token = progress.interrupt().token();
        let ingestion = open.ingestion(&token);
        let forecast = ingestion.forecast(documents(files, &equipment));
        let forecast = forecast.map_err(RagError::from)?;
        let forecast = forecast.and(ingestion.forecast_lists(lists(&open, files)));
        token.check()?;
        let mut outcome = Outcome::foreseen(&forecast);
        said(&mut outcome, &open)?;
        if self.prune {
            for id in gone(&open, files).map_err(RagError::from)? {
                outcome.took_out(id);
            }
        }
        Ok((outcome, open.recipe().system()))
    }

    /// The database, read and not written to; one in memory if it has no layers, or is not there.
    pub(super) fn looked_at(&self) -> Result<Database, Failure> {
        let there = self
            .into
            .is_dir()
            .then(|| Database::builder().open_read_only(&self.into));
        match there.transpose()? {
            Some(there) if Built::of(&there).map_err(RagError::from)?.is_some() => Ok(there),
            _ => Ok(Database::in_memory()?),
        }
    }

    /// The layers; new ones with an embedder that can read the files.
    fn opened(&self, library: &Library, wanted: &Wanted, files: &Files) -> Result<Open, Failure> {
        let kept = library.recipe().map_err(RagError::from)?;
        let kept = kept.map(|recipe| recipe.system());
        let system = self.settled(wanted, kept, files)?;
        let mut wanted = wanted.clone();
        if !self.keep_embedder && library.wants_sample().map_err(RagError::from)? {
            wanted.sample = files.sample(system.has_facts(), library.equipment());
        }
        Ok(library.create(&wanted).map_err(RagError::from)?)
    }

    /// Takes the files in.
    pub(super) fn take_in(
        &self,
        wanted: &Wanted,
        files: &Files,
        progress: &Progress,
    ) -> Result<Done, Failure> {
        let equipment = self.models.equipment()?;
        let db = Database::builder()
            .create_if_missing(true)
            .open(&self.into)?;
        let library = Library::new(&db, equipment.clone());
        let open = self.opened(&library, wanted, files)?;
        if self.prune && !self.yes {
            let documents = open.layers().documents().map_err(RagError::from)?;
            files.check_gone(&documents)?;
        }
        let mut outcome = run(&open, files, &equipment, progress);
        match said(&mut outcome, &open) {
            // What was told first is why there is no more.
            Err(_) if outcome.ended.is_some() => {}
            said => said?,
        }
        if outcome.ended.is_none() {
            let rest = self.afterwards(&open, files, &equipment, &mut outcome, progress);
            outcome.ended = rest.err().map(|failure| (failure, BEHIND_DOCUMENTS));
        }
        if let Some(of) = self.summarise
            && outcome.ended.is_none()
        {
            let summaries = Summaries::of(of);
            outcome.summarised(summaries.in_folder(&open, &self.into, progress));
        }
        let system = open.recipe().system();
        outcome.look_for_summaries(&Folder::new(db.clone()), system)?;
        drop((open, library));
        match db.close() {
            // What was told first is why there is no more.
            Err(_) if outcome.ended.is_some() => {}
            closed => closed?,
        }
        Ok((outcome, system))
    }

    /// What is done when the documents are in, but for summaries: relations are compared, and what is gone is taken out.
    fn afterwards(
        &self,
        open: &Open,
        files: &Files,
        equipment: &Equipment,
        outcome: &mut Outcome,
        progress: &Progress,
    ) -> Result<(), Failure> {
        if let Some(how) = self.cluster_relations {
            let token = progress.interrupt().token();
            let alike = open.alike(Clustering::default(), &token);
            let mut clustered = Clustered::of(alike.map_err(RagError::from)?);
            let agree = |name: &str, stands: &str| open.agree(Called::Relation, name, Some(stands));
            let merges =
                how == Cluster::Merge && clustered.merge(agree).map_err(RagError::from)? > 0;
            outcome.relations = clustered;
            if merges {
                let mut again = run(open, files, equipment, progress);
                let ended = again.ended.take();
                outcome.renamed(again);
                if let Some((failure, _)) = ended {
                    return Err(failure);
                }
            }
        }
        match self.prune {
            true => take_out(open, files, outcome, progress),
            false => Ok(()),
        }
    }
}

/// Takes the files in. What ended it before its end is told with what was done by then.
fn run(open: &Open, files: &Files, equipment: &Equipment, progress: &Progress) -> Outcome {
    let bar = progress.bar(files.count());
    let tell = |now: stratigraph_rag::ingest::Progress, before: usize| {
        bar.at((before + now.documents) as u64);
        bar.beside(report::so_far(now.pieces as u64, now.cost.calls));
    };
    let ingestion = open.ingestion(&progress.interrupt().token());
    let mut report = ingestion.run(documents(files, equipment), &|now| tell(now, 0));
    if report.ended.is_none() {
        let before = report.documents + report.problems.count_failed;
        report = report.and(ingestion.run_lists(lists(open, files), &|now| tell(now, before)));
    }
    let mut outcome = Outcome::of(&report);
    outcome.ended = report.ended.map(|ended| match ended {
        Ended::Database(error) => (error.into(), IN_DOCUMENTS),
        _ => (stratigraph::Error::Cancelled.into(), IN_DOCUMENTS),
    });
    outcome
}

/// The documents of a database that were not found, of those that would be.
fn gone(open: &Open, files: &Files) -> Result<Vec<String>, BuildError> {
    let mut ids = open.layers().documents()?;
    ids.retain(|id| files.lack(id));
    Ok(ids)
}

/// Takes those out. What went wrong is told with what was done before.
fn take_out(
    open: &Open,
    files: &Files,
    outcome: &mut Outcome,
    progress: &Progress,
) -> Result<(), Failure> {
    let token = progress.interrupt().token();
    let mut taken = || -> Result<(), BuildError> {
        for id in gone(open, files)? {
            token.check()?;
            open.layers().delete(&id)?;
            outcome.took_out(id);
        }
        Ok(())
    };
    match taken() {
        Err(BuildError::Database(stratigraph::Error::Cancelled)) => {
            Err(stratigraph::Error::Cancelled.into())
        }
        Err(problem) => {
            outcome.not_taken_out(&problem);
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Whose vectors there are, and what is to be known of that and of who reads.
fn said(outcome: &mut Outcome, open: &Open) -> Result<(), RagError> {
    outcome.embedder = Some(open.embedder_name().to_owned());
    outcome.note = open.intake_note()?;
    Ok(())
}

fn documents<'f>(
    files: &'f Files,
    equipment: &'f Equipment,
) -> impl Iterator<Item = Result<Document, ReadError>> + 'f {
    files.taken(false).map(move |found| {
        let bytes = found.read()?;
        let source = Source::new(&found.id, &bytes).metadata(files.metadata(found));
        equipment.equip(source).read(found.format)
    })
}

fn lists<'f>(
    open: &Open,
    files: &'f Files,
) -> impl Iterator<Item = Result<FactList, ReadError>> + use<'f> {
    let lists = files.taken(open.layers().profile().has_facts());
    let lists = lists.filter(|found| !found.format.is_document());
    lists.map(|found| list(files, found))
}

fn list(files: &Files, found: &Found) -> Result<FactList, ReadError> {
    Ok(FactList {
        id: found.id.clone(),
        metadata: files.metadata(found),
        lines: Box::new(Cursor::new(found.read()?)),
    })
}
