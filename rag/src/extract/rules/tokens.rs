//! Words of scripts that have words, with what is needed to tell a name from a word.

use std::ops::Range;

use super::super::language::is_han;

/// A word or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it begins with a capital letter.
    pub(super) capital: bool,
    /// Whether it has more than one letter and all are capitals.
    pub(super) capitals: bool,
    /// Whether it begins with a digit.
    pub(super) number: bool,
}

impl Token {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn is_word(&self) -> bool {
        !self.number
    }
}

/// The words and numbers of a text that begins at this byte of its document. Addresses are none.
pub(super) fn tokens(text: &str, start: usize) -> impl Iterator<Item = Token> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let from = at + rest.find(|sign: char| sign.is_alphanumeric() && !is_wide(sign))?;
            let end = end_of_word(text, from);
            at = end;
            if text[end..].starts_with("://") || text[from..end].eq_ignore_ascii_case("www") {
                let tail = &text[end..];
                at = end + tail.find(char::is_whitespace).unwrap_or(tail.len());
                continue;
            }
            return Some(token(text, from..end, start));
        }
    })
}

fn token(text: &str, span: Range<usize>, start: usize) -> Token {
    let word = &text[span.clone()];
    let first = word.chars().next().unwrap_or(' ');
    let capital = first.is_uppercase();
    let capitals = || {
        let mut letters = word.chars().filter(|sign| sign.is_alphabetic());
        letters.clone().nth(1).is_some() && letters.all(char::is_uppercase)
    };
    Token {
        start: start + span.start,
        end: start + span.end,
        capital,
        capitals: capital && capitals(),
        number: first.is_numeric(),
    }
}

/// A word may have a hyphen or an ampersand within, a number its signs.
fn end_of_word(text: &str, from: usize) -> usize {
    let mut signs = text[from..].char_indices().peekable();
    let mut before = ' ';
    while let Some((at, sign)) = signs.next() {
        if is_wide(sign) {
            return from + at;
        }
        if !sign.is_alphanumeric() {
            let after = signs.peek().map_or(' ', |(_, sign)| *sign);
            let joins = match sign {
                '-' | '&' => before.is_alphabetic() && after.is_alphabetic(),
                '/' | '.' | ',' => before.is_ascii_digit() && after.is_ascii_digit(),
                _ => false,
            };
            if !joins || is_wide(after) {
                return from + at;
            }
        }
        before = sign;
    }
    text.len()
}

/// Scripts without blanks between words.
pub(super) fn is_wide(sign: char) -> bool {
    is_han(sign) || matches!(sign as u32, 0x3041..=0x30FF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_no_addresses() {
        let text = "AT&T's X-ray, 1.5 m; D.Lgs. 50/2016: https://a.b/C?d=E www.f.g 用GDP表 È";
        let words: Vec<&str> = tokens(text, 0).map(|token| token.text(text)).collect();
        assert_eq!(
            words,
            [
                "AT&T", "s", "X-ray", "1.5", "m", "D", "Lgs", "50/2016", "GDP", "È"
            ]
        );
        let moved = tokens("Ab", 7).next().unwrap();
        assert_eq!(
            (moved.start, moved.end, moved.capital, moved.capitals),
            (7, 9, true, false)
        );
    }
}
