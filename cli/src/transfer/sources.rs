//! Which files an import reads, in which order, and what is known of each beforehand.
//!
//! Nodes come first, then JSON lines, which may hold anything, then relationships: their ends must be there.

use super::header::Part;
use super::mapping::{self, Mapped};
use super::place::TransferError;
use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    Json,
}

/// Files with one header.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The first has the header of all, if they are CSV.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) form: Form,
    /// What the records are, if that was said.
    pub(crate) part: Option<Part>,
    /// Labels that every node gets.
    pub(crate) labels: Vec<String>,
    /// The type of relationships that have none of their own.
    pub(crate) of: Option<String>,
    pub(crate) mapped: Option<Mapped>,
}

/// The path that stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The files that were asked for.
///
/// # Errors
/// One is missing, or nobody can tell what it is.
pub(crate) fn gather(
    plain: &[PathBuf],
    nodes: &[String],
    relationships: &[String],
    mapping: Option<&Path>,
) -> Result<Vec<Source>, Failure> {
    let mut all = Vec::new();
    for path in plain {
        if path.is_dir() {
            all.extend(in_folder(path)?);
        } else {
            all.push(source(vec![path.clone()], None)?);
        }
    }
    for text in nodes {
        let (names, files) = named(text);
        let labels = names.split(':').filter(|name| !name.is_empty());
        let labels = labels.map(str::to_owned).collect();
        all.push(Source {
            labels,
            ..source(files, Some(Part::Nodes))?
        });
    }
    for text in relationships {
        let (name, files) = named(text);
        all.push(Source {
            of: (!name.is_empty()).then(|| name.to_owned()),
            ..source(files, Some(Part::Relationships))?
        });
    }
    if let Some(mapping) = mapping {
        for mapped in mapping::read(mapping)? {
            let files = vec![mapped.file.clone()];
            all.push(Source {
                labels: mapped.labels.clone(),
                of: mapped.of.clone(),
                mapped: Some(mapped.clone()),
                ..source(files, Some(mapped.part))?
            });
        }
    }
    if all.is_empty() {
        return Err(TransferError::Request(
            "nothing to import: name files, or a folder that `stratigraph export` has written"
                .to_owned(),
        )
        .into());
    }
    Ok(all)
}

/// `Person:Admin=a.csv,b.csv`: what stands before the files, and the files.
fn named(text: &str) -> (&str, Vec<PathBuf>) {
    let (names, files) = text.split_once('=').unwrap_or(("", text));
    // A file whose name has a comma is taken for one if it is there.
    if !files.contains(',') || Path::new(files).exists() {
        return (names, vec![files.into()]);
    }
    (names, files.split(',').map(PathBuf::from).collect())
}

fn source(files: Vec<PathBuf>, part: Option<Part>) -> Result<Source, Failure> {
    let mut form = None;
    for file in &files {
        let this = form_of(file)?;
        if form.is_some_and(|form| form != this) {
            let why = format!("{}: files with one header are of one form", file.display());
            return Err(TransferError::Request(why).into());
        }
        form = Some(this);
        if !is_stdin(file) && !file.exists() {
            return Err(TransferError::Request(format!("no file {}", file.display())).into());
        }
    }
    Ok(Source {
        form: form.unwrap_or(Form::Csv),
        files,
        part,
        labels: Vec::new(),
        of: None,
        mapped: None,
    })
}

/// The form of a file, by the end of its name.
fn form_of(path: &Path) -> Result<Form, Failure> {
    if is_stdin(path) {
        return Ok(Form::Json);
    }
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    match ending.to_lowercase().as_str() {
        "csv" | "tsv" | "txt" => Ok(Form::Csv),
        "jsonl" | "ndjson" | "json" => Ok(Form::Json),
        _ => Err(TransferError::Request(format!(
            "{}: what is it? CSV ends with .csv, .tsv or .txt, JSON lines with .jsonl, .ndjson or .json",
            path.display()
        ))
        .into()),
    }
}

/// The files of a folder, by name. What is neither CSV nor JSON lines is left alone.
fn in_folder(folder: &Path) -> Result<Vec<Source>, Failure> {
    let unreadable = |source| Failure::Input {
        name: folder.display().to_string(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && form_of(&path).is_ok() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let why = format!("{} holds no CSV and no JSON lines", folder.display());
        return Err(TransferError::Request(why).into());
    }
    files
        .into_iter()
        .map(|file| source(vec![file], None))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_with_names_before_them() {
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(named("a.csv"), ("", files(&["a.csv"])));
        assert_eq!(
            named("Person:Admin=h.csv,a.csv"),
            ("Person:Admin", files(&["h.csv", "a.csv"]))
        );
        assert_eq!(named("KNOWS=a=b.csv"), ("KNOWS", files(&["a=b.csv"])));
        assert_eq!(named("=x=y.csv"), ("", files(&["x=y.csv"])));
    }

    #[test]
    fn forms_are_told_by_the_ending() {
        assert_eq!(form_of(Path::new("a.CSV")).unwrap(), Form::Csv);
        assert_eq!(form_of(Path::new("a.ndjson")).unwrap(), Form::Json);
        assert_eq!(form_of(Path::new("-")).unwrap(), Form::Json);
        assert!(form_of(Path::new("a.parquet")).is_err());
        assert!(gather(&["missing.csv".into()], &[], &[], None).is_err());
        assert!(gather(&[], &[], &[], None).is_err());
    }
}
