//! `eval tags`: whether domains say what lies under them, and how far two builds are alike. No model is asked.

use crate::failure::Failure;
use crate::models::Models;
use crate::output::{Reply, Table, things};
use crate::progress::Progress;
use crate::rag_error::RagError;
use crate::verbs::questions::open_read_only;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use stratigraph::{Database, ReadTxn};
use stratigraph_rag::door::DoorError;
use stratigraph_rag::evaluate::{Mean, TagGraph, TagMeasures};

/// Arguments of `eval tags`.
#[derive(Debug, Args)]
#[command(after_help = "\
TagRAG's measures without a model, of a database of the profile `tag`. For each level of domains, the root being 0: the mean
cosine of what is said of each object and the summary of the domain that covers it, and of each summary and what is said of the
domains right under it. With --beside the share of objects, domains and chains that both builds have among those that any has.

Examples:
  stratigraph eval tags library --embedder minilm
  stratigraph eval tags library --beside library-of-yesterday

JSON: levels [{level, domains, objects {count, mean, low, high} or null, children {count, mean, low, high} or null}],
without_summary, without_description, beside {objects, domains, chains} or null")]
pub(super) struct Tags {
    /// The database's folder
    dir: PathBuf,
    /// Another build of the same documents
    #[arg(long, value_name = "DIR")]
    beside: Option<PathBuf>,
    /// Which models.
    #[command(flatten)]
    models: Models,
}

impl Tags {
    /// Measures.
    ///
    /// # Errors
    /// There are no domains; the embedder is another one; what the database says.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let open = open_read_only(&self.dir, self.models.equipment()?)?;
        let token = progress.interrupt().token();
        let read = open.layers().database().read()?.with_cancel(token.clone());
        let graph = graph(&self.dir, &read)?;
        let measures = TagMeasures::of(&read, open.embedder()).map_err(DoorError::from);
        let measures = measures.map_err(RagError::from)?;
        let beside = match &self.beside {
            Some(dir) => {
                let db = Database::builder().open_read_only(dir)?;
                let other = self::graph(dir, &db.read()?.with_cancel(token))?;
                Some(graph.jaccard(&other))
            }
            None => None,
        };
        let mut reply = Reply::new("eval");
        let mut table = Table::of_numbers([
            "level",
            "domains",
            "objects",
            "object to summary",
            "children",
            "child to summary",
        ]);
        let mut levels = Vec::new();
        for level in &measures.levels {
            let (objects, children) = (level.object_cosine(), level.child_cosine());
            table.row([
                level.level.to_string(),
                level.domains.to_string(),
                level.objects.len().to_string(),
                shown(objects.as_ref()),
                level.children.len().to_string(),
                shown(children.as_ref()),
            ]);
            levels.push(json!({
                "level": level.level,
                "domains": level.domains,
                "objects": told(objects.as_ref()),
                "children": told(children.as_ref()),
            }));
        }
        reply.table(&table);
        if measures.without_summary > 0 {
            reply.line(format!(
                "{} no summary: `stratigraph summarise {}` writes them",
                have(measures.without_summary, "domain"),
                self.dir.display()
            ));
        }
        if measures.without_description > 0 {
            let count = measures.without_description as u64;
            reply.line(format!(
                "of {} under domains nothing is said, and they do not count",
                things(count, "thing")
            ));
        }
        if let Some(beside) = &beside {
            reply.line("");
            let mut table = Table::of_numbers(["of both builds", "jaccard"]);
            for (what, share) in beside {
                let share = share.map_or_else(String::new, |share| format!("{share:.3}"));
                table.row([(*what).to_owned(), share]);
            }
            reply.table(&table);
        }
        reply
            .field("levels", levels)
            .field("without_summary", measures.without_summary)
            .field("without_description", measures.without_description)
            .field("beside", json!(beside));
        Ok(reply)
    }
}

fn graph(dir: &Path, read: &ReadTxn) -> Result<TagGraph, Failure> {
    let graph = TagGraph::of(read).map_err(DoorError::from);
    let graph = graph.map_err(RagError::from)?;
    match graph.domains.is_empty() {
        true => Err(Failure::of_request(format!(
            "{} has no domains, which `ingest --profile tag` makes",
            dir.display()
        ))),
        false => Ok(graph),
    }
}

fn have(count: usize, thing: &str) -> String {
    let verb = if count == 1 { "has" } else { "have" };
    format!("{} {verb}", things(count as u64, thing))
}

fn shown(mean: Option<&Mean>) -> String {
    mean.map_or_else(String::new, |mean| format!("{:.3}", mean.mean))
}

fn told(mean: Option<&Mean>) -> serde_json::Value {
    json!(mean.map(|mean| json!({
        "count": mean.count,
        "mean": mean.mean,
        "low": mean.interval.start(),
        "high": mean.interval.end(),
    })))
}
