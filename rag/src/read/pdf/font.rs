//! Fonts: from the bytes of a string to characters and their widths.

use std::collections::HashMap;

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_16BE};
use lopdf::{Dictionary, Document, Object};

use super::cmap::CMap;

/// What a table of a font may unpack to.
const MOST_TABLE_BYTES: usize = 16 << 20;

/// A font as far as text needs it.
#[derive(Debug)]
pub(super) struct Font {
    pub(super) bold: bool,
    to_unicode: CMap,
    codes: Codes,
    widths: HashMap<u32, f64>,
    default_width: f64,
    /// From the units of widths to those of text.
    scale: f64,
}

/// How strings are taken apart, and what codes mean where no table says it.
#[derive(Debug)]
enum Codes {
    /// One byte each.
    Bytes(Box<[Option<String>; 256]>),
    /// Two bytes each; what they mean only a table knows.
    Pairs,
    /// An encoding of texts.
    Text(&'static Encoding),
}

/// A character of a string.
#[derive(Debug, PartialEq)]
pub(super) struct Letter {
    /// What it means; nothing if the font does not say.
    pub(super) text: Option<String>,
    /// How far it goes, in units of the size.
    pub(super) width: f64,
    /// Whether it is the blank that word spacing is for.
    pub(super) blank: bool,
}

impl Font {
    pub(super) fn read(document: &Document, font: &Dictionary) -> Self {
        let kind = name(font, b"Subtype");
        let mut to_unicode = CMap::default();
        if let Ok(Object::Stream(table)) = font.get_deref(b"ToUnicode", document)
            && let Ok(bytes) = table.get_plain_content_with_limit(MOST_TABLE_BYTES)
        {
            to_unicode = CMap::read(&bytes);
        }
        let base = name(font, b"BaseFont");
        let base = String::from_utf8_lossy(base).to_lowercase();
        let mut read = Self {
            bold: ["bold", "black", "heavy", "semibold"]
                .iter()
                .any(|word| base.contains(word)),
            to_unicode,
            codes: Codes::Pairs,
            widths: HashMap::new(),
            default_width: 0.5,
            scale: 0.001,
        };
        if kind == b"Type0" {
            read.composite(document, font);
        } else {
            read.simple(document, font, kind == b"Type3");
        }
        read
    }

    /// The letters of a string.
    pub(super) fn letters(&self, bytes: &[u8]) -> Vec<Letter> {
        match &self.codes {
            Codes::Bytes(table) => {
                let letters = bytes.iter().map(|byte| {
                    let code = u32::from(*byte);
                    let told = self.to_unicode.text(1, code);
                    let text = told.or_else(|| table[usize::from(*byte)].clone());
                    self.letter(text, code, *byte == b' ')
                });
                letters.collect()
            }
            Codes::Pairs => {
                let wide = usize::from(self.to_unicode.code_bytes.unwrap_or(2).clamp(1, 4));
                let letters = bytes.chunks(wide).map(|chunk| {
                    let code = chunk
                        .iter()
                        .fold(0_u32, |code, byte| code << 8 | u32::from(*byte));
                    let bytes = u8::try_from(chunk.len()).unwrap_or(0);
                    self.letter(self.to_unicode.text(bytes, code), code, false)
                });
                letters.collect()
            }
            Codes::Text(encoding) => self.encoded(bytes, encoding),
        }
    }

    fn encoded(&self, bytes: &[u8], encoding: &'static Encoding) -> Vec<Letter> {
        let mut letters = Vec::new();
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            let pair = *encoding == *UTF_16BE || *first >= 0x81;
            let length = if pair { 2.min(rest.len()) } else { 1 };
            let (code, after) = rest.split_at(length);
            rest = after;
            let number = code
                .iter()
                .fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
            let told = self
                .to_unicode
                .text(u8::try_from(length).unwrap_or(0), number);
            let (text, bad) = encoding.decode_without_bom_handling(code);
            let text = told.or_else(|| (!bad).then(|| text.into_owned()));
            letters.push(self.letter(text, number, false));
        }
        letters
    }

    fn letter(&self, text: Option<String>, code: u32, blank: bool) -> Letter {
        let width = self.widths.get(&code).copied();
        Letter {
            text,
            width: width.map_or(self.default_width, |width| width * self.scale),
            blank,
        }
    }

    /// A font of one-byte codes.
    fn simple(&mut self, document: &Document, font: &Dictionary, drawn: bool) {
        if drawn
            && let Ok(Object::Array(matrix)) = font.get_deref(b"FontMatrix", document)
            && let Some(scale) = matrix.first().and_then(|first| first.as_float().ok())
        {
            self.scale = f64::from(scale).abs();
        }
        let first = font.get_deref(b"FirstChar", document);
        let first = first.and_then(Object::as_i64).unwrap_or(0);
        let first = u32::try_from(first).unwrap_or(0);
        if let Ok(Object::Array(widths)) = font.get_deref(b"Widths", document) {
            for (code, width) in (first..=255).zip(widths) {
                let width = document
                    .dereference(width)
                    .and_then(|(_, width)| width.as_float());
                if let Ok(width) = width {
                    self.widths.insert(code, f64::from(width));
                }
            }
        }
        if let Ok(Object::Dictionary(descriptor)) = font.get_deref(b"FontDescriptor", document) {
            let missing = descriptor.get_deref(b"MissingWidth", document);
            if let Ok(missing) = missing.and_then(Object::as_float) {
                self.default_width = f64::from(missing) * self.scale;
            }
            self.described(document, descriptor);
        }
        self.codes = Codes::Bytes(Box::new(table(document, font)));
    }

    /// A font of longer codes.
    fn composite(&mut self, document: &Document, font: &Dictionary) {
        self.codes = match name(font, b"Encoding") {
            encoding if encoding.starts_with(b"Uni") => Codes::Text(UTF_16BE),
            encoding if encoding.starts_with(b"GB") => Codes::Text(GBK),
            encoding if encoding.starts_with(b"90") => Codes::Text(SHIFT_JIS),
            encoding if encoding.starts_with(b"ETen") || encoding.starts_with(b"B5") => {
                Codes::Text(BIG5)
            }
            encoding if encoding.starts_with(b"KSC") => Codes::Text(EUC_KR),
            _ => Codes::Pairs,
        };
        self.default_width = 1.0;
        let Ok(Object::Array(below)) = font.get_deref(b"DescendantFonts", document) else {
            return;
        };
        let below = below.first().map(|below| document.dereference(below));
        let Some(Ok((_, Object::Dictionary(below)))) = below else {
            return;
        };
        let default = below.get_deref(b"DW", document);
        if let Ok(default) = default.and_then(Object::as_float) {
            self.default_width = f64::from(default) * self.scale;
        }
        if let Ok(Object::Dictionary(descriptor)) = below.get_deref(b"FontDescriptor", document) {
            self.described(document, descriptor);
        }
        if let Ok(Object::Array(widths)) = below.get_deref(b"W", document) {
            self.wide(document, widths);
        }
    }

    /// Widths of glyphs: `first [w w w]` or `first last w`.
    fn wide(&mut self, document: &Document, widths: &[Object]) {
        /// As many as a font may have.
        const MOST: usize = 1 << 16;
        let mut rest = widths.iter();
        while let Some(first) = rest.next() {
            let Some(first) = whole(document, first) else {
                return;
            };
            match rest.next().map(|next| document.dereference(next)) {
                Some(Ok((_, Object::Array(list)))) => {
                    for (code, width) in (first..).zip(list) {
                        if let (Ok(width), true) = (width.as_float(), self.widths.len() < MOST) {
                            self.widths.insert(code, f64::from(width));
                        }
                    }
                }
                Some(Ok((_, last))) => {
                    let (Ok(last), Some(width)) = (last.as_i64(), rest.next()) else {
                        return;
                    };
                    let Ok(width) = width.as_float() else { return };
                    let last = u32::try_from(last).unwrap_or(0);
                    for code in (first..=last).take(MOST.saturating_sub(self.widths.len())) {
                        self.widths.insert(code, f64::from(width));
                    }
                }
                _ => return,
            }
        }
    }

    /// What the descriptor adds: weight.
    fn described(&mut self, document: &Document, descriptor: &Dictionary) {
        /// The flag of fonts that are bold whatever their name.
        const FORCE_BOLD: i64 = 1 << 18;
        let number = |key: &[u8]| descriptor.get_deref(key, document).and_then(Object::as_i64);
        self.bold |= number(b"Flags").is_ok_and(|flags| flags & FORCE_BOLD != 0)
            || number(b"FontWeight").is_ok_and(|weight| weight >= 600);
    }
}

fn whole(document: &Document, object: &Object) -> Option<u32> {
    let (_, object) = document.dereference(object).ok()?;
    u32::try_from(object.as_i64().ok()?).ok()
}

fn name<'d>(dictionary: &'d Dictionary, key: &[u8]) -> &'d [u8] {
    dictionary
        .get(key)
        .and_then(Object::as_name)
        .unwrap_or_default()
}

/// What one-byte codes mean by the encoding of the font.
fn table(document: &Document, font: &Dictionary) -> [Option<String>; 256] {
    let mut table = [const { None }; 256];
    let encoding = font.get_deref(b"Encoding", document);
    let (base, differences) = match encoding {
        Ok(Object::Name(base)) => (base.as_slice(), None),
        Ok(Object::Dictionary(encoding)) => {
            let differences = encoding.get_deref(b"Differences", document);
            let differences = differences.and_then(Object::as_array).ok();
            (name(encoding, b"BaseEncoding"), differences)
        }
        _ => (b"".as_slice(), None),
    };
    let base = match base {
        // Without a word of its own, what most programs write is nearer than the standard.
        b"" => b"WinAnsiEncoding".as_slice(),
        base => base,
    };
    let base = of_encoding(Object::Name(base.to_vec()));
    for (code, slot) in (0..=255_u8).zip(&mut table) {
        *slot = decoded(document, &base, code);
    }
    let mut code = 0_usize;
    for one in differences.into_iter().flatten() {
        match one {
            Object::Integer(next) => code = usize::try_from(*next).unwrap_or(256),
            Object::Name(glyph) => {
                if let Some(slot) = table.get_mut(code) {
                    *slot = glyph_text(document, glyph);
                }
                code += 1;
            }
            _ => {}
        }
    }
    table
}

/// A font that has this encoding and nothing else.
fn of_encoding(encoding: Object) -> Dictionary {
    let mut font = Dictionary::new();
    font.set("Type", Object::Name(b"Font".to_vec()));
    font.set("Encoding", encoding);
    font
}

fn decoded(document: &Document, font: &Dictionary, code: u8) -> Option<String> {
    let encoding = font.get_font_encoding(document).ok()?;
    let text = encoding.bytes_to_string(&[code]).ok()?;
    let shown = text
        .chars()
        .all(|one| !one.is_control() && one != '\u{fffd}');
    (shown && !text.is_empty()).then_some(text)
}

/// What a glyph of that name means.
fn glyph_text(document: &Document, glyph: &[u8]) -> Option<String> {
    /// The parts of a ligature's name are looked into one by one.
    const LONGEST: usize = 100;
    let named = std::str::from_utf8(glyph).ok()?;
    if named.len() > LONGEST {
        return None;
    }
    let plain = named.split('.').next().unwrap_or_default();
    let digits = plain
        .strip_prefix("uni")
        .or_else(|| plain.strip_prefix('u'));
    if let Some(digits) = digits
        && (4..=6).contains(&digits.len())
        && let Ok(code) = u32::from_str_radix(digits, 16)
    {
        return char::from_u32(code).map(String::from);
    }
    if let Some((first, second)) = plain.split_once('_') {
        // A ligature by the names of its parts.
        let parts = [first, second].map(|part| glyph_text(document, part.as_bytes()));
        return parts.into_iter().collect();
    }
    let mut encoding = Dictionary::new();
    let differences = [Object::Integer(0), Object::Name(plain.as_bytes().to_vec())];
    encoding.set("Differences", Object::Array(differences.into()));
    let font = of_encoding(Object::Dictionary(encoding));
    // A name that nobody knows leaves the standard encoding, in which this code is nothing.
    decoded(document, &font, 0)
}
