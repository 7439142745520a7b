//! Cuts a text into words with what joins them, and runs of Han.
//!
//! A chunk reaches from a letter or figure to the last one that only joining signs connect with it:
//! `ISO-9001`, `1.234,56`, `GB/T`, `l'acqua`, `snake_case`. Its parts are what lies between the signs, except
//! that a number keeps its points and commas. Spans are bytes of the text as it was given.

use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Chunk {
    /// Letters and figures, whose parts are in [`Chunks::parts`]; `code` if the whole means something that its
    /// parts do not.
    Word { span: Range<usize>, code: bool },
    /// Han or kana without anything between.
    Han(Range<usize>),
}

/// Walks over the chunks of a text.
pub(super) struct Chunks<'a> {
    text: &'a str,
    at: usize,
    /// Of the last word.
    parts: Vec<Range<usize>>,
}

/// What a character does in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Letter,
    Figure,
    Han,
    /// Joins what stands on both sides of it.
    Joiner,
    /// Belongs to what it follows, and begins nothing: accents, and hyphens that are only seen at the end of a line.
    Mark,
    Other,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            parts: Vec::new(),
        }
    }

    /// The parts of the last word: nearly always one.
    pub(super) fn parts(&self) -> &[Range<usize>] {
        &self.parts
    }

    fn peek(&self, at: usize) -> Option<(char, Class)> {
        let bytes = self.text.as_bytes();
        if let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii()) {
            return Some((char::from(*byte), ASCII[usize::from(*byte)]));
        }
        let character = self.text.get(at..)?.chars().next()?;
        Some((character, class(character)))
    }

    /// The end of the run of Han that begins here.
    fn han(&self, from: usize) -> usize {
        let mut at = from;
        while let Some((character, class)) = self.peek(at)
            && (class == Class::Han || is_voicing(character))
        {
            at += character.len_utf8();
        }
        at
    }

    /// The word or code that begins here.
    fn word(&mut self, from: usize) -> (Chunk, usize) {
        self.parts.clear();
        let (mut begin, mut at) = (from, from);
        let (mut figures, mut sign) = (false, false);
        // What the last character was: a number is held together by points and commas between figures.
        let mut last = Class::Other;
        while let Some((character, kind)) = self.peek(at) {
            let next = at + character.len_utf8();
            match kind {
                Class::Letter | Class::Figure => {
                    figures |= kind == Class::Figure;
                    last = kind;
                }
                Class::Mark => {}
                Class::Joiner => {
                    let Some((_, after @ (Class::Letter | Class::Figure))) = self.peek(next) else {
                        break;
                    };
                    let decimal = matches!(ascii(character), '.' | ',');
                    let number = last == Class::Figure && after == Class::Figure;
                    if !(decimal && number) {
                        // A comma or a point without a space after it mostly is a slip; between letters it joins
                        // names such as `engine.rs`, but never as a comma.
                        if ascii(character) == ',' {
                            break;
                        }
                        self.parts.push(begin..at);
                        begin = next;
                        sign |= is_sign(ascii(character));
                    }
                    last = Class::Joiner;
                }
                Class::Han | Class::Other => break,
            }
            at = next;
        }
        self.parts.push(begin..at);
        let mut span = from..at;
        let letters_only_end = at;
        // `C++`, `C#`, `F#`: signs that end a name.
        let rest = self.text.get(at..).unwrap_or_default();
        if last == Class::Letter {
            if rest.starts_with("++") {
                span.end += 2;
            } else if rest.starts_with('#') {
                span.end += 1;
            }
        }
        // A version such as 2.1.3 or a number is one part; letters that only a hyphen joins are words.
        let underscored = self
            .text
            .get(span.clone())
            .is_some_and(|text| text.contains('_'));
        let code = !underscored && (figures || sign || span.end > letters_only_end);
        let end = span.end;
        (Chunk::Word { span, code }, end)
    }
}

impl Iterator for Chunks<'_> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        loop {
            let (character, class) = self.peek(self.at)?;
            match class {
                Class::Han => {
                    let begin = self.at;
                    self.at = self.han(begin);
                    return Some(Chunk::Han(begin..self.at));
                }
                Class::Letter | Class::Figure => {
                    let (chunk, end) = self.word(self.at);
                    self.at = end;
                    return Some(chunk);
                }
                Class::Other if character == '§' => {
                    let begin = self.at;
                    self.at += character.len_utf8();
                    if let Some((_, Class::Figure)) = self.peek(self.at) {
                        let (chunk, end) = self.word(self.at);
                        self.at = end;
                        return Some(with_paragraph(chunk, begin));
                    }
                }
                Class::Joiner | Class::Mark | Class::Other => self.at += character.len_utf8(),
            }
        }
    }
}

/// `§12` is a code of the part `12`.
fn with_paragraph(chunk: Chunk, begin: usize) -> Chunk {
    match chunk {
        Chunk::Word { span, .. } => Chunk::Word {
            span: begin..span.end,
            code: true,
        },
        han @ Chunk::Han(_) => han,
    }
}

/// The ASCII form of a full-width one.
fn ascii(character: char) -> char {
    match character {
        '\u{FF01}'..='\u{FF5E}' => {
            char::from_u32(u32::from(character) - 0xFEE0).unwrap_or(character)
        }
        other => other,
    }
}

/// Signs that make a code of letters: `GB/T`, `a@b.it`, `R&D`, `std::fmt`.
fn is_sign(character: char) -> bool {
    matches!(character, '/' | '@' | '.' | ':' | '&' | '+' | '\\')
}

pub(super) fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}' | '\u{02BC}' | '\u{FF07}')
}

const fn ascii_class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
        b'0'..=b'9' => Class::Figure,
        b'-' | b'_' | b'.' | b',' | b'/' | b':' | b'@' | b'&' | b'+' | b'\'' | b'\\' => {
            Class::Joiner
        }
        _ => Class::Other,
    }
}

/// Most of most texts.
const ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = ascii_class(byte as u8);
        byte += 1;
    }
    classes
};

fn class(character: char) -> Class {
    match character {
        '\u{FF01}'..='\u{FF5E}' => ascii_class(ascii(character) as u8),
        _ if is_apostrophe(character) => Class::Joiner,
        // Hyphens that look different and mean the same.
        '\u{2010}'..='\u{2012}' => Class::Joiner,
        '\u{00AD}' => Class::Mark,
        _ if is_han(character) => Class::Han,
        _ if is_combining_mark(character) => Class::Mark,
        _ if character.is_numeric() => Class::Figure,
        _ if character.is_alphabetic() => Class::Letter,
        _ => Class::Other,
    }
}

/// Marks that make another kana of the one before them: composed and apart they are one text.
pub(super) fn is_voicing(character: char) -> bool {
    matches!(character, '\u{3099}' | '\u{309A}' | '\u{FF9E}' | '\u{FF9F}')
}

/// Scripts without spaces whose characters mean something alone: Han, and kana with them. Radicals that are the same
/// as a character stand for it in texts taken from PDFs, and half-width kana are kana.
fn is_han(character: char) -> bool {
    matches!(character,
        '\u{2E9F}' | '\u{2EF3}' | '\u{2F00}'..='\u{2FD5}' | '\u{FF66}'..='\u{FF9F}' |
        '\u{3005}' | '\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{309D}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}'
        | '\u{30FC}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{323AF}')
}
