//! The record that was read last: whoever asks for one property of an entity mostly asks for others too.
//!
//! Only over a snapshot, which never changes; what is being written is read anew each time.
//!
//! Next: `searches.rs`.

use crate::catalog::PropertyId;
use crate::error::{Error, Result};
use crate::graph::Entity;
use crate::graph::record::{NodeRecord, RelationshipRecord};
use crate::graph::view::{View, family_of};
use crate::keys::KeyRead;
use crate::value::Value;

/// A longer record is not kept: it would have to be copied, for one property perhaps.
const MOST_BYTES: usize = 4 << 10;

/// The record that was read last.
#[derive(Default)]
pub(super) struct Lately {
    of: Option<Entity>,
    bytes: Vec<u8>,
}

impl Lately {
    /// One property, null if it is not there; and whether the store was asked for it.
    pub(super) fn property<K: KeyRead>(
        &mut self,
        view: &View<'_, K>,
        entity: Entity,
        property: PropertyId,
    ) -> Result<(Option<Value>, bool)> {
        let family = family_of(entity);
        let is_known = self.of == Some(entity);
        let slot = if is_known {
            Some(decode(entity, &self.bytes, property))
        } else {
            self.of = None;
            let key = crate::graph::keys::record_key(entity.number());
            view.keys.get_with(family, &key, |bytes| {
                if bytes.len() <= MOST_BYTES {
                    self.bytes.clear();
                    self.bytes.extend_from_slice(bytes);
                    self.of = Some(entity);
                }
                decode(entity, bytes, property)
            })?
        };
        let Some(slot) = slot else {
            return Ok((None, true));
        };
        let slot = slot.map_err(|error| Error::record(family.name(), error))?;
        let value = match slot {
            Some(slot) => slot.into_value(view.keys, entity, property)?,
            None => Value::Null,
        };
        Ok((Some(value), !is_known))
    }
}

fn decode(
    entity: Entity,
    bytes: &[u8],
    property: PropertyId,
) -> Result<Option<crate::graph::properties::Slot>, crate::codec::CodecError> {
    match entity {
        Entity::Node(_) => NodeRecord::decode_property(bytes, property),
        Entity::Relationship(_) => RelationshipRecord::decode_property(bytes, property),
    }
}
