//! `routes`: declared queries, which questions are routed to, models call as tools, and anybody by name.

use crate::failure::Failure;
use crate::models::{EmbedderFlags, Models};
use crate::output::{Reply, Table, things};
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::remote::{Access, Server};
use crate::statements::read_input;
use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use stratigraph::Database;
use stratigraph_rag::door::{DoorError, Equipment, Library, Open};
use stratigraph_rag::routes::{AUDIT_MAPPING, AUDIT_QUERIES, CallLimits, Called, Declared};

const EXAMPLE: &str = "\
A declared query is a statement that only reads, under a name, with parameters and words that say what it finds. `retrieve
--preset audit` routes a question to one of them; `tools` gives them to a model as definitions for function calling. Where
nothing is declared, there are some for each type of the tables that were ingested.

FILE is TOML or JSON, with one query or several. `audit` in its place is what is shipped for an audit of qualifications:
`routes print mapping` has the mapping of its tables, `routes print queries` the queries.

Examples:
  stratigraph routes list library
  stratigraph routes add library queries.toml
  stratigraph routes tools library > tools.json
  stratigraph routes call library findings_of_area --arguments '{\"area\": \"Spending\"}'
  stratigraph routes drop grpc://localhost/library findings_of_area

JSON: list: declared (false if nobody has declared them), queries [{name, description, statement, parameters, target,
examples}]; add: added [{name, replaced}]; drop: dropped; tools: tools; call: name, arguments, columns, rows, more, found
[{receipt, heading, text}], in_rows (of each row, places in found); print: text";

/// Arguments of `routes`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Routes {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Say which queries there are
    #[command(after_help = EXAMPLE)]
    List(Where),
    /// Declare queries, in the place of those that have their names
    #[command(after_help = EXAMPLE)]
    Add(Add),
    /// Drop a declared query
    #[command(after_help = EXAMPLE)]
    Drop(Named),
    /// Print the queries as definitions for function calling
    #[command(after_help = EXAMPLE)]
    Tools(Where),
    /// Call a query by its name
    #[command(after_help = EXAMPLE)]
    Call(Box<Call>),
    /// Print what is shipped for an audit of qualifications
    #[command(after_help = EXAMPLE)]
    Print(Print),
}

/// Where the database is, and whose vectors it has: no other model is asked but in a call.
#[derive(Debug, Args)]
struct Where {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// Which embedder.
    #[command(flatten)]
    embedder: EmbedderFlags,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
}

#[derive(Debug, Args)]
struct Add {
    #[command(flatten)]
    at: Where,
    /// A file with queries; `audit` for those that are shipped, `-` for standard input
    file: String,
}

#[derive(Debug, Args)]
struct Named {
    #[command(flatten)]
    at: Where,
    /// The name of the query
    name: String,
}

#[derive(Debug, Args)]
struct Call {
    /// The database's folder, or an address: grpc://host:port/database
    #[arg(value_name = "DIR|ADDRESS")]
    dir: PathBuf,
    /// Which models: a statement may ask them.
    #[command(flatten)]
    models: Models,
    /// What an address needs.
    #[command(flatten)]
    access: Access,
    /// The name of the query
    name: String,
    /// Its arguments, an object of JSON
    #[arg(long, value_name = "JSON", default_value = "{}")]
    arguments: String,
    /// How many rows are taken at most
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
}

#[derive(Debug, Args)]
struct Print {
    /// Which of it
    #[arg(value_parser = ["queries", "mapping"])]
    what: String,
}

/// Where it is done.
enum At {
    Folder(Box<Open>, Library),
    Server(Box<Server>),
}

impl Where {
    fn open(&self, read_only: bool, progress: &Progress) -> Result<At, Failure> {
        let cancel = &progress.interrupt().token();
        let (dir, said) = (&self.dir, self.embedder.said());
        match Server::if_address(dir, &self.access, said, read_only, cancel)? {
            Some(server) => Ok(At::Server(Box::new(server))),
            None => At::folder(dir, read_only, self.embedder.equipment()?),
        }
    }
}

impl At {
    fn folder(dir: &Path, read_only: bool, equipment: Equipment) -> Result<Self, Failure> {
        let db = match read_only {
            true => Database::builder().open_read_only(dir)?,
            false => Database::open(dir)?,
        };
        let library = Library::new(&db, equipment);
        // Statements of declared queries may call what a library registers.
        library.register()?;
        let open = library.open().map_err(refused)?;
        Ok(Self::Folder(Box::new(open), library))
    }

    fn offered(&self) -> Result<(Vec<Declared>, bool), Failure> {
        match self {
            Self::Folder(open, library) => {
                let declared = !library.declared().map_err(refused)?.is_empty();
                Ok((open.offered().map_err(refused)?, declared))
            }
            Self::Server(server) => server.declared(),
        }
    }
}

impl Routes {
    /// Does it.
    ///
    /// # Errors
    /// What cannot be read; what the engine or a server refuses.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        match &self.what {
            What::List(at) => list(at, progress),
            What::Add(add) => add.run(progress),
            What::Drop(named) => named.run(progress),
            What::Tools(at) => tools(at, progress),
            What::Call(call) => call.run(progress),
            What::Print(print) => Ok(print.run()),
        }
    }
}

fn list(at: &Where, progress: &Progress) -> Result<Reply, Failure> {
    let (all, declared) = at.open(true, progress)?.offered()?;
    let mut reply = Reply::new("routes");
    if !declared {
        reply.line(match all.is_empty() {
            true => "nothing is declared, and there are no tables",
            false => "nothing is declared; these are made up from the types of tables:",
        });
    }
    let mut table = Table::of_facts();
    for one in &all {
        let takes: Vec<String> = { one.parameters.iter() }
            .map(|parameter| match parameter.is_needed() {
                true => parameter.name.clone(),
                false => format!("[{}]", parameter.name),
            })
            .collect();
        let called = format!("{}({})", one.name, takes.join(", "));
        table.row([called, one.description.clone()]);
    }
    reply
        .table(&table)
        .field("declared", declared)
        .field("queries", serde_json::to_value(&all).unwrap_or_default());
    Ok(reply)
}

fn tools(at: &Where, progress: &Progress) -> Result<Reply, Failure> {
    let (all, _) = at.open(true, progress)?.offered()?;
    let tools: Json = all.iter().map(Declared::tool).collect();
    let mut reply = Reply::new("routes");
    // Texts of JSON are all that is in it.
    let text = serde_json::to_string_pretty(&tools).unwrap_or_default();
    reply.line(text).field("tools", tools);
    Ok(reply)
}

impl Add {
    fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let text = match self.file.as_str() {
            "audit" if !Path::new("audit").is_file() => AUDIT_QUERIES.to_owned(),
            "-" => read_input(None)?,
            file => read_input(Some(Path::new(file)))?,
        };
        let all = Declared::parse(&text).map_err(Failure::of_request)?;
        let replaced = match self.at.open(false, progress)? {
            At::Folder(open, _) => {
                let replaced = all.iter().map(|one| open.declare(one).map_err(refused));
                replaced.collect::<Result<Vec<_>, _>>()?
            }
            At::Server(server) => server.declare(&all)?,
        };
        let mut reply = Reply::new("routes");
        let mut added = Vec::new();
        for (one, replaced) in all.iter().zip(&replaced) {
            added.push(json!({"name": one.name, "replaced": replaced}));
            reply.line(match replaced {
                true => format!("{} is declared anew", one.name),
                false => format!("{} is declared", one.name),
            });
        }
        reply.field("added", added);
        Ok(reply)
    }
}

impl Named {
    fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let dropped = match self.at.open(false, progress)? {
            At::Folder(open, _) => open.undeclare(&self.name).map_err(refused)?,
            At::Server(server) => server.undeclare(&self.name)?,
        };
        let mut reply = Reply::new("routes");
        reply
            .line(match dropped {
                true => format!("{} is not declared any more", self.name),
                false => format!("{} was not declared", self.name),
            })
            .field("dropped", dropped);
        Ok(reply)
    }
}

impl Call {
    fn open(&self, progress: &Progress) -> Result<At, Failure> {
        let cancel = &progress.interrupt().token();
        let (dir, said) = (&self.dir, self.models.said());
        match Server::if_address(dir, &self.access, said, true, cancel)? {
            Some(server) => Ok(At::Server(Box::new(server))),
            None => At::folder(dir, true, self.models.equipment()?),
        }
    }

    fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let arguments: Json = serde_json::from_str(&self.arguments)
            .map_err(|error| Failure::Usage(format!("--arguments is no JSON: {error}")))?;
        let called = match self.open(progress)? {
            At::Folder(open, _) => {
                let limits = CallLimits {
                    rows: self.rows as usize,
                    ..CallLimits::default()
                };
                let cancel = progress.interrupt().token();
                let called = open.call(&self.name, &arguments, limits, &cancel);
                called.map_err(refused)?
            }
            At::Server(server) => server.call(&self.name, &arguments, self.rows)?,
        };
        let mut reply = Reply::new("routes");
        tell(&mut reply, &called);
        reply.fields(&called)?;
        Ok(reply)
    }
}

fn tell(reply: &mut Reply, called: &Called) {
    for (row, places) in called.rows.iter().zip(&called.in_rows) {
        for column in &called.columns {
            let value = row.get(column).unwrap_or(&Json::Null);
            // Nodes and paths are told below, with what they say.
            if !value.is_object() {
                reply.line(format!("{column}: {}", shown(value)));
            }
        }
        for at in places {
            let Some(found) = called.found.get(*at) else {
                continue;
            };
            let name = &found.receipt.name;
            reply.line(format!("{} {}", name.kind, name.key));
            for line in found.text.lines() {
                reply.line(format!("   {line}"));
            }
        }
        reply.line("");
    }
    reply.line(things(called.rows.len() as u64, "row"));
    if called.more {
        reply.line("and there are more: --rows says how many are taken");
    }
}

fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        value => value.to_string(),
    }
}

impl Print {
    fn run(&self) -> Reply {
        let text = match self.what.as_str() {
            "mapping" => AUDIT_MAPPING,
            _ => AUDIT_QUERIES,
        };
        let mut reply = Reply::new("routes");
        reply.line(text.trim_end()).field("text", text);
        reply
    }
}

fn refused(error: DoorError) -> Failure {
    RagError::from(error).into()
}

#[cfg(test)]
mod tests {
    use crate::arguments::Arguments;
    use clap::Parser;
    use clap::error::ErrorKind;

    #[test]
    fn only_a_call_may_ask_other_models_than_the_embedder() {
        let parsed = |words: &[&str], flags: &[&str]| {
            Arguments::try_parse_from([&["stratigraph", "routes"][..], words, flags].concat())
        };
        let others: [&[&str]; 3] = [
            &["--llm", "http://here/v1", "--model", "small"],
            &["--model-timeout", "1s"],
            &["--reranker", "bge"],
        ];
        for words in [
            &["list", "library"][..],
            &["add", "library", "queries.toml"],
            &["drop", "library", "books"],
            &["tools", "library"],
        ] {
            assert!(
                parsed(words, &["--embedder", "lexical"]).is_ok(),
                "{words:?}"
            );
            for flags in others {
                let refused = parsed(words, flags).unwrap_err();
                assert_eq!(refused.kind(), ErrorKind::UnknownArgument, "{refused}");
            }
        }
        for flags in others {
            let call = ["call", "library", "books"];
            assert!(parsed(&call, flags).is_ok(), "{flags:?}");
        }
    }
}
