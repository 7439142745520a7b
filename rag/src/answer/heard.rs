//! The sentences in JSON that is still being written: what somebody who watches wants to read.
//!
//! It decides nothing. What is no JSON gives nothing, or some words of it, and the whole reply is read once more when it
//! is there.

/// The name of what is read.
const NAME: &str = "sentence";
/// Names are no longer than this; what goes on is a value.
const LONGEST_NAME: usize = 32;

/// Reads values of the name `sentence` out of pieces of JSON.
#[derive(Debug, Default)]
pub(super) struct Sentences {
    place: Place,
    /// The last string, if it may be a name.
    name: String,
    /// Whether the string under way is what is read.
    is_wanted: bool,
    /// Half of a sign that JSON writes in two.
    high: Option<u32>,
    /// How many were begun.
    begun: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum Place {
    #[default]
    Outside,
    /// After a string, which is a name if a colon comes.
    AfterString,
    /// After the colon behind a name.
    AfterColon,
    String,
    /// After a backslash.
    Escape,
    /// Within `\u`, with so many digits.
    Unicode(u32, u8),
}

impl Sentences {
    /// What of the sentences this piece has. A blank comes between two of them.
    pub(super) fn hear(&mut self, piece: &str) -> String {
        let mut text = String::new();
        for sign in piece.chars() {
            self.place = self.next(sign, &mut text);
        }
        text
    }

    fn next(&mut self, sign: char, text: &mut String) -> Place {
        match (self.place, sign) {
            (Place::String, '"') => Place::AfterString,
            (Place::String, '\\') => Place::Escape,
            (Place::String, sign) => self.put(sign, text),
            (Place::Escape, 'u') => Place::Unicode(0, 0),
            (Place::Escape, 'n' | 't' | 'r' | 'b' | 'f') => self.put(' ', text),
            (Place::Escape, sign) => self.put(sign, text),
            (Place::Unicode(code, digits), sign) => match sign.to_digit(16) {
                Some(digit) if digits < 3 => Place::Unicode(code * 16 + digit, digits + 1),
                Some(digit) => self.unicode(code * 16 + digit, text),
                None => Place::String,
            },
            (_, '"') => {
                let follows = self.place == Place::AfterColon;
                self.is_wanted = follows && self.name == NAME;
                if self.is_wanted {
                    if self.begun > 0 {
                        text.push(' ');
                    }
                    self.begun += 1;
                }
                self.name.clear();
                Place::String
            }
            (Place::AfterString, ':') if !self.is_wanted => Place::AfterColon,
            (place, sign) if sign.is_whitespace() => place,
            _ => Place::Outside,
        }
    }

    fn put(&mut self, sign: char, text: &mut String) -> Place {
        match self.is_wanted {
            true => text.push(sign),
            false if self.name.len() < LONGEST_NAME => self.name.push(sign),
            false => {}
        }
        Place::String
    }

    fn unicode(&mut self, code: u32, text: &mut String) -> Place {
        let code = match (self.high.take(), code) {
            (_, 0xD800..=0xDBFF) => {
                self.high = Some(code);
                return Place::String;
            }
            (Some(high), 0xDC00..=0xDFFF) => 0x1_0000 + ((high - 0xD800) << 10) + (code - 0xDC00),
            (_, code) => code,
        };
        self.put(
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
            text,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(json: &str, size: usize) -> String {
        let mut sentences = Sentences::default();
        let signs: Vec<char> = json.chars().collect();
        let pieces = signs
            .chunks(size)
            .map(|piece| piece.iter().collect::<String>());
        pieces.map(|piece| sentences.hear(&piece)).collect()
    }

    #[test]
    fn sentences_are_heard_whatever_the_pieces() {
        let json = r#"{"answer": [{"sentence": "Basalt \"was\" l\u00e4va \ud83d\ude00.", "sources": [1]},
            {"sources": [2], "sentence" : "It ran:\nfar."}], "analysis": "\"sentence\": \"no\""}"#;
        for size in [1, 2, 7, 1000] {
            assert_eq!(
                heard(json, size),
                "Basalt \"was\" läva 😀. It ran: far.",
                "{size}"
            );
        }
    }

    #[test]
    fn what_is_no_json_harms_nobody() {
        for text in [
            "",
            "Here it is: \"sentence\"",
            "{\"sentence\": 3}",
            "{\"sentence\"",
            "\\u\\\"\"\\uD800\"",
            "\"sentence\": \"\\uDC00\\uZZ",
            &"\"".repeat(10_000),
        ] {
            let heard = heard(text, 3);
            assert!(
                heard.chars().all(|sign| sign == '\u{fffd}' || sign == 'Z'),
                "{heard:?}"
            );
        }
        // A list of names that is a value is none.
        assert_eq!(heard(r#"{"a": "sentence", "b": "x"}"#, 1), "");
    }
}
