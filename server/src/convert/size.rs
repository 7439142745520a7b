//! About how many bytes values take in a message: looked at before anything is made of them.

use super::MAX_DEPTH;
use crate::failure::Failure;
use stratigraph::value::Value;
use stratigraph::{NodeValue, RelationshipValue};

/// What a small value takes with its tags and lengths.
const SMALL: usize = 12;
/// What a name takes beside its letters.
const NAME: usize = 4;

/// What a value under a name takes.
pub(crate) fn entry_bytes(name: &str, value: &Value) -> Result<usize, Failure> {
    entry(name, value, MAX_DEPTH)
}

fn sum<'v>(mut values: impl Iterator<Item = &'v Value>, depth: usize) -> Result<usize, Failure> {
    values.try_fold(0, |all, one| Ok(all + value(one, depth)?))
}

fn entries<'v>(
    mut entries: impl Iterator<Item = (&'v str, &'v Value)>,
    depth: usize,
) -> Result<usize, Failure> {
    entries.try_fold(0, |all, (name, value)| Ok(all + entry(name, value, depth)?))
}

fn entry(name: &str, of: &Value, depth: usize) -> Result<usize, Failure> {
    Ok(name.len() + NAME + value(of, depth)?)
}

fn value(of: &Value, depth: usize) -> Result<usize, Failure> {
    let inside = || super::deeper(depth);
    let more = match of {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Vector(vector) => 4 * vector.dimension(),
        Value::List(elements) => sum(elements.iter(), inside()?)?,
        Value::Map(map) => entries(map.iter().map(|(name, of)| (&**name, of)), inside()?)?,
        Value::Node(of) => node(of, inside()?)?,
        Value::Relationship(of) => relationship(of, inside()?)?,
        Value::Path(path) => {
            let deeper = super::deeper(inside()?)?;
            let nodes = path.nodes().iter().map(|of| node(of, deeper));
            let relationships = path.relationships().iter();
            let relationships = relationships.map(|of| relationship(of, deeper));
            nodes.chain(relationships).sum::<Result<usize, _>>()?
        }
        Value::DateTime(moment) => 2 * SMALL + moment.zone().map_or(0, |zone| zone.as_str().len()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
        // The times.
        _ => 2 * SMALL,
    };
    Ok(SMALL + more)
}

fn node(of: &NodeValue, depth: usize) -> Result<usize, Failure> {
    let labels: usize = of.labels().map(|label| label.len() + 2).sum();
    Ok(SMALL + labels + entries(of.properties(), depth)?)
}

fn relationship(of: &RelationshipValue, depth: usize) -> Result<usize, Failure> {
    let name = of.relationship_type().len();
    Ok(2 * SMALL + name + entries(of.properties(), depth)?)
}
