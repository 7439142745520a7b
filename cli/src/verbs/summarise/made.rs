//! What came of summaries, in a folder or at a server: how many, by whom, the first of what went wrong, and the bill.

use super::make::Summaries;
use crate::bill::Bill;
use crate::failure::Failure;
use crate::output::{Reply, Table, count, money, printable, things};
use serde_json::{Value, json};
use std::io::{self, Write as _};
use stratigraph_client::Resummarised as Sent;
use stratigraph_models::Prices;
use stratigraph_rag::build::{NodeKey, Summary};
use stratigraph_rag::door::{ForeseenSummaries, Resummarised, Unmended, causes};
use stratigraph_rag::ingest::Problems;

/// What came of them, wherever they were made; of a dry run, what would.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The model that writes there, or [`Summary::RULES`].
    pub(crate) by: Option<String>,
    pub(crate) written: u64,
    /// Those that could not be written: the first of them.
    failed: Vec<Failed>,
    pub(crate) count_failed: u64,
    /// Of what the summary was taken away, as nothing is said of it any more: label and key of the first of them.
    forgotten: Vec<(String, String)>,
    count_forgotten: u64,
    /// How many are still stale.
    pub(crate) stale: u64,
    pub(crate) bill: Bill,
    /// Why there are no more of them: it is told behind all of this.
    pub(crate) ended: Option<Failure>,
}

/// What could not be summarised, and why.
#[derive(Debug)]
struct Failed {
    label: String,
    key: String,
    problem: String,
}

impl Made {
    /// What was done in a folder.
    pub(super) fn of(done: &Resummarised) -> Self {
        let mut made = Self {
            by: done.by.clone(),
            written: done.mended.len() as u64,
            stale: done.left as u64,
            bill: Bill::from(done.cost),
            ..Self::without(&done.failed)
        };
        for NodeKey { label, key } in &done.forgotten {
            made.forget(label.name().to_owned(), key.clone());
        }
        made
    }

    /// What would be done there.
    pub(super) fn foreseen(foreseen: &ForeseenSummaries, stale: usize) -> Self {
        Self {
            by: foreseen.by.clone(),
            written: foreseen.summaries as u64,
            stale: stale as u64,
            bill: Bill::from(&foreseen.estimate),
            ..Self::without(&foreseen.failed)
        }
    }

    /// What a server has done, or would do.
    pub(super) fn sent(done: Sent) -> Self {
        let mut made = Self {
            by: (!done.by.is_empty()).then_some(done.by),
            written: done.written,
            stale: done.left,
            bill: Bill::from(&done.bill),
            ..Self::default()
        };
        for one in done.summaries {
            let (label, key) = (one.subject.label, one.subject.key);
            if let Some(problem) = one.problem {
                made.fail(label, key, problem);
            } else if one.forgotten {
                made.forget(label, key);
            }
        }
        made
    }

    fn without(failed: &[Unmended]) -> Self {
        let mut made = Self::default();
        for one in failed {
            let node = &one.node;
            let label = node.label.name().to_owned();
            made.fail(label, node.key.clone(), causes(&one.error));
        }
        made
    }

    fn fail(&mut self, label: String, key: String, problem: String) {
        self.count_failed += 1;
        if self.failed.len() < Problems::MOST_TOLD {
            self.failed.push(Failed {
                label,
                key,
                problem,
            });
        }
    }

    fn forget(&mut self, label: String, key: String) {
        self.count_forgotten += 1;
        if self.forgotten.len() < Problems::MOST_TOLD {
            self.forgotten.push((label, key));
        }
    }

    /// Who writes, in words; `central` says whether sentences were asked for.
    pub(crate) fn by_whom(&self, central: bool) -> &str {
        match self.by.as_deref() {
            Some(Summary::RULES) if central => "the most central sentences",
            Some(Summary::RULES) => "the most central sentences, as there is no model",
            Some(model) => model,
            None => "nobody",
        }
    }

    /// What was taken away and what could not be written, on stderr: stdout is the answer's.
    pub(crate) fn failures(&self) {
        for (label, key) in &self.forgotten {
            let line = printable(&format!("{label} {key}: nothing is said of it any more"));
            // Nobody is left to hear that stderr is closed.
            let _ = writeln!(io::stderr(), "summary taken away: {line}");
        }
        for Failed {
            label,
            key,
            problem,
        } in &self.failed
        {
            let line = printable(&format!("{label} {key}: {problem}"));
            // Nobody is left to hear that stderr is closed.
            let _ = writeln!(io::stderr(), "not summarised: {line}");
        }
    }

    /// That some could not be written, if that is so: the exit code says it, too.
    pub(crate) fn tell(&self, reply: &mut Reply) {
        if self.count_failed > 0 {
            let failed = things(self.count_failed, "thing");
            reply
                .line(format!("{failed} could not be summarised"))
                .incomplete();
        }
    }

    /// All but the bill, for programs.
    pub(crate) fn json(&self) -> Value {
        let failed = self.failed.iter();
        let failed =
            failed.map(|one| json!({"label": one.label, "key": one.key, "problem": one.problem}));
        let forgotten = self.forgotten.iter();
        let forgotten = forgotten.map(|(label, key)| json!({"label": label, "key": key}));
        json!({
            "by": self.by,
            "written": self.written,
            "failed": failed.collect::<Value>(),
            "count_failed": self.count_failed,
            "forgotten": forgotten.collect::<Value>(),
            "count_forgotten": self.count_forgotten,
            "stale": self.stale,
        })
    }

    /// All of it as the answer of `summarise`.
    ///
    /// # Errors
    /// As [`Reply::fields`].
    pub(super) fn answer(
        &self,
        reply: &mut Reply,
        path: &str,
        wanted: &Summaries,
        prices: Option<Prices>,
    ) -> Result<(), Failure> {
        let cost = &self.bill.cost;
        let (written, about) = match wanted.dry_run {
            true => ("to be written", ", about"),
            false => ("written", ""),
        };
        let mut facts = Table::of_facts();
        facts
            .fact("path", &path)
            .fact(written, &count(self.written))
            .fact("by", &self.by_whom(wanted.central));
        if self.count_forgotten > 0 {
            facts.fact("taken away", &count(self.count_forgotten));
        }
        facts.fact("stale", &count(self.stale));
        if cost.calls + cost.kept > 0 {
            facts
                .fact("calls of the model", &count(cost.calls))
                .fact("replies that were there", &count(cost.kept))
                .fact(
                    &format!("tokens read{about}"),
                    &count(cost.usage.input_tokens),
                )
                .fact(
                    &format!("tokens written{about}"),
                    &count(cost.usage.output_tokens),
                );
            if let Some(price) = self.bill.price(prices) {
                facts.fact(&format!("cost{about}"), &money(price));
            }
        }
        reply.table(&facts);
        self.tell(reply);
        if wanted.dry_run {
            reply.line("nothing was written: this was a dry run");
        }
        reply
            .fields(&self.json())?
            .field("model", self.bill.json(prices));
        Ok(())
    }
}
