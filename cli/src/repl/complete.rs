//! What Tab offers: keywords that fit, and names that the database knows.
//!
//! The language says which kinds of things may stand somewhere; this file knows which there are.
//!
//! Next: `mod.rs`.

use super::command::COMMANDS;
use crate::failure::Failure;
use crate::statements::{Names, Session};
use std::borrow::Cow;
use std::sync::Arc;
use stratigraph_query_lang::{Completion, complete, quoted_name};
use unicode_ident::{is_xid_continue, is_xid_start};

/// The names that there are.
#[derive(Debug, Default)]
pub(super) struct Known {
    names: Names,
    parameters: Vec<Arc<str>>,
    functions: Vec<Arc<str>>,
}

impl Known {
    /// What does not change while we talk.
    pub(super) fn of(session: &Session) -> Self {
        let rows = session
            .place()
            .look("SHOW FUNCTIONS YIELD name RETURN name");
        // Tab has less to offer without them, and nothing else is wrong.
        let rows = rows.unwrap_or_default();
        let names = rows.iter().filter_map(|row| row.first()?.as_str());
        Self {
            functions: names.map(Arc::from).collect(),
            ..Self::default()
        }
    }

    /// Looks again at what statements may have changed, if there were any.
    ///
    /// # Errors
    /// The database does not answer.
    pub(super) fn refresh(&mut self, session: &mut Session) -> Result<(), Failure> {
        if session.has_news() {
            self.names = Names::of(session.place())?;
        }
        let parameters = session.parameters.iter();
        self.parameters = parameters.map(|(name, _)| name.into()).collect();
        Ok(())
    }

    /// Where the word at the end of `text` begins, and what it may become.
    pub(super) fn offers(&self, text: &str) -> (usize, Vec<String>) {
        let start = text.trim_end_matches(is_xid_continue).len();
        let typed = &text[start..];
        if text.trim_start().starts_with(':') {
            return commands(text, start, typed);
        }
        // Names of functions and procedures have dots.
        let dotted_start = text
            .trim_end_matches(|one| is_xid_continue(one) || one == '.')
            .len();
        let dotted = &text[dotted_start..];
        if dotted.contains('.') {
            let names = self.names.procedures.iter().chain(&self.functions);
            let found = beginning(dotted, names.map(|name| Cow::from(&**name)));
            if !found.is_empty() {
                return (dotted_start, found);
            }
        }
        let before = &text[..start];
        if before.ends_with(char::is_whitespace)
            && let Some(names) = declared(before, &self.names)
        {
            return (start, named(typed, names));
        }
        let mut offers = Vec::new();
        for completion in complete(text, text.len()) {
            match completion {
                Completion::Keyword(keyword) => offers.push(keyword.to_owned()),
                Completion::Label => offers.extend(named(typed, &self.names.labels)),
                Completion::Type => offers.extend(named(typed, &self.names.types)),
                Completion::Property => offers.extend(named(typed, &self.names.properties)),
                Completion::Parameter => offers.extend(named(typed, &self.parameters)),
                Completion::Procedure => offers.extend(named(typed, &self.names.procedures)),
                Completion::Function if !typed.is_empty() => {
                    let functions = self.functions.iter();
                    offers.extend(beginning(
                        typed,
                        functions.map(|name| format!("{name}(").into()),
                    ));
                }
                Completion::Variable => offers.extend(variables(&text[..start], typed)),
                _ => {}
            }
        }
        offers.sort();
        offers.dedup();
        (start, offers)
    }
}

/// The names of what is declared, after a word that only they can follow.
fn declared<'n>(before: &str, names: &'n Names) -> Option<&'n [Arc<str>]> {
    let words: Vec<String> = before
        .split_whitespace()
        .rev()
        .take(4)
        .map(str::to_uppercase)
        .collect();
    let drops = words.iter().any(|word| word == "DROP");
    // `SEARCH n IN (VECTOR INDEX name`, whose bracket may stand before the word.
    let searches = before.to_uppercase().contains("SEARCH");
    match words.first()?.trim_start_matches('(') {
        "INDEX" if drops || searches => Some(&names.indexes),
        "CONSTRAINT" if drops => Some(&names.constraints),
        "HIERARCHY" if drops => Some(&names.hierarchies),
        _ => None,
    }
}

fn commands(text: &str, start: usize, typed: &str) -> (usize, Vec<String>) {
    if text[..start].trim() != ":" {
        return (start, Vec::new());
    }
    let names = COMMANDS.iter().map(|known| {
        let blank = if known.follows.is_empty() { "" } else { " " };
        Cow::from(format!("{}{blank}", known.name))
    });
    (start, beginning(typed, names))
}

/// The names that begin with what is typed, quoted where the language asks for it.
fn named(typed: &str, names: &[Arc<str>]) -> Vec<String> {
    let names = names.iter().filter(|name| begins(name, typed));
    names.map(|name| quoted(name).into_owned()).collect()
}

fn beginning<'a>(typed: &str, names: impl Iterator<Item = Cow<'a, str>>) -> Vec<String> {
    names
        .filter(|name| begins(name, typed))
        .map(Cow::into_owned)
        .collect()
}

/// Whether a name begins so, whatever the case.
fn begins(name: &str, typed: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    typed
        .chars()
        .flat_map(char::to_lowercase)
        .all(|one| letters.next() == Some(one))
}

fn quoted(name: &str) -> Cow<'_, str> {
    // Procedures have dots, which need no quotes.
    let mut parts = name.split('.');
    let plain = parts.all(|part| {
        part.starts_with(|one| is_xid_start(one) || one == '_') && part.chars().all(is_xid_continue)
    });
    if plain {
        name.into()
    } else {
        quoted_name(name).into()
    }
}

/// The words of the statement that are likely to be variables: those after `(`, `[`, `AS`, `UNWIND ... AS`, `=`.
fn variables(before: &str, typed: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = before;
    let mut after_as = false;
    while let Some(at) = rest.find(is_xid_start) {
        let (gap, word) = rest.split_at(at);
        let end = word.find(|one| !is_xid_continue(one)).unwrap_or(word.len());
        let (word, next) = word.split_at(end);
        let opened = gap.ends_with(['(', '[']);
        if (opened || after_as) && word != typed && begins(word, typed) {
            found.push(word.to_owned());
        }
        after_as = word.eq_ignore_ascii_case("as");
        rest = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let names = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        Known {
            names: Names {
                labels: names(&["Person", "Paper", "Table of contents", "Wind\\rain"]),
                types: names(&["KNOWS"]),
                properties: names(&["name", "nationality"]),
                procedures: names(&["db.labels", "db.propertyKeys"]),
                indexes: names(&["by name", "meaning"]),
                constraints: names(&["one_name"]),
                hierarchies: names(&["outline"]),
            },
            parameters: names(&["name"]),
            functions: names(&["toUpper", "date.truncate", "date"]),
        }
    }

    #[test]
    fn tab_offers_what_fits() {
        let cases: [(&str, usize, &[&str]); 17] = [
            ("MATCH (n:P", 9, &["Paper", "Person"]),
            ("MATCH (n:pe", 9, &["Person"]),
            ("MATCH (n:T", 9, &["`Table of contents`"]),
            ("MATCH (n:W", 9, &["`Wind\\\\rain`"]),
            ("MATCH (n)-[:", 12, &["KNOWS"]),
            ("MATCH (n) RETURN n.na", 19, &["name", "nationality"]),
            ("RETURN $", 8, &["name"]),
            ("CALL db.la", 5, &["db.labels"]),
            ("RETURN date.t", 7, &["date.truncate"]),
            ("RETURN toU", 7, &["toUpper("]),
            (":fo", 1, &["format "]),
            ("DROP INDEX ", 11, &["`by name`", "meaning"]),
            ("drop constraint on", 16, &["one_name"]),
            ("DROP HIERARCHY ", 15, &["outline"]),
            ("MATCH (c) SEARCH c IN (VECTOR INDEX mea", 36, &["meaning"]),
            ("CREATE INDEX mea", 13, &[]),
            ("RETURN 'n.na", 10, &[]),
        ];
        for (text, start, offers) in cases {
            assert_eq!(
                known().offers(text),
                (start, offers.iter().map(|&one| one.into()).collect()),
                "{text}"
            );
        }
        let (_, offers) = known().offers("MATCH (person:Person) WITH person AS peer RETURN pe");
        assert_eq!(offers, ["peer", "person"]);
        let (start, offers) = known().offers("MAT");
        assert_eq!((start, offers.contains(&"MATCH".to_owned())), (0, true));
    }
}
