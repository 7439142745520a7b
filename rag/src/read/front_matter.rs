//! Front matter: what a document says of itself between two lines of `---` or `+++` before its text.
//!
//! Of YAML it reads what front matter is made of in practice: names with plain values, and lists of
//! those. The rest of YAML (anchors, nested maps, tags, folded text) is refused by name, as half-read
//! metadata would make filters lie. TOML is read whole; its tables are refused likewise.

use super::{Place, ReadError};
use crate::{Datum, Metadata};

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
            let value = of_toml(value).ok_or_else(|| {
                let reason = format!("`{name}` is a table");
                self.error(0, reason, "write it as single names, such as `author_name`")
            })?;
            metadata.insert(name, value);
        }
        Ok(metadata)
    }

    fn yaml(&self, inner: &str) -> Result<Metadata, ReadError> {
        let mut metadata = Metadata::new();
        // The name whose value is a list on the lines after it, where it stands, and what it has so far.
        let mut list: Option<(String, usize, Vec<Datum>)> = None;
        let mut at = 0;
        for line in inner.split_inclusive('\n') {
            let (start, bare) = (at, line.trim());
            at += line.len();
            if bare.is_empty() || bare.starts_with('#') {
                continue;
            }
            if let Some(item) = bare.strip_prefix("- ").or((bare == "-").then_some("")) {
                let Some((_, _, items)) = &mut list else {
                    let hint = "write `name:` before it";
                    return Err(self.error(start, "a list without a name".to_owned(), hint));
                };
                items.extend(self.scalar(start, item)?);
                continue;
            }
            if let Some((name, _, items)) = list.take() {
                insert_list(&mut metadata, name, items);
            }
            if line.starts_with([' ', '\t']) {
                let hint = "write it as single names, such as `author_name`";
                return Err(self.error(start, "nested names are not read".to_owned(), hint));
            }
            let Some((name, value)) = bare.split_once(':') else {
                let reason = format!("`{bare}` is not `name: value`");
                return Err(self.error(
                    start,
                    reason,
                    "mend the line, or close the front matter with `---`",
                ));
            };
            let name = unquoted(name.trim()).to_owned();
            let value = without_comment(value.trim());
            if value.is_empty() {
                list = Some((name, start, Vec::new()));
            } else if let Some(inner) = value.strip_prefix('[') {
                let Some(inner) = inner.strip_suffix(']') else {
                    let hint = "write the list on one line, or its items on lines with `- `";
                    return Err(self.error(start, "a list that does not end".to_owned(), hint));
                };
                let items = self.items(start, inner)?;
                metadata.insert(name, Datum::List(items));
            } else {
                let value = self.scalar(start, value)?;
                metadata.extend(value.map(|value| (name, value)));
            }
        }
        if let Some((name, _, items)) = list {
            insert_list(&mut metadata, name, items);
        }
        Ok(metadata)
    }

    /// The items of a list in brackets.
    fn items(&self, start: usize, inner: &str) -> Result<Vec<Datum>, ReadError> {
        let mut items = Vec::new();
        let mut rest = inner.trim();
        while !rest.is_empty() {
            let end = match rest.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let closing = rest[1..].find(quote).map(|at| at + 2);
                    closing.ok_or_else(|| {
                        self.error(
                            start,
                            "a quotation that does not end".to_owned(),
                            "close it",
                        )
                    })?
                }
                _ => rest.find(',').unwrap_or(rest.len()),
            };
            items.extend(self.scalar(start, rest[..end].trim())?);
            rest = rest[end..].trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Ok(items)
    }

    /// A value; `null` is none.
    fn scalar(&self, start: usize, text: &str) -> Result<Option<Datum>, ReadError> {
        let text = without_comment(text.trim());
        let refused = match text.chars().next() {
            Some('&' | '*' | '!' | '{' | '[') => true,
            Some('|' | '>') => text.len() <= 2,
            _ => false,
        };
        if refused {
            let reason = format!("`{text}` is YAML that front matter may not have");
            return Err(self.error(start, reason, "quote it if it is meant as text"));
        }
        let bare = unquoted(text);
        if bare.len() != text.len() {
            return Ok(Some(bare.into()));
        }
        Ok(Some(match text {
            "" | "~" | "null" => return Ok(None),
            "true" => Datum::Boolean(true),
            "false" => Datum::Boolean(false),
            _ => number(text).unwrap_or_else(|| text.into()),
        }))
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

/// A value that is written as a number is one; `007` and `1_000` are names of something.
pub(super) fn number(text: &str) -> Option<Datum> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.starts_with(|first: char| first.is_ascii_digit());
    let padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if !plain || padded {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
    float.map(Datum::Float)
}

/// What is within quotes of one kind, or the text.
fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| !inner.contains(quote)) {
            return inner;
        }
    }
    text
}

/// The value before ` #`, unless it is quoted.
fn without_comment(value: &str) -> &str {
    if value.starts_with(['"', '\'']) {
        return value;
    }
    value
        .split_once(" #")
        .map_or(value, |(value, _)| value.trim_end())
}

fn of_toml(value: toml::Value) -> Option<Datum> {
    Some(match value {
        toml::Value::String(text) => Datum::Text(text),
        toml::Value::Integer(number) => Datum::Integer(number),
        toml::Value::Float(number) => Datum::Float(number),
        toml::Value::Boolean(truth) => Datum::Boolean(truth),
        toml::Value::Datetime(time) => Datum::Text(time.to_string()),
        toml::Value::Array(items) => {
            let items: Option<Vec<Datum>> = items.into_iter().map(of_toml).collect();
            Datum::List(items?)
        }
        toml::Value::Table(_) => return None,
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
                    code: 007\nopen: true\nnone:\ntags: [a, \"b, c\", 3]\nauthors:\n  - Ann\n  - Bob\n---\ntext";
        let read = metadata(text).unwrap();
        assert_eq!(read["title"], "Rocks: a guide".into());
        assert_eq!(read["year"], 2023.into());
        assert_eq!(read["share"], Datum::Float(-0.5));
        assert_eq!(read["code"], "007".into());
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
    fn toml_is_read_between_signs_of_plus() {
        let read = metadata("+++\nyear = 2023\ntags = ['a']\n+++\n").unwrap();
        assert_eq!(read["year"], 2023.into());
        let refused = metadata("+++\n[author]\nname = 'x'\n+++\n").unwrap_err();
        assert!(refused.contains("`author` is a table"), "{refused}");
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
