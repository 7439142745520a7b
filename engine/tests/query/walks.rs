//! Counts of matches beside the same counts row by row: random small graphs with loops, parallel relationships and
//! nodes that were deleted, random patterns, the same rows with and without the planner's rules.
//!
//! `WALKS_SEED` runs one seed again, `WALKS_ROUNDS` runs as many as are asked for.
//!
//! Next: `walks/named.rs`.

mod named;

use fastrand::Rng;
use std::collections::BTreeMap;
use stratigraph::{Database, Error, QueryOptions, Row, Rows, Value};

const LABELS: &[&str] = &["A", "B", "C"];
const TYPES: &[&str] = &["X", "Y"];

/// Fills a database with a random graph.
fn fill(database: &Database, rng: &mut Rng) {
    let mut transaction = database.write().unwrap();
    let count = rng.usize(1..9);
    // Sometimes every node has the label, so that nobody has to ask.
    let common = rng.bool();
    let lists = rng.u8(0..4) == 0;
    let mut ids = Vec::new();
    for number in 0..count {
        let mut labels: Vec<&str> = LABELS.iter().copied().filter(|_| rng.bool()).collect();
        if common {
            labels.push("A");
            labels.sort_unstable();
            labels.dedup();
        }
        let mut properties = vec![("k", Value::from(number as i64))];
        if rng.u8(0..4) > 0 {
            let value = match rng.u8(0..24) {
                0 => Value::from(f64::NAN),
                1 => Value::from(1.0),
                2 => Value::from("1"),
                3 | 4 if lists => Value::from(vec![Value::from(f64::NAN)]),
                _ => Value::from(rng.i64(0..3)),
            };
            properties.push(("v", value));
        }
        ids.push(transaction.create_node(labels, properties).unwrap());
    }
    for number in 0..rng.usize(2..28) {
        let of = TYPES[rng.usize(0..8) / 5];
        let (from, to) = (ids[rng.usize(0..count)], ids[rng.usize(0..count)]);
        let mut properties = vec![("k", Value::from(number as i64))];
        match rng.u8(0..5) {
            0 => {}
            1 => properties.push(("w", Value::from("long ".repeat(200)))),
            2 => properties.push(("w", Value::from(1.0))),
            _ => properties.push(("w", Value::from(rng.i64(0..3)))),
        }
        let made = transaction.create_relationship(from, of, to, properties);
        made.unwrap();
    }
    transaction.commit().unwrap();
    let gone = rng.i64(0..12);
    change(
        database,
        &format!("MATCH (n) WHERE n.k = {gone} DETACH DELETE n"),
    );
    let gone = rng.i64(0..20);
    change(
        database,
        &format!("MATCH ()-[r]->() WHERE r.k = {gone} DELETE r"),
    );
}

fn change(database: &Database, text: &str) {
    database.query(text, ()).unwrap().finish().unwrap();
}

fn node(rng: &mut Rng, name: &str) -> String {
    match rng.u8(0..12) {
        0 | 1 => format!("({name}:A)"),
        2 => format!("({name}:{})", LABELS[rng.usize(0..3)]),
        3 => format!("({name}:A&B)"),
        4 => format!("({name} {{v: 1}})"),
        _ => format!("({name})"),
    }
}

fn link(rng: &mut Rng, name: &str) -> String {
    let types = match rng.u8(0..16) {
        0..8 => ":X",
        8 | 9 => ":Y",
        10..13 => "",
        13 | 14 => ":Y|X",
        _ => ":None",
    };
    match rng.u8(0..5) {
        0 => format!("<-[{name}{types}]-"),
        1 => format!("-[{name}{types}]-"),
        _ => format!("-[{name}{types}]->"),
    }
}

/// A condition on two nodes, or one that looks like it.
fn between(rng: &mut Rng, names: &[&str]) -> String {
    let at = rng.usize(0..names.len());
    let beside = (at + rng.usize(1..=names.len().min(3))) % names.len();
    let (one, other) = (names[at], names[beside]);
    match rng.u8(0..20) {
        12..17 | 0..3 => format!("{one} <> {other}"),
        3 | 4 => format!("{one}.k <> {other}.k"),
        5 | 6 | 17..20 => format!("{one}.v <> {other}.v"),
        7 => format!("NOT {one}.v = {other}.v"),
        8 => format!("NOT ({one}){}({other})", link(rng, "")),
        9 => format!("NOT EXISTS {{ MATCH ({one}){}({other}) }}", link(rng, "")),
        10 => format!("NOT EXISTS {{ ({one}){}({other}:A) }}", link(rng, "")),
        _ => format!("{one}.v < {other}.v"),
    }
}

/// A condition on what there is over links from a node, or one that looks like it.
fn hanging(rng: &mut Rng, from: &str) -> String {
    let mut pattern = format!("({from}){}{}", link(rng, ""), node(rng, ""));
    match rng.u8(0..10) {
        0 | 1 => pattern += &format!("{}{}", link(rng, ""), node(rng, "")),
        2 => pattern += &format!(", ({from}){}()", link(rng, "")),
        3 => pattern = format!("({from}){}({from})", link(rng, "")),
        4 => pattern = format!("({from}:A){}()", link(rng, "")),
        _ => {}
    }
    let than = ["=", "<", "<=", ">", ">=", "<>"][rng.usize(0..6)];
    let number = rng.i64(-1..4);
    match rng.u8(0..12) {
        0..3 => format!("EXISTS {{ {pattern} }}"),
        3..6 => format!("NOT EXISTS {{ {pattern} }}"),
        6..8 => format!("COUNT {{ {pattern} }} {than} {number}"),
        8 => format!("{number} {than} COUNT {{ {pattern} }}"),
        9 => format!("EXISTS {{ ({from}){}(e) WHERE e.v > 0 }}", link(rng, "")),
        10 => format!("NOT ({from}){}()", link(rng, "")),
        _ => format!("(EXISTS {{ {pattern} }} OR {from}.v = 1)"),
    }
}

/// What need not be there.
fn arm_of(rng: &mut Rng, from: &str, name: &str) -> String {
    let (own, more) = (format!("s{name}"), format!("t{name}"));
    let mut text = format!(
        "OPTIONAL MATCH ({from}){}{}",
        link(rng, &own),
        node(rng, name)
    );
    match rng.u8(0..6) {
        0 => text += &format!("{}{}", link(rng, &more), node(rng, &format!("{name}2"))),
        1 => text += &format!(", ({name}){}({name}2:A)", link(rng, &more)),
        _ => {}
    }
    match rng.u8(0..16) {
        0 => text += &format!(" WHERE {name}.v > 0"),
        1 => text += &format!(" WHERE {from}.v > 0"),
        2 => text += &format!(" WHERE {name} <> {from}"),
        3 => text += &format!(" WHERE {}", hanging(rng, name)),
        _ => {}
    }
    text + " "
}

/// A random question that is answered by counts, most of the time.
fn question(rng: &mut Rng) -> String {
    let nodes = rng.usize(1..=3);
    let mut text = match rng.u8(0..16) {
        0 => "MATCH (a) WHERE a.k < 4 ".to_owned(),
        1 | 2 => "UNWIND [1, 1, 2] AS k MATCH (a {k: k}) ".to_owned(),
        3 => "OPTIONAL MATCH (a {k: 77}) ".to_owned(),
        _ => String::new(),
    };
    let mut parts = vec![node(rng, "a")];
    let names = ["a", "b", "c", "d"];
    for number in 0..nodes {
        let from = match rng.u8(0..4) {
            0 => names[rng.usize(0..=number)],
            _ => names[number],
        };
        let (name, far) = (format!("r{number}"), node(rng, names[number + 1]));
        let part = format!("({from}){}{far}", link(rng, &name));
        parts.push(part);
    }
    if nodes > 1 && rng.u8(0..3) == 0 {
        let (one, other) = (names[rng.usize(0..nodes)], names[nodes]);
        let (from, to) = if rng.bool() {
            (one, other)
        } else {
            (other, one)
        };
        parts.push(format!("({from}){}({to})", link(rng, "s")));
    }
    if rng.u8(0..5) == 0 {
        let cut = rng.usize(1..=parts.len());
        let rest = parts.split_off(cut);
        text += &format!("MATCH {} ", parts.join(", "));
        if !rest.is_empty() {
            text += &format!("MATCH {} ", rest.join(", "));
        }
    } else {
        text += &format!("MATCH {} ", parts.join(", "));
    }
    let (any, last) = (names[rng.usize(0..=nodes)], names[nodes]);
    let mut conditions = Vec::new();
    if rng.u8(0..4) == 0 {
        let condition = ["v > 0", "v IS NULL", "v <> 1", "k IN [1, 2, 3]"][rng.usize(0..4)];
        conditions.push(format!("{any}.{condition}"));
    }
    for _ in 0..rng.usize(0..6).saturating_sub(3) {
        conditions.push(between(rng, &names[..=nodes]));
    }
    for _ in 0..rng.usize(0..7).saturating_sub(4) {
        let from = names[rng.usize(0..=nodes)];
        conditions.push(hanging(rng, from));
    }
    if !conditions.is_empty() {
        text += &format!("WHERE {} ", conditions.join(" AND "));
    }
    let mut last_arm = None;
    for number in 0..rng.usize(0..8).saturating_sub(5) {
        let from = last_arm.filter(|_| rng.u8(0..4) == 0);
        let from = from.unwrap_or(names[rng.usize(0..=nodes)]);
        let arm = ["x", "y", "z"][number];
        text += &arm_of(rng, from, arm);
        last_arm = Some(arm);
    }
    text + &match rng.u8(0..17) {
        12 if last_arm.is_some() => {
            let arm = last_arm.unwrap_or_default();
            format!("RETURN count({arm}) AS n, count(*) AS m")
        }
        0..3 => "RETURN count(*) AS n".to_owned(),
        3 => format!("RETURN count({any}) AS n, count(r0) AS m"),
        4 => format!("RETURN count(DISTINCT {last}) AS n"),
        5 => format!("RETURN count(DISTINCT {any}) AS n, count(*) AS m"),
        6 => format!("RETURN {any}.v AS v, count(*) AS n, count(DISTINCT {any}) AS m"),
        7 => {
            format!("WITH {any} AS x, count(*) AS n RETURN x.k AS k, n ORDER BY n DESC, k LIMIT 3")
        }
        8 => format!("RETURN {last}.v AS v, {last}.k % 2 AS k, count(DISTINCT {last}) AS n"),
        9 => "RETURN r0.w AS w, count(*) AS n".to_owned(),
        10 => format!("RETURN r0.w AS w, {any}.v AS v, count(*) AS n"),
        13 => format!("RETURN sum({any}.k) AS n, avg({any}.k) AS m, count({any}.v) AS v"),
        14 => format!("RETURN min({any}.v) AS n, max({any}.k % 3) AS m"),
        15 => format!(
            "RETURN {any}.v AS v, sum({any}.k) AS n, count(*) AS m, count(DISTINCT {any}) AS d"
        ),
        16 => format!("RETURN {any} AS x, avg({any}.k) AS n, max({any}.v) AS m"),
        _ => format!("RETURN count(*) AS n, max({any}.k) AS m"),
    }
}

/// The rows of a query, in an order of their own.
fn sorted(rows: Result<Rows<'_>, Error>) -> Vec<String> {
    let shown = |row: Result<Row, Error>| {
        let row = row.unwrap();
        // 1 and 1.0 are one group, which is shown as the one that was met first.
        let values = row.values().iter();
        let values = values.map(|value| value.to_string().replace("1.0", "1"));
        values.collect::<Vec<_>>().join(" | ")
    };
    let mut rows: Vec<String> = rows.unwrap().map(shown).collect();
    rows.sort();
    rows
}

fn is_counted(database: &Database, text: &str) -> bool {
    let rows = database.query(&format!("EXPLAIN {text}"), ()).unwrap();
    let plan = rows.summary().plan().map(str::to_string).unwrap();
    plan.contains("Walks ") || plan.contains("CountByProperty ")
}

/// Compares the answers of a seed; how many questions were answered by counts.
fn round(seed: u64) -> (usize, BTreeMap<&'static str, usize>) {
    let rng = &mut Rng::with_seed(seed);
    let kept = Database::in_memory().unwrap();
    fill(&kept, rng);
    // Without a place for projections only the neighbourhood can be read, or each row.
    let without = Database::builder().projection_cache_bytes(0);
    let without = without.in_memory().unwrap();
    fill(&without, rng);
    let mut found = BTreeMap::new();
    let mut counted = 0;
    for _ in 0..30 {
        let text = question(rng);
        for (name, database) in [("kept", &kept), ("without", &without)] {
            let plain = QueryOptions::new().optimise(false);
            // Of parts that need not be there some have millions of matches: nobody waits for their rows.
            let few = plain.clone().max_steps(100_000);
            let rows = database.query_with(&text, (), &few);
            if let Err(error) = rows.and_then(Rows::finish) {
                assert!(error.to_string().contains("StepLimit"), "{text}: {error}");
                continue;
            }
            let expected = sorted(database.query_with(&text, (), &plain));
            let case = format!("seed {seed}, {name}: {text}");
            for (batch, threads) in [(1, 1), (1024, 2)] {
                let options = QueryOptions::new().batch_rows(batch).threads(threads);
                let rows = sorted(database.query_with(&text, (), &options));
                assert_eq!(rows, expected, "{case}");
            }
            let tight = QueryOptions::new().memory_bytes(60_000);
            let rows = sorted(database.query_with(&text, (), &tight));
            assert_eq!(rows, expected, "with little memory, {case}");
            if is_counted(database, &text) {
                counted += 1;
                let kind = match expected.as_slice() {
                    [] => "none",
                    [one] if one.starts_with('0') => "zero",
                    [_] => "one",
                    _ => "several",
                };
                *found.entry(kind).or_insert(0) += 1;
            }
            // What is not committed is counted too, by whoever has written it.
            let mut writing = database.write().unwrap();
            let made = "MATCH (a) WHERE a.k < 3 CREATE (a)-[:X {w: 1}]->(:A {k: 50})<-[:X]-(a)";
            writing.query(made, ()).unwrap().finish().unwrap();
            let rows = sorted(writing.query(&text, ()));
            let expected = sorted(writing.query_with(&text, (), &plain));
            assert_eq!(rows, expected, "within a transaction, {case}");
            writing.rollback();
        }
    }
    (counted, found)
}

#[test]
fn counts_are_those_of_the_rows() {
    let number = |name| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().expect("a number"))
    };
    let seeds = match (number("WALKS_SEED"), number("WALKS_ROUNDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, rounds) => 0..rounds.unwrap_or(40),
    };
    let is_whole = seeds.end - seeds.start >= 40;
    let (mut counted, mut found) = (0, BTreeMap::new());
    for seed in seeds {
        let (more, kinds) = round(seed);
        counted += more;
        kinds
            .into_iter()
            .for_each(|(kind, more)| *found.entry(kind).or_insert(0) += more);
    }
    println!("{counted} counted: {found:?}");
    if is_whole {
        assert!(counted > 700, "{counted} of 2,400 were counted");
        assert!(found["several"] > 60 && found["one"] > 200, "{found:?}");
    }
}
