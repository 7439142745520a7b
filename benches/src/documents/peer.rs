//! A peer, in a process of its own that times itself: `peers/python/documents.py`.

use super::Built;
use crate::measure::installed::{DOCUMENTS, benches};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// Builds its graph of these documents in the new folder `folder`, and asks it these questions.
pub(super) fn build(
    name: &str,
    documents: &Path,
    questions: &Path,
    folder: &Path,
) -> Result<Built> {
    let log = folder.with_extension("log");
    let output = Command::new(DOCUMENTS.python()?)
        .arg(benches().join("peers/python/documents.py"))
        .arg(name)
        .args([documents, questions, folder])
        .stdin(Stdio::null())
        .stderr(std::fs::File::create(&log)?)
        .output()
        .with_context(|| format!("cannot start {name}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let last = said.lines().last().unwrap_or_default();
    if !output.status.success() {
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        bail!("{name} failed: {}", log.lines().last().unwrap_or_default());
    }
    let line: Value =
        serde_json::from_str(last).with_context(|| format!("{name} said {last:?}"))?;
    let number = |field: &str| {
        line[field]
            .as_f64()
            .with_context(|| format!("{name} said no {field}"))
    };
    Ok(Built {
        build_s: number("build_s")?,
        one_more_s: number("one_more_s")?,
        query_s: number("query_s")?,
        chunks: number("chunks")?,
        entities: number("entities")?,
        relations: number("relations")?,
        peak_mb: number("peak_rss_bytes")? / 1e6,
    })
}
