//! Entities and domains: made for the first chunk that names them, and gone with the last.
//!
//! What such a node says of itself (its name, its kind) is the smallest of what is said of it, in the order of
//! bytes: whoever comes or goes, all that are left decide it alike.

use std::collections::BTreeSet;

use stratigraph::{Direction, NodeId, Read, Value, WriteTxn};

use super::super::contribution::{Label, Link, LinkKind, NodeKey};
use super::super::property::text;
use super::super::schema::{DOMAINS, OBJECT_TAG, find};
use super::{Refusal, Work};

/// What a node says of itself, and is said of it under the same name.
const SAID: [&str; 2] = ["name", "kind"];

impl Work<'_> {
    /// Makes what is named for the first time.
    pub(super) fn make_shared(&mut self) -> Result<(), Refusal> {
        let added = self.added.clone();
        for (node, links) in Self::by_target(&added) {
            if let Some(id) = find(self.txn, node.label, &node.key)? {
                self.ids.insert(node.clone(), id);
                continue;
            }
            let mut properties: Vec<(&str, Value)> = vec![("key", node.key.as_str().into())];
            for name in SAID {
                if let Some(said) = smallest(&links, name) {
                    properties.push((name, said.into()));
                }
            }
            if node.label == Label::Entity {
                properties.push(("embedding", self.vector(&node.key)));
            }
            let id = self.txn.create_node([node.label.name()], properties)?;
            if node.label == Label::DomainTag {
                // Also one that is in no other and has none is a root.
                self.txn.add_member(DOMAINS, id)?;
            }
            self.ids.insert(node.clone(), id);
            self.counts.written += 1;
        }
        Ok(())
    }

    /// Takes away what nobody names any more, and lets the others say what is said of them.
    pub(super) fn settle_shared(&mut self) -> Result<(), Refusal> {
        let (removed, added) = (self.removed.clone(), self.added.clone());
        let (removed, added) = (Self::by_target(&removed), Self::by_target(&added));
        let touched: BTreeSet<&NodeKey> = removed.keys().chain(added.keys()).copied().collect();
        for node in touched {
            let id = self.id(node)?;
            let naming = match node.label {
                Label::DomainTag => LinkKind::Describes,
                _ => LinkKind::Mentions,
            };
            if !is_reached(self.txn, id, naming)? {
                self.txn.detach_delete_node(id)?;
                self.ids.remove(node);
                self.counts.deleted += 1;
                continue;
            }
            let none = Vec::new();
            let links = (
                removed.get(node).unwrap_or(&none).as_slice(),
                added.get(node).unwrap_or(&none).as_slice(),
            );
            let mut changed = false;
            for name in SAID {
                changed |= settle_said(self.txn, id, naming, name, links)?;
            }
            if node.label == Label::Entity {
                changed |= settle_label(self.txn, id)?;
            }
            self.counts.written += u64::from(changed);
        }
        Ok(())
    }
}

fn is_reached(txn: &WriteTxn, id: NodeId, kind: LinkKind) -> Result<bool, Refusal> {
    let mut links = txn.neighbours(id, Direction::Incoming, Some(kind.name()))?;
    Ok(links.next().transpose()?.is_some())
}

/// An entity is an object tag as long as a chain ends at it.
fn settle_label(txn: &mut WriteTxn, id: NodeId) -> Result<bool, Refusal> {
    let is_tag = is_reached(txn, id, LinkKind::HasTag)?;
    if txn.has_label(id, OBJECT_TAG)? == is_tag {
        return Ok(false);
    }
    match is_tag {
        true => txn.add_label(id, OBJECT_TAG)?,
        false => txn.remove_label(id, OBJECT_TAG)?,
    }
    Ok(true)
}

/// Lets a node say the smallest of what is said of it now; returns whether that is something else.
fn settle_said(
    txn: &mut WriteTxn,
    id: NodeId,
    naming: LinkKind,
    name: &str,
    (removed, added): (&[&Link], &[&Link]),
) -> Result<bool, Refusal> {
    let stored = txn.property(id, name)?;
    let stored = stored.as_str();
    let new = smallest(added, name);
    let is_taken_back = removed
        .iter()
        .any(|link| stored == Some(text(&link.properties, name)));
    let now = match (is_taken_back, new) {
        // Whatever the others say, none of them says less than what was the smallest of all.
        (_, Some(new)) if stored.is_some_and(|stored| new <= stored) => Some(new.to_owned()),
        // All who are left are asked, up to the first who says what was the smallest before.
        (true, _) => smallest_of_all(txn, id, naming, name, stored)?,
        (false, new) => [stored, new].into_iter().flatten().min().map(str::to_owned),
    };
    if now.as_deref() == stored {
        return Ok(false);
    }
    txn.set_property(id, name, now.map_or(Value::Null, Value::from))?;
    Ok(true)
}

fn smallest_of_all(
    txn: &WriteTxn,
    id: NodeId,
    naming: LinkKind,
    name: &str,
    before: Option<&str>,
) -> Result<Option<String>, Refusal> {
    let mut smallest: Option<String> = None;
    for link in txn.neighbours(id, Direction::Incoming, Some(naming.name()))? {
        let said = txn.property(link?.relationship, name)?;
        let Some(said) = said.as_str() else { continue };
        if Some(said) == before {
            return Ok(Some(said.to_owned()));
        }
        if smallest.as_deref().is_none_or(|known| said < known) {
            smallest = Some(said.to_owned());
        }
    }
    Ok(smallest)
}

/// The smallest of what links say under a name.
fn smallest<'a>(links: &[&'a Link], name: &str) -> Option<&'a str> {
    let said = links.iter().map(|link| text(&link.properties, name));
    said.filter(|said| !said.is_empty()).min()
}
