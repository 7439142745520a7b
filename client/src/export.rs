//! A graph as text, as it comes: JSON lines, CSV or a script of statements, all of one commit.

use crate::Error;
use crate::admin::Progress;
use crate::call::{Call, stub};
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use std::fmt;
use stratigraph_proto::v1;
use stratigraph_proto::v1::export_database_response::Part;
use tonic::Streaming;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportForm {
    /// JSON lines: declarations, nodes, relationships.
    JsonLines,
    /// The files `nodes.csv`, `relationships.csv` and `schema.jsonl`.
    Csv {
        /// Stands between labels, and between the elements of a list.
        array_delimiter: char,
    },
    /// Statements of StratQL.
    Script,
}

/// A part of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExportPart {
    /// How far it is.
    Progress(Progress),
    /// What comes next.
    Content {
        /// The file that it is of; empty where there is only one. A file that has begun is whole when another begins.
        file: String,
        /// The bytes; they may end anywhere.
        bytes: Vec<u8>,
    },
    /// All of it has come.
    Done(ExportReport),
}

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ExportReport {
    /// The commit that all of it is of.
    pub sequence: u64,
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

impl Made<v1::ExportReport> for ExportReport {
    fn made_of(sent: v1::ExportReport) -> Self {
        Self {
            sequence: sent.sequence,
            nodes: sent.nodes,
            relationships: sent.relationships,
            declarations: sent.declarations,
            members: sent.members,
            bytes: sent.bytes,
            left_out: sent.left_out,
        }
    }
}

/// An export under way. What is not taken is not sent; one that is dropped stops.
#[must_use = "an export whose parts nobody takes gives nothing"]
pub struct Export {
    call: Call,
    parts: Streaming<v1::ExportDatabaseResponse>,
    is_over: bool,
}

impl Client {
    /// Exports the database. However long it takes: the client's own limit is not for this.
    ///
    /// ```no_run
    /// # async fn example(client: stratigraph_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use stratigraph_client::{ExportForm, ExportPart};
    /// use std::io::Write as _;
    ///
    /// let mut file = std::fs::File::create("library.jsonl")?;
    /// let mut export = client.export(ExportForm::JsonLines).await?;
    /// while let Some(part) = export.next().await? {
    ///     match part {
    ///         ExportPart::Content { bytes, .. } => file.write_all(&bytes)?,
    ///         ExportPart::Done(report) => println!("{} nodes", report.nodes),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn export(&self, form: ExportForm) -> Result<Export, Error> {
        let (form, array_delimiter) = match form {
            ExportForm::JsonLines => (v1::ExportForm::JsonLines, String::new()),
            ExportForm::Csv { array_delimiter } => {
                (v1::ExportForm::Csv, array_delimiter.to_string())
            }
            ExportForm::Script => (v1::ExportForm::Script, String::new()),
        };
        let request = v1::ExportDatabaseRequest {
            database: self.database.to_string(),
            form: form.into(),
            array_delimiter,
        };
        let call = Call::new(&self.with_timeout(None), Safety::Reads, None);
        let parts = call
            .answer(|attempt| {
                let request = request.clone();
                async move {
                    let mut stub = stub!(attempt, bulk_service_client::BulkServiceClient);
                    stub.export_database(attempt.request(request)?).await
                }
            })
            .await?;
        Ok(Export {
            call,
            parts,
            is_over: false,
        })
    }
}

impl Export {
    /// The next part; none after [`ExportPart::Done`].
    ///
    /// # Errors
    /// What ended it; what has come by then is not whole.
    pub async fn next(&mut self) -> Result<Option<ExportPart>, Error> {
        while !self.is_over {
            let message = match self.parts.message().await {
                Ok(Some(message)) => message,
                Ok(None) => {
                    self.is_over = true;
                    return Err(Error::Interrupted {
                        request_id: self.call.request_id.clone(),
                        rows: 0,
                        problem: "the export ended without its report".to_owned(),
                        may_have_written: false,
                    });
                }
                Err(status) => {
                    self.is_over = true;
                    return Err(self.call.failure(&status).error);
                }
            };
            return Ok(Some(match message.part {
                Some(Part::Progress(progress)) => ExportPart::Progress(progress.make()),
                Some(Part::Chunk(chunk)) => ExportPart::Content {
                    file: chunk.file,
                    bytes: chunk.content,
                },
                Some(Part::Report(report)) => {
                    self.is_over = true;
                    ExportPart::Done(report.make())
                }
                // A server that is newer says something that is not known here.
                None => continue,
            }));
        }
        Ok(None)
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Export")
            .field("request_id", &self.call.request_id)
            .finish_non_exhaustive()
    }
}
