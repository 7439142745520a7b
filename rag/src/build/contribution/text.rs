//! Sections and chunks: what the text itself adds.

use std::collections::BTreeMap;

use stratigraph::Value;
use stratigraph::value::json::to_json;

use super::super::called::called;
use super::super::names::{ChunkKeys, hash, section_keys};
use super::super::property::{Properties, Property, put_text};
use super::super::standing::HASH;
use super::super::{BuildError, Profile};
use super::{Contribution, Label, LinkKind, NodeKey};
use crate::chunk::Piece;
use crate::{Datum, Document, Metadata};

/// Where a chunk of the contribution hangs.
pub(super) struct Placed {
    /// The chunk.
    pub(super) chunk: NodeKey,
    /// The section that holds it; the document itself if no other does.
    pub(super) section: NodeKey,
}

/// The document's own tree, and its chunks in the order of the pieces.
pub(super) fn contributed(
    document: &Document,
    (pieces, metadata): (&[Piece], &[&Metadata]),
    profile: &Profile,
) -> Result<(Contribution, Vec<Placed>), BuildError> {
    let keys = section_keys(document)?;
    let mut contribution = Contribution::none(keys[0].clone());
    let label = |place| match place {
        0 => Label::Document,
        _ => Label::Section,
    };
    let sections: Vec<NodeKey> = keys
        .into_iter()
        .enumerate()
        .map(|(place, key)| NodeKey::new(label(place), key))
        .collect();
    let document_filters = filters(document.metadata(), profile);
    for (place, (section, node)) in document.sections().iter().zip(&sections).enumerate() {
        let mut properties = match section.parent {
            None => of_document(document, &document_filters),
            Some(parent) => {
                contribution.link(
                    &sections[parent],
                    LinkKind::HasChild,
                    node,
                    Properties::new(),
                );
                of_part(
                    document,
                    &contribution.document,
                    document.heading_line(place),
                    &section.span,
                )
            }
        };
        properties.insert("key".into(), node.key.as_str().into());
        put_text(&mut properties, "title", &section.title);
        contribution.nodes.insert(node.clone(), properties);
    }
    let mut chunk_keys = ChunkKeys::default();
    let mut placed = Vec::with_capacity(pieces.len());
    for (piece, metadata) in pieces.iter().zip(metadata) {
        let place = piece.section.min(sections.len() - 1);
        let (section, text) = (&sections[place], piece.text(document));
        let chunk = NodeKey::new(Label::Chunk, chunk_keys.next(&section.key, text));
        let mut properties = of_part(
            document,
            &contribution.document,
            document.heading_line(place),
            &piece.span,
        );
        let filters = filters(metadata, profile).into_iter();
        properties.extend(filters.map(|(name, value)| (name.into(), value)));
        properties.insert("key".into(), chunk.key.as_str().into());
        put_text(&mut properties, "text", text);
        let title = match place {
            0 => document.title(),
            _ => &document.sections()[place].title,
        };
        put_text(&mut properties, "called", &called(title));
        contribution.nodes.insert(chunk.clone(), properties);
        contribution.link(section, LinkKind::HasChild, &chunk, Properties::new());
        let section = section.clone();
        placed.push(Placed { chunk, section });
    }
    Ok((contribution, placed))
}

fn of_document(document: &Document, filters: &BTreeMap<String, Property>) -> Properties {
    let mut properties = Properties::new();
    properties.insert("id".into(), document.id().into());
    properties.insert(HASH.into(), hash([document.text()]).into());
    if !document.metadata().is_empty() {
        // One text: names from outside must not become names of the schema, of which there is an end.
        let metadata = document.metadata().iter();
        let metadata: serde_json::Map<String, serde_json::Value> = metadata
            .map(|(name, datum)| (name.clone(), to_json(&Value::from(datum.clone()))))
            .collect();
        let metadata = serde_json::Value::Object(metadata).to_string();
        properties.insert("metadata".into(), metadata.into());
    }
    let filters = filters.iter();
    properties.extend(filters.map(|(name, value)| (name.clone().into(), value.clone())));
    properties
}

/// What a section and a chunk have alike: where they stand.
fn of_part(
    document: &Document,
    key: &str,
    heading: String,
    span: &std::ops::Range<usize>,
) -> Properties {
    let mut properties = Properties::new();
    properties.insert("document".into(), key.into());
    properties.insert("heading".into(), heading.into());
    properties.insert("start".into(), span.start.into());
    properties.insert("end".into(), span.end.into());
    if let Some((first, last)) = document.pages_of(span) {
        properties.insert("first_page".into(), first.into());
        properties.insert("last_page".into(), last.into());
    }
    properties
}

/// The metadata that searches may be limited by. A list is none: what is compared is one value.
pub(super) fn filters(metadata: &Metadata, profile: &Profile) -> BTreeMap<String, Property> {
    let names = profile.filters().iter();
    let found = names.filter_map(|name| match metadata.get(name)? {
        Datum::List(_) => None,
        datum => Some((name.clone(), datum.into())),
    });
    found.collect()
}
