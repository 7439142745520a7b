//! Relationships of the whole graph in groups by one of their properties: an array that is kept by commit.
//!
//! Next: `tally.rs`.

use super::tally::Group;
use super::{Asked, column, graph_labelled_ends};
use crate::algo::Direction;
use crate::query::error::Fault;
use crate::query::exec::kind::Kind;
use crate::query::exec::stage::Site;
use crate::value::Grouped;
use std::collections::HashMap;

/// How many relationships are counted between two looks at whether the query may go on.
const PORTION: usize = 1 << 14;
/// Of so many nodes at least one must have each label: where few have it, walking from them is better.
const NODES_PER_LABELLED: u64 = 8;

/// The groups; none if they have to be found row by row.
pub(super) fn groups(
    asked: &Asked<'_>,
    (property, rows): (&str, u64),
    site: &mut Site<'_, '_>,
) -> Result<Option<Vec<Group>>, Fault> {
    let [links] = asked.figure.nodes.as_slice() else {
        return Ok(None);
    };
    let ([link], Some(types)) = (links.as_slice(), asked.types.first()) else {
        return Ok(None);
    };
    if (0..2).any(|node| asked.conditions.are_tests(node)) {
        return Ok(None);
    }
    let graph = &site.context.graph;
    let nodes = graph.node_count(None)?;
    for node in 0..2 {
        for label in asked.conditions.labels(node) {
            if graph
                .node_count(Some(label))?
                .saturating_mul(NODES_PER_LABELLED)
                < nodes
            {
                return Ok(None);
            }
        }
    }
    let Some(column) = column(Kind::Relationships, types, property, site)? else {
        return Ok(None);
    };
    site.context.memory.charge(column.bytes())?;
    let (from, to) = graph_labelled_ends(asked, site)?;
    let fits = |from_id: u64, to_id: u64| {
        from.as_ref().is_none_or(|from| from.contains(from_id))
            && to.as_ref().is_none_or(|to| to.contains(to_id))
    };
    let is_open = from.is_none() && to.is_none();
    let mut counts = vec![0_u64; column.values().len()];
    let portions = column
        .codes()
        .chunks(PORTION)
        .zip(column.ends().chunks(PORTION));
    for (codes, ends) in portions {
        site.context.look(codes.len())?;
        for (code, (source, target)) in codes.iter().zip(ends) {
            let (source, target) = (*source, *target);
            let matches = match link.direction {
                Direction::Outgoing => is_open || fits(source, target),
                Direction::Incoming => is_open || fits(target, source),
                Direction::Both => {
                    // A loop is one match, anything else may be one from either end.
                    let back = source != target && fits(target, source);
                    if let (true, Some(count)) = (back, counts.get_mut(*code as usize)) {
                        *count += 1;
                    }
                    fits(source, target)
                }
            };
            if let Some(count) = counts.get_mut(*code as usize) {
                *count += u64::from(matches);
            }
        }
    }
    let found = counts.into_iter().zip(column.values());
    let found = found.filter(|(count, _)| *count > 0 && rows > 0);
    // 1 and 1.0 have two codes, and are one group.
    let mut known: HashMap<Grouped, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (count, value) in found {
        site.context.step()?;
        let matches = count.saturating_mul(rows);
        let number = *(known.entry(Grouped(value.clone()))).or_insert(groups.len());
        match groups.get_mut(number) {
            Some(group) => group.add(matches),
            None => groups.push(Group::of(vec![value.clone()], matches)),
        }
    }
    Ok(Some(groups))
}
