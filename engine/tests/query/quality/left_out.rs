//! Random statements with random rules left out: the same rows. And parameters, which a plan does not know.
//!
//! `LEFT_OUT_SEED` runs one seed again.
//!
//! Next: `../plans.rs`.

use super::graph;
use fastrand::Rng;
use stratigraph::{Database, Error, Parameters, PlannerRule, QueryOptions, Value};

/// Parts of patterns; each names what it finds.
const LINKS: &[&str] = &[
    "(p:Person)-[:KNOWS]->(q:Person)",
    "(p)-[:WORKS]->(c:Company)",
    "(q)-[:LIVES]->(z:City)",
    "(p:Person)-[:WROTE]->(w:Post)",
    "(w)-[:HAS]->(t:Tag)",
    "(z:City)-[:IN]->(k:Country)",
    "(q)-[:KNOWS]->(x)",
    "(x)-[:LIVES]->(z)",
    "(q)<-[:KNOWS]-(p)",
    "(x)-[:KNOWS*1..2]->(y)",
    "(c:Company)",
    "(k:Country)",
];
const CONDITIONS: &[&str] = &[
    "p.id = $id",
    "p.age = 17",
    "p.id < 30",
    "q.even",
    "q.id <> p.id",
    "c.code = p.shoe",
    "z.name STARTS WITH 'city 1'",
    "t.name IN ['tag 3', 'tag 5']",
    "w.id = q.id",
    "EXISTS { (p)-[:WORKS]->() }",
    "COUNT { (q)-[:KNOWS]->() } > 3",
    "level(k, 'outline') = 1",
    "level(k, 'outline') IS NULL",
];
const ENDS: &[&str] = &[
    "RETURN p.id AS one, p.name AS two ORDER BY one, two, id(p) SKIP 1 LIMIT 7",
    "RETURN p.age AS age, p.id AS id ORDER BY age, id LIMIT 3",
    "WITH p ORDER BY p.age, p.id WHERE p.even RETURN p.id AS id ORDER BY p.age, p.id",
    "RETURN DISTINCT p.age AS age, count(*) AS n",
    "WITH p ORDER BY p.id RETURN max(p.age) AS oldest, count(*) AS n",
    "RETURN p.id AS id, COUNT { (p)<-[:KNOWS]-() } AS known, EXISTS { (p)-[:LIKES]-(p) } AS odd",
    "RETURN count(*) AS n",
];

/// The rows of a statement, or the detail of what is wrong with it.
fn rows_of(database: &Database, text: &str, options: &QueryOptions) -> Result<Vec<String>, String> {
    let detail = |error: Error| match error {
        Error::Query(error) => error.detail().name().to_owned(),
        other => other.to_string(),
    };
    let mut rows = Vec::new();
    for row in database
        .query_with(text, graph::parameters(), options)
        .map_err(detail)?
    {
        let row = row.map_err(detail)?;
        let values = row.values().iter().map(ToString::to_string);
        rows.push(values.collect::<Vec<_>>().join(", "));
    }
    rows.sort();
    Ok(rows)
}

fn statement(rng: &mut Rng) -> String {
    let mut links = LINKS.to_vec();
    rng.shuffle(&mut links);
    links.truncate(rng.usize(0..3));
    links.push("(p:Person)");
    let named = |name: &str| {
        links
            .iter()
            .any(|link| link.contains(&format!("({name}")) && name.len() == 1)
    };
    let mut conditions: Vec<&str> = CONDITIONS.to_vec();
    conditions.retain(|condition| {
        let names = ["p", "q", "c", "z", "t", "w", "k"];
        names.iter().all(|name| {
            let reads = condition.contains(&format!("{name}."))
                || condition.contains(&format!("({name})"))
                || condition.contains(&format!("({name},"));
            !reads || named(name)
        })
    });
    rng.shuffle(&mut conditions);
    conditions.truncate(rng.usize(1..4));
    // Not too many: everything is also found without the rules.
    conditions.push("p.id < 60");
    let end = ENDS[rng.usize(..ENDS.len())];
    let (links, conditions) = (links.join(", "), conditions.join(" AND "));
    format!("MATCH {links} WHERE {conditions} {end}")
}

#[test]
fn rules_that_are_left_out_change_no_rows() {
    let database = graph::database();
    let one = std::env::var("LEFT_OUT_SEED").ok();
    let one = one.map(|seed| seed.parse::<u64>().expect("a number"));
    let seeds = one.map_or(0..150, |seed| seed..seed + 1);
    let rules: Vec<PlannerRule> = PlannerRule::all().collect();
    let mut found = 0;
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let text = statement(&mut rng);
        // A plan by the text may go through millions.
        let limits = || QueryOptions::new().max_steps(20_000);
        let all = rows_of(&database, &text, &limits());
        for _ in 0..3 {
            let mut options = limits().batch_rows([1, 7, 1024][rng.usize(..3)]);
            let mut out = rules.clone();
            rng.shuffle(&mut out);
            out.truncate(rng.usize(1..=rules.len()));
            for rule in &out {
                options = options.without_rule(*rule);
            }
            let some = rows_of(&database, &text, &options);
            let limit = Err("StepLimit".to_owned());
            if all == limit || some == limit {
                continue;
            }
            assert_eq!(all, some, "seed {seed}, without {out:?}: {text}");
            found += all.as_ref().map_or(0, Vec::len);
        }
    }
    assert!(
        one.is_some() || found > 1000,
        "{found} rows are too few to tell anything"
    );
}

/// A plan is made once for all parameters: also for those that it was not made for.
#[test]
fn parameters_of_any_type_give_what_the_text_alone_gives() {
    let database = graph::database();
    let list = |values: Vec<Value>| Value::list(values).unwrap();
    let values = [
        Value::from(17),
        Value::from(17.0),
        Value::from(f64::NAN),
        Value::from("17"),
        Value::from("person 39"),
        Value::Null,
        Value::from(true),
        Value::from(-1),
        list(vec![Value::from(17), Value::Null, Value::from("x")]),
        list(vec![list(vec![]), Value::from(3.0)]),
        list(vec![]),
    ];
    for condition in [
        "p.id = $v",
        "p.id IN $v",
        "p.id > $v AND p.id <= 20",
        "p.name STARTS WITH $v",
        "id(p) = $v",
        "level(p, 'outline') = $v",
        "p.age = $v AND EXISTS { (p)-[:KNOWS]->(:Person {id: $v}) }",
    ] {
        let text = format!("MATCH (p:Person) WHERE {condition} RETURN p.id AS id ORDER BY id");
        let prepared = database.prepare(&text).unwrap();
        let plain = QueryOptions::new().optimise(false);
        let by_text = database.prepare_with(&text, &plain).unwrap();
        // Twice, so that each comes after every other one has used the plan.
        for value in values.iter().chain(&values) {
            let ask = |of: &stratigraph::Prepared| -> Result<Vec<String>, String> {
                let with = Parameters::new().with("v", value.clone());
                let rows = of.query(with).map_err(|error| error.to_string())?;
                rows.map(|row| match row {
                    Ok(row) => Ok(row.values()[0].to_string()),
                    Err(error) => Err(error.to_string()),
                })
                .collect()
            };
            assert_eq!(ask(&prepared), ask(&by_text), "{text} with {value}");
        }
    }
}
