//! How long reading and planning a query of ten lines takes: for the first time, and when it is known.

use crate::measure::Setup;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::median;
use anyhow::Result;
use std::time::Instant;
use stratigraph::Database;

/// Ten lines, most clauses of the language.
const QUERY: &str = "MATCH (p:Person {id: $id})-[k:KNOWS]->(f:Person)
WHERE k.since > 2000 AND f.age < $age
OPTIONAL MATCH (f)-[:WROTE]->(w:Post)-[:HAS]->(t:Tag)
WITH f, k, count(DISTINCT w) AS posts, collect(DISTINCT t.id) AS tags
WHERE posts > 2 OR size(tags) > 1
MATCH (f)-[:KNOWS]->(g:Person)
WHERE NOT EXISTS { MATCH (g)-[:KNOWS]->(:Person {id: $id}) }
WITH f, posts, tags, count(g) AS known
RETURN f.id AS id, f.name AS name, posts, tags[0..3] AS tags, known
ORDER BY known DESC, id LIMIT 10";

pub(super) fn measure(setup: &Setup, report: &mut Report) -> Result<()> {
    setup.progress("plan");
    let db = Database::in_memory()?;
    db.query("CREATE INDEX FOR (p:Person) ON (p.id)", ())?;
    db.query(
        "CREATE (:Person {id: 1, age: 3})-[:KNOWS {since: 1}]->(:Person)-[:WROTE]->(:Post)-[:HAS]->(:Tag)",
        (),
    )?;
    let rounds = setup.choose(200, 2_000);
    let (mut cold, mut cached) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // A name of its own, so that nobody has seen the text.
        let text = QUERY.replace("known", &format!("known{round}"));
        let begun = Instant::now();
        db.prepare(&text)?;
        cold.push(begun.elapsed().as_secs_f64() * 1e6);
        let begun = Instant::now();
        db.prepare(&text)?;
        cached.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    let most = |most| Some(Mark::AtMost(most));
    report.count("plan_us", median(&cold), None, "us", most(100.0));
    report.count("plan_cached_us", median(&cached), None, "us", most(5.0));
    Ok(())
}
