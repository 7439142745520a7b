//! The members that RECOVER looks at, from a hierarchy of the database.

use crate::algo::traverse::Members;
use crate::error::{Error, Result};
use crate::graph::Hierarchy;
use crate::keys::KeyRead;
use crate::value::NodeId;

/// The members of a hierarchy, level by level. It knows the last level, so a traversal with a high
/// upper level ends with the hierarchy.
///
/// ```
/// use stratigraph::algo::snapshot::{GraphSteps, HierarchyMembers};
/// use stratigraph::algo::traverse::{Keep, NodeScorer, Recover, Traverse, Where};
/// use stratigraph::clock::SystemClock;
/// use stratigraph::{Database, Direction, HierarchyOptions, NO_PROPERTIES, NodeId, Read};
///
/// let db = Database::in_memory()?;
/// db.create_hierarchy(HierarchyOptions::new("outline", "HAS_CHILD"))?;
/// let mut txn = db.write()?;
/// let book = txn.create_node(["Section"], [("title", "Moby-Dick")])?;
/// let chapter = txn.create_node(["Section"], [("title", "Loomings")])?;
/// txn.create_relationship(book, "HAS_CHILD", chapter, NO_PROPERTIES)?;
/// txn.commit()?;
///
/// let read = db.read()?;
/// let outline = read.hierarchy("outline")?;
/// let mut steps = GraphSteps::new(&read, Direction::Outgoing, Some("HAS_CHILD"))?;
/// // The book is refused, so no step leads to its chapter.
/// let score = |node: NodeId, _| Ok(Some(if node == chapter { 0.9 } else { 0.1 }));
/// let keep = || Keep::all().only(Where::Above(0.5));
/// let found = Traverse::from([book])
///     .levels(0, Some(u32::MAX))
///     .scorer(NodeScorer(score))
///     .keep(keep())
///     .recover(Recover::new(HierarchyMembers::new(&outline), keep()))
///     .run(&mut steps, &SystemClock::new())?;
/// assert_eq!(found.rows.nodes(), [chapter]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HierarchyMembers<'h, 'a, K> {
    hierarchy: &'h Hierarchy<'a, K>,
}

impl<'h, 'a, K: KeyRead> HierarchyMembers<'h, 'a, K> {
    /// The members of this hierarchy.
    #[must_use]
    pub fn new(hierarchy: &'h Hierarchy<'a, K>) -> Self {
        Self { hierarchy }
    }
}

impl<K: KeyRead> Members<Error> for HierarchyMembers<'_, '_, K> {
    fn members(&mut self, level: u32, into: &mut Vec<NodeId>) -> Result<()> {
        let members = self.hierarchy.members(level)?;
        into.extend(members.iter().map(NodeId::new));
        Ok(())
    }

    fn last_level(&mut self) -> Result<Option<u32>> {
        // Without any members nothing is recovered, which at level 0 is never tried.
        Ok(Some(self.hierarchy.depth()?.saturating_sub(1)))
    }
}
