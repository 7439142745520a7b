//! Stepping through a transaction, for a traversal that sees a small part of a large graph.

use crate::algo::Projection;
use crate::algo::traverse::{Arrival, Steps};
use crate::catalog::TypeId;
use crate::error::{Error, Result};
use crate::graph::{Direction, Read, view};
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::ops::ControlFlow;

/// Steps of one relationship in a transaction: its type, its direction, and the label of where it
/// leads. It reads ids only, and sees a write transaction's own changes.
///
/// ```
/// use stratigraph::algo::snapshot::GraphSteps;
/// use stratigraph::algo::traverse::Traverse;
/// use stratigraph::clock::SystemClock;
/// use stratigraph::{Database, Direction, NO_PROPERTIES, Read};
///
/// let db = Database::in_memory()?;
/// let mut txn = db.write()?;
/// let book = txn.create_node(["Section"], [("heading", "Moby-Dick")])?;
/// let chapter = txn.create_node(["Section"], [("heading", "Loomings")])?;
/// txn.create_relationship(book, "HAS_CHILD", chapter, NO_PROPERTIES)?;
///
/// let mut steps = GraphSteps::new(&txn, Direction::Outgoing, Some("HAS_CHILD"))?.to_label("Section")?;
/// let found = Traverse::from([book]).run(&mut steps, &SystemClock::new())?;
/// assert_eq!(found.rows.nodes(), [book, chapter]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GraphSteps<'a, T> {
    read: &'a T,
    direction: Direction,
    types: Option<Vec<TypeId>>,
    targets: Option<RoaringTreemap>,
}

impl<'a, T: Read> GraphSteps<'a, T> {
    /// Steps along relationships of one type, or of any.
    ///
    /// # Errors
    /// See [`Read`].
    pub fn new(read: &'a T, direction: Direction, relationship_type: Option<&str>) -> Result<Self> {
        Ok(Self {
            read,
            direction,
            types: read.types(relationship_type),
            targets: None,
        })
    }

    /// Only to nodes with this label.
    ///
    /// # Errors
    /// See [`Read`].
    pub fn to_label(mut self, label: &str) -> Result<Self> {
        self.targets = Some(self.read.nodes_with_label(label)?);
        Ok(self)
    }
}

impl<T: Read> Steps<Error> for GraphSteps<'_, T> {
    fn contains(&mut self, node: NodeId) -> Result<bool> {
        self.read.contains(node)
    }

    fn arrivals(
        &mut self,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<()> {
        let view = view::of(self.read);
        for parent in from {
            for neighbour in view.neighbours(*parent, self.direction, self.types.as_deref())? {
                let neighbour = neighbour?;
                let node = neighbour.node;
                if let Some(targets) = &self.targets
                    && !targets.contains(node.get())
                {
                    continue;
                }
                let arrival = Arrival {
                    parent: *parent,
                    via: &[],
                    relationship: neighbour.relationship,
                    node,
                };
                if visit(arrival).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Steps of one relationship in a projection, along its direction.
#[derive(Clone, Copy, Debug)]
pub struct ProjectionSteps<'a> {
    projection: &'a Projection,
}

impl<'a> ProjectionSteps<'a> {
    /// Steps along the relationships of a projection, which must have kept their ids.
    ///
    /// # Errors
    /// [`Error::BadDeclaration`] if it has not.
    pub fn new(projection: &'a Projection) -> Result<Self> {
        if projection.outgoing().relationships(0).is_some() {
            Ok(Self { projection })
        } else {
            Err(Error::BadDeclaration {
                what: "steps in a projection",
                reason: "it has not kept the ids of its relationships: project `with_relationships`",
            })
        }
    }
}

impl<E> Steps<E> for ProjectionSteps<'_> {
    fn contains(&mut self, node: NodeId) -> Result<bool, E> {
        Ok(self.projection.place(node).is_some())
    }

    fn arrivals(
        &mut self,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<(), E> {
        let (nodes, rows) = (self.projection.nodes(), self.projection.outgoing());
        for parent in from {
            let Some(place) = self.projection.place(*parent) else {
                continue;
            };
            let relationships = rows.relationships(place).unwrap_or_default();
            for (target, relationship) in rows.neighbours(place).iter().zip(relationships) {
                let Some(node) = nodes.get(*target as usize) else {
                    continue;
                };
                let arrival = Arrival {
                    parent: *parent,
                    via: &[],
                    relationship: *relationship,
                    node: *node,
                };
                if visit(arrival).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
