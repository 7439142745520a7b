//! `--cluster-relations`: which relations mean the same by their names, to be reviewed, or merged at once.
//!
//! Clusters are proposals. Merging agrees to all of them, and takes the documents in again: what is agreed holds for what
//! comes in from then on, and nothing is asked twice. Names that come later are proposed to be called by what is agreed.

use super::outcome::Outcome;
use crate::output::{Reply, printable, things};
use clap::ValueEnum;
use serde_json::{Value, json};
use stratigraph_rag::door::Alike;
use stratigraph_rag::relations::negates;

/// What is done with relations that mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Cluster {
    /// They are listed.
    Review,
    /// They are put under one name.
    Merge,
}

/// What was found of them.
#[derive(Debug, Default)]
pub(super) struct Clustered {
    pub(super) alike: Vec<Alike>,
    /// So many names were agreed to.
    pub(super) merged: u64,
    /// Whether they were looked for at all.
    pub(super) is_asked: bool,
}

impl Clustered {
    /// What was found, and nothing done.
    pub(super) fn of(alike: Vec<Alike>) -> Self {
        Self {
            alike,
            merged: 0,
            is_asked: true,
        }
    }

    /// Agrees to each name that another would stand for. How many are new.
    pub(super) fn merge<E>(
        &mut self,
        agree: impl Fn(&str, &str) -> Result<bool, E>,
    ) -> Result<u64, E> {
        for one in &self.alike {
            if let Some(stands) = &one.stands_for {
                self.merged += u64::from(agree(&one.name, stands)?);
            }
        }
        Ok(self.merged)
    }

    /// As lines for people.
    pub(super) fn tell(&self, reply: &mut Reply) {
        if !self.is_asked {
            return;
        }
        for one in &self.alike {
            let name = printable(&one.name);
            match (&one.stands_for, &one.opposite) {
                (Some(stands), _) => reply.line(format!(
                    "{name:?} means the same as {:?} ({:.3} from the mean of all that do)",
                    printable(stands),
                    one.distance
                )),
                (None, Some(opposite)) => {
                    let how = match negates(&one.name) == negates(opposite) {
                        true => "differs by direction from",
                        false => "negates",
                    };
                    reply.line(format!(
                        "{name:?} {how} {:?}, and is left alone ({:.3} from it)",
                        printable(opposite),
                        one.distance
                    ))
                }
                (None, None) => continue,
            };
        }
        let proposed = self.alike.iter().filter(|one| one.stands_for.is_some());
        reply.line(match (proposed.count() as u64, self.merged) {
            (0, _) => "no relations mean the same by their names".to_owned(),
            (proposed, 0) => format!(
                "{} of relations could go; CALL rag.agree('relation', NAME, STANDS_FOR) settles one, for documents that are taken in again",
                things(proposed, "name")
            ),
            (_, merged) => format!("{} of relations put under another", things(merged, "name")),
        });
    }

    /// As JSON.
    pub(super) fn json(&self) -> Value {
        let all = self.alike.iter().map(|one| {
            json!({
                "name": one.name,
                "stands_for": one.stands_for,
                "distance": one.distance,
                "opposite": one.opposite,
            })
        });
        all.collect()
    }
}

impl Outcome {
    /// What taking the documents in a second time, under other names, has changed and cost.
    pub(super) fn renamed(&mut self, again: Self) {
        // What failed the first time, and fails again, is one failure.
        for (document, problem) in again.failed {
            let one = (document, problem);
            if !self.failed.contains(&one) {
                self.fail(one.0, one.1);
            }
        }
        self.written += again.written;
        self.deleted += again.deleted;
        self.vectors += again.vectors;
        self.vector_tokens += again.vector_tokens;
        self.cut_off += again.cut_off;
        self.stale += again.stale;
        // The same replies are read again: what is dropped of them is counted already.
        let mut bill = again.bill;
        bill.cost.dropped = 0;
        self.bill += bill;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(name: &str, stands_for: Option<&str>, opposite: Option<&str>) -> Alike {
        Alike {
            name: name.to_owned(),
            stands_for: stands_for.map(str::to_owned),
            distance: 0.0,
            opposite: opposite.map(str::to_owned),
        }
    }

    fn told(clustered: &Clustered) -> String {
        let mut reply = Reply::new("ingest");
        clustered.tell(&mut reply);
        reply.to_text(false)
    }

    #[test]
    fn what_is_proposed_and_what_is_left_alone_is_told_with_its_reason() {
        let mut clustered = Clustered::of(vec![
            alike("located in", Some("is located in"), None),
            alike("lies in", Some("is located in"), None),
            alike("paid to", None, Some("paid by")),
            alike("non si applica a", None, Some("si applica a")),
        ]);
        let text = told(&clustered);
        for line in [
            "\"located in\" means the same as \"is located in\"",
            "\"paid to\" differs by direction from \"paid by\", and is left alone",
            "\"non si applica a\" negates \"si applica a\", and is left alone",
            "\n2 names of relations could go; ",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        clustered.merged = 1;
        assert!(told(&clustered).ends_with("\n1 name of relations put under another\n"));
    }
}
