//! From one level to the next.
//!
//! A step along one relationship is read from the graph as it lies there. Any other is a pattern, which is
//! matched from each node.
//!
//! Next: `scoring.rs`.

use super::Of;
use super::shared::Shared;
use crate::algo::traverse::{Arrival, Hop, Steps};
use crate::graph::Neighbour;
use crate::query::error::Fault;
use crate::query::exec::graph::direction;
use crate::query::exec::pipeline::Run;
use crate::query::exec::{Graph, Kind};
use crate::query::plan::DirectStep;
use crate::value::{NodeId, Value};
use roaring::RoaringTreemap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;

/// About how many bytes an arrival takes until its level is decided.
const ARRIVAL_BYTES: usize = size_of::<NodeId>() * 3;

/// The steps of a traversal.
pub(super) struct Stepping<'a, 's, 't> {
    shared: &'a RefCell<Shared<'s, 't>>,
    of: &'a Of,
    sources: Labelled<'a>,
    targets: Labelled<'a>,
    /// What was read last, each with the place of the node that it was read from.
    neighbours: Vec<(usize, Neighbour)>,
}

/// Which nodes have the label that the step asks for.
enum Labelled<'a> {
    /// It asks for none.
    All,
    /// Each is asked, and so many were: a label may have a million nodes, and the traversal meet ten.
    Few { label: &'a str, asked: usize },
    /// These.
    Set(RoaringTreemap),
}

/// So many relationships are read before anybody looks at them, and as many more as their last node has.
const TOGETHER: usize = 1024;

/// With so many nodes to ask, all of a label are read at once.
const MANY: usize = 1024;

impl<'a> Labelled<'a> {
    fn of(label: Option<&'a str>) -> Self {
        match label {
            Some(label) => Self::Few { label, asked: 0 },
            None => Self::All,
        }
    }

    /// Leaves out those without the label.
    fn keep<T>(
        &mut self,
        all: &mut Vec<T>,
        graph: &Graph<'_>,
        node: impl Fn(&T) -> NodeId,
    ) -> Result<(), Fault> {
        if let Self::Few { label, asked } = self {
            *asked += all.len();
            if *asked <= MANY {
                let mut labelled = Vec::with_capacity(all.len());
                for one in all.drain(..) {
                    if graph.is_labelled(node(&one), label)? {
                        labelled.push(one);
                    }
                }
                *all = labelled;
                return Ok(());
            }
            *self = Self::Set(graph.ids_with_label(Kind::Nodes, label)?);
        }
        if let Self::Set(set) = self {
            all.retain(|one| set.contains(node(one).get()));
        }
        Ok(())
    }
}

impl<'a, 's, 't> Stepping<'a, 's, 't> {
    pub(super) fn new(shared: &'a RefCell<Shared<'s, 't>>, of: &'a Of) -> Self {
        let direct = of.step.direct.as_ref();
        let label = direct.and_then(|direct| direct.label.as_deref());
        let from_label = direct.and_then(|direct| direct.from_label.as_deref());
        Self {
            shared,
            of,
            sources: Labelled::of(from_label),
            targets: Labelled::of(label),
            neighbours: Vec::new(),
        }
    }

    /// Along one relationship.
    fn directly(
        &mut self,
        direct: &DirectStep,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let mut from = Cow::Borrowed(from);
        if direct.from_label.is_some() {
            let shared = self.shared.borrow();
            let graph = &shared.context.graph;
            self.sources.keep(from.to_mut(), graph, |node| *node)?;
        }
        let mut from = &*from;
        while !from.is_empty() {
            self.neighbours.clear();
            let mut shared = self.shared.borrow_mut();
            let way = (direction(direct.arrow), TOGETHER);
            let graph = &shared.context.graph;
            // Who has no relationships is passed over without a word, so that so many are looked at before somebody may
            // say that it is enough.
            let some = from.get(..TOGETHER).unwrap_or(from);
            let read = graph.neighbours_of(some, way, &direct.types, &mut self.neighbours)?;
            let (parents, rest) = from.split_at_checked(read).unwrap_or((from, &[]));
            shared.context.look(self.neighbours.len())?;
            let graph = &shared.context.graph;
            self.targets
                .keep(&mut self.neighbours, graph, |(_, neighbour)| neighbour.node)?;
            shared.charge(self.neighbours.len() * ARRIVAL_BYTES)?;
            drop(shared);
            for (place, neighbour) in &self.neighbours {
                let Some(parent) = parents.get(*place) else {
                    continue;
                };
                let arrival = Arrival {
                    parent: *parent,
                    via: &[],
                    relationship: neighbour.relationship,
                    node: neighbour.node,
                };
                if visit(arrival).is_break() {
                    return Ok(());
                }
            }
            from = rest;
        }
        Ok(())
    }

    /// Along a pattern.
    fn by_pattern(
        &self,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let step = &self.of.step;
        let mut shared = self.shared.borrow_mut();
        let shared = &mut *shared;
        let mut run: Option<Run> = None;
        let mut hops: Vec<Hop> = Vec::with_capacity(step.hops.len());
        for parent in from {
            shared.set_node(step.from, *parent);
            match &mut run {
                Some(run) => run.restart(shared.context, &shared.row),
                None => {
                    let (width, row) = (shared.row.len(), shared.row.clone());
                    run = Some(Run::new(&step.pattern, width, row));
                }
            }
            while let Some(run) = &mut run
                && let Some(batch) = run.next(shared.context)?
            {
                let arrivals = batch.len();
                shared.charge(arrivals * (ARRIVAL_BYTES + step.hops.len() * size_of::<Hop>()))?;
                for row in batch.rows() {
                    hops.clear();
                    hops.extend(step.hops.iter().filter_map(|hop| {
                        match (&row[hop.relationship.at()], &row[hop.node.at()]) {
                            (Value::Relationship(relationship), Value::Node(node)) => Some(Hop {
                                relationship: relationship.id(),
                                node: node.id(),
                            }),
                            _ => None,
                        }
                    }));
                    let Some((last, via)) = hops.split_last() else {
                        continue;
                    };
                    let arrival = Arrival {
                        parent: *parent,
                        via,
                        relationship: last.relationship,
                        node: last.node,
                    };
                    if visit(arrival).is_break() {
                        run.close(shared.context);
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

impl Steps<Fault> for Stepping<'_, '_, '_> {
    fn contains(&mut self, node: NodeId) -> Result<bool, Fault> {
        let shared = self.shared.borrow();
        let graph = &shared.context.graph;
        Ok(!graph.is_deleted(node) && graph.contains(node)?)
    }

    fn begin_level(&mut self, level: u32) {
        self.shared
            .borrow_mut()
            .set(self.of.level, i64::from(level));
    }

    fn hold(&mut self, bytes: usize) -> Result<(), Fault> {
        let mut shared = self.shared.borrow_mut();
        shared.context.step()?;
        shared.charge(bytes)
    }

    fn arrivals(
        &mut self,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        match &self.of.step.direct {
            Some(direct) => self.directly(direct, from, visit),
            None => self.by_pattern(from, visit),
        }
    }
}
