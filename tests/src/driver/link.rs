//! The pipe from a child, which will be killed, to its parent, which remembers what it said.
//!
//! A child says things in lines, each with one `write` of less than `PIPE_BUF` bytes, which the
//! kernel takes whole: whatever a killed child has said arrives, and never half of it.

use crate::workload::{BatchNumber, Writer};
use anyhow::{Context, Result, bail};
use std::fmt::{self, Debug, Display};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::parent_id;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
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

impl Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => f.write_str("opening"),
            Self::Open => f.write_str("open"),
            Self::Acknowledged(writer, batch) => write!(f, "ack {} {}", writer.0, batch.0),
            Self::BackedUp => f.write_str("backed-up"),
            Self::Ready => f.write_str("ready"),
        }
    }
}

impl FromStr for Word {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> Result<Self> {
        match line.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
            ["opening"] => Ok(Self::Opening),
            ["open"] => Ok(Self::Open),
            ["ack", writer, batch] => Ok(Self::Acknowledged(
                Writer(writer.parse()?),
                BatchNumber(batch.parse()?),
            )),
            ["backed-up"] => Ok(Self::BackedUp),
            ["ready"] => Ok(Self::Ready),
            _ => bail!("{line:?} means nothing"),
        }
    }
}

/// The child's end. Threads share it.
///
/// It speaks through descriptor 1 itself, which is also the one that a recorder watches.
#[derive(Debug, Clone, Copy)]
pub struct Speaker;

impl Speaker {
    /// Says one thing.
    ///
    /// # Errors
    /// If the parent is gone.
    pub fn say(&self, word: impl Display) -> Result<()> {
        let line = format!("{word}\n");
        // A buffer by lines passes a whole line on at once, so nothing of it waits there.
        let mut out = std::io::stdout().lock();
        out.write_all(line.as_bytes())
            .context("the parent is gone")?;
        out.flush().context("the parent is gone")
    }
}

/// Ends this process soon after its parent has gone: nobody would kill it any more.
pub fn die_with_parent() {
    const LOOK_EVERY: Duration = Duration::from_millis(500);
    let parent = parent_id();
    std::thread::spawn(move || {
        while parent_id() == parent {
            std::thread::sleep(LOOK_EVERY);
        }
        // Not `exit`, which would wait for whatever hangs.
        std::process::abort();
    });
}

/// The parent's end: a running child and what it has said so far.
pub struct Listener<W> {
    child: Child,
    words: Receiver<W>,
    heard: Vec<W>,
}

/// A child that is gone.
#[derive(Debug)]
pub struct Killed<W> {
    /// Everything that it has said.
    pub words: Vec<W>,
    /// How it ended, if that was before it was killed, which no child is meant to do.
    pub ended_by_itself: Option<ExitStatus>,
}

impl<W> Killed<W> {
    /// Whether it worked until it was killed.
    ///
    /// # Errors
    /// If it ended by itself.
    pub fn at_work(&self) -> Result<()> {
        match self.ended_by_itself {
            Some(status) => bail!("the child ended by itself: {status}"),
            None => Ok(()),
        }
    }
}

/// How waiting for a child's word may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// It still runs and has said nothing in time.
    TooLong,
    /// It has ended.
    Ended,
}

impl<W: FromStr<Err: Debug> + PartialEq + Debug + Clone + Send + 'static> Listener<W> {
    /// Starts this very program with other arguments.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn start(arguments: &[String]) -> Result<Self> {
        let program = std::env::current_exe().context("this program's own path is unknown")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start the child")?;
        let pipe = child
            .stdout
            .take()
            .context("the child has no standard output")?;
        let (sender, words) = channel();
        // Read all the time: a full pipe would hold the child up in the middle of its work. The
        // thread ends with the pipe, and the pipe with the child.
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).lines().map_while(std::io::Result::ok) {
                match line.parse() {
                    Err(error) => eprintln!("the child says {line:?}: {error:?}"),
                    // Nobody listens any more only when the child is being killed.
                    Ok(word) => drop(sender.send(word)),
                }
            }
        });
        Ok(Self {
            child,
            words,
            heard: Vec::new(),
        })
    }

    /// Waits for the next thing that the child says.
    ///
    /// # Errors
    /// If it says nothing within `limit`.
    pub fn next(&mut self, limit: Duration) -> Result<W, Silence> {
        let word = self
            .words
            .recv_timeout(limit)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => Silence::TooLong,
                RecvTimeoutError::Disconnected => Silence::Ended,
            })?;
        self.heard.push(word.clone());
        Ok(word)
    }

    /// Waits until the child has said `word`.
    ///
    /// # Errors
    /// If it ends before that or takes longer than `limit`.
    pub fn wait_for(&mut self, word: &W, limit: Duration) -> Result<()> {
        let until = Instant::now() + limit;
        loop {
            match self.next(until.saturating_duration_since(Instant::now())) {
                Ok(heard) if heard == *word => return Ok(()),
                Ok(_) => {}
                Err(Silence::TooLong) => bail!("the child did not say {word:?} within {limit:?}"),
                Err(Silence::Ended) => bail!("the child ended before it said {word:?}"),
            }
        }
    }

    /// Hears what the child says, as long as somebody wants to hear more, it runs, and `limit` is not over.
    pub fn listen(&mut self, limit: Duration, mut wants_more: impl FnMut(&W) -> bool) {
        let until = Instant::now() + limit;
        while let Ok(word) = self.next(until.saturating_duration_since(Instant::now())) {
            if !wants_more(&word) {
                return;
            }
        }
    }

    /// Kills the child with SIGKILL.
    ///
    /// # Errors
    /// If the system cannot tell what became of it.
    pub fn kill(mut self) -> Result<Killed<W>> {
        let ended_by_itself = self.child.try_wait().context("cannot ask for the child")?;
        end(&mut self.child);
        // What it said before it died is still in the pipe.
        self.heard.extend(self.words.iter());
        Ok(Killed {
            words: std::mem::take(&mut self.heard),
            ended_by_itself,
        })
    }
}

impl<W> Drop for Listener<W> {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    // A child that is gone already cannot be killed, and need not be.
    let _ = child.kill();
    let _ = child.wait();
}
