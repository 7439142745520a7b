//! Models that write, by OpenAI's `chat/completions`.

use super::http::{Http, usage};
use super::stream::{Piece, Pieces};
use crate::error::ModelError;
use crate::generate::{Call, Generator, Heard, Message, Reply, Request, Role, Usage};
use serde_json::{Value, json};
use std::sync::Arc;

const PATH: &str = "/chat/completions";

/// A model behind an address that writes.
#[derive(Clone, Debug)]
pub struct ChatModel {
    http: Arc<Http>,
    model: String,
    schemas: SchemaMode,
}

/// How an endpoint is told what JSON is wanted. Whatever it does with that, the reply is checked here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaMode {
    /// With the schema, which most endpoints keep to.
    #[default]
    Schema,
    /// Only that it must be JSON; the schema stands in the instructions.
    Json,
    /// In the instructions alone.
    Words,
}

impl ChatModel {
    pub(super) fn new(http: Arc<Http>, model: &str) -> Self {
        Self {
            http,
            model: model.to_owned(),
            schemas: SchemaMode::default(),
        }
    }

    /// How this endpoint is told what JSON is wanted.
    #[must_use]
    pub fn schemas(mut self, mode: SchemaMode) -> Self {
        self.schemas = mode;
        self
    }

    fn body(&self, request: &Request) -> Value {
        let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
        let mut body = json!({
            "model": self.model,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        });
        if let Some(schema) = &request.schema {
            let in_words = format!(
                "Reply with JSON alone, which this JSON Schema describes:\n{}",
                schema.json()
            );
            if self.schemas != SchemaMode::Schema {
                messages.insert(0, json!({"role": "system", "content": in_words}));
            }
            match self.schemas {
                SchemaMode::Schema => {
                    let schema =
                        json!({"name": schema.name(), "schema": schema.json(), "strict": true});
                    body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
                }
                SchemaMode::Json => body["response_format"] = json!({"type": "json_object"}),
                SchemaMode::Words => {}
            }
        }
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| {
                json!({"type": "function", "function": {
                    "name": tool.name, "description": tool.description, "parameters": tool.arguments.json()
                }})
            });
            body["tools"] = tools.collect();
        }
        body["messages"] = Value::Array(messages);
        body
    }

    fn read(&self, reply: &Value) -> Result<Reply, ModelError> {
        let problem = |problem: &str| self.http.failed(None, problem.to_owned(), None);
        let message = reply
            .pointer("/choices/0/message")
            .ok_or_else(|| problem("gave a reply without a choice"))?;
        let calls = message
            .get("tool_calls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let calls = calls.map(|call| {
            let part = |name: &str| {
                call.pointer(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            Call {
                name: part("/function/name"),
                arguments: part("/function/arguments"),
            }
        });
        let read = Reply {
            text: message
                .get("content")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            calls: calls.collect(),
            usage: usage(reply),
        };
        let reason = reply.pointer("/choices/0/finish_reason");
        if reason.is_some_and(|reason| reason == "length") {
            return Err(self.cut(&read));
        }
        Ok(read)
    }

    /// This is not all of the reply, and was paid for.
    fn cut(&self, reply: &Reply) -> ModelError {
        ModelError::Cut {
            model: self.model.clone(),
            text: self.http.without_key(reply.text.clone()),
            usage: reply.usage,
        }
    }
}

impl Generator for ChatModel {
    fn name(&self) -> &str {
        &self.model
    }

    fn generate(&self, request: &Request) -> Result<Reply, ModelError> {
        let reply = self.http.call(PATH, &self.body(request))?;
        self.read(&reply)
    }

    fn stream(&self, request: &Request, each: &mut Heard<'_>) -> Result<Reply, ModelError> {
        let mut body = self.body(request);
        body["stream"] = true.into();
        body["stream_options"] = json!({"include_usage": true});
        let open = self.http.open_stream(PATH, &body)?;
        let mut reply = Reply::default();
        let ended = self.gather(Pieces::new(open.body), &mut reply, each);
        // Whatever came of it was paid for.
        self.http.limits.used(reply.usage);
        ended.map(|()| reply)
    }
}

impl ChatModel {
    /// Puts the pieces of a reply together; an error if they are not all of it.
    fn gather(
        &self,
        pieces: impl Iterator<Item = std::io::Result<Piece>>,
        reply: &mut Reply,
        each: &mut Heard<'_>,
    ) -> Result<(), ModelError> {
        let (mut whole, mut cut) = (false, false);
        for piece in pieces {
            let piece = match piece.map_err(|error| self.http.broken(&error))? {
                Piece::Json(piece) => piece,
                Piece::Done => {
                    whole = true;
                    break;
                }
            };
            if let Some(error) = piece.get("error").filter(|error| !error.is_null()) {
                let said = error.get("message").unwrap_or(error).to_string();
                let said: String = said.chars().take(400).collect();
                return Err(self.http.broken(&std::io::Error::other(said)));
            }
            if let Some(words) = piece
                .pointer("/choices/0/delta/content")
                .and_then(Value::as_str)
            {
                reply.text.push_str(words);
                if each(words).is_break() {
                    return Err(ModelError::Stopped);
                }
            }
            gather_calls(&mut reply.calls, &piece);
            // Some say what it cost in each piece, as a sum.
            let usage = usage(&piece);
            if usage != Usage::default() {
                reply.usage = usage;
            }
            let reason = piece.pointer("/choices/0/finish_reason");
            match reason.and_then(Value::as_str) {
                Some("stop" | "tool_calls") => whole = true,
                Some("length") => cut = true,
                _ => {}
            }
        }
        if cut {
            return Err(self.cut(reply));
        }
        if whole {
            return Ok(());
        }
        let cut = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        Err(self.http.broken(&cut))
    }
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    json!({"role": role, "content": message.text})
}

/// Calls come in pieces too, each with the place of its call.
fn gather_calls(calls: &mut Vec<Call>, piece: &Value) {
    const MOST: usize = 64;
    for part in piece
        .pointer("/choices/0/delta/tool_calls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let place = part.get("index").and_then(Value::as_u64).unwrap_or(0) as usize;
        if place >= MOST {
            continue;
        }
        while calls.len() <= place {
            calls.push(Call {
                name: String::new(),
                arguments: String::new(),
            });
        }
        let text = |name: &str| {
            part.pointer(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        calls[place].name.push_str(text("/function/name"));
        calls[place].arguments.push_str(text("/function/arguments"));
    }
}
