//! Clauses that write: what waits before them, and the expressions in what they write.
//!
//! Next: `matching.rs`.

use super::barrier::Flow;
use super::{
    BoundClause, BoundMerge, BoundQuery, CreateItem, LabelOf, Merge, Op, Planner, RemoveItem,
    SetItem,
};
use crate::query::expr::{Expr, Slot};

impl Planner<'_> {
    /// `CREATE`, and the paths that it names.
    pub(super) fn create(&self, items: Vec<CreateItem>, paths: Vec<(Slot, Expr)>, flow: &mut Flow) {
        let items = self.created(items);
        let fills = created_slots(&items);
        let exprs = created_exprs(&items);
        flow.before_writing(exprs.iter().any(|expr| expr.reads_graph()));
        drop(exprs);
        flow.push(Op::Create(items));
        flow.fill(&fills);
        self.paths(paths, flow);
    }

    /// `MERGE`.
    pub(super) fn merge(&self, merge: BoundMerge, flow: &mut Flow) {
        flow.before_writing(true);
        let ops = self.matching(merge.pattern).into();
        let create = self.created(merge.create);
        let fills = created_slots(&create);
        flow.push(Op::Merge(Box::new(Merge {
            ops,
            create,
            on_create: self.set_items(merge.on_create),
            on_match: self.set_items(merge.on_match),
        })));
        flow.fill(&fills);
        self.paths(merge.paths, flow);
    }

    /// `FOREACH`.
    pub(super) fn foreach(
        &self,
        list: Expr,
        into: Slot,
        clauses: Vec<BoundClause>,
        flow: &mut Flow,
    ) {
        flow.before_writing(true);
        let list = self.expr(list);
        let mut inner = Flow::default();
        for clause in clauses {
            self.clause(clause, &mut inner);
        }
        let ops = inner.finish().into();
        flow.push(Op::Foreach { list, into, ops });
    }

    fn created(&self, items: Vec<CreateItem>) -> Vec<CreateItem> {
        let planned = items.into_iter().map(|item| match item {
            CreateItem::Node {
                into,
                labels,
                properties,
                span,
            } => CreateItem::Node {
                into,
                labels: self.labels_of(labels),
                properties: properties.map(|properties| self.expr(properties)),
                span,
            },
            CreateItem::Relationship {
                into,
                from,
                to,
                relationship_type,
                properties,
                span,
            } => CreateItem::Relationship {
                into,
                from,
                to,
                relationship_type: self.label_of(relationship_type),
                properties: properties.map(|properties| self.expr(properties)),
                span,
            },
        });
        planned.collect()
    }

    fn labels_of(&self, labels: Vec<LabelOf>) -> Vec<LabelOf> {
        labels
            .into_iter()
            .map(|label| self.label_of(label))
            .collect()
    }

    fn label_of(&self, label: LabelOf) -> LabelOf {
        match label {
            LabelOf::Name(name) => LabelOf::Name(name),
            LabelOf::Dynamic(of) => LabelOf::Dynamic(self.expr(of)),
        }
    }

    pub(super) fn set_items(&self, items: Vec<SetItem>) -> Vec<SetItem> {
        let planned = items.into_iter().map(|item| match item {
            SetItem::Property { of, key, value } => SetItem::Property {
                of: self.expr(of),
                key: self.expr(key),
                value: self.expr(value),
            },
            SetItem::Replace { of, value, span } => SetItem::Replace {
                of,
                value: self.expr(value),
                span,
            },
            SetItem::Add { of, value, span } => SetItem::Add {
                of,
                value: self.expr(value),
                span,
            },
            SetItem::Labels { of, labels, span } => SetItem::Labels {
                of,
                labels: self.labels_of(labels),
                span,
            },
        });
        planned.collect()
    }

    pub(super) fn remove_items(&self, items: Vec<RemoveItem>) -> Vec<RemoveItem> {
        let planned = items.into_iter().map(|item| match item {
            RemoveItem::Property { of, key } => RemoveItem::Property {
                of: self.expr(of),
                key: self.expr(key),
            },
            RemoveItem::Labels { of, labels, span } => RemoveItem::Labels {
                of,
                labels: self.labels_of(labels),
                span,
            },
        });
        planned.collect()
    }
}

/// The slots that are filled by creating.
fn created_slots(items: &[CreateItem]) -> Vec<Slot> {
    let slots = items.iter().map(|item| match item {
        CreateItem::Node { into, .. } | CreateItem::Relationship { into, .. } => *into,
    });
    slots.collect()
}

fn created_exprs(items: &[CreateItem]) -> Vec<&Expr> {
    let mut exprs = Vec::new();
    for item in items {
        let (labels, properties) = match item {
            CreateItem::Node {
                labels, properties, ..
            } => (labels.as_slice(), properties),
            CreateItem::Relationship {
                relationship_type,
                properties,
                ..
            } => (std::slice::from_ref(relationship_type), properties),
        };
        exprs.extend(properties);
        for label in labels {
            if let LabelOf::Dynamic(of) = label {
                exprs.push(of);
            }
        }
    }
    exprs
}

/// Whether a query changes the graph.
pub(super) fn writes(query: &BoundQuery) -> bool {
    let mut clauses = query.arms.iter().flat_map(|arm| &arm.clauses);
    clauses.any(|clause| match clause {
        BoundClause::Create { .. }
        | BoundClause::Merge(_)
        | BoundClause::Set(_)
        | BoundClause::Remove(_)
        | BoundClause::Delete { .. }
        | BoundClause::Foreach { .. } => true,
        BoundClause::Subquery(subquery) => writes(&subquery.query),
        BoundClause::Call { call, .. } => call.procedure.writes(),
        BoundClause::Match(_)
        | BoundClause::Unwind { .. }
        | BoundClause::Project(_)
        | BoundClause::Finish => false,
    })
}
