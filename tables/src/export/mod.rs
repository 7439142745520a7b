//! A graph as files: JSON lines, CSV, or a script of statements. All of one snapshot.
//!
//! | form | gives back |
//! |---|---|
//! | JSON lines, CSV | everything, up to ids: `import` makes an equal graph of it |
//! | a script | what statements can say: no bytes, no weights of text indexes, no members of hierarchies by name |
//!
//! Where the bytes go is the business of whoever asks ([`Outlet`]): to a file, or to a client.
//!
//! Next: `json_lines.rs`.

mod csv;
mod json_lines;
mod schema;
mod script;

use stratigraph::exchange::{DeclarationLines, named_members};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Error, Node, Read, ReadTxn, Relationship};

/// The files that CSV has, in the order in which they are written.
pub const CSV_FILES: [&str; 3] = [csv::NODES, csv::RELATIONSHIPS, csv::SCHEMA];

/// Somebody hears of progress once in so many entities.
const ENTITIES_PER_STEP: u64 = 1024;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// JSON lines: declarations, nodes, relationships.
    JsonLines,
    /// Three files, with so much between the elements of a list.
    Csv {
        /// Stands between labels, and between the elements of a list.
        array: char,
    },
    /// Statements of StratQL.
    Script,
}

/// What was exported.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The commit that all of it is of.
    pub commit: u64,
    /// Nodes.
    pub nodes: u64,
    /// Relationships.
    pub relationships: u64,
    /// Indexes, constraints and hierarchies.
    pub declarations: u64,
    /// Nodes that were added to a hierarchy by name.
    pub members: u64,
    /// Bytes, of all files.
    pub bytes: u64,
    /// What the form cannot say.
    pub left_out: Vec<String>,
}

/// What ends an export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Damage, somebody who stops it, or what keeps it from being written.
    #[error(transparent)]
    Engine(#[from] Error),
    /// The graph holds what the form cannot say.
    #[error("{what} cannot be exported in this form: {reason}")]
    NoForm {
        /// What it is.
        what: String,
        /// Why not, and what can.
        reason: String,
    },
}

/// Where an export goes.
pub trait Outlet {
    /// A file begins, and the one before it is whole. Only CSV has files; the other forms are one text.
    ///
    /// # Errors
    /// It cannot be made.
    fn file(&mut self, name: &'static str) -> Result<(), Error>;

    /// Writes what comes next.
    ///
    /// # Errors
    /// It cannot be written, or nobody wants it any more.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error>;

    /// All of it was written.
    ///
    /// # Errors
    /// The rest cannot be written.
    fn finish(&mut self) -> Result<(), Error>;
}

/// Exports a snapshot.
///
/// # Errors
/// [`ExportError`]; what was written then is not whole.
pub fn export(
    db: &Database,
    form: Form,
    out: &mut dyn Outlet,
    watch: &mut Watch<'_>,
) -> Result<Exported, ExportError> {
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
    let mut out = Counted { out, bytes: 0 };
    match form {
        Form::JsonLines => json_lines::write(&mut export, &mut out)?,
        Form::Script => script::write(&mut export, &mut out)?,
        Form::Csv { array } => csv::write(&mut export, &mut out, array)?,
    }
    out.out.finish()?;
    export.done.bytes = out.bytes;
    Ok(export.done)
}

/// An export under way.
struct Export<'e, 'w> {
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
        mut visit: impl FnMut(&Node) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
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
        mut visit: impl FnMut(&Relationship) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        for id in self.read.relationship_ids()? {
            self.step(what)?;
            if let Some(relationship) = self.read.relationship(id?)? {
                visit(&relationship)?;
            }
        }
        Ok(())
    }

    fn step(&mut self, what: &str) -> Result<(), ExportError> {
        if self.steps.is_multiple_of(ENTITIES_PER_STEP) {
            self.watch
                .step(what, self.steps.min(self.total), self.total)?;
        }
        self.steps += 1;
        Ok(())
    }

    /// The lines of what is declared.
    fn declarations(&mut self, out: &mut Counted<'_>) -> Result<(), ExportError> {
        let lines = DeclarationLines::of(self.read)?;
        self.done.declarations = lines.len() as u64;
        for line in lines.to_lines()? {
            out.line(&line)?;
        }
        Ok(())
    }

    /// The lines of nodes that were added to a hierarchy by name.
    fn members(&mut self, out: &mut Counted<'_>) -> Result<(), ExportError> {
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
struct Counted<'a> {
    out: &'a mut dyn Outlet,
    bytes: u64,
}

impl Counted<'_> {
    fn line(&mut self, line: &str) -> Result<(), ExportError> {
        self.text(line)?;
        self.text("\n")
    }

    fn text(&mut self, text: &str) -> Result<(), ExportError> {
        self.bytes += text.len() as u64;
        Ok(self.out.write(text.as_bytes())?)
    }
}
