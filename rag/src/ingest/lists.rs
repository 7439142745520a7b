//! Lists of facts that somebody has extracted already: each file is a document whose passages are what it cites.

use std::io::BufRead;

use thiserror::Error;

use super::{Ended, Ingest, Progress, Report};
use crate::Metadata;
use crate::build::{Contribution, Told};
use crate::read::{ReadError, Stated, TripleReader};

/// A list is written as a whole, so it has an end.
const MOST_FACTS: usize = 200_000;

/// A list of facts, as JSON lines.
pub struct FactList {
    /// What names it among all documents.
    pub id: String,
    /// What is known of it.
    pub metadata: Metadata,
    /// Its lines, in any of the forms that [`TripleReader`] knows.
    pub lines: Box<dyn BufRead>,
}

/// A list has too many facts.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("it has more than {MOST_FACTS} facts, and is written as a whole: split it")]
pub struct TooManyFacts;

impl Ingest<'_> {
    /// Takes lists of facts in, each as a document of its own. Lines that are broken are told, and the others go in.
    /// Nobody is asked about them.
    pub fn run_lists(
        &self,
        lists: impl IntoIterator<Item = Result<FactList, ReadError>>,
        told: &(dyn Fn(Progress) + Sync),
    ) -> Report {
        let mut report = Report::default();
        for list in lists {
            if self.is_cancelled() {
                report.ended = Some(Ended::Stopped);
            }
            if report.ended.is_some() {
                break;
            }
            match list {
                Ok(list) => self.take_list(list, &mut report),
                Err(error) => report.fail(None, error),
            }
            told(report.progress());
        }
        report
    }

    fn take_list(&self, list: FactList, report: &mut Report) {
        let mut reader = TripleReader::new(&list.id, list.lines);
        let mut facts = Vec::new();
        for stated in &mut reader {
            match stated {
                Ok(_) if facts.len() == MOST_FACTS => {
                    return report.fail(Some(&list.id), TooManyFacts);
                }
                Ok(stated) => facts.push(told_by(stated)),
                // What is told of a line names its list.
                Err(error) => report.fail(None, error),
            }
        }
        report.bytes += reader.bytes();
        let profile = self.layers.profile();
        match Contribution::of_triples(&list.id, list.metadata, &facts, profile) {
            Ok(contribution) => self.write(&[contribution], report),
            Err(error) => report.fail(Some(&list.id), error),
        }
    }
}

fn told_by(stated: Stated) -> Told {
    Told {
        triple: stated.triple,
        entities: stated.entities.into(),
        metadata: stated.metadata,
    }
}
