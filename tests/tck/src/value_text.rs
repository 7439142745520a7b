//! The reader of value text, as it stands in the cells of result tables.
//!
//! `null true 12 -1.5 1e9 NaN Inf 'text' [v, ...] {k: v}`, a node `(:L1:L2 {p: v})`, a relationship
//! `[:T {p: v}]` and a path `<(n)-[:T]->(m)<-[:T]-(o)>`. It must never accept a text only in part.
//!
//! Next: `compare.rs`.

use crate::cell::{Cell, Entries, NodeCell, PathCell, RelationshipCell, Step};
use anyhow::{Result, anyhow, bail};

/// Deeper text is refused: no scenario needs it, and the reader calls itself.
const MAX_DEPTH: usize = 64;

/// Reads a text that is one value.
///
/// # Errors
/// If it is anything else, with the place.
pub fn parse(text: &str) -> Result<Cell> {
    let mut reader = Reader { text, at: 0 };
    let value = reader
        .value(0)
        .map_err(|error| anyhow!("{error} at byte {} of `{text}`", reader.at))?;
    reader.spaces();
    if reader.at != text.len() {
        bail!("text after the value at byte {} of `{text}`", reader.at);
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn peek(&mut self) -> Option<char> {
        self.spaces();
        self.rest().chars().next()
    }

    fn eat(&mut self, word: &str) -> bool {
        self.spaces();
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn need(&mut self, word: &str) -> Result<()> {
        if self.eat(word) {
            Ok(())
        } else {
            bail!("expected `{word}`")
        }
    }

    fn value(&mut self, depth: usize) -> Result<Cell> {
        if depth > MAX_DEPTH {
            bail!("nested too deep");
        }
        match self.peek() {
            Some('\'') => Ok(Cell::Text(self.quoted('\'')?)),
            Some('[') if self.rest().starts_with("[:") => {
                Ok(Cell::Relationship(self.relationship(depth)?))
            }
            Some('[') => self.list(depth),
            Some('{') => Ok(Cell::Map(self.entries(depth)?)),
            Some('(') => Ok(Cell::Node(self.node(depth)?)),
            Some('<') => self.path(depth),
            Some(_) => self.word(),
            None => bail!("expected a value"),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Cell> {
        self.need("[")?;
        let mut elements = Vec::new();
        if self.eat("]") {
            return Ok(Cell::List(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.eat("]") {
                return Ok(Cell::List(elements));
            }
            self.need(",")?;
        }
    }

    fn entries(&mut self, depth: usize) -> Result<Entries> {
        self.need("{")?;
        let mut entries = Entries::new();
        if self.eat("}") {
            return Ok(entries);
        }
        loop {
            let name = self.name()?;
            self.need(":")?;
            let value = self.value(depth + 1)?;
            if entries.insert(name.clone(), value).is_some() {
                bail!("`{name}` is there twice");
            }
            if self.eat("}") {
                return Ok(entries);
            }
            self.need(",")?;
        }
    }

    fn properties(&mut self, depth: usize) -> Result<Entries> {
        match self.peek() {
            Some('{') => self.entries(depth + 1),
            _ => Ok(Entries::new()),
        }
    }

    fn node(&mut self, depth: usize) -> Result<NodeCell> {
        self.need("(")?;
        let mut labels = Vec::new();
        while self.eat(":") {
            labels.push(self.name()?);
        }
        let properties = self.properties(depth)?;
        self.need(")")?;
        Ok(NodeCell { labels, properties })
    }

    fn relationship(&mut self, depth: usize) -> Result<RelationshipCell> {
        self.need("[:")?;
        let relationship_type = self.name()?;
        let properties = self.properties(depth)?;
        self.need("]")?;
        Ok(RelationshipCell {
            relationship_type,
            properties,
        })
    }

    fn path(&mut self, depth: usize) -> Result<Cell> {
        self.need("<")?;
        let start = self.node(depth)?;
        let mut steps = Vec::new();
        while !self.eat(">") {
            let backward = self.eat("<");
            self.need("-")?;
            let relationship = self.relationship(depth)?;
            self.need("-")?;
            if !backward {
                self.need(">")?;
            }
            steps.push(Step {
                relationship,
                forward: !backward,
                node: self.node(depth)?,
            });
        }
        Ok(Cell::Path(PathCell { start, steps }))
    }

    fn name(&mut self) -> Result<String> {
        if self.peek() == Some('`') {
            return self.quoted('`');
        }
        let rest = self.rest();
        let end = rest
            .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(rest.len());
        if end == 0 {
            bail!("expected a name");
        }
        let name = rest[..end].to_owned();
        self.at += end;
        Ok(name)
    }

    /// Text between quotes. A backslash before what needs none stays a backslash.
    fn quoted(&mut self, quote: char) -> Result<String> {
        self.spaces();
        self.at += quote.len_utf8();
        let mut text = String::new();
        let mut letters = self.text[self.at..].char_indices().peekable();
        while let Some((index, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            match (letter, next) {
                ('`', Some('`')) if quote == '`' => {
                    text.push('`');
                    letters.next();
                }
                ('\\', Some(escaped)) if quote == '\'' => {
                    letters.next();
                    match escaped {
                        '\'' | '\\' => text.push(escaped),
                        'n' => text.push('\n'),
                        'r' => text.push('\r'),
                        't' => text.push('\t'),
                        other => text.extend(['\\', other]),
                    }
                }
                _ if letter == quote => {
                    self.at += index + letter.len_utf8();
                    return Ok(text);
                }
                _ => text.push(letter),
            }
        }
        bail!("no closing quote")
    }

    fn word(&mut self) -> Result<Cell> {
        let rest = self.rest();
        let end = rest
            .find(|letter: char| ",]})> |".contains(letter))
            .unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        Ok(match word.as_str() {
            "null" => Cell::Null,
            "true" => Cell::Bool(true),
            "false" => Cell::Bool(false),
            "NaN" => Cell::Float(f64::NAN),
            "Inf" => Cell::Float(f64::INFINITY),
            "-Inf" => Cell::Float(f64::NEG_INFINITY),
            word => return number(word),
        })
    }
}

fn number(word: &str) -> Result<Cell> {
    let first = word.trim_start_matches('-');
    if !first.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        bail!("`{word}` is no value");
    }
    if let Ok(number) = word.parse::<i64>() {
        return Ok(Cell::Int(number));
    }
    if word.contains(['.', 'e', 'E'])
        && let Ok(number) = word.parse::<f64>()
    {
        return Ok(Cell::Float(number));
    }
    bail!("`{word}` is no number")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::ListOrder;

    #[test]
    fn every_kind_of_value_is_read_and_written_back() {
        let same = [
            "null",
            "true",
            "false",
            "12",
            "-9223372036854775808",
            "-1.5",
            "NaN",
            "Inf",
            "-Inf",
            "'it\\'s \\\\ here'",
            "''",
            "[]",
            "[1, [null], 'a']",
            "{}",
            "{a: 1, b: {c: [true]}}",
            "()",
            "(:A:B {name: 'n', numbers: [1, 2]})",
            "({a: 1})",
            "[:KNOWS]",
            "[:KNOWS {since: 1}]",
            "<()>",
            "<(:A)-[:T {x: 1}]->()<-[:T]-(:B)>",
            "(:`two words` {`a b`: 1})",
            "(:审计问题)",
        ];
        for text in same {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        let otherwise = [
            ("1e3", "1000.0"),
            (".5", "0.5"),
            ("-0.0", "0.0"),
            ("[1,2]", "[1, 2]"),
            ("(:B:A)", "(:A:B)"),
            ("{b: 1, a: 2}", "{a: 2, b: 1}"),
            ("'\\d'", "'\\\\d'"),
        ];
        for (text, written) in otherwise {
            assert_eq!(parse(text).unwrap().to_string(), written);
        }
    }

    #[test]
    fn lists_can_be_bags() {
        let text = |text| parse(text).unwrap().text(ListOrder::Ignored);
        assert_eq!(text("[2, 1, [4, 3]]"), text("[[3, 4], 1, 2]"));
        assert_ne!(text("[1, 1, 2]"), text("[1, 2, 2]"));
        assert_ne!(
            parse("[1, 2]").unwrap().to_string(),
            parse("[2, 1]").unwrap().to_string()
        );
    }

    #[test]
    fn what_is_no_value_is_refused_with_its_place() {
        let wrong = [
            "",
            "nul",
            "1 2",
            "'a",
            "[1",
            "[1,]",
            "{a}",
            "{a: 1, a: 2}",
            "(:)",
            "[:]",
            "<()",
            "<()-()>",
            "99999999999999999999",
            "1..2",
            "infinity",
            "--1",
            "()x",
        ];
        for text in wrong {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.contains("byte"), "{text}: {message}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).is_err());
    }
}
