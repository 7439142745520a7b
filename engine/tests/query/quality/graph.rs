//! A small graph in which a wrong choice is dear: most persons live in one city, one of them knows half of all, one tag
//! is on every other post, few work, and few of the many likes are those of authors.
//!
//! Next: `cases.rs`.

use stratigraph::{Database, Parameters, Value, Vector};

const STATEMENTS: &[&str] = &[
    "UNWIND range(0, 399) AS i
     CREATE (:Person {id: i, name: 'person ' + i, age: i % 50, even: i % 2 = 0, shoe: i % 40})",
    "UNWIND range(0, 19) AS i CREATE (:City {name: 'city ' + i})",
    "UNWIND range(0, 1) AS i CREATE (:Country {name: 'country ' + i})",
    "UNWIND range(0, 9) AS i CREATE (:Company {name: 'company ' + i, code: 37 * i})",
    "UNWIND range(0, 799) AS i CREATE (:Post {id: i, about: vector([1.0, i]), text: 'post of ' + (i % 7)})",
    "UNWIND range(0, 39) AS i CREATE (:Tag {name: 'tag ' + i})",
    "UNWIND range(0, 19) AS i CREATE (:Author {id: i})",
    "CREATE INDEX person_id FOR (p:Person) ON (p.id)",
    "CREATE INDEX person_age FOR (p:Person) ON (p.age)",
    "CREATE INDEX person_name FOR (p:Person) ON (p.name)",
    "CREATE INDEX post_id FOR (w:Post) ON (w.id)",
    "CREATE INDEX company_code FOR (c:Company) ON (c.code)",
    "CREATE INDEX tag_name FOR (t:Tag) ON (t.name)",
    "CREATE INDEX city_name FOR (c:City) ON (c.name)",
    "MATCH (c:City), (k:Country {name: 'country 0'}) WHERE c.name <> 'city 3' CREATE (c)-[:IN]->(k)",
    "MATCH (c:City {name: 'city 3'}), (k:Country {name: 'country 1'}) CREATE (c)-[:IN]->(k)",
    // Half of all live in one city.
    "MATCH (p:Person), (c:City)
     WHERE c.name = 'city ' + (CASE WHEN p.even THEN 0 ELSE p.id % 20 END) CREATE (p)-[:LIVES]->(c)",
    // Each knows four, and one knows half of all.
    "UNWIND range(1, 4) AS k MATCH (p:Person), (q:Person)
     WHERE q.id = (p.id * k + 17 * k + 1) % 400 AND p.id <> q.id CREATE (p)-[:KNOWS]->(q)",
    "MATCH (p:Person {id: 0}), (q:Person) WHERE q.even AND q.id > 0 CREATE (p)-[:KNOWS]->(q)",
    "MATCH (p:Person), (c:Company) WHERE p.id % 10 = 0 AND c.code = 37 * (p.id / 10 % 10) CREATE (p)-[:WORKS]->(c)",
    "MATCH (w:Post), (p:Person) WHERE p.id = w.id % 400 CREATE (p)-[:WROTE]->(w)",
    "MATCH (w:Post), (t:Tag)
     WHERE t.name = 'tag ' + (CASE WHEN w.id % 2 = 0 THEN 0 ELSE w.id % 40 END) CREATE (w)-[:HAS]->(t)",
    // Nearly all likes are those of persons, and all that was made authors made.
    "UNWIND range(0, 9) AS k MATCH (p:Person), (w:Post) WHERE w.id = p.id % 80 + 80 * k CREATE (p)-[:LIKES]->(w)",
    "MATCH (a:Author), (w:Post {id: 1}) WHERE a.id < 5 CREATE (a)-[:LIKES]->(w)",
    "MATCH (a:Author), (w:Post) WHERE w.id % 20 = a.id CREATE (a)-[:MADE]->(w)",
    "CREATE (:Section:Root {n: 0})",
    "MATCH (r:Root) UNWIND range(1, 5) AS i CREATE (r)-[:SUB]->(:Section {n: i})",
    "MATCH (:Root)-[:SUB]->(s) UNWIND range(1, 5) AS i CREATE (s)-[:SUB]->(:Section {n: 10 * s.n + i})",
    "MATCH (s:Section) WHERE s.n > 10 UNWIND range(1, 5) AS i CREATE (s)-[:SUB]->(:Section {n: 10 * s.n + i})",
    "CREATE HIERARCHY outline FOR ()-[:SUB]->()",
    "CREATE VECTOR INDEX about FOR (w:Post) ON w.about OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
];

/// The graph.
pub(super) fn database() -> Database {
    super::super::database(STATEMENTS)
}

/// What the queries ask for.
pub(super) fn parameters() -> Parameters {
    let near = Vector::new([1.0, 3.0].as_slice()).unwrap();
    Parameters::new()
        .with("id", 17)
        .with("level", 1)
        .with("near", Value::from(near))
}
