//! What steps, scores and decisions share: the query, the memory of the operator, and a row.
//!
//! Next: `stepping.rs`.

use crate::algo::traverse::ArrivalView;
use crate::query::error::Fault;
use crate::query::exec::context::Context;
use crate::query::exec::memory::Charge;
use crate::query::exec::stage::Site;
use crate::query::expr::Slot;
use crate::query::plan::Step;
use crate::value::{NodeId, NodeValue, RelationshipValue, Value};

/// What the parts of a traversal share.
pub(super) struct Shared<'s, 't> {
    pub(super) context: &'s mut Context<'t>,
    charge: &'s mut Charge,
    /// The row of the traversal, with the variables of its step.
    pub(super) row: Vec<Value>,
}

impl<'s, 't> Shared<'s, 't> {
    pub(super) fn new(site: &'s mut Site<'_, 't>, row: &[Value]) -> Self {
        Self {
            context: site.context,
            charge: site.charge,
            row: row.to_vec(),
        }
    }

    /// Charges what is kept until the rows were given.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), Fault> {
        self.charge.add(&mut self.context.memory, bytes)
    }

    /// Fills a slot.
    pub(super) fn set(&mut self, slot: Slot, value: impl Into<Value>) {
        if let Some(place) = self.row.get_mut(slot.at()) {
            *place = value.into();
        }
    }

    /// Fills a slot with a node.
    pub(super) fn set_node(&mut self, slot: Slot, node: NodeId) {
        self.set(slot, Value::Node(NodeValue::of(node)));
    }

    /// Fills the variables of the step but the last: roots, and what RECOVER looks at, have come no way.
    pub(super) fn set_way<P>(&mut self, step: &Step<P>, way: Option<ArrivalView<'_>>) {
        let Some(way) = way else {
            for slot in step.way() {
                self.set(slot, Value::Null);
            }
            return;
        };
        self.set_node(step.from, way.parent);
        let mut via = way.via.iter();
        for hop in &step.hops {
            let relationship = match via.next() {
                Some(passed) => {
                    self.set_node(hop.node, passed.node);
                    passed.relationship
                }
                None => way.relationship,
            };
            let relationship = RelationshipValue::of(relationship);
            self.set(hop.relationship, Value::Relationship(relationship));
        }
    }
}
