//! Triples that somebody has extracted already: a list of them is a document whose chunks are what they cite.
//!
//! Triples that cite the same passage belong to one chunk, whose text it is; one that cites nothing is its own. So
//! facts out of a list lead to where they come from as those out of a text do, and go when the list goes.

use std::collections::HashMap;
use std::ops::Range;

use super::super::{BuildError, Profile};
use super::{Contribution, Extracted};
use crate::chunk::Piece;
use crate::extract::{Entity, Triple};
use crate::{Metadata, Outline};

/// A triple of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// The triple.
    pub triple: Triple,
    /// What is said of its ends beside their names.
    pub entities: Vec<Entity>,
    /// What is known of it: company, quarter, year and the like. Those of the profile's filters are kept with its
    /// chunk.
    pub metadata: Metadata,
}

/// What the triples say that cite one passage.
struct Passage {
    span: Range<usize>,
    extracted: Extracted,
    metadata: Metadata,
}

impl Contribution {
    /// What a list of triples adds. It is one document, so lists of more than some ten thousands are better several.
    ///
    /// ```
    /// use stratigraph_rag::Metadata;
    /// use stratigraph_rag::build::{Contribution, Profile, Told};
    /// use stratigraph_rag::extract::Triple;
    ///
    /// let triple = |object: &str| Triple {
    ///     subject: "the tenderer".into(),
    ///     predicate: "hands in".into(),
    ///     object: object.into(),
    ///     source: "Art. 3".into(),
    ///     ..Triple::default()
    /// };
    /// let told = ["an offer", "a guarantee"].map(|object| Told { triple: triple(object), ..Told::default() });
    /// let list = Contribution::of_triples("law.jsonl", Metadata::new(), &told, &Profile::triples())?;
    /// // The list itself, and the passage that both cite.
    /// assert_eq!((list.facts().count(), list.nodes().count()), (2, 2));
    /// # Ok::<(), stratigraph_rag::build::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError::BadDocumentName`].
    pub fn of_triples(
        id: &str,
        metadata: Metadata,
        told: &[Told],
        profile: &Profile,
    ) -> Result<Self, BuildError> {
        let (text, passages) = passages(told);
        let document = Outline::new(text, 0).finish(id, None, metadata);
        let parts = passages.len();
        let pieces: Vec<Piece> = passages
            .iter()
            .enumerate()
            .map(|(place, passage)| Piece {
                section: 0,
                span: passage.span.clone(),
                carried: None,
                part: (place + 1, parts),
            })
            .collect();
        let metadata: Vec<&Metadata> = passages.iter().map(|passage| &passage.metadata).collect();
        let extracted: Vec<&Extracted> =
            passages.iter().map(|passage| &passage.extracted).collect();
        Self::made(&document, (&pieces, &metadata), &extracted, profile)
    }
}

/// The passages in the order in which they are cited first, and all of them as one text.
fn passages(told: &[Told]) -> (String, Vec<Passage>) {
    let mut text = String::new();
    let mut passages: Vec<Passage> = Vec::new();
    // Passages of the same text, which may be told of with different metadata.
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for one in told {
        let triple = &one.triple;
        let cited = match triple.source.trim() {
            "" => format!("{} {} {}", triple.subject, triple.predicate, triple.object),
            source => source.to_owned(),
        };
        let alike = places.entry(cited).or_default();
        let known = alike
            .iter()
            .copied()
            .find(|place| passages[*place].metadata == one.metadata);
        let place = known.unwrap_or(passages.len());
        if known.is_none() {
            alike.push(place);
            passages.push(Passage {
                span: 0..0,
                extracted: Extracted::default(),
                metadata: one.metadata.clone(),
            });
        }
        let said = &mut passages[place].extracted;
        said.triples.push(triple.clone());
        said.entities.extend(one.entities.iter().cloned());
    }
    let mut texts: Vec<&str> = vec![""; passages.len()];
    for (cited, alike) in &places {
        alike.iter().for_each(|place| texts[*place] = cited);
    }
    for (passage, cited) in passages.iter_mut().zip(texts) {
        let start = text.len();
        text.push_str(cited.trim());
        passage.span = start..text.len();
        text.push('\n');
    }
    (text, passages)
}
