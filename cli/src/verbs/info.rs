//! `info`: what a database is, what it holds and how large it is.

mod graph;

use crate::failure::Failure;
use crate::output::{Reply, SHOWN, Table, count, size, things};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use stratigraph::{Database, ReadTxn};
use stratigraph_rag::calibrate::calibrations;

const EXAMPLE: &str = "\
The database is opened read-only and not changed. Counts and sizes are read, and of the data only the thresholds that
`calibrate` has found; `check` counts anew. Of labels, types and declarations the first ten are shown, and all of them
with --json.

Example:
  stratigraph info /var/lib/library

JSON: path, database, format, version (of this program), commit, durable, files, file_bytes, memory_bytes,
families [{name, files, file_bytes}], nodes, relationships, labels [{name, nodes}],
types [{name, relationships}],
constraints [{name, label or type, properties, demand, readiness}],
indexes [{name, label or type, properties, entries, readiness, constraint if it proves one}],
hierarchies [{name, type, tree, members, depth (how many levels)}],
calibrations [{pipeline, embedder, threshold, refuse_at_most, questions, seed, auroc, false_refusals, true_refusals,
answerable, unanswerable, left_out, documents, as_of}]";

/// Arguments of `info`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Info {
    /// The database's folder
    dir: PathBuf,
}

impl Info {
    /// Opens read-only and reads the counters.
    ///
    /// # Errors
    /// What keeps the database from being opened, or its counts from being read.
    pub(super) fn run(&self) -> Result<Reply, Failure> {
        let db = Database::builder().open_read_only(&self.dir)?;
        let (info, read) = (db.info(), db.read()?);
        let store = &info.store;
        let mut facts = Table::of_facts();
        facts
            .fact("path", &self.dir.display())
            .fact("database", &info.id)
            .fact("format", &info.format)
            .fact("version", &env!("CARGO_PKG_VERSION"))
            .fact("commit", &count(info.commit.get()))
            .fact("durable", &count(info.durable.get()))
            .fact(
                "stored",
                &format!(
                    "{} in {}",
                    size(store.live_file_bytes),
                    things(store.live_files, "file")
                ),
            )
            // What the log holds beyond the files, and opening has replayed.
            .fact("in memory", &size(store.memtable_bytes));
        graph::add_facts(&mut facts, &read)?;
        let mut families = Table::of_numbers(["family", "files", "size"]);
        for family in &store.families {
            families.row([
                family.name.to_owned(),
                count(family.files),
                size(family.file_bytes),
            ]);
        }
        let as_json: Vec<Value> = store
            .families
            .iter()
            .map(|family| {
                json!({
                    "name": family.name,
                    "files": family.files,
                    "file_bytes": family.file_bytes,
                })
            })
            .collect();
        let mut reply = Reply::new("info");
        reply.table(&facts);
        graph::add(&mut reply, &read)?;
        add_calibrations(&mut reply, &read)?;
        reply
            .line("")
            .table(&families)
            .field("path", self.dir.display().to_string())
            .field("database", info.id.to_string())
            .field("format", info.format.get())
            .field("version", env!("CARGO_PKG_VERSION"))
            .field("commit", info.commit.get())
            .field("durable", info.durable.get())
            .field("files", store.live_files)
            .field("file_bytes", store.live_file_bytes)
            .field("memory_bytes", store.memtable_bytes)
            .field("families", as_json);
        Ok(reply)
    }
}

/// The thresholds that are kept, if there are any.
fn add_calibrations(reply: &mut Reply, read: &ReadTxn) -> Result<(), Failure> {
    let kept = calibrations(read)?;
    let mut table = Table::of_numbers(["answers from", "threshold", "auroc", "questions", "as of"]);
    for one in kept.iter().take(SHOWN) {
        table.row([
            format!("{} ({})", one.pipeline, one.embedder),
            format!("{:.3}", one.threshold),
            format!("{:.3}", one.auroc),
            count(one.questions as u64),
            count(one.as_of),
        ]);
    }
    reply.first_rows(&table, kept.len());
    // Numbers and names: there is nothing in it that JSON has not.
    reply.field(
        "calibrations",
        serde_json::to_value(&kept).unwrap_or_default(),
    );
    Ok(())
}
