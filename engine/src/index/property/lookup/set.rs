//! What has a value, as a set.

use super::Lookup;
use crate::error::Result;
use crate::index::property::ValueSets;
use crate::index::property::sets::ValueSet;
use crate::keys::KeyRead;
use crate::value::Value;
use roaring::RoaringTreemap;
use std::sync::Arc;

impl<K: KeyRead> Lookup<'_, K> {
    /// The ids of what has this value in its first property, by the sets that others have asked for; nothing if there
    /// are more than `most`.
    pub(crate) fn ids_with(
        &self,
        value: &Value,
        most: u64,
        sets: &ValueSets,
    ) -> Result<Option<Arc<RoaringTreemap>>> {
        let read = || self.read_set(value, most);
        // What a transaction has changed is for itself alone; and nothing else is to be had of a unique value.
        let is_shared = self.view.pending.is_none() && !self.index.unique;
        if !is_shared || value.equals(value) != Some(true) {
            return Ok(read()?.within(most).flatten());
        }
        let prefix = self.key(std::slice::from_ref(value))?.finish();
        sets.find(&prefix, self.view.keys.commit_seq(), most, read)
    }

    fn read_set(&self, value: &Value, most: u64) -> Result<ValueSet> {
        let mut ids = RoaringTreemap::new();
        for (before, entity) in (0..).zip(self.equal(std::slice::from_ref(value))?) {
            if before == most {
                return Ok(ValueSet::MoreThan(most));
            }
            let id = entity?.number();
            // Only an index of more properties has them in another order.
            if ids.try_push(id).is_err() {
                ids.insert(id);
            }
        }
        Ok(ValueSet::All(Arc::new(ids)))
    }
}
