//! A little evaluator for tables of tests: literals, maps, lists, calls of this module's functions,
//! components, `+ - * /` and brackets. No precedence: from left to right.
//!
//! It is not the evaluator of the language and must never become one.
//!
//! Next: back to `../tests.rs`.

use super::super::FUNCTIONS;
use crate::graph::Entity;
use crate::query::error::Fault;
use crate::query::functions::{Call, Moment, Moments, Random};
use crate::query::graph_face::GraphFace;
use crate::query::temporal::{arithmetic, component::component};
use crate::value::{NodeId, RelationshipId, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The moment that every query of the tests runs at: 2021-03-28T01:30:15.5Z.
pub(super) const STATEMENT: Moment = Moment {
    second: 1_616_895_015,
    nanosecond: 500_000_000,
};

/// The value of an expression, or the message of its error.
pub(super) fn evaluate(text: &str) -> Result<Value, String> {
    let mut little = Little { rest: text };
    let value = little.sum()?;
    match little.rest.trim() {
        "" => Ok(value),
        rest => Err(format!("not understood: {rest}")),
    }
}

struct Little<'a> {
    rest: &'a str,
}

impl<'a> Little<'a> {
    fn eat(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn taken(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|sign| !fits(sign)).unwrap_or(rest.len());
        let (taken, rest) = rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn sum(&mut self) -> Result<Value, String> {
        let mut left = self.value()?;
        loop {
            let run = if self.eat("+") {
                arithmetic::add
            } else if self.eat("-") {
                arithmetic::subtract
            } else if self.eat("*") {
                arithmetic::multiply
            } else if self.eat("/") {
                arithmetic::divide
            } else {
                return Ok(left);
            };
            let right = self.value()?;
            left = run(&left, &right).ok_or("not temporal")?.map_err(message)?;
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        let mut value = self.simple()?;
        while self.eat(".") {
            let name = self.taken(char::is_alphanumeric);
            value = component(&value, name).ok_or_else(|| format!("no component {name}"))?;
        }
        Ok(value)
    }

    fn simple(&mut self) -> Result<Value, String> {
        if self.eat("(") {
            let value = self.sum()?;
            return if self.eat(")") {
                Ok(value)
            } else {
                Err("no )".into())
            };
        }
        if self.eat("'") {
            let (text, rest) = self.rest.split_once('\'').ok_or("no end of text")?;
            self.rest = rest;
            return Ok(Value::from(text));
        }
        if self.eat("{") {
            let mut map = BTreeMap::new();
            while !self.eat("}") {
                let name = Arc::from(self.taken(char::is_alphanumeric));
                if !self.eat(":") {
                    return Err(format!("no : in {}", self.rest));
                }
                map.insert(name, self.sum()?);
                self.eat(",");
            }
            return Ok(Value::Map(map.into()));
        }
        let name = self.taken(|sign| sign.is_alphanumeric() || sign == '-' || sign == '.');
        if name == "null" {
            return Ok(Value::Null);
        }
        if let Ok(number) = name.parse::<i64>() {
            return Ok(Value::Int(number));
        }
        if let Ok(number) = name.parse::<f64>() {
            return Ok(Value::Float(number));
        }
        if !self.eat("(") {
            return Err(format!("not understood: {name}{}", self.rest));
        }
        let mut arguments = Vec::new();
        while !self.eat(")") {
            arguments.push(self.sum()?);
            self.eat(",");
        }
        call(name, &arguments)
    }
}

fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let mut all = FUNCTIONS.iter().copied().flatten();
    let function = all
        .find(|function| function.name == name)
        .ok_or(format!("no function {name}"))?;
    assert!(
        (function.required..=function.takes.len()).contains(&arguments.len()),
        "{name}"
    );
    if function.null_in_null_out && arguments.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let moments = Moments {
        transaction: Moment {
            second: STATEMENT.second - 60,
            ..STATEMENT
        },
        statement: STATEMENT,
        real: Box::new(|| Moment {
            second: STATEMENT.second + 60,
            ..STATEMENT
        }),
    };
    let call = Call {
        graph: &NoGraph,
        moments: &moments,
        random: &RefCell::new(Random::new(Some(1))),
    };
    (function.run)(&call, arguments).map_err(message)
}

fn message(fault: Fault) -> String {
    match fault {
        Fault::Raised(raised) => format!("{}: {}", raised.detail.name(), raised.message),
        Fault::Engine(error) => error.to_string(),
    }
}

/// No function of this module asks the graph.
struct NoGraph;

impl GraphFace for NoGraph {
    fn property(&self, _: Entity, _: &str) -> Result<Value, Fault> {
        unreachable!()
    }

    fn properties(&self, _: Entity) -> Result<BTreeMap<Arc<str>, Value>, Fault> {
        unreachable!()
    }

    fn labels(&self, _: NodeId) -> Result<Vec<Arc<str>>, Fault> {
        unreachable!()
    }

    fn has_label(&self, _: NodeId, _: &str) -> Result<bool, Fault> {
        unreachable!()
    }

    fn relationship_type(&self, _: RelationshipId) -> Result<Arc<str>, Fault> {
        unreachable!()
    }

    fn ends(&self, _: RelationshipId) -> Result<(NodeId, NodeId), Fault> {
        unreachable!()
    }
    fn level(&self, _: NodeId, _: &str) -> Result<Option<u32>, Fault> {
        unreachable!()
    }

    fn roots(&self, _: &str) -> Result<Vec<NodeId>, Fault> {
        unreachable!()
    }

    fn ancestors(&self, _: NodeId, _: &str) -> Result<Vec<NodeId>, Fault> {
        unreachable!()
    }
}
