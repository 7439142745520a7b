//! Front matter: what a document says of itself between two lines of `---` or `+++` before its text.
//!
//! Of YAML it reads what front matter is made of in practice: names with plain or quoted values (`quoted.rs`), and
//! lists of those. The rest of YAML (anchors, nested maps, tags, folded text) is refused by name, as half-read
//! metadata would make filters lie. TOML is read whole; its tables are refused likewise.

mod quoted;

use std::collections::HashSet;

use super::{Place, ReadError};
use crate::{Datum, Metadata};
use quoted::quoted;
use stratigraph_tables::excerpt;

/// What stood before the text.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    /// What it says.
    pub(super) metadata: Metadata,
    /// Where the text begins.
    pub(super) end: usize,
}

impl FrontMatter {
    /// What the document calls itself.
    pub(super) fn title(&self) -> Option<&str> {
        self.metadata.get("title").and_then(Datum::as_str)
    }
}

/// Reads what stands before the text, if anything does.
pub(super) fn read(id: &str, text: &str) -> Result<FrontMatter, ReadError> {
    for fence in ["---", "+++"] {
        let Some(rest) = text.strip_prefix(fence) else {
            continue;
        };
        let Some((rest, begins)) = after_line_break(rest, fence.len()) else {
            continue;
        };
        // Without an end it is a ruler and text.
        let Some((length, end)) = fenced(rest, fence) else {
            continue;
        };
        let inner = &rest[..length];
        let front = Front { id, text, begins };
        let metadata = match fence {
            "---" => front.yaml(inner)?,
            _ => front.toml(inner)?,
        };
        return Ok(FrontMatter {
            metadata,
            end: begins + end,
        });
    }
    Ok(FrontMatter::default())
}

/// What follows the line break here, and where that is.
fn after_line_break(rest: &str, at: usize) -> Option<(&str, usize)> {
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    let rest = rest[blank..].strip_prefix('\n')?;
    Some((rest, at + blank + 1))
}

/// How long the text before the closing fence is, and where the line of that ends.
fn fenced(rest: &str, fence: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare == fence || (fence == "---" && bare == "...") {
            return Some((at, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// What quotations begin with.
const QUOTES: [char; 2] = ['"', '\''];

struct Front<'a> {
    id: &'a str,
    text: &'a str,
    begins: usize,
}

impl Front<'_> {
    fn toml(&self, inner: &str) -> Result<Metadata, ReadError> {
        let table: toml::Table = toml::from_str(inner).map_err(|error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            self.error(at, error.message().to_owned(), "mend the TOML")
        })?;
        let mut metadata = Metadata::new();
        for (name, value) in table {
            let value = of_toml(value).map_err(|(is, hint)| {
                let reason = format!("`{}` {is}", excerpt(&name));
                self.error(0, reason, hint)
            })?;
            metadata.insert(name, value);
        }
        Ok(metadata)
    }

    fn yaml(&self, inner: &str) -> Result<Metadata, ReadError> {
        let mut metadata = Metadata::new();
        // Also names that say nothing: of two of a name nobody knows which is meant.
        let mut names = HashSet::new();
        // The name whose value is a list on the lines after it, and what it has so far.
        let mut list: Option<(String, Vec<Datum>)> = None;
        let mut at = 0;
        for line in inner.split_inclusive('\n') {
            let (start, bare) = (at, line.trim());
            at += line.len();
            if bare.is_empty() || bare.starts_with('#') {
                continue;
            }
            if let Some(item) = bare.strip_prefix("- ").or((bare == "-").then_some("")) {
                let Some((_, items)) = &mut list else {
                    let hint = "write `name:` before it";
                    return Err(self.error(start, "a list without a name".to_owned(), hint));
                };
                let item = item.trim();
                if !item.starts_with(QUOTES) && (item.contains(": ") || item.ends_with(':')) {
                    let reason = format!("`{}` is a name with a value in a list", excerpt(item));
                    let hint = "nested names are not read: quote it if it is meant as text";
                    return Err(self.error(start, reason, hint));
                }
                items.extend(self.scalar(start, item)?);
                continue;
            }
            if let Some((name, items)) = list.take() {
                insert_list(&mut metadata, name, items);
            }
            if line.starts_with([' ', '\t']) {
                let reason = "nested names, and values of several lines, are not read";
                let hint =
                    "write values on one line, and names as single ones, such as `author_name`";
                return Err(self.error(start, reason.to_owned(), hint));
            }
            let (name, value) = self.name(start, bare)?;
            if !names.insert(name.clone()) {
                let reason = format!("`{}` is there twice", excerpt(&name));
                return Err(self.error(start, reason, "leave one of them out"));
            }
            if value.is_empty() || value.starts_with('#') {
                list = Some((name, Vec::new()));
            } else if let Some(inner) = value.strip_prefix('[') {
                let items = self.items(start, inner)?;
                metadata.insert(name, Datum::List(items));
            } else if let Some(value) = self.scalar(start, value)? {
                metadata.insert(name, value);
            }
        }
        if let Some((name, items)) = list {
            insert_list(&mut metadata, name, items);
        }
        Ok(metadata)
    }

    /// The name of a line, and what stands behind its colon.
    fn name<'t>(&self, start: usize, bare: &'t str) -> Result<(String, &'t str), ReadError> {
        let found = match self.quotation(start, bare)? {
            Some((name, rest)) => rest
                .trim_start()
                .strip_prefix(':')
                .map(|value| (name, value)),
            None => bare
                .split_once(':')
                .map(|(name, value)| (name.trim().to_owned(), value)),
        };
        let found = found.filter(|(name, _)| !name.is_empty());
        let (name, value) = found.ok_or_else(|| {
            let reason = format!("`{}` is not `name: value`", excerpt(bare));
            let hint = "mend the line, or close the front matter with `---`";
            self.error(start, reason, hint)
        })?;
        Ok((name, value.trim()))
    }

    /// The items of a list, of which the first bracket was read.
    fn items(&self, start: usize, inner: &str) -> Result<Vec<Datum>, ReadError> {
        let mut items = Vec::new();
        let mut rest = inner.trim_start();
        loop {
            if let Some(after) = rest.strip_prefix(']') {
                self.nothing_after(start, after)?;
                return Ok(items);
            }
            let after = match self.quotation(start, rest)? {
                Some((text, after)) => {
                    items.push(Datum::Text(text));
                    after
                }
                None => {
                    let end = rest.find([',', ']']).unwrap_or(rest.len());
                    items.extend(self.scalar(start, rest[..end].trim())?);
                    &rest[end..]
                }
            };
            let after = after.trim_start();
            rest = match after.strip_prefix(',') {
                Some(more) => more.trim_start(),
                None if after.starts_with(']') => after,
                None => {
                    let hint = "write the list on one line, or its items on lines with `- `";
                    return Err(self.error(start, "a list that does not end".to_owned(), hint));
                }
            };
        }
    }

    /// A value; `null` is none.
    fn scalar(&self, start: usize, text: &str) -> Result<Option<Datum>, ReadError> {
        if let Some((text, after)) = self.quotation(start, text)? {
            self.nothing_after(start, after)?;
            return Ok(Some(Datum::Text(text)));
        }
        let text = without_comment(text.trim());
        let refused = match text.chars().next() {
            Some('&' | '*' | '!' | '{' | '[') => true,
            Some('|' | '>') => text[1..]
                .chars()
                .all(|sign| sign.is_ascii_digit() || matches!(sign, '+' | '-')),
            _ => false,
        };
        if refused {
            let reason = format!("`{}` is YAML that front matter may not have", excerpt(text));
            return Err(self.error(start, reason, "quote it if it is meant as text"));
        }
        Ok(Some(match text {
            "" | "~" | "null" | "Null" | "NULL" => return Ok(None),
            "true" | "True" | "TRUE" => Datum::Boolean(true),
            "false" | "False" | "FALSE" => Datum::Boolean(false),
            _ => number(text).unwrap_or_else(|| text.into()),
        }))
    }

    /// What is quoted here, and what stands behind it; nothing if it is no quotation.
    fn quotation<'t>(
        &self,
        start: usize,
        text: &'t str,
    ) -> Result<Option<(String, &'t str)>, ReadError> {
        quoted(text).map_err(|(reason, hint)| self.error(start, reason, hint))
    }

    fn nothing_after(&self, start: usize, after: &str) -> Result<(), ReadError> {
        let bare = after.trim();
        if bare.is_empty() || (bare.starts_with('#') && after.starts_with([' ', '\t'])) {
            return Ok(());
        }
        let reason = format!("`{}` stands behind a value that has ended", excerpt(bare));
        Err(self.error(
            start,
            reason,
            "quote the whole value, or begin a comment with ` #`",
        ))
    }

    fn error(&self, at: usize, reason: String, hint: &str) -> ReadError {
        ReadError::new(
            self.id,
            Place::of_byte(self.text, self.begins + at),
            reason,
            hint,
        )
    }
}

/// A name without items says nothing.
fn insert_list(metadata: &mut Metadata, name: String, items: Vec<Datum>) {
    if !items.is_empty() {
        metadata.insert(name, Datum::List(items));
    }
}

/// What metadata are taken for a number: whatever is written as one. `007`, `1_000` and `inf` are names of something, and so
/// is a whole number that is too long for one: some digits of it would be lost.
///
/// ```
/// use stratigraph_rag::{Datum, read::number};
///
/// assert_eq!(number("2023"), Some(Datum::Integer(2023)));
/// assert_eq!(number("-0.5"), Some(Datum::Float(-0.5)));
/// assert_eq!(number("00123"), None);
/// ```
#[must_use]
pub fn number(text: &str) -> Option<Datum> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.starts_with(|first: char| first.is_ascii_digit());
    let padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if !plain || padded {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
    float.map(Datum::Float)
}

/// The value before ` #`.
fn without_comment(value: &str) -> &str {
    value
        .split_once(" #")
        .map_or(value, |(value, _)| value.trim_end())
}

fn of_toml(value: toml::Value) -> Result<Datum, (&'static str, &'static str)> {
    Ok(match value {
        toml::Value::String(text) => Datum::Text(text),
        toml::Value::Integer(number) => Datum::Integer(number),
        // What is no number equals nothing, itself included, and is in no range.
        toml::Value::Float(number) if !number.is_finite() => {
            return Err(("is a number that is none", "leave it out"));
        }
        toml::Value::Float(number) => Datum::Float(number),
        toml::Value::Boolean(truth) => Datum::Boolean(truth),
        toml::Value::Datetime(time) => Datum::Text(time.to_string()),
        toml::Value::Array(items) => {
            let items: Result<Vec<Datum>, _> = items.into_iter().map(of_toml).collect();
            Datum::List(items?)
        }
        toml::Value::Table(_) => {
            let hint = "write it as single names, such as `author_name`";
            return Err(("is a table", hint));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(text: &str) -> Result<Metadata, String> {
        read("a.md", text)
            .map(|front| front.metadata)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_what_they_look_like() {
        let text = "---\n# of the file\ntitle: 'Rocks: a guide'\nyear: 2023 # printed\nshare: -0.5\n\
                    code: 007\nlong: 99999999999999999999\nlow: -9223372036854775809\nmost: 9223372036854775807\n\
                    large: 1e20\nopen: true\nnone:\ntags: [a, \"b, c\", 3]\nauthors:\n  - Ann\n  - Bob\n---\ntext";
        let read = metadata(text).unwrap();
        assert_eq!(read["title"], "Rocks: a guide".into());
        assert_eq!(read["year"], 2023.into());
        assert_eq!(read["share"], Datum::Float(-0.5));
        assert_eq!(read["code"], "007".into());
        assert_eq!(read["long"], "99999999999999999999".into());
        assert_eq!(read["low"], "-9223372036854775809".into());
        assert_eq!(read["most"], Datum::Integer(i64::MAX));
        assert_eq!(read["large"], Datum::Float(1e20));
        assert_eq!(read["open"], Datum::Boolean(true));
        assert!(!read.contains_key("none"));
        assert_eq!(
            read["tags"],
            Datum::List(vec!["a".into(), "b, c".into(), 3.into()])
        );
        assert_eq!(
            read["authors"],
            Datum::List(vec!["Ann".into(), "Bob".into()])
        );
    }

    #[test]
    fn quotations_end_where_they_end() {
        let text = "---\n\"a: b\": \"x # y\" # z\nown: 'it''s'\nescaped: \"a \\\"b\\\" \\u00e8\\n\"\n\
                    tags: [\"a ] b\", 'c, d', e] # three\nempty: '' # text\ntrue: True\nnone: NULL # no\n---\n";
        let read = metadata(text).unwrap();
        assert_eq!(read["a: b"], "x # y".into());
        assert_eq!(read["own"], "it's".into());
        assert_eq!(read["escaped"], "a \"b\" è\n".into());
        assert_eq!(
            read["tags"],
            Datum::List(vec!["a ] b".into(), "c, d".into(), "e".into()])
        );
        assert_eq!(read["empty"], "".into());
        assert_eq!(read["true"], Datum::Boolean(true));
        assert_eq!(read.len(), 6);
    }

    #[test]
    fn toml_is_read_between_signs_of_plus() {
        let read = metadata("+++\nyear = 2023\ntags = ['a']\n+++\n").unwrap();
        assert_eq!(read["year"], 2023.into());
        let refused = metadata("+++\n[author]\nname = 'x'\n+++\n").unwrap_err();
        assert!(refused.contains("`author` is a table"), "{refused}");
        for number in ["nan", "-inf", "[1.0, inf]"] {
            let refused = metadata(&format!("+++\nshare = {number}\n+++\n")).unwrap_err();
            assert!(
                refused.contains("`share` is a number that is none"),
                "{refused}"
            );
        }
        let refused = metadata("+++\nyear = \n+++\n").unwrap_err();
        assert!(refused.starts_with("a.md, line 2"), "{refused}");
    }

    #[test]
    fn what_is_not_read_is_refused_with_its_place() {
        for (text, said) in [
            (
                "---\na: 1\nauthor:\n  name: x\n---\n",
                "line 4, column 1: nested names",
            ),
            ("---\na: &x 1\n---\n", "line 2, column 1: `&x 1` is YAML"),
            ("---\na: |\n  b\n---\n", "line 2, column 1: `|` is YAML"),
            (
                "---\njust text\n---\n",
                "line 2, column 1: `just text` is not `name: value`",
            ),
            ("---\n- a\n---\n", "line 2, column 1: a list without a name"),
            (
                "---\na: [b\n---\n",
                "line 2, column 1: a list that does not end",
            ),
            ("---\na: ['b]\n---\n", "line 2, column 1: a quotation"),
            ("---\na: \"b\n---\n", "line 2, column 1: a quotation"),
            ("---\na: \"b\" c\n---\n", "`c` stands behind a value"),
            ("---\na: [b] c\n---\n", "`c` stands behind a value"),
            ("---\na: \"\\q\"\n---\n", "`\\q` is an escape"),
            ("---\na: |2-\n---\n", "`|2-` is YAML"),
            ("---\n: b\n---\n", "`: b` is not `name: value`"),
            (
                "---\na:\n  - name: x\n---\n",
                "line 3, column 1: `name: x` is a name",
            ),
            (
                "---\na: b\n  c\n---\n",
                "line 3, column 1: nested names, and values",
            ),
            (
                "---\na: 1\nb: 2\n\"a\": 3\n---\n",
                "line 4, column 1: `a` is there twice",
            ),
            ("---\na:\n  - 1\na: [2]\n---\n", "line 4, column 1: `a` is"),
            ("---\na:\na: 1\n---\n", "line 3, column 1: `a` is there"),
        ] {
            let refused = metadata(text).unwrap_err();
            assert!(refused.contains(said), "{text:?}: {refused}");
        }
    }

    #[test]
    fn rulers_are_no_front_matter() {
        for text in [
            "---\nno end",
            "--- a\n---\n",
            "",
            "---",
            "text\n---\na: 1\n---\n",
        ] {
            let front = read("a.md", text).unwrap();
            assert_eq!((front.end, front.metadata.len()), (0, 0), "{text:?}");
        }
    }

    #[test]
    fn the_text_begins_after_the_closing_line() {
        let text = "---\r\na: 1\r\n---\r\n# T";
        assert_eq!(&text[read("a.md", text).unwrap().end..], "# T");
    }
}
