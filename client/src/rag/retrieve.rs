//! Questions, and what they get.

use crate::Error;
use crate::call::unary;
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use crate::value::entry_to_wire;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use stratigraph_proto::v1;

/// What was retrieved.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Retrieved {
    /// The pipeline.
    pub pipeline: String,
    /// What was found, the best first.
    pub found: Vec<Found>,
    /// How many more there were, which are not told.
    pub untold: u64,
    /// What a model is given to read: as much of it as fits.
    pub context: String,
    /// How many units of text that is.
    pub units: u64,
    /// What each stage took and gave, and behind them what packing did.
    pub trace: Vec<TracedStage>,
    /// How far it can be trusted to have the answer.
    pub confidence: Confidence,
    /// Below which confidence an answer from it is refused; nothing if the pipeline is not calibrated.
    pub threshold: Option<f32>,
}

/// How far what was retrieved can be trusted to have the answer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Confidence {
    /// From 0 to 1; 0 if nothing was found.
    pub value: f32,
    /// The best cosine of the question and something that was packed, or that the usual budget of 2,000 units would hold.
    pub cosine: Option<f32>,
    /// The share of the question's words that the best of it say, each weighed by its rarity.
    pub coverage: Option<f32>,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Found {
    /// What it was found as.
    pub receipt: Receipt,
    /// The headings that it stands under, as one line.
    pub heading: String,
    /// What it says.
    pub text: String,
    /// Whether it is in what a model is given to read.
    pub packed: bool,
}

/// What something said when it was found, where, and how it was come to. It can be kept, and looked at later with
/// [`Rag::verify`](super::Rag::verify).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The label of what was found, or the type of a relationship.
    pub kind: String,
    /// Its key.
    pub key: String,
    /// The hash of what it said.
    pub hash: String,
    /// Where that was said.
    pub places: Vec<Place>,
    /// How good it was held to be.
    pub score: f32,
    /// Of which scale that is.
    pub scale: String,
    /// How it was come to, from what a search has found.
    pub way: Vec<WayStep>,
    /// The commit of the snapshot that was asked, which is the epoch of every index that was searched.
    pub as_of: u64,
    /// Whether all searches that led to it would find the same every time.
    pub exact: bool,
}

/// Where in a document something is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// The document.
    pub document: String,
    /// The hash of its whole text.
    pub version: String,
    /// The key of the chunk; nothing for headings.
    pub chunk: Option<String>,
    /// Which bytes.
    pub span: Range<u64>,
    /// The first and last page, from 1, if the document has pages.
    pub pages: Option<(u64, u64)>,
}

/// A step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WayStep {
    /// The label of where it begins, or the type of a relationship.
    pub kind: String,
    /// Its key.
    pub key: String,
    /// Along what.
    pub by: String,
}

/// What a stage has done, or packing, whose stage and operator are `pack`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TracedStage {
    /// The stage.
    pub stage: String,
    /// Its operator.
    pub operator: String,
    /// How many items were in the lists that it took.
    pub took: u64,
    /// How many it gave.
    pub gave: u64,
    /// How many of those that it took it did not give.
    pub cut: u64,
    /// How many it gave that it had not taken.
    pub added: u64,
    /// That it did nothing, because the graph has no such layer.
    pub not_there: bool,
    /// What the operator says of it beside, as JSON; empty for nothing.
    pub detail: String,
}

/// Whether a receipt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The same is said at the same places.
    Stands,
    /// The same is said, but elsewhere in the document.
    Moved,
    /// Something else is said, or not in all of the places any more.
    Changed,
    /// It is not there any more.
    Gone,
}

impl Standing {
    /// Whether what was said is said still.
    #[must_use]
    pub fn holds(self) -> bool {
        matches!(self, Self::Stands | Self::Moved)
    }
}

/// A question, and how it is asked.
#[must_use = "a question does nothing until it is asked"]
#[derive(Debug)]
pub struct RetrieveBuilder {
    client: Client,
    request: v1::RetrieveRequest,
}

impl RetrieveBuilder {
    pub(super) fn new(client: Client, pipeline: String, question: String) -> Self {
        let request = v1::RetrieveRequest {
            database: client.database.to_string(),
            pipeline,
            question,
            ..v1::RetrieveRequest::default()
        };
        Self { client, request }
    }

    /// Only from documents of which this metadata is so.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is no value.
    pub fn only(mut self, name: impl Into<String>, value: impl Serialize) -> Result<Self, Error> {
        self.request
            .only
            .extend([entry_to_wire(name.into(), &value)?]);
        Ok(self)
    }

    /// So many units of text are packed at most.
    pub fn budget(mut self, units: u32) -> Self {
        self.request.budget = units;
        self
    }

    /// So many of what is found are told at most.
    pub fn most(mut self, most: u32) -> Self {
        self.request.most = most;
        self
    }

    /// So that no search misses anything that is near, whatever the pipeline says: the same snapshot gives the same every time.
    pub fn exact(mut self) -> Self {
        self.request.exact = true;
        self
    }

    /// Asks.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn run(self) -> Result<Retrieved, Error> {
        let told: v1::RetrieveResponse = unary!(
            &self.client,
            Safety::Reads,
            rag_service_client::RagServiceClient,
            retrieve,
            self.request
        )?;
        Ok(told.make())
    }
}

/// Looks at receipts.
pub(super) async fn verify(client: &Client, receipts: &[Receipt]) -> Result<Vec<Standing>, Error> {
    let request = v1::VerifyReceiptsRequest {
        database: client.database.to_string(),
        receipts: receipts.iter().cloned().map(Make::make).collect(),
    };
    let told: v1::VerifyReceiptsResponse = unary!(
        client,
        Safety::Reads,
        rag_service_client::RagServiceClient,
        verify_receipts,
        request
    )?;
    let standing = told.standing().map(|standing| match standing {
        v1::Standing::Stands => Standing::Stands,
        v1::Standing::Moved => Standing::Moved,
        v1::Standing::Gone => Standing::Gone,
        // A word of a later version: whatever it says, the receipt is not said to hold.
        v1::Standing::Changed | v1::Standing::Unspecified => Standing::Changed,
    });
    Ok(standing.collect())
}

impl Made<v1::RetrieveResponse> for Retrieved {
    fn made_of(told: v1::RetrieveResponse) -> Self {
        Self {
            pipeline: told.pipeline,
            found: told.found.into_iter().map(Make::make).collect(),
            untold: told.untold,
            context: told.context,
            units: told.units,
            trace: told.trace.into_iter().map(Make::make).collect(),
            confidence: told.confidence.unwrap_or_default().make(),
            threshold: told.threshold,
        }
    }
}

impl Made<v1::Confidence> for Confidence {
    fn made_of(told: v1::Confidence) -> Self {
        Self {
            value: told.value,
            cosine: told.cosine,
            coverage: told.coverage,
        }
    }
}

impl Made<v1::Found> for Found {
    fn made_of(told: v1::Found) -> Self {
        Self {
            receipt: told.receipt.unwrap_or_default().make(),
            heading: told.heading,
            text: told.text,
            packed: told.packed,
        }
    }
}

impl Made<v1::Receipt> for Receipt {
    fn made_of(told: v1::Receipt) -> Self {
        let place = |place: v1::ReceiptPlace| Place {
            document: place.document,
            version: place.version,
            chunk: Some(place.chunk).filter(|chunk| !chunk.is_empty()),
            span: place.start..place.end,
            pages: (place.first_page > 0).then_some((place.first_page, place.last_page)),
        };
        let step = |step: v1::WayStep| WayStep {
            kind: step.kind,
            key: step.key,
            by: step.by,
        };
        Self {
            kind: told.kind,
            key: told.key,
            hash: told.hash,
            places: told.places.into_iter().map(place).collect(),
            score: told.score,
            scale: told.scale,
            way: told.way.into_iter().map(step).collect(),
            as_of: told.as_of,
            exact: told.exact,
        }
    }
}

impl Made<Receipt> for v1::Receipt {
    fn made_of(receipt: Receipt) -> Self {
        let place = |place: Place| {
            let (first_page, last_page) = place.pages.unwrap_or_default();
            v1::ReceiptPlace {
                document: place.document,
                version: place.version,
                chunk: place.chunk.unwrap_or_default(),
                start: place.span.start,
                end: place.span.end,
                first_page,
                last_page,
            }
        };
        let step = |step: WayStep| v1::WayStep {
            kind: step.kind,
            key: step.key,
            by: step.by,
        };
        Self {
            kind: receipt.kind,
            key: receipt.key,
            hash: receipt.hash,
            places: receipt.places.into_iter().map(place).collect(),
            score: receipt.score,
            scale: receipt.scale,
            way: receipt.way.into_iter().map(step).collect(),
            as_of: receipt.as_of,
            exact: receipt.exact,
        }
    }
}

impl Made<v1::TracedStage> for TracedStage {
    fn made_of(told: v1::TracedStage) -> Self {
        Self {
            stage: told.stage,
            operator: told.operator,
            took: told.took,
            gave: told.gave,
            cut: told.cut,
            added: told.added,
            not_there: told.not_there,
            detail: told.detail,
        }
    }
}
