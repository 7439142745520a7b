//! A script of statements that makes the graph anew: `stratigraph query NEW --create -f FILE`.
//!
//! Nodes get a label and a number for as long as the script runs, by which relationships find their ends. Statements
//! are of a size that any database takes, and each is a transaction of its own.

use super::{Counted, Export, ExportError, schema};
use crate::place::excerpt;
use stratigraph::query::quoted_name;
use stratigraph::{Read, Value};

/// So many nodes or relationships are made by one statement.
const PER_STATEMENT: usize = 500;
/// A statement also ends where its text is so long.
const STATEMENT_BYTES: usize = 1 << 20;

/// Writes all of it.
///
/// # Errors
/// Damage; a value for which there is no literal; what keeps it from being written.
pub(super) fn write(export: &mut Export<'_, '_>, out: &mut Counted<'_>) -> Result<(), ExportError> {
    let mark = quoted_name(&free_name(export));
    out.line("// A graph as statements of StratQL: stratigraph query NEW --create -f THIS")?;
    out.line(&format!(
        "CREATE INDEX {mark} FOR (n:{mark}) ON (n.{mark});"
    ))?;
    let mut nodes = 0;
    let mut batch = Batch::default();
    export.each_node("export nodes", |node| {
        nodes += 1;
        let labels: String = node
            .labels()
            .map(|label| format!(":{}", quoted_name(label)))
            .collect();
        let what = || format!("node {}", node.id());
        let row = format!(
            "{{id: {}, of: {}}}",
            node.id(),
            map(node.properties(), what)?
        );
        if let Some((labels, rows)) = batch.add(labels, &row) {
            out.line(&create_nodes(&mark, &labels, &rows))?;
        }
        Ok(())
    })?;
    if let Some((labels, rows)) = batch.take() {
        out.line(&create_nodes(&mark, &labels, &rows))?;
    }
    let mut relationships = 0;
    let mut batch = Batch::default();
    export.each_relationship("export relationships", |one| {
        relationships += 1;
        let what = || format!("relationship {}", one.id());
        let row = format!(
            "{{a: {}, b: {}, of: {}}}",
            one.source(),
            one.target(),
            map(one.properties(), what)?
        );
        if let Some((of, rows)) = batch.add(quoted_name(one.relationship_type()), &row) {
            out.line(&create_relationships(&mark, &of, &rows))?;
        }
        Ok(())
    })?;
    if let Some((of, rows)) = batch.take() {
        out.line(&create_relationships(&mark, &of, &rows))?;
    }
    out.line(&format!("DROP INDEX {mark};"))?;
    out.line(&format!(
        "MATCH (n:{mark}) CALL (n) {{ REMOVE n:{mark}, n.{mark} }} IN TRANSACTIONS OF 10000 ROWS;"
    ))?;
    let (statements, left_out) = schema::statements(export.read)?;
    export.done.declarations = statements.len() as u64;
    for statement in statements {
        out.line(&format!("{statement};"))?;
    }
    for what in &left_out {
        // What follows a line break in a name would be a statement.
        out.line(&format!(
            "// left out, for no statement says it: {}",
            what.replace(['\n', '\r'], " ")
        ))?;
    }
    export.done.left_out = left_out;
    export.done.nodes = nodes;
    export.done.relationships = relationships;
    Ok(())
}

fn create_nodes(mark: &str, labels: &str, rows: &str) -> String {
    format!("UNWIND [{rows}] AS row CREATE (n{labels}:{mark}) SET n = row.of, n.{mark} = row.id;")
}

fn create_relationships(mark: &str, of: &str, rows: &str) -> String {
    format!(
        "UNWIND [{rows}] AS row MATCH (a:{mark} {{{mark}: row.a}}), (b:{mark} {{{mark}: row.b}}) \
         CREATE (a)-[r:{of}]->(b) SET r = row.of;"
    )
}

/// Rows with one head, until there are enough of them.
#[derive(Default)]
struct Batch {
    head: String,
    rows: String,
    number: usize,
}

impl Batch {
    /// Adds a row; gives those before it if it does not go with them.
    fn add(&mut self, head: String, row: &str) -> Option<(String, String)> {
        let full = self.number >= PER_STATEMENT || self.rows.len() >= STATEMENT_BYTES;
        let taken = if full || head != self.head {
            self.take()
        } else {
            None
        };
        self.head = head;
        if self.number > 0 {
            self.rows.push_str(", ");
        }
        self.rows.push_str(row);
        self.number += 1;
        taken
    }

    fn take(&mut self) -> Option<(String, String)> {
        let batch = std::mem::take(self);
        (batch.number > 0).then_some((batch.head, batch.rows))
    }
}

/// A name that nothing in the graph has.
fn free_name(export: &Export<'_, '_>) -> String {
    let catalog = export.read.catalog();
    let taken = |name: &str| {
        catalog.labels.iter().any(|(_, known)| &**known == name)
            || catalog.properties.iter().any(|(_, known)| &**known == name)
            || catalog.indexes().any(|index| &*index.name == name)
    };
    let mut name = "exported".to_owned();
    let mut number = 2_u64;
    while taken(&name) {
        name = format!("exported_{number}");
        number += 1;
    }
    name
}

fn map<'a>(
    properties: impl Iterator<Item = (&'a str, &'a Value)>,
    of: impl Fn() -> String,
) -> Result<String, ExportError> {
    let mut text = String::from("{");
    for (place, (property, value)) in properties.enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        let value = literal(value).ok_or_else(|| ExportError::NoForm {
            what: format!("the property {:?} of {}", excerpt(property), of()),
            reason: "bytes have no literal in statements; CSV and JSON lines hold them".to_owned(),
        })?;
        text.push_str(&format!("{comma}{}: {value}", quoted_name(property)));
    }
    text.push('}');
    Ok(text)
}

/// The text that computes a value; `None` if there is none.
fn literal(value: &Value) -> Option<String> {
    let call = |function: &str, text: &dyn std::fmt::Display| Some(format!("{function}('{text}')"));
    match value {
        Value::Date(one) => call("date", one),
        Value::Time(one) => call("time", one),
        Value::LocalTime(one) => call("localtime", one),
        Value::DateTime(one) => call("datetime", one),
        Value::LocalDateTime(one) => call("localdatetime", one),
        Value::Duration(one) => call("duration", one),
        Value::List(elements) => {
            let elements: Option<Vec<String>> = elements.iter().map(literal).collect();
            Some(format!("[{}]", elements?.join(", ")))
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::String(_)
        | Value::Vector(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::export::{Form, Outlet, export};
    use stratigraph::storage::cancel::Watch;
    use stratigraph::{
        Constraint, Database, Error, HierarchyOptions, Index, NO_PROPERTIES, Read, TextIndex,
        Value, Vector, VectorIndex,
    };

    struct Text(String);

    impl Outlet for Text {
        fn file(&mut self, _: &'static str) -> Result<(), Error> {
            Ok(())
        }

        fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
            self.0.push_str(std::str::from_utf8(bytes).unwrap());
            Ok(())
        }

        fn finish(&mut self) -> Result<(), Error> {
            Ok(())
        }
    }

    fn script(db: &Database) -> String {
        let mut text = Text(String::new());
        export(db, Form::Script, &mut text, &mut Watch::quiet()).unwrap();
        text.0
    }

    fn canonical(db: &Database) -> String {
        let mut text = Vec::new();
        db.dump_canonical(&mut text, &mut Watch::quiet()).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn run(script: &str) -> Database {
        let db = Database::in_memory().unwrap();
        for statement in script.split_terminator(";\n") {
            db.query(statement, ()).unwrap().finish().unwrap();
        }
        db
    }

    #[test]
    fn what_a_constraint_looks_up_can_be_a_filter() {
        let db = Database::in_memory().unwrap();
        let ids = Constraint::on_nodes("A").unique(["id"]).named("ids");
        db.create_constraint(ids).unwrap();
        let near = VectorIndex::on_nodes("A", "v", 2).filterable(["id"]);
        db.create_vector_index(near.named("near")).unwrap();
        let mut txn = db.write().unwrap();
        let v = Vector::new([1.0, 2.0]).unwrap();
        txn.create_node(["A"], [("id", Value::Int(1)), ("v", v.into())])
            .unwrap();
        txn.commit().unwrap();
        let text = script(&db);
        let copy = run(&text);
        assert_eq!(canonical(&copy), canonical(&db), "{text}");
        let read = copy.read().unwrap();
        let indexes = read.catalog().indexes();
        let indexes: Vec<&str> = indexes.map(|index| &*index.name).collect();
        assert_eq!(indexes, ["ids"], "{text}");
    }

    #[test]
    fn awkward_names_come_back() {
        let db = Database::in_memory().unwrap();
        db.create_index(Index::on_nodes(r"a\b", [r"x\`y"]).named(r"by\"))
            .unwrap();
        db.create_hierarchy(HierarchyOptions::new(r"h\", r"T\"))
            .unwrap();
        let mut txn = db.write().unwrap();
        let one = txn
            .create_node([r"a\b", r"a\", "two\nlines"], [(r"x\`y", r"it's \")])
            .unwrap();
        let other = txn.create_node([r"a\"], NO_PROPERTIES).unwrap();
        txn.create_relationship(one, r"T\", other, [(r"y\", 1)])
            .unwrap();
        txn.commit().unwrap();
        let text = script(&db);
        assert_eq!(canonical(&run(&text)), canonical(&db), "{text}");
    }

    #[test]
    fn what_is_left_out_stays_a_comment() {
        let db = Database::in_memory().unwrap();
        let index = TextIndex::on_nodes("A", ["x"]).weighted("y", 2.0);
        db.create_text_index(index.named("w\rMATCH (n) DETACH DELETE n;\nRETURN 1"))
            .unwrap();
        let text = script(&db);
        let said = "index w MATCH (n) DETACH DELETE n; RETURN 1\n";
        assert!(text.ends_with(said), "{text}");
    }
}
