//! The names that a database knows, for completion, and how much it holds.
//!
//! They are asked by statements, so that they are the same wherever the database is.
//!
//! Next: `session.rs`.

use super::place::Place;
use crate::failure::Failure;
use std::sync::Arc;
use stratigraph::Value;

/// All names in one statement: at an address every statement is a way there and back.
const ALL: &str = "\
CALL db.labels() YIELD label RETURN 'label' AS kind, label AS name \
UNION ALL CALL db.relationshipTypes() YIELD relationshipType RETURN 'type' AS kind, relationshipType AS name \
UNION ALL CALL db.propertyKeys() YIELD propertyKey RETURN 'property' AS kind, propertyKey AS name \
UNION ALL SHOW PROCEDURES YIELD name RETURN 'procedure' AS kind, name \
UNION ALL SHOW INDEXES YIELD name RETURN 'index' AS kind, name \
UNION ALL SHOW CONSTRAINTS YIELD name RETURN 'constraint' AS kind, name \
UNION ALL SHOW HIERARCHIES YIELD name RETURN 'hierarchy' AS kind, name";
const COUNTED: &str =
    "CALL db.stats() YIELD kind, count WHERE kind IN ['nodes', 'relationships'] RETURN kind, count";

/// The names that a database knows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    pub(crate) labels: Vec<Arc<str>>,
    pub(crate) types: Vec<Arc<str>>,
    pub(crate) properties: Vec<Arc<str>>,
    pub(crate) procedures: Vec<Arc<str>>,
    pub(crate) indexes: Vec<Arc<str>>,
    pub(crate) constraints: Vec<Arc<str>>,
    pub(crate) hierarchies: Vec<Arc<str>>,
}

impl Names {
    /// Those of a place.
    ///
    /// # Errors
    /// What keeps it from answering.
    pub(crate) fn of(place: &dyn Place) -> Result<Self, Failure> {
        let mut names = Self::default();
        for row in place.look(ALL)? {
            let [Value::String(kind), Value::String(name)] = row.as_slice() else {
                continue;
            };
            let list = match &**kind {
                "label" => &mut names.labels,
                "type" => &mut names.types,
                "property" => &mut names.properties,
                "procedure" => &mut names.procedures,
                "index" => &mut names.indexes,
                "constraint" => &mut names.constraints,
                _ => &mut names.hierarchies,
            };
            list.push(Arc::from(&**name));
        }
        Ok(names)
    }
}

/// How many nodes and relationships there are.
///
/// # Errors
/// What keeps the place from answering.
pub(crate) fn counts(place: &dyn Place) -> Result<(u64, u64), Failure> {
    let (mut nodes, mut relationships) = (0, 0);
    for row in place.look(COUNTED)? {
        if let [Value::String(kind), Value::Int(count)] = row.as_slice() {
            let count = u64::try_from(*count).unwrap_or(0);
            match &**kind {
                "nodes" => nodes = count,
                _ => relationships = count,
            }
        }
    }
    Ok((nodes, relationships))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statements::Folder;
    use stratigraph::Database;

    #[test]
    fn all_names_are_found() {
        let db = Database::in_memory().unwrap();
        for text in [
            "CREATE (:Book {title: 'Layers'})-[:CITES]->(:Book)",
            "CREATE INDEX by_title FOR (b:Book) ON (b.title)",
            "CREATE CONSTRAINT one_title FOR (b:Book) REQUIRE b.code IS UNIQUE",
            "CREATE HIERARCHY outline FOR ()-[:PART]->()",
        ] {
            db.query(text, ()).unwrap().finish().unwrap();
        }
        let place = Folder::new(db);
        let names = Names::of(&place).unwrap();
        let has = |names: &[Arc<str>], name: &str| names.iter().any(|one| &**one == name);
        for (of, name) in [
            (&names.labels, "Book"),
            (&names.types, "CITES"),
            (&names.properties, "title"),
            (&names.procedures, "db.labels"),
            (&names.indexes, "by_title"),
            (&names.constraints, "one_title"),
            (&names.hierarchies, "outline"),
        ] {
            assert!(has(of, name), "no {name} in {names:?}");
        }
        assert_eq!(counts(&place).unwrap(), (2, 1));
    }
}
