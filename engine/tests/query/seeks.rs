//! What an index finds beside what the conditions alone find: the same queries with and without the planner's
//! rules, over random values of every type.
//!
//! `SEEKS_SEED` runs one seed again, `SEEKS_ROUNDS` runs as many as are asked for.
//!
//! Next: `plans.rs`.

use crate::values;
use fastrand::Rng;
use stratigraph::{Database, Error, Parameters, QueryOptions, Value};

/// Conditions on `n.v` and `n.w`; `$x` and `$y` are values, `$l` is a list of them.
const CONDITIONS: &[&str] = &[
    "n.v = $x",
    "$x = n.v",
    "n.v > $x",
    "n.v >= $x",
    "n.v < $x",
    "$x <= n.v",
    "$x <= n.v AND n.v < $y",
    "$x < n.v <= $y",
    "n.v > $x AND n.v < $y",
    "n.v > $x AND n.v > $y",
    "n.v = $x AND n.v > $y",
    "n.v IN $l",
    "n.v IN $x",
    "n.v IN $l AND n.v < $x",
    "n.v STARTS WITH $x",
    "n.v = $x + $y",
    "n.v < $x - $y",
    "n.w = $x",
    "n.w = $x AND n.v = $y",
    "n.w = $x AND n.v > $y",
    "n.w IN $l AND n.v = $y",
    "n.u = $x",
    "n.u > $x",
    "id(n) = $x",
    "id(n) IN $x",
    "id(n) IN $l",
    "elementId(n) IN $l",
];

/// A value to store or to look for.
fn value(rng: &mut Rng, storable: bool) -> Value {
    loop {
        let value = match rng.u8(0..8) {
            0 if !storable => Value::Null,
            1 if !storable => values::unstorable(rng),
            _ => values::storable(rng),
        };
        // What is too long for an index is refused where it is written, which is tested elsewhere.
        if values::key_bytes(&value) < 4000 {
            return value;
        }
    }
}

/// The numbers of the nodes that are found, or what is wrong.
fn found(
    database: &Database,
    text: &str,
    parameters: &Parameters,
    optimise: bool,
) -> Result<Vec<i64>, String> {
    let options = QueryOptions::new().optimise(optimise);
    let detail = |error: Error| match error {
        Error::Query(error) => error.detail().name().to_owned(),
        other => other.to_string(),
    };
    let rows = database.query_with(text, parameters.clone(), &options);
    let mut found = Vec::new();
    for row in rows.map_err(detail)? {
        found.push(row.map_err(detail)?.get(0).unwrap());
    }
    found.sort_unstable();
    Ok(found)
}

fn round(seed: u64) {
    let rng = &mut Rng::with_seed(seed);
    let database = Database::in_memory().unwrap();
    let mut transaction = database.write().unwrap();
    // Few enough nodes of another label for an index to be the best start, and sometimes none of this one.
    for _ in 0..60 {
        transaction.create_node(["Other"], [("k", -1)]).unwrap();
    }
    let nodes = if rng.u8(0..8) == 0 { 0 } else { rng.i64(1..40) };
    for number in 0..nodes {
        let mut properties = vec![("k", Value::from(number))];
        for key in ["v", "w"] {
            if rng.u8(0..5) > 0 {
                properties.push((key, value(rng, true)));
            }
        }
        // Values of a constraint differ, and are of every kind all the same.
        let (x, y) = (number as f64, format!("{number}"));
        properties.push(("u", if rng.bool() { x.into() } else { y.into() }));
        transaction.create_node(["N"], properties).unwrap();
    }
    transaction.commit().unwrap();
    for declaration in [
        "CREATE INDEX n_v FOR (n:N) ON (n.v)",
        "CREATE INDEX n_w_v FOR (n:N) ON (n.w, n.v)",
        "CREATE CONSTRAINT n_u FOR (n:N) REQUIRE n.u IS UNIQUE",
    ] {
        database.query(declaration, ()).unwrap().finish().unwrap();
    }
    for condition in CONDITIONS {
        let list: Vec<Value> = (0..rng.usize(0..4)).map(|_| value(rng, false)).collect();
        let parameters = Parameters::new()
            .with("x", value(rng, false))
            .with("y", value(rng, false))
            .with("l", Value::list(list).unwrap());
        let text = format!("MATCH (n:N) WHERE {condition} RETURN n.k");
        let [sought, filtered] =
            [true, false].map(|optimise| found(&database, &text, &parameters, optimise));
        assert_eq!(
            sought, filtered,
            "seed {seed}, with and without the rules: {text}\n{parameters:?}"
        );
    }
}

#[test]
fn an_index_finds_what_the_condition_finds() {
    let number = |name| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().expect("a number"))
    };
    match (number("SEEKS_SEED"), number("SEEKS_ROUNDS")) {
        (Some(seed), _) => round(seed),
        (None, rounds) => (0..rounds.unwrap_or(200)).for_each(round),
    }
}
