//! Triples that somebody has extracted already: a list of them is a document whose chunks are what they cite.
//!
//! Triples that cite the same passage belong to one chunk, whose text it is; one that cites nothing is its own. So
//! facts out of a list lead to where they come from as those out of a text do, and go when the list goes.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::super::property::Property;
use super::super::{BuildError, Profile};
use super::text::filters;
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
    /// As much of it as the profile's filters name.
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
        let (text, passages) = passages(told, profile);
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

/// The passages in the order in which they are cited first, and all of them as one text. Those of one text are
/// one, unless searches tell them apart.
fn passages(told: &[Told], profile: &Profile) -> (String, Vec<Passage>) {
    let mut text = String::new();
    let mut passages: Vec<Passage> = Vec::new();
    let mut places: HashMap<(String, BTreeMap<String, Property>), usize> = HashMap::new();
    for one in told {
        let triple = &one.triple;
        let cited = match triple.source.trim() {
            "" => format!("{} {} {}", triple.subject, triple.predicate, triple.object),
            source => source.to_owned(),
        };
        let filters = filters(&one.metadata, profile);
        let place = match places.entry((cited, filters)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let start = text.len();
                text.push_str(free.key().0.trim());
                let span = start..text.len();
                text.push('\n');
                let mut metadata = one.metadata.clone();
                metadata.retain(|name, _| free.key().1.contains_key(name));
                passages.push(Passage {
                    span,
                    extracted: Extracted::default(),
                    metadata,
                });
                *free.insert(passages.len() - 1)
            }
        };
        let said = &mut passages[place].extracted;
        said.triples.push(triple.clone());
        said.entities.extend(one.entities.iter().cloned());
    }
    (text, passages)
}
