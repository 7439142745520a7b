//! The text of StratQL: from characters to a tree with positions, and back.
//!
//! [`parse`] makes a [`Statement`](ast::Statement) of a text, or tells what is wrong, where, and what to
//! do about it. Nothing here knows a graph: what the names mean is the engine's part.
//!
//! ```
//! use stratigraph_query_lang::parse;
//!
//! let statement = parse("match (p:Person) where p.born>1900 return p.name")?;
//! assert_eq!(statement.to_string(), "MATCH (p:Person) WHERE p.born > 1900 RETURN p.name");
//!
//! let mistake = parse("MATCH (p:Person) RETRUN p").unwrap_err();
//! assert_eq!(mistake.hint.as_deref(), Some("did you mean 'RETURN'?"));
//! # Ok::<(), stratigraph_query_lang::ParseError>(())
//! ```
//!
//! | what | where |
//! |---|---|
//! | places in a text | `span.rs` |
//! | mistakes | `error.rs` |
//! | the tree | `ast/` |
//! | from characters to tokens | `lex/` |
//! | from tokens to the tree | `parser/` |
//! | from the tree to text, and names in it | `print/` |
//! | where statements end | `split.rs` |
//! | what may stand somewhere | `complete.rs` |
//! | what the parts of a text are, for colours | `highlight.rs` |
//! | which name may have been meant | `spelling.rs` |
//!
//! Next: `ast/mod.rs`.

#![forbid(unsafe_code)]

pub mod ast;
mod complete;
mod error;
mod highlight;
mod lex;
mod names;
mod parser;
mod print;
mod span;
mod spelling;
mod split;

pub use complete::{Completion, complete};
pub use error::{ParseError, ParseErrorKind};
pub use highlight::{Paint, paint};
pub use names::possible_variables;
pub use parser::{parse, parse_all};
pub use print::{quoted_name, written_name};
pub use span::{Position, Span};
pub use spelling::{nearest, slips};
pub use split::{is_complete, split};

/// How deep a statement may nest.
pub const MAX_DEPTH: usize = 128;
/// How long a statement may be: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

#[cfg(test)]
mod tests;
