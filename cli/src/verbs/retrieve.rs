//! `retrieve`: what answers a question, with receipts, and how it was come to.

use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, Table};
use crate::progress::Progress;
use crate::remote::{Access, Address, Asked, Manner, Server};
use crate::statements::read_input;
use crate::verbs::IngestError;
use clap::Args;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::Datum;
use stratigraph_rag::door::{DoorError, Equipment, Library};
use stratigraph_rag::read::number;
use stratigraph_rag::retrieve::{Pipeline, Question, Receipt, Retrieved, Traced};

const EXAMPLE: &str = "\
Presets: direct (nothing), vector, graph, bag, tag, triples, hybrid, audit (by declared queries: see `routes`), and strata,
which is ours. --print shows how one is written; a file with one of your own is given in its place. Numbers of scores are of the scale that stands beside them.

A value of --only is read as `ingest` reads metadata: 2023 is a number, and 00123 and inf are texts; true and false are truths. In
quotes it is a text whatever it looks like, as {name:text} and paths with true in them give: --only 'k=\"2023\"'. Of several names
all have to be so.

Each thing that is found has a receipt: what it said, where, and how it was come to. `receipts` says later whether it
still stands.

Examples:
  stratigraph retrieve library 'What is basalt made of?'
  stratigraph retrieve library 'What did revenue do?' --preset bag --only year=2023 --trace
  stratigraph retrieve --print bag > mine.toml
  stratigraph retrieve library 'What is chalk?' --preset mine.toml --json > found.json
  stratigraph receipts library found.json
  stratigraph retrieve grpc://localhost/library 'What is chalk?' --preset hybrid

JSON: pipeline, question, found [{receipt {kind, key, hash, places [{document, version, chunk, span {start, end}, pages}],
score {value, scale}, way [{kind, key, by}], as_of, exact}, heading, text, packed}], untold, context, units, confidence
{value, cosine, coverage}, trace [{stage, operator, took, gave, cut, added, detail}]";

/// Arguments of `retrieve`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Retrieve {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(required_unless_present = "print", value_name = "DIR|ADDRESS")]
    dir: Option<PathBuf>,
    /// The question
    #[arg(required_unless_present = "print")]
    question: Option<String>,
    /// A preset, or a file with a pipeline
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: String,
    /// Only documents of which this metadata is so: NAME=VALUE; may be given again with another name
    #[arg(long, value_name = "NAME=VALUE")]
    only: Vec<String>,
    /// How many units of text are packed at most
    #[arg(long, value_name = "N", value_parser = above_zero)]
    budget: Option<usize>,
    /// How many of what is found are told at most
    #[arg(long, value_name = "N", value_parser = above_zero)]
    most: Option<usize>,
    /// Say what each stage took and gave
    #[arg(long)]
    trace: bool,
    /// Print how a preset is written, and do nothing else
    #[arg(long, value_name = "NAME")]
    print: Option<String>,
    /// Which models.
    #[command(flatten)]
    models: Models,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

/// Arguments of `receipts`.
#[derive(Debug, Args)]
#[command(after_help = "\
FILE is what `retrieve --json` or `ask --json` has printed, or a list of receipts. The exit code is 2 if any does not hold.

Example:
  stratigraph receipts library found.json

JSON: receipts [{kind, key, standing, holds}], standing how many of each: stands, moved, changed, gone")]
pub(crate) struct Receipts {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// What `retrieve --json` or `ask --json` has printed; standard input if not given or `-`
    file: Option<PathBuf>,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

impl Retrieve {
    /// Retrieves.
    ///
    /// # Errors
    /// A pipeline or question that cannot be; what the models or the engine refuse.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let mut reply = Reply::new("retrieve");
        if let Some(name) = &self.print {
            let text = Pipeline::preset_as_text(name).map_err(DoorError::from);
            let text = text.map_err(IngestError::from)?;
            reply.line(text.trim_end()).field("text", text);
            return Ok(reply);
        }
        let (Some(dir), Some(question)) = (&self.dir, &self.question) else {
            return Err(Failure::Usage(
                "a folder and a question are needed".to_owned(),
            ));
        };
        let mut pipeline = pipeline(&self.preset)?;
        pipeline.budget = self.budget.unwrap_or(pipeline.budget);
        pipeline.most = self.most.unwrap_or(pipeline.most);
        let asked = Asked {
            pipeline: &pipeline,
            question,
            only: only(&self.only)?,
        };
        let retrieved = match server(dir, &self.access, true, progress)? {
            Some(server) => {
                self.models.refuse_for_address(&dir.to_string_lossy())?;
                server.retrieve(&asked)?
            }
            None => self.ask_folder(dir, asked, &progress.interrupt().token())?,
        };
        tell(&mut reply, &retrieved, self.trace);
        Ok(reply)
    }

    fn ask_folder(
        &self,
        dir: &Path,
        asked: Asked<'_>,
        cancel: &CancelToken,
    ) -> Result<Retrieved, Failure> {
        let db = Database::builder().open_read_only(dir)?;
        let open = Library::new(&db, self.models.equipment()?).open();
        let open = open.map_err(IngestError::from)?;
        let question = question(asked.question, asked.only)?;
        let retrieved = open.retrieve(asked.pipeline, &question, cancel);
        Ok(retrieved.map_err(IngestError::from)?)
    }
}

/// What a question is limited to: NAME=VALUE, each name once, as a filter has one value.
pub(super) fn only(given: &[String]) -> Result<Vec<(String, Json)>, Failure> {
    let mut names = BTreeSet::new();
    let only = given.iter().map(|only| {
        let (name, value) = only.split_once('=').ok_or_else(|| {
            Failure::Usage(format!("--only is NAME=VALUE, and `{only}` has no `=`"))
        })?;
        if !names.insert(name) {
            return Err(Failure::Usage(format!(
                "--only {name} is given twice, and has one value: ask once for each"
            )));
        }
        Ok((name.to_owned(), literal(value)))
    });
    only.collect()
}

/// A count that is none if it is 0, as `CALL rag.retrieve` has it.
pub(super) fn above_zero(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().ok().filter(|count| *count > 0);
    count.ok_or_else(|| "it is a count above zero".to_owned())
}

/// A question, as it is put to a folder.
pub(super) fn question(text: &str, only: Vec<(String, Json)>) -> Result<Question, Failure> {
    let mut question = Question::new(text).map_err(of_request)?;
    for (name, value) in only {
        question = match value {
            Json::Bool(truth) => question.only(name, truth),
            Json::Number(number) => match number.as_i64() {
                Some(whole) => question.only(name, whole),
                None => question.only(name, number.as_f64()),
            },
            value => question.only(name, value.as_str()),
        };
    }
    Ok(question)
}

/// The server, if it is an address.
pub(super) fn server(
    dir: &Path,
    access: &Access,
    read_only: bool,
    progress: &Progress,
) -> Result<Option<Server>, Failure> {
    let text = dir.to_string_lossy();
    let Some(address) = Address::read(&text).transpose()? else {
        access.refuse_for_folder(&text)?;
        return Ok(None);
    };
    let manner = Manner {
        read_only,
        create: false,
    };
    let cancel = progress.interrupt().token();
    Server::open(&address, access, manner, &cancel).map(Some)
}

impl Receipts {
    /// Looks at receipts.
    ///
    /// # Errors
    /// What are no receipts; what the engine refuses.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let file = self.file.as_deref();
        let receipts = receipts(&read_input(file.filter(|file| file.as_os_str() != "-"))?)?;
        let standing = match server(&self.dir, &self.access, true, progress)? {
            Some(server) => server.verify(&receipts)?,
            None => {
                let db = Database::builder().open_read_only(&self.dir)?;
                let standing = Library::new(&db, Equipment::default())
                    .verify(&receipts, &progress.interrupt().token());
                standing.map_err(IngestError::from)?
            }
        };
        let mut reply = Reply::new("receipts");
        let mut table = Table::of_facts();
        let mut counts = serde_json::Map::new();
        let mut all = Vec::new();
        for (receipt, standing) in receipts.iter().zip(&standing) {
            table.row([
                standing.name().to_owned(),
                receipt.name.kind.clone(),
                receipt.name.key.clone(),
            ]);
            let count = counts.entry(standing.name()).or_insert_with(|| 0.into());
            *count = (count.as_u64().unwrap_or(0) + 1).into();
            all.push(serde_json::json!({
                "kind": receipt.name.kind,
                "key": receipt.name.key,
                "standing": standing.name(),
                "holds": standing.holds(),
            }));
        }
        reply
            .table(&table)
            .field("receipts", all)
            .field("standing", counts);
        if !standing.iter().all(|standing| standing.holds()) {
            reply.incomplete();
        }
        Ok(reply)
    }
}

/// The receipts of what `retrieve --json` or `ask --json` has printed, or of a list of them.
fn receipts(text: &str) -> Result<Vec<Receipt>, Failure> {
    let wrong = |problem: String| {
        of_request(format!(
            "no receipts: {problem}. What `retrieve --json` or `ask --json` has printed is expected, or a list of receipts"
        ))
    };
    let whole: Json = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let list = match whole {
        Json::Array(list) => list,
        Json::Object(mut printed) => {
            let lists = ["found", "sources"].map(|name| printed.remove(name));
            let found = lists.into_iter().find_map(|list| match list {
                Some(Json::Array(found)) => Some(found),
                _ => None,
            });
            let found = found.ok_or_else(|| {
                wrong("there is no list `found`, and no list `sources`".to_owned())
            })?;
            found.into_iter().map(receipt).collect()
        }
        _ => return Err(wrong("it is neither an object nor a list".to_owned())),
    };
    serde_json::from_value(Json::Array(list)).map_err(|error| wrong(error.to_string()))
}

/// The receipt of something that was found; null, which is none, if it has none.
fn receipt(mut found: Json) -> Json {
    let receipt = found.get_mut("receipt").map(Json::take);
    receipt.unwrap_or_default()
}

/// A preset by its name, or what a file has.
pub(super) fn pipeline(preset: &str) -> Result<Pipeline, Failure> {
    let text = match Path::new(preset).is_file() {
        true => std::fs::read_to_string(preset)
            .map_err(|error| of_request(format!("{preset}: {error}")))?,
        // What is written out as a pipeline has one of these, and a path none: it would be told that it is no TOML.
        false if !preset.contains(['\n', '{', '=']) => {
            return Pipeline::preset(preset).map_err(|error| match Path::new(preset).exists() {
                true => of_request(format!("{preset} is not a file")),
                false => of_request(format!("{error}; and there is no file of that name")),
            });
        }
        false => preset.to_owned(),
    };
    Pipeline::of(&text).map_err(of_request)
}

pub(super) fn of_request(error: impl Display) -> Failure {
    IngestError::Request(error.to_string()).into()
}

/// What metadata is compared with: a number where readers of documents take it for one, a truth, and a text in quotes
/// whatever is in them.
fn literal(text: &str) -> Json {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(quoted) = quoted('"').or_else(|| quoted('\'')) {
        return quoted.into();
    }
    match (text, number(text)) {
        ("true", _) => true.into(),
        ("false", _) => false.into(),
        (_, Some(Datum::Integer(whole))) => whole.into(),
        (_, Some(Datum::Float(number))) => number.into(),
        (text, _) => text.into(),
    }
}

/// So many lines of a text are shown; `--json` has all of it.
const MOST_LINES: usize = 6;
/// So much of what an operator says of itself is shown.
const MOST_SIGNS: usize = 200;

fn tell(reply: &mut Reply, retrieved: &Retrieved, with_trace: bool) {
    for (found, rank) in retrieved.found.iter().zip(1..) {
        let receipt = &found.receipt;
        let place = receipt.places.first();
        let place = place.map(|place| {
            format!(
                "  {} {}..{}",
                place.document, place.span.start, place.span.end
            )
        });
        let score = format!("{:.3} {}", receipt.score.value, receipt.score.scale.name());
        reply.line(format!(
            "{rank}. {}  {score}{}",
            receipt.name.kind,
            place.unwrap_or_default()
        ));
        if !found.heading.is_empty() {
            reply.line(format!("   {}", found.heading));
        }
        let lines = found.text.lines().filter(|line| !line.trim().is_empty());
        for line in lines.take(MOST_LINES) {
            reply.line(format!("   {line}"));
        }
    }
    let more = retrieved.untold;
    if more > 0 {
        reply.line(format!("and {more} more: --most says how many are told"));
    }
    if retrieved.found.is_empty() {
        reply.line(match retrieved.why_nothing() {
            Some(why) => format!("nothing was found: {why}"),
            None => "nothing was found".to_owned(),
        });
    }
    if with_trace {
        let confidence = retrieved.confidence;
        let part = |part: Option<f32>| part.map_or("none".to_owned(), |part| format!("{part:.3}"));
        reply.line("").line(format!(
            "confidence {:.3}: cosine {}, share of rare words {}",
            confidence.value,
            part(confidence.parts.cosine),
            part(confidence.parts.coverage)
        ));
        let mut table = Table::of_numbers(["stage", "operator", "took", "gave", "cut", "added"]);
        for stage in &retrieved.trace {
            table.row(row(stage));
        }
        reply.line("").table(&table);
        let details: Vec<String> = retrieved.trace.iter().flat_map(details).collect();
        if !details.is_empty() {
            reply.line("").line(details.join("\n"));
        }
    }
    // Made of names, numbers and texts: there is nothing in it that JSON has not.
    let whole = serde_json::to_value(retrieved).unwrap_or_default();
    for (name, value) in whole.as_object().into_iter().flatten() {
        reply.field(name, value.clone());
    }
}

/// What an operator says of itself: a line for each level of a descent, for each layer of communities, or for all of it.
fn details(stage: &Traced) -> Vec<String> {
    let all: &[Json] = match &stage.detail {
        Json::Null => &[],
        Json::Array(all) => all,
        whole => std::slice::from_ref(whole),
    };
    let line = |one: &Json| {
        let told = match one {
            Json::Object(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(name, value)| format!("{name} {value}"));
                fields.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        let told: String = told.chars().take(MOST_SIGNS).collect();
        format!("{}: {told}", stage.stage)
    };
    all.iter().map(line).collect()
}

fn row(stage: &Traced) -> [String; 6] {
    let numbers = [stage.took, stage.gave, stage.cut, stage.added].map(|number| number.to_string());
    let [took, gave, cut, added] = numbers;
    let operator = match stage.not_there {
        true => format!("{} (no such layer)", stage.operator),
        false => stage.operator.clone(),
    };
    [stage.stage.clone(), operator, took, gave, cut, added]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_what_readers_take_metadata_for() {
        let cases = [
            ("2023", json!(2023)),
            ("-0.5", json!(-0.5)),
            ("true", json!(true)),
            ("false", json!(false)),
            ("\"true\"", json!("true")),
            ("'2023'", json!("2023")),
            ("'it's'", json!("it's")),
            ("''", json!("")),
        ];
        for (text, value) in cases {
            assert_eq!(literal(text), value, "{text}");
        }
        let texts = [
            "00123", "inf", "nan", "1_000", "+5", "1e999", "True", "'tis", "\"", "", "a b",
        ];
        for text in texts {
            assert_eq!(literal(text), json!(text), "{text}");
        }
    }

    #[test]
    fn a_name_has_one_value() {
        let given = |all: &[&str]| only(&all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(given(&["a=1", "b=x=y"]).unwrap()[1].1, json!("x=y"));
        let twice = given(&["a=1", "b=2", "a=3"]).unwrap_err().told();
        assert!(twice.contains("--only a is given twice"), "{twice}");
        assert!(given(&["a"]).is_err());
    }

    #[test]
    fn a_file_that_is_not_there_is_no_pipeline() {
        for missing in ["./nosuch.toml", "nosuch", "a/b c.json"] {
            let told = pipeline(missing).unwrap_err().told();
            for part in [missing, "`strata`", "no file of that name"] {
                assert!(told.contains(part), "{told}");
            }
        }
        let folder = pipeline(env!("CARGO_MANIFEST_DIR")).unwrap_err().told();
        assert!(folder.contains("is not a file"), "{folder}");
        assert_eq!(pipeline("bag").unwrap().name, "bag");
        assert_eq!(pipeline("name = 'mine'").unwrap().name, "mine");
        assert_eq!(pipeline("{\"name\": \"mine\"}").unwrap().name, "mine");
    }
}
