//! A file in memory, as it came: in pieces, which are not copied together, so that it takes the memory that it has bytes.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

/// Pieces are joined up to here, so that many small ones cost no more than a few large ones.
const JOINED: usize = 64 << 10;

/// The bytes of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent(Arc<Vec<Vec<u8>>>);

/// Reads them from the beginning.
pub(super) struct Reading {
    pieces: Sent,
    piece: usize,
    at: usize,
}

impl Sent {
    pub(super) fn push(&mut self, piece: Vec<u8>) {
        let pieces = Arc::make_mut(&mut self.0);
        match pieces.last_mut() {
            Some(last) if last.len() + piece.len() <= JOINED => last.extend_from_slice(&piece),
            _ => pieces.push(piece),
        }
    }

    /// How many there are.
    pub(super) fn bytes(&self) -> u64 {
        self.0.iter().map(|piece| piece.len() as u64).sum()
    }

    pub(super) fn read(&self) -> Reading {
        Reading {
            pieces: self.clone(),
            piece: 0,
            at: 0,
        }
    }
}

impl Reading {
    /// What is left of the piece that is read.
    fn left(&self) -> &[u8] {
        let piece = self.pieces.0.get(self.piece);
        let left = piece.and_then(|piece| piece.get(self.at..));
        left.unwrap_or_default()
    }
}

impl BufRead for Reading {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.left().is_empty() && self.piece < self.pieces.0.len() {
            (self.piece, self.at) = (self.piece + 1, 0);
        }
        Ok(self.left())
    }

    fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }
}

impl Read for Reading {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(to)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_its_pieces_one_after_the_other() {
        let mut sent = Sent::default();
        let mut whole = Vec::new();
        // Nothing, little, much, and what stands at the border.
        for (number, length) in [0, 1, 3, JOINED - 4, 1, 0, JOINED, 2 * JOINED, 0, 7]
            .into_iter()
            .enumerate()
        {
            let piece = vec![number as u8; length];
            whole.extend_from_slice(&piece);
            sent.push(piece);
        }
        assert_eq!(sent.0.len(), 5);
        let mut read = Vec::new();
        sent.read().read_to_end(&mut read).unwrap();
        assert!(read == whole);
        let mut none = Vec::new();
        Sent::default().read().read_to_end(&mut none).unwrap();
        assert!(none.is_empty());
    }
}
