//! `=~`: whether a regular expression matches all of a text.
//!
//! The matcher takes time linear in the text and backtracks never, so a hostile pattern cannot hang a query;
//! how large a compiled pattern may be is limited too. There are no back-references and no look-around.
//!
//! Next: `element.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::sync::Arc;

/// How many bytes a compiled pattern may have.
const COMPILED_BYTES: usize = 2 << 20;

/// How deep groups may nest in a pattern.
const GROUP_DEPTH: u32 = 100;

thread_local! {
    /// The pattern compiled last: a query mostly matches many rows against one.
    static LAST: RefCell<Option<(Arc<str>, Regex)>> = const { RefCell::new(None) };
}

/// `text =~ pattern`: null unless both are texts.
///
/// # Errors
///
/// `InvalidRegularExpression` if the pattern is none.
pub(crate) fn matches(text: &Value, pattern: &Value) -> Result<Value, Fault> {
    let (Value::String(text), Value::String(pattern)) = (text, pattern) else {
        return Ok(Value::Null);
    };
    LAST.with_borrow_mut(|last| {
        if let Some((of, compiled)) = last
            && of == pattern
        {
            return Ok(Value::Bool(compiled.is_match(text)));
        }
        let compiled = compile(pattern)?;
        let holds = compiled.is_match(text);
        *last = Some((Arc::clone(pattern), compiled));
        Ok(Value::Bool(holds))
    })
}

/// The pattern such that it matches a whole text or not at all.
///
/// It is put between anchors, which is right only for a pattern that is one by itself: `a)|(b` is none.
/// In verbose mode a comment at its end would swallow the closing parenthesis; a line break ends it.
fn compile(pattern: &str) -> Result<Regex, Fault> {
    build(pattern)
        .and_then(|_| build(&format!("\\A(?:{pattern})\\z")))
        .or_else(|error| {
            if matches!(error, regex::Error::Syntax(_)) && build(pattern).is_ok() {
                return build(&format!("\\A(?:{pattern}\n)\\z"));
            }
            Err(error)
        })
        .map_err(|error| {
            let message = format!("this is no regular expression: {}", reason(&error));
            raise(Detail::InvalidRegularExpression, message)
                .hint("patterns are those of Rust's `regex`: no look-around, no back-references")
        })
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(COMPILED_BYTES)
        .nest_limit(GROUP_DEPTH)
        .build()
}

/// What is wrong, in one line: the full text draws the pattern with carets.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => {
            format!("compiled, it would have more than {limit} bytes")
        }
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or("");
            last.trim_start_matches("error: ").to_owned()
        }
    }
}
