//! Numbers: where they end, and what they are worth.
//!
//! Next: `crate::parser`.

use super::TokenKind;

/// What a whole number is worth, without its sign.
pub(crate) enum Magnitude {
    /// It fits.
    Fits(i64),
    /// 2^63: it fits with a minus before it.
    Smallest,
    /// It does not fit.
    TooLarge,
}

/// The kind and end of the number that begins at `start`. `name_end` tells where the characters of
/// names end: a number that runs into such is none.
pub(super) fn scan(
    text: &str,
    start: usize,
    name_end: impl Fn(usize) -> usize,
) -> (TokenKind, usize) {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let digits = |mut at: usize| {
        while byte(at).is_ascii_digit() || (byte(at) == b'_' && byte(at + 1).is_ascii_digit()) {
            at += 1;
        }
        at
    };
    let whole_word = |digit: fn(&u8) -> bool| {
        let end = name_end(start);
        let body = &bytes[(start + 2).min(end)..end];
        let good = body.iter().all(|byte| digit(byte) || *byte == b'_')
            && body.last().is_some_and(digit)
            && !text[start..end].contains("__");
        (
            if good {
                TokenKind::Integer
            } else {
                TokenKind::BadNumber
            },
            end,
        )
    };
    if byte(start) == b'0' {
        match byte(start + 1) {
            b'x' | b'X' => return whole_word(u8::is_ascii_hexdigit),
            b'o' | b'O' => return whole_word(|byte| matches!(byte, b'0'..=b'7')),
            _ => {}
        }
    }
    let mut kind = TokenKind::Integer;
    let mut end = digits(start);
    if byte(end) == b'.' && byte(end + 1) != b'.' {
        let after = byte(end + 1);
        let name = after >= 0x80 || after == b'_' || after == b'`' || after.is_ascii_alphabetic();
        if after.is_ascii_digit() || !name {
            kind = TokenKind::Float;
            end = digits(end + 1);
        }
    }
    if matches!(byte(end), b'e' | b'E') {
        let sign = usize::from(matches!(byte(end + 1), b'+' | b'-'));
        if byte(end + 1 + sign).is_ascii_digit() {
            kind = TokenKind::Float;
            end = digits(end + 1 + sign);
        }
    }
    if kind == TokenKind::Float
        && matches!(byte(end), b'f' | b'F' | b'd' | b'D')
        && name_end(end) == end + 1
    {
        return (kind, end + 1);
    }
    let word = name_end(end);
    if word > end {
        return (TokenKind::BadNumber, word);
    }
    (kind, end)
}

/// What the digits of a [`TokenKind::Integer`] are worth.
pub(crate) fn magnitude(digits: &str) -> Magnitude {
    let digits = digits.replace('_', "");
    let (body, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'o' | b'O', ..] => (&digits[2..], 8),
        _ => (&*digits, 10),
    };
    match u64::from_str_radix(body, radix) {
        Ok(number) => match i64::try_from(number) {
            Ok(number) => Magnitude::Fits(number),
            Err(_) if number == 1 << 63 => Magnitude::Smallest,
            Err(_) => Magnitude::TooLarge,
        },
        Err(_) => Magnitude::TooLarge,
    }
}

/// What a [`TokenKind::Float`] is worth; `None` if it does not fit.
pub(crate) fn float(digits: &str) -> Option<f64> {
    let digits = digits.replace('_', "");
    let number: f64 = digits.trim_end_matches(['f', 'F', 'd', 'D']).parse().ok()?;
    number.is_finite().then_some(number)
}
