//! Who would work with a corpus, for which tasks, and what they would ask: TagRAG's way to questions about a corpus as a
//! whole.

use serde::{Deserialize, Serialize};

use super::super::prompt::Filling;
use super::super::reply::{Ground, clean_long_text};
use super::super::task::Task;
use super::super::{Calls, Cost, ExtractError};
use super::Asking;

/// The most characters of a user, a task and a question.
const LONGEST: usize = 600;

/// Asks a model who would ask what.
#[derive(Clone, Debug)]
pub struct Users {
    calls: Calls,
}

/// A question of somebody for a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserQuestion {
    /// Which user, from 1.
    pub user_number: usize,
    /// Who asks.
    pub user: String,
    /// Which task, from 1.
    pub task_number: usize,
    /// For which task.
    pub task: String,
    /// It.
    pub question: String,
}

/// A user, and the tasks that he has.
pub type UserWithTasks = (String, Vec<String>);

#[derive(Deserialize)]
struct UsersReply {
    users: Vec<UserReply>,
}

#[derive(Deserialize)]
struct UserReply {
    user: String,
    tasks: Vec<String>,
}

#[derive(Deserialize)]
struct QuestionsReply {
    questions: Vec<String>,
}

impl Users {
    /// So many users, tasks and questions are asked for at most: the schemas of the replies have no more.
    pub const MOST: usize = 12;

    /// Asks in this way.
    #[must_use]
    pub fn new(calls: Calls) -> Self {
        Self { calls }
    }

    /// The name of the model.
    #[must_use]
    pub fn model(&self) -> &str {
        self.calls.model()
    }

    /// Up to `users` who would work with a corpus of which this is said, each with up to `tasks`, and what it cost.
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn users(
        &self,
        corpus: &str,
        users: usize,
        tasks: usize,
    ) -> Result<(Vec<UserWithTasks>, Cost), ExtractError> {
        let about = "who would work with a corpus";
        let mut asking = Asking::new(&self.calls, about.to_owned(), corpus, None);
        let (count, of_each) = ([users.to_string()], [tasks.to_string()]);
        let choices = [("users", &count[..]), ("tasks", &of_each[..])];
        let fillings = [Filling::new("corpus", corpus)];
        let reply = asking.ask::<UsersReply>(Task::Users, &fillings, &choices)?;
        let ground = Ground::of([corpus]);
        let written = reply.map(|reply| reply.users).unwrap_or_default();
        let known = written.iter().map(|one| {
            let listed = told(&one.tasks, &ground, tasks);
            (clean(&one.user, &ground), listed)
        });
        let mut known: Vec<UserWithTasks> = known
            .filter(|(user, tasks)| says(user) && !tasks.is_empty())
            .collect();
        known.truncate(users);
        Ok((known, asking.cost))
    }

    /// Up to `count` questions that this user asks for this task, and what it cost.
    ///
    /// # Errors
    /// See [`ExtractError`].
    pub fn questions(
        &self,
        corpus: &str,
        (user, task): (&str, &str),
        count: usize,
    ) -> Result<(Vec<String>, Cost), ExtractError> {
        let about = "what somebody would ask of a corpus";
        let mut asking = Asking::new(&self.calls, about.to_owned(), corpus, None);
        let number = [count.to_string()];
        let fillings = [
            Filling::new("corpus", corpus),
            Filling::new("user", user),
            Filling::new("task", task),
        ];
        let choices = [("count", &number[..])];
        let reply = asking.ask::<QuestionsReply>(Task::UserQuestions, &fillings, &choices)?;
        let written = reply.map(|reply| reply.questions).unwrap_or_default();
        Ok((told(&written, &Ground::of([corpus]), count), asking.cost))
    }
}

fn clean(text: &str, ground: &Ground) -> String {
    clean_long_text(text, ground, LONGEST)
}

fn says(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// The first so many of some texts that say something.
fn told(texts: &[String], ground: &Ground, most: usize) -> Vec<String> {
    let texts = texts.iter().map(|text| clean(text, ground));
    texts.filter(|text| says(text)).take(most).collect()
}
