//! Stepping through a transaction, for a traversal that sees a small part of a large graph.

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
