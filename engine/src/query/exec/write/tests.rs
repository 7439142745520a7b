//! What changes count, and what is refused on the way.
//!
//! What the graph looks like afterwards is in `tests/scripts/`.

use crate::database::Database;
use crate::error::Error;
use crate::query::parameters::Parameters;

/// What a statement says that it changed, or the name of its error, after another has run.
fn told(before: &str, text: &str, parameters: &Parameters) -> String {
    let db = Database::in_memory().unwrap();
    if !before.is_empty() {
        db.query(before, ())
            .and_then(crate::query::Rows::finish)
            .unwrap();
    }
    let ran = db.query(text, parameters);
    match ran.and_then(crate::query::Rows::finish) {
        Ok(summary) => summary.counters().to_string(),
        Err(Error::Query(error)) => error.detail().name().to_owned(),
        Err(other) => panic!("{text}: {other}"),
    }
}

#[test]
fn changes_are_counted_where_something_changes() {
    let triangle = "CREATE (a:A {v: 1})-[:T {w: 1}]->(b:B)-[:T]->(c:C {v: null}), (a)-[:T]->(a)";
    let cases = [
        (
            "",
            triangle,
            "Added 3 nodes, added 3 relationships, set 2 properties, added 3 labels",
        ),
        ("", "CREATE (:A:A:B)", "Added 1 node, added 2 labels"),
        // Setting counts also where the value stays; removing only where there is something.
        (triangle, "MATCH (a:A) SET a.v = 1", "Set 1 property"),
        (
            triangle,
            "MATCH (a:A) SET a.v = null, a.u = null",
            "Set 1 property",
        ),
        (
            triangle,
            "MATCH (a:A) SET a.v = null, a.v = null",
            "Set 1 property",
        ),
        (triangle, "MATCH (a:A) SET a = {u: 1}", "Set 2 properties"),
        (
            triangle,
            "MATCH (a:A) SET a = {v: 2, u: null}",
            "Set 1 property",
        ),
        (triangle, "MATCH (a:A) SET a = null", "Set 1 property"),
        (triangle, "MATCH (a:A) SET a += null", "No changes"),
        (
            triangle,
            "MATCH (a:A) SET a += {v: null, u: null}",
            "Set 1 property",
        ),
        (triangle, "MATCH (a:A), (b:B) SET b = a", "Set 1 property"),
        (
            triangle,
            "MATCH ()-[r {w: 1}]->() SET r = r",
            "Set 1 property",
        ),
        (triangle, "MATCH (a:A) SET a:A:N, a:N", "Added 1 label"),
        (
            triangle,
            "MATCH (a:A) SET a:$(['N', 'M'])",
            "Added 2 labels",
        ),
        (
            triangle,
            "MATCH (a:A) REMOVE a.v, a.v, a.u, a:A, a:N",
            "Set 1 property, removed 1 label",
        ),
        (
            triangle,
            "OPTIONAL MATCH (x:X) SET x.v = 1, x += {v: 1}, x:L REMOVE x.v, x:L",
            "No changes",
        ),
        // Each goes once, however often it is named; a loop is seen twice.
        (
            triangle,
            "MATCH (a:A) DETACH DELETE a, a",
            "Deleted 1 node, deleted 2 relationships",
        ),
        (
            triangle,
            "MATCH (n)-[r]-() DELETE r, n",
            "Deleted 3 nodes, deleted 3 relationships",
        ),
        (
            triangle,
            "MATCH p = (:B)-->() DETACH DELETE p",
            "Deleted 2 nodes, deleted 2 relationships",
        ),
        (
            triangle,
            "MATCH (c:C) DETACH DELETE c DETACH DELETE c",
            "Deleted 1 node, deleted 1 relationship",
        ),
        (triangle, "OPTIONAL MATCH (x:X) DELETE x", "No changes"),
        (
            triangle,
            "MERGE (a:A {v: 1}) ON MATCH SET a.v = 2 ON CREATE SET a.u = 1",
            "Set 1 property",
        ),
        (
            triangle,
            "MERGE (a:A {v: 3}) ON MATCH SET a.v = 2 ON CREATE SET a.u = 1",
            "Added 1 node, set 2 properties, added 1 label",
        ),
    ];
    for (before, text, expected) in cases {
        assert_eq!(told(before, text, &().into()), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_changed_is_refused_when_it_is_met() {
    let parameters = Parameters::from([("two", vec!["A", "B"]), ("none", Vec::new())])
        .with("number", 1)
        .with("null", crate::Value::Null)
        .with("list", vec![crate::Value::from(1), "a".into()])
        .with("one", vec!["A"])
        .with("empty", "");
    let pair = "CREATE (:A)-[:T]->(:B)";
    let cases = [
        ("CREATE (:$($number))", "InvalidArgumentType"),
        ("CREATE (:$($null))", "InvalidArgumentType"),
        ("CREATE (:$($list))", "InvalidArgumentType"),
        ("CREATE (:$($empty))", "InvalidArgumentValue"),
        ("CREATE (:$($none))", "Added 1 node"),
        ("CREATE ()-[:$($two)]->()", "InvalidArgumentValue"),
        (
            "CREATE ()-[:$($one)]->()",
            "Added 2 nodes, added 1 relationship",
        ),
        ("CREATE (n $number)", "InvalidArgumentType"),
        ("CREATE (n $null)", "Added 1 node"),
        ("MATCH (a:A) SET a.v = $list", "InvalidPropertyType"),
        ("MATCH (a:A) SET a.v = [a]", "InvalidPropertyType"),
        ("MATCH (a:A) SET a[$number] = 1", "InvalidArgumentType"),
        ("MATCH (a:A) SET a = $number", "InvalidArgumentType"),
        ("MATCH (a:A) SET a += $two", "InvalidArgumentType"),
        (
            "OPTIONAL MATCH (x:X) CREATE (x)-[:T]->()",
            "InvalidArgumentValue",
        ),
        ("MATCH (a:A) DELETE $number", "InvalidArgumentType"),
        ("MATCH (a:A) DELETE a", "DeleteConnectedNode"),
        (
            "MATCH (a:A) DETACH DELETE a SET a.v = 1",
            "DeletedEntityAccess",
        ),
        (
            "MATCH (a:A) DETACH DELETE a SET a += {v: 1}",
            "DeletedEntityAccess",
        ),
        ("MATCH (a:A) DETACH DELETE a SET a:N", "DeletedEntityAccess"),
        (
            "MATCH (a:A) DETACH DELETE a REMOVE a.v",
            "DeletedEntityAccess",
        ),
        (
            "MATCH (a:A) DETACH DELETE a CREATE (a)-[:T]->()",
            "DeletedEntityAccess",
        ),
        (
            "MATCH ()-[r:T]->() DELETE r SET r.v = 1",
            "DeletedEntityAccess",
        ),
        ("MERGE (n:A {v: $null})", "MergeReadOwnWrites"),
        (
            "MATCH (a:A) MERGE (a)-[:T {v: $null}]->()",
            "MergeReadOwnWrites",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(told(pair, text, &parameters), expected, "{text}");
    }
}

#[test]
fn what_is_gone_keeps_its_type_and_its_ends() {
    let db = Database::in_memory().unwrap();
    db.query("CREATE (:A)-[:T {v: 1}]->(:B)", ()).unwrap();
    let text = "MATCH ()-[r:T]->() DELETE r RETURN type(r) AS type";
    let row = db.query(text, ()).unwrap().next().unwrap().unwrap();
    assert_eq!(row.get::<String>("type").unwrap(), "T");
}
