//! The reader of upstream's `.feature` folders, so that anyone can verify without the extract.
//!
//! `gherkin.rs` takes a file apart into scenarios of steps, `steps.rs` gives the steps their meaning.
//! Named graphs are read from `graphs/NAME/NAME.cypher`, beside the folder of the features. It must
//! never leave anything out: a step that it does not know is an error of the whole run.
//!
//! Next: `gherkin.rs`.

mod gherkin;
mod steps;

use crate::scenario::Scenario;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Reads all scenarios under a folder.
///
/// # Errors
/// If a file cannot be read or understood.
pub fn read(folder: &Path) -> Result<Vec<Scenario>> {
    let graphs = graphs_beside(folder);
    let mut files = Vec::new();
    collect(folder, &mut files).with_context(|| format!("{}", folder.display()))?;
    files.sort();
    let mut scenarios = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
        let inside = path.strip_prefix(folder).unwrap_or(&path);
        let place = inside.parent().unwrap_or(Path::new(""));
        let file = inside.file_stem().unwrap_or_default();
        let found = from_text(
            &text,
            &place.to_string_lossy(),
            &file.to_string_lossy(),
            &|name| fs::read_to_string(graphs.join(name).join(format!("{name}.cypher"))).ok(),
        );
        scenarios.extend(found.with_context(|| format!("{}", path.display()))?);
    }
    Ok(scenarios)
}

/// Reads the scenarios of one file; `graph` gives the script of a named graph.
///
/// # Errors
/// If the text cannot be understood.
pub fn from_text(
    text: &str,
    folder: &str,
    file: &str,
    graph: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Scenario>> {
    gherkin::parse(text)?
        .into_iter()
        .map(|found| {
            let mut scenario = steps::scenario(&found.steps, graph)
                .with_context(|| format!("line {}: {}", found.line, found.name))?;
            let example = found.example.map(|n| format!(".{n}")).unwrap_or_default();
            scenario.id = format!("{folder}/{file}#{}{example}", found.number);
            folder.clone_into(&mut scenario.folder);
            scenario.name = found.name;
            scenario.line = found.line;
            Ok(scenario)
        })
        .collect()
}

/// The features may be given as `tck/features` or as a folder further in.
fn graphs_beside(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    absolute
        .ancestors()
        .map(|ancestor| ancestor.join("graphs"))
        .find(|graphs| graphs.is_dir())
        .unwrap_or_else(|| absolute.join("graphs"))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "feature") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
