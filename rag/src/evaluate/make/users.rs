//! Questions about a corpus as a whole, as TagRAG makes them: a model thinks of users, of tasks that they have, and of what they
//! would ask. Nobody knows what is right: answers to them are compared, not looked up.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde_json::json;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{NodeId, Read};
use stratigraph_models::ModelError;

use super::write::lines;
use crate::build::{DOMAINS, Label};
use crate::extract::model::{UserQuestion, Users};
use crate::extract::{Cost, ExtractError};
use crate::retrieve::RetrieveError;

/// So many documents and domains are named where a graph is described.
const MOST_NAMED: usize = 60;
/// So many characters of a title, and of a summary.
const LONGEST_TITLE: usize = 120;
const LONGEST_SUMMARY: usize = 400;

/// How many users, tasks of each, and questions for each task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posing {
    /// So many people.
    pub users: usize,
    /// So many tasks of each.
    pub tasks: usize,
    /// So many questions for each task.
    pub questions: usize,
}

impl Default for Posing {
    /// TagRAG's 125.
    fn default() -> Self {
        Self {
            users: 5,
            tasks: 5,
            questions: 5,
        }
    }
}

/// Questions of users.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserSet {
    /// The questions, user by user and task by task.
    pub questions: Vec<UserQuestion>,
    /// How many were asked for, and how many of those did not come or had been asked before.
    pub missing: usize,
    /// For how many tasks the model gave nothing of use, and why for the first of them.
    pub failed: Option<(usize, String)>,
    /// What the model was paid.
    pub cost: Cost,
}

impl Posing {
    /// Has a model think of users and of their questions about a corpus of which this is said.
    ///
    /// # Errors
    /// See [`ExtractError`]: there are no users, the model cannot be asked at all, or it was cancelled. A task without
    /// questions is told.
    pub fn run(
        &self,
        users: &Users,
        corpus: &str,
        cancel: &CancelToken,
    ) -> Result<UserSet, ExtractError> {
        for (setting, number) in [
            ("the number of users", self.users),
            ("the number of tasks", self.tasks),
            ("the number of questions", self.questions),
        ] {
            if !(1..=Users::MOST).contains(&number) {
                let problem = "can be from 1 to 12";
                return Err(ExtractError::Setting { setting, problem });
            }
        }
        let (known, cost) = users.users(corpus, self.users, self.tasks)?;
        let mut set = UserSet {
            cost,
            ..UserSet::default()
        };
        let mut seen = BTreeSet::new();
        for (user_number, (user, tasks)) in (1..).zip(&known) {
            for (task_number, task) in (1..).zip(tasks) {
                if cancel.is_cancelled() {
                    return Err(ExtractError::Cancelled);
                }
                let asked = users.questions(corpus, (user, task), self.questions);
                let Some(questions) = set.taken(asked)? else {
                    continue;
                };
                let new = questions.into_iter();
                let new = new.filter(|question| seen.insert(question.to_lowercase()));
                set.questions.extend(new.map(|question| UserQuestion {
                    user_number,
                    user: user.clone(),
                    task_number,
                    task: task.clone(),
                    question,
                }));
            }
        }
        let wanted = self.users * self.tasks * self.questions;
        set.missing = wanted - set.questions.len();
        Ok(set)
    }
}

impl UserSet {
    /// The questions of a task; nothing if the model gives nothing of use, which is told.
    fn taken(
        &mut self,
        asked: Result<(Vec<String>, Cost), ExtractError>,
    ) -> Result<Option<Vec<String>>, ExtractError> {
        let error = match asked {
            Ok((questions, cost)) => {
                self.cost += cost;
                return Ok(Some(questions));
            }
            Err(error) => error,
        };
        let ExtractError::Model { source, .. } = &error else {
            return Err(error);
        };
        let problem = match &**source {
            ModelError::BadReply { problem, .. } => problem.clone(),
            // What came before it was paid for.
            spent @ ModelError::BudgetSpent { .. } => spent.to_string(),
            _ => return Err(error),
        };
        self.cost += error.cost();
        let failed = self.failed.get_or_insert((0, problem));
        failed.0 += 1;
        Ok(None)
    }

    /// Writes `questions.jsonl`, each with its user and task; nobody says what is right.
    ///
    /// # Errors
    /// The folder cannot be written to, or there are questions in it.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut numbers = std::collections::BTreeMap::new();
        let rows = self.questions.iter().map(|one| {
            let task = (one.user_number, one.task_number);
            let number: &mut usize = numbers.entry(task).or_default();
            *number += 1;
            json!({
                "id": format!("u{}-t{}-q{number}", task.0, task.1),
                "question": one.question,
                "user": one.user,
                "task": one.task,
                "kind": format!("user_{}", task.0),
            })
        });
        let text = lines(rows);
        let path = folder.join("questions.jsonl");
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)?;
        file.write_all(text.as_bytes())
    }
}

/// What can be said of a corpus from its graph: how many documents there are, what some of them are called, and its widest
/// domains with their summaries.
///
/// # Errors
/// What the database says.
pub fn described<R: Read>(read: &R) -> Result<String, RetrieveError> {
    let text_of = |node: NodeId, names: &[&str], most: usize| -> Result<String, RetrieveError> {
        for name in names {
            let value = read.property(node, name)?;
            if let Some(text) = value.as_str().filter(|text| !text.trim().is_empty()) {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                return Ok(words.chars().take(most).collect());
            }
        }
        Ok(String::new())
    };
    let documents = read.nodes_with_label(Label::Document.name())?;
    let mut said = format!("{}:\n", documents.len());
    // Spread over all, as those that came together are about the same.
    let step = (documents.len() as usize).div_ceil(MOST_NAMED).max(1);
    for id in documents.iter().step_by(step) {
        let title = text_of(NodeId::new(id), &["title", "id"], LONGEST_TITLE)?;
        let _ = writeln!(said, "- {title}");
    }
    if read.node_count(Some(Label::DomainTag.name()))? == 0 {
        return Ok(said);
    }
    let hierarchy = read.hierarchy(DOMAINS)?;
    let mut places = MOST_NAMED;
    for level in 0..hierarchy.depth()? {
        for id in hierarchy.members(level)?.iter().take(places) {
            let node = NodeId::new(id);
            let name = text_of(node, &["name", "key"], LONGEST_TITLE)?;
            let summary = text_of(node, &["summary"], LONGEST_SUMMARY)?;
            let _ = writeln!(said, "* {name}: {summary}");
            places -= 1;
        }
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Posed;
    use crate::extract::{Calls, MemoryCache};
    use std::sync::Arc;
    use stratigraph_models::Recorded;

    fn posed(posing: Posing, replies: &[&str]) -> Result<UserSet, ExtractError> {
        let model = Recorded::in_order(replies.iter().copied());
        let calls = Calls::new(Arc::new(model), Arc::new(MemoryCache::default()));
        posing.run(&Users::new(calls), "- Rocks of Etna", &CancelToken::new())
    }

    const TWO: Posing = Posing {
        users: 2,
        tasks: 1,
        questions: 2,
    };
    const USERS: &str = r#"{"users": [{"user": "A geologist", "tasks": ["to map lava", "to rest"]},
        {"user": "A mason", "tasks": ["to build"]}, {"user": "A third", "tasks": ["to look on"]}]}"#;

    #[test]
    fn users_have_tasks_and_tasks_have_questions() {
        let of = [
            r#"{"questions": ["How do flows differ?", "What is missing?", "What else?"]}"#,
            r#"{"questions": ["HOW do flows differ?", "Which rock lasts?"]}"#,
        ];
        let set = posed(TWO, &[USERS, of[0], of[1]]).unwrap();
        let asked: Vec<&str> = set
            .questions
            .iter()
            .map(|one| one.question.as_str())
            .collect();
        assert_eq!(
            asked,
            [
                "How do flows differ?",
                "What is missing?",
                "Which rock lasts?"
            ]
        );
        assert_eq!((set.missing, set.cost.calls, &set.failed), (1, 3, &None));
        let folder = tempfile::tempdir().unwrap();
        set.write(folder.path()).unwrap();
        let again = Posed::read(folder.path()).unwrap();
        let ids: Vec<(&str, &str)> = again
            .iter()
            .map(|one| (one.id.as_str(), one.kind.as_str()))
            .collect();
        assert_eq!(
            ids,
            [
                ("u1-t1-q1", "user_1"),
                ("u1-t1-q2", "user_1"),
                ("u2-t1-q1", "user_2")
            ]
        );
        assert!(!again[0].nothing && again[0].references.is_empty());
        assert!(set.write(folder.path()).is_err());
    }

    #[test]
    fn a_task_without_questions_is_told_and_a_model_that_is_gone_ends_it() {
        let good = r#"{"questions": ["Which rock lasts?"]}"#;
        let set = posed(TWO, &[USERS, "no", "no", "no", good]).unwrap();
        assert_eq!((set.questions.len(), set.missing), (1, 3));
        let (count, problem) = set.failed.unwrap();
        assert!(count == 1 && problem.contains("no JSON"), "{problem}");
        assert_eq!(set.cost.calls, 5);
        assert!(posed(TWO, &[USERS, good]).is_err());
        let vast = Posing { users: 13, ..TWO };
        assert!(
            posed(vast, &[])
                .unwrap_err()
                .to_string()
                .contains("from 1 to 12")
        );
    }
}
