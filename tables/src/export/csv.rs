//! CSV: `nodes.csv` and `relationships.csv` with headers as `header.rs` reads them, and `schema.jsonl`
//! with what CSV has no columns for.
//!
//! What type a column has shows only when all values were seen, so everything is read twice. Values of several types
//! make a column of the type `any`, which is JSON.

use super::{Counted, Export, ExportError};
use crate::csv_field::quoted;
use crate::kind::Kind;
use crate::place::excerpt;
use std::collections::BTreeMap;
use stratigraph::catalog::Counter;
use stratigraph::{Read, Value};

pub(super) const NODES: &str = "nodes.csv";
pub(super) const RELATIONSHIPS: &str = "relationships.csv";
/// What CSV has no columns for.
pub(super) const SCHEMA: &str = "schema.jsonl";

/// The columns of properties, by name: none yet where only empty lists were seen.
type Columns = BTreeMap<String, Option<Kind>>;

/// Writes the files.
///
/// # Errors
/// Damage; a label that holds the delimiter; what keeps them from being written.
pub(super) fn write(
    export: &mut Export<'_, '_>,
    out: &mut Counted<'_>,
    array: char,
) -> Result<(), ExportError> {
    for (id, label) in export.read.catalog().labels.iter() {
        let awkward = label.contains(array) || label.trim() != &**label;
        // A name stays known when nothing has it any more.
        if awkward && export.read.count(Counter::Label(id))? > 0 {
            return Err(ExportError::NoForm {
                what: format!("the label {:?}", excerpt(label)),
                reason: format!(
                    "labels stand in one field with `{array}` between them; --array-delimiter takes another \
                     character, and JSON lines take all"
                ),
            });
        }
    }
    export.total *= 2;
    let (mut of_nodes, mut of_relationships) = (Columns::new(), Columns::new());
    export.each_node("find the types of columns", |node| {
        see(&mut of_nodes, node.properties(), array);
        Ok(())
    })?;
    export.each_relationship("find the types of columns", |one| {
        see(&mut of_relationships, one.properties(), array);
        Ok(())
    })?;
    let mut done = 0;
    out.out.file(NODES)?;
    out.line(&header(":ID,:LABEL", &of_nodes))?;
    export.each_node("export nodes", |node| {
        done += 1;
        let mut labels: Vec<&str> = node.labels().collect();
        labels.sort_unstable();
        out.text(&format!("{},", node.id()))?;
        // No labels at all are no text.
        if !labels.is_empty() {
            out.text(&quoted(&labels.join(&array.to_string())))?;
        }
        for (name, kind) in &of_nodes {
            out.text(",")?;
            out.text(&field(node.get(name), *kind, array))?;
        }
        out.text("\n")
    })?;
    export.done.nodes = std::mem::take(&mut done);
    out.out.file(RELATIONSHIPS)?;
    out.line(&header(":START_ID,:END_ID,:TYPE", &of_relationships))?;
    export.each_relationship("export relationships", |one| {
        done += 1;
        let of = quoted(one.relationship_type());
        out.text(&format!("{},{},{of}", one.source(), one.target()))?;
        for (name, kind) in &of_relationships {
            out.text(",")?;
            out.text(&field(one.get(name), *kind, array))?;
        }
        out.text("\n")
    })?;
    export.done.relationships = done;
    out.out.file(SCHEMA)?;
    export.declarations(out)?;
    export.members(out)
}

fn see<'a>(
    columns: &mut Columns,
    properties: impl Iterator<Item = (&'a str, &'a Value)>,
    array: char,
) {
    for (name, value) in properties {
        let kind = Kind::of(value, array);
        match columns.get_mut(name) {
            None => {
                columns.insert(name.to_owned(), kind);
            }
            Some(known) => *known = both(*known, kind),
        }
    }
}

/// The type that holds values of both; an empty list is one of any list.
fn both(one: Option<Kind>, other: Option<Kind>) -> Option<Kind> {
    match (one, other) {
        (one, other) if one == other => one,
        (None, Some(list @ Kind::List(_))) | (Some(list @ Kind::List(_)), None) => Some(list),
        _ => Some(Kind::Any),
    }
}

fn header(first: &str, columns: &Columns) -> String {
    let mut header = first.to_owned();
    for (name, kind) in columns {
        header.push(',');
        header.push_str(&quoted(&format!("{name}:{}", type_of(*kind).name())));
    }
    header
}

/// Where there are only empty lists, they have no type.
fn type_of(kind: Option<Kind>) -> Kind {
    kind.unwrap_or(Kind::Any)
}

fn field(value: Option<&Value>, kind: Option<Kind>, array: char) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(value) => quoted(&type_of(kind).write(value, array)).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Simple;

    #[test]
    fn columns_take_the_type_of_all_values() {
        let (text, int) = (
            Some(Kind::One(Simple::String)),
            Some(Kind::One(Simple::Int)),
        );
        let list = Some(Kind::List(Simple::Int));
        assert_eq!(both(text, text), text);
        assert_eq!(both(text, int), Some(Kind::Any));
        assert_eq!(both(None, list), list);
        assert_eq!(both(list, None), list);
        assert_eq!(both(None, int), Some(Kind::Any));
        assert_eq!(both(None, None), None);
    }
}
