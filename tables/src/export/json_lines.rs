//! JSON lines: those of a dump (docs/dump-format.md) without header, names and end, so that parts can be taken out,
//! filtered and put together.

use super::{Counted, Export, ExportError};
use std::fmt::Write as _;
use stratigraph::Value;
use stratigraph::value::json::to_json;

/// Writes all of it.
///
/// # Errors
/// Damage; what keeps it from being written.
pub(super) fn write(export: &mut Export<'_, '_>, out: &mut Counted<'_>) -> Result<(), ExportError> {
    export.declarations(out)?;
    let mut line = String::new();
    let mut nodes = 0;
    export.each_node("export nodes", |node| {
        nodes += 1;
        line.clear();
        // Writing to a string cannot fail.
        let _ = write!(line, "{{\"node\":{},\"labels\":[", node.id());
        let mut labels: Vec<&str> = node.labels().collect();
        labels.sort_unstable();
        for (place, label) in labels.into_iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let _ = write!(line, "{comma}{}", quoted(label));
        }
        line.push_str("],");
        properties(&mut line, node.properties());
        out.line(&line)
    })?;
    let mut relationships = 0;
    export.each_relationship("export relationships", |one| {
        relationships += 1;
        line.clear();
        let _ = write!(
            line,
            "{{\"relationship\":{},\"type\":{},\"from\":{},\"to\":{},",
            one.id(),
            quoted(one.relationship_type()),
            one.source(),
            one.target(),
        );
        properties(&mut line, one.properties());
        out.line(&line)
    })?;
    export.members(out)?;
    export.done.nodes = nodes;
    export.done.relationships = relationships;
    Ok(())
}

fn properties<'a>(line: &mut String, properties: impl Iterator<Item = (&'a str, &'a Value)>) {
    line.push_str("\"properties\":{");
    // By name, as a dump has them: the order of first use says nothing.
    let mut properties: Vec<_> = properties.collect();
    properties.sort_unstable_by_key(|(name, _)| *name);
    for (place, (name, value)) in properties.into_iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let _ = write!(line, "{comma}{}:{}", quoted(name), to_json(value));
    }
    line.push_str("}}");
}

fn quoted(text: &str) -> serde_json::Value {
    text.into()
}
