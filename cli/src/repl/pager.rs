//! What does not fit on the screen goes to a pager; what does stays where it is.
//!
//! The pager is `$STRATIGRAPH_PAGER`, `$PAGER`, or `less` as git calls it. Where there is none, everything is printed.

use crate::statements::Out;
use rustix::termios::tcgetwinsize;
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output, with a pager between.
pub(crate) struct Paged {
    on: Arc<AtomicBool>,
    /// What was written of this whole and fits so far; `None` when it went on.
    held: Option<Vec<u8>>,
    /// How many lines fit.
    lines: usize,
    pager: Option<Child>,
}

impl Paged {
    /// Pages as long as `on` says so.
    pub(crate) fn new(on: Arc<AtomicBool>) -> Self {
        Self {
            on,
            held: None,
            lines: 0,
            pager: None,
        }
    }

    fn start(&mut self) {
        let command = ["STRATIGRAPH_PAGER", "PAGER"]
            .iter()
            .find_map(|name| {
                std::env::var(name)
                    .ok()
                    .filter(|text| !text.trim().is_empty())
            })
            .unwrap_or_else(|| "less".to_owned());
        let mut shell = Command::new("sh");
        // As git has it: what fits is left on the screen, colours are kept.
        if std::env::var_os("LESS").is_none() {
            shell.env("LESS", "FRX");
        }
        let program = command.split_whitespace().next().unwrap_or_default();
        if !is_there(program) {
            return;
        }
        let started = shell.arg("-c").arg(&command).stdin(Stdio::piped()).spawn();
        match started {
            Ok(pager) => self.pager = Some(pager),
            Err(error) => tracing::debug!(%error, "there is no pager"),
        }
    }
}

/// Whether a program can be found, so that no shell complains about it.
fn is_there(program: &str) -> bool {
    if program.contains('/') {
        return std::path::Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

impl Out for Paged {
    fn begin(&mut self) {
        let rows = tcgetwinsize(io::stdout()).map_or(0, |size| size.ws_row);
        // The prompt and the line after the rows need a place too.
        self.lines = usize::from(rows.saturating_sub(3));
        let on = self.on.load(Ordering::Relaxed) && self.lines > 0;
        self.held = on.then(Vec::new);
    }

    fn end(&mut self) {
        if let Some(held) = self.held.take() {
            // Whoever prints next learns that nobody reads any more.
            let _ = io::stdout().write_all(&held);
            let _ = io::stdout().flush();
        }
        if let Some(mut pager) = self.pager.take() {
            drop(pager.stdin.take());
            if let Err(error) = pager.wait() {
                tracing::debug!(%error, "the pager has not ended");
            }
        }
    }
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(bytes);
            let lines = held.iter().filter(|byte| **byte == b'\n').count();
            if lines <= self.lines {
                return Ok(bytes.len());
            }
            let held = self.held.take().unwrap_or_default();
            self.start();
            match self.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
                Some(input) => input.write_all(&held)?,
                None => io::stdout().write_all(&held)?,
            }
            return Ok(bytes.len());
        }
        match self.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(input) => input.write(bytes),
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.held.is_some() {
            return Ok(());
        }
        match self.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(input) => input.flush(),
            None => io::stdout().flush(),
        }
    }
}
