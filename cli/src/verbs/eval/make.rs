//! `eval make`: a set of questions out of the facts of a graph; with `--users` out of what is said of a corpus.

use super::keeping::Keeping;
use super::users::{self, Corpus};
use crate::failure::Failure;
use crate::models::Writer;
use crate::output::{Reply, Table, money, things};
use crate::progress::Progress;
use crate::rag_error::RagError;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use stratigraph::Database;
use stratigraph_models::Usage;
use stratigraph_rag::door::DoorError;
use stratigraph_rag::evaluate::{Making, Posing};

/// Arguments of `eval make`.
#[derive(Debug, Args)]
#[command(after_help = "\
Questions of one fact, of two, of everything that is said of a hub, and of what the graph does not know, by the patterns of
EmPULIA. The same graph and seed give the same questions. What is written is a set: triples.jsonl with all facts, and
questions.jsonl with the facts that answer each.

With --users a model thinks of users of the corpus, of their tasks and of what they would ask, as TagRAG makes its 125
questions: from what a file says of the corpus, and from the titles and widest domains of the database. Nobody knows
what is right: questions.jsonl alone is written, and `eval judge --pairs` compares answers to it. The exit code is 2 if
some did not come. What the model said is kept in --work as it comes: a run that failed or was stopped goes on from there
if the same command is given again. --dry-run says how many calls are left.

Examples:
  stratigraph eval make library --out sets/mine --seed 7
  stratigraph eval --suite sets/mine --preset strata
  stratigraph eval make library --out sets/users --users 5 --llm http://localhost:11434/v1 --model qwen3
  stratigraph eval make --about corpus.md --out sets/users --users 5 --llm http://localhost:11434/v1 --model qwen3

JSON: folder, facts, counted [{kind, places, sampled, questions}], phrased {phrased, kept, unasked, input_tokens,
output_tokens, cost (null without prices)}, or null without a model; with --users: folder, questions [{user_number,
user, task_number, task, question}], missing, cost {calls, kept, input_tokens, output_tokens}; with --dry-run: foreseen
{calls, kept, input_tokens, output_tokens}")]
pub(super) struct Make {
    /// The database's folder
    #[arg(required_unless_present = "about")]
    dir: Option<PathBuf>,
    /// The folder of the set; no questions may be in it yet
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Where chance begins
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// So many questions of one fact, and of two
    #[arg(long, value_name = "N", default_value_t = Making::default().each)]
    each: usize,
    /// Which share of the places where a pattern holds is looked at, above 0 and at most 1
    #[arg(long, value_name = "SHARE", default_value_t = Making::default().sample, value_parser = share)]
    sample: f64,
    /// Of so many things everything is asked, twice
    #[arg(long, value_name = "N", default_value_t = Making::default().hubs)]
    hubs: usize,
    /// So many questions that the graph does not answer, at most 10
    #[arg(long, value_name = "N", default_value_t = Making::default().out_of_domain)]
    out_of_domain: usize,
    /// So many users ask, at most 12, as a model thinks of them
    #[arg(long, value_name = "N", requires = "llm")]
    users: Option<usize>,
    /// So many tasks each user has, at most 12
    #[arg(long, value_name = "N", requires = "users", default_value_t = Posing::default().tasks)]
    tasks: usize,
    /// So many questions are asked for each task, at most 12
    #[arg(long, value_name = "N", requires = "users", default_value_t = Posing::default().questions)]
    questions: usize,
    /// A file that says what the corpus is
    #[arg(long, value_name = "FILE", requires = "users")]
    about: Option<PathBuf>,
    /// A folder where replies of the model are kept as they come: the same command goes on from there
    #[arg(
        long,
        value_name = "DIR",
        requires = "users",
        default_value = "eval-work"
    )]
    work: PathBuf,
    /// Say how many calls it would take, and ask nobody
    #[arg(long, requires = "users")]
    dry_run: bool,
    /// Who finds better words, or thinks of users.
    #[command(flatten)]
    writer: Writer,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("it is a number above 0 and at most 1".to_owned()),
    }
}

impl Make {
    /// Makes questions, and writes them.
    ///
    /// # Errors
    /// What the database or the model says; the folder cannot be written to.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        if let Some(users) = self.users {
            return self.of_users(users, progress);
        }
        let dir = self.dir.clone().unwrap_or_default();
        let db = Database::builder().open_read_only(&dir)?;
        let read = db.read()?.with_cancel(progress.interrupt().token());
        let making = Making {
            seed: self.seed,
            each: self.each,
            sample: self.sample,
            hubs: self.hubs,
            out_of_domain: self.out_of_domain,
        };
        let made = making.run(&read).map_err(DoorError::from);
        let mut made = made.map_err(RagError::from)?;
        if made.facts.is_empty() {
            return Err(Failure::of_request(format!(
                "{} has no facts: questions are made of facts, which `ingest --profile triples` or `hybrid` makes",
                dir.display()
            )));
        }
        let phrased = match self.writer.model()? {
            Some(model) => Some(made.phrase(&*model.model).map_err(RagError::from)?),
            None => None,
        };
        made.write(&self.out)
            .map_err(|error| Failure::of_request(format!("{}: {error}", self.out.display())))?;
        let cost = |usage: Usage| self.writer.prices().map(|prices| prices.of(usage));
        let mut reply = Reply::new("eval");
        let mut table = Table::of_numbers(["kind", "places", "sampled", "questions"]);
        let mut counted = Vec::new();
        for one in &made.counted {
            let numbers = [one.places, one.sampled, one.questions];
            let [places, sampled, questions] = numbers.map(|number| number.to_string());
            table.row([one.kind.to_owned(), places, sampled, questions]);
            counted.push(json!({
                "kind": one.kind,
                "places": one.places,
                "sampled": one.sampled,
                "questions": one.questions,
            }));
        }
        reply.table(&table);
        if let Some(phrased) = phrased {
            let usage = phrased.usage;
            let cost =
                cost(usage).map_or_else(String::new, |cost| format!(", for {}", money(cost)));
            reply.line(format!(
                "the model has phrased {}, and of {} its words were not taken; it read {} tokens and wrote {}{cost}",
                things(phrased.phrased as u64, "question"),
                phrased.kept,
                usage.input_tokens,
                usage.output_tokens
            ));
            if phrased.unasked > 0 {
                reply.line(format!(
                    "--max-model-tokens is spent: {} have the words of the patterns",
                    things(phrased.unasked as u64, "question")
                ));
                reply.incomplete();
            }
        }
        reply.line(format!(
            "{} are in {}",
            things(made.questions.len() as u64, "question"),
            self.out.display()
        ));
        reply
            .field("folder", self.out.display().to_string())
            .field("facts", made.facts.len())
            .field("counted", counted)
            .field(
                "phrased",
                phrased.map(|one| {
                    json!({
                        "phrased": one.phrased,
                        "kept": one.kept,
                        "unasked": one.unasked,
                        "input_tokens": one.usage.input_tokens,
                        "output_tokens": one.usage.output_tokens,
                        "cost": cost(one.usage),
                    })
                }),
            );
        Ok(reply)
    }

    fn of_users(&self, users: usize, progress: &Progress) -> Result<Reply, Failure> {
        let Some(model) = self.writer.model()? else {
            let needed = "--users needs a model: --llm URL --model NAME";
            return Err(Failure::Usage(needed.to_owned()));
        };
        let posing = Posing {
            users,
            tasks: self.tasks,
            questions: self.questions,
        };
        let corpus = Corpus {
            dir: self.dir.as_deref(),
            about: self.about.as_deref(),
        };
        let keeping = Keeping::new(&self.work, self.dry_run);
        let asked = users::Asked {
            posing,
            corpus: &corpus,
            model: &model,
            keeping: &keeping,
        };
        asked.make(&self.out, progress)
    }
}
