//! How documents are cut, in the few words that doors take: `tokens:1200/100`, `structure:256*3`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Chunking;

/// The most units of a piece, and the most pieces that are joined: more is a slip of the hand.
const MOST: usize = 1_000_000;
/// How many lines a piece carries of the one before it; BAG-RAG's paper says "a few".
const CARRIED_LINES: usize = 3;

/// How documents are cut, and how many consecutive pieces are joined into one.
///
/// ```
/// use stratigraph_rag::chunk::{Chunking, Chunks};
///
/// let chunks: Chunks = "structure:256*3".parse()?;
/// assert_eq!((chunks.chunking, chunks.join), (Chunking::Structure { limit: 256 }, 3));
/// assert_eq!(chunks.to_string(), "structure:256*3");
/// assert!("cakes:12".parse::<Chunks>().is_err());
/// # Ok::<(), stratigraph_rag::chunk::BadChunks>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// The way.
    pub chunking: Chunking,
    /// How many pieces are joined; 1 for none.
    pub join: usize,
}

/// What is no way to cut documents.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{written}` {problem}: write headings:LIMIT/LINES, structure:LIMIT, tokens:SIZE/OVERLAP, characters:SIZE/OVERLAP or sentences:COUNT/OVERLAP, and *N behind it to join N pieces, as in structure:256*3"
)]
pub struct BadChunks {
    /// What was written, or how it begins.
    written: String,
    problem: &'static str,
}

impl FromStr for Chunks {
    type Err = BadChunks;

    fn from_str(text: &str) -> Result<Self, BadChunks> {
        let bad = |problem| BadChunks {
            written: text.chars().take(64).collect(),
            problem,
        };
        let number = |digits: &str| {
            let number = digits.parse().ok().filter(|number| *number <= MOST);
            number.ok_or_else(|| bad("has something else than a whole number up to a million"))
        };
        let (way, join) = match text.split_once('*') {
            Some((way, join)) => (way, number(join)?),
            None => (text, 1),
        };
        let Some((name, sizes)) = way.split_once(':') else {
            return Err(bad("says no size"));
        };
        let (size, second) = match sizes.split_once('/') {
            Some((size, second)) => (number(size)?, Some(number(second)?)),
            None => (number(sizes)?, None),
        };
        if size == 0 || join == 0 {
            return Err(bad("makes pieces of nothing"));
        }
        let overlap = second.unwrap_or(0);
        let chunking = match name {
            "headings" => Chunking::Headings {
                limit: size,
                carried_lines: second.unwrap_or(CARRIED_LINES),
            },
            "structure" if second.is_some() => {
                return Err(bad("has an overlap, and pieces by structure have none"));
            }
            "structure" => Chunking::Structure { limit: size },
            "tokens" => Chunking::Windows { size, overlap },
            "characters" => Chunking::Text { size, overlap },
            "sentences" => Chunking::Sentences {
                count: size,
                overlap,
            },
            _ => return Err(bad("is no way to cut documents")),
        };
        if name != "headings" && overlap >= size {
            return Err(bad("repeats all of a piece in the next"));
        }
        Ok(Self { chunking, join })
    }
}

impl fmt::Display for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.chunking {
            Chunking::Headings {
                limit,
                carried_lines,
            } => write!(f, "headings:{limit}/{carried_lines}"),
            Chunking::Structure { limit } => write!(f, "structure:{limit}"),
            Chunking::Windows { size, overlap } => write!(f, "tokens:{size}/{overlap}"),
            Chunking::Text { size, overlap } => write!(f, "characters:{size}/{overlap}"),
            Chunking::Sentences { count, overlap } => write!(f, "sentences:{count}/{overlap}"),
        }?;
        match self.join {
            1 => Ok(()),
            join => write!(f, "*{join}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_written_again() {
        for (text, again) in [
            ("headings:256", "headings:256/3"),
            ("headings:256/0", "headings:256/0"),
            ("structure:256*3", "structure:256*3"),
            ("tokens:1200/100", "tokens:1200/100"),
            ("characters:2024/204", "characters:2024/204"),
            ("characters:1024", "characters:1024/0"),
            ("sentences:5/1*1", "sentences:5/1"),
        ] {
            let chunks: Chunks = text.parse().unwrap();
            assert_eq!(chunks.to_string(), again);
            assert_eq!(again.parse(), Ok(chunks));
        }
        for (text, problem) in [
            ("", "no size"),
            ("structure", "no size"),
            ("structure:", "whole number"),
            ("structure:9/1", "none"),
            ("tokens:0", "nothing"),
            ("tokens:9*0", "nothing"),
            ("tokens:9/9", "repeats"),
            ("tokens:-1", "whole number"),
            ("tokens:1000001", "a million"),
            ("cakes:3", "no way"),
        ] {
            let error = text.parse::<Chunks>().unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
