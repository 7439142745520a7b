//! Another library as a peer, in a process of its own: JSON lines to it, JSON lines back.
//!
//! The process times itself, so that neither its start nor the pipe counts. It keeps its index between
//! requests and sleeps while others are measured.

use super::curve::Point;
use super::peer::{Built, Peer};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(super) struct Driver {
    name: &'static str,
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Driver {
    pub(super) fn start(name: &'static str, mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {:?}", command.get_program()))?;
        let answers = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self {
            name,
            requests: child.stdin.take(),
            child,
            answers,
        })
    }

    /// Sends one request; the lines of its answer.
    fn ask(&mut self, request: &Value) -> Result<Vec<Value>> {
        let requests = self.requests.as_mut().context("the peer has been ended")?;
        writeln!(requests, "{request}")?;
        requests.flush()?;
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line)? == 0 {
                bail!("{} ended in the middle of {request}", self.name);
            }
            let line: Value = serde_json::from_str(&line)
                .with_context(|| format!("{} said {line:?}", self.name))?;
            match line["stage"].as_str() {
                Some("end") => return Ok(lines),
                Some("failed") => lines.insert(0, line),
                _ => lines.push(line),
            }
            if lines[0]["stage"] == "failed" {
                // Read to the end, so that the next request finds its own answer.
                while line_of(&mut self.answers)? != Some("end".into()) {}
                bail!("{}: {}", self.name, lines[0]["why"]);
            }
        }
    }
}

fn line_of(answers: &mut BufReader<ChildStdout>) -> Result<Option<String>> {
    let mut line = String::new();
    if answers.read_line(&mut line)? == 0 {
        bail!("the peer ended");
    }
    let line: Value = serde_json::from_str(&line)?;
    Ok(line["stage"].as_str().map(str::to_owned))
}

impl Peer for Driver {
    fn build(&mut self, threads: usize) -> Result<Built> {
        let lines = self.ask(&json!({ "do": "build", "threads": threads }))?;
        let line = lines.first().context("no answer to build")?;
        Ok(Built {
            cpu_s: number(line, "cpu_s")?,
            wall_s: number(line, "wall_s")?,
            rss_bytes: number(line, "rss_bytes")?,
        })
    }

    fn search(&mut self, breadths: &[usize], until: f64) -> Result<Vec<Point>> {
        let lines = self.ask(&json!({ "do": "search", "ef": breadths, "until": until }))?;
        lines.iter().map(point).collect()
    }

    fn filtered(
        &mut self,
        case: &str,
        breadths: &[usize],
        until: f64,
    ) -> Result<Option<Vec<Point>>> {
        let request = json!({ "do": "filtered", "case": case, "ef": breadths, "until": until });
        let lines = self.ask(&request)?;
        if lines.iter().any(|line| line["stage"] == "unsupported") {
            return Ok(None);
        }
        lines.iter().map(point).collect::<Result<_>>().map(Some)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Without requests it ends by itself.
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}

fn point(line: &Value) -> Result<Point> {
    Ok(Point {
        breadth: number(line, "ef")? as usize,
        recall: number(line, "recall")?,
        qps_cpu: number(line, "qps_cpu")?,
        qps_wall: number(line, "qps_wall")?,
        rows: number(line, "rows_returned")?,
    })
}

fn number(line: &Value, name: &str) -> Result<f64> {
    line[name]
        .as_f64()
        .with_context(|| format!("no {name} in {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A peer that answers whatever it is asked with the same lines.
    fn saying(lines: &str) -> Driver {
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                "while read -r _; do printf '%s\\n' \"$1\"; done",
                "sh",
            ])
            .arg(lines);
        Driver::start("sayer", command).unwrap()
    }

    #[test]
    fn lines_become_points() {
        let mut peer = saying(
            "{\"stage\":\"search\",\"ef\":10,\"recall\":0.5,\"qps_cpu\":7.0,\"qps_wall\":6,\"rows_returned\":10}\n{\"stage\":\"end\"}",
        );
        for _ in 0..2 {
            let points = peer.search(&[10], 0.9).unwrap();
            let expected = Point {
                breadth: 10,
                recall: 0.5,
                qps_cpu: 7.0,
                qps_wall: 6.0,
                rows: 10.0,
            };
            assert_eq!(points, [expected]);
        }
    }

    #[test]
    fn a_failure_is_told_with_its_reason_and_leaves_the_peer_usable() {
        let mut peer = saying("{\"stage\":\"failed\",\"why\":\"no room\"}\n{\"stage\":\"end\"}");
        for _ in 0..2 {
            let error = peer.build(1).unwrap_err();
            assert_eq!(error.to_string(), "sayer: \"no room\"");
        }
    }

    #[test]
    fn no_filters_is_no_failure() {
        let mut peer = saying("{\"stage\":\"unsupported\"}\n{\"stage\":\"end\"}");
        assert_eq!(peer.filtered("random-1", &[10], 0.9).unwrap(), None);
    }
}
