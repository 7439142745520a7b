//! tantivy, in the process of the Rust peers: JSON lines to it, JSON lines back. It times itself.

use crate::measure::installed::INDEXES;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(super) struct Tantivy {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Tantivy {
    pub(super) fn start(program: Option<&Path>, folder: &Path) -> Result<Self> {
        let program = match program {
            Some(program) => program.to_path_buf(),
            None => INDEXES
                .place("rust")
                .context("there is no tantivy; --peer names a program that has it")?,
        };
        let mut child = Command::new(&program)
            .arg("tantivy")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self {
            requests: child.stdin.take(),
            child,
            answers,
        })
    }

    /// Inserts everything; how many seconds it took by the wall clock.
    pub(super) fn insert(&mut self, portion: usize) -> Result<f64> {
        let answer = self.ask(&json!({ "do": "insert", "portion": portion }))?;
        answer["wall_s"].as_f64().context("no wall_s")
    }

    /// Answers every question; how many seconds of processor time it took.
    pub(super) fn search(&mut self, k: usize) -> Result<(f64, Vec<Vec<u64>>)> {
        let answer = self.ask(&json!({ "do": "search", "k": k }))?;
        let seconds = answer["cpu_s"].as_f64().context("no cpu_s")?;
        Ok((seconds, serde_json::from_value(answer["found"].clone())?))
    }

    /// How many bytes its last index has.
    pub(super) fn bytes(&self, folder: &Path) -> Result<u64> {
        let entries = folder
            .read_dir()?
            .filter_map(Result::ok)
            .map(|entry| entry.path());
        let indexes = entries.filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("tantivy-"))
        });
        indexes.max().map_or(Ok(0), |index| folder_bytes(&index))
    }

    fn ask(&mut self, request: &Value) -> Result<Value> {
        let requests = self.requests.as_mut().context("the peer has been ended")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut answer = Value::Null;
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line)? == 0 {
                bail!("tantivy ended in the middle of {request}");
            }
            let line: Value =
                serde_json::from_str(&line).with_context(|| format!("tantivy said {line:?}"))?;
            if line["stage"] == "end" {
                return Ok(answer);
            }
            answer = line;
        }
    }
}

impl Drop for Tantivy {
    fn drop(&mut self) {
        // Without requests it ends by itself.
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}

/// How many bytes the files of a folder have.
pub(super) fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in folder.read_dir()? {
        let path = entry?.path();
        bytes += if path.is_dir() {
            folder_bytes(&path)?
        } else {
            path.metadata()?.len()
        };
    }
    Ok(bytes)
}
