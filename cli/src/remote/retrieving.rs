//! Questions at an address: what comes back is what a folder would give.

use super::Server;
use crate::failure::Failure;
use stratigraph_client::{
    Confidence, Found, Place, Receipt, Retrieved, Standing, TracedStage, WayStep,
};
use stratigraph_rag::retrieve as ours;

/// A question as it goes over.
pub(crate) struct Asked<'a> {
    pub(crate) pipeline: &'a ours::Pipeline,
    pub(crate) question: &'a str,
    pub(crate) only: Vec<(String, serde_json::Value)>,
    /// Whether no search may miss anything that is near.
    pub(crate) exact: bool,
}

impl Server {
    /// Asks a question.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn retrieve(&self, asked: &Asked<'_>) -> Result<ours::Retrieved, Failure> {
        // As it is here, whatever the server's presets are.
        let pipeline = serde_json::to_string(asked.pipeline).unwrap_or_default();
        let mut question = self.client.rag().retrieve(pipeline, asked.question);
        for (name, value) in &asked.only {
            question = question
                .only(name, value)
                .map_err(|error| self.failure(&error, ""))?;
        }
        if asked.exact {
            question = question.exact();
        }
        let told = self.runtime.block_on(question.run());
        let told = told.map_err(|error| self.failure(&error, ""))?;
        retrieved(told, asked.question)
    }

    /// Looks at receipts.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn verify(
        &self,
        receipts: &[ours::Receipt],
    ) -> Result<Vec<ours::Standing>, Failure> {
        let receipts: Vec<Receipt> = receipts.iter().map(to_wire).collect();
        let standing = self.runtime.block_on(self.client.rag().verify(&receipts));
        let standing = standing.map_err(|error| self.failure(&error, ""))?;
        let standing = standing.into_iter().map(|standing| match standing {
            Standing::Stands => ours::Standing::Stands,
            Standing::Moved => ours::Standing::Moved,
            Standing::Gone => ours::Standing::Gone,
            _ => ours::Standing::Changed,
        });
        Ok(standing.collect())
    }
}

fn retrieved(told: Retrieved, question: &str) -> Result<ours::Retrieved, Failure> {
    let found = told.found.into_iter().map(found);
    Ok(ours::Retrieved {
        pipeline: told.pipeline,
        question: question.to_owned(),
        found: found.collect::<Result<_, Failure>>()?,
        untold: told.untold as usize,
        context: told.context,
        units: told.units as usize,
        confidence: confidence(told.confidence),
        threshold: told.threshold,
        trace: told.trace.into_iter().map(traced).collect(),
    })
}

pub(super) fn confidence(told: Confidence) -> ours::Confidence {
    ours::Confidence {
        value: told.value,
        parts: ours::ConfidenceParts {
            cosine: told.cosine,
            coverage: told.coverage,
        },
    }
}

pub(super) fn found(found: Found) -> Result<ours::Found, Failure> {
    Ok(ours::Found {
        receipt: receipt(found.receipt)?,
        heading: found.heading,
        text: found.text,
        packed: found.packed,
    })
}

pub(super) fn receipt(told: Receipt) -> Result<ours::Receipt, Failure> {
    let scale = ours::Scale::by_name(&told.scale).ok_or_else(|| {
        Failure::Usage(format!(
            "the server scores on a scale that this version does not know, {}: take a newer one",
            told.scale
        ))
    })?;
    let place = |place: Place| ours::Place {
        document: place.document,
        version: place.version,
        chunk: place.chunk,
        span: place.span,
        pages: place.pages,
    };
    let step = |step: WayStep| ours::WayStep {
        from: ours::Name {
            kind: step.kind,
            key: step.key,
        },
        by: step.by,
    };
    Ok(ours::Receipt {
        name: ours::Name {
            kind: told.kind,
            key: told.key,
        },
        hash: told.hash,
        places: told.places.into_iter().map(place).collect(),
        score: scale.score(told.score),
        way: told.way.into_iter().map(step).collect(),
        as_of: told.as_of,
        exact: told.exact,
    })
}

pub(super) fn traced(told: TracedStage) -> ours::Traced {
    ours::Traced {
        stage: told.stage,
        operator: told.operator,
        took: told.took as usize,
        gave: told.gave as usize,
        cut: told.cut as usize,
        added: told.added as usize,
        not_there: told.not_there,
        detail: serde_json::from_str(&told.detail).unwrap_or_default(),
    }
}

fn to_wire(receipt: &ours::Receipt) -> Receipt {
    let place = |place: &ours::Place| {
        let mut told = Place::default();
        told.document.clone_from(&place.document);
        told.version.clone_from(&place.version);
        told.chunk.clone_from(&place.chunk);
        told.span = place.span.clone();
        told.pages = place.pages;
        told
    };
    let mut told = Receipt::default();
    told.kind.clone_from(&receipt.name.kind);
    told.key.clone_from(&receipt.name.key);
    told.hash.clone_from(&receipt.hash);
    told.places = receipt.places.iter().map(place).collect();
    // The way is told to people; whether the receipt stands does not depend on it.
    told.score = receipt.score.value;
    told.scale = receipt.score.scale.name().to_owned();
    told.as_of = receipt.as_of;
    told.exact = receipt.exact;
    told
}
