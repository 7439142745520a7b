//! A value as scenarios see it: compared by its labels, types and properties, never by identity.
//!
//! Both what a scenario expects and what the engine answers become a `Cell`, and two cells are equal
//! when their texts are. It must never know the engine's own values; `bound.rs` turns those into cells.
//!
//! Next: `value_text.rs`.

use std::collections::BTreeMap;
use std::fmt;

/// A value in a row.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Nothing known.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(String),
    /// What a scenario can only write as text in quotes: dates, times and durations.
    Quoted(String),
    /// What has no text in scenarios at all, in the engine's own words.
    Other(String),
    /// Values in a row.
    List(Vec<Cell>),
    /// Values under names.
    Map(Entries),
    /// A node.
    Node(NodeCell),
    /// A relationship.
    Relationship(RelationshipCell),
    /// A path.
    Path(PathCell),
}

/// Names and values, sorted by name.
pub type Entries = BTreeMap<String, Cell>;

/// A node as scenarios see it.
#[derive(Clone, Debug, Default)]
pub struct NodeCell {
    /// Its labels, in any order.
    pub labels: Vec<String>,
    /// Its properties.
    pub properties: Entries,
}

/// A relationship as scenarios see it.
#[derive(Clone, Debug, Default)]
pub struct RelationshipCell {
    /// Its type.
    pub relationship_type: String,
    /// Its properties.
    pub properties: Entries,
}

/// A path: where it starts, and the steps from there.
#[derive(Clone, Debug)]
pub struct PathCell {
    /// The first node.
    pub start: NodeCell,
    /// What follows it.
    pub steps: Vec<Step>,
}

/// One relationship of a path and the node it leads to.
#[derive(Clone, Debug)]
pub struct Step {
    /// The relationship.
    pub relationship: RelationshipCell,
    /// Whether the path follows its direction.
    pub forward: bool,
    /// The node behind it.
    pub node: NodeCell,
}

/// How the elements of lists are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOrder {
    /// Element by element.
    Kept,
    /// As bags.
    Ignored,
}

impl Cell {
    /// The text under which this cell equals others: the same for the same value, whatever the order
    /// of its labels, of its properties and, if asked, of the elements of its lists.
    pub fn text(&self, order: ListOrder) -> String {
        let mut text = String::new();
        self.write(&mut text, order);
        text
    }

    fn write(&self, out: &mut String, order: ListOrder) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => *out += if *value { "true" } else { "false" },
            Self::Int(value) => *out += &value.to_string(),
            Self::Float(value) => *out += &float_text(*value),
            Self::Text(text) | Self::Quoted(text) => write_quoted(out, text),
            Self::Other(text) => *out += text,
            Self::List(elements) => {
                let mut texts: Vec<String> =
                    elements.iter().map(|element| element.text(order)).collect();
                if order == ListOrder::Ignored {
                    texts.sort();
                }
                *out += "[";
                *out += &texts.join(", ");
                *out += "]";
            }
            Self::Map(entries) => write_entries(out, entries, order),
            Self::Node(node) => write_node(out, node, order),
            Self::Relationship(relationship) => write_relationship(out, relationship, order),
            Self::Path(path) => {
                *out += "<";
                write_node(out, &path.start, order);
                for step in &path.steps {
                    *out += if step.forward { "-" } else { "<-" };
                    write_relationship(out, &step.relationship, order);
                    *out += if step.forward { "->" } else { "-" };
                    write_node(out, &step.node, order);
                }
                *out += ">";
            }
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(ListOrder::Kept))
    }
}

/// A float always has a point, an exponent or a name, so that it is never the text of an integer.
fn float_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Inf" } else { "-Inf" }.to_owned()
    } else if value == 0.0 {
        // Scenarios do not tell the two zeros apart.
        "0.0".to_owned()
    } else {
        format!("{value:?}")
    }
}

fn write_quoted(out: &mut String, text: &str) {
    out.push('\'');
    for letter in text.chars() {
        match letter {
            '\'' => *out += "\\'",
            '\\' => *out += "\\\\",
            '\n' => *out += "\\n",
            '\r' => *out += "\\r",
            '\t' => *out += "\\t",
            other => out.push(other),
        }
    }
    out.push('\'');
}

/// A name as it is, or in backticks if a reader could not tell where it ends.
pub fn name_text(name: &str) -> String {
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_');
    if plain {
        name.to_owned()
    } else {
        format!("`{}`", name.replace('`', "``"))
    }
}

fn write_entries(out: &mut String, entries: &Entries, order: ListOrder) {
    out.push('{');
    for (index, (name, value)) in entries.iter().enumerate() {
        if index > 0 {
            *out += ", ";
        }
        *out += &name_text(name);
        *out += ": ";
        value.write(out, order);
    }
    out.push('}');
}

fn write_node(out: &mut String, node: &NodeCell, order: ListOrder) {
    let mut labels: Vec<String> = node.labels.iter().map(|label| name_text(label)).collect();
    labels.sort();
    out.push('(');
    for label in &labels {
        out.push(':');
        *out += label;
    }
    if !node.properties.is_empty() {
        if !labels.is_empty() {
            out.push(' ');
        }
        write_entries(out, &node.properties, order);
    }
    out.push(')');
}

fn write_relationship(out: &mut String, relationship: &RelationshipCell, order: ListOrder) {
    *out += "[:";
    *out += &name_text(&relationship.relationship_type);
    if !relationship.properties.is_empty() {
        out.push(' ');
        write_entries(out, &relationship.properties, order);
    }
    out.push(']');
}
