//! What something of the graph says, as one text for who judges it.

use stratigraph::graph::Entity;
use stratigraph::{Read, Value};

use super::RetrieveError;

/// So many descriptions of one thing are read.
const MOST_TEXTS: usize = 16;

/// The headings or name of something, and what is said there or of it.
pub(super) fn said<R: Read>(read: &R, entity: Entity) -> Result<String, RetrieveError> {
    let mut said = String::new();
    let add = |said: &mut String, between: &str, text: &str| {
        if !text.is_empty() {
            if !said.is_empty() {
                said.push_str(between);
            }
            said.push_str(text);
        }
    };
    let texts = |value: Value| match value {
        Value::String(text) => vec![text.to_string()],
        Value::List(texts) => {
            let texts = texts.iter().filter_map(Value::as_str).take(MOST_TEXTS);
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    if let Entity::Relationship(id) = entity
        && let Some(fact) = read.relationship(id)?
    {
        for text in texts(read.property(fact.source(), "name")?) {
            add(&mut said, " ", &text);
        }
        for text in texts(read.property(id, "predicate")?) {
            add(&mut said, " ", &text);
        }
        for text in texts(read.property(fact.target(), "name")?) {
            add(&mut said, " ", &text);
        }
        for text in texts(read.property(id, "source")?) {
            add(&mut said, ": ", &text);
        }
        return Ok(said);
    }
    // A heading is the whole way to it, which has its title.
    let heads = ["heading", "title", "name"];
    for head in heads {
        if said.is_empty() {
            for text in texts(read.property(entity, head)?) {
                add(&mut said, "\n", &text);
            }
        }
    }
    for body in ["text", "summary", "descriptions"] {
        for text in texts(read.property(entity, body)?) {
            add(&mut said, "\n", &text);
        }
    }
    Ok(said)
}
