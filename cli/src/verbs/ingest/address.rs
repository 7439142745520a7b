//! To a server: what goes over is the bytes of files with their names and what their paths say. The server reads them,
//! and builds with its models what a folder would get here, byte for byte.

use super::files::Files;
use super::outcome::{BEHIND_DOCUMENTS, IN_DOCUMENTS, Outcome};
use super::relations::{Cluster, Clustered};
use super::{Done, Ingest, report};
use crate::failure::Failure;
use crate::models::reader;
use crate::progress::Progress;
use crate::remote::{Address, Manner, Sent, Server, Uploading};
use crate::verbs::summarise::Summaries;
use stratigraph_client::{DocumentReport, Layers};
use stratigraph_rag::door::Wanted;
use stratigraph_rag::ingest::System;

impl Ingest {
    /// Sends the files, and takes out documents that are not among them if that is wanted.
    pub(super) fn send(
        &self,
        address: &Address,
        wanted: &Wanted,
        files: &Files,
        progress: &Progress,
    ) -> Result<Done, Failure> {
        let cancel = progress.interrupt().token();
        let for_new = files.check_new(wanted.system.unwrap_or_default().has_facts());
        let manner = Manner {
            read_only: false,
            create: self.create && for_new.is_ok(),
        };
        let server = match Server::open(address, &self.access, manner, &cancel) {
            // It is not there, and there is nothing that it could be made of.
            Err(Failure::Remote(refused)) if self.create && refused.kind() == "request" => {
                for_new?;
                return Err(Failure::Remote(refused));
            }
            opened => opened?,
        };
        let kept = match wanted.system {
            Some(_) => None,
            None => server.system()?,
        };
        let system = self.settled(wanted, kept, files)?;
        if self.prune && !self.yes && !self.dry_run {
            files.check_gone(&server.documents()?)?;
        }
        let mut wanted = wanted.clone();
        if !self.keep_embedder {
            // Whether the database is new, and what its embedder reads, the server knows.
            let equipment = reader();
            wanted.sample = files.sample(system.has_facts(), &equipment);
        }
        let wanted = &wanted;
        let mut outcome = self.upload(&server, wanted, system, files, progress)?;
        if outcome.ended.is_none() {
            let rest =
                self.afterwards_there(&server, (wanted, system), files, &mut outcome, progress);
            outcome.ended = rest.err().map(|failure| (failure, BEHIND_DOCUMENTS));
        }
        if let (Some(of), false, true) = (self.summarise, self.dry_run, outcome.ended.is_none()) {
            outcome.summarised(Summaries::of(of).at_server(&server, progress));
        }
        if !self.dry_run {
            outcome.look_for_summaries(&server, system)?;
        }
        Ok((outcome, system))
    }

    /// What is done when the documents are in, but for summaries: relations are compared, and what is gone is taken out.
    fn afterwards_there(
        &self,
        server: &Server,
        (wanted, system): (&Wanted, System),
        files: &Files,
        outcome: &mut Outcome,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let cancel = progress.interrupt().token();
        if let Some(how) = self.cluster_relations {
            let mut clustered = Clustered::of(server.alike(&cancel)?);
            let agree = |name: &str, stands: &str| server.agree(name, stands, &cancel);
            let merges = how == Cluster::Merge && clustered.merge(agree)? > 0;
            outcome.relations = clustered;
            if merges {
                let mut again = self.upload(server, wanted, system, files, progress)?;
                let ended = again.ended.take();
                outcome.renamed(again);
                if let Some((failure, _)) = ended {
                    return Err(failure);
                }
            }
        }
        if self.prune {
            let mut gone = server.documents()?;
            gone.retain(|id| files.lack(id));
            let mut took_out = |some: &[String]| {
                some.iter().for_each(|id| outcome.took_out(id.clone()));
            };
            match self.dry_run {
                true => took_out(&gone),
                false => server.delete_documents(&gone, &cancel, &mut took_out)?,
            }
        }
        Ok(())
    }

    /// Sends the files, and hears what becomes of each. What ended it before its end is told with what was heard by then; where
    /// that is nothing, it is the failure.
    fn upload(
        &self,
        server: &Server,
        wanted: &Wanted,
        system: System,
        files: &Files,
        progress: &Progress,
    ) -> Result<Outcome, Failure> {
        let mut layers = match wanted.system {
            Some(system) => Layers::new(system.name()),
            // Of a new database the server makes the same as would be made here.
            None => Layers::default(),
        };
        if let Some(language) = wanted.language_name() {
            layers = layers.language(language);
        }
        for name in &wanted.filters {
            layers = layers.filter(name);
        }
        if let Some(root) = &wanted.root {
            layers = layers.root(root);
        }
        if let Some(chunks) = &wanted.chunks {
            layers = layers.chunks(chunks.to_string());
        }
        if self.keep_embedder {
            layers = layers.keep_embedder();
        }
        for text in &wanted.sample {
            layers = layers.sample(text);
        }
        let mut outcome = Outcome::default();
        let bar = progress.bar(files.count());
        let mut tell = |report: DocumentReport| {
            outcome.add(report);
            bar.at(outcome.documents + outcome.count_failed);
            bar.beside(report::so_far(outcome.pieces, outcome.bill.cost.calls));
        };
        let mut unsent = Vec::new();
        let mut broken = None;
        let cancel = progress.interrupt().token();
        let mut uploading = Uploading::begin(server, layers, self.dry_run, cancel);
        for found in files.taken(system.has_facts()) {
            match files.read(found) {
                Ok(document) => match uploading.send(document) {
                    Ok(Sent::Yes) => {}
                    Ok(Sent::No(problem)) => unsent.push((found.id.clone(), problem)),
                    Err(failure) => broken = Some(failure),
                },
                Err(error) => unsent.push((found.id.clone(), error.to_string())),
            }
            uploading.heard(&mut tell);
            if broken.is_some() {
                break;
            }
        }
        let opened = match broken {
            Some(failure) => Err(failure),
            None => uploading.finish(&mut tell),
        };
        match opened {
            Ok(opened) => {
                outcome.note = opened.note;
                outcome.embedder = Some(opened.embedder);
            }
            Err(failure) if outcome.documents + outcome.count_failed == 0 => return Err(failure),
            Err(failure) => outcome.ended = Some((failure, IN_DOCUMENTS)),
        }
        for (id, problem) in unsent {
            outcome.fail(Some(id), problem);
        }
        Ok(outcome)
    }
}
