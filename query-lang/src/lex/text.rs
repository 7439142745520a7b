//! Strings and quoted names: what their escapes mean.
//!
//! Next: `number.rs`.

use crate::error::ParseErrorKind;
use crate::span::Span;

/// An escape that is none: its kind, its place in the quoted text, and what is wrong.
pub(crate) struct BadEscape {
    pub(crate) kind: ParseErrorKind,
    pub(crate) span: Span,
    pub(crate) message: &'static str,
}

/// The name that a word or a name in backquotes stands for.
pub(crate) fn decode_name(text: &str) -> Result<String, BadEscape> {
    if text.starts_with('`') {
        decode(text)
    } else {
        Ok(text.to_owned())
    }
}

/// What stands between the quotes of `text`, which begins and ends with one.
pub(crate) fn decode(text: &str) -> Result<String, BadEscape> {
    let Some(quote) = text.chars().next() else {
        return Ok(String::new());
    };
    let body = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let mut decoded = String::with_capacity(body.len());
    let mut at = 0;
    while let Some(rest) = body.get(at..) {
        let Some(special) = rest.find(['\\', quote]) else {
            decoded.push_str(rest);
            break;
        };
        decoded.push_str(&rest[..special]);
        at += special;
        // A quote that stands inside is doubled.
        let length = if body.as_bytes()[at] == b'\\' {
            let (character, length) = escape(&body[at..]).map_err(|(kind, message, length)| {
                let place = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
                BadEscape {
                    kind,
                    message,
                    span: Span::new(place(at), place(at + length)),
                }
            })?;
            decoded.push(character);
            length
        } else {
            decoded.push(quote);
            2
        };
        at += length;
    }
    Ok(decoded)
}

type Escaped = Result<(char, usize), (ParseErrorKind, &'static str, usize)>;

/// The character that the escape at the beginning of `text` stands for, and how long the escape is.
fn escape(text: &str) -> Escaped {
    let mut characters = text.chars();
    characters.next();
    let Some(letter) = characters.next() else {
        return Err((
            ParseErrorKind::UnexpectedSyntax,
            "an escape without its letter",
            1,
        ));
    };
    let character = match letter {
        '\\' | '\'' | '"' | '`' => letter,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return four_digits(text),
        'U' => return many_digits(text),
        _ => {
            let length = 1 + letter.len_utf8();
            return Err((ParseErrorKind::UnexpectedSyntax, "no such escape", length));
        }
    };
    Ok((character, 2))
}

/// The number of `count` hexadecimal digits after the first two bytes.
fn digits(text: &str, count: usize) -> Option<u32> {
    let digits = text.get(2..2 + count)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

const BAD_UNICODE: ParseErrorKind = ParseErrorKind::InvalidUnicodeLiteral;

fn four_digits(text: &str) -> Escaped {
    let Some(first) = digits(text, 4) else {
        return Err((BAD_UNICODE, "'\\u' needs four hexadecimal digits", 2));
    };
    if let Some(character) = char::from_u32(first) {
        return Ok((character, 6));
    }
    // Half of a pair: the other half has to follow.
    let second = text.get(6..).filter(|rest| rest.starts_with("\\u"));
    match second.and_then(|rest| digits(rest, 4)) {
        Some(second @ 0xDC00..=0xDFFF) if first < 0xDC00 => {
            let number = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            Ok((
                char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
                12,
            ))
        }
        _ => Err((BAD_UNICODE, "half of a surrogate pair is no character", 6)),
    }
}

/// Eight digits, or six as the grammar of openCypher has it.
fn many_digits(text: &str) -> Escaped {
    for count in [8, 6] {
        if let Some(character) = digits(text, count).and_then(char::from_u32) {
            return Ok((character, 2 + count));
        }
    }
    Err((
        BAD_UNICODE,
        "'\\U' needs the eight hexadecimal digits of a character",
        2,
    ))
}
