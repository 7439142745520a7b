//! Documents and tables: in and out, what is stale after it, and summaries.
//!
//! The server reads, cuts and builds, with the models that it was started with: what goes over is the bytes of files.
//! `upsert.rs` is a stream of documents, `tables.rs` one of tables, `retrieve.rs` questions and receipts, `ask.rs` answers,
//! `calibrate.rs` below which confidence there is none, `routes.rs` declared queries,
//! `describe.rs` what the server says.

mod ask;
mod calibrate;
mod describe;
mod retrieve;
mod routes;
mod tables;
mod upsert;

pub use ask::{Answer, AnswerSentence, AskBuilder, AskEvent, Asking, CitedSource, NoAnswer};
pub use calibrate::{CalibrateBuilder, Calibration, Quantiles};
pub use describe::{
    DocumentReport, GraphChange, ModelBill, RagProgress, Resummarised, StaleSummaries,
    SummaryReport, SummarySubject, UpsertOpened,
};
pub use retrieve::{
    Confidence, Found, Place, Receipt, RetrieveBuilder, Retrieved, Standing, TracedStage, WayStep,
};
pub use routes::{Called, CalledRow, DeclaredQueries, DeclaredQuery, DeclaredReport};
pub use tables::{Tables, TablesBuilder, TablesReport};
pub use upsert::{Document, Layers, UpsertBuilder, Upserts};

use crate::Error;
use crate::call::{Call, stub, unary};
use crate::client::Client;
use crate::error::Safety;
use crate::made::Make;
use std::fmt;
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_proto::v1::resummarise_response::Part;

/// The documents of a database.
///
/// ```no_run
/// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
/// use stratigraph_client::{Document, Layers};
///
/// let mut documents = client
///     .rag()
///     .upsert()
///     .layers(Layers::new("bag").filter("year"))
///     .on_report(|report| eprintln!("{}: {:?}", report.id, report.problems))
///     .start();
/// let text = "# Rocks\n\nBasalt comes from Etna.\n";
/// documents.send(Document::new("rocks.md", text).metadata("year", 2023)?).await?;
/// documents.finish().await?;
/// for subject in client.rag().stale().await?.subjects {
///     eprintln!("{} {}", subject.label, subject.key);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Rag {
    client: Client,
}

impl Client {
    /// The documents of its database.
    #[must_use]
    pub fn rag(&self) -> Rag {
        Rag {
            client: self.clone(),
        }
    }
}

impl Rag {
    /// Settings for a stream of documents.
    pub fn upsert(&self) -> UpsertBuilder {
        UpsertBuilder::new(self.client.clone())
    }

    /// Tables, CSV and JSON lines, that become typed nodes and relationships through a mapping, in one commit. The mapping is
    /// the text of its file, and `id` the name that the tables are known by: again, they take the place of what they
    /// stated before, and [`delete`](Self::delete) takes it out.
    ///
    /// ```no_run
    /// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
    /// let mapping = r#"
    ///     [[nodes]]
    ///     file = "rocks.csv"
    ///     label = "Rock"
    ///     key = "name"
    /// "#;
    /// let mut tables = client.rag().tables("rocks.toml", mapping).start();
    /// tables.send("rocks.csv", "name,age\nBasalt,4\n").await?;
    /// let report = tables.finish().await?;
    /// println!("{} nodes, left out: {:?}", report.nodes, report.problems);
    /// # Ok(())
    /// # }
    /// ```
    pub fn tables(&self, id: impl Into<String>, mapping: impl Into<String>) -> TablesBuilder {
        TablesBuilder::new(self.client.clone(), id.into(), mapping.into())
    }

    /// Takes documents out, each in a transaction of its own; those that are not there are fine.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn delete<I>(&self, ids: I) -> Result<GraphChange, Error>
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        let request = v1::DeleteDocumentsRequest {
            database: self.client.database.to_string(),
            ids: ids.into_iter().map(Into::into).collect(),
        };
        // Once more takes out nothing else.
        let told: v1::DeleteDocumentsResponse = unary!(
            &self.client,
            Safety::Reads,
            rag_service_client::RagServiceClient,
            delete_documents,
            request
        )?;
        Ok(told.change.unwrap_or_default().make())
    }

    /// The summaries that were made from something else than what is said now.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn stale(&self) -> Result<StaleSummaries, Error> {
        let request = v1::ListStaleRequest {
            database: self.client.database.to_string(),
        };
        let told: v1::ListStaleResponse = unary!(
            &self.client,
            Safety::Reads,
            rag_service_client::RagServiceClient,
            list_stale,
            request
        )?;
        Ok(StaleSummaries {
            count: told.count,
            subjects: told.stale.into_iter().map(Make::make).collect(),
        })
    }

    /// A question, to be asked by a preset, or by a pipeline that is written out as TOML or JSON.
    ///
    /// ```no_run
    /// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
    /// let rag = client.rag();
    /// let retrieved = rag.retrieve("strata", "Where does basalt come from?").only("year", 2023)?.run().await?;
    /// for found in &retrieved.found {
    ///     println!("{}\n{}", found.heading, found.text);
    /// }
    /// let receipts: Vec<_> = retrieved.found.into_iter().map(|found| found.receipt).collect();
    /// assert!(rag.verify(&receipts).await?.iter().all(|standing| standing.holds()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn retrieve(
        &self,
        pipeline: impl Into<String>,
        question: impl Into<String>,
    ) -> RetrieveBuilder {
        RetrieveBuilder::new(self.client.clone(), pipeline.into(), question.into())
    }

    /// A question, to be answered from what a preset, or a pipeline that is written out, retrieves.
    ///
    /// ```no_run
    /// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
    /// use stratigraph_client::AskEvent;
    ///
    /// let mut asking = client.rag().ask("strata", "Where does basalt come from?").start().await?;
    /// while let Some(event) = asking.next().await? {
    ///     match event {
    ///         AskEvent::Stage(stage) => eprintln!("{} gave {}", stage.stage, stage.gave),
    ///         AskEvent::Text { text, .. } => eprint!("{text}"),
    ///         AskEvent::Answer(answer) => {
    ///             for sentence in &answer.sentences {
    ///                 println!("{} {:?} {}", sentence.text, sentence.sources, sentence.supported);
    ///             }
    ///         }
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn ask(&self, pipeline: impl Into<String>, question: impl Into<String>) -> AskBuilder {
        AskBuilder::new(self.client.clone(), pipeline.into(), question.into())
    }

    /// Settings for finding below which confidence a pipeline's questions are refused.
    ///
    /// ```no_run
    /// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
    /// let found = client.rag().calibrate("strata").questions(500).run().await?;
    /// println!("{} at AUROC {}", found.threshold, found.auroc);
    /// # Ok(())
    /// # }
    /// ```
    pub fn calibrate(&self, pipeline: impl Into<String>) -> CalibrateBuilder {
        CalibrateBuilder::new(self.client.clone(), pipeline.into())
    }

    /// Whether what receipts were given on still stands, in their order.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn verify(&self, receipts: &[Receipt]) -> Result<Vec<Standing>, Error> {
        retrieve::verify(&self.client, receipts).await
    }

    /// The queries that can be called and that questions are routed to, with their definitions for function calling.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn declared(&self) -> Result<DeclaredQueries, Error> {
        routes::declared(&self.client).await
    }

    /// Declares queries, one or several as JSON or TOML, each in the place of the one that has its name.
    ///
    /// # Errors
    /// [`Error::Refused`], also where a statement would write, and what [`Error`] has for the network.
    pub async fn declare(
        &self,
        definitions: impl Into<String>,
    ) -> Result<Vec<DeclaredReport>, Error> {
        routes::declare(&self.client, definitions.into()).await
    }

    /// Drops a declared query; whether there was one.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn undeclare(&self, name: impl Into<String>) -> Result<bool, Error> {
        routes::undeclare(&self.client, name.into()).await
    }

    /// Calls a declared query with arguments, an object of JSON. So many rows are taken at most, and 100 of 0.
    ///
    /// ```no_run
    /// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
    /// let called = client.rag().call("findings_of_area", r#"{"area": "Spending"}"#, 0).await?;
    /// for row in &called.rows {
    ///     println!("{}", row.values);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Refused`], also where an argument does not fit, and what [`Error`] has for the network.
    pub async fn call(
        &self,
        name: impl Into<String>,
        arguments: impl Into<String>,
        rows: u32,
    ) -> Result<Called, Error> {
        routes::call(&self.client, name.into(), arguments.into(), rows).await
    }

    /// Settings for having summaries written: by the server's model, or, where it has none, from the most central sentences.
    pub fn resummarise(&self) -> ResummariseBuilder {
        ResummariseBuilder {
            client: self.client.clone(),
            timeout: None,
            request: v1::ResummariseRequest {
                database: self.client.database.to_string(),
                ..v1::ResummariseRequest::default()
            },
            on_progress: Box::new(|_| ()),
        }
    }
}

/// Which summaries are written: those that are stale, if nothing else is said.
#[must_use = "settings do nothing until they are run"]
pub struct ResummariseBuilder {
    client: Client,
    timeout: Option<Duration>,
    request: v1::ResummariseRequest,
    on_progress: Box<dyn FnMut(RagProgress) + Send>,
}

impl ResummariseBuilder {
    /// At most so many; 1,000 if nothing is said. What is left stays stale.
    pub fn most(mut self, most: u32) -> Self {
        self.request.most = most;
        self
    }

    /// Also those of domains that have none yet. Where a model writes, one that rules have written is none.
    pub fn domains(mut self) -> Self {
        self.request.domains = true;
        self
    }

    /// Also those of entities, in the same way.
    pub fn entities(mut self) -> Self {
        self.request.entities = true;
        self
    }

    /// The most central sentences, without asking the model, also in the place of what it wrote and is stale. If nothing is said, only
    /// where the server has no model, and then what one wrote stays as it is.
    pub fn central(mut self) -> Self {
        self.request.central = Some(true);
        self
    }

    /// By the model, and by nobody else: a server without one refuses.
    pub fn by_model(mut self) -> Self {
        self.request.central = Some(false);
        self
    }

    /// Says what it would cost, and writes nothing.
    pub fn dry_run(mut self) -> Self {
        self.request.dry_run = true;
        self
    }

    /// How long all of it may take. Unlimited if nothing is said, whatever the client's own limit is.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What to do when the server says how far it is.
    pub fn on_progress(mut self, on_progress: impl FnMut(RagProgress) + Send + 'static) -> Self {
        self.on_progress = Box::new(on_progress);
        self
    }

    /// Has them written. Each is a transaction of its own: what was written stays, whatever comes then.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network; [`Error::OutcomeUnknown`] if the verdict did not come.
    pub async fn run(mut self) -> Result<Resummarised, Error> {
        let client = self.client.with_timeout(None);
        let call = Call::new(&client, Safety::MayWrite, self.timeout).once();
        let attempt = call.attempt();
        let mut stub = stub!(attempt, rag_service_client::RagServiceClient);
        let mut done = Resummarised::default();
        let worked = call.in_time(async {
            let answer = stub.resummarise(attempt.request(self.request)?);
            let mut told = answer.await?.into_inner();
            while let Some(part) = told.message().await? {
                match part.part {
                    Some(Part::Progress(progress)) => (self.on_progress)(progress.make()),
                    Some(Part::Summary(summary)) => done.summaries.push(summary.make()),
                    Some(Part::Verdict(verdict)) => {
                        done.written = verdict.written;
                        done.by = verdict.by;
                        done.left = verdict.left;
                        done.bill = verdict.bill.unwrap_or_default().make();
                        return Ok(true);
                    }
                    None => {}
                }
            }
            Ok(false)
        });
        match worked.await {
            Some(Ok(true)) => Ok(done),
            Some(Ok(false)) => Err(Error::OutcomeUnknown {
                request_id: call.request_id.clone(),
                problem: "the server ended the call without a verdict".to_owned(),
            }),
            Some(Err(status)) => Err(call.failure(&status).error),
            None => Err(call.too_late()),
        }
    }
}

impl fmt::Debug for ResummariseBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ResummariseBuilder")
            .field("client", &self.client)
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
