//! The names that a statement asks for.
//!
//! Next: `bind/mod.rs`, which notes them.

use std::sync::Arc;

/// A name that a statement asks for. Where nothing has it the statement is no error: it finds nothing, or null.
///
/// What is made is not asked for: the names of `CREATE`, `MERGE` and `SET` are none of these. Nor are properties of what may be a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct AskedName {
    /// What it is the name of.
    pub of: NameOf,
    /// The name.
    pub name: Arc<str>,
}

/// What has a name in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NameOf {
    /// A label of nodes.
    Label,
    /// A type of relationships.
    Type,
    /// A property of either.
    Property,
}

impl AskedName {
    pub(super) fn new(of: NameOf, name: &Arc<str>) -> Self {
        let name = Arc::clone(name);
        Self { of, name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Database;

    #[track_caller]
    fn asks(text: &str, expected: &[(NameOf, &str)]) {
        let db = Database::in_memory().unwrap();
        let prepared = db.prepare(text).unwrap();
        let asked = prepared.asked_names().iter();
        let asked: Vec<(NameOf, &str)> = asked.map(|asked| (asked.of, &*asked.name)).collect();
        assert_eq!(asked, expected, "{text}");
    }

    #[test]
    fn what_is_looked_for_is_asked_for() {
        asks(
            "MATCH (a:Book|!Lost {year: 1})-[r:CITES|LIKES {by: 'x'}]->(b) WHERE b.title = 'x' AND b:Old AND r:BY \
             RETURN a.pages, b {.isbn, .*}",
            &[
                (NameOf::Label, "Book"),
                (NameOf::Label, "Lost"),
                (NameOf::Label, "Old"),
                (NameOf::Type, "BY"),
                (NameOf::Type, "CITES"),
                (NameOf::Type, "LIKES"),
                (NameOf::Property, "by"),
                (NameOf::Property, "isbn"),
                (NameOf::Property, "pages"),
                (NameOf::Property, "title"),
                (NameOf::Property, "year"),
            ],
        );
        asks(
            "MATCH (n) WHERE EXISTS { (n)-[:HOLDS*1..3]->(:Shelf) } RETURN count(n)",
            &[(NameOf::Label, "Shelf"), (NameOf::Type, "HOLDS")],
        );
    }

    #[test]
    fn what_is_made_is_not_asked_for() {
        asks(
            "CREATE (a:A {x: 1})-[:T]->(:B) SET a.y = 2, a:C REMOVE a.z, a:D",
            &[],
        );
        asks(
            "MATCH (a:A) MERGE (a)-[:T {w: 1}]->(:B {x: a.z}) ON MATCH SET a.y = 1",
            &[(NameOf::Label, "A"), (NameOf::Property, "z")],
        );
        asks("CREATE INDEX FOR (b:Book) ON (b.title)", &[]);
    }

    #[test]
    fn what_may_be_a_map_is_left_alone() {
        asks(
            "UNWIND [{k: 1}] AS row RETURN row.k, $given.l, date().year",
            &[],
        );
    }
}
