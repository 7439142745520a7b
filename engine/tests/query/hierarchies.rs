//! `level`, `roots` and `ancestors` in a hierarchy that is declared.
//!
//! Next: `algorithms.rs`.

use super::{database, mistake};
use stratigraph::{Database, Detail, HierarchyOptions};

/// A book with two chapters, a section that both chapters share, and a leaflet by itself.
fn outline() -> Database {
    let database = database(&["
        CREATE (b:S {n: 'book'}), (x:S {n: 'x'}), (y:S {n: 'y'}), (s:S {n: 's'}), (:S {n: 'apart'}),
               (l:S {n: 'leaflet'}), (b)-[:HAS]->(x), (b)-[:HAS]->(y), (x)-[:HAS]->(s), (y)-[:HAS]->(s), (l)-[:HAS]->(s)"]);
    database
        .create_hierarchy(HierarchyOptions::new("outline", "HAS"))
        .unwrap();
    database
}

const LEVELS: &str = "MATCH (s:S) RETURN s.n AS n, level(s, 'outline') AS level ORDER BY n";

fn levels(rows: stratigraph::Rows<'_>) -> Vec<(String, Option<i64>)> {
    rows.map(|row| row.unwrap().to().unwrap()).collect()
}

fn names(database: &Database, text: &str) -> Vec<String> {
    let rows = database.query(text, ()).unwrap();
    rows.map(|row| row.unwrap().get(0).unwrap()).collect()
}

#[test]
fn levels_roots_and_ancestors() {
    let database = outline();
    let found = levels(database.query(LEVELS, ()).unwrap());
    let found: Vec<_> = found
        .iter()
        .map(|(name, level)| (name.as_str(), *level))
        .collect();
    let expected = [
        ("apart", None),
        ("book", Some(0)),
        ("leaflet", Some(0)),
        ("s", Some(1)),
        ("x", Some(1)),
        ("y", Some(1)),
    ];
    assert_eq!(found, expected);
    let roots = names(&database, "UNWIND roots('outline') AS r RETURN r.n");
    assert_eq!(roots, ["book", "leaflet"]);
    let above = names(
        &database,
        "MATCH (s:S {n: 's'}) UNWIND ancestors(s, 'outline') AS a RETURN a.n",
    );
    // x and y were made before the leaflet, and all three are one step away.
    assert_eq!(above, ["x", "y", "leaflet", "book"]);
    let none = names(
        &database,
        "MATCH (s:S {n: 'book'}) UNWIND ancestors(s, 'outline') AS a RETURN a.n",
    );
    assert!(none.is_empty());
    let null = "RETURN coalesce(level(null, 'outline'), ancestors(null, 'outline'), 'nothing')";
    assert_eq!(names(&database, null), ["nothing"]);
}

#[test]
fn elements_of_roots_are_known_to_be_nodes() {
    let database = outline();
    // A pattern goes on from them, and what only relationships have is refused before anything runs.
    let down =
        "UNWIND roots('outline') AS r MATCH (r)-[:HAS]->(c) RETURN DISTINCT c.n ORDER BY c.n";
    assert_eq!(names(&database, down), ["s", "x", "y"]);
    let wrong = "UNWIND roots('outline') AS r RETURN type(r)";
    assert_eq!(mistake(&database, wrong).0, Detail::InvalidArgumentType);
}

#[test]
fn a_transaction_sees_the_levels_that_it_has_moved() {
    let database = outline();
    let mut txn = database.write().unwrap();
    let moved = "MATCH (l:S {n: 'leaflet'})-[r:HAS]->() DELETE r";
    txn.query(moved, ()).unwrap().finish().unwrap();
    let found = levels(txn.query(LEVELS, ()).unwrap());
    let of = |name: &str| found.iter().find(|(found, _)| found == name).unwrap().1;
    assert_eq!((of("s"), of("leaflet")), (Some(2), None));
    drop(txn);
    assert_eq!(
        levels(database.query(LEVELS, ()).unwrap())[3],
        ("s".into(), Some(1))
    );
}

#[test]
fn a_hierarchy_that_is_none_is_told() {
    let database = outline();
    for (text, part) in [
        (
            "MATCH (s:S) RETURN level(s, 'outlien')",
            "did you mean `outline`?",
        ),
        ("RETURN roots('nothing')", "SHOW HIERARCHIES"),
        ("MATCH (s:S) RETURN ancestors(s, 'x')", "SHOW HIERARCHIES"),
    ] {
        let (detail, message, hint) = mistake(&database, text);
        assert_eq!(detail, Detail::HierarchyNotFound, "{message}");
        assert!(hint.contains(part), "{hint}");
    }
    let deleted = "MATCH (s:S {n: 's'}) DETACH DELETE s RETURN level(s, 'outline')";
    assert_eq!(mistake(&database, deleted).0, Detail::DeletedEntityAccess);
}
