//! What is drawn for transactions, which may do everything.

use super::super::Key;
use super::super::content::{OF_NODES, OF_RELATIONSHIPS, Properties};
use super::super::model::ANCHOR;
use super::super::names::Type;
use super::super::operation::{Operation, Refusal};
use super::{Artist, KEYS_PER_BATCH, MANY_NODES, MANY_RELATIONSHIPS};
use std::collections::BTreeSet;

impl Artist {
    /// A batch that goes in as a transaction.
    pub(super) fn transaction(&mut self) {
        self.sign();
        for _ in 0..self.rng.u8(2..10) {
            self.one();
        }
        if self.rng.u8(..6) == 0 {
            self.in_vain();
        }
    }

    /// What every transaction does: changes the anchor, and moves its marked link.
    fn sign(&mut self) {
        if self.graph.nodes.is_empty() {
            self.push(Operation::CreateNode {
                key: ANCHOR,
                tints: BTreeSet::new(),
                properties: Properties::new(),
            });
        }
        let changes = self.marks().map(|(name, content)| (name, Some(content)));
        self.push(Operation::SetOnNode {
            node: ANCHOR,
            changes: changes.into(),
        });
        // More than one after a bulk load, which can take none away.
        let marked = |key: &&Key| key.0.is_multiple_of(KEYS_PER_BATCH);
        let marked = self.graph.relationships.keys().filter(marked).copied();
        for relationship in marked.collect::<Vec<Key>>() {
            self.push(Operation::DeleteRelationship { relationship });
        }
        let target = self.node();
        self.mark_link(target);
    }

    /// One operation, or two that belong together.
    fn one(&mut self) {
        let nodes = self.graph.nodes.len();
        match self.rng.u8(..100) {
            0..16 if nodes < MANY_NODES => self.create_node(),
            0..20 => self.delete_node(),
            20..40 => self.link(),
            40..52 => {
                let node = self.node();
                let changes = self.changes(&OF_NODES);
                self.push(Operation::SetOnNode { node, changes });
            }
            52..54 => self.replace(),
            54..60 => {
                if let Some(relationship) = self.relationship() {
                    let changes = self.changes(&OF_RELATIONSHIPS);
                    self.push(Operation::SetOnRelationship {
                        relationship,
                        changes,
                    });
                }
            }
            60..67 => {
                let (node, tint) = (self.node(), self.tint());
                let on = !self.graph.nodes[&node].tints.contains(&tint);
                self.push(Operation::Tint { node, tint, on });
            }
            67..75 => {
                if let Some(relationship) = self.relationship() {
                    self.push(Operation::DeleteRelationship { relationship });
                }
            }
            75..85 => self.adopt(),
            85..92 => self.tag(),
            92..96 => {
                let node = self.node();
                let on = !self.graph.nodes[&node].named;
                self.push(Operation::Name { node, on });
            }
            _ => self.refused(),
        }
    }

    fn delete_node(&mut self) {
        let node = self.node();
        if node == ANCHOR {
            return;
        }
        let relationships = self.graph.relationships_of(node);
        if relationships == 0 && self.rng.bool() {
            self.push(Operation::DeleteNode { node });
        } else {
            self.push(Operation::DetachDelete {
                node,
                relationships,
            });
        }
    }

    /// A link more, or one less.
    fn link(&mut self) {
        if self.graph.relationships.len() >= MANY_RELATIONSHIPS {
            if let Some(relationship) = self.relationship() {
                self.push(Operation::DeleteRelationship { relationship });
            }
        } else {
            self.link_more();
        }
    }

    fn replace(&mut self) {
        let node = self.node();
        // The anchor has to keep its mark.
        if node != ANCHOR {
            let properties = self.properties(&OF_NODES);
            self.push(Operation::ReplaceOnNode { node, properties });
        }
    }

    /// Makes a node a part of another, with everything below it, wherever it was before.
    fn adopt(&mut self) {
        let (parent, child) = (self.node(), self.node());
        if self.graph.reaches(Type::Part, child, parent) {
            let of = Type::Part;
            self.push(Operation::Refused(Refusal::Cycle { of, parent, child }));
            return;
        }
        if let Some(relationship) = self.graph.relationship_to_parent(child) {
            let known = self.graph.relationships[&relationship].source;
            if known != parent && self.rng.u8(..4) == 0 {
                self.push(Operation::Refused(Refusal::SecondParent { parent, child }));
            }
            self.push(Operation::DeleteRelationship { relationship });
        }
        self.relate(Type::Part, parent, child);
    }

    fn tag(&mut self) {
        let (parent, child) = (self.node(), self.node());
        if self.graph.reaches(Type::Tag, child, parent) {
            let of = Type::Tag;
            self.push(Operation::Refused(Refusal::Cycle { of, parent, child }));
        } else {
            self.relate(Type::Tag, parent, child);
        }
    }

    fn refused(&mut self) {
        let node = self.node();
        let refusal = match self.rng.u8(..4) {
            0 => Refusal::TakenKey(node),
            1 => Refusal::WrongKind(node),
            2 => Refusal::WrongDimensions(node),
            _ if self.graph.relationships_of(node) > 0 => Refusal::Connected(node),
            _ => return,
        };
        self.push(Operation::Refused(refusal));
    }

    /// Some operations that are taken back.
    fn in_vain(&mut self) {
        let graph = self.graph.clone();
        self.push(Operation::Savepoint);
        for _ in 0..self.rng.u8(1..6) {
            self.one();
        }
        self.push(Operation::RollBack);
        self.graph = graph;
        // After the way back the transaction goes on.
        self.one();
    }
}
