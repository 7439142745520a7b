//! Rows of the whole graph: projections that are kept by commit.
//!
//! Next: `tally.rs`.

use super::{Asked, Counts, alike, unless_too_large};
use crate::algo::snapshot::Selection;
use crate::algo::walks::{Bits, Ground, Rows};
use crate::algo::{Direction, Projection};
use crate::query::error::Fault;
use crate::query::exec::stage::Site;
use crate::query::plan::TypeNames;
use crate::value::NodeId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is projected for some types: all nodes, so that it serves whatever is asked of them.
pub(super) fn selection(types: &TypeNames, site: &Site<'_, '_>) -> Selection {
    let context = &*site.context;
    // The same for each query with the same settings, so that what one has made serves the next.
    let most = context.graph.projection_bytes();
    let most = most.min(context.memory.limit() as u64);
    let names = types.iter().flatten();
    let all = names.fold(Selection::all(), |all, name| all.relationship_type(&**name));
    all.max_bytes(most)
}

/// Notes that so much was read without projections.
pub(super) fn note_reads(asked: &Asked<'_>, entries: u64, site: &Site<'_, '_>) {
    let graph = &site.context.graph;
    for types in &asked.types {
        graph.read_beside_projection(&selection(types, site), entries);
    }
}

/// Whether projections are kept, or would have cost no more than what was read without them by now: whoever has done
/// without them so often pays at most twice what he should have paid.
pub(super) fn are_due(asked: &Asked<'_>, site: &Site<'_, '_>) -> Result<bool, Fault> {
    let graph = &site.context.graph;
    let all = graph.relationship_count(None)?;
    let mut types = asked.types.iter();
    Ok(types.all(|types| {
        let selection = selection(types, site);
        graph.kept_projection(&selection).is_some()
            || graph.read_beside_projection(&selection, 0) > all
    }))
}

fn projection(
    types: &TypeNames,
    turned: bool,
    site: &Site<'_, '_>,
) -> Result<Arc<Projection>, Fault> {
    /// Of fewer nodes one thread has made it before another has begun.
    const NODES_FOR_THREADS: u64 = 1 << 14;
    let threads = match site.context.graph.node_count(None)? < NODES_FOR_THREADS {
        true => 1,
        false => site.context.threads,
    };
    let selection = selection(types, site).threads(threads);
    site.context.watched(|graph, watch| {
        let projection = graph.project(&selection, watch)?;
        if turned {
            projection.build_incoming(watch)?;
        }
        Ok::<_, crate::algo::AlgoError>(projection)
    })
}

/// Counts over projections; none if there is no memory for them.
pub(super) fn counts(
    asked: &Asked<'_>,
    (starts, rows): (Option<&[(u64, u64)]>, u64),
    site: &mut Site<'_, '_>,
) -> Result<Option<Counts>, Fault> {
    if site.context.graph.projection_bytes() == 0 {
        return Ok(None);
    }
    unless_too_large(counts_over(asked, (starts, rows), site)).map(Option::flatten)
}

fn counts_over(
    asked: &Asked<'_>,
    (starts, rows): (Option<&[(u64, u64)]>, u64),
    site: &mut Site<'_, '_>,
) -> Result<Option<Counts>, Fault> {
    let mut projections = Vec::with_capacity(asked.types.len());
    let turned_types = match starts {
        None => asked.figure.turned_types(asked.wanted),
        Some(_) => BTreeSet::new(),
    };
    for (number, types) in asked.types.iter().enumerate() {
        let links = asked.figure.nodes.iter().flatten();
        let links = links.map(|link| (link.types, link.direction));
        let absent = asked.figure.absent.iter();
        let absent = absent.map(|absent| (absent.types, absent.direction));
        let is_turned = |(types, direction)| types == number && direction != Direction::Outgoing;
        let turned = turned_types.contains(&number) || links.chain(absent).any(is_turned);
        let projection = projection(types, turned, site)?;
        let bytes = usize::try_from(projection.bytes()).unwrap_or(usize::MAX);
        site.context.memory.charge(bytes)?;
        projections.push(projection);
    }
    let Some(nodes) = projections.first().cloned() else {
        return Ok(None);
    };
    let places = nodes.len();
    let mut allowed = Vec::with_capacity(asked.figure.nodes.len() + 1);
    for node in 0..=asked.figure.nodes.len() {
        allowed.push(fitting(asked, node, &nodes, site)?);
    }
    let mut classes = Vec::with_capacity(asked.keys.len());
    for key in &asked.keys {
        let Some(of_key) = alike::of_all(key, &nodes, site)? else {
            return Ok(None);
        };
        classes.push(of_key);
    }
    let is_anywhere = starts.is_none();
    let starts: Vec<(u32, u64)> = match starts {
        Some(starts) => {
            let starts = starts.iter();
            let placed = starts.filter_map(|(id, times)| {
                let place = nodes.place(NodeId::new(*id))?;
                Some((place, *times))
            });
            placed.collect()
        }
        None => {
            site.context.memory.charge(places.saturating_mul(16))?;
            match allowed.first() {
                Some(Some(bits)) => bits.places().map(|place| (place, rows)).collect(),
                _ => (0..places as u32).map(|place| (place, rows)).collect(),
            }
        }
    };
    let mut all = Vec::with_capacity(projections.len());
    for projection in &projections {
        let into = projection.incoming_if_built();
        all.push([
            Rows::of(projection.outgoing()),
            into.map_or(Rows::none(), Rows::of),
        ]);
    }
    let ground = Ground {
        places,
        rows: all,
        allowed,
        classes,
        is_anywhere,
    };
    let id = |place: u32| nodes.node(place).map_or(0, NodeId::get);
    asked.count(&ground, &starts, id, site).map(Some)
}

/// The places where a node of the figure may be; none if that is anywhere.
fn fitting(
    asked: &Asked<'_>,
    number: usize,
    nodes: &Projection,
    site: &mut Site<'_, '_>,
) -> Result<Option<Bits>, Fault> {
    if !asked.conditions.are_any(number) {
        return Ok(None);
    }
    site.context.memory.charge(Bits::bytes(nodes.len()))?;
    let mut bits = Bits::new(nodes.len());
    let mut conditions = asked.conditions.fresh();
    let tested = conditions.are_tests(number);
    match conditions.labelled(number, site)? {
        Some(labelled) => {
            for id in &labelled {
                if let Some(place) = nodes.place(NodeId::new(id))
                    && (!tested || conditions.pass(number, id, site)?)
                {
                    bits.put(place);
                }
            }
        }
        None => {
            for (place, node) in (0_u32..).zip(nodes.nodes()) {
                if conditions.pass(number, node.get(), site)? {
                    bits.put(place);
                }
            }
        }
    }
    Ok(Some(bits))
}
