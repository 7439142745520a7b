//! What judging would cost, without asking anybody: the way of a run, with judges that stand in, and answers as they would be
//! about where there are none yet. Nothing is written.

use super::Judge;
use crate::failure::Failure;
use crate::models::Addressed;
use crate::output::{Reply, Table, count};
use crate::progress::Progress;
use crate::verbs::eval::answers::{Asking, Systems};
use crate::verbs::eval::keeping::{DRY, cost_json, foreseen, unread};
use serde_json::json;
use stratigraph_models::Lexical;
use stratigraph_rag::evaluate::Jury;
use stratigraph_rag::extract::Cost;
use stratigraph_rag::extract::model::{Criterion, Judging};

impl Judge {
    /// Says what is left to be asked.
    ///
    /// # Errors
    /// Answers or replies that cannot be read; judges that are none.
    pub(super) fn foresee(
        &self,
        criteria: &[Criterion],
        progress: &Progress,
    ) -> Result<Reply, Failure> {
        let judges = self.models.judges(&self.judge)?;
        self.check_unasked(&judges)?;
        let replies = self.keeping.replies(false)?;
        let stand_ins = judges
            .iter()
            .map(|judge| Judging::foreseen(judge.model.name(), judge.kept(&replies)));
        // Vectors cost nothing here and change no number of calls, and an embedder may be behind an address.
        let embedder = Lexical::new();
        let jury = Jury {
            judges: stand_ins.collect(),
            embedder: &embedder,
            threads: self.models.calls(),
            cancel: progress.interrupt().token(),
        };
        let mut asked = self.sources.systems(&Asking {
            open: None,
            models: &self.models,
            keeping: &self.keeping,
            progress,
        })?;
        // What these would say of the answers is nothing that anybody has said.
        let (judged, _) = self.judged(&jury, &asked.systems, criteria, progress)?;
        let mut cost = Cost::default();
        judged.iter().for_each(|one| cost += one.cost);
        asked.notes.extend(unread(&replies));
        if asked.missing > 0 {
            asked.notes.push(
                "answers that are not there are taken to be of usual length and no refusals; what stages of a pipeline ask models is not counted"
                    .to_owned(),
            );
        }
        Ok(tell(&asked, cost))
    }

    /// What the run refuses before it asks anybody.
    fn check_unasked(&self, judges: &[Addressed]) -> Result<(), Failure> {
        let equipment = self.models.unasked_equipment()?;
        // Nothing is opened with vectors of a width that is not known.
        let open = match self.models.has_embedder_away() {
            true => None,
            false => self.sources.open(&equipment)?,
        };
        match judges {
            [] => self.check_without_judges(&*self.embedder(&equipment, open.as_ref())),
            _ => Ok(()),
        }
    }
}

fn tell(asked: &Systems, judges: Cost) -> Reply {
    let mut reply = Reply::new("eval");
    let mut facts = Table::of_facts();
    if asked.kept + asked.missing > 0 {
        facts
            .fact("answers that are there", &count(asked.kept as u64))
            .fact("answers to be asked for", &count(asked.missing as u64));
        foreseen(&mut facts, "calls for them", asked.cost);
    }
    foreseen(&mut facts, "calls of judges", judges);
    reply.table(&facts);
    for note in &asked.notes {
        reply.line(note);
    }
    reply.line(DRY);
    let answers = json!({
        "there": asked.kept,
        "missing": asked.missing,
        "calls": asked.cost.calls,
        "input_tokens": asked.cost.usage.input_tokens,
        "output_tokens": asked.cost.usage.output_tokens,
    });
    let foreseen = json!({"answers": answers, "judges": cost_json(judges)});
    reply
        .field("foreseen", foreseen)
        .field("notes", json!(asked.notes));
    reply
}
