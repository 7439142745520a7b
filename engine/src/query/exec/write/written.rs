//! Properties, labels and types as a statement writes them: from expressions to names and values.
//!
//! Next: `create.rs`.

use crate::graph::Entity;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::{Context, eval};
use crate::query::expr::{Expr, Span};
use crate::query::functions::operators::with_article;
use crate::query::graph_face::GraphFace;
use crate::query::plan::LabelOf;
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Properties by name; nulls are among them.
pub(super) type Properties = BTreeMap<Arc<str>, Value>;

/// Properties that an expression gives: a map, or those of a node or a relationship. Null is none.
pub(super) fn properties(
    context: &mut Context<'_>,
    expr: &Expr,
    row: &mut [Value],
) -> Result<Properties, Fault> {
    match eval(context, expr, row)? {
        Value::Null => Ok(Properties::new()),
        Value::Map(entries) => Ok(Arc::unwrap_or_clone(entries)),
        Value::Node(node) => of_entity(context, node.id().into(), expr.span),
        Value::Relationship(one) => of_entity(context, one.id().into(), expr.span),
        other => {
            let message = format!(
                "properties are given as a map, and this is {}",
                with_article(other.kind())
            );
            let hint =
                "write {name: value}, or name a node or a relationship whose properties are meant";
            let fault = raise(Detail::InvalidArgumentType, message);
            Err(fault.hint(hint).at(expr.span))
        }
    }
}

fn of_entity(context: &Context<'_>, entity: Entity, span: Span) -> Result<Properties, Fault> {
    let properties = context.graph.properties(entity);
    properties.map_err(|fault| fault.at(span))
}

/// The key that an expression gives.
pub(super) fn key(
    context: &mut Context<'_>,
    expr: &Expr,
    row: &mut [Value],
) -> Result<Arc<str>, Fault> {
    match eval(context, expr, row)? {
        Value::String(key) => Ok(key),
        other => {
            let message = format!(
                "a property is named by a string, and this is {}",
                with_article(other.kind())
            );
            Err(raise(Detail::InvalidArgumentType, message).at(expr.span))
        }
    }
}

/// Labels by name, each once, in the order in which they are written.
pub(super) fn labels(
    context: &mut Context<'_>,
    written: &[LabelOf],
    row: &mut [Value],
) -> Result<Vec<Arc<str>>, Fault> {
    let mut labels: Vec<Arc<str>> = Vec::with_capacity(written.len());
    let mut add = |label: &Arc<str>| {
        if !labels.contains(label) {
            labels.push(Arc::clone(label));
        }
    };
    for one in written {
        let expr = match one {
            LabelOf::Name(name) => {
                add(name);
                continue;
            }
            LabelOf::Dynamic(expr) => expr,
        };
        match eval(context, expr, row)? {
            Value::String(name) => add(&name),
            Value::List(names) => {
                for name in names.iter() {
                    match name {
                        Value::String(name) => add(name),
                        other => return Err(no_name("labels are", other, expr.span)),
                    }
                }
            }
            other => return Err(no_name("labels are", &other, expr.span)),
        }
    }
    Ok(labels)
}

/// A type by name. A list may name it too if it names only one.
pub(super) fn relationship_type(
    context: &mut Context<'_>,
    written: &LabelOf,
    row: &mut [Value],
) -> Result<Arc<str>, Fault> {
    let expr = match written {
        LabelOf::Name(name) => return Ok(Arc::clone(name)),
        LabelOf::Dynamic(expr) => expr,
    };
    match eval(context, expr, row)? {
        Value::String(name) => Ok(name),
        Value::List(names) => match &*names {
            [Value::String(name)] => Ok(Arc::clone(name)),
            [other] => Err(no_name("a type is", other, expr.span)),
            _ => {
                let message = format!(
                    "a relationship has one type, and this names {}",
                    names.len()
                );
                Err(raise(Detail::InvalidArgumentValue, message).at(expr.span))
            }
        },
        other => Err(no_name("a type is", &other, expr.span)),
    }
}

fn no_name(what: &str, value: &Value, span: Span) -> Fault {
    let message = format!(
        "{what} named by strings, and this is {}",
        with_article(value.kind())
    );
    raise(Detail::InvalidArgumentType, message).at(span)
}

/// The node or relationship that is to be changed; none for null.
pub(super) fn changed(value: &Value, span: Span) -> Result<Option<Entity>, Fault> {
    match value {
        Value::Null => Ok(None),
        Value::Node(node) => Ok(Some(node.id().into())),
        Value::Relationship(one) => Ok(Some(one.id().into())),
        other => {
            let kind = with_article(other.kind());
            let message =
                format!("only nodes and relationships can be changed, and this is {kind}");
            Err(raise(Detail::InvalidArgumentType, message).at(span))
        }
    }
}
