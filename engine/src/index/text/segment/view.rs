//! Reads segments through a transaction.

use super::columns::Columns;
use super::directory::Directory;
use super::gone::{self, Gone};
use super::page::Page;
use crate::catalog::SchemaId;
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::index::text::cache::{Item, TextCache, Thing};
use crate::index::text::keys::{DocumentsKey, PageKey, PageNo, Part};
use crate::index::text::statistics::{SegmentRecord, Statistics};
use crate::keys::KeyRead;
use crate::storage::family::Family;
use std::sync::Arc;

/// Reads what an index has stored, through a transaction and the cache.
pub(crate) struct Reader<'a, K> {
    pub(crate) keys: &'a K,
    pub(crate) index: SchemaId,
    pub(crate) cache: &'a TextCache,
}

/// A segment as one transaction sees it.
#[derive(Clone, Debug)]
pub(crate) struct SegmentView {
    pub(crate) record: SegmentRecord,
    pub(crate) directory: Arc<Directory>,
    pub(crate) columns: Arc<Columns>,
    pub(crate) gone: Option<Arc<Gone>>,
}

impl SegmentView {
    #[inline]
    pub(crate) fn is_gone(&self, number: u32) -> bool {
        self.gone.as_ref().is_some_and(|gone| gone.contains(number))
    }
}

/// The statistics of an index; those of nothing if it has none yet.
pub(crate) fn statistics(keys: &impl KeyRead, index: SchemaId) -> Result<Statistics> {
    let key = DocumentsKey::Statistics.encode(index);
    let stored = keys.get_with(Family::TextDocuments, &key, Statistics::decode)?;
    Ok(stored.transpose().map_err(damaged)?.unwrap_or_default())
}

/// Damage in what documents are known by.
pub(crate) fn damaged(error: CodecError) -> Error {
    Error::record(Family::TextDocuments.name(), error)
}

/// Damage in postings.
pub(crate) fn damaged_postings(error: CodecError) -> Error {
    Error::record(Family::Postings.name(), error)
}

/// Something that the statistics speak of is not there.
pub(crate) fn missing(what: &'static str) -> CodecError {
    CodecError::Truncated {
        what,
        at: 0,
        needed: 1,
        available: 0,
    }
}

impl<K: KeyRead> Reader<'_, K> {
    pub(crate) fn view(&self, record: SegmentRecord) -> Result<SegmentView> {
        let directory = match self.cache.get(self.index, &record, Thing::Directory) {
            Some(Item::Directory(directory)) => directory,
            _ => {
                let read = self.stored(
                    DocumentsKey::Directory(record.id),
                    "text directory",
                    Directory::decode,
                )?;
                if read.len() != record.pages as usize {
                    return Err(damaged(CodecError::NotCanonical {
                        what: "text directory",
                        at: 0,
                    }));
                }
                let directory = Arc::new(read);
                self.cache.put(
                    self.index,
                    &record,
                    Thing::Directory,
                    Item::Directory(Arc::clone(&directory)),
                );
                directory
            }
        };
        let columns = match self.cache.get(self.index, &record, Thing::Columns) {
            Some(Item::Columns(columns)) => columns,
            _ => {
                let decode = |bytes: &[u8]| Columns::decode(bytes, record.span);
                let read = self.stored(DocumentsKey::Columns(record.id), "text columns", decode)?;
                if read.documents().len() != record.present as usize {
                    return Err(damaged(CodecError::NotCanonical {
                        what: "text columns",
                        at: 0,
                    }));
                }
                let columns = Arc::new(read);
                self.cache.put(
                    self.index,
                    &record,
                    Thing::Columns,
                    Item::Columns(Arc::clone(&columns)),
                );
                columns
            }
        };
        let gone = if record.gone > 0 {
            Some(self.gone(&record)?)
        } else {
            None
        };
        Ok(SegmentView {
            record,
            directory,
            columns,
            gone,
        })
    }

    fn gone(&self, record: &SegmentRecord) -> Result<Arc<Gone>> {
        if let Some(Item::Gone(gone)) = self.cache.get(self.index, record, Thing::Gone) {
            return Ok(gone);
        }
        let decode = |bytes: &[u8]| gone::decode(bytes, record.span);
        let set = self.stored(DocumentsKey::Gone(record.id), "gone documents", decode)?;
        if set.len() != u64::from(record.gone) {
            return Err(damaged(CodecError::NotCanonical {
                what: "gone documents",
                at: 0,
            }));
        }
        let gone = Arc::new(Gone::of(set));
        self.cache.put(
            self.index,
            record,
            Thing::Gone,
            Item::Gone(Arc::clone(&gone)),
        );
        Ok(gone)
    }

    pub(crate) fn page(&self, record: &SegmentRecord, page: usize) -> Result<Arc<Page>> {
        // Whoever finds all pages in the cache never comes to the store, which would ask.
        self.keys.may_go_on()?;
        let number = page as u32;
        if let Some(Item::Page(page)) = self.cache.get(self.index, record, Thing::Page(number)) {
            return Ok(page);
        }
        let page = self.postings(record, Part::Terms, number, Page::decode)?;
        let page = Arc::new(page);
        self.cache.put(
            self.index,
            record,
            Thing::Page(number),
            Item::Page(Arc::clone(&page)),
        );
        Ok(page)
    }

    pub(crate) fn positions(&self, record: &SegmentRecord, page: u32) -> Result<Arc<[u8]>> {
        if let Some(Item::Positions(bytes)) =
            self.cache.get(self.index, record, Thing::Positions(page))
        {
            return Ok(bytes);
        }
        let bytes: Arc<[u8]> =
            self.postings(record, Part::Positions, page, |bytes| Ok(bytes.into()))?;
        self.cache.put(
            self.index,
            record,
            Thing::Positions(page),
            Item::Positions(Arc::clone(&bytes)),
        );
        Ok(bytes)
    }

    fn postings<T>(
        &self,
        record: &SegmentRecord,
        part: Part,
        page: u32,
        decode: impl FnOnce(&[u8]) -> Result<T, CodecError>,
    ) -> Result<T> {
        let key = PageKey {
            index: self.index,
            segment: record.id,
            part,
            page: PageNo(page),
        };
        let read = self
            .keys
            .get_with(Family::Postings, &key.encode(), decode)?;
        read.unwrap_or_else(|| Err(missing("postings page")))
            .map_err(damaged_postings)
    }

    fn stored<T>(
        &self,
        key: DocumentsKey,
        what: &'static str,
        decode: impl FnOnce(&[u8]) -> Result<T, CodecError>,
    ) -> Result<T> {
        let read = self
            .keys
            .get_with(Family::TextDocuments, &key.encode(self.index), decode)?;
        read.unwrap_or_else(|| Err(missing(what))).map_err(damaged)
    }
}
