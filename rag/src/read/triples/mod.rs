//! Triples that somebody has extracted already, as JSON lines: one fact a line.
//!
//! A line is an object with the names of `names.rs`, or an array of six as HybridRAG's authors write them:
//! `["subject", "type", "relation", "object", "type", {metadata}]`. An object may also hold a title and a list
//! of facts, which is what EmPULIA's extraction gives for one piece of text.
//!
//! A line that is broken is an error with its file and line, and the next one is read. Facts from a thing to
//! itself, and facts that were there before word for word, their metadata included, are left out and counted. Memory stays the same
//! however long the file is: `Seen` knows the last million facts and more.
//!
//! Next: `line.rs`, then `names.rs`.

mod line;
mod names;
mod seen;

use std::collections::VecDeque;
use std::io::BufRead;

use stratigraph_tables::Lines;

use super::error::CONVERT;
use super::{Place, ReadError};
use crate::Metadata;
use crate::extract::{Entity, Triple};
use seen::Seen;

/// How a fact is written, in the names that are told first.
const FORM: &str = "a line is {\"subject\":..,\"relation\":..,\"object\":..,\"source\":..}, or an array of subject, type, \
                    relation, object, type and metadata";

/// A fact of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stated {
    /// The fact.
    pub triple: Triple,
    /// Its ends, with their kinds and descriptions as far as they are said.
    pub entities: [Entity; 2],
    /// What else the line says of it: company, quarter, year and the like.
    pub metadata: Metadata,
    /// The line, from 1.
    pub line: u64,
}

/// What was left out so far, and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TripleCounts {
    /// Facts that were given out.
    pub facts: u64,
    /// Facts that were there before, word for word.
    pub duplicates: u64,
    /// Facts from a thing to itself.
    pub self_loops: u64,
    /// Lines that are broken.
    pub broken: u64,
}

/// The facts of a file, one after the other.
pub struct TripleReader {
    lines: Lines,
    /// The facts of the line that was read, if it has several.
    waiting: VecDeque<Stated>,
    seen: Seen,
    counts: TripleCounts,
    ended: bool,
}

impl TripleReader {
    /// The most bytes of a line.
    pub const MAX_LINE: u64 = 16 << 20;

    /// Reads from here; `file` is what errors call it.
    #[must_use]
    pub fn new(file: &str, input: Box<dyn BufRead>) -> Self {
        Self {
            lines: Lines::new(input, file.into(), Self::MAX_LINE),
            waiting: VecDeque::new(),
            seen: Seen::default(),
            counts: TripleCounts::default(),
            ended: false,
        }
    }

    /// What was read and left out so far.
    #[must_use]
    pub fn counts(&self) -> TripleCounts {
        self.counts
    }

    /// Whether the file could not be read to its end: what follows the last error is not known.
    #[must_use]
    pub fn is_cut_short(&self) -> bool {
        self.ended
    }

    /// How many bytes were read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lines.bytes
    }

    /// Whether a fact is one to give out.
    fn is_new(&mut self, fact: &Triple, metadata: &Metadata) -> bool {
        if fact.subject == fact.object {
            self.counts.self_loops += 1;
            return false;
        }
        if !self.seen.insert(fact, metadata) {
            self.counts.duplicates += 1;
            return false;
        }
        self.counts.facts += 1;
        true
    }

    /// Reads lines until one has facts; nothing at the end.
    fn more(&mut self) -> Option<Result<(), ReadError>> {
        match self.lines.read() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => {
                // Nobody knows where the next line begins.
                self.ended = true;
                return Some(Err(ReadError::of_table(error)));
            }
        }
        let number = self.lines.number;
        let read = match self.lines.text() {
            None => Err((None, "this is not text in UTF-8".to_owned(), CONVERT)),
            Some(text) => {
                line::read(text, number).map_err(|(column, reason)| (column, reason, FORM))
            }
        };
        match read {
            Ok(facts) => {
                self.waiting.extend(facts);
                Some(Ok(()))
            }
            Err((column, reason, hint)) => {
                self.counts.broken += 1;
                let place = Place::of_line(number, column);
                Some(Err(ReadError::new(&self.lines.file, place, reason, hint)))
            }
        }
    }
}

impl Iterator for TripleReader {
    type Item = Result<Stated, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while let Some(stated) = self.waiting.pop_front() {
                if self.is_new(&stated.triple, &stated.metadata) {
                    return Some(Ok(stated));
                }
            }
            if self.ended {
                return None;
            }
            match self.more() {
                None => return None,
                Some(Ok(())) => {}
                Some(Err(error)) => return Some(Err(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
