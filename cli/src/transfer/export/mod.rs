//! A graph as files: JSON lines, CSV in a folder, or a script of statements. All of one snapshot.
//!
//! | form | gives back |
//! |---|---|
//! | JSON lines, CSV | everything, up to ids: `import` makes an equal graph of it |
//! | a script | what statements can say: no bytes, no weights of text indexes, no members of hierarchies by name |
//!
//! Next: `json_lines.rs`.

mod csv;
mod json_lines;
mod schema;
mod script;

use super::place::TransferError;
use crate::failure::Failure;
use clap::ValueEnum;
use std::io::{self, Write};
use stratigraph::exchange::{DeclarationLines, named_members};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Node, Read, ReadTxn, Relationship};

pub(super) use csv::to_folder;

/// Somebody hears of progress once in so many entities.
const ENTITIES_PER_STEP: u64 = 1024;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// JSON lines: declarations, nodes, relationships
    Jsonl,
    /// A folder with nodes.csv, relationships.csv and schema.jsonl
    Csv,
    /// Statements of StratQL
    Script,
}

/// What was exported.
#[derive(Debug, Default)]
pub(crate) struct Exported {
    pub(crate) commit: u64,
    pub(crate) nodes: u64,
    pub(crate) relationships: u64,
    pub(crate) declarations: u64,
    pub(crate) members: u64,
    pub(crate) bytes: u64,
    /// What the form cannot say.
    pub(crate) left_out: Vec<String>,
}

/// Where an export goes.
pub(crate) enum Out<'a> {
    Stream(&'a mut dyn Write),
    /// An empty folder.
    Folder(&'a std::path::Path),
}

/// Exports a snapshot.
///
/// # Errors
/// Damage; what the form cannot say; what keeps it from being written.
pub(crate) fn export(
    db: &Database,
    form: Form,
    array: char,
    out: Out<'_>,
    watch: &mut Watch<'_>,
) -> Result<Exported, Failure> {
    let read = db.read()?;
    let mut export = Export {
        done: Exported {
            commit: read.commit_seq().get(),
            ..Exported::default()
        },
        total: read.node_count(None)? + read.relationship_count(None)?,
        steps: 0,
        read: &read,
        watch,
    };
    match (form, out) {
        (Form::Jsonl, Out::Stream(out)) => json_lines::write(&mut export, out)?,
        (Form::Script, Out::Stream(out)) => script::write(&mut export, out)?,
        (Form::Csv, Out::Folder(folder)) => to_folder(&mut export, folder, array)?,
        _ => {
            let why = "CSV goes to a folder, everything else to a file or to stdout";
            return Err(TransferError::Request(why.to_owned()).into());
        }
    }
    Ok(export.done)
}

/// An export under way.
pub(super) struct Export<'e, 'w> {
    read: &'e ReadTxn,
    watch: &'e mut Watch<'w>,
    done: Exported,
    total: u64,
    steps: u64,
}

impl Export<'_, '_> {
    fn each_node(
        &mut self,
        what: &str,
        mut visit: impl FnMut(&Node) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for id in self.read.node_ids()? {
            self.step(what)?;
            if let Some(node) = self.read.node(id?)? {
                visit(&node)?;
            }
        }
        Ok(())
    }

    fn each_relationship(
        &mut self,
        what: &str,
        mut visit: impl FnMut(&Relationship) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for id in self.read.relationship_ids()? {
            self.step(what)?;
            if let Some(relationship) = self.read.relationship(id?)? {
                visit(&relationship)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, what: &str) -> Result<(), Failure> {
        if self.steps.is_multiple_of(ENTITIES_PER_STEP) {
            self.watch
                .step(what, self.steps.min(self.total), self.total)?;
        }
        self.steps += 1;
        Ok(())
    }

    /// The lines of what is declared.
    fn declarations(&mut self, out: &mut Counted<'_>) -> Result<(), Failure> {
        let lines = DeclarationLines::of(self.read)?;
        self.done.declarations = lines.len() as u64;
        for line in lines.to_lines()? {
            out.line(&line)?;
        }
        Ok(())
    }

    /// The lines of nodes that were added to a hierarchy by name.
    fn members(&mut self, out: &mut Counted<'_>) -> Result<(), Failure> {
        let (mut members, mut failed) = (0, None);
        named_members(self.read, |hierarchy, node| {
            members += 1;
            let name = serde_json::Value::from(hierarchy);
            let line = format!("{{\"member\":{node},\"hierarchy\":{name}}}");
            if failed.is_none() {
                failed = out.line(&line).err();
            }
            Ok(())
        })?;
        self.done.members = members;
        failed.map_or(Ok(()), Err)
    }
}

/// Where lines go, and how many bytes they came to.
pub(super) struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl<'a> Counted<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Self { out, bytes: 0 }
    }

    fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.text(line)?;
        self.text("\n")
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes += text.len() as u64;
        self.out.write_all(text.as_bytes()).map_err(written)
    }

    /// Sees to it that all of it was written.
    fn finish(self) -> Result<u64, Failure> {
        self.out.flush().map_err(written)?;
        Ok(self.bytes)
    }
}

fn written(error: io::Error) -> Failure {
    Failure::Engine(stratigraph::Error::Io {
        operation: "write",
        path: "the export".into(),
        source: error.into(),
    })
}
