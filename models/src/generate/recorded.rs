//! A generator of replies that are there already, for tests and for runs that must not cost anything.

use super::{Generator, Reply, Request, Usage};
use crate::error::ModelError;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

type Answer = dyn Fn(&Request) -> Option<String> + Send + Sync;

/// A generator of replies that are there already.
pub struct Recorded {
    name: String,
    replies: Mutex<VecDeque<String>>,
    answer: Option<Box<Answer>>,
    is_limited: bool,
    asked: Mutex<Vec<Request>>,
}

impl Recorded {
    /// Gives these replies one after the other, whatever it is asked.
    #[must_use]
    pub fn in_order<S: Into<String>>(replies: impl IntoIterator<Item = S>) -> Self {
        Self {
            name: "recorded".to_owned(),
            replies: Mutex::new(replies.into_iter().map(Into::into).collect()),
            answer: None,
            is_limited: false,
            asked: Mutex::default(),
        }
    }

    /// Gives what this function says to a request; nothing is a request without a reply.
    #[must_use]
    pub fn by(answer: impl Fn(&Request) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            answer: Some(Box::new(answer)),
            ..Self::in_order::<String>([])
        }
    }

    /// Cuts replies of more tokens than their request lets them have, as endpoints do.
    #[must_use]
    pub fn limited(mut self) -> Self {
        self.is_limited = true;
        self
    }

    /// What it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Generator for Recorded {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate(&self, request: &Request) -> Result<Reply, ModelError> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(request.clone());
        drop(asked);
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match &self.answer {
            Some(answer) => answer(request),
            None => replies.pop_front(),
        };
        let mut text = text.ok_or(ModelError::NothingRecorded)?;
        // No tokenizer here: about four letters make a token.
        let tokens = |length: usize| length.div_ceil(4) as u64;
        let is_cut = self.is_limited && tokens(text.len()) > u64::from(request.max_tokens);
        if is_cut {
            text.truncate(text.floor_char_boundary(4 * request.max_tokens as usize));
        }
        let usage = Usage {
            input_tokens: request
                .messages
                .iter()
                .map(|message| tokens(message.text.len()))
                .sum(),
            output_tokens: tokens(text.len()),
        };
        if is_cut {
            let model = self.name.clone();
            return Err(ModelError::Cut { model, text, usage });
        }
        Ok(Reply {
            text,
            calls: Vec::new(),
            usage,
        })
    }
}
