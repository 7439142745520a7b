//! Statements, unions, and the order of clauses.
//!
//! Next: `clause.rs`.

use super::Result;
use super::cursor::{Parser, is_name};
use super::expected::Expected;
use crate::ast::{Body, Clause, Mode, Query, SingleQuery, Statement, Union};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, TokenKind};

/// The words that begin clauses.
const CLAUSES: [Keyword; 16] = [
    Keyword::Match,
    Keyword::Optional,
    Keyword::Traverse,
    Keyword::Unwind,
    Keyword::With,
    Keyword::Return,
    Keyword::Finish,
    Keyword::Create,
    Keyword::Merge,
    Keyword::Set,
    Keyword::Remove,
    Keyword::Delete,
    Keyword::Detach,
    Keyword::ForEach,
    Keyword::Call,
    Keyword::Show,
];

impl Parser<'_> {
    /// `[CYPHER ...] [EXPLAIN | PROFILE] query | schema command`.
    pub(super) fn statement(&mut self) -> Result<Statement> {
        let start = self.peek().span;
        self.version();
        let mode = if self.accept_word(Keyword::Explain).is_some() {
            Mode::Explain
        } else if self.accept_word(Keyword::Profile).is_some() {
            Mode::Profile
        } else {
            Mode::Run
        };
        self.version();
        let body = match self.schema_command()? {
            Some(command) => Body::Schema(command),
            None => Body::Query(self.query()?),
        };
        Ok(Statement {
            mode,
            body,
            span: self.since(start),
        })
    }

    /// `CYPHER 25 runtime=parallel`: what other servers are told before a query; it means nothing here.
    fn version(&mut self) {
        if self.accept_word(Keyword::Cypher).is_none() {
            return;
        }
        if self.is(TokenKind::Integer) || self.is(TokenKind::Float) {
            self.take();
        }
        while is_name(self.peek()) && self.ahead(1).kind == TokenKind::Equal {
            self.take();
            self.take();
            if !self.is(TokenKind::End) {
                self.take();
            }
        }
    }

    /// `query UNION query`.
    pub(super) fn query(&mut self) -> Result<Query> {
        let outer = self.enter()?;
        let start = self.peek().span;
        let mut parts = vec![self.single_query()?];
        let mut unions: Vec<Union> = Vec::new();
        while let Some(span) = self.accept_word(Keyword::Union) {
            let all = self.accept_word(Keyword::All).is_some();
            if !all {
                self.accept_word(Keyword::Distinct);
            }
            let span = self.since(span);
            if unions.first().is_some_and(|first| first.all != all) {
                let mut mistake = self.mistake(
                    ParseErrorKind::InvalidClauseComposition,
                    span,
                    "UNION and UNION ALL cannot be mixed in one query",
                );
                mistake.hint = Some("put one of them into a subquery: CALL { ... }".to_owned());
                return Err(mistake);
            }
            unions.push(Union { all, span });
            parts.push(self.single_query()?);
        }
        self.leave(outer);
        Ok(Query {
            parts,
            unions,
            span: self.since(start),
        })
    }

    fn single_query(&mut self) -> Result<SingleQuery> {
        let start = self.peek().span;
        let mut clauses = Vec::new();
        while let Some(clause) = self.clause()? {
            if let Some(last @ (Clause::Return(_) | Clause::Finish(_))) = clauses.last() {
                let (word, span) = match last {
                    Clause::Return(_) => ("RETURN", clause.span()),
                    _ => ("FINISH", clause.span()),
                };
                let mut mistake = self.mistake(
                    ParseErrorKind::InvalidClauseComposition,
                    self.first_word(span),
                    &format!("{word} ends a query: no clause can follow it"),
                );
                if word == "RETURN" {
                    mistake.hint = Some("use WITH to hand values on to the next clause".to_owned());
                }
                return Err(mistake);
            }
            clauses.push(clause);
        }
        if clauses.is_empty() {
            return self.unexpected();
        }
        self.refuse_all_columns(&clauses)?;
        Ok(SingleQuery {
            clauses,
            span: self.since(start),
        })
    }

    /// `YIELD *` beside other clauses: what it brings in could not be seen.
    fn refuse_all_columns(&self, clauses: &[Clause]) -> Result<()> {
        for clause in clauses {
            if let Clause::Call(call) = clause
                && let Some(all) = call.yields.as_ref().and_then(|yields| yields.all)
                && clauses.len() > 1
            {
                let mut mistake = self.mistake(
                    ParseErrorKind::UnexpectedSyntax,
                    all,
                    "YIELD * stands only in a call without other clauses",
                );
                mistake.hint = Some("name the columns after YIELD".to_owned());
                return Err(mistake);
            }
        }
        Ok(())
    }

    /// The place of the first word of what stands at `span`.
    fn first_word(&self, span: crate::span::Span) -> crate::span::Span {
        let text = span.of(self.text);
        let length = text
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len());
        let length = u32::try_from(length).unwrap_or(0);
        crate::span::Span::new(span.start, span.start + length)
    }

    /// The next clause, if one begins here.
    pub(super) fn clause(&mut self) -> Result<Option<Clause>> {
        let start = self.peek();
        self.note_clauses();
        let writing = |parser: &Self| {
            let mut mistake = parser.mistake(
                ParseErrorKind::InvalidClauseComposition,
                start.span,
                "what is asked inside an expression cannot change the graph",
            );
            mistake.hint = Some("use CALL { ... } for a subquery that writes".to_owned());
            mistake
        };
        let Some(keyword) = start.keyword else {
            return Ok(None);
        };
        if matches!(
            keyword,
            Keyword::Create
                | Keyword::Merge
                | Keyword::Set
                | Keyword::Remove
                | Keyword::Delete
                | Keyword::Detach
                | Keyword::ForEach
        ) {
            if self.reading {
                return Err(writing(self));
            }
            return self.writing_clause(keyword).map(Some);
        }
        self.reading_clause(keyword)
    }

    /// The two are apart so that neither needs the other's room on the stack.
    fn writing_clause(&mut self, keyword: Keyword) -> Result<Clause> {
        Ok(match keyword {
            Keyword::Create => Clause::Create(self.create()?),
            Keyword::Merge => Clause::Merge(self.merge()?),
            Keyword::Set => Clause::Set(self.set()?),
            Keyword::Remove => Clause::Remove(self.remove()?),
            Keyword::ForEach => Clause::Foreach(self.foreach()?),
            _ => Clause::Delete(self.delete()?),
        })
    }

    fn reading_clause(&mut self, keyword: Keyword) -> Result<Option<Clause>> {
        let start = self.peek().span;
        Ok(Some(match keyword {
            Keyword::Match => Clause::Match(self.match_clause(false)?),
            Keyword::Optional => {
                self.take();
                if self.is_word(Keyword::Call) {
                    self.call(true, start)?
                } else if self.is_word(Keyword::Traverse) {
                    Clause::Traverse(self.traverse(true, start)?)
                } else {
                    let mut clause = self.match_clause(true)?;
                    clause.span = start.to(clause.span);
                    Clause::Match(clause)
                }
            }
            Keyword::Unwind => Clause::Unwind(self.unwind()?),
            Keyword::With => Clause::With(self.projection(true)?),
            Keyword::Return => Clause::Return(self.projection(false)?),
            Keyword::Finish => Clause::Finish(self.take().span),
            Keyword::Call => self.call(false, start)?,
            Keyword::Traverse => Clause::Traverse(self.traverse(false, start)?),
            Keyword::Show => Clause::Show(self.show()?),
            _ => return Ok(None),
        }))
    }

    fn note_clauses(&mut self) {
        for keyword in CLAUSES {
            self.note(Expected::Keyword(keyword));
        }
    }

    /// Whether what stands `ahead` of here is a word that begins a clause.
    pub(super) fn begins_clause(&self, ahead: usize) -> bool {
        let word = self.ahead(ahead).keyword;
        word.is_some_and(|word| CLAUSES.contains(&word))
    }
}
