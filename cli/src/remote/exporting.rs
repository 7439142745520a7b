//! A graph that a server writes down: the bytes are the server's, and go where those of a folder's would.

use super::coming::unless_cancelled;
use super::refused::RemoteFailure;
use super::server::Server;
use crate::exit::Exit;
use crate::failure::Failure;
use stratigraph::Error as EngineError;
use stratigraph::storage::cancel::{CancelToken, Watch};
use stratigraph_client::{ExportForm, ExportPart};
use stratigraph_tables::export::{CSV_FILES, Exported, Form, Outlet};

impl Server {
    /// Exports the database.
    ///
    /// # Errors
    /// What the server refuses; what keeps it from being written here.
    pub(crate) fn export(
        &self,
        form: Form,
        out: &mut dyn Outlet,
        cancel: &CancelToken,
        watch: &mut Watch<'_>,
    ) -> Result<Exported, Failure> {
        let form = match form {
            Form::JsonLines => ExportForm::JsonLines,
            Form::Csv { array } => ExportForm::Csv {
                array_delimiter: array,
            },
            Form::Script => ExportForm::Script,
        };
        let mut export = self
            .until(cancel, self.client.export(form))?
            .map_err(|error| self.failure(&error, ""))?;
        let (mut begun, mut bytes) = ("", 0);
        loop {
            let next = unless_cancelled(cancel, export.next());
            let part = self.runtime.block_on(next).ok_or(EngineError::Cancelled)?;
            match part.map_err(|error| self.failure(&error, ""))? {
                Some(ExportPart::Progress(progress)) => {
                    watch.step(&progress.step, progress.done, progress.total)?;
                }
                Some(ExportPart::Content { file, bytes: some }) => {
                    if file != begun {
                        // It becomes a name in a folder of ours.
                        let known = CSV_FILES.into_iter().find(|name| *name == file);
                        begun = known.ok_or_else(|| strange(&format!("the file {file:?}")))?;
                        out.file(begun)?;
                    }
                    bytes += some.len() as u64;
                    out.write(&some)?;
                }
                Some(ExportPart::Done(report)) => {
                    if report.bytes != bytes {
                        let said = report.bytes;
                        return Err(strange(&format!("{bytes} bytes, and says it were {said}")));
                    }
                    out.finish()?;
                    return Ok(Exported {
                        commit: report.sequence,
                        nodes: report.nodes,
                        relationships: report.relationships,
                        declarations: report.declarations,
                        members: report.members,
                        bytes,
                        left_out: report.left_out,
                    });
                }
                Some(_) => {}
                None => return Err(strange("no report")),
            }
        }
    }
}

fn strange(what: &str) -> Failure {
    let message = format!("the server sent what this command does not understand: {what}");
    RemoteFailure::other(message, Exit::Bug, "bug").into()
}
