//! The face of every model that writes: messages in, a text or a call of a tool out.
//!
//! What a model writes is data from outside. [`Structured`] is how the rest of the house asks: with a
//! [`Schema`] that the reply is held to, and so many further tries, after which it is an error and nothing
//! half-read.

mod recorded;
mod schema;
mod structured;

use std::ops::ControlFlow;

use crate::error::ModelError;

pub use recorded::Recorded;
pub use schema::{Schema, Violation};
pub use structured::{Answered, Structured, Unanswered};

/// What is done with the pieces of a reply; the first that it breaks at is the last.
pub type Heard<'a> = dyn FnMut(&str) -> ControlFlow<()> + 'a;

/// Something that writes.
pub trait Generator: Send + Sync {
    /// What to call the model. Replies of generators with different names are kept apart.
    fn name(&self) -> &str;

    /// Asks once.
    ///
    /// # Errors
    ///
    /// When no reply came, or it cannot be read; [`ModelError::Cut`] if it is not whole.
    fn generate(&self, request: &Request) -> Result<Reply, ModelError>;

    /// Asks once, and hands the text over as it comes, until `each` wants no more of it.
    ///
    /// # Errors
    ///
    /// As [`generate`](Self::generate), and [`ModelError::Stopped`] if `each` has stopped it; what was handed over before
    /// is then not all of it.
    fn stream(&self, request: &Request, each: &mut Heard<'_>) -> Result<Reply, ModelError> {
        let reply = self.generate(request)?;
        match each(&reply.text) {
            ControlFlow::Continue(()) => Ok(reply),
            ControlFlow::Break(()) => Err(ModelError::Stopped),
        }
    }
}

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// What was said so far.
    pub messages: Vec<Message>,
    /// What the reply has to look like; any text if nothing is said.
    pub schema: Option<Schema>,
    /// What the model may call instead of writing.
    pub tools: Vec<Tool>,
    /// The most tokens of the reply.
    pub max_tokens: u32,
    /// How much chance there is in the reply; 0 for as little as the model can.
    pub temperature: f32,
}

impl Request {
    /// The most tokens of a reply unless something else is said.
    pub const MAX_TOKENS: u32 = 4096;

    /// Asks this under these instructions, as soberly as the model can.
    #[must_use]
    pub fn new(instructions: &str, question: &str) -> Self {
        let message = |role, text: &str| Message {
            role,
            text: text.to_owned(),
        };
        Self {
            messages: vec![
                message(Role::System, instructions),
                message(Role::User, question),
            ],
            schema: None,
            tools: Vec::new(),
            max_tokens: Self::MAX_TOKENS,
            temperature: 0.0,
        }
    }

    /// Holds the reply to a schema.
    #[must_use]
    pub fn schema(mut self, schema: Schema) -> Self {
        self.schema = Some(schema);
        self
    }
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// By whom.
    pub role: Role,
    /// What.
    pub text: String,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Whoever runs the program.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

/// Something that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for, in words for the model.
    pub description: String,
    /// What its arguments look like.
    pub arguments: Schema,
}

/// What a model gave back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What it wrote.
    pub text: String,
    /// What it wants to be called. Names and arguments are the model's and not checked.
    pub calls: Vec<Call>,
    /// What it cost.
    pub usage: Usage,
}

/// A call that a model wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the tool, as the model wrote it.
    pub name: String,
    /// The arguments, as the model wrote them: JSON if all is well.
    pub arguments: String,
}

/// What replies cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that were read.
    pub input_tokens: u64,
    /// Tokens that were written.
    pub output_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
    }
}
