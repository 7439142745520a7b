//! Calls of a model, of which none is made twice: replies are kept by hash of what was asked, version of the
//! prompt, and model.
//!
//! Only replies that passed their schema are kept, and they are held to it again when they are read: the
//! keeper may be a file that somebody else wrote. What a schema cannot say of a reply may be said by who asks.

use super::prompt::{Choice, Filling, Prompt};
use super::{Cost, Estimate, ExtractError};
use crate::chunk::Measure;
use crate::under_way::UnderWay;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stratigraph_models::{Generator, Request, Schema, Structured, Usage};

/// Why replies cannot be kept or read.
pub type CacheError = Box<dyn std::error::Error + Send + Sync>;

/// Keeps the replies of models.
pub trait CallCache: Send + Sync {
    /// The reply that is kept under this key.
    ///
    /// # Errors
    ///
    /// When what is kept cannot be read.
    fn get(&self, key: &CallKey) -> Result<Option<Kept>, CacheError>;

    /// Keeps a reply. When this returns, it has to survive the process: it was paid for.
    ///
    /// # Errors
    ///
    /// When it cannot be kept.
    fn put(&self, key: &CallKey, reply: &Kept) -> Result<(), CacheError>;
}

/// What a reply is kept under.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey {
    /// The hash of what was asked.
    pub content: [u8; 32],
    /// The prompt: its name, language and version.
    pub prompt: String,
    /// The model's name.
    pub model: String,
}

impl CallKey {
    /// All of it in 32 bytes, for stores whose keys are short.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut digest = Sha256::new();
        for part in [
            &self.content[..],
            self.prompt.as_bytes(),
            self.model.as_bytes(),
        ] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }
}

/// A reply that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// It, as JSON.
    pub reply: String,
    /// What it cost.
    pub usage: Usage,
}

/// Keeps replies in memory, as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryCache {
    kept: Mutex<BTreeMap<CallKey, Kept>>,
}

impl MemoryCache {
    /// How many replies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        lock(&self.kept).len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl CallCache for MemoryCache {
    fn get(&self, key: &CallKey) -> Result<Option<Kept>, CacheError> {
        Ok(lock(&self.kept).get(key).cloned())
    }

    fn put(&self, key: &CallKey, reply: &Kept) -> Result<(), CacheError> {
        lock(&self.kept).insert(key.clone(), reply.clone());
        Ok(())
    }
}

/// Asks a model, and keeps what it says.
#[derive(Clone)]
pub struct Calls {
    generator: Arc<dyn Generator>,
    cache: Arc<dyn CallCache>,
    structured: Structured,
    /// The calls that are being made: who wants the same waits, and finds the reply kept.
    under_way: Arc<UnderWay<CallKey>>,
}

/// A question, ready to be asked.
pub(super) struct Question {
    prompt: String,
    request: Request,
    key: CallKey,
}

/// A reply that is what its schema says.
pub(super) struct Answer {
    pub(super) value: Value,
    pub(super) cost: Cost,
}

impl Calls {
    /// Asks this model, and keeps its replies there.
    #[must_use]
    pub fn new(generator: Arc<dyn Generator>, cache: Arc<dyn CallCache>) -> Self {
        Self {
            generator,
            cache,
            structured: Structured::default(),
            under_way: Arc::new(UnderWay::new()),
        }
    }

    /// Asks for JSON in this way.
    #[must_use]
    pub fn structured(mut self, structured: Structured) -> Self {
        self.structured = structured;
        self
    }

    /// The name of the model.
    pub(super) fn model(&self) -> &str {
        self.generator.name()
    }

    /// The question of a prompt with its places filled.
    pub(super) fn question(
        &self,
        prompt: &Prompt,
        fillings: &[Filling],
        choices: &[Choice<'_>],
    ) -> Result<Question, ExtractError> {
        let request = prompt.request(fillings, choices)?;
        let mut digest = Sha256::new();
        let schema = request.schema.as_ref().map_or("", Schema::text);
        let messages = request.messages.iter().map(|message| message.text.as_str());
        for part in messages.chain([schema]) {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        let key = CallKey {
            content: digest.finalize().into(),
            prompt: prompt.id(),
            model: self.generator.name().to_owned(),
        };
        Ok(Question {
            prompt: prompt.id(),
            request,
            key,
        })
    }

    /// The reply: the one that is kept, else the model's. One that fits its schema may be of no use: it is given and not kept, as
    /// whoever asks again would have it forever. Nor is it taken where it was kept.
    pub(super) fn ask(
        &self,
        question: &Question,
        about: &str,
        is_of_use: &dyn Fn(&Value) -> bool,
    ) -> Result<Answer, ExtractError> {
        let _turn = self.under_way.enter(question.key.clone(), || false);
        if let Some(value) = self.kept(question)?.filter(is_of_use) {
            let cost = Cost {
                kept: 1,
                ..Cost::default()
            };
            return Ok(Answer { value, cost });
        }
        let answered = self.structured.ask(&*self.generator, &question.request);
        let answered = answered.map_err(|failed| ExtractError::Model {
            about: about.to_owned(),
            prompt: question.prompt.clone(),
            cost: Cost {
                calls: failed.tries as u64,
                usage: failed.usage,
                ..Cost::default()
            },
            source: Box::new(failed.error),
        })?;
        let cost = Cost {
            calls: answered.tries as u64,
            usage: answered.usage,
            ..Cost::default()
        };
        if is_of_use(&answered.value) {
            let kept = Kept {
                reply: answered.value.to_string(),
                usage: answered.usage,
            };
            let put = self.cache.put(&question.key, &kept);
            put.map_err(|source| ExtractError::Cache { cost, source })?;
        }
        Ok(Answer {
            value: answered.value,
            cost,
        })
    }

    /// The reply that is kept, if there is one and it is what it should be.
    pub(super) fn kept(&self, question: &Question) -> Result<Option<Value>, ExtractError> {
        let kept = self.cache.get(&question.key);
        let kept = kept.map_err(|source| ExtractError::Cache {
            cost: Cost::default(),
            source,
        })?;
        let value: Option<Value> = kept.and_then(|kept| serde_json::from_str(&kept.reply).ok());
        let schema = question.request.schema.as_ref();
        let fits = |value: &Value| schema.is_none_or(|schema| schema.check(value).is_ok());
        Ok(value.filter(fits))
    }

    /// What it would cost to ask this, with so many tokens of a reply.
    pub(super) fn estimate(
        &self,
        question: &Question,
        measure: &dyn Measure,
        reply: u64,
    ) -> Estimate {
        let texts = question
            .request
            .messages
            .iter()
            .map(|message| &*message.text);
        let schema = question.request.schema.as_ref().map_or("", Schema::text);
        let tokens = |text: &str| measure.ends(text).len() as u64;
        Estimate {
            calls: 1,
            kept: 0,
            input_tokens: texts.chain([schema]).map(tokens).sum(),
            output_tokens: reply.min(u64::from(question.request.max_tokens)),
        }
    }
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Calls")
            .field("model", &self.generator.name())
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::Language;
    use super::super::task::Task;
    use super::*;
    use std::collections::BTreeSet;
    use stratigraph_models::Recorded;

    fn calls(model: Recorded) -> (Calls, Arc<Recorded>, Arc<MemoryCache>) {
        let (model, cache) = (Arc::new(model), Arc::new(MemoryCache::default()));
        (
            Calls::new(Arc::clone(&model) as _, Arc::clone(&cache) as _),
            model,
            cache,
        )
    }

    /// Whatever fits its schema is of use.
    fn any(_: &Value) -> bool {
        true
    }

    fn question(calls: &Calls, text: &str) -> Question {
        let prompt = Task::Condense.prompt(Language::English);
        let fillings = [Filling::new("place", "x"), Filling::new("text", text)];
        calls.question(&prompt, &fillings, &[]).unwrap()
    }

    #[test]
    fn nothing_is_asked_twice() {
        let (calls, model, cache) = calls(Recorded::in_order(["{}", "{\"text\": \"Lava.\"}"]));
        let first = calls.ask(&question(&calls, "Basalt."), "x", &any).unwrap();
        // The first reply was none, which is paid for as well.
        assert_eq!((first.cost.calls, first.cost.kept), (2, 0));
        let again = calls.ask(&question(&calls, "Basalt."), "x", &any).unwrap();
        assert_eq!((again.cost.calls, again.cost.kept), (0, 1));
        assert_eq!(first.value, again.value);
        assert_eq!((model.asked().len(), cache.len()), (2, 1));
        assert!(calls.ask(&question(&calls, "Granite."), "x", &any).is_err());
    }

    /// What takes no replies.
    struct Full;

    impl CallCache for Full {
        fn get(&self, _: &CallKey) -> Result<Option<Kept>, CacheError> {
            Ok(None)
        }

        fn put(&self, _: &CallKey, _: &Kept) -> Result<(), CacheError> {
            Err("the disk is full".into())
        }
    }

    #[test]
    fn a_reply_that_cannot_be_kept_is_on_the_bill() {
        let model = Recorded::in_order(["{}", "{\"text\": \"Lava.\"}"]);
        let calls = Calls::new(Arc::new(model), Arc::new(Full));
        let asked = calls.ask(&question(&calls, "Basalt."), "x", &any);
        let cost = asked.err().map(|error| error.cost());
        assert_eq!(cost.map(|cost| cost.calls), Some(2));
    }

    #[test]
    fn what_is_kept_is_held_to_the_schema_too() {
        let (calls, _, cache) = calls(Recorded::in_order(["{\"text\": \"Lava.\"}"]));
        let question = question(&calls, "Basalt.");
        for reply in [
            "{\"text\": 3}",
            "{",
            "{\"text\": \"x\", \"query\": \"MATCH\"}",
        ] {
            let kept = Kept {
                reply: reply.to_owned(),
                usage: Usage::default(),
            };
            cache.put(&question.key, &kept).unwrap();
            assert!(calls.kept(&question).unwrap().is_none(), "{reply}");
        }
        assert_eq!(calls.ask(&question, "x", &any).unwrap().cost.calls, 1);
    }

    #[test]
    fn what_is_of_no_use_is_given_and_not_kept() {
        let (bad, good) = (r#"{"text": "-"}"#, r#"{"text": "Lava."}"#);
        let (calls, model, cache) = calls(Recorded::in_order([bad, good]));
        let question = question(&calls, "Basalt.");
        let is_of_use = |value: &Value| value["text"] != "-";
        let ask = || calls.ask(&question, "x", &is_of_use).unwrap();
        let first = ask();
        assert_eq!((first.cost.calls, &first.value["text"]), (1, &"-".into()));
        assert!(cache.is_empty());
        // Somebody who did not look has kept it.
        let kept = Kept {
            reply: bad.to_owned(),
            usage: Usage::default(),
        };
        cache.put(&question.key, &kept).unwrap();
        let second = ask();
        assert_eq!(second.value["text"], "Lava.");
        let third = ask();
        assert_eq!((third.cost.calls, third.cost.kept), (0, 1));
        assert_eq!((second.value, model.asked().len()), (third.value, 2));
    }

    #[test]
    fn those_who_ask_the_same_at_once_pay_once() {
        // It takes a while, so that without turns all of them would have asked before the first reply.
        let (calls, model, _) = calls(Recorded::by(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            Some("{\"text\": \"Lava.\"}".to_owned())
        }));
        let all_there = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let question = question(&calls, "Basalt.");
                    all_there.wait();
                    calls.ask(&question, "x", &any).unwrap();
                });
            }
        });
        assert_eq!(model.asked().len(), 1);
    }

    #[test]
    fn keys_tell_prompts_models_and_contents_apart() {
        let key = |content: u8, prompt: &str, model: &str| CallKey {
            content: [content; 32],
            prompt: prompt.to_owned(),
            model: model.to_owned(),
        };
        let keys = [
            key(0, "a", "b"),
            key(1, "a", "b"),
            key(0, "ab", ""),
            key(0, "a", "c"),
        ];
        let digests: BTreeSet<[u8; 32]> = keys.iter().map(CallKey::digest).collect();
        assert_eq!(digests.len(), keys.len());
    }
}
