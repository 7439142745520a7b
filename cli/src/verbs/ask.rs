//! `ask`: an answer from the documents, with what bears it, or that they have none.

use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, count, money, printable, things};
use crate::progress::{Bar, Progress};
use crate::rag_error::RagError;
use crate::remote::{Access, Asked, Inquiry, Server};
use crate::verbs::questions::{
    above_zero, only, open_read_only, pipeline, question, shown, trusted,
};
use clap::Args;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::Usage;
use stratigraph_rag::answer::{Answer, Event};
use stratigraph_rag::door::Ask as OurAsk;
use stratigraph_rag::retrieve::Traced;

const EXAMPLE: &str = "\
Without a model the answer is the sentences of the documents that fit the question best. With one (--llm, --model) it
writes from what was retrieved, and each sentence is held against what it cites: one that is not borne out is marked with
(?), with the names and numbers that no source of it has. On a terminal the stages of the retrieval are shown on stderr as they
are done, and then the text while it is written.

What is trusted less than the threshold that `calibrate` has found is refused. The exit code is 2 if there is no answer, and
0 if there is one, whatever is marked in it.

Examples:
  stratigraph ask library 'Where does basalt come from?'
  stratigraph ask library 'What did revenue do?' --preset bag --only year=2023 --llm http://localhost:11434/v1 --model qwen3
  stratigraph ask grpc://localhost/library 'What is chalk?' --json

JSON: pipeline, question, answer [{text, sources [number], supported, score, lacks}], analysis, sources [{number, receipt,
heading, text}], refused {because, reason} or null, confidence {value, cosine, coverage}, threshold or null, model, prompt,
dropped, cost {calls, input_tokens, output_tokens} of the answer and of what the pipeline asks models for; with --model-prices,
or those of the server, price";

/// What is told in the place of a confidence that nothing could have, as of the preset `direct`.
const UNSEARCHED: &str =
    "nothing was looked up, as the pipeline has no stages: there is no confidence to tell";

/// Arguments of `ask`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Ask {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// The question
    question: String,
    /// A preset, or a file with a pipeline
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: String,
    /// Only documents of which this metadata is so: NAME=VALUE, read as `retrieve --help` says; may be given again with another name
    #[arg(long, value_name = "NAME=VALUE")]
    only: Vec<String>,
    /// How many units of text are packed at most
    #[arg(long, value_name = "N", value_parser = above_zero)]
    budget: Option<usize>,
    /// How many of what is found are read at most
    #[arg(long, value_name = "N", value_parser = above_zero)]
    most: Option<usize>,
    /// Miss nothing that is near, whatever the pipeline says: all vectors count, and the same is found every time
    #[arg(long)]
    exact: bool,
    /// Answer in sentences of the documents, also if there is a model
    #[arg(long)]
    verbatim: bool,
    /// Which models.
    #[command(flatten)]
    models: Models,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl Ask {
    /// Asks.
    ///
    /// # Errors
    /// A pipeline or question that cannot be; what the models or the engine refuse.
    pub(super) fn run(&self, quiet: bool, progress: &Progress) -> Result<Reply, Failure> {
        let mut pipeline = pipeline(&self.preset)?;
        pipeline.budget = self.budget.unwrap_or(pipeline.budget);
        pipeline.most = self.most.unwrap_or(pipeline.most);
        let asked = Asked {
            pipeline: &pipeline,
            question: &self.question,
            only: only(&self.only)?,
            exact: self.exact,
        };
        // Packing comes behind the stages.
        let bar = progress.stages(pipeline.stages.len() as u64 + 1);
        let mut heard = Heard::new(quiet, bar);
        let cancel = &progress.interrupt().token();
        let (access, models) = (&self.access, self.models.said());
        let answer = match Server::if_address(&self.dir, access, models, true, cancel)? {
            Some(server) => {
                let inquiry = Inquiry {
                    asked: &asked,
                    verbatim: self.verbatim,
                };
                server.ask(&inquiry, cancel, &mut |event| heard.hear(event))
            }
            None => self.ask_folder(&self.dir, asked, cancel, &mut heard),
        };
        heard.end();
        let (answer, price) = answer?;
        let mut reply = Reply::new("ask");
        let trust = match pipeline.stages.is_empty() {
            true => UNSEARCHED.to_owned(),
            false => trust(&answer),
        };
        tell(&mut reply, &answer, &trust, price);
        reply.fields(&answer)?;
        Ok(reply)
    }

    fn ask_folder(
        &self,
        dir: &Path,
        asked: Asked<'_>,
        cancel: &CancelToken,
        heard: &mut Heard,
    ) -> Result<(Answer, Option<f64>), Failure> {
        let open = open_read_only(dir, self.models.equipment()?)?;
        let pipeline = asked.pipeline;
        let question = question(asked)?;
        let ask = OurAsk::new(pipeline, &question).verbatim(self.verbatim);
        let answer = open.ask(&ask, cancel, &mut |event| heard.hear(event));
        let answer = answer.map_err(RagError::from)?;
        let usage = Usage {
            input_tokens: answer.cost.input_tokens,
            output_tokens: answer.cost.output_tokens,
        };
        let price = self.models.prices().map(|prices| prices.of(usage));
        Ok((answer, price))
    }
}

/// Shows on a terminal how far the retrieval is, and then what a model writes while it does.
struct Heard {
    is_shown: bool,
    attempt: usize,
    /// How many stages are done; packing counts as one.
    stages: u64,
    /// None once there is a text, which takes its place.
    bar: Option<Bar>,
}

impl Heard {
    fn new(quiet: bool, bar: Bar) -> Self {
        Self {
            is_shown: !quiet && io::stderr().is_terminal(),
            attempt: 0,
            stages: 0,
            bar: Some(bar),
        }
    }

    fn hear(&mut self, event: Event<'_>) {
        match event {
            Event::Stage(stage) => self.hear_of(stage),
            Event::Text { attempt, text } => self.hear_text(attempt, text),
            _ => {}
        }
    }

    fn hear_of(&mut self, stage: &Traced) {
        self.stages += 1;
        if let Some(bar) = &self.bar {
            let gave = count(stage.gave as u64);
            bar.beside(format!("{} gave {gave}", printable(&stage.stage)));
            bar.at(self.stages);
        }
    }

    fn hear_text(&mut self, attempt: usize, text: &str) {
        if !self.is_shown {
            return;
        }
        self.bar = None;
        let mut err = io::stderr().lock();
        // A terminal that has gone hears nothing, and the answer is not for it alone.
        if self.attempt != attempt && self.attempt > 0 {
            let _ = writeln!(err, " ... once more:");
        }
        let _ = write!(err, "{}", printable(text));
        let _ = err.flush();
        self.attempt = attempt;
    }

    fn end(&mut self) {
        self.bar = None;
        if self.attempt > 0 {
            let _ = writeln!(io::stderr(), "\n");
        }
    }
}

fn tell(reply: &mut Reply, answer: &Answer, trust: &str, price: Option<f64>) {
    if let Some(refused) = &answer.refused {
        reply.line(format!("no answer: {}", refused.reason));
        reply.incomplete();
    }
    for sentence in &answer.answer {
        let cited = sentence.sources.iter().map(|number| format!(" [{number}]"));
        let mark = match (sentence.supported, sentence.lacks.as_slice()) {
            (true, _) => String::new(),
            (false, []) => " (?)".to_owned(),
            (false, lacks) => format!(" (? not there: {})", lacks.join(", ")),
        };
        let cited: String = cited.collect();
        reply.line(format!("{}{cited}{mark}", sentence.text));
    }
    if !answer.analysis.is_empty() {
        reply.line("").line(&answer.analysis);
    }
    if !answer.sources.is_empty() {
        reply.line("");
    }
    for cited in &answer.sources {
        let receipt = &cited.receipt;
        let place = receipt.places.first().map_or_else(
            || format!("{} {}", receipt.name.kind, receipt.name.key),
            shown,
        );
        let heading = match cited.heading.as_str() {
            "" => String::new(),
            heading => format!("  {heading}"),
        };
        reply.line(format!("[{}] {place}{heading}", cited.number));
    }
    if !answer.dropped.is_empty() {
        let dropped: Vec<String> = answer.dropped.iter().map(i64::to_string).collect();
        reply.line(format!(
            "the model cites what it was not given: {}",
            dropped.join(", ")
        ));
    }
    reply.line("").line(trust);
    if answer.cost.calls > 0 {
        reply.line(bill(answer, price));
    }
    // Beside the answer, which is the same through every door.
    if let Some(price) = price {
        reply.field("price", price);
    }
}

/// What models were asked for it.
fn bill(answer: &Answer, price: Option<f64>) -> String {
    let cost = &answer.cost;
    let price = price.map_or_else(String::new, |price| format!(", cost {}", money(price)));
    format!(
        "{} of the model, {} tokens read, {} written{price}",
        things(cost.calls, "call"),
        count(cost.input_tokens),
        count(cost.output_tokens),
    )
}

fn trust(answer: &Answer) -> String {
    let value = answer.confidence.value;
    match answer.threshold {
        Some(threshold) => trusted(value, threshold),
        None => format!(
            "confidence {value:.3}; not calibrated, so nothing that was found is refused: see `stratigraph calibrate`"
        ),
    }
}
