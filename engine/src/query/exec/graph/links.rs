//! The relationships of a node: which, how many, and those to one other node.

use super::{Graph, Txn, direction, over};
use crate::catalog::TypeId;
use crate::error::Result;
use crate::graph::{Direction, Neighbour, Read, ReadTxn, WriteTxn, view};
use crate::query::plan::{Arrow, TypeNames};
use crate::value::{NodeId, RelationshipId};

impl Graph<'_> {
    /// The numbers of types, in order and each once; `None` stands for any.
    pub(in crate::query::exec) fn type_ids(
        &self,
        types: &TypeNames,
    ) -> Result<Option<Vec<TypeId>>> {
        let Some(names) = types else { return Ok(None) };
        let catalog = self.catalog()?;
        let mut ids: Vec<TypeId> = names
            .iter()
            .filter_map(|name| catalog.types.id(name))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(Some(ids))
    }

    /// Whether a type is one of these.
    pub(in crate::query::exec) fn is_of_types(
        &self,
        of: TypeId,
        types: &TypeNames,
    ) -> Result<bool> {
        Ok(self.type_ids(types)?.is_none_or(|ids| ids.contains(&of)))
    }

    /// Appends a node's relationships.
    pub(in crate::query::exec) fn neighbours(
        &self,
        near: NodeId,
        direction: Direction,
        types: &TypeNames,
        into: &mut Vec<Neighbour>,
    ) -> Result<()> {
        self.some_neighbours((near, direction, usize::MAX), types, into)
    }

    /// Appends the first of a node's relationships.
    pub(in crate::query::exec) fn some_neighbours(
        &self,
        (near, direction, most): (NodeId, Direction, usize),
        types: &TypeNames,
        into: &mut Vec<Neighbour>,
    ) -> Result<()> {
        self.count_seek(0);
        let types = self.type_ids(types)?;
        with_txn!(self, txn => {
            let found = view::of(txn).neighbours(near, direction, types.as_deref())?;
            for neighbour in found.take(most) {
                into.push(neighbour?);
            }
            Ok(())
        })
    }

    /// How many relationships a node has, without reading them. A loop counts at each of its ends.
    pub(in crate::query::exec) fn degree(
        &self,
        of: NodeId,
        arrow: Arrow,
        types: &TypeNames,
    ) -> Result<u64> {
        let types = self.type_ids(types)?;
        let ways = direction(arrow);
        with_txn!(self, txn => {
            let (view, mut sum) = (view::of(txn), 0);
            for way in ways.ways() {
                let Some(types) = &types else {
                    self.count_seek(0);
                    let degrees = view.degrees(*way, of)?;
                    sum += degrees.iter().map(|(_, degree)| degree).sum::<u64>();
                    continue;
                };
                for one in types {
                    self.count_seek(0);
                    sum += view.degree(*way, of, *one)?;
                }
            }
            Ok(sum)
        })
    }

    /// Appends the relationships from one node to another, without reading the others of either.
    pub(in crate::query::exec) fn relationships_between(
        &self,
        (source, target): (NodeId, NodeId),
        types: &TypeNames,
        into: &mut Vec<RelationshipId>,
    ) -> Result<()> {
        self.count_seek(0);
        let Some(ids) = self.type_ids(types)? else {
            return with_txn!(self, txn => {
                for found in txn.relationships_between(source, target, None)? {
                    into.push(found?.relationship);
                }
                Ok(())
            });
        };
        let names = self.catalog()?;
        for id in ids {
            let name = names.types.name(id).map_or("", |name| name);
            with_txn!(self, txn => {
                for found in txn.relationships_between(source, target, Some(name))? {
                    into.push(found?.relationship);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
