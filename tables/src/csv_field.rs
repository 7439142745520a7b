//! Fields of CSV as they are written (RFC 4180), so that `csv_reader.rs` and spreadsheets read the same text again.
//!
//! What is no text, null among it, is the business of whoever writes: null is nothing at all between two delimiters.

use std::borrow::Cow;

/// A text as a field: in quotes if a reader would take it apart otherwise, or trim it, or take it for null.
///
/// ```
/// use stratigraph_tables::csv_field::quoted;
///
/// assert_eq!(quoted("plain text"), "plain text");
/// assert_eq!(quoted("say \"so\", Bob"), "\"say \"\"so\"\", Bob\"");
/// assert_eq!(quoted(""), "\"\"");
/// ```
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    let apart = text.contains([',', '"', '\n', '\r']);
    let blank = text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    if text.is_empty() || apart || blank {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;
    use crate::{CsvReader, Next, Signs};

    #[test]
    fn what_is_written_is_what_is_read() {
        let texts = [
            "",
            "plain text",
            "a,b",
            "say \"so\"",
            "\"",
            "two\nlines",
            "one\r",
            "one\rtwo",
            " blank",
            "blank\t",
            ",",
            "é",
        ];
        let fields: Vec<_> = texts.iter().map(|text| quoted(text)).collect();
        let line = fields.join(",") + "\n";
        let mut reader = CsvReader::new(line.as_bytes(), "f".into(), Signs::default(), 1000);
        assert!(matches!(reader.read(), Ok(Next::Record)), "{line:?}");
        assert_eq!(reader.width(), texts.len());
        for (at, text) in texts.iter().enumerate() {
            let field = reader.field(at).unwrap();
            assert_eq!(field.text, *text);
            assert_eq!(field.quoted, fields[at].starts_with('"'), "{text:?}");
        }
        let in_quotes = |text: &&&str| quoted(text).starts_with('"');
        assert_eq!(texts.iter().filter(in_quotes).count(), 10);
    }
}
