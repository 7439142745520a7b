//! Recounts an index: whether everything decodes, and whether it says the same everywhere.
//!
//! [`check`] looks at the index alone; [`compare`] holds it against the texts themselves. Both call back with what
//! does not fit and go on; what is damaged so that it cannot be read is one of the findings.

use super::cache::TextCache;
use super::keys::{DocumentsKey, PageKey};
use super::segment::merge::TermStream;
use super::segment::view::{Reader, damaged, statistics};
use super::statistics::Statistics;
use super::write::{StoredDocument, drafted};
use super::{OwnerId, TextIndex, keys};
use crate::catalog::PropertyId;
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::index::text::postings::norm;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use std::collections::{BTreeMap, BTreeSet};

/// Something that does not fit.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextFinding {
    /// Something cannot be read.
    #[error("{0}")]
    Damaged(Error),
    /// A number of the statistics is not what counting gives.
    #[error("text index: {what} should be {counted} and is said to be {stored}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// What counting gives.
        counted: i64,
        /// What is stored.
        stored: i64,
    },
    /// A term is not in as many live documents as it says.
    #[error("text index: term {term:?} is in {counted} documents and counts {stored}")]
    Term {
        /// The term.
        term: String,
        /// How many have it.
        counted: i64,
        /// How many it says.
        stored: i64,
    },
    /// A document is not what its owner's record says.
    #[error("text index: the document of {owner} {what}")]
    Document {
        /// Whose document.
        owner: OwnerId,
        /// What is wrong.
        what: &'static str,
    },
    /// There are pairs that nothing refers to.
    #[error("text index: {count} pairs of family {family} belong to no segment")]
    Leftover {
        /// Of which family.
        family: &'static str,
        /// How many.
        count: u64,
    },
}

/// What was counted of a document.
#[derive(Default)]
struct Counted {
    owner: Option<OwnerId>,
    length: u32,
    terms: BTreeSet<Vec<u8>>,
}

/// Reads a whole index and counts again.
///
/// # Errors
/// [`Error::Cancelled`] and the like; what is wrong with the index is told to `visit`.
pub fn check(
    keys: &impl KeyRead,
    index: &TextIndex,
    mut visit: impl FnMut(TextFinding),
) -> Result<()> {
    match examine(keys, index, &mut visit) {
        Err(error @ (Error::Corruption { .. } | Error::Record { .. })) => {
            visit(TextFinding::Damaged(error));
            Ok(())
        }
        other => other,
    }
}

fn examine(
    keys: &impl KeyRead,
    index: &TextIndex,
    visit: &mut impl FnMut(TextFinding),
) -> Result<()> {
    let cache = TextCache::new(0);
    let reader = Reader {
        keys,
        index: index.id(),
        cache: &cache,
    };
    let statistics = statistics(keys, index.id())?;
    let mut documents: BTreeMap<u32, Counted> = BTreeMap::new();
    let mut counts: BTreeMap<Vec<u8>, (i64, i64)> = BTreeMap::new();
    for record in &statistics.segments {
        let view = reader.view(*record)?;
        for document in view
            .columns
            .documents()
            .iter()
            .filter(|document| !view.is_gone(document.number))
        {
            let counted = documents.entry(record.first + document.number).or_default();
            counted.owner = Some(document.owner);
            counted.length = document.length;
        }
        let mut stream = TermStream::new(view.clone(), 0);
        while stream.next(&reader)? {
            let count = counts.entry(stream.term.clone()).or_default();
            count.1 += stream.postings.len() as i64 + stream.correction;
            for posting in &stream.postings {
                let Some(document) = view.columns.get(posting.document) else {
                    return Err(damaged(CodecError::NotCanonical {
                        what: "text columns",
                        at: 0,
                    }));
                };
                if norm::encode(document.length) != posting.norm {
                    visit(TextFinding::Document {
                        owner: document.owner,
                        what: "has postings of another length",
                    });
                }
                if let Some(counted) = documents.get_mut(&(record.first + posting.document)) {
                    counted.terms.insert(stream.term.clone());
                    count.0 += 1;
                }
            }
        }
    }
    for (term, (counted, stored)) in counts {
        if counted != stored {
            let term = String::from_utf8_lossy(&term).into_owned();
            visit(TextFinding::Term {
                term,
                counted,
                stored,
            });
        }
    }
    owners(keys, index, &mut documents, visit)?;
    let length: u64 = documents
        .values()
        .map(|document| u64::from(document.length))
        .sum();
    let totals = [
        (
            "the number of documents",
            documents.len() as u64,
            statistics.live,
        ),
        ("the length of all documents", length, statistics.length),
    ];
    for (what, counted, stored) in totals {
        if counted != stored {
            visit(TextFinding::Count {
                what,
                counted: counted as i64,
                stored: stored as i64,
            });
        }
    }
    leftovers(keys, index, &statistics, visit)
}

/// Holds the owners' records against the segments.
fn owners(
    keys: &impl KeyRead,
    index: &TextIndex,
    documents: &mut BTreeMap<u32, Counted>,
    visit: &mut impl FnMut(TextFinding),
) -> Result<()> {
    let mut known = BTreeSet::new();
    let mut scan = keys.scan(Family::TextDocuments, &DocumentsKey::documents(index.id()))?;
    while let Some(entry) = scan.next()? {
        let (_, key) = DocumentsKey::decode(entry.key).map_err(damaged)?;
        let stored = StoredDocument::decode(entry.value).map_err(damaged)?;
        let DocumentsKey::Document(owner) = key else {
            continue;
        };
        known.insert(stored.number);
        let what = match documents.get(&stored.number) {
            None => Some("is in no segment"),
            Some(counted) if counted.owner != Some(owner) => Some("belongs to another"),
            Some(counted) if counted.length != stored.length => Some("has another length"),
            Some(counted) if !counted.terms.iter().eq(&stored.terms) => {
                Some("has other terms than its postings")
            }
            Some(_) => None,
        };
        if let Some(what) = what {
            visit(TextFinding::Document { owner, what });
        }
    }
    for (number, counted) in documents.iter() {
        if let (false, Some(owner)) = (known.contains(number), counted.owner) {
            visit(TextFinding::Document {
                owner,
                what: "is live and its owner does not know it",
            });
        }
    }
    Ok(())
}

/// Looks for pairs of segments that are not in the list.
fn leftovers(
    keys: &impl KeyRead,
    index: &TextIndex,
    statistics: &Statistics,
    visit: &mut impl FnMut(TextFinding),
) -> Result<()> {
    let segments: BTreeMap<_, _> = statistics
        .segments
        .iter()
        .map(|record| (record.id, record))
        .collect();
    let range = keys::of_index(index.id());
    let mut tell = |family: Family, count: u64| {
        if count > 0 {
            visit(TextFinding::Leftover {
                family: family.name(),
                count,
            });
        }
    };
    let count = count(keys, Family::Postings, &range, |key| {
        let key = PageKey::decode(key)?;
        Ok(segments
            .get(&key.segment)
            .is_some_and(|record| match key.part {
                keys::Part::Terms => key.page.0 < record.pages,
                keys::Part::Positions => key.page.0 < record.position_pages,
            }))
    })?;
    tell(Family::Postings, count);
    let count = self::count(keys, Family::TextDocuments, &range, |key| {
        Ok(match DocumentsKey::decode(key)?.1 {
            DocumentsKey::Statistics | DocumentsKey::Document(_) => true,
            DocumentsKey::Directory(segment) | DocumentsKey::Columns(segment) => {
                segments.contains_key(&segment)
            }
            DocumentsKey::Gone(segment) => {
                segments.get(&segment).is_some_and(|record| record.gone > 0)
            }
        })
    })?;
    tell(Family::TextDocuments, count);
    Ok(())
}

/// How many keys of a range do not belong.
fn count(
    keys: &impl KeyRead,
    family: Family,
    range: &KeyRange,
    belongs: impl Fn(&[u8]) -> Result<bool, CodecError>,
) -> Result<u64> {
    let mut count = 0;
    let mut scan = keys.scan(family, range)?;
    while let Some(entry) = scan.next()? {
        let belongs = belongs(entry.key).map_err(|error| Error::record(family.name(), error))?;
        count += u64::from(!belongs);
    }
    Ok(count)
}

/// Holds an index against all texts that should be in it.
///
/// # Errors
/// As [`check`].
pub fn compare(
    keys: &impl KeyRead,
    index: &TextIndex,
    texts: impl IntoIterator<Item = Result<(OwnerId, Vec<(PropertyId, String)>)>>,
    mut visit: impl FnMut(TextFinding),
) -> Result<()> {
    let mut wanted = BTreeSet::new();
    for one in texts {
        let (owner, texts) = one?;
        let texts = texts.iter();
        let texts = texts.map(|(property, text)| (*property, text.as_str()));
        let Some((length, terms)) = drafted(index, texts) else {
            continue;
        };
        wanted.insert(owner);
        let key = DocumentsKey::Document(owner).encode(index.id());
        let stored = keys.get_with(Family::TextDocuments, &key, StoredDocument::decode)?;
        let what = match stored.transpose() {
            Err(error) => {
                visit(TextFinding::Damaged(damaged(error)));
                continue;
            }
            Ok(None) => Some("is missing"),
            Ok(Some(stored)) if stored.length != length => Some("has another length than its text"),
            Ok(Some(stored)) if stored.terms != terms => Some("has other terms than its text"),
            Ok(Some(_)) => None,
        };
        if let Some(what) = what {
            visit(TextFinding::Document { owner, what });
        }
    }
    let mut scan = keys.scan(Family::TextDocuments, &DocumentsKey::documents(index.id()))?;
    while let Some(entry) = scan.next()? {
        let (_, key) = DocumentsKey::decode(entry.key).map_err(damaged)?;
        if let DocumentsKey::Document(owner) = key
            && !wanted.contains(&owner)
        {
            visit(TextFinding::Document {
                owner,
                what: "has no text any more",
            });
        }
    }
    Ok(())
}
