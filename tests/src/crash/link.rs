//! The pipe from a child, which will be killed, to its parent, which remembers what it said.
//!
//! A child says things in lines, each with one `write` of less than `PIPE_BUF` bytes, which the
//! kernel takes whole: whatever a killed child has said arrives, and never half of it.

use crate::workload::{BatchNumber, Writer};
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a child says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It is about to open the database.
    Opening,
    /// The database is open.
    Open,
    /// The batch was acknowledged.
    Acknowledged(Writer, BatchNumber),
    /// A backup was finished.
    BackedUp,
    /// It has done all that it was asked for, and waits to be killed.
    Ready,
}

impl Word {
    fn line(self) -> String {
        match self {
            Self::Opening => "opening\n".into(),
            Self::Open => "open\n".into(),
            Self::Acknowledged(writer, batch) => format!("ack {} {}\n", writer.0, batch.0),
            Self::BackedUp => "backed-up\n".into(),
            Self::Ready => "ready\n".into(),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        match line.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
            ["opening"] => Some(Self::Opening),
            ["open"] => Some(Self::Open),
            ["ack", writer, batch] => {
                Some(Self::Acknowledged(Writer(writer.parse().ok()?), BatchNumber(batch.parse().ok()?)))
            }
            ["backed-up"] => Some(Self::BackedUp),
            ["ready"] => Some(Self::Ready),
            _ => None,
        }
    }
}

/// The child's end. Threads share it.
pub struct Speaker {
    pipe: File,
}

impl Speaker {
    /// Speaks through this process's standard output.
    ///
    /// # Errors
    /// If there is none.
    pub fn on_stdout() -> Result<Self> {
        // Not through `Stdout`, whose buffer would decide when what is written.
        let pipe = std::io::stdout().as_fd().try_clone_to_owned().context("no standard output")?;
        Ok(Self { pipe: pipe.into() })
    }

    /// Says one thing.
    ///
    /// # Errors
    /// If the parent is gone.
    pub fn say(&self, word: Word) -> Result<()> {
        (&self.pipe).write_all(word.line().as_bytes()).context("the parent is gone")
    }
}

/// The parent's end: a running child and what it has said so far.
pub struct Listener {
    child: Child,
    words: Receiver<Word>,
    reader: JoinHandle<()>,
    heard: Vec<Word>,
}

impl Listener {
    /// Starts this very program with other arguments.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(arguments: &[String]) -> Result<Self> {
        let program = std::env::current_exe().context("this program's own path is unknown")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start the child")?;
        let pipe = child.stdout.take().context("the child has no standard output")?;
        let (sender, words) = channel();
        // Read all the time: a full pipe would hold the child up in the middle of its work.
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(std::io::Result::ok) {
                let Some(word) = Word::parse(&line) else {
                    eprintln!("the child says {line:?}, which means nothing");
                    continue;
                };
                if sender.send(word).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, words, reader, heard: Vec::new() })
    }

    /// Waits until the child has said `word`.
    ///
    /// # Errors
    /// If it ends before that or takes longer than `limit`.
    pub fn wait_for(&mut self, word: Word, limit: Duration) -> Result<()> {
        let until = Instant::now() + limit;
        loop {
            match self.words.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(heard) => {
                    self.heard.push(heard);
                    if heard == word {
                        return Ok(());
                    }
                }
                Err(RecvTimeoutError::Timeout) => bail!("the child did not say {word:?} within {limit:?}"),
                Err(RecvTimeoutError::Disconnected) => bail!("the child ended before it said {word:?}"),
            }
        }
    }

    /// Kills the child with SIGKILL and returns everything it has said.
    ///
    /// # Errors
    /// If it ended by itself, which no child is meant to do.
    pub fn kill(mut self) -> Result<Vec<Word>> {
        let ended: Option<ExitStatus> = self.child.try_wait().context("cannot ask for the child")?;
        self.end();
        // What it said before it died is still in the pipe; the reader ends with it.
        self.heard.extend(self.words.iter());
        match ended {
            Some(status) => bail!("the child ended by itself: {status}"),
            None => Ok(std::mem::take(&mut self.heard)),
        }
    }

    fn end(&mut self) {
        // A child that is gone already cannot be killed, and need not be.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end();
        // The reader ends with the pipe, whose other end is closed now.
        debug_assert!(self.reader.thread().id() != std::thread::current().id());
    }
}
