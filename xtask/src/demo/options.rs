//! What can be asked of the demo, from its command line.

use crate::verbs::Failure;
use std::path::PathBuf;

/// What was asked for; everything may be left open.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Whose vectors; the small model if it can be had.
    pub(super) embedder: Option<Embedder>,
    /// Where everything is made.
    pub(super) into: Option<PathBuf>,
    /// A program that is built already.
    pub(super) with: Option<PathBuf>,
}

/// The two that need nothing but this repository and a package index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Embedder {
    /// The model that `setup --models` fetches.
    Minilm,
    /// Letters alone.
    Lexical,
}

impl Embedder {
    /// As the program calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Minilm => "minilm",
            Self::Lexical => "lexical",
        }
    }
}

impl Options {
    /// Reads them. Folders are made absolute, since commands run in another one.
    pub(super) fn read(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let value = match word.as_str() {
                "--embedder" | "--into" | "--with" => words
                    .next()
                    .ok_or_else(|| Failure::Usage(format!("`{word}` needs a value")))?,
                _ => {
                    return Err(Failure::Usage(format!(
                        "`{word}` is none of --embedder, --into and --with; see `cargo xtask help demo`"
                    )));
                }
            };
            match (word.as_str(), value.as_str()) {
                ("--embedder", "minilm") => options.embedder = Some(Embedder::Minilm),
                ("--embedder", "lexical") => options.embedder = Some(Embedder::Lexical),
                ("--embedder", other) => {
                    return Err(Failure::Usage(format!(
                        "the demo knows the embedders minilm and lexical, and no `{other}`"
                    )));
                }
                ("--into", path) => options.into = Some(absolute(path)?),
                (_, path) => options.with = Some(absolute(path)?),
            }
        }
        Ok(options)
    }
}

fn absolute(path: &str) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::Usage(format!("`{path}`: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, Failure> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::read(&words)
    }

    #[test]
    fn everything_may_be_left_open() {
        assert_eq!(read("").unwrap(), Options::default());
        let options = read("--embedder lexical --into /d --with /p").unwrap();
        assert_eq!(options.embedder, Some(Embedder::Lexical));
        assert_eq!(options.into, Some("/d".into()));
        assert_eq!(options.with, Some("/p".into()));
    }

    #[test]
    fn what_it_does_not_know_is_a_usage_error() {
        for line in ["--quick", "--embedder", "--embedder bert", "--into"] {
            assert!(matches!(read(line), Err(Failure::Usage(_))), "{line}");
        }
    }
}
