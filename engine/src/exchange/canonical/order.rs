//! An order of nodes that does not depend on their numbers.
//!
//! Refinement tells most nodes apart. What is left falls into components that have nothing to do with
//! each other, and each is put in order for itself: one node of its smallest cell is singled out, and
//! what follows from that is refined again. Which node that is must not depend on numbers, so every
//! node of the cell is tried, and the one that gives the smallest description of the component wins.
//! A look comes first, at what singling out a node tells at once: only nodes that tell the least are
//! tried to the end. In graphs without symmetry that is one.
//!
//! Looks and tries have a budget of work each, shared among components by their size: a try goes to
//! any depth, and costs much more than a look. Beyond it one node is taken for all of its cell. That is right whenever the nodes of the cell are images of each other, as in
//! rings, grids and trees of any size; a component that is large, and whose cells hold nodes that are
//! not, can come out differently for equal graphs. Such components have no labels or properties
//! that differ, and each node has the same neighbourhood at every distance.

use super::graph::{Colour, Graph, Link};
use super::partition::Partition;
use crate::error::Result;
use std::cmp::Ordering;
use std::collections::HashMap;

/// How much work a whole graph may take: some seconds of it.
const BUDGET: Budget = Budget {
    looks: 100 << 20,
    tries: 1 << 21,
};
/// What a component may use however small its share is.
const LEAST_BUDGET: Budget = Budget {
    looks: 1 << 13,
    tries: 1 << 12,
};
/// Beyond so many nodes singled out one within the other, no more components are looked for.
const DEEPEST: u32 = 128;

/// How many nodes and links may be looked at.
#[derive(Clone, Copy)]
struct Budget {
    /// For all first looks together.
    looks: u64,
    /// Over all the tries of one depth.
    tries: u64,
}

impl Budget {
    /// The share of a part of a whole.
    fn share(self, part: u64, whole: u64) -> Self {
        let share = |budget: u64, least: u64| {
            let share = budget.saturating_mul(part) / whole;
            share.max(least).min(budget)
        };
        Self {
            looks: share(self.looks, LEAST_BUDGET.looks),
            tries: share(self.tries, LEAST_BUDGET.tries),
        }
    }

    /// The budget of each of so many tries.
    fn split(self, tries: usize) -> Self {
        Self {
            looks: self.looks / tries as u64,
            tries: self.tries / tries as u64,
        }
    }
}

/// Asks whether to go on.
type Step<'a> = &'a mut dyn FnMut() -> Result<()>;

/// All nodes, in an order that two equal graphs share.
pub(super) fn canonical(graph: &Graph, colours: &[Colour], step: Step<'_>) -> Result<Vec<u32>> {
    let mut partition = Partition::new(colours);
    partition.refine(graph);
    settle(graph, partition, BUDGET, 0, step)
}

/// The order of a refined partition.
fn settle(
    graph: &Graph,
    mut partition: Partition,
    budget: Budget,
    depth: u32,
    step: Step<'_>,
) -> Result<Vec<u32>> {
    if depth > DEEPEST {
        while let Some(node) = partition.smallest_cell().first().copied() {
            step()?;
            partition.single_out(graph, node);
        }
    }
    if partition.is_discrete() {
        return Ok(partition.nodes().to_vec());
    }
    let components = components(graph, &partition);
    let colours = partition.colours();
    let mut numbers = vec![0; graph.len()];
    let mut described: Vec<(Vec<u64>, Vec<u32>)> = Vec::with_capacity(components.len());
    for nodes in components {
        if let [node] = *nodes {
            // Two such of one colour have the same links to everything.
            let description = vec![1, u64::from(colours[node as usize])];
            described.push((description, nodes));
            continue;
        }
        let part = graph.part(&nodes, &mut numbers);
        let colours: Vec<Colour> = nodes.iter().map(|node| colours[*node as usize]).collect();
        let share = budget.share(part.size(), graph.size());
        let order = order_component(&part, &colours, share, depth, step)?;
        let description = describe(&part, &colours, &order);
        let order = order.iter().map(|at| nodes[*at as usize]).collect();
        described.push((description, order));
    }
    // Components that have one description are images of each other: either may come first.
    described.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let mut places = vec![0_u64; graph.len()];
    let in_order = described.iter().flat_map(|(_, nodes)| nodes);
    for (place, node) in (0..).zip(in_order) {
        places[*node as usize] = place;
    }
    let mut order: Vec<u32> = partition.nodes().to_vec();
    order.sort_unstable_by_key(|node| (colours[*node as usize], places[*node as usize]));
    Ok(order)
}

/// The order of the nodes of one component, in which some look alike.
fn order_component(
    part: &Graph,
    colours: &[Colour],
    mut budget: Budget,
    depth: u32,
    step: Step<'_>,
) -> Result<Vec<u32>> {
    let mut partition = Partition::new(colours);
    // Cells that the whole graph shares among components may be a single node here.
    partition.refine(part);
    if partition
        .nodes()
        .iter()
        .any(|node| partition.is_alone(*node))
    {
        return settle(part, partition, budget, depth + 1, step);
    }
    let mut cell = partition.smallest_cell().to_vec();
    // Whether there is room for all of them must not depend on which came first, and so on numbers.
    let cost = |nodes: usize| part.size().saturating_mul(nodes as u64);
    if let Some(left) = budget.looks.checked_sub(cost(cell.len())) {
        budget.looks = left;
        cell = telling_least(part, &partition, &cell, step)?;
    }
    let tries = if cost(cell.len()) <= budget.tries {
        cell.len()
    } else {
        1
    };
    let mut best: Option<(Vec<u64>, Vec<u32>)> = None;
    for node in &cell[..tries] {
        step()?;
        let mut tried = partition.clone();
        tried.single_out(part, *node);
        let order = settle(part, tried, budget.split(tries), depth + 1, step)?;
        if tries == 1 {
            return Ok(order);
        }
        let description = describe(part, colours, &order);
        if best.as_ref().is_none_or(|(least, _)| description < *least) {
            best = Some((description, order));
        }
    }
    Ok(best.map(|(_, order)| order).unwrap_or_default())
}

/// The nodes of a cell whose singling out tells the least, in the order of what is told. If that tells
/// every node from every other, they are images of each other, and one of them is enough.
fn telling_least(
    part: &Graph,
    partition: &Partition,
    cell: &[u32],
    step: Step<'_>,
) -> Result<Vec<u32>> {
    let mut least: Option<Vec<u64>> = None;
    let mut nodes = Vec::new();
    for node in cell {
        step()?;
        let mut tried = partition.clone();
        tried.single_out(part, *node);
        let told = tell(part, &tried);
        match least.as_ref().map(|least| told.cmp(least)) {
            Some(Ordering::Greater) => {}
            Some(Ordering::Equal) if tried.is_discrete() => {}
            Some(Ordering::Equal) => nodes.push(*node),
            Some(Ordering::Less) | None => {
                least = Some(told);
                nodes.clear();
                nodes.push(*node);
            }
        }
    }
    Ok(nodes)
}

/// What is known of a refined partition: how long each cell is, and what its nodes see of the others.
/// All nodes of a cell see the same.
fn tell(part: &Graph, partition: &Partition) -> Vec<u64> {
    let mut told = Vec::new();
    let mut seen = Vec::new();
    let mut at = 0;
    while let Some(node) = partition.nodes().get(at).copied() {
        let colour = partition.colours()[node as usize];
        let length = partition.cell_length(colour);
        told.push(length as u64);
        seen.clear();
        let links = part.links(node).iter();
        seen.extend(links.map(|link| (link.kind, partition.colours()[link.other as usize])));
        seen.sort_unstable();
        told.push(seen.len() as u64);
        told.extend(
            seen.iter()
                .flat_map(|(kind, colour)| [*kind, u64::from(*colour)]),
        );
        at += length;
    }
    told
}

/// Everything about a component, in this order of its nodes.
fn describe(part: &Graph, colours: &[Colour], order: &[u32]) -> Vec<u64> {
    let mut places = vec![0_u64; part.len()];
    for (place, node) in (0..).zip(order) {
        places[*node as usize] = place;
    }
    let mut description = Vec::with_capacity(1 + part.len() * 3);
    description.push(part.len() as u64);
    description.extend(order.iter().map(|node| u64::from(colours[*node as usize])));
    let mut seen = Vec::new();
    for node in order {
        // The way out is enough: what comes in goes out elsewhere.
        let out = part.links(*node).iter().filter(|link| link.kind % 2 == 0);
        seen.clear();
        seen.extend(out.map(|link| (link.kind, places[link.other as usize])));
        seen.sort_unstable();
        description.push(seen.len() as u64);
        description.extend(seen.iter().flat_map(|(kind, place)| [*kind, *place]));
    }
    description
}

/// The nodes that are not alone in their cells, in components.
///
/// Links that every node of one cell has to every node of another say nothing about which is which,
/// and do not connect; links to nodes that are alone are of that kind.
fn components(graph: &Graph, partition: &Partition) -> Vec<Vec<u32>> {
    let full = full_between(graph, partition);
    let colours = partition.colours();
    let mut is_seen = vec![false; graph.len()];
    let mut components = Vec::new();
    for start in partition.nodes() {
        if is_seen[*start as usize] || partition.is_alone(*start) {
            continue;
        }
        is_seen[*start as usize] = true;
        let mut component = vec![*start];
        let mut at = 0;
        while let Some(node) = component.get(at).copied() {
            at += 1;
            for link in graph.links(node) {
                let other = link.other as usize;
                if is_seen[other] || partition.is_alone(link.other) {
                    continue;
                }
                let between = (colours[node as usize], colours[other], link.kind);
                if full.get(&between) != Some(&true) {
                    is_seen[other] = true;
                    component.push(link.other);
                }
            }
        }
        components.push(component);
    }
    components
}

/// Between which cells, and through which kind of link, every node is linked to every other once.
fn full_between(graph: &Graph, partition: &Partition) -> HashMap<(Colour, Colour, u64), bool> {
    let colours = partition.colours();
    let colour = |node: u32| colours[node as usize];
    let mut full = HashMap::new();
    let mut links: Vec<Link> = Vec::new();
    for node in partition.nodes() {
        if partition.is_alone(*node) {
            continue;
        }
        links.clear();
        let others = graph.links(*node).iter();
        links.extend(others.filter(|link| !partition.is_alone(link.other)));
        let key = |link: &Link| (colour(link.other), link.kind);
        links.sort_unstable_by_key(|link| (key(link), link.other));
        for group in links.chunk_by(|one, other| key(one) == key(other)) {
            let (to, kind) = key(&group[0]);
            let is_once = group.is_sorted_by(|one, other| one.other < other.other);
            let has_itself = group.iter().any(|link| link.other == *node);
            let from = colour(*node);
            let wanted = partition.cell_length(to) - usize::from(from == to && !has_itself);
            let is_full = is_once && group.len() == wanted;
            *full.entry((from, to, kind)).or_insert(true) &= is_full;
        }
    }
    full
}
