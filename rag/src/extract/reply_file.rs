//! Replies of models in a file of JSON lines, for work that fills no database: who does it again asks only for what is missing.
//!
//! A row has `key`, `reply`, `input_tokens` and `output_tokens`, and for people `at`, `model` and `prompt`. The key is a hash of
//! all that the reply depends on: the messages and the schema, the prompt with its version, which also says how long a reply may
//! be, the model's name, and the address that it is at, since another model may have its name elsewhere. What does not fit its
//! schema is not kept ([`Calls`](super::Calls)), so it is asked for again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use stratigraph::value::json::to_hex;
use stratigraph_models::Usage;

use super::{CacheError, CallCache, CallKey, Kept};
use crate::growing::{self, Growing, GrowingError};

/// Replies of models in a file.
///
/// ```
/// use std::sync::Arc;
/// use stratigraph_rag::extract::{CallCache, CallKey, Kept, ReplyFile};
///
/// let folder = std::env::temp_dir().join(format!("replies-{}", std::process::id()));
/// let path = folder.join("replies.jsonl");
/// let key = CallKey { content: [7; 32], prompt: "alike/en/1".to_owned(), model: "small".to_owned() };
/// let reply = Kept { reply: r#"{"rating":"4"}"#.to_owned(), usage: Default::default() };
///
/// let replies = Arc::new(ReplyFile::open(&path)?);
/// replies.at("http://localhost:11434/v1").put(&key, &reply)?;
/// drop(replies);
///
/// let replies = Arc::new(ReplyFile::open(&path)?);
/// assert_eq!(replies.at("http://localhost:11434/v1").get(&key)?, Some(reply));
/// assert_eq!(replies.at("http://elsewhere:11434/v1").get(&key)?, None);
/// # drop(replies);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Debug)]
pub struct ReplyFile {
    path: PathBuf,
    unread: usize,
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    replies: HashMap<String, Kept>,
    /// Nothing if what comes is kept in memory alone.
    file: Option<Growing>,
}

impl ReplyFile {
    /// Opens a file for writing; it is made if it is not there.
    ///
    /// # Errors
    /// [`GrowingError`]: it cannot be read or written, or another process writes to it.
    pub fn open(path: &Path) -> Result<Self, GrowingError> {
        let (file, bytes) = Growing::open(path)?;
        Ok(Self::of(path, Some(file), &bytes))
    }

    /// The replies of a file, which need not be there and is not written to: what comes besides is kept in memory alone.
    ///
    /// # Errors
    /// [`GrowingError`]: it cannot be read.
    pub fn read(path: &Path) -> Result<Self, GrowingError> {
        Ok(Self::of(path, None, &growing::read(path)?))
    }

    fn of(path: &Path, file: Option<Growing>, bytes: &[u8]) -> Self {
        let (mut replies, mut unread) = (HashMap::new(), 0);
        for (_, row) in growing::rows(bytes) {
            match row.ok().as_ref().and_then(kept_in) {
                Some((key, kept)) => drop(replies.insert(key, kept)),
                None => unread += 1,
            }
        }
        Self {
            path: path.to_owned(),
            unread,
            held: Mutex::new(Held { replies, file }),
        }
    }

    /// The replies of models at this address.
    #[must_use]
    pub fn at(self: &Arc<Self>, address: &str) -> Arc<dyn CallCache> {
        Arc::new(RepliesAt {
            file: Arc::clone(self),
            address: address.trim_end_matches('/').to_owned(),
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many replies are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.held().replies.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of its lines were no replies, and passed over.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.unread
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The replies of models at an address.
struct RepliesAt {
    file: Arc<ReplyFile>,
    address: String,
}

impl RepliesAt {
    fn key(&self, key: &CallKey) -> String {
        let mut digest = Sha256::new();
        digest.update((self.address.len() as u64).to_be_bytes());
        digest.update(&self.address);
        digest.update(key.digest());
        to_hex(&digest.finalize()[..])
    }
}

impl CallCache for RepliesAt {
    fn get(&self, key: &CallKey) -> Result<Option<Kept>, CacheError> {
        Ok(self.file.held().replies.get(&self.key(key)).cloned())
    }

    fn put(&self, key: &CallKey, reply: &Kept) -> Result<(), CacheError> {
        let name = self.key(key);
        let said: Json = serde_json::from_str(&reply.reply)?;
        let row = json!({
            "key": name,
            "at": self.address,
            "model": key.model,
            "prompt": key.prompt,
            "reply": said,
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
        });
        let mut held = self.file.held();
        if let Some(file) = &mut held.file {
            file.add(&row)?;
        }
        held.replies.insert(name, reply.clone());
        Ok(())
    }
}

/// A reply with its key, if that is what the row is.
fn kept_in(row: &Json) -> Option<(String, Kept)> {
    let tokens = |name: &str| row[name].as_u64().unwrap_or_default();
    let kept = Kept {
        reply: row.get("reply")?.to_string(),
        usage: Usage {
            input_tokens: tokens("input_tokens"),
            output_tokens: tokens("output_tokens"),
        },
    };
    Some((row["key"].as_str()?.to_owned(), kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const HERE: &str = "http://here/v1";

    fn key(content: u8, prompt: &str, model: &str) -> CallKey {
        CallKey {
            content: [content; 32],
            prompt: prompt.to_owned(),
            model: model.to_owned(),
        }
    }

    fn reply(number: u64) -> Kept {
        Kept {
            reply: format!("{{\"number\":{number}}}"),
            usage: Usage {
                input_tokens: number,
                output_tokens: 2 * number,
            },
        }
    }

    #[test]
    fn a_reply_is_that_of_the_same_model_prompt_and_content_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let asked = key(1, "alike/en/1", "small");
        let replies = Arc::new(ReplyFile::open(&path).unwrap());
        assert!(replies.is_empty());
        replies.at(HERE).put(&asked, &reply(7)).unwrap();
        drop(replies);
        let replies = Arc::new(ReplyFile::open(&path).unwrap());
        // A slash at the end is the same address.
        let kept = replies.at("http://here/v1/").get(&asked).unwrap();
        assert_eq!((kept, replies.len()), (Some(reply(7)), 1));
        for (address, other) in [
            (HERE, key(2, "alike/en/1", "small")),
            (HERE, key(1, "alike/en/2", "small")),
            (HERE, key(1, "alike/en/1", "large")),
            ("http://there/v1", asked),
        ] {
            let kept = replies.at(address).get(&other).unwrap();
            assert_eq!(kept, None, "{address} {other:?}");
        }
    }

    #[test]
    fn what_is_no_reply_is_passed_over_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let replies = Arc::new(ReplyFile::open(&path).unwrap());
        replies.at(HERE).put(&key(1, "a", "b"), &reply(1)).unwrap();
        drop(replies);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(
            &path,
            format!("no JSON\n[]\n{{\"key\": \"x\"}}\n{whole}{{\"ke"),
        )
        .unwrap();
        let replies = ReplyFile::read(&path).unwrap();
        assert_eq!((replies.len(), replies.unread()), (1, 3));
    }

    #[test]
    fn who_only_reads_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("replies.jsonl");
        let replies = Arc::new(ReplyFile::read(&path).unwrap());
        let asked = key(1, "a", "b");
        replies.at(HERE).put(&asked, &reply(1)).unwrap();
        assert_eq!(replies.at(HERE).get(&asked).unwrap(), Some(reply(1)));
        assert!(!path.exists());
    }
}
