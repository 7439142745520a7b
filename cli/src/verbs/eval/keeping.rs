//! Where what models were paid for is kept as it comes, so that the same command goes on from there; and whether anybody is
//! asked at all.

use crate::failure::Failure;
use crate::output::{Table, count, things};
use clap::Args;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stratigraph_rag::extract::{Cost, ReplyFile};

/// Where it is kept, and whether anything is paid.
#[derive(Debug, Args)]
pub(super) struct Keeping {
    /// A folder where replies of models are kept as they come, and answers without --keep: the same command goes on from there
    #[arg(long, value_name = "DIR", default_value = "eval-work")]
    work: PathBuf,
    /// Say how many calls it would take, and ask nobody
    #[arg(long)]
    dry_run: bool,
}

impl Keeping {
    /// In this folder.
    pub(super) fn new(work: &Path, dry_run: bool) -> Self {
        Self {
            work: work.to_owned(),
            dry_run,
        }
    }

    /// Whether nobody is asked, and nothing is written.
    pub(super) fn is_dry(&self) -> bool {
        self.dry_run
    }

    /// Where answers are kept that nobody has named a folder for.
    pub(super) fn answers(&self) -> PathBuf {
        self.work.join("answers")
    }

    /// The replies that are kept. They are only read in a dry run, and where nobody is asked.
    ///
    /// # Errors
    /// The file cannot be read or written, or another process writes to it.
    pub(super) fn replies(&self, is_asked: bool) -> Result<Arc<ReplyFile>, Failure> {
        let file = self.work.join("replies.jsonl");
        let replies = match is_asked && !self.dry_run {
            true => ReplyFile::open(&file),
            false => ReplyFile::read(&file),
        };
        Ok(Arc::new(replies.map_err(Failure::of_request)?))
    }
}

/// That lines of a file of replies are none, if that is so.
pub(super) fn unread(replies: &ReplyFile) -> Option<String> {
    let unread = replies.unread() as u64;
    (unread > 0).then(|| {
        let lines = things(unread, "line");
        let path = replies.path().display();
        format!("{path}: {lines} passed over, as there is no reply in it that could be read")
    })
}

/// The failure of a run, with the replies that are kept.
pub(super) fn with_replies(failure: Failure, replies: &ReplyFile) -> Failure {
    failure.with_kept(replies.len(), ["reply", "replies"], replies.path())
}

/// Rows of what calls would cost, under what they are called.
pub(super) fn foreseen(facts: &mut Table, calls: &str, cost: Cost) {
    facts.fact(calls, &count(cost.calls));
    if cost.kept > 0 {
        facts.fact("replies that need no call", &count(cost.kept));
    }
    facts
        .fact("tokens read, about", &count(cost.usage.input_tokens))
        .fact("tokens written, about", &count(cost.usage.output_tokens));
}

/// What calls cost, for programs.
pub(super) fn cost_json(cost: Cost) -> Json {
    json!({
        "calls": cost.calls,
        "kept": cost.kept,
        "input_tokens": cost.usage.input_tokens,
        "output_tokens": cost.usage.output_tokens,
    })
}

/// What is said at the end of a dry run.
pub(super) const DRY: &str = "nobody was asked, and nothing was written: this was a dry run";
