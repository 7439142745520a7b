//! Summaries that a model writes.

use serde::Deserialize;

use super::super::prompt::Filling;
use super::super::reply::{Ground, LONGEST_SUMMARY, clean_long_text};
use super::super::task::Task;
use super::super::{
    Calls, Domain, Estimate, ExtractError, Neighbour, Summariser, Summary, SummaryOf,
};
use super::Asking;
use crate::chunk::Measure;

/// Asks a model for summaries.
#[derive(Clone, Debug)]
pub struct Summaries {
    calls: Calls,
    version: String,
}

#[derive(Deserialize)]
struct Reply {
    summary: String,
}

impl Summaries {
    /// Asks in this way.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        let tasks = [Task::EntitySummary, Task::DomainSummary];
        let version = format!("summaries-1;{}", tasks.map(Task::versions).join(";"));
        Self { calls, version }
    }

    fn read(
        &self,
        of: &SummaryOf<'_>,
        dry: Option<&dyn Measure>,
    ) -> Result<(Summary, Estimate), ExtractError> {
        let texts = of.texts();
        let all = texts.join("\n");
        let (task, about, fillings) = match of {
            SummaryOf::Entity { name, .. } => {
                let fillings = vec![
                    Filling::new("name", name),
                    Filling::new("descriptions", &all),
                ];
                (
                    Task::EntitySummary,
                    format!("the summary of {name:?}"),
                    fillings,
                )
            }
            SummaryOf::Domain {
                chain,
                above,
                tags,
                relations,
                before,
            } => {
                let name = chain.last().map_or("", |domain| &domain.name);
                let fillings = vec![
                    Filling::new("chain", &bounded(chain.iter().map(of_domain))),
                    Filling::new("above", &nearest(above)),
                    Filling::new("tags", &bounded(tags.iter().map(of_tag))),
                    Filling::new(
                        "relations",
                        &bounded(relations.iter().map(|one| (*one).to_owned())),
                    ),
                    Filling::new("before", before.unwrap_or_default()),
                ];
                (
                    Task::DomainSummary,
                    format!("the summary of {name:?}"),
                    fillings,
                )
            }
        };
        let mut asking = Asking::new(&self.calls, about, &all, dry);
        let ground = Ground::of(fillings.iter().map(Filling::text));
        let reply = asking.ask::<Reply>(task, &fillings, &[])?;
        let text = reply.map_or(String::new(), |reply| {
            clean_long_text(&reply.summary, &ground, LONGEST_SUMMARY)
        });
        let cost = asking.cost;
        Ok((Summary { text, cost }, asking.estimate))
    }
}

fn of_domain(domain: &Domain) -> String {
    format!("{}: {}", domain.name, domain.description)
}

fn of_tag(tag: &Neighbour<'_>) -> String {
    format!("{}: {} {}", tag.name, tag.description, tag.link)
}

/// Lines, as many as a model is given at once.
fn bounded(lines: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        if text.len() + line.len() > super::super::summary::MOST_BYTES {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// What is above, from the widest; where there is no room for all of it, the nearest.
fn nearest(above: &[&str]) -> String {
    let mut left = super::super::summary::MOST_BYTES;
    let fitting = above.iter().rev().take_while(|one| {
        let fits = one.len() < left;
        left = left.saturating_sub(one.len() + 1);
        fits
    });
    let mut kept: Vec<&str> = fitting.copied().collect();
    kept.reverse();
    kept.join("\n")
}

impl Summariser for Summaries {
    fn version(&self) -> &str {
        &self.version
    }

    fn summarise(&self, of: &SummaryOf<'_>) -> Result<Summary, ExtractError> {
        Ok(self.read(of, None)?.0)
    }

    fn estimate(
        &self,
        of: &SummaryOf<'_>,
        measure: &dyn Measure,
    ) -> Result<Estimate, ExtractError> {
        Ok(self.read(of, Some(measure))?.1)
    }
}
