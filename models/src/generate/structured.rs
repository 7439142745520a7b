//! Asking for JSON: what comes is held to its schema, and asked for again a few times if it is not that.

use super::{Generator, Message, Reply, Request, Role, Usage};
use crate::error::ModelError;
use serde_json::Value;
use std::borrow::Cow;
use std::ops::ControlFlow;
use thiserror::Error;

/// How JSON is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Structured {
    /// How often is asked in all.
    pub tries: usize,
    /// The most bytes of a reply that are read.
    pub max_bytes: usize,
}

impl Default for Structured {
    fn default() -> Self {
        Self {
            tries: 3,
            max_bytes: 4 << 20,
        }
    }
}

/// A reply that is what its schema says.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// It.
    pub value: Value,
    /// What all tries cost.
    pub usage: Usage,
    /// How often was asked.
    pub tries: usize,
}

/// Why there is no reply that is what its schema says, and what asking has cost all the same.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct Unanswered {
    /// Why.
    #[source]
    pub error: ModelError,
    /// What all tries cost.
    pub usage: Usage,
    /// How often there was a reply.
    pub tries: usize,
}

impl Structured {
    /// Asks until the reply is what the request's schema says.
    ///
    /// # Errors
    ///
    /// [`ModelError::BadReply`] if the last try is not, or was cut, with what is wrong with it; otherwise what the
    /// generator says.
    pub fn ask(
        &self,
        generator: &dyn Generator,
        request: &Request,
    ) -> Result<Answered, Unanswered> {
        self.tried(request, |request, _| generator.generate(request))
    }

    /// The same, and hands each reply over as it comes, with the number of the try from 1: what came of one before is void.
    /// A reply without end is read as far as replies are.
    ///
    /// # Errors
    ///
    /// As [`ask`](Self::ask); [`ModelError::Stopped`] if `each` has stopped it.
    pub fn stream(
        &self,
        generator: &dyn Generator,
        request: &Request,
        each: &mut dyn FnMut(usize, &str) -> ControlFlow<()>,
    ) -> Result<Answered, Unanswered> {
        self.tried(request, |request, attempt| {
            let mut heard = String::new();
            let mut is_too_long = false;
            let reply = generator.stream(request, &mut |piece| {
                heard.push_str(piece);
                is_too_long = heard.len() > self.max_bytes;
                match is_too_long {
                    true => ControlFlow::Break(()),
                    false => each(attempt, piece),
                }
            });
            match reply {
                Err(ModelError::Stopped) if is_too_long => Ok(Reply {
                    text: heard,
                    ..Reply::default()
                }),
                reply => reply,
            }
        })
    }

    fn tried(
        &self,
        request: &Request,
        mut ask: impl FnMut(&Request, usize) -> Result<Reply, ModelError>,
    ) -> Result<Answered, Unanswered> {
        // Nearly always the first reply will do.
        let mut request = Cow::Borrowed(request);
        let said = request.messages.len();
        let mut usage = Usage::default();
        let mut tries = 0;
        loop {
            let (text, cost, read) = match ask(&request, tries + 1) {
                Ok(reply) => {
                    let read = self.read(&request, &reply.text);
                    (reply.text, reply.usage, read)
                }
                // Not even if it can be read: what is missing may be what was meant.
                Err(ModelError::Cut { text, usage, .. }) => (text, usage, Err(cut(&request))),
                Err(error) => {
                    return Err(Unanswered {
                        error,
                        usage,
                        tries,
                    });
                }
            };
            usage += cost;
            tries += 1;
            let problem = match read {
                Ok(value) => {
                    return Ok(Answered {
                        value,
                        usage,
                        tries,
                    });
                }
                Err(problem) => problem,
            };
            if tries >= self.tries {
                let error = ModelError::BadReply { tries, problem };
                return Err(Unanswered {
                    error,
                    usage,
                    tries,
                });
            }
            // Only the last try is told: all of them would grow without saying more.
            let messages = &mut request.to_mut().messages;
            messages.truncate(said);
            let shown = text.get(..text.floor_char_boundary(self.max_bytes.min(8 << 10)));
            messages.push(Message {
                role: Role::Assistant,
                text: shown.unwrap_or_default().to_owned(),
            });
            messages.push(Message {
                role: Role::User,
                text: format!("That reply cannot be used ({problem}). Give the JSON alone, in the form that was asked for."),
            });
        }
    }

    fn read(&self, request: &Request, text: &str) -> Result<Value, String> {
        if text.len() > self.max_bytes {
            return Err(format!(
                "it has {} bytes, and at most {} are read",
                text.len(),
                self.max_bytes
            ));
        }
        let fits = |value: &Value| match &request.schema {
            Some(schema) => schema.check(value).map_err(|wrong| wrong.to_string()),
            None => Ok(()),
        };
        let problem = match serde_json::from_str(bare(text)) {
            Ok(value) => match fits(&value) {
                Ok(()) => return Ok(value),
                Err(problem) => problem,
            },
            Err(error) => format!("it is no JSON: {error}"),
        };
        // A model that thinks aloud writes JSON before the one that it means: that is the last.
        last_of(text, |value| fits(value).is_ok()).ok_or(problem)
    }
}

/// What is wrong with a reply that was cut, for the model and for whoever reads why there is none.
fn cut(request: &Request) -> String {
    format!(
        "it ran into max_tokens ({}) before it was whole; it has to be shorter",
        request.max_tokens
    )
}

/// The JSON in a reply: models put it into fences, and words around it.
fn bare(text: &str) -> &str {
    let start = text.find(['{', '[']).unwrap_or(0);
    let end = text.rfind(['}', ']']).map_or(text.len(), |end| end + 1);
    text.get(start..end).unwrap_or(text)
}

/// The last of the JSON values in a text of which this is true. What stands within one is part of it.
fn last_of(text: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    /// So many brackets that begin nothing are looked past, so that no reply is read over and over.
    const MOST: usize = 64;
    let (mut at, mut failed, mut last) = (0, 0, None);
    while let Some(found) = text[at..].find(['{', '[']).filter(|_| failed < MOST) {
        at += found;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                at += values.byte_offset();
                last = Some(value).filter(&fits).or(last);
            }
            _ => {
                at += 1;
                failed += 1;
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Recorded, Schema};
    use serde_json::json;

    fn request() -> Request {
        let schema =
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}});
        Request::new("Count.", "How many?").schema(Schema::new("count", schema).unwrap())
    }

    #[test]
    fn fences_and_words_around_the_json_are_no_harm() {
        let model = Recorded::in_order(["Here it is:\n```json\n{\"a\": 3}\n```\nDone."]);
        let answered = Structured::default().ask(&model, &request()).unwrap();
        assert_eq!((answered.value, answered.tries), (json!({"a": 3}), 1));
    }

    #[test]
    fn of_several_values_the_last_that_fits_is_meant() {
        for (text, value) in [
            ("<think>{\"a\": 1} or [2]?</think>{\"a\": 2}", 2),
            ("See [1] and {this}: {\"a\": 3}, as asked.", 3),
            ("{\"a\": 4} was it, not {\"b\": {\"a\": 5}}.", 4),
        ] {
            let model = Recorded::in_order([text]);
            let answered = Structured::default().ask(&model, &request()).unwrap();
            assert_eq!(
                (answered.value, answered.tries),
                (json!({"a": value}), 1),
                "{text}"
            );
        }
        // Brackets without end are not read over and over.
        let text = format!("{}{{\"a\": 1}}", "[".repeat(1 << 20));
        let model = Recorded::in_order([text]);
        let once = Structured {
            tries: 1,
            ..Structured::default()
        };
        assert!(once.ask(&model, &request()).is_err());
    }

    #[test]
    fn what_is_wrong_is_said_and_asked_again() {
        let model = Recorded::in_order(["three", "{\"a\": \"three\"}", "{\"a\": 3}"]);
        let answered = Structured::default().ask(&model, &request()).unwrap();
        assert_eq!(answered.tries, 3);
        let asked = model.asked();
        assert_eq!((asked[0].messages.len(), asked[2].messages.len()), (2, 4));
        assert!(
            asked[2].messages[3]
                .text
                .contains("$.a: this is no integer"),
            "{asked:?}"
        );
    }

    #[test]
    fn what_is_heard_says_which_try_it_is_of_and_can_be_stopped() {
        let model = Recorded::in_order(["three", "{\"a\": 3}"]);
        let mut heard = Vec::new();
        let answered = Structured::default().stream(&model, &request(), &mut |attempt, piece| {
            heard.push((attempt, piece.to_owned()));
            ControlFlow::Continue(())
        });
        assert_eq!(answered.unwrap().tries, 2);
        assert_eq!(
            heard,
            [(1, "three".to_owned()), (2, "{\"a\": 3}".to_owned())]
        );
        let model = Recorded::in_order(["{\"a\": 3}"]);
        let mut stop = |_: usize, _: &str| ControlFlow::Break(());
        let stopped = Structured::default().stream(&model, &request(), &mut stop);
        assert!(matches!(stopped.unwrap_err().error, ModelError::Stopped));
        // What is too long is no reply, and is not handed over.
        let small = Structured {
            tries: 1,
            max_bytes: 4,
        };
        let model = Recorded::in_order(["{\"a\": 3}"]);
        let refused = small.stream(&model, &request(), &mut |_, _| panic!("too long"));
        let refused = refused.unwrap_err().error;
        assert!(matches!(refused, ModelError::BadReply { .. }), "{refused}");
    }

    #[test]
    fn a_reply_that_was_cut_is_paid_for_and_asked_for_again() {
        let mut request = request();
        request.max_tokens = 2;
        // What there is of the first could be read, but is not all.
        let model = Recorded::in_order(["{\"a\": 1} or {\"a\": 2}", "{\"a\": 3}"]).limited();
        let answered = Structured::default().ask(&model, &request).unwrap();
        assert_eq!((answered.value, answered.tries), (json!({"a": 3}), 2));
        assert_eq!(answered.usage.output_tokens, 4);
        let again = &model.asked()[1].messages;
        assert_eq!(again[2].text, "{\"a\": 1}");
        assert!(again[3].text.contains("max_tokens (2)"), "{again:?}");
        let model = Recorded::by(|_| Some("three and ".repeat(9))).limited();
        let refused = Structured::default().ask(&model, &request).unwrap_err();
        let ModelError::BadReply { tries: 3, problem } = &refused.error else {
            panic!("{refused}")
        };
        assert!(problem.contains("max_tokens (2)"), "{problem}");
        assert_eq!((refused.tries, refused.usage.output_tokens), (3, 6));
        // What came before another failure was paid for as well.
        let model = Recorded::in_order(["three and three"]).limited();
        let refused = Structured::default().ask(&model, &request).unwrap_err();
        assert!(matches!(refused.error, ModelError::NothingRecorded));
        assert_eq!((refused.tries, refused.usage.output_tokens), (1, 2));
    }

    #[test]
    fn tries_have_an_end() {
        let model = Recorded::in_order(["{}", "{", "[".repeat(100_000).as_str()]);
        let refused = Structured::default().ask(&model, &request()).unwrap_err();
        assert!(
            matches!(refused.error, ModelError::BadReply { tries: 3, .. }),
            "{refused}"
        );
        assert_eq!(refused.tries, 3);
        let long = Recorded::in_order(["{\"a\": 1}"]);
        let small = Structured {
            tries: 1,
            max_bytes: 4,
        };
        assert!(small.ask(&long, &request()).is_err());
    }
}
