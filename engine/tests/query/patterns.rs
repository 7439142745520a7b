//! Patterns beside a matcher that simply tries everything: small random graphs, random patterns, the same rows.
//!
//! `PATTERNS_SEED` runs one seed again, `PATTERNS_ROUNDS` runs as many graphs as are asked for.
//!
//! | what | where |
//! |---|---|
//! | what a pattern is, and its text | `patterns/shape.rs` |
//! | random patterns | `patterns/make.rs` |
//! | the matcher that tries everything | `patterns/tries.rs` |
//!
//! Next: `patterns/shape.rs`.

mod make;
mod shape;
mod tries;

use fastrand::Rng;
use make::Maker;
use shape::{Query, Val};
use stratigraph::{Database, Error, QueryOptions, Value};
use tries::Small;

/// How many queries run over one graph.
const QUERIES: usize = 40;

fn database_of(small: &Small) -> Database {
    let database = Database::in_memory().unwrap();
    let mut transaction = database.write().unwrap();
    let mut ids = Vec::new();
    for (k, (label, w)) in small.nodes.iter().enumerate() {
        let properties = [("k", k as i64), ("w", *w)];
        ids.push(transaction.create_node([*label], properties).unwrap());
    }
    for (k, one) in small.relationships.iter().enumerate() {
        let (from, to) = (ids[one.from], ids[one.to]);
        let properties = [("k", k as i64), ("w", one.w)];
        let made = transaction.create_relationship(from, one.of, to, properties);
        made.unwrap();
    }
    transaction.commit().unwrap();
    database
}

/// A value as the query returns it: entities by their number.
fn shown(value: &Value) -> Val {
    match value {
        Value::Null => Val::Null,
        Value::Int(number) => Val::Entity(*number as usize),
        Value::List(list) => Val::List(list.iter().map(shown).collect()),
        other => panic!("{other} was not asked for"),
    }
}

fn rows_of(
    database: &Database,
    text: &str,
    options: &QueryOptions,
) -> Result<Vec<Vec<Val>>, Error> {
    let mut rows = Vec::new();
    for row in database.query_with(text, (), options)? {
        rows.push(row?.values().iter().map(shown).collect());
    }
    rows.sort();
    Ok(rows)
}

/// Runs the queries of a seed, and says how many there were.
fn round(seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let small = Small::random(&mut rng);
    let database = database_of(&small);
    let mut tried = 0;
    for _ in 0..QUERIES {
        let query: Query = Maker::new(&mut rng).query();
        let text = query.to_string();
        let Some(expected) = small.rows(&query) else {
            continue;
        };
        for optimise in [true, false] {
            let batch = [1, 2, 1024][rng.usize(0..3)];
            let options = QueryOptions::new().optimise(optimise).batch_rows(batch);
            let rows = rows_of(&database, &text, &options);
            let case =
                format!("seed {seed}, rules {optimise}, {batch} rows at once\n{small}\n{text}");
            match rows {
                Ok(rows) => assert!(
                    rows == expected,
                    "{case}\n{} rows: {rows:?}\nand not {}: {expected:?}",
                    rows.len(),
                    expected.len()
                ),
                // Some conditions on the way of a selector are refused, all of them in the same words.
                Err(error) if error.to_string().contains("cannot read other parts") => continue,
                Err(error) => panic!("{case}\n{error}"),
            }
        }
        tried += 1;
    }
    tried
}

/// Seeds in portions, which run beside each other.
fn portion(number: u64) {
    let told = |name| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().expect("a number"))
    };
    let seeds = match (
        told("PATTERNS_SEED"),
        told("PATTERNS_ROUNDS").unwrap_or(250),
    ) {
        (Some(seed), _) if number == 0 => seed..seed + 1,
        (Some(_), _) => return,
        (None, rounds) => rounds * number / PORTIONS..rounds * (number + 1) / PORTIONS,
    };
    let tried: usize = seeds.map(round).sum();
    println!("{tried} queries");
}

/// How many tests the seeds are shared out to.
const PORTIONS: u64 = 4;

#[test]
fn patterns_match_what_a_search_that_tries_everything_finds() {
    portion(0);
}

#[test]
fn patterns_match_it_on_other_graphs() {
    portion(1);
}

#[test]
fn patterns_match_it_on_more_graphs() {
    portion(2);
}

#[test]
fn patterns_match_it_on_the_last_graphs() {
    portion(3);
}
