//! Looking at a store before recovery may rewrite anything, and comparing it with what was promised.

use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::storage::files::header::Header;
use crate::storage::files::mark::{self, Mark};
use crate::storage::files::{Layout, remove_dir};
use crate::storage::meta;
use crate::storage::rocks::{self, FirstEntry, RocksStore, TornManifest};
use crate::storage::store::Snapshot;
use std::path::Path;

/// What the database's own files promise of its store.
pub(super) struct Promise<'a> {
    pub(super) layout: &'a Layout,
    pub(super) header: &'a Header,
    pub(super) mark: &'a Mark,
    pub(super) accept_data_loss: bool,
}

impl Promise<'_> {
    /// The last commit in the store, after a look that changes nothing unless the store is whole but
    /// for a torn tail of the manifest, which is cut off then.
    pub(super) fn look(&self) -> Result<CommitSeq> {
        if !self.accept_data_loss {
            self.mark.manifest.check(&self.layout.store())?;
        }
        self.check_logs()?;
        match self.look_at(&self.layout.store()) {
            Err(error @ Error::Corruption { .. }) => match self.torn_manifest()? {
                Some(torn) => self.mend(&torn),
                None => Err(error),
            },
            looked => looked,
        }
    }

    /// Refuses logs with anything in them that this database has not written, before RocksDB
    /// replays them, and files that RocksDB could not get past.
    pub(super) fn check_logs(&self) -> Result<()> {
        let store = self.layout.store();
        rocks::check_manifest(&mark::manifest(&store)?.0)?;
        rocks::visit_batches(&store, &mut |path, first| {
            let owner = match first {
                FirstEntry::Put(key, value) => meta::batch_owner(key, value),
                // RocksDB's own, and what a new store begins with before it is anybody's.
                FirstEntry::None | FirstEntry::Delete([]) => return Ok(()),
                _ => None,
            };
            match owner {
                Some(owner) if owner == self.header.id => Ok(()),
                Some(found) => {
                    let (path, expected) = (path.to_path_buf(), self.header.id);
                    Err(Error::ForeignFile {
                        path,
                        expected,
                        found,
                    })
                }
                None => Err(Error::corruption(
                    path,
                    "a batch in it is not this database's",
                )),
            }
        })
    }

    fn look_at(&self, store: &Path) -> Result<CommitSeq> {
        let mut found = CommitSeq::ZERO;
        RocksStore::look(store, &mut |snapshot| {
            found = self.compare(snapshot)?;
            Ok(())
        })?;
        Ok(found)
    }

    /// The manifest, if it is whole as far as the mark relies on it, and torn after that.
    pub(super) fn torn_manifest(&self) -> Result<Option<TornManifest>> {
        let (path, number) = mark::manifest(&self.layout.store())?;
        let floor = self.mark.manifest;
        let torn = TornManifest::find(&self.layout.store(), &path)?;
        Ok(torn.filter(|torn| number > floor.number || torn.whole_bytes() >= floor.bytes))
    }

    /// Cuts the manifest's torn tail off, if what is left holds every acknowledged commit. A loss of
    /// power leaves such a tail; damage may too, but then the comparison fails, and nothing is cut.
    fn mend(&self, torn: &TornManifest) -> Result<CommitSeq> {
        let shadow = self.layout.shadow();
        remove_dir(&shadow)?;
        let looked = torn.shadow(&shadow).and_then(|()| self.look_at(&shadow));
        remove_dir(&shadow)?;
        let commit = looked?;
        tracing::warn!(%commit, "cutting off the manifest's last record, which a loss of power has torn");
        torn.cut()?;
        Ok(commit)
    }

    /// Whether the store is this database's and holds every acknowledged commit; the last it holds.
    pub(super) fn compare(&self, snapshot: &dyn Snapshot) -> Result<CommitSeq> {
        let store = self.layout.store();
        let found = meta::identity(snapshot)?
            .ok_or_else(|| Error::corruption(&store, "the store does not say whose it is"))?;
        if found != self.header.id {
            return Err(Error::ForeignFile {
                path: store,
                expected: self.header.id,
                found,
            });
        }
        let recovered = meta::sequence(snapshot)?.ok_or_else(|| {
            Error::corruption(&store, "the store does not say which commit it is at")
        })?;
        let acknowledged = self.mark.commit;
        if recovered < acknowledged {
            if !self.accept_data_loss {
                let path = self.layout.root().to_path_buf();
                return Err(Error::DataLoss {
                    path,
                    acknowledged,
                    recovered,
                });
            }
            tracing::error!(%acknowledged, %recovered, "acknowledged commits are lost, as accepted");
        }
        Ok(recovered)
    }
}
