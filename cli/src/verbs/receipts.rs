//! `receipts`: whether what receipts were given on still stands.

use crate::failure::Failure;
use crate::output::{Reply, Table};
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::remote::{Access, Server};
use crate::statements::read_input;
use clap::Args;
use serde_json::Value as Json;
use std::path::PathBuf;
use stratigraph::Database;
use stratigraph_rag::door::{Equipment, Library};
use stratigraph_rag::retrieve::Receipt;

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

impl Receipts {
    /// Looks at receipts.
    ///
    /// # Errors
    /// What are no receipts; what the engine refuses.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let file = self.file.as_deref();
        let receipts = receipts(&read_input(file.filter(|file| file.as_os_str() != "-"))?)?;
        let cancel = &progress.interrupt().token();
        let standing = match Server::if_address(&self.dir, &self.access, None, true, cancel)? {
            Some(server) => server.verify(&receipts)?,
            None => {
                let db = Database::builder().open_read_only(&self.dir)?;
                let library = Library::new(&db, Equipment::default());
                let standing = library.verify(&receipts, cancel);
                standing.map_err(RagError::from)?
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
        Failure::of_request(format!(
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
