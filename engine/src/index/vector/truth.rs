//! The vectors themselves, as they are stored: what every index is made of, and what is compared while there
//! is none.

use crate::catalog::{Scope, VectorIndexDef};
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::graph::keys::VectorKey;
use crate::graph::properties::decode_vector_into;
use crate::graph::sets::SetId;
use crate::graph::view::View;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use roaring::RoaringTreemap;

/// With so many ids to look at, all that an index is on are read at once.
const MANY: usize = 32;

/// The vectors that an index has of some ids.
pub(crate) struct Truth<'a, K> {
    view: &'a View<'a, K>,
    index: &'a VectorIndexDef,
    members: Members,
}

/// How to tell whether an index is on an id.
enum Members {
    All,
    /// By asking for each.
    In(SetId),
    These(RoaringTreemap),
}

impl<'a, K: KeyRead> Truth<'a, K> {
    /// About so many ids will be asked for.
    pub(crate) fn new(
        view: &'a View<'a, K>,
        index: &'a VectorIndexDef,
        ids: usize,
    ) -> Result<Self> {
        let members = match index.scope {
            Scope::AnyNode | Scope::AnyRelationship => Members::All,
            scope if ids >= MANY => Members::These(view.in_scope(scope)?),
            Scope::Label(label) => Members::In(SetId::Label(label)),
            Scope::Type(of) => Members::In(SetId::Type(of)),
        };
        Ok(Self {
            view,
            index,
            members,
        })
    }

    /// The vector that the index has of an id, if it has one. Stored vectors that do not fit are an error: writers
    /// are refused them.
    pub(crate) fn vector_of(&self, id: u64) -> Result<Option<Vec<f32>>> {
        if !self.is_on(id)? {
            return Ok(None);
        }
        let stored = self
            .view
            .keys
            .get_with(Family::Vectors, &self.key(id), |bytes| {
                let mut vector = Vec::with_capacity(self.index.dimensions as usize);
                decode_vector_into(bytes, &mut vector).map(|_| vector)
            })?;
        stored.transpose().map_err(damaged)
    }

    /// Whether the index has a vector of an id, whatever that is.
    pub(crate) fn is_there(&self, id: u64) -> Result<bool> {
        Ok(self.is_on(id)? && self.view.keys.contains(Family::Vectors, &self.key(id))?)
    }

    /// Whether the index is on an id.
    fn is_on(&self, id: u64) -> Result<bool> {
        match &self.members {
            Members::All => Ok(true),
            Members::In(set) => self.view.set_contains(*set, id),
            Members::These(members) => Ok(members.contains(id)),
        }
    }

    fn key(&self, id: u64) -> [u8; 13] {
        let key = VectorKey {
            property: self.index.property,
            entity: self.index.scope.entity(id),
        };
        key.encode()
    }
}

/// Calls `visit` with each id that an index is on and its vector, in the order of the ids.
pub(crate) fn each<K: KeyRead>(
    view: &View<'_, K>,
    index: &VectorIndexDef,
    mut visit: impl FnMut(u64, &[f32]) -> Result<()>,
) -> Result<()> {
    let members = match index.scope {
        Scope::AnyNode | Scope::AnyRelationship => None,
        scope => Some(view.in_scope(scope)?),
    };
    let first = VectorKey {
        property: index.property,
        entity: index.scope.entity(0),
    };
    // The property and the kind.
    let range = KeyRange::prefix(&first.encode()[..5]);
    let mut scan = view
        .keys
        .scan_with(Family::Vectors, &range, ScanOptions::once())?;
    let mut vector = Vec::with_capacity(index.dimensions as usize);
    while let Some(entry) = scan.next()? {
        let key = VectorKey::decode(entry.key).map_err(damaged)?;
        let id = key.entity.number();
        if members
            .as_ref()
            .is_some_and(|members| !members.contains(id))
        {
            continue;
        }
        vector.clear();
        decode_vector_into(entry.value, &mut vector).map_err(damaged)?;
        visit(id, &vector)?;
    }
    Ok(())
}

fn damaged(error: CodecError) -> Error {
    Error::record(Family::Vectors.name(), error)
}
