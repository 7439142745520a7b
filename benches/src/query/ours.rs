//! Our side of a case: one prepared statement in one thread of this process.

use anyhow::{Context, Result};
use serde_json::Value as Json;
use std::time::{Duration, Instant};
use stratigraph::{Database, Parameters, Prepared, QueryOptions, Value, Vector};

/// A statement and what it is asked with.
pub(super) struct Ours {
    prepared: Prepared,
    parameters: Vec<Parameters>,
}

impl Ours {
    pub(super) fn new(db: &Database, text: &str, parameters: &[Json]) -> Result<Self> {
        Ok(Self {
            // As the peer: what is long would be shared out otherwise.
            prepared: db.prepare_with(text, &QueryOptions::new().threads(1))?,
            parameters: self::parameters(parameters)?,
        })
    }

    /// Asks with all parameters; how long it took, and the rows of each.
    pub(super) fn run(&self) -> Result<(Duration, Vec<Vec<Vec<Value>>>)> {
        let mut all = Vec::with_capacity(self.parameters.len());
        let begun = Instant::now();
        for parameters in &self.parameters {
            let rows = self.prepared.query(parameters.clone())?;
            let rows = rows.map(|row| Ok(row?.into_values()));
            all.push(rows.collect::<Result<_>>()?);
        }
        Ok((begun.elapsed(), all))
    }
}

/// What a statement is asked with, one time after the other.
pub(super) fn parameters(asked: &[Json]) -> Result<Vec<Parameters>> {
    asked.iter().map(read).collect()
}

/// Lists of numbers are vectors.
fn read(fields: &Json) -> Result<Parameters> {
    let mut parameters = Parameters::new();
    for (name, value) in fields.as_object().context("not an object")? {
        let value = match value {
            Json::Array(parts) => {
                let parts: Option<Vec<f32>> = parts
                    .iter()
                    .map(|part| part.as_f64().map(|part| part as f32))
                    .collect();
                Value::from(Vector::new(parts.context("not numbers")?)?)
            }
            Json::Number(number) => match number.as_i64() {
                Some(whole) => Value::from(whole),
                None => Value::from(number.as_f64().context("not a number")?),
            },
            _ => anyhow::bail!("{name} is neither a number nor a vector"),
        };
        parameters.insert(name.as_str(), value);
    }
    Ok(parameters)
}

/// Rows in an order of their own, as the peer's are brought into.
pub(super) fn comparable(rows: &[Vec<Value>]) -> Result<Vec<String>> {
    let mut lines = rows
        .iter()
        .map(|row| {
            let row: Result<Vec<Json>> = row.iter().map(plain).collect();
            Ok(Json::from(row?).to_string())
        })
        .collect::<Result<Vec<_>>>()?;
    lines.sort_unstable();
    Ok(lines)
}

fn plain(value: &Value) -> Result<Json> {
    Ok(match value {
        Value::Int(number) => Json::from(*number),
        Value::String(text) => Json::from(&**text),
        Value::Null => Json::Null,
        other => anyhow::bail!("{other:?} is not compared"),
    })
}
