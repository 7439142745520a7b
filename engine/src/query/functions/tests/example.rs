//! Reads the examples of the tables: literals, and calls of functions within each other.
//!
//! It is no parser of the language; it goes no further than the examples do.

use super::{aggregate_function, call, function, outcome};
use crate::query::error::Fault;
use crate::value::Value;
use std::collections::BTreeMap;

/// The value of an example.
pub(super) fn value_of(text: &str) -> Result<Value, Fault> {
    let mut reader = Reader { rest: text };
    let value = reader.value();
    assert_eq!(reader.rest, "", "in {text}");
    value
}

/// The value of an example of an aggregate, over 1, 2 and 3.
pub(super) fn aggregate_of(text: &str) -> Result<Value, Fault> {
    let (name, rest) = text.split_once("(x").unwrap();
    let others = rest
        .strip_suffix(')')
        .unwrap()
        .trim_start_matches([',', ' ']);
    let others = if others.is_empty() {
        vec![]
    } else {
        vec![value_of(others)?]
    };
    run(name, &[1.into(), 2.into(), 3.into()], &others)
}

/// What an aggregate gives of a column, with further arguments, as it is printed.
pub(super) fn aggregated(name: &str, column: &[Value], others: &[Value]) -> String {
    outcome(run(name, column, others))
}

fn run(name: &str, column: &[Value], others: &[Value]) -> Result<Value, Fault> {
    let mut accumulator = (aggregate_function(name).unwrap().start)();
    for value in column {
        accumulator.add(&[std::slice::from_ref(value), others].concat())?;
    }
    accumulator.finish()
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    fn while_in(&mut self, takes: impl Fn(char) -> bool) -> &'a str {
        let end = self
            .rest
            .find(|letter| !takes(letter))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn value(&mut self) -> Result<Value, Fault> {
        if self.eat("[") {
            return Ok(Value::from(self.values("]")?));
        }
        if self.eat("{") {
            return self.map();
        }
        if let Some(rest) = self.rest.strip_prefix('\'') {
            let (text, rest) = rest.split_once('\'').unwrap();
            self.rest = rest.trim_start();
            return Ok(Value::from(text));
        }
        if self
            .rest
            .starts_with(|first: char| first.is_ascii_digit() || first == '-')
        {
            let number = self.while_in(|letter| letter.is_ascii_digit() || ".-e".contains(letter));
            let integer = number.parse::<i64>().map(Value::from);
            return Ok(integer.unwrap_or_else(|_| number.parse::<f64>().unwrap().into()));
        }
        match self.while_in(|letter| letter.is_alphanumeric() || "._".contains(letter)) {
            "null" => Ok(Value::Null),
            "true" => Ok(true.into()),
            "false" => Ok(false.into()),
            name => {
                assert!(self.eat("("), "{name} {}", self.rest);
                let arguments = self.values(")")?;
                call(
                    function(name).unwrap_or_else(|| panic!("{name}")),
                    &arguments,
                )
            }
        }
    }

    fn values(&mut self, end: &str) -> Result<Vec<Value>, Fault> {
        let mut values = Vec::new();
        while !self.eat(end) {
            values.push(self.value()?);
            self.eat(",");
        }
        Ok(values)
    }

    fn map(&mut self) -> Result<Value, Fault> {
        let mut entries = BTreeMap::new();
        while !self.eat("}") {
            let key = self.while_in(char::is_alphanumeric);
            assert!(self.eat(":"));
            entries.insert(key.into(), self.value()?);
            self.eat(",");
        }
        Ok(Value::map(entries)?)
    }
}
