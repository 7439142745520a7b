//! What is left out of the corpus so that a question cannot be answered: its document, or, in a corpus of one, its section, or, where
//! that has none, as a list of facts, its chunk.

use std::collections::BTreeMap;
use std::ops::Range;

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::{NodeId, Read, Value};

use crate::build::{Label, OUTLINE, find};
use crate::retrieve::{Place, RetrieveError};

/// What is left out each time.
pub(super) enum Unit {
    /// A document.
    Document,
    /// A section of the one document: their bytes.
    Sections(Vec<Range<u64>>),
    /// A chunk of the one document, which has no sections to choose from: where each ends, by where it begins.
    Chunks(BTreeMap<u64, (u64, NodeId)>),
}

/// What is left out for one question.
pub(super) struct LeftOut {
    /// The id of the document.
    document: String,
    /// Which bytes of it.
    span: Range<u64>,
    /// The chunks there.
    pub(super) chunks: RoaringTreemap,
}

impl LeftOut {
    /// What is left out each time; nothing if there is nothing that could be.
    pub(super) fn unit<R: Read>(read: &R) -> Result<Option<Unit>, RetrieveError> {
        let documents = read.nodes_with_label(Label::Document.name())?;
        if documents.len() > 1 {
            return Ok(Some(Unit::Document));
        }
        // The widest level that has several sections: the first heading of a document is often its title.
        let outline = read.hierarchy(OUTLINE)?;
        for level in 0..=outline.depth()? {
            let mut spans = Vec::new();
            for node in outline.members(level)? {
                let node = NodeId::new(node);
                if read.has_label(node, Label::Section.name())? {
                    spans.push(span(read, node)?);
                }
            }
            if spans.len() > 1 {
                spans.sort_unstable_by_key(|span| span.start);
                return Ok(Some(Unit::Sections(spans)));
            }
        }
        // A list of facts has no headings, nor have many texts.
        let mut chunks = BTreeMap::new();
        for chunk in read.nodes_with_label(Label::Chunk.name())? {
            let chunk = NodeId::new(chunk);
            let Range { start, end } = span(read, chunk)?;
            chunks.insert(start, (end, chunk));
        }
        Ok((chunks.len() > 1).then_some(Unit::Chunks(chunks)))
    }

    /// Whether something is said in what is left out.
    pub(super) fn has(&self, place: &Place) -> bool {
        let overlaps = place.span.start < self.span.end && self.span.start < place.span.end;
        place.document == self.document && overlaps
    }
}

impl Unit {
    /// What it is called.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Sections(_) => "section",
            Self::Chunks(_) => "chunk",
        }
    }

    /// What is left out for a question made of what stands there: the key of the document, and a byte of it.
    pub(super) fn of<R: Read>(
        &self,
        read: &R,
        document: &str,
        start: u64,
    ) -> Result<LeftOut, RetrieveError> {
        let whole = 0..u64::MAX;
        let span = match self {
            Self::Document => whole,
            Self::Sections(spans) => {
                let mut spans = spans.iter();
                let found = spans.find(|span| span.contains(&start));
                // What stands before the first section is left out alone.
                found.cloned().unwrap_or(start..start + 1)
            }
            Self::Chunks(chunks) => {
                let end = chunks.get(&start).map(|(end, _)| *end);
                start..end.unwrap_or(start + 1)
            }
        };
        let id = match find(read, Label::Document, document)? {
            Some(node) => text(read, node, "id")?,
            None => String::new(),
        };
        let mut chunks = RoaringTreemap::new();
        if let Self::Chunks(known) = self {
            chunks.extend(known.get(&start).map(|(_, chunk)| chunk.get()));
            return Ok(LeftOut {
                document: id,
                span,
                chunks,
            });
        }
        for entity in read.index(&by_document(read)?)?.equal(&[document.into()])? {
            let Entity::Node(chunk) = entity? else {
                continue;
            };
            let is_whole = matches!(self, Self::Document);
            if is_whole || span.contains(&self::span(read, chunk)?.start) {
                chunks.insert(chunk.get());
            }
        }
        Ok(LeftOut {
            document: id,
            span,
            chunks,
        })
    }
}

/// The index of chunks by their documents, which all profiles declare.
fn by_document<R: Read>(read: &R) -> Result<String, RetrieveError> {
    let catalog = read.catalog();
    let found = catalog
        .vector_index_named("chunk_vectors")
        .and_then(|vectors| {
            let document = catalog.properties.id("document")?;
            let mut indexes = catalog.indexes();
            indexes.find(|index| index.scope == vectors.scope && index.properties == [document])
        });
    let missing = || stratigraph::Error::UnknownName {
        what: "index",
        name: "chunks by document".into(),
    };
    Ok(found
        .map(|index| index.name.to_string())
        .ok_or_else(missing)?)
}

fn span<R: Read>(read: &R, node: NodeId) -> Result<Range<u64>, RetrieveError> {
    let number = |name: &str| -> Result<u64, RetrieveError> {
        let number = read.property(node, name)?.as_int();
        Ok(number
            .and_then(|number| u64::try_from(number).ok())
            .unwrap_or_default())
    };
    Ok(number("start")?..number("end")?)
}

pub(super) fn text<R: Read>(read: &R, node: NodeId, name: &str) -> Result<String, RetrieveError> {
    let value = read.property(node, name)?;
    Ok(match value {
        Value::String(text) => text.to_string(),
        _ => String::new(),
    })
}
