//! Pieces that an embedder does not read to their end.

use std::fmt;
use std::ops::AddAssign;

/// Of what is read, pieces that are told to be cut so have this part: a heading has the rest.
const PART_OF_PIECE: (usize, usize) = (3, 4);

/// New pieces that are longer, with the headings before them, than what the embedder reads of a text.
///
/// ```
/// use stratigraph_rag::build::CutOff;
///
/// let told = CutOff { pieces: 2, reads: 254 }.to_string();
/// assert!(told.starts_with("2 pieces are longer, with their headings, than the 254 tokens"));
/// assert!(told.ends_with("--chunks structure:190"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CutOff {
    /// How many they are.
    pub pieces: u64,
    /// How many tokens of a text are read, where that is not all of it.
    pub reads: usize,
}

impl CutOff {
    /// Whether there is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.pieces == 0
    }
}

impl AddAssign for CutOff {
    fn add_assign(&mut self, other: Self) {
        self.pieces = self.pieces.saturating_add(other.pieces);
        self.reads = self.reads.max(other.reads);
    }
}

/// What is to be told of them, and what to do about it.
impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pieces, reads } = self;
        let (are, their) = match pieces {
            1 => ("piece is", "its heading"),
            _ => ("pieces are", "their headings"),
        };
        let (part, of) = PART_OF_PIECE;
        // What is read may be what a server says, so any number; pieces of nothing cannot be asked for.
        let limit = (reads.saturating_mul(part) / of).max(1);
        write!(
            f,
            "{pieces} {are} longer, with {their}, than the {reads} tokens that the embedder reads: what is behind them is in no vector, and is found by its words alone; of documents, a new database gets shorter ones by --chunks structure:{limit}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_can_be_followed_whatever_is_read() {
        for reads in [0, 1, usize::MAX] {
            let mut all = CutOff {
                pieces: u64::MAX,
                reads,
            };
            all += CutOff { pieces: 1, reads };
            assert_eq!(all.pieces, u64::MAX);
            let told = all.to_string();
            let (_, limit) = told.rsplit_once("--chunks structure:").unwrap();
            assert!(limit.parse::<usize>().unwrap() > 0, "{told}");
        }
    }
}
