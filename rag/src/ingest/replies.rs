//! Replies of models lie in the database that they are paid for.

use stratigraph::ErrorKind;
use stratigraph::value::json::to_hex;

use crate::build::{Asked, KeptReply, Replies};
use crate::extract::{CacheError, CallCache, CallKey, ExtractError, Kept};

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

/// Why the database takes or gives no replies any more, if that is what is wrong. Whoever is asked from then on would be paid for
/// a reply that is lost.
pub(crate) fn of_database(error: ExtractError) -> Result<stratigraph::Error, ExtractError> {
    match error {
        ExtractError::Cache { cost, source } => match source.downcast::<stratigraph::Error>() {
            Ok(error) if error.kind() != ErrorKind::Request => Ok(*error),
            Ok(error) => Err(ExtractError::Cache {
                cost,
                source: error,
            }),
            Err(source) => Err(ExtractError::Cache { cost, source }),
        },
        error => Err(error),
    }
}

fn asked<'a>(key: &'a CallKey, content: &'a str) -> Asked<'a> {
    Asked {
        content,
        prompt: &key.prompt,
        model: &key.model,
    }
}
