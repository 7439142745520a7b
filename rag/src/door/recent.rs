//! What a model said of questions lately: the process keeps as much of it as there is room for, and no database does.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use crate::extract::{CacheError, CallCache, CallKey, Kept};

/// So many bytes of replies are kept.
const MOST_BYTES: usize = 8 << 20;
/// What a reply takes beside its text, about.
const BESIDE: usize = 256;

/// Keeps the last replies.
#[derive(Debug, Default)]
pub(super) struct RecentReplies(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    replies: BTreeMap<CallKey, Kept>,
    /// The first that came goes first.
    order: VecDeque<CallKey>,
    bytes: usize,
}

impl CallCache for RecentReplies {
    fn get(&self, key: &CallKey) -> Result<Option<Kept>, CacheError> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(held.replies.get(key).cloned())
    }

    fn put(&self, key: &CallKey, reply: &Kept) -> Result<(), CacheError> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = reply.reply.len() + BESIDE;
        if bytes > MOST_BYTES || held.replies.contains_key(key) {
            return Ok(());
        }
        held.bytes += bytes;
        held.order.push_back(key.clone());
        held.replies.insert(key.clone(), reply.clone());
        while held.bytes > MOST_BYTES {
            let Some(first) = held.order.pop_front() else {
                break;
            };
            if let Some(gone) = held.replies.remove(&first) {
                held.bytes -= gone.reply.len() + BESIDE;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph_models::Usage;

    #[test]
    fn the_last_ones_are_kept_and_no_more_than_there_is_room_for() {
        let recent = RecentReplies::default();
        let key = |number: u8| CallKey {
            content: [number; 32],
            prompt: "relevance/en/1".to_owned(),
            model: "tiny".to_owned(),
        };
        let reply = |length: usize| Kept {
            reply: "x".repeat(length),
            usage: Usage::default(),
        };
        for number in 0..20 {
            recent.put(&key(number), &reply(1 << 20)).unwrap();
        }
        let kept = |number: u8| recent.get(&key(number)).unwrap().is_some();
        assert!(kept(19) && kept(13) && !kept(12) && !kept(0));
        // One that is too large takes nobody's place.
        recent.put(&key(40), &reply(MOST_BYTES)).unwrap();
        assert!(!kept(40) && kept(19) && kept(13));
        assert!(recent.0.lock().unwrap().bytes <= MOST_BYTES);
    }
}
