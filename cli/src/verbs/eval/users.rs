//! `eval make --users`: questions of users about a corpus as a whole, as TagRAG makes them, with a model.

use super::keeping::{DRY, Keeping, cost_json, foreseen, unread, with_replies};
use crate::failure::Failure;
use crate::models::Addressed;
use crate::output::{Reply, Table, things};
use crate::progress::Progress;
use crate::rag_error::RagError;
use serde_json::json;
use std::fs;
use std::path::Path;
use stratigraph::Database;
use stratigraph_rag::answer::Paid;
use stratigraph_rag::door::DoorError;
use stratigraph_rag::evaluate::{Posing, UserSet, described};
use stratigraph_rag::extract::model::Users;
use stratigraph_rag::extract::{Cost, ExtractError, ReplyFile};

/// So many bytes of a description are read: a model is told what a corpus is, and not the corpus.
const LONGEST_ABOUT: u64 = 64 << 10;

/// What a corpus is known by.
pub(super) struct Corpus<'a> {
    /// Its database.
    pub(super) dir: Option<&'a Path>,
    /// A file that says what it is.
    pub(super) about: Option<&'a Path>,
}

impl Corpus<'_> {
    fn said(&self, progress: &Progress) -> Result<String, Failure> {
        let mut said = String::new();
        if let Some(file) = self.about {
            let wrong = |error: &dyn std::fmt::Display| {
                Failure::of_request(format!("{}: {error}", file.display()))
            };
            let bytes = fs::metadata(file).map_err(|error| wrong(&error))?.len();
            if bytes > LONGEST_ABOUT {
                let problem =
                    format!("has {bytes} bytes, and a description may have {LONGEST_ABOUT}");
                return Err(wrong(&problem));
            }
            said = fs::read_to_string(file).map_err(|error| wrong(&error))?;
        }
        if let Some(dir) = self.dir {
            let db = Database::builder().open_read_only(dir)?;
            let read = db.read()?.with_cancel(progress.interrupt().token());
            let graph = described(&read).map_err(DoorError::from);
            said.push_str("\n\n");
            said.push_str(&graph.map_err(RagError::from)?);
        }
        match said.trim().is_empty() {
            true => Err(Failure::of_request("nothing is said of the corpus")),
            false => Ok(said),
        }
    }
}

/// What a model is asked, and where its replies are kept.
pub(super) struct Asked<'a> {
    pub(super) posing: Posing,
    pub(super) corpus: &'a Corpus<'a>,
    pub(super) model: &'a Addressed,
    pub(super) keeping: &'a Keeping,
}

impl Asked<'_> {
    /// Has the model make questions, and writes them; or says what that would cost.
    ///
    /// # Errors
    /// What the model says; a description that cannot be read; the folder cannot be written to, or there are questions in it.
    pub(super) fn make(&self, out: &Path, progress: &Progress) -> Result<Reply, Failure> {
        let file = out.join("questions.jsonl");
        // Nobody's questions are written over, which is better said before others are paid for.
        if file.exists() {
            let problem = "there are questions already: take them away, or name another folder";
            return Err(Failure::of_request(format!(
                "{}: {problem}",
                file.display()
            )));
        }
        let said = self.corpus.said(progress)?;
        let replies = self.keeping.replies(true)?;
        let token = progress.interrupt().token();
        if self.keeping.is_dry() {
            let (name, kept) = (self.model.model.name(), self.model.kept(&replies));
            let users = Users::foreseen(name, kept, (self.posing.users, self.posing.tasks));
            let set = self.posing.run(&users, &said, &token);
            return Ok(foresee(set.map_err(RagError::from)?.cost, &replies));
        }
        let users = Users::new(self.model.calls(&replies));
        let set = self.posing.run(&users, &said, &token);
        let set = set.map_err(|error| {
            let may_go_on = !matches!(error, ExtractError::Setting { .. });
            let failure = Failure::from(RagError::from(error));
            match may_go_on {
                true => with_replies(failure, &replies),
                false => failure,
            }
        })?;
        if set.questions.is_empty() {
            return Err(Failure::of_request("the model has made no questions"));
        }
        set.write(out)
            .map_err(|error| Failure::of_request(format!("{}: {error}", out.display())))?;
        Ok(tell(&set, out, &replies))
    }
}

/// What is left to be asked.
fn foresee(cost: Cost, replies: &ReplyFile) -> Reply {
    let mut reply = Reply::new("eval");
    let mut facts = Table::of_facts();
    foreseen(&mut facts, "calls of the model", cost);
    reply.table(&facts);
    if let Some(note) = unread(replies) {
        reply.line(note);
    }
    reply.line(DRY).field("foreseen", cost_json(cost));
    reply
}

/// What came of it.
fn tell(set: &UserSet, out: &Path, replies: &ReplyFile) -> Reply {
    let mut reply = Reply::new("eval");
    let mut table = Table::of_numbers(["user", "task", "questions"]);
    let mut counted: Vec<(usize, usize, usize)> = Vec::new();
    for one in &set.questions {
        let task = (one.user_number, one.task_number);
        match counted.last_mut() {
            Some((user, number, count)) if (*user, *number) == task => *count += 1,
            _ => counted.push((task.0, task.1, 1)),
        }
    }
    for (user, task, count) in &counted {
        table.row([user, task, count].map(ToString::to_string));
    }
    reply.table(&table);
    if let Some((tasks, problem)) = &set.failed {
        reply.line(format!(
            "for {} the model gave nothing of use; the first time: {problem}",
            things(*tasks as u64, "task")
        ));
        reply.line(format!(
            "to ask for the rest alone, take questions.jsonl away and run the same command again: what came is kept in {}",
            replies.path().display()
        ));
    }
    if set.missing > 0 {
        reply.line(format!(
            "{} did not come, or had been asked before",
            things(set.missing as u64, "question")
        ));
        reply.incomplete();
    }
    if set.cost.kept > 0 {
        reply.line(format!(
            "replies that were there already: {}",
            set.cost.kept
        ));
    }
    if let Some(note) = unread(replies) {
        reply.line(note);
    }
    let paid = Paid::from(set.cost);
    reply.line(format!(
        "{} are in {}; the model read {} tokens and wrote {}",
        things(set.questions.len() as u64, "question"),
        out.display(),
        paid.input_tokens,
        paid.output_tokens
    ));
    reply
        .field("folder", out.display().to_string())
        .field("questions", json!(set.questions))
        .field("missing", set.missing)
        .field("cost", cost_json(set.cost));
    reply
}
