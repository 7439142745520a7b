//! Which summaries are written, and the writing, in a folder or at a server: one way for both verbs.

use super::made::Made;
use crate::bill::Bill;
use crate::failure::Failure;
use crate::output::things;
use crate::progress::{Bar, Progress};
use crate::rag_error::RagError;
use crate::remote::Server;
use clap::ValueEnum;
use std::path::Path;
use std::sync::OnceLock;
use stratigraph_rag::door::{Open, Resummarise, Resummarised};
use stratigraph_rag::ingest::System;

/// What is summarised that has no summary. What is stale is in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Of {
    /// Domains, which are found by it
    Domains,
    /// Entities as well: a call of the model for each
    Entities,
}

/// Summaries that are to be written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Summaries {
    pub(crate) of: Of,
    /// Sentences, whatever model there is.
    pub(crate) central: bool,
    pub(crate) dry_run: bool,
}

impl Of {
    /// Refuses what the graphs of a system do not have; `entities` is how those are asked for.
    ///
    /// # Errors
    /// They have no domains, or neither those nor entities.
    pub(crate) fn check(self, system: System, entities: &str) -> Result<(), Failure> {
        match self {
            _ if !system.has_facts() && !system.has_domains() => Err(Failure::Usage(format!(
                "summaries are of domains and entities: the profile {system} has neither, and tag and layered have both"
            ))),
            Self::Domains if !system.has_domains() => Err(Failure::Usage(format!(
                "the profile {system} has no domains that could be summarised: {entities} writes the summaries of its entities"
            ))),
            _ => Ok(()),
        }
    }
}

impl Summaries {
    /// Those that are missing or stale, by whoever there is.
    pub(crate) fn of(of: Of) -> Self {
        Self {
            of,
            central: false,
            dry_run: false,
        }
    }

    /// Writes them in the folder at this path, with the models of this process. What was written before it was stopped, or the
    /// database took no more, is told with that.
    ///
    /// # Errors
    /// What the database says before the first; of single summaries the outcome tells.
    pub(crate) fn in_folder(
        self,
        open: &Open,
        path: &Path,
        progress: &Progress,
    ) -> Result<Made, Failure> {
        let (wanted, cancel) = (self.wanted(), progress.interrupt().token());
        if self.dry_run {
            let foreseen = open.foresee_summaries(&wanted, &cancel);
            let stale = open.layers().stale().map_err(RagError::from)?;
            let foreseen = foreseen.map_err(RagError::from)?;
            return Ok(Made::foreseen(&foreseen, stale.len()));
        }
        // How many there are is told by the first word.
        let bar = OnceLock::new();
        let tell = |now: &Resummarised| {
            let bar: &Bar = bar.get_or_init(|| progress.bar(now.of as u64));
            show(bar, now.settled() as u64, now.cost.calls);
        };
        let done = open.resummarise(&wanted, &cancel, &tell);
        let done = done.map_err(RagError::from)?;
        let mut made = Made::of(&done);
        let ended = match done.ended {
            Some(error) => Some(Failure::from(RagError::from(error))),
            None => done.stopped.then(|| stratigraph::Error::Cancelled.into()),
        };
        let kept = done.mended.len();
        made.ended = ended.map(|ended| ended.with_kept(kept, ["summary", "summaries"], path));
        Ok(made)
    }

    /// Has a server write them, with the models that it was started with.
    ///
    /// # Errors
    /// What the server refuses, with what was paid by then as far as it has told it; of single summaries the outcome tells.
    pub(crate) fn at_server(self, server: &Server, progress: &Progress) -> Result<Made, Failure> {
        let cancel = progress.interrupt().token();
        let (mut bar, mut paid) = (None, Bill::default());
        let mut tell = |now: stratigraph_client::RagProgress| {
            let bar: &Bar = bar.get_or_insert_with(|| progress.bar(now.of));
            show(bar, now.done, now.bill.calls);
            paid = Bill::from(&now.bill);
        };
        let done = server.resummarise(&self.wanted(), self.dry_run, &cancel, &mut tell);
        let done = done.map_err(|failure| failure.with_paid(&paid))?;
        Ok(Made::sent(done))
    }

    /// All of them: what stands between two runs is left alone.
    fn wanted(self) -> Resummarise {
        Resummarise {
            most: usize::MAX,
            domains: true,
            entities: self.of == Of::Entities,
            central: self.central.then_some(true),
        }
    }
}

fn show(bar: &Bar, done: u64, calls: u64) {
    bar.at(done);
    bar.beside(match calls {
        0 => "summaries".to_owned(),
        calls => format!("summaries, {}", things(calls, "call")),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_profile_lacks_is_refused_with_what_it_has() {
        let refused = |of: Of, system: System| {
            let refused = of.check(system, "--entities");
            refused.err().map(|failure| failure.told())
        };
        for of in [Of::Domains, Of::Entities] {
            assert_eq!(refused(of, System::Tag), None);
            let neither = refused(of, System::Bag).unwrap();
            assert!(neither.contains("bag has neither"), "{neither}");
        }
        assert_eq!(refused(Of::Entities, System::Hybrid), None);
        let none = refused(Of::Domains, System::Hybrid).unwrap();
        assert!(none.contains("hybrid has no domains") && none.contains("--entities"));
    }
}
