//! `SHOW`: what is declared, and what can be called.
//!
//! Next: `schema.rs`.

use super::Result;
use super::cursor::Parser;
use crate::ast::{Show, Shown};
use crate::lex::Keyword;

impl Parser<'_> {
    /// `SHOW what [YIELD ...] [WHERE ...]`.
    pub(super) fn show(&mut self) -> Result<Show> {
        let start = self.take().span;
        let what = self.shown()?;
        let yields = match self.accept_word(Keyword::Yield) {
            Some(span) => Some(self.yields(span, true)?),
            None => None,
        };
        let filter = if yields.is_none() {
            self.filter()?
        } else {
            None
        };
        Ok(Show {
            what,
            yields,
            filter,
            span: self.since(start),
        })
    }

    fn shown(&mut self) -> Result<Shown> {
        let kind = if self.accept_word(Keyword::Vector).is_some() {
            Shown::VectorIndexes
        } else if self.accept_word(Keyword::FullText).is_some() {
            Shown::FulltextIndexes
        } else if self.accept_word(Keyword::Range).is_some() {
            Shown::RangeIndexes
        } else {
            let all = self.accept_word(Keyword::All).is_some();
            for (keyword, shown) in [
                (Keyword::Constraints, Shown::Constraints),
                (Keyword::Constraint, Shown::Constraints),
                (Keyword::Functions, Shown::Functions),
                (Keyword::Function, Shown::Functions),
                (Keyword::Procedures, Shown::Procedures),
                (Keyword::Procedure, Shown::Procedures),
                (Keyword::Hierarchies, Shown::Hierarchies),
                (Keyword::Hierarchy, Shown::Hierarchies),
            ] {
                let known = !all || shown != Shown::Hierarchies;
                if known && self.accept_word(keyword).is_some() {
                    return Ok(shown);
                }
            }
            Shown::Indexes
        };
        if self.accept_word(Keyword::Indexes).is_none() {
            self.expect_word(Keyword::Index)?;
        }
        Ok(kind)
    }
}
