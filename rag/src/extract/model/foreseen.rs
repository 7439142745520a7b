//! What asking would cost, without asking anybody. A model that stands in writes something of the form of a reply, and says that
//! it cost as much as one would about: the way through the prompts is then that of the run, and nothing else has to know of it.
//! Replies that are kept are taken, and cost nothing.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use stratigraph_models::{Generator, ModelError, Reply, Request, Schema, Usage};

use super::super::prompt::Filling;
use super::super::task::Task;
use super::super::{
    CacheError, CallCache, CallKey, Calls, Cost, ExtractError, Kept, Language, MemoryCache,
};
use super::{Answers, Judging, Users, Writing, reply_tokens};
use crate::chunk::{Measure, Words};

/// A statement of an answer has so many characters, about.
const STATEMENT: usize = 100;
/// A reply has so many statements at most, as its schema says.
const MOST_STATEMENTS: usize = 64;

impl Judging {
    /// A judge that is not asked: replies of this model that are kept there are its own, and of all others it says what they
    /// would cost about. A statement that a judge would find is taken to be borne out nowhere, so that all portions of a
    /// context are looked at.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stratigraph_rag::extract::MemoryCache;
    /// use stratigraph_rag::extract::model::Judging;
    ///
    /// let judge = Judging::foreseen("gemma3", Arc::new(MemoryCache::default()));
    /// let (_, cost) = judge.alike("What was basalt?", "Lava.", "It was lava.")?;
    /// assert_eq!((cost.calls, cost.kept), (1, 0));
    /// let (_, cost) = judge.alike("What was basalt?", "Lava.", "It was lava.")?;
    /// assert_eq!((cost.calls, cost.kept), (0, 1));
    /// # Ok::<(), stratigraph_rag::extract::ExtractError>(())
    /// ```
    #[must_use]
    pub fn foreseen(model: &str, kept: Arc<dyn CallCache>) -> Self {
        Self::new(calls(model, kept, (0, 0)))
    }
}

impl Users {
    /// The same of a model that thinks of so many users with so many tasks each.
    #[must_use]
    pub fn foreseen(model: &str, kept: Arc<dyn CallCache>, counts: (usize, usize)) -> Self {
        Self::new(calls(model, kept, counts))
    }
}

impl Answers {
    /// What it would cost about to have an answer to this question written so from these passages, or from what a model knows
    /// if there are none.
    ///
    /// # Errors
    /// See [`ExtractError`]: the prompt cannot be made.
    pub fn foreseen(
        question: &str,
        passages: &str,
        writing: Writing,
    ) -> Result<Cost, ExtractError> {
        let task = match passages.is_empty() {
            true => Task::Direct,
            false => Task::Answer,
        };
        let prompt = task.prompt(Language::of(question));
        let fillings = [
            Filling::new("question", question),
            Filling::new("passages", passages),
        ];
        let request = writing.of(prompt.request(&fillings, &[])?);
        Ok(Cost {
            calls: 1,
            usage: usage(task, &request),
            ..Cost::default()
        })
    }
}

fn calls(model: &str, kept: Arc<dyn CallCache>, counts: (usize, usize)) -> Calls {
    let model = StandIn {
        name: model.to_owned(),
        counts,
    };
    let made = MemoryCache::default();
    Calls::new(Arc::new(model), Arc::new(Beside { kept, made }))
}

/// What is kept, and beside it what nobody has said: that is never kept.
struct Beside {
    kept: Arc<dyn CallCache>,
    made: MemoryCache,
}

impl CallCache for Beside {
    fn get(&self, key: &CallKey) -> Result<Option<Kept>, CacheError> {
        match self.kept.get(key)? {
            Some(kept) => Ok(Some(kept)),
            None => self.made.get(key),
        }
    }

    fn put(&self, key: &CallKey, reply: &Kept) -> Result<(), CacheError> {
        self.made.put(key, reply)
    }
}

/// A model that nobody asks.
struct StandIn {
    name: String,
    /// So many users are thought of, with so many tasks each.
    counts: (usize, usize),
}

impl Generator for StandIn {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, request: &Request) -> Result<Reply, ModelError> {
        let nothing = ModelError::NothingRecorded;
        let Some(schema) = &request.schema else {
            return Err(nothing);
        };
        let Some(task) = Task::of_schema(schema.name()) else {
            return Err(nothing);
        };
        let reply = self.write(task, schema, asked(request)).ok_or(nothing)?;
        Ok(Reply {
            text: reply.to_string(),
            calls: Vec::new(),
            usage: usage(task, request),
        })
    }
}

impl StandIn {
    /// What fits the schema of a task; nothing for those that nobody stands in for. There each is named, so that a new one that
    /// judges is not forgotten here.
    fn write(&self, task: Task, schema: &Schema, asked: &str) -> Option<Json> {
        Some(match task {
            Task::Statements => json!({"statements": statements(asked)}),
            Task::BorneOut => json!({"supported": []}),
            Task::AskedBy => json!({"questions": [], "noncommittal": true}),
            Task::Alike => json!({"reason": "", "rating": "0"}),
            Task::Better => json!({"verdicts": verdicts(schema)}),
            Task::Users => json!({"users": self.users()}),
            Task::UserQuestions => json!({"questions": []}),
            // Whoever reads documents estimates for himself what it costs.
            Task::BagEntities
            | Task::BagRelations
            | Task::Triples
            | Task::Condense
            | Task::TypedTriples
            | Task::ObjectTags
            | Task::TagChain
            | Task::EntitySummary
            | Task::DomainSummary => return None,
            // An answer is foreseen above, and what the stages of a pipeline ask is not.
            Task::Relevance
            | Task::Answer
            | Task::Direct
            | Task::Wordings
            | Task::QuestionTriples => return None,
        })
    }

    fn users(&self) -> Vec<Json> {
        let (users, tasks) = self.counts;
        let users = (1..=users).map(|user| {
            let tasks = (1..=tasks).map(|task| format!("Task {task} of user {user}"));
            json!({"user": format!("User {user}"), "tasks": tasks.collect::<Vec<_>>()})
        });
        users.collect()
    }
}

/// What was asked, cut into statements: as many as the text may have, and others for each text.
fn statements(asked: &str) -> Vec<String> {
    let signs: Vec<char> = asked.chars().collect();
    let statements = (1..).zip(signs.chunks(STATEMENT)).take(MOST_STATEMENTS);
    statements
        .map(|(number, signs)| format!("{number} {}", signs.iter().collect::<String>()))
        .collect()
}

/// One for each criterion that the schema has.
fn verdicts(schema: &Schema) -> Vec<Json> {
    let names = "/properties/verdicts/items/properties/criterion/enum";
    let names = schema.json().pointer(names).and_then(Json::as_array);
    let names = names.into_iter().flatten();
    names
        .map(|name| json!({"criterion": name, "reason": "", "better": "equal"}))
        .collect()
}

/// The message that has the texts.
fn asked(request: &Request) -> &str {
    let last = request.messages.last();
    last.map_or("", |message| message.text.as_str())
}

/// What a request costs, about. Words stand in for the model's tokens, of which there are rather more.
fn usage(task: Task, request: &Request) -> Usage {
    let words = |text: &str| Words.ends(text).len() as u64;
    let texts = request.messages.iter();
    let texts = texts.map(|message| message.text.as_str());
    let schema = request.schema.as_ref().map_or("", Schema::text);
    let reply = reply_tokens(task, words(asked(request)));
    Usage {
        input_tokens: texts.chain([schema]).map(words).sum(),
        output_tokens: reply.min(u64::from(request.max_tokens)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::model::Criterion;

    fn judge() -> Judging {
        Judging::foreseen("recorded", Arc::new(MemoryCache::default()))
    }

    #[test]
    fn all_that_judges_are_asked_can_be_foreseen() {
        let judge = judge();
        let (statements, cost) = judge
            .statements("What was basalt?", &"Basalt was lava. ".repeat(30))
            .unwrap();
        assert!(cost.calls == 1 && cost.usage.input_tokens > 90, "{cost:?}");
        assert!((2..=32).contains(&statements.len()), "{statements:?}");
        // A context of three portions is looked at three times.
        let context = (0..2500).map(|number| format!("Basalt {number} was lava.\n"));
        let context: String = context.collect();
        let (_, cost) = judge.borne_out(&context, &statements).unwrap();
        assert_eq!(cost.calls, 3);
        let (asked, cost) = judge.asked_by("Basalt was lava.", 3).unwrap();
        assert!(asked.noncommittal && cost.calls == 1);
        let criteria = Criterion::usual();
        let (verdicts, cost) = judge.better(&criteria, "What?", ("a", "b")).unwrap();
        assert_eq!((verdicts.len(), cost.calls), (criteria.len(), 1));
        assert!(cost.usage.output_tokens > 0);
    }

    #[test]
    fn what_is_kept_costs_nothing_and_nothing_is_kept_besides() {
        let kept = Arc::new(MemoryCache::default());
        let model = stratigraph_models::Recorded::in_order([r#"{"reason": "So.", "rating": "4"}"#]);
        let real = Judging::new(Calls::new(Arc::new(model), Arc::clone(&kept) as _));
        real.alike("What?", "a", "b").unwrap();
        let judge = Judging::foreseen("recorded", Arc::clone(&kept) as _);
        let (alike, cost) = judge.alike("What?", "a", "b").unwrap();
        assert_eq!((alike.rating, cost.calls, cost.kept), (4, 0, 1));
        let (_, cost) = judge.alike("What?", "b", "a").unwrap();
        assert_eq!((cost.calls, kept.len()), (1, 1));
        // Another model has said nothing yet.
        let other = Judging::foreseen("other", Arc::clone(&kept) as _);
        assert_eq!(other.alike("What?", "a", "b").unwrap().1.calls, 1);
    }

    #[test]
    fn users_are_as_many_as_are_asked_for() {
        let users = Users::foreseen("recorded", Arc::new(MemoryCache::default()), (3, 2));
        let (known, cost) = users.users("Rocks of Etna", 3, 2).unwrap();
        let tasks: Vec<usize> = known.iter().map(|(_, tasks)| tasks.len()).collect();
        assert_eq!((tasks, cost.calls), (vec![2, 2, 2], 1));
    }

    #[test]
    fn an_answer_costs_what_it_reads_and_writes() {
        let foreseen = |passages: &str, writing: Writing| {
            Answers::foreseen("What was basalt?", passages, writing).unwrap()
        };
        let usual = Writing::default();
        let direct = foreseen("", usual);
        let from = foreseen(&"word ".repeat(2000), usual);
        assert_eq!((direct.calls, from.calls), (1, 1));
        assert!(from.usage.input_tokens > direct.usage.input_tokens + 1900);
        assert!(direct.usage.output_tokens > 3);
        let short = Writing {
            most_tokens: Some(3),
            ..usual
        };
        assert_eq!(foreseen("", short).usage.output_tokens, 3);
    }
}
