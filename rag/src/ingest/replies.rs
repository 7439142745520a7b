//! Replies of models in the database that they are paid for.

use serde::{Deserialize, Serialize};
use stratigraph_models::Usage;

use crate::build::{self, Asked};
use crate::extract::{CacheError, CallCache, CallKey, Kept};

/// Keeps replies in a database, each in a transaction of its own.
#[derive(Clone, Debug)]
pub struct KeptReplies(build::CallCache);

/// A reply as it lies there.
#[derive(Serialize, Deserialize)]
struct Stored {
    reply: String,
    input_tokens: u64,
    output_tokens: u64,
}

impl KeptReplies {
    /// Those of a database.
    #[must_use]
    pub fn new(calls: build::CallCache) -> Self {
        Self(calls)
    }
}

impl CallCache for KeptReplies {
    fn get(&self, key: &CallKey) -> Result<Option<Kept>, CacheError> {
        let content = hexadecimal(&key.content);
        let Some(stored) = self.0.get(&asked(key, &content))? else {
            return Ok(None);
        };
        let stored: Stored = serde_json::from_str(&stored)?;
        Ok(Some(Kept {
            reply: stored.reply,
            usage: Usage {
                input_tokens: stored.input_tokens,
                output_tokens: stored.output_tokens,
            },
        }))
    }

    fn put(&self, key: &CallKey, reply: &Kept) -> Result<(), CacheError> {
        let stored = serde_json::to_string(&Stored {
            reply: reply.reply.clone(),
            input_tokens: reply.usage.input_tokens,
            output_tokens: reply.usage.output_tokens,
        })?;
        let content = hexadecimal(&key.content);
        Ok(self.0.put(&asked(key, &content), &stored)?)
    }
}

fn asked<'a>(key: &'a CallKey, content: &'a str) -> Asked<'a> {
    Asked {
        content,
        prompt: &key.prompt,
        model: &key.model,
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
