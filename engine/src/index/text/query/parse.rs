//! From what a person typed to a query, and back.
//!
//! ```text
//! words            any of them                +word "a phrase"   the first must be there
//! "a phrase"       right after each other     -word              must not be there
//! pref*            words that begin so        word^2             counts twice
//! ```
//! Nothing that is typed is an error: a quote that is not closed reaches to the end, a sign with nothing after it
//! is passed over, and so is what is beyond the limits of [`QueryLimits`]. Signs within a word belong to it:
//! `ISO-9001` and `C++` are words. A backslash takes a sign its meaning.

use super::{MAX_BOOST, Query, QueryLimits};
use std::fmt::{self, Write};

impl Query {
    /// The query of a search string. Never fails.
    ///
    /// ```
    /// use stratigraph::index::text::Query;
    ///
    /// let query = Query::parse("+graph \"vector index\" -tree hier*");
    /// assert_eq!(query.to_string(), "+graph \"vector index\" hier* -tree");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let limits = QueryLimits::DEFAULT;
        let end = text.floor_char_boundary(limits.bytes);
        let mut parser = Parser {
            rest: text.get(..end).unwrap_or_default(),
        };
        let (mut must, mut should, mut not) = (Vec::new(), Vec::new(), Vec::new());
        while must.len() + should.len() + not.len() < limits.leaves {
            let Some((sign, query)) = parser.part() else {
                break;
            };
            match sign {
                Sign::None => should.push(query),
                Sign::Must => must.push(query),
                Sign::Not => not.push(query),
            }
        }
        Self::Boolean { must, should, not }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    None,
    Must,
    Not,
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    /// The next part; `None` at the end.
    fn part(&mut self) -> Option<(Sign, Query)> {
        loop {
            self.rest = self.rest.trim_start();
            let first = self.rest.chars().next()?;
            let sign = match first {
                '+' => Sign::Must,
                '-' => Sign::Not,
                _ => Sign::None,
            };
            if sign != Sign::None {
                self.rest = self.rest.get(1..).unwrap_or_default();
            }
            let query = match self.rest.chars().next() {
                Some('"' | '\u{201C}' | '\u{201D}') => self.phrase(),
                Some(next) if !next.is_whitespace() => self.word(),
                _ => None,
            };
            if let Some(query) = query {
                return Some((sign, query));
            }
        }
    }

    fn phrase(&mut self) -> Option<Query> {
        self.take();
        let mut text = String::new();
        while let Some(next) = self.take() {
            match next {
                '"' | '\u{201C}' | '\u{201D}' => break,
                '\\' => text.push(self.take().unwrap_or('\\')),
                other => text.push(other),
            }
        }
        let boost = self.boost();
        (!text.trim().is_empty()).then(|| with_boost(Query::Phrase(text), boost))
    }

    fn word(&mut self) -> Option<Query> {
        let mut text = String::new();
        // Whether the last character is a sign, and not one that a backslash made a letter.
        let mut star = false;
        let mut boost = None;
        while let Some(next) = self.rest.chars().next() {
            if next.is_whitespace() || matches!(next, '"' | '\u{201C}' | '\u{201D}') {
                break;
            }
            if next == '^' && !text.is_empty() {
                boost = self.boost();
                if boost.is_some() {
                    break;
                }
            }
            self.take();
            star = next == '*';
            if next == '\\' {
                text.push(self.take().unwrap_or('\\'));
            } else {
                text.push(next);
            }
        }
        let query = match text.strip_suffix('*').filter(|_| star) {
            Some("") => return None,
            Some(prefix) => Query::Prefix(prefix.to_owned()),
            None if text.is_empty() => return None,
            None => Query::Term(text),
        };
        Some(with_boost(query, boost))
    }

    /// A boost, if one is here and a part ends with it.
    fn boost(&mut self) -> Option<f32> {
        let after = self.rest.strip_prefix('^')?;
        let end = after
            .find(|next: char| !(next.is_ascii_digit() || next == '.'))
            .unwrap_or(after.len());
        let (number, rest) = after.split_at(end);
        let ends = rest.chars().next().is_none_or(char::is_whitespace);
        let boost = number
            .parse::<f32>()
            .ok()
            .filter(|boost| ends && (0.0..=MAX_BOOST).contains(boost))?;
        self.rest = rest;
        Some(boost)
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }
}

fn with_boost(query: Query, boost: Option<f32>) -> Query {
    match boost {
        Some(boost) => query.boosted(boost),
        None => query,
    }
}

/// The search string of a query that was parsed. Groups within groups, which cannot be typed, are put in
/// parentheses, for people to read.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean { must, should, not } => {
                let must = must.iter().map(|part| ("+", part));
                let should = should.iter().map(|part| ("", part));
                let not = not.iter().map(|part| ("-", part));
                for (at, (sign, part)) in must.chain(should).chain(not).enumerate() {
                    if at > 0 {
                        f.write_char(' ')?;
                    }
                    match part {
                        Self::Boolean { .. } => write!(f, "{sign}({part})")?,
                        _ => write!(f, "{sign}{part}")?,
                    }
                }
                Ok(())
            }
            Self::Term(text) => write_word(f, text),
            Self::Prefix(text) => {
                write_word(f, text)?;
                f.write_char('*')
            }
            Self::Phrase(text) => {
                f.write_char('"')?;
                for next in text.chars() {
                    if matches!(next, '"' | '\\' | '\u{201C}' | '\u{201D}') {
                        f.write_char('\\')?;
                    }
                    f.write_char(next)?;
                }
                f.write_char('"')
            }
            Self::Boosted(query, boost) => write!(f, "{query}^{boost}"),
        }
    }
}

fn write_word(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for (at, next) in text.chars().enumerate() {
        let is_sign = matches!(next, '"' | '\\' | '^' | '*' | '\u{201C}' | '\u{201D}')
            || next.is_whitespace()
            || at == 0 && matches!(next, '+' | '-');
        if is_sign {
            f.write_char('\\')?;
        }
        f.write_char(next)?;
    }
    Ok(())
}
