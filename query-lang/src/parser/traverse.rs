//! `TRAVERSE`: where it begins, what a step is, and what it does on each level.
//!
//! Next: `write.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{
    Budget, BudgetUnit, Element, Emit, Emitted, Expression, ExpressionKind, Keep, Levels, Literal,
    NodePattern, OnExceed, PathPattern, Recover, RelationshipPattern, Roots, Score, Top, Traverse,
};
use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

/// What may stand between `STEP` and `YIELD`, in any order.
#[derive(Default)]
struct Options {
    levels: Option<Levels>,
    score: Option<Score>,
    keep: Option<Keep>,
    recover: Option<Recover>,
    emit: Option<Emit>,
    budget: Option<Budget>,
}

impl Parser<'_> {
    /// `TRAVERSE FROM roots [UNFILTERED] STEP step ... YIELD items [WHERE filter]`; `start` is where the clause
    /// begins.
    pub(super) fn traverse(&mut self, optional: bool, start: Span) -> Result<Box<Traverse>> {
        // Counted, for the clause takes more of the stack than others.
        let outer = self.enter()?;
        self.expect_word(Keyword::Traverse)?;
        self.expect_word(Keyword::From)?;
        let roots = self.roots()?;
        let unfiltered = self.accept_word(Keyword::Unfiltered);
        self.expect_word(Keyword::Step)?;
        let step = self.step()?;
        let options = self.traverse_options()?;
        self.expect_word(Keyword::Yield)?;
        if self.is(TokenKind::Star) {
            let mut mistake = self.mistake(
                ParseErrorKind::UnexpectedSyntax,
                self.peek().span,
                "TRAVERSE yields the columns that are named",
            );
            mistake.hint = Some("name the columns after YIELD: node, level, score".to_owned());
            return Err(mistake);
        }
        let yields = self.yield_items()?;
        let filter = self.filter()?;
        self.leave(outer);
        Ok(Box::new(Traverse {
            optional,
            roots,
            unfiltered,
            step,
            levels: options.levels,
            score: options.score,
            keep: options.keep,
            recover: options.recover,
            emit: options.emit,
            budget: options.budget,
            yields,
            filter,
            span: self.since(start),
        }))
    }

    /// A node of a pattern, or a value. What begins with a parenthesis is a node, if nothing is taken of it
    /// like the property in `(a + b).c`.
    fn roots(&mut self) -> Result<Roots> {
        self.note(Expected::Pattern);
        let open = self.peek();
        let after = self.token(open.partner as usize + 1).kind;
        let taken_of =
            open.partner != 0 && matches!(after, TokenKind::Dot | TokenKind::OpenBracket);
        if open.kind == TokenKind::OpenParenthesis && !taken_of {
            return self.node().map(Roots::Pattern);
        }
        self.expression().map(Roots::Value)
    }

    /// `(a)-[:TYPE]->(b)`: as many relationships as are written, each once.
    fn step(&mut self) -> Result<PathPattern> {
        let outer = self.enter()?;
        let start = self.peek().span;
        let mut elements = vec![Element::Node(self.step_node()?)];
        loop {
            self.note(Expected::Symbol(TokenKind::Minus));
            self.note(Expected::Symbol(TokenKind::Less));
            if !matches!(self.peek().kind, TokenKind::Minus | TokenKind::Less) {
                break;
            }
            let relationship = self.relationship()?;
            self.check_once(&relationship)?;
            elements.push(Element::Relationship(relationship));
            elements.push(Element::Node(self.step_node()?));
        }
        if elements.len() == 1 {
            return self.unexpected();
        }
        self.leave(outer);
        Ok(PathPattern {
            variable: None,
            selector: None,
            elements,
            span: self.since(start),
        })
    }

    fn step_node(&mut self) -> Result<NodePattern> {
        self.note(Expected::Pattern);
        if self.begins_group() {
            let span = self.peek().span;
            return Err(self.bad_step(span, "a step has no parentheses around a part of it"));
        }
        self.node()
    }

    fn check_once(&self, relationship: &RelationshipPattern) -> Result<()> {
        let length = relationship.length.map(|length| length.span);
        let rounds = relationship.quantifier.map(|rounds| rounds.span);
        match length.or(rounds) {
            Some(span) => Err(self.bad_step(span, "a step has no variable length")),
            None => Ok(()),
        }
    }

    fn bad_step(&self, span: Span, message: &str) -> Box<ParseError> {
        let mut mistake = self.mistake(ParseErrorKind::InvalidTraverseStep, span, message);
        let hint = "write a step as (a)-[:TYPE]->(b), and how often it is done as LEVELS 0..3";
        mistake.hint = Some(hint.to_owned());
        mistake
    }

    fn traverse_options(&mut self) -> Result<Options> {
        let mut options = Options::default();
        loop {
            let start = self.peek().span;
            if let Some(word) = self.accept_option(&options)? {
                match word {
                    Keyword::Levels => options.levels = Some(self.levels(start)?),
                    Keyword::Score => options.score = Some(self.score(start)?),
                    Keyword::Keep => options.keep = Some(self.keep(start, true)?),
                    Keyword::Recover => options.recover = Some(self.recover(start)?),
                    Keyword::Emit => options.emit = Some(self.emit(start)?),
                    _ => options.budget = Some(self.budget(start)?),
                }
            } else {
                break;
            }
        }
        let unbounded = options
            .levels
            .as_ref()
            .is_none_or(|levels| levels.to.is_none());
        if let Some(recover) = options.recover.as_ref().filter(|_| unbounded) {
            let mut mistake = self.mistake(
                ParseErrorKind::UnboundedRecover,
                recover.span,
                "RECOVER looks at every level, and the levels have no end",
            );
            mistake.hint = Some("say where they end, as in LEVELS 0..3".to_owned());
            return Err(mistake);
        }
        Ok(options)
    }

    /// Takes the word that begins an option, if one begins here that is not there yet.
    fn accept_option(&mut self, there: &Options) -> Result<Option<Keyword>> {
        for (word, taken, hint) in [
            (
                Keyword::Levels,
                there.levels.is_some(),
                "leave one of them out",
            ),
            (
                Keyword::Score,
                there.score.is_some(),
                "combine the scores in one expression",
            ),
            (
                Keyword::Keep,
                there.keep.is_some(),
                "say all in one, as in KEEP TOP 8 WHERE score > 0.5",
            ),
            (
                Keyword::Recover,
                there.recover.is_some(),
                "leave one of them out",
            ),
            (Keyword::Emit, there.emit.is_some(), "leave one of them out"),
            (
                Keyword::Budget,
                there.budget.is_some(),
                "leave one of them out",
            ),
        ] {
            if !taken && self.accept_word(word).is_some() {
                return Ok(Some(word));
            }
            if taken && self.is_word(word) {
                return Err(self.duplicate("TRAVERSE", hint));
            }
        }
        Ok(None)
    }

    /// `[from]..[to] [AS variable]`.
    fn levels(&mut self, start: Span) -> Result<Levels> {
        let from = self.level()?;
        self.expect(TokenKind::DotDot)?;
        let to = self.level()?;
        let alias = self.alias()?;
        Ok(Levels {
            from,
            to,
            alias,
            span: self.since(start),
        })
    }

    /// A whole number or a parameter, if one stands here.
    fn level(&mut self) -> Result<Option<Expression>> {
        let span = self.peek().span;
        self.note(Expected::Parameter);
        let kind = if self.is(TokenKind::Parameter) {
            self.parameter()?
        } else {
            match self.count()?.map(i64::try_from) {
                Some(Ok(level)) => ExpressionKind::Literal(Literal::Integer(level)),
                _ => return Ok(None),
            }
        };
        Ok(Some(Expression { kind, span }))
    }

    /// `expression [AS variable]`.
    fn score(&mut self, start: Span) -> Result<Score> {
        let expression = self.expression()?;
        let alias = self.alias()?;
        Ok(Score {
            expression,
            alias,
            span: self.since(start),
        })
    }

    /// `TOP count [PER PARENT] [WHERE filter]`, `WHERE filter`.
    fn keep(&mut self, start: Span, of_step: bool) -> Result<Keep> {
        let top = match self.accept_word(Keyword::Top) {
            Some(span) => Some(self.top(span, of_step)?),
            None => None,
        };
        let filter = self.filter()?;
        if top.is_none() && filter.is_none() {
            return self.unexpected();
        }
        Ok(Keep {
            top,
            filter,
            span: self.since(start),
        })
    }

    fn top(&mut self, start: Span, of_step: bool) -> Result<Top> {
        let count = self.expression()?;
        if !of_step && self.is_word(Keyword::Per) {
            let mut mistake = self.mistake(
                ParseErrorKind::UnexpectedSyntax,
                self.peek().span,
                "what is recovered has no parent",
            );
            mistake.hint = Some("leave PER PARENT out".to_owned());
            return Err(mistake);
        }
        let mut per_parent = None;
        if of_step && let Some(per) = self.accept_word(Keyword::Per) {
            per_parent = Some(per.to(self.expect_word(Keyword::Parent)?));
        }
        Ok(Top {
            count,
            per_parent,
            span: self.since(start),
        })
    }

    /// `(node) [SCORE expression] KEEP ...`.
    fn recover(&mut self, start: Span) -> Result<Recover> {
        self.note(Expected::Pattern);
        let node = self.node()?;
        let score = match self.accept_word(Keyword::Score) {
            Some(_) => Some(self.expression()?),
            None => None,
        };
        let keep = self.expect_word(Keyword::Keep)?;
        let keep = self.keep(keep, false)?;
        Ok(Recover {
            node,
            score,
            keep,
            span: self.since(start),
        })
    }

    /// `KEPT`, `CANDIDATES`.
    fn emit(&mut self, start: Span) -> Result<Emit> {
        let what = if self.accept_word(Keyword::Kept).is_some() {
            Emitted::Kept
        } else {
            self.expect_word(Keyword::Candidates)?;
            Emitted::Candidates
        };
        Ok(Emit {
            what,
            span: self.since(start),
        })
    }

    /// `limit unit [ON EXCEED ...]`.
    fn budget(&mut self, start: Span) -> Result<Budget> {
        let limit = self.expression()?;
        let unit = if self.accept_word(Keyword::Nodes).is_some() {
            BudgetUnit::Nodes
        } else if self.accept_word(Keyword::Edges).is_some() {
            BudgetUnit::Edges
        } else {
            self.expect_word(Keyword::Milliseconds)?;
            BudgetUnit::Milliseconds
        };
        let mut on_exceed = OnExceed::Error;
        if self.accept_word(Keyword::On).is_some() {
            self.expect_word(Keyword::Exceed)?;
            if self.accept_word(Keyword::Stop).is_some() {
                on_exceed = OnExceed::Stop;
            } else {
                self.expect_word(Keyword::Error)?;
            }
        }
        Ok(Budget {
            limit,
            unit,
            on_exceed,
            span: self.since(start),
        })
    }
}
