//! Which levels differ after a batch of changes?
//!
//! One sweep goes up through the levels and settles at each the nodes that belong there: so
//! everything below the level at hand is final. A node whose stored level is no longer supported by
//! a parent one level above it comes loose when the sweep passes that level, and with it the
//! question passes on to its children; it settles where a parent first allows it. A node that
//! settles anywhere but at its stored level offers the next level to its children, which may
//! thereby rise or sink.
//!
//! Only nodes that change, and their neighbours, are read: a subtree that moves without changing
//! its levels is not entered. The sweep must never be used to look for cycles: `reach.rs` and
//! `order.rs` do that. All it promises for a graph with one is to come to an end.

use super::lineage::{Budget, Kin, Lineage, LineageError};
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// The nodes whose level differs from the stored one, with the new level; `None` for those that are
/// no longer members.
pub type LevelChanges = BTreeMap<NodeId, Option<u32>>;

/// Says which levels differ after a batch of changes of any kind and number.
///
/// `changed` must hold every node that gained or lost a parent, every node that was added to the
/// hierarchy or taken out of it by name, every deleted node, and every node that gained its first
/// child or lost its last one, since that may make it a member or end its being one. Others do no
/// harm beyond being looked at.
///
/// `limit` bounds the reads and the neighbours read, and with them the memory. They are in
/// proportion to the changed nodes, those whose level changes, and the relationships of both.
///
/// # Errors
/// [`LineageError::LimitReached`], [`LineageError::Rootless`], or what the view fails with.
pub fn relevel<L: Lineage + ?Sized>(
    lineage: &L,
    changed: &RoaringTreemap,
    limit: u64,
) -> Result<LevelChanges, LineageError<L::Error>> {
    let mut sweep = Sweep {
        lineage,
        budget: Budget::new(limit),
        touched: HashMap::new(),
        waiting: BTreeMap::new(),
        changes: LevelChanges::new(),
    };
    for node in changed.iter().map(NodeId::new) {
        sweep.touch(node)?.next_look = Some(0);
        sweep.wait(0, Turn::Look(node));
    }
    while let Some((level, turns)) = sweep.waiting.pop_first() {
        for turn in turns {
            sweep.take(turn, level)?;
        }
    }
    sweep.finish()
}

/// After this many looks at the same node's parents, each of them is remembered instead. Otherwise
/// a node below many parents that come loose one after another would be read again for each.
const LOOKS_BEFORE_REMEMBERING: u8 = 3;

/// What waits for the sweep to come to a level.
#[derive(Clone, Copy)]
enum Turn {
    /// See whether a parent supports the node here, if this is still its next look.
    Look(NodeId),
    /// This parent may turn out to support the node here.
    Try { node: NodeId, parent: NodeId },
    /// A parent that settled one level above supports the node here.
    Settle(NodeId),
}

/// What the sweep knows of a node it has come to.
struct Touched {
    stored: Option<u32>,
    state: State,
    /// The level of the look that counts; those waiting at others are out of date.
    next_look: Option<u32>,
    looks: u8,
    has_offer: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// As stored, unless it turns out that nothing supports it or that it settles before.
    AsStored,
    /// Without a level: it is new, or nothing supports the stored one.
    Loose,
    /// This is its new level.
    Settled(Option<u32>),
}

/// A parent's level as far as the sweep can tell; `None` if it has none or none yet.
fn level_so_far(stored: Option<u32>, state: State) -> Option<u32> {
    match state {
        State::AsStored => stored,
        State::Loose => None,
        State::Settled(level) => level,
    }
}

struct Sweep<'a, L: Lineage + ?Sized> {
    lineage: &'a L,
    budget: Budget,
    touched: HashMap<NodeId, Touched>,
    /// What waits at each level; only levels beyond the one at hand are added to.
    waiting: BTreeMap<u32, Vec<Turn>>,
    changes: LevelChanges,
}

impl<L: Lineage + ?Sized> Sweep<'_, L> {
    fn touch(&mut self, node: NodeId) -> Result<&mut Touched, LineageError<L::Error>> {
        match self.touched.entry(node) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => {
                let stored = self.lineage.stored_level(node)?;
                let state = match stored {
                    Some(_) => State::AsStored,
                    None => State::Loose,
                };
                Ok(unknown.insert(Touched {
                    stored,
                    state,
                    next_look: None,
                    looks: 0,
                    has_offer: false,
                }))
            }
        }
    }

    fn wait(&mut self, level: u32, turn: Turn) {
        self.waiting.entry(level).or_default().push(turn);
    }

    /// The node's level if it were not to change any more. It does not keep nodes it only asks
    /// about, of which there can be many more than change.
    fn level_so_far(&self, node: NodeId) -> Result<Option<u32>, LineageError<L::Error>> {
        match self.touched.get(&node) {
            Some(known) => Ok(level_so_far(known.stored, known.state)),
            None => Ok(self.lineage.stored_level(node)?),
        }
    }

    fn take(&mut self, turn: Turn, level: u32) -> Result<(), LineageError<L::Error>> {
        match turn {
            Turn::Look(node) => self.look(node, level),
            Turn::Settle(node) => self.settle(node, level),
            Turn::Try { node, parent } => {
                let parents_level = self.level_so_far(parent)?;
                if parents_level.and_then(|above| above.checked_add(1)) == Some(level) {
                    self.settle(node, level)
                } else {
                    // Where the parent is now, it has made an offer itself or will.
                    Ok(())
                }
            }
        }
    }

    /// Settles the node here if it is a root or a parent supports it, and otherwise says when to
    /// look again.
    fn look(&mut self, node: NodeId, level: u32) -> Result<(), LineageError<L::Error>> {
        let known = self.touch(node)?;
        if matches!(known.state, State::Settled(_)) || known.next_look != Some(level) {
            return Ok(());
        }
        known.next_look = None;
        known.looks = known.looks.saturating_add(1);
        let remembers = known.looks > LOOKS_BEFORE_REMEMBERING;
        let (stored, state) = (known.stored, known.state);

        let mut nearest: Option<u32> = None;
        let mut has_parents = false;
        let mut parents = Kin::parents_of(node);
        while let Some(parent) = parents.next(self.lineage, &mut self.budget)? {
            has_parents = true;
            let Some(above) = self.level_so_far(parent)? else {
                continue; // it makes an offer when it settles
            };
            let Some(below) = above.checked_add(1) else {
                continue; // a stored level that no graph can have
            };
            if below == level {
                return self.settle(node, level);
            }
            if below > level {
                if remembers {
                    self.wait(below, Turn::Try { node, parent });
                } else if nearest.is_none_or(|least| below < least) {
                    nearest = Some(below);
                }
            }
        }
        if !has_parents {
            return self.settle_parentless(node);
        }

        let mut next = nearest;
        if state == State::AsStored
            && let Some(stored) = stored
        {
            if stored <= level {
                self.come_loose(node, level)?;
            } else if next.is_none_or(|next| stored < next) {
                next = Some(stored);
            }
        }
        if let Some(next) = next {
            self.look_at(node, next)?;
        }
        Ok(())
    }

    fn look_at(&mut self, node: NodeId, level: u32) -> Result<(), LineageError<L::Error>> {
        let known = self.touch(node)?;
        if known.next_look.is_none_or(|next| level < next) {
            known.next_look = Some(level);
            self.wait(level, Turn::Look(node));
        }
        Ok(())
    }

    /// A node without parents is a root if anything makes it a member.
    fn settle_parentless(&mut self, node: NodeId) -> Result<(), LineageError<L::Error>> {
        let is_member = self.lineage.is_named(node)?
            || Kin::children_of(node)
                .next(self.lineage, &mut self.budget)?
                .is_some();
        if is_member {
            return self.settle(node, 0);
        }
        let known = self.touch(node)?;
        known.state = State::Settled(None);
        if known.stored.is_some() {
            self.changes.insert(node, None);
        }
        Ok(())
    }

    /// Nothing supports the node at its stored level, which is the one at hand.
    fn come_loose(&mut self, node: NodeId, level: u32) -> Result<(), LineageError<L::Error>> {
        self.touch(node)?.state = State::Loose;
        let Some(below) = level.checked_add(1) else {
            return Ok(());
        };
        let mut children = Kin::children_of(node);
        while let Some(child) = children.next(self.lineage, &mut self.budget)? {
            // Only a child one level below may have been supported by this node.
            if self.level_so_far(child)? == Some(below) {
                self.look_at(child, below)?;
            }
        }
        Ok(())
    }

    fn settle(&mut self, node: NodeId, level: u32) -> Result<(), LineageError<L::Error>> {
        let known = self.touch(node)?;
        if matches!(known.state, State::Settled(_)) {
            return Ok(());
        }
        known.state = State::Settled(Some(level));
        if known.stored == Some(level) {
            return Ok(());
        }
        self.changes.insert(node, Some(level));
        let Some(below) = level.checked_add(1) else {
            return Ok(());
        };
        let mut children = Kin::children_of(node);
        while let Some(child) = children.next(self.lineage, &mut self.budget)? {
            if self.level_so_far(child)?.is_none_or(|now| now > below) {
                let child_known = self.touch(child)?;
                // The sweep goes up, so that no later offer can be better.
                if !child_known.has_offer {
                    child_known.has_offer = true;
                    self.wait(below, Turn::Settle(child));
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<LevelChanges, LineageError<L::Error>> {
        let loose = self.touched.iter();
        let rootless = loose.filter(|(_, known)| known.state == State::Loose);
        match rootless.map(|(&node, _)| node).min() {
            Some(node) => Err(LineageError::Rootless { node }),
            None => Ok(self.changes),
        }
    }
}

#[cfg(test)]
mod tests;
