//! Looking values up in a property index; many at once in `each.rs`, as a set in `set.rs`.

mod each;
mod set;

use super::entry::{MAX_INDEXED_BYTES, entity_like, index_prefix, push};
use crate::catalog::{Counter, IndexDef, Readiness};
use crate::codec::{CodecError, KeyWriter, prefix_end};
use crate::error::{Error, Result};
use crate::graph::view::View;
use crate::graph::{Entity, pending};
use crate::keys::{KeyRead, Scan};
use crate::storage::family::Family;
use crate::storage::range::{Direction, KeyRange};
use crate::storage::store::ScanOptions;
use crate::value::Value;
use std::ops::Bound;
use std::sync::Arc;

/// A property index of a transaction's view.
///
/// ```
/// use stratigraph::{Database, Index, Read, Value};
///
/// let db = Database::in_memory()?;
/// db.create_index(Index::on_nodes("Person", ["age"]).named("by_age"))?;
/// let mut txn = db.write()?;
/// for age in [30, 40, 50] {
///     txn.create_node(["Person"], [("age", age)])?;
/// }
/// let by_age = txn.index("by_age")?;
/// assert_eq!(by_age.equal(&[40.into()])?.count(), 1);
/// assert_eq!(by_age.range(Value::from(35)..)?.count(), 2);
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct Lookup<'a, K> {
    view: View<'a, K>,
    index: Arc<IndexDef>,
}

impl<'a, K: KeyRead> Lookup<'a, K> {
    pub(crate) fn new(view: View<'a, K>, name: &str) -> Result<Self> {
        let index = view.catalog().index_named(name).cloned();
        let index = index.ok_or_else(|| Error::UnknownName {
            what: "index",
            name: name.into(),
        })?;
        if index.readiness != Readiness::Ready {
            return Err(Error::IndexNotReady {
                index: index.name.clone(),
            });
        }
        Ok(Self { view, index })
    }

    /// What is declared.
    #[must_use]
    pub fn definition(&self) -> &IndexDef {
        &self.index
    }

    /// What has these values, which may be fewer than the index has properties. Equality is that of
    /// the query language: nothing equals null or NaN.
    ///
    /// # Errors
    /// [`Error::NotIndexable`] for a value that no index holds; otherwise see
    /// [`Read`](crate::Read).
    pub fn equal(&self, values: &[Value]) -> Result<Matches<'a>> {
        let never = |value: &Value| value.equals(value) != Some(true);
        if values.iter().any(never) || values.len() > self.index.properties.len() {
            return Ok(self.nothing());
        }
        let key = self.key(values)?;
        if key.as_bytes().len() > MAX_INDEXED_BYTES {
            return Ok(self.nothing());
        }
        if self.index.unique && values.len() == self.index.properties.len() {
            return self.one(key.as_bytes());
        }
        self.scan(&KeyRange::prefix(key.as_bytes()), Direction::Forward)
    }

    /// What has values within bounds of its first property, in their order. As with `<` of the query
    /// language, only values of the bounds' own kind lie within them, and none if that kind has no
    /// `<`, as bytes and durations have none.
    ///
    /// # Errors
    /// [`Error::NoRange`] for a bound that is a list: the order of the index, which is that of
    /// `ORDER BY`, is not that of `<` on lists; otherwise as [`equal`](Self::equal).
    pub fn range(&self, bounds: impl std::ops::RangeBounds<Value>) -> Result<Matches<'a>> {
        self.range_after(&[], bounds, Direction::Forward)
    }

    /// The same among what has `equal` in its first properties, for the property after them, up or down.
    ///
    /// # Errors
    /// As [`range`](Self::range).
    pub fn range_after(
        &self,
        equal: &[Value],
        bounds: impl std::ops::RangeBounds<Value>,
        direction: Direction,
    ) -> Result<Matches<'a>> {
        let never = |value: &Value| value.equals(value) != Some(true);
        let ends = [bounds.start_bound(), bounds.end_bound()];
        let mut nothing = false;
        for bound in ends {
            let (Bound::Included(value) | Bound::Excluded(value)) = bound else {
                continue;
            };
            if let Value::List(_) = value {
                return Err(Error::NoRange {
                    index: self.index.name.clone(),
                    kind: value.kind(),
                });
            }
            nothing |= value.compare(value).is_none();
        }
        if nothing || equal.iter().any(never) || equal.len() >= self.index.properties.len() {
            return Ok(self.nothing());
        }
        let prefix = self.key(equal)?;
        let at = |value: &Value| -> Result<Vec<u8>> {
            let mut key = prefix.clone();
            push(&mut key, &self.index, value)?;
            Ok(key.finish())
        };
        // An end that is open reaches to the end of the kind of the other: 3 < x says nothing of strings.
        let kind = |bound: Bound<&Value>| match bound {
            Bound::Included(value) | Bound::Excluded(value) => at(value).map(|key| {
                let rank = prefix.as_bytes().len() + 1;
                Some(key.get(..rank).unwrap_or(&key).to_vec())
            }),
            Bound::Unbounded => Ok(None),
        };
        let kind = match (kind(ends[0])?, kind(ends[1])?) {
            // Nothing is of two kinds.
            (Some(one), Some(other)) if one != other => return Ok(self.nothing()),
            (Some(kind), _) | (None, Some(kind)) => kind,
            (None, None) => prefix.as_bytes().to_vec(),
        };
        let start = match ends[0] {
            Bound::Included(value) => at(value)?,
            Bound::Excluded(value) => beyond(&at(value)?),
            Bound::Unbounded => kind.clone(),
        };
        let end = match ends[1] {
            Bound::Included(value) => beyond(&at(value)?),
            Bound::Excluded(value) => at(value)?,
            Bound::Unbounded => beyond(&kind),
        };
        let end = end.min(beyond(&kind));
        self.scan(&KeyRange::between(start.max(kind), end), direction)
    }

    /// What has a string that begins with `prefix` in its first property, in their order.
    ///
    /// # Errors
    /// As [`equal`](Self::equal).
    pub fn starts_with(&self, prefix: &str) -> Result<Matches<'a>> {
        let key = self.key(&[Value::from(prefix)])?.finish();
        // Without the two bytes that end a string, longer ones begin with the same bytes.
        let open = key.get(..key.len() - 2).unwrap_or(&key);
        self.scan(&KeyRange::prefix(open), Direction::Forward)
    }

    /// Everything in the index, in its order.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn all(&self, direction: Direction) -> Result<Matches<'a>> {
        let prefix = index_prefix(self.index.id);
        self.scan(&KeyRange::prefix(prefix.as_bytes()), direction)
    }

    /// How many entries it has.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn entries(&self) -> Result<u64> {
        self.view.count(Counter::Entries(self.index.id))
    }

    /// About how many distinct values it has.
    ///
    /// # Errors
    /// See [`Read`](crate::Read).
    pub fn distinct(&self) -> Result<u64> {
        let entries = self.entries()?;
        if self.index.unique {
            return Ok(entries);
        }
        let key = self.index.id.sketch_key();
        let sketch = pending::stored(self.view.keys, Family::Meta, &key, super::Sketch::decode)?;
        let mut sketch = sketch.unwrap_or_default();
        if let Some(fresh) = self.view.pending.and_then(|of| of.sketched(self.index.id)) {
            sketch.merge(fresh);
        }
        Ok(sketch.estimate().min(entries))
    }

    fn key(&self, values: &[Value]) -> Result<KeyWriter> {
        let mut key = index_prefix(self.index.id);
        for value in values {
            push(&mut key, &self.index, value)?;
        }
        Ok(key)
    }

    fn like(&self) -> Entity {
        self.index.scope.entity(0)
    }

    fn nothing(&self) -> Matches<'a> {
        Matches {
            source: Source::One(None),
            like: self.like(),
            unique: self.index.unique,
        }
    }

    fn one(&self, key: &[u8]) -> Result<Matches<'a>> {
        let like = self.like();
        let decode = |bytes: &[u8]| super::entry::decode_holder(bytes, like);
        let found = pending::stored(self.view.keys, Family::PropIndex, key, decode)?;
        Ok(Matches {
            source: Source::One(found),
            like,
            unique: true,
        })
    }

    fn scan(&self, range: &KeyRange, direction: Direction) -> Result<Matches<'a>> {
        let options = ScanOptions {
            direction,
            ..ScanOptions::default()
        };
        let scan = self
            .view
            .keys
            .scan_with(Family::PropIndex, range, options)?;
        Ok(Matches {
            source: Source::Scan(Box::new(scan)),
            like: self.like(),
            unique: self.index.unique,
        })
    }
}

/// The key right after all that begin with `key`.
fn beyond(key: &[u8]) -> Vec<u8> {
    // Index numbers stay far below the last, so there always is one.
    prefix_end(key).unwrap_or_default()
}

/// Whose entry of an index this is.
fn number_of(key: &[u8], value: &[u8], unique: bool) -> Result<u64> {
    let number = match unique {
        true => value,
        false => key.get(key.len().saturating_sub(8)..).unwrap_or_default(),
    };
    number.try_into().map(u64::from_be_bytes).map_err(|_| {
        let what = "index entry";
        Error::record(
            Family::PropIndex.name(),
            CodecError::NotCanonical { what, at: 0 },
        )
    })
}

/// What an index has found.
pub struct Matches<'a> {
    source: Source<'a>,
    like: Entity,
    unique: bool,
}

enum Source<'a> {
    One(Option<Entity>),
    Scan(Box<Scan<'a>>),
}

impl Iterator for Matches<'_> {
    type Item = Result<Entity>;

    fn next(&mut self) -> Option<Self::Item> {
        let scan = match &mut self.source {
            Source::One(found) => return found.take().map(Ok),
            Source::Scan(scan) => scan,
        };
        let entry = match scan.next() {
            Ok(entry) => entry?,
            Err(error) => return Some(Err(error)),
        };
        let number = number_of(entry.key, entry.value, self.unique);
        Some(number.map(|number| entity_like(self.like, number)))
    }
}

#[cfg(test)]
mod tests;
