//! Kuzu, in a process of its own that times itself: `peers/python/kuzu_peer.py`. JSON lines to it, and back.

use super::cases::Asked;
use crate::measure::installed::{QUERY, benches};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(super) struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// With a new database in the file `path`.
    pub(super) fn start(path: &Path) -> Result<Self> {
        let mut child = Command::new(QUERY.python()?)
            .arg(benches().join("peers/python/kuzu_peer.py"))
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the peer")?;
        let requests = child.stdin.take().context("no standard input")?;
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self {
            child,
            requests,
            answers,
        })
    }

    /// Runs statements that make or read in data; the seconds it took.
    pub(super) fn load(&mut self, statements: &[String]) -> Result<f64> {
        let said = self.ask(&json!({ "do": "load", "statements": statements }))?;
        said["seconds"].as_f64().context("no seconds")
    }

    /// Asks with all parameters; the seconds it took, and the rows of each.
    pub(super) fn run(&mut self, asked: &Asked, parameters: &[Value]) -> Result<(f64, Vec<Value>)> {
        let request = match asked {
            Asked::Statements { all, after } => {
                json!({ "do": "run", "statements": all, "after": after, "parameters": parameters })
            }
            Asked::Then { first, then } => {
                json!({ "do": "then", "first": first, "then": then, "parameters": parameters })
            }
            Asked::Levels { each, levels } => {
                json!({ "do": "levels", "each": each, "levels": levels, "parameters": parameters })
            }
        };
        let said = self.ask(&request)?;
        let rows = said["rows"].as_array().context("no rows")?.clone();
        Ok((said["seconds"].as_f64().context("no seconds")?, rows))
    }

    /// Its version, and how much memory it holds.
    pub(super) fn told(&mut self) -> Result<(String, f64)> {
        let said = self.ask(&json!({ "do": "tell" }))?;
        let version = said["version"].as_str().context("no version")?.to_owned();
        Ok((version, said["rss_mb"].as_f64().context("no memory")?))
    }

    fn ask(&mut self, request: &Value) -> Result<Value> {
        writeln!(self.requests, "{request}")?;
        self.requests.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the peer has ended");
        }
        let said: Value = serde_json::from_str(&line).context("the peer said no JSON")?;
        match said["failed"].as_str() {
            Some(why) => bail!("the peer: {why}"),
            None => Ok(said),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It has nothing that anybody needs, and may be in the middle of something long.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
