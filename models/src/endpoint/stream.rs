//! Replies that come in pieces: lines of `data: `, as browsers know them.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line of a reply.
const LONGEST_LINE: u64 = 1 << 20;

/// A piece of a reply.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    Json(Value),
    /// It said that this was all.
    Done,
}

/// The pieces of a reply as they come.
pub(super) struct Pieces<R> {
    lines: BufReader<R>,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(body: R) -> Self {
        Self {
            lines: BufReader::new(body),
        }
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        self.lines
            .by_ref()
            .take(LONGEST_LINE + 1)
            .read_until(b'\n', &mut line)?;
        if line.len() as u64 > LONGEST_LINE {
            return Err(io::Error::other("it is longer than what is read"));
        }
        Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).trim().to_owned()))
    }
}

impl<R: Read> Iterator for Pieces<R> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.line() {
                Ok(line) => line?,
                Err(error) => return Some(Err(error)),
            };
            // Comments, names of events and blank lines keep the connection alive and say nothing.
            let Some(data) = line.strip_prefix("data:") else {
                continue;
            };
            let data = data.trim();
            if data == "[DONE]" {
                return Some(Ok(Piece::Done));
            }
            return Some(
                serde_json::from_str(data)
                    .map(Piece::Json)
                    .map_err(io::Error::other),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_of_data_are_pieces() {
        let body =
            b": hello\r\nevent: x\r\ndata: {\"a\":1}\r\n\r\ndata:{\"a\":2}\n\ndata: [DONE]\n";
        let pieces: Vec<_> = Pieces::new(&body[..]).map(Result::unwrap).collect();
        assert_eq!(
            pieces,
            [
                Piece::Json(json!({"a": 1})),
                Piece::Json(json!({"a": 2})),
                Piece::Done
            ]
        );
    }

    #[test]
    fn lines_have_a_limit() {
        let body = vec![b'x'; 2 << 20];
        assert!(Pieces::new(&body[..]).next().unwrap().is_err());
        assert!(Pieces::new(&b"data: {"[..]).next().unwrap().is_err());
    }
}
