//! Counts the bytes of files while they are read.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

/// How many bytes of all files were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Count(Rc<Cell<u64>>);

/// A file whose bytes are counted.
pub(super) struct Counted<R> {
    input: R,
    count: Count,
}

impl Count {
    pub(super) fn bytes(&self) -> u64 {
        self.0.get()
    }

    /// Counts what is read of this.
    pub(super) fn of<R>(&self, input: R) -> Counted<R> {
        let count = self.clone();
        Counted { input, count }
    }

    fn more(&self, bytes: usize) {
        self.0.set(self.0.get() + bytes as u64);
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.count.more(bytes);
        self.input.consume(bytes);
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(to)?;
        self.count.more(read);
        Ok(read)
    }
}
