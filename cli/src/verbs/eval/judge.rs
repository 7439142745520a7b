//! `eval judge`: how good answers are, as models say, and which of two systems answers better. `judge/foreseen.rs` says what
//! that would cost.

mod foreseen;

use super::answers::{Asking, Sources, System};
use super::keeping::{Keeping, cost_json, unread, with_replies};
use super::{figures, write};
use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, things};
use crate::progress::Progress;
use crate::rag_error::RagError;
use clap::Args;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use stratigraph_models::Embedder;
use stratigraph_rag::answer::Paid;
use stratigraph_rag::door::{Equipment, Open, causes};
use stratigraph_rag::evaluate::{Given, Judged, Judgement, Jury, JuryError, Measured, Saved};
use stratigraph_rag::extract::model::{Criterion, Judging};
use stratigraph_rag::extract::{Cost, ExtractError};

/// Arguments of `eval judge`.
#[derive(Debug, Args)]
#[command(after_help = "\
Answers are asked of a database, by a preset each, or are in files: JSON lines of id, question, answer, and perhaps analysis,
context, references and refused. Judges are models; each sees each answer, and the mean counts. What a judge gives of no
use is told, does not count, and makes the exit code 2. With --pairs the first system is compared with each other one: each
judge sees each pair in both orders, and what it says in one order alone is a tie. Vectors are those of --embedder, or else of
the database. Where that embedder has vectors of tokens, accuracy as BAG-RAG defines it is measured too, also without a judge:
acc_num, acc_sem, acc_total.

What was paid for is kept as it comes: replies of judges in --work, answers in --keep or else in --work. A run that failed or
was stopped goes on from there if the same command is given again; nothing is asked twice but what was of no use. How much was
there already is told. --dry-run says how many calls are left, and about how many tokens these are.

Examples:
  stratigraph eval judge --set sets/mine --graph library --preset strata --llm http://localhost:11434/v1 --model qwen3
  stratigraph eval judge --set sets/mine --graph library --preset strata --preset tag --keep answers --pairs \\
    --llm http://localhost:11434/v1 --model qwen3 --judge gemma3@http://localhost:11434/v1 --judge phi4@http://localhost:11434/v1 --dry-run
  stratigraph eval judge --set sets/mine --graph library --preset strata --measure accuracy --embedder minilm
  stratigraph eval judge --answers answers/strata.jsonl --answers before=answers/old.jsonl --pairs --criterion relevance \\
    --criterion 'brevity=how short it is while it says all' --judge gemma3@http://localhost:11434/v1 --out judged.json

JSON: evaluations [{set, pipeline, embedder, questions [{id, kind, values {measure}, confidence, milliseconds, cost}]}],
judgements [{system, id, judge, measure, said, problem}], cost of the judges {calls, kept, input_tokens, output_tokens},
notes [text]; the cost of a question is that of its answer, with what the pipeline asks models; with --dry-run: foreseen
{answers {there, missing, calls, input_tokens, output_tokens}, judges {calls, kept, input_tokens, output_tokens}}, notes")]
pub(super) struct Judge {
    /// Whose answers.
    #[command(flatten)]
    sources: Sources,
    /// A model that judges: its name, @, and all of its address before /chat/completions; may be given again. If none is
    /// given, the one that writes judges, too. The key for an address other than that of --llm is STRATIGRAPH_JUDGE_KEY
    #[arg(long, value_name = "MODEL@URL")]
    judge: Vec<String>,
    /// Only this measure: faithfulness, relevance, accuracy; may be given again
    #[arg(long, value_name = "NAME", value_parser = measured)]
    measure: Vec<Measured>,
    /// Also compare the first system with each other one
    #[arg(long)]
    pairs: bool,
    /// By what they are compared: comprehensiveness, diversity, empowerment, overall, relevance, completeness, logic, or one of
    /// your own; may be given again. The first four if nothing is said
    #[arg(long, value_name = "NAME[=MEANING]", requires = "pairs", value_parser = criterion)]
    criterion: Vec<Criterion>,
    /// A file for all of it, with what the judges said
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A file for all numbers of the table and those of all kinds, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// A file for a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Where what was paid for is kept.
    #[command(flatten)]
    keeping: Keeping,
    /// Which models.
    #[command(flatten)]
    models: Models,
}

fn measured(text: &str) -> Result<Measured, String> {
    let found = Measured::ALL.into_iter().find(|one| one.name() == text);
    found.ok_or_else(|| {
        let known = Measured::ALL.map(Measured::name).join(", ");
        format!("there are {known}")
    })
}

fn criterion(text: &str) -> Result<Criterion, String> {
    Criterion::of(text).map_err(|error| error.to_string())
}

impl Judge {
    /// Asks for answers, has them judged, and tells.
    ///
    /// # Errors
    /// Answers that cannot be read; what the models or the engine refuse.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let criteria = match self.criterion.as_slice() {
            [] => Criterion::usual(),
            named => named.to_vec(),
        };
        self.check(&criteria)?;
        if self.keeping.is_dry() {
            return self.foresee(&criteria, progress);
        }
        // Who judges is looked at first: answers may cost.
        let equipment = self.models.equipment()?;
        let open = self.sources.open(&equipment)?;
        let embedder = self.embedder(&equipment, open.as_ref());
        let judges = self.models.judges(&self.judge)?;
        if judges.is_empty() {
            self.check_without_judges(&*embedder)?;
        }
        let replies = self.keeping.replies(!judges.is_empty())?;
        let calls = judges.iter().map(|judge| judge.calls(&replies));
        let jury = Jury {
            judges: calls.map(Judging::new).collect(),
            embedder: &*embedder,
            threads: self.models.calls(),
            cancel: progress.interrupt().token(),
        };
        let mut reply = Reply::new("eval");
        let asked = self.sources.systems(&Asking {
            open: open.as_ref(),
            models: &self.models,
            keeping: &self.keeping,
            progress,
        })?;
        // Judging takes long, and meanwhile others may write to it.
        drop(open);
        let judged = self.judged(&jury, &asked.systems, &criteria, progress);
        let (judged, left_out) = judged.map_err(|failure| with_replies(failure, &replies))?;
        let mut notes = asked.notes;
        notes.extend(unread(&replies));
        notes.extend(left_out);
        let failed = judged.iter().flat_map(|one| &one.judgements);
        let failed: Vec<&Judgement> = failed.filter(|one| one.problem.is_some()).collect();
        if let Some(first) = failed.first() {
            notes.push(format!(
                "{} a judge gave nothing of use, which does not count; the first: {} on {} of {} ({}): {}",
                things(failed.len() as u64, "time"),
                first.judge,
                first.id,
                first.system,
                first.measure,
                first.problem.as_deref().unwrap_or_default()
            ));
            reply.incomplete();
        }
        self.tell(reply, &notes, judged)
    }

    /// What cannot be, whatever the answers are.
    fn check(&self, criteria: &[Criterion]) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = criteria.iter().find(|one| !seen.insert(one.name())) {
            let twice = twice.name();
            return Err(Failure::Usage(format!(
                "--criterion {twice} is given twice"
            )));
        }
        match self.sources.count() {
            0 => Err(Failure::Usage(
                "there are no answers: ask for them with --graph and --preset, or name files with --answers".to_owned(),
            )),
            1 if self.pairs => Err(Failure::Usage(
                "--pairs compares two systems or more: name another --preset, or --answers".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Whose vectors say how near texts are: those of the embedder that was named, else of the one that the database was built with.
    fn embedder(&self, equipment: &Equipment, open: Option<&Open>) -> Arc<dyn Embedder> {
        let built = open.filter(|_| !self.models.names_embedder());
        let embedder = match built {
            Some(open) => open.layers().its_embedder(),
            None => equipment.its_embedder(),
        };
        Arc::clone(embedder)
    }

    /// Whether anything else is wanted than what can be measured without a judge.
    fn needs_a_judge(&self) -> bool {
        self.pairs || self.measure.iter().any(|one| *one != Measured::Accuracy)
    }

    /// Whether anything can be measured: without a judge that is accuracy by the vectors of tokens.
    fn check_without_judges(&self, embedder: &dyn Embedder) -> Result<(), Failure> {
        let is_exact = embedder.token_vectors(&["a"]);
        let is_exact = is_exact.map_err(RagError::from)?.is_some();
        match is_exact && !self.needs_a_judge() {
            true => Ok(()),
            false => Err(nobody(&match is_exact {
                true => "something else is wanted".to_owned(),
                false => no_tokens(embedder),
            })),
        }
    }

    /// What the judges say, and what was left out.
    fn judged(
        &self,
        jury: &Jury<'_>,
        systems: &[System],
        criteria: &[Criterion],
        progress: &Progress,
    ) -> Result<(Vec<Judged>, Vec<String>), Failure> {
        let set = self.sources.set_name();
        let measured: BTreeSet<Measured> = match self.measure.as_slice() {
            // Who compares and names no measure wants nothing else.
            [] if self.pairs => BTreeSet::new(),
            [] => Measured::ALL.into(),
            named => named.iter().copied().collect(),
        };
        let (mut judged, mut notes) = (Vec::new(), Vec::new());
        if !measured.is_empty() {
            for System { name, given } in systems {
                let exact = match measured.contains(&Measured::Accuracy) {
                    true => jury.exact((&set, name), given),
                    false => Ok(None),
                };
                let exact = exact.map_err(RagError::from)?;
                if jury.judges.is_empty() {
                    judged.extend(exact.map(Judged::without_judges));
                    continue;
                }
                let bar = progress.bar(given.len() as u64);
                let of_it = jury.judge((&set, name), given, &measured, &|done| {
                    bar.at(done as u64);
                });
                let mut of_it = of_it.map_err(failure)?;
                if let Some(exact) = exact {
                    let both = of_it.evaluation.questions.iter_mut().zip(exact.questions);
                    both.for_each(|(judged, exact)| judged.values.extend(exact.values));
                } else if measured.contains(&Measured::Accuracy) && has_references(given) {
                    notes.push(format!(
                        "{name}: Acc_num, Acc_sem and Acc_total are not measured: {}",
                        no_tokens(jury.embedder)
                    ));
                }
                judged.push(of_it);
            }
        }
        let (first, others) = match systems.split_first() {
            Some(split) if self.pairs => split,
            _ => return Ok((judged, notes)),
        };
        for other in others {
            let bar = progress.bar(first.given.len() as u64);
            let pair = ((&*first.name, &*first.given), (&*other.name, &*other.given));
            let compared = jury.compare(&set, pair, criteria, &|done| {
                bar.at(done as u64);
            });
            let (of_it, alone) = compared.map_err(failure)?;
            if alone > 0 {
                notes.push(format!(
                    "{}: {} to questions that only one of them has, and left out",
                    of_it.evaluation.pipeline,
                    things(alone as u64, "answer")
                ));
            }
            judged.push(of_it);
        }
        Ok((judged, notes))
    }

    /// Tells all of it, and writes the files that were asked for.
    fn tell(
        &self,
        mut reply: Reply,
        notes: &[String],
        judged: Vec<Judged>,
    ) -> Result<Reply, Failure> {
        for note in notes {
            reply.line(note);
        }
        let mut saved = Saved::default();
        let (mut judgements, mut cost) = (Vec::new(), Cost::default());
        for one in judged {
            saved.evaluations.push(one.evaluation);
            judgements.extend(one.judgements);
            cost += one.cost;
        }
        reply.table(&figures::table(&saved, false));
        let paid = Paid::from(cost);
        if !judgements.is_empty() {
            reply.line(format!(
                "the judges were asked {}, read {} tokens and wrote {}",
                things(paid.calls, "time"),
                paid.input_tokens,
                paid.output_tokens
            ));
            if cost.kept > 0 {
                reply.line(format!("replies that were there already: {}", cost.kept));
            }
        }
        // The one that was named first is the last line.
        let names: Vec<String> = { saved.evaluations.iter() }
            .map(|run| run.pipeline.clone())
            .collect();
        for name in names.iter().rev() {
            reply.line(figures::last_line(name, &saved, false));
        }
        let json = |value: serde_json::Result<Json>| value.map_err(Failure::of_request);
        let mut whole = json(serde_json::to_value(&saved))?;
        whole["judgements"] = json(serde_json::to_value(&judgements))?;
        whole["cost"] = cost_json(cost);
        whole["notes"] = json!(notes);
        write(self.out.as_deref(), || whole.to_string())?;
        write(self.csv.as_deref(), || saved.csv())?;
        write(self.html.as_deref(), || saved.page())?;
        for name in ["evaluations", "judgements", "cost", "notes"] {
            reply.field(name, whole[name].clone());
        }
        Ok(reply)
    }
}

fn has_references(given: &[Given]) -> bool {
    given.iter().any(|one| !one.posed.references.is_empty())
}

/// Nobody judges, though somebody has to.
fn nobody(why: &str) -> Failure {
    Failure::Usage(format!(
        "{}; without one only accuracy can be measured, by the vectors of tokens, and {why}",
        JuryError::NoJudge
    ))
}

fn no_tokens(embedder: &dyn Embedder) -> String {
    format!(
        "the embedder {} gives one vector for a text and none for its tokens, which models of BERT's family do (--embedder minilm)",
        embedder.name()
    )
}

fn failure(error: JuryError) -> Failure {
    match error {
        JuryError::Cancelled => stratigraph::Error::Cancelled.into(),
        JuryError::Judge {
            source: ExtractError::Cancelled,
            ..
        } => stratigraph::Error::Cancelled.into(),
        error => Failure::of_request(causes(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use stratigraph::Database;
    use stratigraph_models::GivenVectors;
    use stratigraph_rag::door::{Library, Wanted};

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        judge: Judge,
    }

    #[test]
    fn vectors_are_those_of_the_database_unless_an_embedder_is_named() {
        let given: Arc<dyn Embedder> = Arc::new(GivenVectors::new("given", 3));
        let db = Database::in_memory().unwrap();
        let builder = Equipment::default().embedder(Arc::clone(&given));
        let created = Library::new(&db, builder).create(&Wanted::default());
        created.unwrap();
        let finds = move |name: &str| (name == "given").then(|| Arc::clone(&given));
        let equipment = Equipment::default().embedder_by_name(finds);
        let open = Library::new(&db, equipment.clone()).open().unwrap();
        let embedder = |flags: &[&str], open: Option<&Open>| {
            let flags = Flags::parse_from([&["it"][..], flags].concat());
            let embedder = flags.judge.embedder(&equipment, open);
            embedder.name().to_owned()
        };
        assert_eq!(embedder(&[], Some(&open)), "given");
        assert_eq!(embedder(&[], None), "lexical-1");
        assert_eq!(
            embedder(&["--embedder", "lexical"], Some(&open)),
            "lexical-1"
        );
    }
}
