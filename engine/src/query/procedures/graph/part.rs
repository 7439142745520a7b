//! The part of the graph that an algorithm works on, and what that may take.
//!
//! Next: `refusal.rs`.

use crate::algo::Projection;
use crate::algo::snapshot::Selection;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::Context;
use crate::query::functions::operators::with_article;
use crate::query::procedures::settings::Settings;
use crate::storage::cancel::Watch;
use crate::value::{NodeId, NodeValue, Value};
use roaring::RoaringTreemap;
use std::sync::Arc;

/// Which nodes an algorithm works on.
pub(super) enum Chosen {
    All,
    Labels(Vec<String>),
    Listed(RoaringTreemap),
}

impl Chosen {
    /// What the first argument says.
    pub(super) fn of(procedure: &'static str, value: &Value) -> Result<Self, Fault> {
        match value {
            Value::Null => Ok(Self::All),
            Value::Map(_) => {
                let labels = Settings::of(procedure, value, &["labels"]);
                let labels = labels.map_err(|fault| {
                    fault.hint(
                        "the first argument names nodes: a list of them, or {labels: [...]}; settings are the second",
                    )
                })?;
                let labels = labels.texts("labels")?;
                Ok(match labels.is_empty() {
                    true => Self::All,
                    false => Self::Labels(labels),
                })
            }
            Value::List(nodes) => {
                let mut listed = RoaringTreemap::new();
                for one in nodes.iter().filter(|one| !one.is_null()) {
                    let Value::Node(node) = one else {
                        return Err(no_nodes(procedure, one));
                    };
                    listed.insert(node.id().get());
                }
                Ok(Self::Listed(listed))
            }
            other => Err(no_nodes(procedure, other)),
        }
    }

    fn select(self) -> Selection {
        match self {
            Self::All => Selection::all(),
            Self::Labels(labels) => labels.into_iter().fold(Selection::all(), Selection::label),
            Self::Listed(nodes) => Selection::all().nodes(nodes),
        }
    }
}

fn no_nodes(procedure: &str, value: &Value) -> Fault {
    let kind = with_article(value.kind());
    let message = format!("{procedure} works on a list of nodes, and this is {kind}");
    let hint = "give a list of nodes, {labels: [...]}, or null for all nodes";
    raise(Detail::InvalidArgumentType, message).hint(hint)
}

/// A part of the graph for one call of an algorithm. What it holds is charged until [`finish`](Self::finish).
pub(super) struct Part {
    pub(super) graph: Arc<Projection>,
    /// What the query held before.
    before: usize,
}

impl Part {
    /// The nodes that the first argument names, and the relationships that the settings name; `adjust` adds what the
    /// algorithm needs of them.
    pub(super) fn project(
        context: &mut Context<'_>,
        chosen: Chosen,
        settings: &Settings<'_>,
        adjust: impl FnOnce(Selection) -> Selection,
    ) -> Result<Self, Fault> {
        let mut selection = chosen.select();
        for of in settings.texts("types")? {
            selection = selection.relationship_type(of);
        }
        if let Some(property) = settings.text("weight")? {
            selection = selection.weight(property);
        }
        let before = context.memory.used();
        let selection = adjust(selection).max_bytes(context.memory.left() as u64);
        let graph = context.watched(|graph, watch| graph.project(&selection, watch))?;
        let bytes = usize::try_from(graph.bytes()).unwrap_or(usize::MAX);
        context.memory.charge(bytes)?;
        Ok(Self { graph, before })
    }

    /// Runs an algorithm that takes about so many bytes for each node and for each relationship.
    pub(super) fn run<T, E: Into<Fault>>(
        &self,
        context: &mut Context<'_>,
        (per_node, per_relationship): (usize, usize),
        algorithm: impl FnOnce(&Projection, &mut Watch<'_>) -> Result<T, E>,
    ) -> Result<T, Fault> {
        let relationships = usize::try_from(self.graph.relationship_count()).unwrap_or(usize::MAX);
        let nodes = self.graph.len().saturating_mul(per_node);
        let bytes = nodes.saturating_add(relationships.saturating_mul(per_relationship));
        context.memory.charge(bytes)?;
        let done = context.watched(|_, watch| algorithm(&self.graph, watch))?;
        context.memory.release(bytes);
        Ok(done)
    }

    /// A row for each node, in the order of their ids.
    pub(super) fn rows<const COLUMNS: usize>(
        &self,
        context: &mut Context<'_>,
        of: impl Fn(usize) -> [Value; COLUMNS],
    ) -> Result<Vec<Vec<Value>>, Fault> {
        expect_rows(context, self.graph.len(), COLUMNS + 1)?;
        let nodes = self.graph.nodes().iter().enumerate();
        let row = |(place, node): (usize, &NodeId)| {
            let mut row = Vec::with_capacity(COLUMNS + 1);
            row.push(Value::from(NodeValue::of(*node)));
            row.extend(of(place));
            row
        };
        Ok(nodes.map(row).collect())
    }

    /// Gives the memory back; whoever calls the procedure charges its rows.
    pub(super) fn finish(self, context: &mut Context<'_>) {
        context.memory.reset(self.before);
    }
}

/// Charges so many rows before they are made.
pub(super) fn expect_rows(
    context: &mut Context<'_>,
    rows: usize,
    columns: usize,
) -> Result<(), Fault> {
    let row = size_of::<Vec<Value>>() + columns * size_of::<Value>();
    context.memory.charge(rows.saturating_mul(row))
}
