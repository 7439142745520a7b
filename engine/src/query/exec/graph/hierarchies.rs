//! Hierarchies as a query sees them: with what its own transaction has changed.
//!
//! Next: `face.rs`.

use super::{Graph, Txn, over};
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::{Read, ReadTxn, WriteTxn};
use crate::query::error::{Detail, Fault, raise};
use crate::value::NodeId;
use std::collections::BTreeSet;
use stratigraph_query_lang::nearest;

impl Graph<'_> {
    /// The level of a node.
    pub(in crate::query::exec) fn level_in(
        &self,
        node: NodeId,
        hierarchy: &str,
    ) -> Result<Option<u32>, Fault> {
        let level =
            with_txn!(self, txn => txn.hierarchy(hierarchy).and_then(|found| found.level(node)));
        level.map_err(|error| self.unknown_hierarchy(error))
    }

    /// The roots, by id.
    pub(in crate::query::exec) fn roots_of(&self, hierarchy: &str) -> Result<Vec<NodeId>, Fault> {
        let roots =
            with_txn!(self, txn => txn.hierarchy(hierarchy).and_then(|found| found.roots()));
        let roots = roots.map_err(|error| self.unknown_hierarchy(error))?;
        Ok(roots.iter().map(NodeId::new).collect())
    }

    /// What is above a node, the nearest first.
    pub(in crate::query::exec) fn ancestors_in(
        &self,
        node: NodeId,
        hierarchy: &str,
    ) -> Result<Vec<NodeId>, Fault> {
        let above = with_txn!(self, txn => climb(txn, node, hierarchy));
        above.map_err(|error| self.unknown_hierarchy(error))
    }

    /// How many levels it has, and how many members.
    pub(crate) fn hierarchy_size(&self, hierarchy: &str) -> Result<(u32, u64)> {
        with_txn!(self, txn => {
            let hierarchy = txn.hierarchy(hierarchy)?;
            Ok((hierarchy.depth()?, hierarchy.member_count()?))
        })
    }

    fn unknown_hierarchy(&self, error: Error) -> Fault {
        let (Error::UnknownName { name, .. }, Ok(catalog)) = (&error, self.catalog()) else {
            return error.into();
        };
        hierarchy_not_found(name, catalog)
    }
}

/// A name that no hierarchy has.
fn hierarchy_not_found(name: &str, catalog: &Catalog) -> Fault {
    let fault = raise(
        Detail::HierarchyNotFound,
        format!("there is no hierarchy `{name}`"),
    );
    let known = catalog.hierarchies().map(|one| &*one.name);
    fault.hint(match nearest(name, known) {
        Some(other) => format!("did you mean `{other}`? SHOW HIERARCHIES lists them"),
        None => "SHOW HIERARCHIES lists them".to_owned(),
    })
}

/// Level after level upwards, as long as something new is met. There are no cycles to go round in.
fn climb<R: Read>(read: &R, from: NodeId, hierarchy: &str) -> Result<Vec<NodeId>> {
    let hierarchy = read.hierarchy(hierarchy)?;
    let mut met = BTreeSet::new();
    let mut above = Vec::new();
    let mut here = BTreeSet::from([from.get()]);
    while !here.is_empty() {
        let mut next = BTreeSet::new();
        for node in here {
            for parent in hierarchy.parents(NodeId::new(node))? {
                if met.insert(parent) {
                    next.insert(parent);
                }
            }
        }
        above.extend(next.iter().map(|node| NodeId::new(*node)));
        here = next;
    }
    Ok(above)
}
