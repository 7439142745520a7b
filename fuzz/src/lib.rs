//! What several targets share. Those of the query language: a text of any bytes, and a small graph to ask it of;
//! those of the readers: what every document must be (`document.rs`).
//!
//! Random words seldom parse, and what parses seldom means anything. So there are four ways from bytes to text,
//! from one that nothing limits to one that mostly gives statements which run.
//!
//! | first byte, modulo 4 | the text | where |
//! |---|---|---|
//! | 0 | a word of the language for each byte | `words.rs` |
//! | 1 | the bytes themselves | |
//! | 2 | a statement of the language's document, with some words changed | `examples.rs` |
//! | 3 | a statement made of templates | `dice.rs`, `templates.rs`, `retrieval.rs` |
//!
//! Next: `dice.rs`; `graph.rs` for the graph.

pub mod bind;
mod busy;
mod dice;
pub mod document;
mod examples;
pub mod graph;
pub mod mistake;
mod retrieval;
pub mod run;
pub mod schema;
mod templates;
mod words;

pub use busy::busy;

/// The text that the bytes stand for.
pub fn text(data: &[u8]) -> String {
    let Some((&way, rest)) = data.split_first() else {
        return String::new();
    };
    match way % 4 {
        0 => words::words(rest),
        1 => String::from_utf8_lossy(rest).into_owned(),
        2 => examples::changed(rest),
        _ => dice::statement(rest),
    }
}
