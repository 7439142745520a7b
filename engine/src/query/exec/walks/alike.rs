//! Who has the same value of a property as whom, for nodes that must differ in it.
//!
//! Next: `whole.rs`.

use super::column;
use crate::algo::Projection;
use crate::algo::walks::{Class, Classes};
use crate::query::error::Fault;
use crate::query::exec::kind::Kind;
use crate::query::exec::stage::Site;
use crate::value::{Grouped, NodeId, Value};
use std::collections::HashMap;

/// Values, and the number of each.
#[derive(Default)]
pub(super) struct Alike {
    numbers: HashMap<Grouped, u32>,
}

impl Alike {
    /// The class of those with a value; none if equality is more than one class.
    pub(super) fn class(
        &mut self,
        value: &Value,
        site: &mut Site<'_, '_>,
    ) -> Result<Option<Class>, Fault> {
        let number = || {
            let next = self.numbers.len() as u32;
            let value = Grouped(value.clone());
            if let Some(number) = self.numbers.get(&value) {
                return Ok(*number);
            }
            let bytes = value.0.held_bytes() + 2 * size_of::<Value>();
            site.context.memory.charge(bytes)?;
            self.numbers.insert(value, next);
            Ok(next)
        };
        class_of(value, number)
    }
}

/// The class of those with a value, with a number if it needs one; none if equality is more than one class.
fn class_of(
    value: &Value,
    number: impl FnOnce() -> Result<u32, Fault>,
) -> Result<Option<Class>, Fault> {
    Ok(match value {
        Value::Null => Some(Class::Unknown),
        Value::Float(float) if float.is_nan() => Some(Class::LikeNobody),
        // Whether two of them are equal may depend on what is unknown within.
        Value::List(_) | Value::Map(_) => None,
        _ => Some(Class::Number(number()?)),
    })
}

/// The classes of all nodes of a projection by a property; none if it has to be asked row by row.
pub(super) fn of_all(
    key: &str,
    nodes: &Projection,
    site: &mut Site<'_, '_>,
) -> Result<Option<Classes>, Fault> {
    let Some(column) = column(Kind::Nodes, &None, key, site)? else {
        return Ok(None);
    };
    site.context
        .memory
        .charge(column.bytes() + Classes::bytes(nodes.len()))?;
    let mut alike = Alike::default();
    let mut by_code = Vec::with_capacity(column.values().len());
    for (code, value) in (0_u32..).zip(column.values()) {
        let class = match column.may_be_equal() {
            true => alike.class(value, site)?,
            // Each has a code of its own.
            false => class_of(value, || Ok(code))?,
        };
        let Some(class) = class else {
            return Ok(None);
        };
        by_code.push(class);
    }
    let class = |node: &NodeId| {
        let code = column.code(node.get());
        let class = code.and_then(|code| by_code.get(code as usize)).copied();
        class.unwrap_or(Class::Unknown)
    };
    Ok(Some(Classes::new(nodes.nodes().iter().map(class))))
}
