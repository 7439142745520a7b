//! One side in a process of its own that times itself: JSON lines to it, JSON lines back. Ours is one like the others, so
//! that its memory is counted in the same way, and so that it can be killed.

use crate::measure::installed::benches;
use crate::measure::memory::{of_mappings, of_status};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Our own name among the sides.
pub(super) const OURS: &str = "stratigraph";

/// What became of a request.
pub(super) enum Said {
    Done(Value),
    /// It has no such thing, and why.
    Cannot(String),
}

pub(super) struct Driver {
    name: String,
    child: Child,
    requests: ChildStdin,
    /// Lines, read by a thread so that nobody waits for ever.
    answers: Receiver<std::io::Result<String>>,
    patience: Duration,
}

impl Driver {
    /// Over a database in the folder, which may not be there yet. It is ended if an answer takes longer than `patience`.
    pub(super) fn start(
        name: &str,
        python: &Path,
        data: &Path,
        folder: &Path,
        patience: Duration,
    ) -> Result<Self> {
        let mut command = if name == OURS {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("--serve").arg(folder).arg("--data").arg(data);
            command
        } else {
            let mut command = Command::new(python);
            let serve = benches().join("peers/python/peers/serve.py");
            command.arg(serve).arg(name).arg(folder).arg(data);
            command
        };
        // Libraries that share their work out by themselves are told not to.
        for variable in [
            "OMP_NUM_THREADS",
            "RAYON_NUM_THREADS",
            "LANCE_CPU_THREADS",
            "TOKIO_WORKER_THREADS",
        ] {
            command.env(variable, "1");
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let requests = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?);
        let (sender, answers) = sync_channel(16);
        // It ends with the process, or with whoever reads.
        std::thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            name: name.to_owned(),
            child,
            requests,
            answers,
            patience,
        })
    }

    /// Asks, and waits for the answer.
    pub(super) fn ask(&mut self, request: &Value) -> Result<Said> {
        self.send(request)?;
        let Some(said) = self.next()? else {
            bail!("{} ended in the middle of {request}", self.name);
        };
        if let Some(why) = said["cannot"].as_str() {
            return Ok(Said::Cannot(why.to_owned()));
        }
        match said["failed"].as_str() {
            Some(why) => bail!("{why}"),
            None => Ok(Said::Done(said)),
        }
    }

    /// Asks what it has to be able to do.
    pub(super) fn must(&mut self, request: &Value) -> Result<Value> {
        match self.ask(request)? {
            Said::Done(said) => Ok(said),
            Said::Cannot(why) => bail!("{}: {why}", self.name),
        }
    }

    pub(super) fn send(&mut self, request: &Value) -> Result<()> {
        writeln!(self.requests, "{request}")?;
        Ok(self.requests.flush()?)
    }

    /// The next line; nothing once it has ended.
    pub(super) fn next(&mut self) -> Result<Option<Value>> {
        let line = match self.answers.recv_timeout(self.patience) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {
                self.kill()?;
                bail!("given up after {} s", self.patience.as_secs());
            }
        };
        let line = serde_json::from_str(&line);
        Ok(Some(
            line.with_context(|| format!("{} said no JSON", self.name))?,
        ))
    }

    /// Ends it as a crash would: SIGKILL.
    pub(super) fn kill(&mut self) -> Result<()> {
        Ok(self.child.kill()?)
    }

    /// Has it close its database, and waits for its end.
    pub(super) fn close(mut self) -> Result<()> {
        self.must(&json!({ "do": "close" }))?;
        Ok(())
    }

    /// The memory it holds of its own, and what it has mapped of files in this folder, in megabytes. Other files are its
    /// program and libraries, which are no data.
    pub(super) fn memory(&self, folder: &Path) -> Result<(f64, f64)> {
        let own = of_status(&self.of_process("status")?, "RssAnon:")?;
        // As the system calls it: the folder that was said may be relative, or a link.
        let folder = fs::canonicalize(folder)?;
        let smaps = self.of_process("smaps")?;
        let mapped = |number: &str| of_mappings(&smaps, number, |file| file.starts_with(&folder));
        // What was written of a private mapping is in memory of its own.
        let files = mapped("Rss:")?.saturating_sub(mapped("Anonymous:")?);
        Ok((own as f64 / 1e6, files as f64 / 1e6))
    }

    fn of_process(&self, file: &str) -> Result<String> {
        let process = self.child.id();
        Ok(fs::read_to_string(format!("/proc/{process}/{file}"))?)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It has nothing that anybody needs, and may be in the middle of something long.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
