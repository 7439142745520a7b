//! Replies of models lie in the database that they are paid for.

use stratigraph::value::json::to_hex;

use crate::build::{Asked, KeptReply, Replies};
use crate::extract::{CacheError, CallCache, CallKey, Kept};

impl CallCache for Replies {
    fn get(&self, key: &CallKey) -> Result<Option<Kept>, CacheError> {
        let kept = Self::get(self, &asked(key, &to_hex(&key.content)))?;
        Ok(kept.map(|kept| Kept {
            reply: kept.text,
            usage: kept.usage,
        }))
    }

    fn put(&self, key: &CallKey, reply: &Kept) -> Result<(), CacheError> {
        let reply = KeptReply {
            text: reply.reply.clone(),
            usage: reply.usage,
        };
        let content = to_hex(&key.content);
        Ok(Self::put(self, &asked(key, &content), &reply)?)
    }
}

fn asked<'a>(key: &'a CallKey, content: &'a str) -> Asked<'a> {
    Asked {
        content,
        prompt: &key.prompt,
        model: &key.model,
    }
}
