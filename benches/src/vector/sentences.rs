//! Sentences of the evaluation texts, for vectors as they really are.
//!
//! The texts lie as lines of JSON in `*.jsonl.gz`, each set with names of its own for its fields: every
//! string is taken. They never get into the repository, and neither do their vectors.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Shorter ones are headings and scraps, longer ones lists without a full stop.
const LETTERS: std::ops::RangeInclusive<usize> = 25..=300;

/// Distinct English sentences in an order that only the seed decides, at most `count`.
pub(super) fn collect(folder: &Path, seed: u64, count: usize) -> Result<Vec<String>> {
    let mut sentences = Sentences::default();
    for file in files(folder)? {
        let mut unpack = Command::new("gzip")
            .arg("-dc")
            .arg(&file)
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run gzip")?;
        let lines = BufReader::new(unpack.stdout.take().context("no standard output")?);
        for line in lines.lines() {
            sentences.add(&serde_json::from_str(&line?)?);
        }
        ensure!(unpack.wait()?.success(), "cannot unpack {}", file.display());
    }
    let mut found = sentences.found;
    fastrand::Rng::with_seed(seed).shuffle(&mut found);
    found.truncate(count);
    Ok(found)
}

/// Every packed file, in the order of names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = folder
        .read_dir()
        .with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else if path.to_string_lossy().ends_with(".jsonl.gz") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[derive(Default)]
struct Sentences {
    /// In small letters, as the model reads them: what differs in case only has one vector.
    seen: HashSet<String>,
    found: Vec<String>,
}

impl Sentences {
    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.split(text),
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            Value::Object(fields) => fields.values().for_each(|value| self.add(value)),
            _ => {}
        }
    }

    fn split(&mut self, text: &str) {
        for line in text.lines() {
            let mut rest = line;
            while !rest.is_empty() {
                let end = end_of_sentence(rest);
                self.take(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }

    fn take(&mut self, sentence: &str) {
        let words: Vec<&str> = sentence.split_whitespace().collect();
        let sentence = words.join(" ");
        let letters = sentence.chars().filter(char::is_ascii_alphabetic).count();
        let length = sentence.chars().count();
        // The model knows English; what is mostly figures or of another script has no meaning to it.
        let is_english = letters * 10 >= length * 7;
        if LETTERS.contains(&length) && is_english && self.seen.insert(sentence.to_lowercase()) {
            self.found.push(sentence);
        }
    }
}

/// Behind the first mark that ends a sentence and is followed by a space.
fn end_of_sentence(text: &str) -> usize {
    let marks = text.match_indices(['.', '!', '?']);
    let mut ends = marks.map(|(at, _)| at + 1);
    ends.find(|end| text[*end..].starts_with(' '))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sentences_are_cut_cleaned_and_taken_once() {
        let mut sentences = Sentences::default();
        sentences.add(&json!({
            "title": "Too short",
            "text": ["The first sentence is about version 2.5 of it. And the second   one asks: is it so? No.",
                "the FIRST sentence is about version 2.5 of it.\n12 34 56 78 90 12 34 56 78 90 and figures"],
            "number": 5,
        }));
        assert_eq!(
            sentences.found,
            [
                "The first sentence is about version 2.5 of it.",
                "And the second one asks: is it so?"
            ]
        );
    }

    #[test]
    fn packed_files_are_read_and_the_seed_decides_the_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("set").join("texts.jsonl");
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        let number = ["one", "two", "three", "four", "five", "six", "seven"];
        let lines: Vec<String> = number
            .iter()
            .map(|number| {
                json!({ "text": format!("This is sentence number {number}.") }).to_string()
            })
            .collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        assert!(Command::new("gzip").arg(&file).status().unwrap().success());
        let all = collect(folder.path(), 1, 100).unwrap();
        assert_eq!(all.len(), 7);
        assert_eq!(collect(folder.path(), 1, 3).unwrap(), all[..3]);
        assert_ne!(collect(folder.path(), 2, 100).unwrap(), all);
    }
}
