//! Metadata from where a file lies: a pattern such as `{company}/{year}/{quarter}_*.md`.
//!
//! | in the pattern | is |
//! |---|---|
//! | `{name}` | as little as possible, but something, of one folder's or file's name; kept as `name` |
//! | `{name:int}` | the same, but only a whole number |
//! | `{name:text}` | the same, and kept as a text even if it looks like a number |
//! | `*` | anything within one name, also nothing |
//! | `**` between slashes | any number of folders, also none |
//! | anything else | itself |
//!
//! The pattern is for a whole id, whose parts have `/` between them. `{name}` without a type keeps what is
//! written as a number as a number: `2023` is one; `007`, `Q2`, and numbers of more digits than are kept are texts.

use std::fmt;

use regex::{Regex, RegexBuilder};

use super::front_matter::number;
use crate::{Datum, Metadata};

/// A pattern for paths that says what their parts mean.
#[derive(Clone, Debug)]
pub struct PathPattern {
    regex: Regex,
    names: Vec<(String, Type)>,
}

/// What a part of a path is kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    AsWritten,
    Integer,
    Text,
}

/// Where a pattern is wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct PatternError {
    /// The pattern.
    pub pattern: String,
    /// The character that it is about, from 1.
    pub column: usize,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pattern,
            column,
            reason,
            hint,
        } = self;
        writeln!(
            f,
            "the path pattern is wrong at column {column}: {reason}; {hint}"
        )?;
        writeln!(f, "  {pattern}")?;
        write!(f, "  {:>column$}", "^")
    }
}

impl PathPattern {
    /// The longest pattern that is taken, in bytes.
    const LONGEST: usize = 1000;

    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// A [`PatternError`] with the place of what is wrong.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        Reading::new(pattern).read()
    }

    /// What the pattern says of this id; nothing if it does not fit.
    #[must_use]
    pub fn metadata(&self, id: &str) -> Option<Metadata> {
        let found = self.regex.captures(id)?;
        let mut metadata = Metadata::new();
        for (at, (name, of)) in self.names.iter().enumerate() {
            let text = found.get(at + 1)?.as_str();
            let value = match of {
                Type::Text => text.into(),
                Type::AsWritten => number(text).unwrap_or_else(|| text.into()),
                Type::Integer => Datum::Integer(text.parse().ok()?),
            };
            metadata.insert(name.clone(), value);
        }
        Some(metadata)
    }

    /// The names of what it gives, in the order of the pattern.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }
}

/// A pattern that is being read.
struct Reading<'a> {
    pattern: &'a str,
    regex: String,
    names: Vec<(String, Type)>,
    /// Whether what stands right before takes any characters: where it ends is decided by what follows.
    open: bool,
}

impl<'a> Reading<'a> {
    fn new(pattern: &'a str) -> Self {
        Self {
            pattern,
            regex: String::from("^"),
            names: Vec::new(),
            open: false,
        }
    }

    fn read(mut self) -> Result<PathPattern, PatternError> {
        let pattern = self.pattern;
        if pattern.is_empty() || pattern.len() > PathPattern::LONGEST {
            return Err(self.error(
                0,
                format!("it has {} bytes", pattern.len()),
                "write 1 to 1000",
            ));
        }
        if pattern.starts_with('/') || pattern.ends_with('/') {
            let at = if pattern.starts_with('/') {
                0
            } else {
                pattern.len() - 1
            };
            return Err(self.error(
                at,
                "ids do not begin or end with `/`".to_owned(),
                "leave it out: paths are relative to the folder that is read",
            ));
        }
        let mut at = 0;
        let parts: Vec<&str> = pattern.split('/').collect();
        for (place, part) in parts.iter().enumerate() {
            let last = place + 1 == parts.len();
            self.open = false;
            match *part {
                "" => {
                    return Err(self.error(
                        at,
                        "a folder without a name".to_owned(),
                        "write one `/`",
                    ));
                }
                "." | ".." => {
                    let hint = "paths are relative to the folder that is read, and never lead out";
                    return Err(self.error(at, format!("`{part}` is no name"), hint));
                }
                "**" if last => self.regex.push_str(".+"),
                "**" => self.regex.push_str("(?:[^/]+/)*?"),
                part => {
                    self.part(part, at)?;
                    if !last {
                        self.regex.push('/');
                    }
                }
            }
            at += part.len() + 1;
        }
        self.regex.push('$');
        let built = RegexBuilder::new(&self.regex)
            .dot_matches_new_line(true)
            .build();
        let regex = built.map_err(|_| self.error(0, "it is too large".to_owned(), "shorten it"))?;
        Ok(PathPattern {
            regex,
            names: self.names,
        })
    }

    /// One name of the path, which stands at this byte of the pattern.
    fn part(&mut self, part: &str, begins: usize) -> Result<(), PatternError> {
        let mut rest = part;
        while let Some(sign) = rest.chars().next() {
            let at = begins + part.len() - rest.len();
            match sign {
                '{' => {
                    let Some(end) = rest.find('}') else {
                        let reason = format!("`{rest}` is not closed");
                        return Err(self.error(at, reason, "write `{name}`"));
                    };
                    self.name(&rest[1..end], at)?;
                    rest = &rest[end + 1..];
                }
                '}' => {
                    let reason = "nothing is open that this could close".to_owned();
                    return Err(self.error(at, reason, "write `{name}`"));
                }
                '*' => {
                    if rest.starts_with("**") {
                        let hint = "write `*` for anything within one name, and `**` only as a whole part: `a/**/b`";
                        return Err(self.error(at, "`**` within a name".to_owned(), hint));
                    }
                    self.opens(at)?;
                    self.regex.push_str("[^/]*?");
                    rest = &rest[1..];
                }
                sign => {
                    let length = sign.len_utf8();
                    self.regex.push_str(&regex::escape(&rest[..length]));
                    self.open = false;
                    rest = &rest[length..];
                }
            }
        }
        Ok(())
    }

    /// What stands between braces.
    fn name(&mut self, inner: &str, at: usize) -> Result<(), PatternError> {
        let (name, of) = match inner.split_once(':') {
            None => (inner, Type::AsWritten),
            Some((name, "int")) => (name, Type::Integer),
            Some((name, "text")) => (name, Type::Text),
            Some((name, other)) => {
                let at = at + 1 + name.len() + 1;
                let reason = format!("`{other}` is no type");
                return Err(self.error(at, reason, "write `int` or `text`, or leave it out"));
            }
        };
        let first = name.chars().next();
        let begins = first.is_some_and(|first| first.is_alphabetic() || first == '_');
        if !begins || !name.chars().all(|one| one.is_alphanumeric() || one == '_') {
            let reason = format!("`{name}` is no name");
            let hint = "names are letters, digits and `_`, and begin with a letter";
            return Err(self.error(at + 1, reason, hint));
        }
        if self.names.iter().any(|(known, _)| known == name) {
            let reason = format!("`{name}` is there twice");
            return Err(self.error(at + 1, reason, "give each part a name of its own"));
        }
        self.opens(at)?;
        self.regex.push_str(match of {
            Type::AsWritten | Type::Text => "([^/]+?)",
            Type::Integer => "(-?[0-9]{1,19})",
        });
        self.names.push((name.to_owned(), of));
        Ok(())
    }

    /// Something of any length begins here: two of them beside each other could be divided anywhere.
    fn opens(&mut self, at: usize) -> Result<(), PatternError> {
        if self.open {
            let reason = "where this begins cannot be told".to_owned();
            return Err(self.error(at, reason, "put a character between the two, such as `_`"));
        }
        self.open = true;
        Ok(())
    }

    fn error(&self, at: usize, reason: String, hint: &'static str) -> PatternError {
        let before = &self.pattern[..self.pattern.floor_char_boundary(at)];
        PatternError {
            pattern: self.pattern.chars().take(200).collect(),
            column: before.chars().count() + 1,
            reason,
            hint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(pattern: &str, id: &str) -> Option<String> {
        let metadata = PathPattern::new(pattern).unwrap().metadata(id)?;
        let shown = metadata
            .iter()
            .map(|(name, value)| format!("{name}={value:?}"));
        Some(shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn parts_of_a_path_become_metadata() {
        let calls = "{company}/{year}/{quarter}_*.md";
        assert_eq!(
            found(calls, "Infosys/2023/Q1_call.md").as_deref(),
            Some("company=Text(\"Infosys\") quarter=Text(\"Q1\") year=Integer(2023)")
        );
        assert_eq!(
            found(calls, "3M/FY23/Q1_.md").as_deref(),
            Some("company=Text(\"3M\") quarter=Text(\"Q1\") year=Text(\"FY23\")")
        );
        for other in [
            "Infosys/2023/Q1.md",
            "a/Infosys/2023/Q1_call.md",
            "Infosys/2023/_call.md",
            "Infosys/2023/Q1_call.md\n",
            "",
        ] {
            assert_eq!(found(calls, other), None, "{other}");
        }
        // As little as possible, and the types decide as well.
        assert_eq!(
            found("{a}_{b}.md", "x_y_z.md").as_deref(),
            Some("a=Text(\"x\") b=Text(\"y_z\")")
        );
        assert_eq!(
            found("{a}_{b:int}_*", "x_y_007_z.md").as_deref(),
            Some("a=Text(\"x_y\") b=Integer(7)")
        );
        assert_eq!(
            found("{a:text}.{b}", "12.007").as_deref(),
            Some("a=Text(\"12\") b=Text(\"007\")")
        );
        assert_eq!(found("{a:int}", "9999999999999999999"), None);
    }

    #[test]
    fn folders_of_any_depth() {
        for id in ["a.md", "x/a.md", "x/y/z/a.md"] {
            assert_eq!(
                found("**/{name}.md", id).as_deref(),
                Some("name=Text(\"a\")"),
                "{id}"
            );
        }
        assert_eq!(
            found("{firm}/**", "a/b/c.md").as_deref(),
            Some("firm=Text(\"a\")")
        );
        assert_eq!(
            found("国/{年}年/*.txt", "国/2023年/甲.txt").as_deref(),
            Some("年=Integer(2023)")
        );
        // What means something elsewhere is itself here.
        assert_eq!(found("a+(b)?/{x}.md", "aab/1.md"), None);
        assert!(found("a+(b)?/{x}.md", "a+(b)?/1.md").is_some());
    }

    #[test]
    fn a_wrong_pattern_is_shown_with_its_place() {
        let error = PathPattern::new("{company}/ü{year/x.md").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the path pattern is wrong at column 12: `{year` is not closed; write `{name}`\n  \
             {company}/ü{year/x.md\n             ^"
        );
        for (pattern, column, reason) in [
            ("", 1, "0 bytes"),
            ("/a", 1, "begin or end"),
            ("a/", 2, "begin or end"),
            ("a//b", 3, "without a name"),
            ("../a", 1, "`..` is no name"),
            ("a}b", 2, "nothing is open"),
            ("{}", 2, "`` is no name"),
            ("{a b}", 2, "no name"),
            ("{1}", 2, "no name"),
            ("{a:date}", 4, "no type"),
            ("{a}{b}", 4, "cannot be told"),
            ("{a}*", 4, "cannot be told"),
            ("{a}/{a}", 6, "twice"),
            ("a**/b", 2, "within a name"),
        ] {
            let error = PathPattern::new(pattern).unwrap_err();
            assert_eq!(error.column, column, "{pattern}: {error}");
            assert!(error.reason.contains(reason), "{pattern}: {error}");
        }
        assert!(PathPattern::new(&"a".repeat(1001)).is_err());
    }

    #[test]
    fn many_wildcards_take_no_time() {
        let pattern = PathPattern::new(&"*a".repeat(300)).unwrap();
        assert_eq!(pattern.metadata(&"a".repeat(10_000)).map(|_| ()), Some(()));
        assert!(pattern.metadata(&"ab".repeat(290)).is_none());
    }

    proptest! {
        #[test]
        fn any_pattern_is_read_or_refused(pattern in "[{}*/:a-c_.é\\n]{0,20}", id in "[a-c0-9_/.é\\n]{0,20}") {
            match PathPattern::new(&pattern) {
                Ok(pattern) => {
                    if let Some(metadata) = pattern.metadata(&id) {
                        prop_assert_eq!(metadata.len(), pattern.names().count());
                    }
                }
                Err(error) => prop_assert!(error.column <= pattern.chars().count() + 1),
            }
        }
    }
}
