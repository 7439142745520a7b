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
use crate::query::exec::flat::direction;
use crate::query::exec::pipeline::Run;
use crate::query::exec::{Graph, Kind};
use crate::query::plan::DirectStep;
use crate::value::{NodeId, Value};
use roaring::RoaringTreemap;
use std::cell::RefCell;
use std::ops::ControlFlow;

/// About how many bytes an arrival takes until its level is decided.
const ARRIVAL_BYTES: usize = size_of::<NodeId>() * 3;

/// The steps of a traversal.
pub(super) struct Stepping<'a, 's, 't> {
    shared: &'a RefCell<Shared<'s, 't>>,
    of: &'a Of,
    targets: Targets<'a>,
    neighbours: Vec<Neighbour>,
}

/// Which nodes have the label that the step asks for.
enum Targets<'a> {
    /// It asks for none.
    All,
    /// Each is asked, and so many were: a label may have a million nodes, and the traversal meet ten.
    Few { label: &'a str, asked: usize },
    /// These.
    Set(RoaringTreemap),
}

/// With so many nodes to ask, all of a label are read at once.
const MANY: usize = 1024;

impl Targets<'_> {
    /// Leaves out the neighbours without the label.
    fn keep(&mut self, neighbours: &mut Vec<Neighbour>, graph: &Graph<'_>) -> Result<(), Fault> {
        if let Self::Few { label, asked } = self {
            *asked += neighbours.len();
            if *asked <= MANY {
                let mut labelled = Vec::with_capacity(neighbours.len());
                for neighbour in neighbours.drain(..) {
                    if graph.is_labelled(neighbour.node, label)? {
                        labelled.push(neighbour);
                    }
                }
                *neighbours = labelled;
                return Ok(());
            }
            *self = Self::Set(graph.ids_with_label(Kind::Nodes, label)?);
        }
        if let Self::Set(set) = self {
            neighbours.retain(|neighbour| set.contains(neighbour.node.get()));
        }
        Ok(())
    }
}

impl<'a, 's, 't> Stepping<'a, 's, 't> {
    pub(super) fn new(shared: &'a RefCell<Shared<'s, 't>>, of: &'a Of) -> Self {
        let label = of.step.direct.as_ref();
        let label = label.and_then(|direct| direct.label.as_deref());
        let targets = match label {
            Some(label) => Targets::Few { label, asked: 0 },
            None => Targets::All,
        };
        Self {
            shared,
            of,
            targets,
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
        for parent in from {
            self.neighbours.clear();
            let mut shared = self.shared.borrow_mut();
            let way = direction(direct.arrow);
            let graph = &shared.context.graph;
            graph.neighbours(*parent, way, &direct.types, &mut self.neighbours)?;
            shared.context.look(self.neighbours.len())?;
            self.targets
                .keep(&mut self.neighbours, &shared.context.graph)?;
            shared.charge(self.neighbours.len() * ARRIVAL_BYTES)?;
            drop(shared);
            for neighbour in &self.neighbours {
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
