//! `calibrate`: below which confidence questions are refused, found from the graph itself.

use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, Table};
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::remote::{Access, Server};
use crate::verbs::questions::pipeline;
use clap::Args;
use std::path::PathBuf;
use stratigraph::Database;
use stratigraph_rag::calibrate::{Calibrate as Wanted, Calibration, Quantiles};
use stratigraph_rag::door::Library;

const EXAMPLE: &str = "\
Questions are made of what the documents say, with words left out, and each is asked twice: as it is, and as if the document
that it was made of were not there. The threshold refuses at most --refuse-at-most of the first kind; AUROC says how well the
two are told apart (1 is always, a half is by chance). It is kept in the database, for this pipeline and the embedder of
the database, in the place of the one before, and `ask` goes by it. Calibrate again when the documents are others.

Examples:
  stratigraph calibrate library
  stratigraph calibrate library --preset hybrid --questions 500 --refuse-at-most 0.05
  stratigraph calibrate grpc://localhost/library --preset strata

JSON: pipeline, embedder, threshold, refuse_at_most, questions, seed, auroc, false_refusals, true_refusals, answerable {least,
p5, p25, p50, p75, p95, greatest}, unanswerable, left_out, documents, as_of";

/// What the shares of refusals are shares of.
const MADE: &str = "The questions are made of the documents; real ones, with words that the documents lack, are refused more often: a lower --refuse-at-most refuses fewer.";

/// Arguments of `calibrate`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Calibrate {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// A preset, or a file with a pipeline
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: String,
    /// How many questions are made at most
    #[arg(long, value_name = "N", default_value_t = Wanted::default().questions)]
    questions: usize,
    /// Which questions: the same number makes the same
    #[arg(long, value_name = "N", default_value_t = Wanted::default().seed)]
    seed: u64,
    /// The share of questions that can be answered that is refused at most
    #[arg(long, value_name = "SHARE", default_value_t = Wanted::default().refuse_at_most)]
    refuse_at_most: f64,
    /// Which models.
    #[command(flatten)]
    models: Models,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl Calibrate {
    /// Asks all questions, and keeps the threshold.
    ///
    /// # Errors
    /// A pipeline that cannot be; a graph that says too little; what the models or the engine refuse.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let pipeline = pipeline(&self.preset)?;
        let wanted = Wanted {
            questions: self.questions,
            seed: self.seed,
            refuse_at_most: self.refuse_at_most,
        };
        let bar = progress.bar(self.questions as u64);
        let mut told = |done: usize, of: usize| {
            bar.out_of(of as u64);
            bar.at(done as u64);
        };
        let cancel = &progress.interrupt().token();
        let (access, models) = (&self.access, self.models.said());
        let found = match Server::if_address(&self.dir, access, models, false, cancel)? {
            Some(server) => server.calibrate(&pipeline, &wanted, cancel, &mut told),
            None => {
                let db = Database::builder().open(&self.dir)?;
                let open = Library::new(&db, self.models.equipment()?).open();
                let open = open.map_err(RagError::from)?;
                let found = open.calibrate(&pipeline, &wanted, cancel, &mut told);
                found.map_err(|error| RagError::from(error).into())
            }
        };
        drop(bar);
        let mut reply = Reply::new("calibrate");
        let found = found?;
        tell(&mut reply, &found);
        reply.fields(&found)?;
        Ok(reply)
    }
}

fn tell(reply: &mut Reply, found: &Calibration) {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut facts = Table::of_facts();
    facts
        .fact("pipeline", &found.pipeline)
        .fact("embedder", &found.embedder)
        .fact("threshold", &format!("{:.3}", found.threshold))
        .fact("auroc", &format!("{:.3}", found.auroc))
        .fact(
            "refused that can be answered",
            &percent(found.false_refusals),
        )
        .fact("refused that cannot be", &percent(found.true_refusals))
        .fact(
            "questions",
            &format!(
                "{}, each with its {} and without",
                found.questions, found.left_out
            ),
        );
    let names = [
        "confidence",
        "least",
        "5 %",
        "25 %",
        "50 %",
        "75 %",
        "95 %",
        "greatest",
    ];
    let mut spread = Table::of_numbers(names);
    for (name, quantiles) in [
        ("can be answered", found.answerable),
        ("cannot be", found.unanswerable),
    ] {
        spread.row(row(name, quantiles));
    }
    reply.table(&facts).line("").table(&spread);
    reply.line("").line(MADE);
}

fn row(name: &str, of: Quantiles) -> [String; 8] {
    let shown = |number: f32| format!("{number:.3}");
    [
        name.to_owned(),
        shown(of.least),
        shown(of.p5),
        shown(of.p25),
        shown(of.p50),
        shown(of.p75),
        shown(of.p95),
        shown(of.greatest),
    ]
}
