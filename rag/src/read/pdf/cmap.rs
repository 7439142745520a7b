//! What the codes of a font mean: the `ToUnicode` table that a PDF brings along.
//!
//! Ranges stay ranges: one that spans all codes costs no more than another. Not lopdf's own reader, which
//! writes every code of a range down.

use std::collections::HashMap;

/// The most entries of a table; a font has no more glyphs.
const MOST_ENTRIES: usize = 100_000;

/// What codes mean.
#[derive(Debug, Default)]
pub(super) struct CMap {
    /// By the number of bytes and the code.
    single: HashMap<(u8, u32), String>,
    /// In the order of bytes and first codes.
    ranges: Vec<Range>,
    /// How many bytes codes have, if the table says so.
    pub(super) code_bytes: Option<u8>,
}

#[derive(Debug)]
struct Range {
    bytes: u8,
    first: u32,
    last: u32,
    /// What the first code means; the last unit counts on.
    first_means: Vec<u16>,
}

/// A piece of the table.
#[derive(Debug, PartialEq)]
enum Token<'a> {
    Hex(Vec<u8>),
    Open,
    Close,
    Word(&'a [u8]),
}

impl CMap {
    /// Reads a table; what makes no sense in it is passed over.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut tokens = Tokens { rest: bytes };
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(b"begincodespacerange") => map.code_space(&mut tokens),
                Token::Word(b"beginbfchar") => map.chars(&mut tokens),
                Token::Word(b"beginbfrange") => map.read_ranges(&mut tokens),
                _ => {}
            }
        }
        map.ranges.sort_by_key(|range| (range.bytes, range.first));
        map
    }

    /// What a code of so many bytes means.
    pub(super) fn text(&self, bytes: u8, code: u32) -> Option<String> {
        if let Some(text) = self.single.get(&(bytes, code)) {
            return Some(text.clone());
        }
        let after = self
            .ranges
            .partition_point(|range| (range.bytes, range.first) <= (bytes, code));
        /// Ranges may lie within each other; so many that end before are looked past.
        const MOST_WITHIN: usize = 16;
        let before = self.ranges[..after].iter().rev().take(MOST_WITHIN);
        let mut before = before.take_while(|range| range.bytes == bytes);
        let range = before.find(|range| code <= range.last)?;
        let mut units = range.first_means.clone();
        let offset = u16::try_from(code - range.first).ok()?;
        let last = units.last_mut()?;
        *last = last.wrapping_add(offset);
        Some(String::from_utf16_lossy(&units))
    }

    fn code_space(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(low)) = tokens.next() {
            let bytes = u8::try_from(low.len()).unwrap_or(u8::MAX);
            self.code_bytes = Some(self.code_bytes.unwrap_or(0).max(bytes));
            tokens.next();
        }
    }

    fn chars(&mut self, tokens: &mut Tokens<'_>) {
        while let Some(Token::Hex(code)) = tokens.next() {
            let Some(Token::Hex(means)) = tokens.next() else {
                return;
            };
            self.insert(&code, &units(&means));
        }
    }

    fn read_ranges(&mut self, tokens: &mut Tokens<'_>) {
        loop {
            let Some(Token::Hex(first)) = tokens.next() else {
                return;
            };
            let Some(Token::Hex(last)) = tokens.next() else {
                return;
            };
            match tokens.next() {
                Some(Token::Hex(means)) => self.insert_range(&first, &last, units(&means)),
                Some(Token::Open) => {
                    let Some((bytes, mut code)) = number(&first) else {
                        return;
                    };
                    while let Some(Token::Hex(means)) = tokens.next() {
                        self.insert_code(bytes, code, &units(&means));
                        code = code.wrapping_add(1);
                    }
                }
                _ => return,
            }
        }
    }

    fn insert(&mut self, code: &[u8], means: &[u16]) {
        if let Some((bytes, code)) = number(code) {
            self.insert_code(bytes, code, means);
        }
    }

    fn insert_code(&mut self, bytes: u8, code: u32, means: &[u16]) {
        if self.single.len() < MOST_ENTRIES && !means.is_empty() {
            let text = String::from_utf16_lossy(means);
            self.single.insert((bytes, code), text);
        }
    }

    fn insert_range(&mut self, first: &[u8], last: &[u8], first_means: Vec<u16>) {
        let (Some((bytes, first)), Some((_, last))) = (number(first), number(last)) else {
            return;
        };
        if last >= first && self.ranges.len() < MOST_ENTRIES && !first_means.is_empty() {
            self.ranges.push(Range {
                bytes,
                first,
                last,
                first_means,
            });
        }
    }
}

/// A code of one to four bytes.
fn number(code: &[u8]) -> Option<(u8, u32)> {
    let bytes = u8::try_from(code.len())
        .ok()
        .filter(|bytes| (1..=4).contains(bytes))?;
    let number = code
        .iter()
        .fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    Some((bytes, number))
}

/// UTF-16, of which ligatures and the like have several units.
fn units(means: &[u8]) -> Vec<u16> {
    /// More than any ligature has.
    const MOST_UNITS: usize = 64;
    if let [one] = means {
        return vec![u16::from(*one)];
    }
    let (pairs, _) = means.as_chunks::<2>();
    let units = pairs.iter().map(|pair| u16::from_be_bytes(*pair));
    units.take(MOST_UNITS).collect()
}

struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest.trim_ascii_start();
            let (first, after) = rest.split_first()?;
            match first {
                b'%' => {
                    let end = after.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                    self.rest = &after[end.unwrap_or(after.len())..];
                }
                b'[' | b']' => {
                    self.rest = after;
                    return Some(if *first == b'[' {
                        Token::Open
                    } else {
                        Token::Close
                    });
                }
                b'<' if after.first() != Some(&b'<') => {
                    let end = after.iter().position(|byte| *byte == b'>');
                    let end = end.unwrap_or(after.len());
                    self.rest = after.get(end + 1..).unwrap_or_default();
                    return Some(Token::Hex(hex(&after[..end])));
                }
                _ => {
                    let stops = |byte: &u8| {
                        byte.is_ascii_whitespace() || matches!(byte, b'<' | b'[' | b']' | b'%')
                    };
                    let length = after.iter().position(stops).unwrap_or(after.len()) + 1;
                    self.rest = &rest[length..];
                    return Some(Token::Word(&rest[..length]));
                }
            }
        }
    }
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let digits = digits
        .iter()
        .filter_map(|byte| char::from(*byte).to_digit(16));
    let digits: Vec<u8> = digits
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_and_ranges() {
        let map = CMap::read(
            b"/CIDInit /ProcSet findresource begin 1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
              2 beginbfchar <0003> <0020> <0048> <00660069> endbfchar % a comment <00>\n\
              3 beginbfrange <0010><0012><0041> <0020> <0021> [<0058> <D83DDE00>] <00000000> <FFFFFFFF> <0041>\n\
              endbfrange end",
        );
        assert_eq!(map.code_bytes, Some(2));
        let text = |code| map.text(2, code);
        assert_eq!(text(3).as_deref(), Some(" "));
        assert_eq!(text(0x48).as_deref(), Some("fi"));
        assert_eq!(text(0x12).as_deref(), Some("C"));
        assert_eq!(text(0x13), None);
        assert_eq!(text(0x21).as_deref(), Some("😀"));
        assert_eq!(map.text(1, 3), None);
        // All codes in one range cost nothing.
        assert_eq!(map.text(4, 1).as_deref(), Some("B"));
    }

    #[test]
    fn a_range_within_another_does_not_hide_it() {
        let map =
            CMap::read(b"2 beginbfrange <0000> <ffff> <4e00> <0041> <0042> <0061> endbfrange");
        let text = |code| map.text(2, code);
        assert_eq!(text(0x42).as_deref(), Some("b"));
        assert_eq!(text(0x43).as_deref(), Some("\u{4e43}"));
    }

    proptest! {
        #[test]
        fn any_table_is_read(text in "(<[0-9a-f]{0,10}>|\\[|\\]|<<|begin(bfchar|bfrange|codespacerange)|%|\\n| |x){0,30}", code in any::<u32>()) {
            let map = CMap::read(text.as_bytes());
            for bytes in 0..6 {
                let _ = map.text(bytes, code);
            }
        }
    }
}
