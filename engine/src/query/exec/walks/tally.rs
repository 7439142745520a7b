//! Groups of nodes that were counted, in the order of their ids, and what is summed up of them.
//!
//! Next: `by_rows.rs`.

use super::{Counts, column, integer};
use crate::error::Error;
use crate::query::error::Fault;
use crate::query::exec::eval::eval;
use crate::query::exec::gather::Computing;
use crate::query::exec::kind::Kind;
use crate::query::exec::stage::Site;
use crate::query::expr::Slot;
use crate::query::plan::Walks;
use crate::value::{Grouped, NodeId, NodeValue, Value};
use std::collections::HashMap;

/// A group: what it has in common, how many matches it has, and how many nodes.
#[derive(Default)]
pub(super) struct Group {
    keys: Vec<Value>,
    matches: u64,
    nodes: u64,
    /// By aggregate, if it is no count.
    computing: Vec<Option<Computing>>,
}

impl Group {
    /// A group with so many matches, of which nobody asks for nodes.
    pub(super) fn of(keys: Vec<Value>, matches: u64) -> Self {
        Self {
            keys,
            matches,
            ..Self::default()
        }
    }

    /// A group of nodes with nothing in it yet.
    fn empty(of: &Walks, keys: Vec<Value>, sums: usize) -> Self {
        let aggregates = of.aggregate.aggregates.iter();
        let computing = aggregates.map(|one| (!one.counts()).then(|| Computing::new(one)));
        Self {
            keys,
            computing: match sums {
                0 => Vec::new(),
                _ => computing.collect(),
            },
            ..Self::default()
        }
    }

    /// Adds a node that is in the row and was met so often; false if what is summed up needs the rows themselves.
    fn take(
        &mut self,
        of: &Walks,
        matches: u64,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<bool, Fault> {
        self.add(matches);
        self.nodes += 1;
        for (one, computing) in of.aggregate.aggregates.iter().zip(&mut self.computing) {
            // The largest number there is may stand for a larger one.
            if let Some(computing) = computing
                && (matches == u64::MAX || !computing.add_times((one, matches), site, row)?)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The memory that it holds.
    pub(super) fn bytes(&self) -> usize {
        let keys = self.keys.iter();
        let keys = keys.map(|key| size_of::<Value>() + key.held_bytes());
        size_of::<Self>() + keys.sum::<usize>()
    }

    /// Adds matches.
    pub(super) fn add(&mut self, matches: u64) {
        self.matches = self.matches.saturating_add(matches);
    }

    /// Fills a row with it.
    pub(super) fn fill(self, of: &Walks, row: &mut [Value]) -> Result<(), Fault> {
        for ((_, slot), key) in of.aggregate.groups.iter().zip(self.keys) {
            row[slot.at()] = key;
        }
        let mut computing = self.computing.into_iter();
        for one in &of.aggregate.aggregates {
            if let Some(computing) = computing.next().flatten() {
                row[one.into.at()] = computing.finish(one)?;
                continue;
            }
            let count = integer(if one.distinct {
                self.nodes
            } else {
                self.matches
            });
            row[one.into.at()] = count.map_err(|fault| fault.at(one.span))?;
        }
        Ok(())
    }
}

/// How many of its aggregates are no counts.
fn sums(of: &Walks) -> usize {
    let aggregates = of.aggregate.aggregates.iter();
    aggregates.filter(|one| !one.counts()).count()
}

/// Puts what was counted into groups; none if the rows themselves are needed for what is summed up.
pub(super) fn groups(
    of: &Walks,
    counts: Counts,
    site: &mut Site<'_, '_>,
) -> Result<Option<Vec<Group>>, Fault> {
    let by = &of.aggregate.groups;
    if by.is_empty() && sums(of) == 0 {
        return Ok(Some(vec![Group {
            nodes: counts.each.len() as u64,
            ..Group::of(Vec::new(), counts.total)
        }]));
    }
    let Some(slot) = of.of.and_then(|at| of.nodes.get(at)).map(|node| node.slot) else {
        return Ok(Some(Vec::new()));
    };
    if let [(group, _)] = by.as_slice()
        && sums(of) == 0
        && let Some(key) = group.property_of(slot)
        && let Some(groups) = by_column(key, &counts, site)?
    {
        return Ok(Some(groups));
    }
    let held = site.charge.bytes();
    let groups = by_node(of, (slot, counts), site)?;
    if groups.is_none() {
        site.charge_in_all(held)?;
    }
    Ok(groups)
}

/// The same node by node.
fn by_node(
    of: &Walks,
    (slot, counts): (Slot, Counts),
    site: &mut Site<'_, '_>,
) -> Result<Option<Vec<Group>>, Fault> {
    let by = &of.aggregate.groups;
    let is_node_itself = by.iter().any(|(group, _)| group.is_slot(slot));
    let mut row = site.frame.argument.clone();
    let mut groups: Vec<Group> = Vec::new();
    let mut numbers: HashMap<Vec<Grouped>, usize> = HashMap::new();
    let sums = sums(of);
    let computing = sums * (size_of::<Computing>() + 64);
    if by.is_empty() {
        // There is one, whether or not anything is in it.
        groups.push(Group::empty(of, Vec::new(), sums));
        numbers.insert(Vec::new(), 0);
    }
    for (node, matches) in counts.each {
        site.context.step()?;
        row[slot.at()] = Value::Node(NodeValue::of(NodeId::new(node)));
        let mut keys = Vec::with_capacity(by.len());
        for (group, _) in by {
            keys.push(Grouped(eval(site.context, group, &mut row)?));
        }
        let known = match is_node_itself {
            true => None,
            false => numbers.get(&keys).copied(),
        };
        let group = match known.and_then(|number| groups.get_mut(number)) {
            Some(group) => group,
            None => {
                let bytes = keys
                    .iter()
                    .map(|key| key.0.held_bytes() + size_of::<Value>());
                site.charge(2 * bytes.sum::<usize>() + size_of::<Group>() + 64 + computing)?;
                let values = keys.iter().map(|key| key.0.clone()).collect();
                groups.push(Group::empty(of, values, sums));
                if !is_node_itself {
                    numbers.insert(keys, groups.len() - 1);
                }
                let at = groups.len() - 1;
                &mut groups[at]
            }
        };
        if !group.take(of, matches, site, &mut row)? {
            return Ok(None);
        }
    }
    Ok(Some(groups))
}

/// The same by one property, if so many nodes were counted that reading it of all of them is better.
fn by_column(
    key: &str,
    counts: &Counts,
    site: &mut Site<'_, '_>,
) -> Result<Option<Vec<Group>>, Fault> {
    /// Looking a node up takes as long as reading so many in a row.
    const NODES_PER_LOOK: u64 = 16;
    let graph = &site.context.graph;
    let counted = counts.each.len() as u64;
    if counted.saturating_mul(NODES_PER_LOOK) < graph.node_count(None)? {
        return Ok(None);
    }
    let Some(column) = column(Kind::Nodes, &None, key, site)? else {
        return Ok(None);
    };
    let held = column.bytes() + column.values().len() * size_of::<usize>();
    if held > site.context.memory.left() {
        return Ok(None);
    }
    site.context.memory.charge(held)?;
    // By code the number of its group, from one on.
    let mut numbers = vec![0_usize; column.values().len()];
    let mut known_groups: HashMap<Grouped, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (node, matches) in &counts.each {
        site.context.step()?;
        let code = column.code(*node).map(|code| code as usize);
        let known = code.and_then(|code| numbers.get_mut(code));
        let (Some(number), Some(value)) = (known, code.and_then(|code| column.values().get(code)))
        else {
            return Err(Error::bug("a node that was counted is not in the column").into());
        };
        if *number == 0 {
            // 1 and 1.0 have two codes, and are one group.
            let known = match column.may_be_equal() {
                true => known_groups.get(&Grouped(value.clone())).copied(),
                false => None,
            };
            *number = match known {
                Some(number) => number,
                None => {
                    let bytes = size_of::<Group>() + 2 * (size_of::<Value>() + value.held_bytes());
                    site.charge(bytes + 16)?;
                    groups.push(Group::of(vec![value.clone()], 0));
                    if column.may_be_equal() {
                        known_groups.insert(Grouped(value.clone()), groups.len());
                    }
                    groups.len()
                }
            };
        }
        if let Some(group) = groups.get_mut(*number - 1) {
            group.add(*matches);
            group.nodes += 1;
        }
    }
    site.context.memory.release(held);
    Ok(Some(groups))
}
