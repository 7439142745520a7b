//! Looking many values up at once.

use super::super::entry::{MAX_INDEXED_BYTES, decode_holder, entity_like, index_prefix};
use super::{Lookup, number_of};
use crate::codec::prefix_end;
use crate::error::{Error, Result};
use crate::graph::Entity;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::value::Value;

/// So many keys are read together.
const KEYS_PER_READ: usize = 1024;

/// The key of a value, and where the value stands among those that were asked for.
type Wanted = (Vec<u8>, usize);

impl<K: KeyRead> Lookup<'_, K> {
    /// What has each of these values in its first property, in their order: of each what
    /// [`equal`](Self::equal) gives first, so many at most. One question to the store instead of as many.
    ///
    /// ```
    /// use stratigraph::{Database, Index, Read};
    ///
    /// let db = Database::in_memory()?;
    /// db.create_index(Index::on_nodes("Person", ["age"]).named("by_age"))?;
    /// let mut txn = db.write()?;
    /// for age in [30, 40, 40] {
    ///     txn.create_node(["Person"], [("age", age)])?;
    /// }
    /// let found = txn.index("by_age")?.equal_each(&[40.into(), 50.into(), 30.into()], 9)?;
    /// assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 1]);
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`equal`](Self::equal).
    pub fn equal_each(&self, values: &[Value], most: usize) -> Result<Vec<Vec<Entity>>> {
        let mut found = vec![Vec::new(); values.len()];
        let mut keys: Vec<Wanted> = Vec::with_capacity(values.len());
        for (at, value) in values.iter().enumerate() {
            if value.equals(value) != Some(true) {
                continue;
            }
            let key = self.key(std::slice::from_ref(value))?.finish();
            if key.len() <= MAX_INDEXED_BYTES {
                keys.push((key, at));
            }
        }
        if keys.is_empty() || most == 0 {
            return Ok(found);
        }
        if self.index.unique && self.index.properties.len() == 1 {
            self.one_each(&keys, &mut found)?;
            return Ok(found);
        }
        // A cursor that only goes up finds most of what it needs where it is already.
        keys.sort_unstable();
        let prefix = index_prefix(self.index.id);
        let range = KeyRange::prefix(prefix.as_bytes());
        let mut scan = self.view.keys.scan(Family::PropIndex, &range)?;
        // The entry at which the search for an earlier key ended: nothing lies between the two.
        let mut next: Vec<u8> = Vec::new();
        let mut before: &[u8] = &[];
        for (key, at) in &keys {
            let of_value = &mut found[*at];
            let is_again = before == key;
            before = key;
            if !is_again && next > *key && !next.starts_with(key) {
                continue;
            }
            scan.seek(key);
            while of_value.len() < most {
                let Some(entry) = scan.next()? else {
                    next = prefix_end(prefix.as_bytes()).unwrap_or_default();
                    break;
                };
                if !entry.key.starts_with(key) {
                    next.clear();
                    next.extend_from_slice(entry.key);
                    break;
                }
                let number = number_of(entry.key, entry.value, self.index.unique)?;
                of_value.push(entity_like(self.like(), number));
            }
        }
        Ok(found)
    }

    /// What has any of these values in a single-property index. What is asked for twice comes once.
    ///
    /// # Errors
    /// As [`equal`](Self::equal).
    pub fn any_of(&self, values: &[Value]) -> Result<Vec<Entity>> {
        let mut found = self.equal_each(values, usize::MAX)?.concat();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Who has the values of each of these keys of a unique index.
    fn one_each(&self, keys: &[Wanted], found: &mut [Vec<Entity>]) -> Result<()> {
        let like = self.like();
        // In portions, between which somebody may stop it.
        for keys in keys.chunks(KEYS_PER_READ) {
            let wanted: Vec<&[u8]> = keys.iter().map(|(key, _)| key.as_slice()).collect();
            let holders = self.view.keys.multi_get(Family::PropIndex, &wanted)?;
            for ((_, at), holder) in keys.iter().zip(holders) {
                let holder = holder.map(|bytes| decode_holder(&bytes, like));
                let holder = holder.transpose();
                let holder =
                    holder.map_err(|error| Error::record(Family::PropIndex.name(), error))?;
                found[*at].extend(holder);
            }
        }
        Ok(())
    }
}
