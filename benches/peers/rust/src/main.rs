//! One peer on one set: `stratigraph-peers PEER FOLDER`.
//!
//! Requests come as JSON lines on standard input and are answered by JSON lines on standard output, the last of
//! each `{"stage":"end"}`; `benches/src/vector/driver.rs` is the other side. The index stays in memory between
//! requests, so that rounds of several peers can take turns.

mod clock;
mod diskann;
mod hnsw_rs;
mod score;
mod set;
mod tantivy;
mod texts;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::json;
use set::Set;
use std::io::BufRead;
use std::path::Path;

/// An index of a peer.
trait Index {
    /// Appends at most `k` rows, the nearest first.
    fn search(&self, query: &[f32], k: usize, breadth: usize, found: &mut Vec<u32>) -> Result<()>;

    /// The same among the allowed rows; whether the peer can.
    fn search_among(
        &self,
        _query: &[f32],
        _k: usize,
        _breadth: usize,
        _allowed: &dyn Fn(u32) -> bool,
        _found: &mut Vec<u32>,
    ) -> Result<bool> {
        Ok(false)
    }
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Request {
    Build {
        threads: usize,
    },
    Search {
        ef: Vec<usize>,
        until: f64,
    },
    Filtered {
        case: String,
        ef: Vec<usize>,
        until: f64,
    },
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [peer, folder] = arguments.as_slice() else {
        bail!("usage: stratigraph-peers PEER FOLDER");
    };
    // It has texts instead of vectors, and other requests.
    if peer == "tantivy" {
        return texts::serve(Path::new(folder));
    }
    let set = Set::read(Path::new(folder))?;
    let mut index: Option<Box<dyn Index>> = None;
    for line in std::io::stdin().lock().lines() {
        let answered = match serde_json::from_str(&line?)? {
            Request::Build { threads } => {
                drop(index.take());
                let cost = clock::Cost::begin();
                match build(peer, &set, threads) {
                    Ok(built) => {
                        say(cost.end(json!({ "peer": peer, "stage": "build", "threads": threads })));
                        index = Some(built);
                        Ok(())
                    }
                    Err(error) => Err(error),
                }
            }
            Request::Search { ef, until } => index
                .as_deref()
                .context("search before build")
                .and_then(|index| score::search(peer, index, &set, &ef, until)),
            Request::Filtered { case, ef, until } => index
                .as_deref()
                .context("search before build")
                .and_then(|index| score::filtered(peer, index, &set, &case, &ef, until)),
        };
        if let Err(error) = answered {
            say(json!({ "peer": peer, "stage": "failed", "why": format!("{error:#}") }));
        }
        say(json!({ "stage": "end" }));
    }
    Ok(())
}

fn build(peer: &str, set: &Set, threads: usize) -> Result<Box<dyn Index>> {
    Ok(match peer {
        "hnsw_rs" => Box::new(hnsw_rs::HnswRs::build(set, threads)?),
        "diskann" => Box::new(diskann::plain(set, threads)?),
        "diskann-sq8" => Box::new(diskann::quantized(set, threads)?),
        _ => bail!("there is no peer `{peer}` here"),
    })
}

fn say(line: serde_json::Value) {
    println!("{line}");
}
