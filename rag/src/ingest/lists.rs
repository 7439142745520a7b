//! Lists of facts that somebody has extracted already: each file is a document whose passages are what it cites.

use std::io::BufRead;

use thiserror::Error;

use super::{Forecast, Ingest, Problems, Progress, Report};
use crate::Metadata;
use crate::build::{Agreed, BuildError, Contribution, Told};
use crate::extract::Extracted;
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

/// Why a list is not taken in. What was there of it before is left as it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ListError {
    /// It is written as a whole.
    #[error("it has more than {MOST_FACTS} facts, and is written as a whole: split it")]
    TooMany,
    /// Nobody knows what would have followed.
    #[error("it could not be read to its end, and a part of it is not taken for the whole: {0}")]
    CutShort(#[source] ReadError),
    /// An empty list in the place of a full one is more often a mishap than meant.
    #[error(
        "no fact could be read from it ({broken} broken lines): mend it, or delete the file and take its facts out with --prune"
    )]
    Empty {
        /// How many lines are broken.
        broken: u64,
    },
}

impl Ingest<'_> {
    /// Takes lists of facts in, each as a document of its own. Lines that are broken are told, and the others go in,
    /// unless none is left or the file ends before its end. Nobody is asked about them.
    pub fn run_lists(
        &self,
        lists: impl IntoIterator<Item = Result<FactList, ReadError>>,
        told: &(dyn Fn(Progress) + Sync),
    ) -> Report {
        let mut report = Report::default();
        for list in lists {
            if report.ended.is_some() || self.stops(&mut report) {
                break;
            }
            match list {
                Ok(list) => self.take_list(list, &mut report),
                Err(error) => report.problems.unreadable(error),
            }
            told(report.progress());
        }
        self.stops(&mut report);
        report
    }

    /// Which of these lists and of their lines can be read, how long they are, and what would be embedded of them: nobody
    /// is asked about facts.
    pub fn forecast_lists(
        &self,
        lists: impl IntoIterator<Item = Result<FactList, ReadError>>,
    ) -> Forecast {
        let mut forecast = Forecast::default();
        for list in lists {
            let list = match list {
                Ok(list) => list,
                Err(error) => {
                    forecast.problems.unreadable(error);
                    continue;
                }
            };
            let mut reader = TripleReader::new(&list.id, list.lines);
            let facts = match self.facts(&mut reader, &mut forecast.problems) {
                Ok(Some(facts)) => facts,
                Ok(None) => break,
                Err(error) => {
                    forecast.problems.fail(Some(&list.id), error);
                    continue;
                }
            };
            let profile = self.layers.profile();
            let new = self.under_agreed(facts).and_then(|facts| {
                Contribution::of_triples(&list.id, list.metadata, &facts, profile)
            });
            let beside = new.and_then(|new| {
                let text = new.text_hash().unwrap_or_default();
                Ok((self.layers.standing(&list.id, text)?, new))
            });
            match beside {
                Ok((standing, new)) => {
                    forecast.compare(standing);
                    forecast.count_texts(&self.layers.texts(&new), self.measured_by());
                }
                Err(error) => forecast.problems.fail(Some(&list.id), error),
            }
            forecast.bytes += reader.bytes();
        }
        forecast
    }

    fn take_list(&self, list: FactList, report: &mut Report) {
        let mut reader = TripleReader::new(&list.id, list.lines);
        let facts = match self.facts(&mut reader, &mut report.problems) {
            Ok(Some(facts)) => facts,
            Ok(None) => {
                self.stops(report);
                return;
            }
            Err(error) => return report.problems.fail(Some(&list.id), error),
        };
        report.bytes += reader.bytes();
        let facts = match self.under_agreed(facts) {
            Ok(facts) => facts,
            Err(error) => return report.end(error),
        };
        let profile = self.layers.profile();
        let said = |at: usize| {
            let fact = &facts[at].triple;
            [&*fact.subject, &*fact.predicate, &*fact.object].join(" ")
        };
        self.look_at(&list.id, facts.len(), said, report);
        match Contribution::of_triples(&list.id, list.metadata, &facts, profile) {
            Ok(contribution) => self.write(&[contribution], report),
            Err(error) => report.problems.fail(Some(&list.id), error),
        }
    }

    /// Facts under the names that are agreed now: what they are written as, and compared by.
    fn under_agreed(&self, facts: Vec<Told>) -> Result<Vec<Told>, BuildError> {
        let agreed = self.layers.agreed()?;
        let facts = facts.into_iter();
        Ok(facts.filter_map(|told| under(&agreed, told)).collect())
    }

    /// All facts of a list; none if somebody said that it should stop.
    fn facts(
        &self,
        reader: &mut TripleReader,
        problems: &mut Problems,
    ) -> Result<Option<Vec<Told>>, ListError> {
        let mut facts = Vec::new();
        while let Some(stated) = reader.next() {
            if self.cancel.is_cancelled() {
                return Ok(None);
            }
            match stated {
                Ok(_) if facts.len() == MOST_FACTS => return Err(ListError::TooMany),
                Ok(stated) => facts.push(told_by(stated)),
                Err(error) if reader.is_cut_short() => return Err(ListError::CutShort(error)),
                Err(error) => problems.broken_line(error),
            }
        }
        match facts.is_empty() {
            true => Err(ListError::Empty {
                broken: reader.counts().broken,
            }),
            false => Ok(Some(facts)),
        }
    }
}

/// A fact under agreed names; none if it leads from a thing to itself by them.
fn under(agreed: &Agreed, told: Told) -> Option<Told> {
    let mut said = Extracted {
        entities: told.entities,
        triples: vec![told.triple],
        chains: Vec::new(),
    };
    agreed.apply(&mut said);
    Some(Told {
        triple: said.triples.pop()?,
        entities: said.entities,
        metadata: told.metadata,
    })
}

fn told_by(stated: Stated) -> Told {
    Told {
        triple: stated.triple,
        entities: stated.entities.into(),
        metadata: stated.metadata,
    }
}
