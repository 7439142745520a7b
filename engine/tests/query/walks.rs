//! Counts of matches beside the same counts row by row: random small graphs with loops, parallel relationships and
//! nodes that were deleted, random patterns, the same rows with and without the planner's rules.
//!
//! `WALKS_SEED` runs one seed again, `WALKS_ROUNDS` runs as many as are asked for.
//!
//! Next: `main.rs`.

use super::database;
use fastrand::Rng;
use std::collections::BTreeMap;
use stratigraph::{Database, Error, PlannerRule, QueryOptions, Row, Rows, Value};

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
            if rows.and_then(Rows::finish).is_err() {
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

/// Rows and seeks of the operators, by their first words.
fn works(database: &Database, text: &str, optimise: bool) -> Vec<(String, u64, u64)> {
    let options = QueryOptions::new().optimise(optimise);
    let rows = database.query_with(&format!("PROFILE {text}"), (), &options);
    let summary = rows.unwrap().finish().unwrap();
    let works = summary.operators().iter().map(|one| {
        let word = one.text().split(' ').next().unwrap_or_default();
        let work = one.work().unwrap();
        (word.to_owned(), work.rows, work.seeks)
    });
    works.collect()
}

/// 300 nodes with twenty relationships each.
fn hubs() -> Database {
    database(&[
        "CREATE INDEX n_k FOR (n:N) ON (n.k)",
        "UNWIND range(0, 299) AS k CREATE (:N {k: k, v: k % 7})",
        "MATCH (n:N) UNWIND range(1, 20) AS i MATCH (m:N {k: (n.k * 7 + i * i) % 300}) CREATE (n)-[:T {w: i % 3}]->(m)",
    ])
}

#[test]
fn a_count_makes_one_row_and_reads_each_node_once() {
    let database = hubs();
    let text = "MATCH (n:N {k: 3})-[:T]->()-[:T]->()-[:T]->(m:N) RETURN count(*) AS n";
    let works_of = |optimise| works(&database, text, optimise);
    let (found, rows) = (works_of(true), works_of(false));
    let made = |works: &[(String, u64, u64)]| works.iter().map(|one| one.1).sum::<u64>();
    let words: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(words, ["IndexSeek", "Walks", "Compute"]);
    assert!(made(&found) <= 3, "{found:?}");
    assert!(made(&rows) > 8_000, "{rows:?}");
    // The rows of twenty nodes beside the first, the degrees of at most 300, and nothing twice.
    assert!(found[1].2 <= 1 + 20 + 300, "{found:?}");
    let rows: u64 = rows.iter().map(|one| one.2).sum();
    assert!(rows > 8_000, "{rows}");
}

#[test]
fn a_whole_graph_is_read_once_for_each_commit() {
    let database = hubs();
    let text = "MATCH (a:N)-[:T]->(b)-[:T]->(c), (a)-[:T]->(c) RETURN count(*) AS n";
    let (first, second) = (works(&database, text, true), works(&database, text, true));
    assert_eq!(first[0].0, "Walks");
    assert_eq!(first[0].1, 1);
    assert!(second[0].2 <= 10, "it is kept: {second:?}");
    let count = |optimise| {
        let options = QueryOptions::new().optimise(optimise);
        sorted(database.query_with(text, (), &options))
    };
    let before = count(true);
    assert_eq!(before, count(false));
    change(&database, "MATCH (a:N {k: 5}) DETACH DELETE a");
    assert_eq!(count(true), count(false));
    assert_ne!(count(true), before);
}

/// How many relationships there are of a type, with labels that all of them have, is known.
#[test]
fn what_is_counted_already_is_not_counted() {
    let database = hubs();
    let text = "MATCH (:N)-[r:T]->(:N) RETURN count(r) AS n";
    assert!(works(&database, text, true)[0].2 < 10);
    let rows = sorted(database.query(text, ()));
    assert_eq!(
        rows,
        sorted(database.query_with(text, (), &QueryOptions::new().optimise(false)))
    );
    // One without the label, and it has to be looked at.
    change(&database, "MATCH (a:N {k: 5}) CREATE (a)-[:T]->(:Other)");
    assert_eq!(rows, sorted(database.query(text, ())));
    assert_ne!(
        rows,
        sorted(database.query("MATCH ()-[r:T]->() RETURN count(r) AS n", ()))
    );
}

/// The same with the rules and without: `(number of rows, the count)` is checked too, so that nothing is compared with
/// nothing.
fn agrees(database: &Database, text: &str, count: &str) {
    assert!(is_counted(database, text), "{text}");
    is_the_same(database, text, count);
}

fn is_the_same(database: &Database, text: &str, count: &str) {
    let plain = QueryOptions::new().optimise(false);
    let rows = sorted(database.query(text, ()));
    assert_eq!(
        rows,
        sorted(database.query_with(text, (), &plain)),
        "{text}"
    );
    assert_eq!(rows, [count], "{text}");
}

/// All that have a relationship may have a label, and what need not have it may not.
#[test]
fn a_label_is_asked_where_a_link_need_not_be_there() {
    let database = database(&[
        "CREATE (a:A), (b:B), (c:C), (c)-[:X]->(a), (c)-[:X]->(b), (a)-[:Y]->(b), (a)-[:Y]->(c)",
    ]);
    agrees(
        &database,
        "MATCH (c)-[:X]->(a:A) OPTIONAL MATCH (a)-[:Y]->(z) RETURN count(*) AS n",
        "2",
    );
    agrees(
        &database,
        "MATCH (c)-[:X]->(b) OPTIONAL MATCH (b)-[:Y]->(z) RETURN count(*) AS n",
        "3",
    );
}

/// What must not be there may be written from either end.
#[test]
fn what_is_not_there_is_seen_from_either_end() {
    let database = database(&[
        "CREATE (a:A)-[:X]->(b:B), (a)-[:Y]->(b), (a)-[:X]->(c:B), (c)-[:Y]->(a), (a)-[:X]->(:B)",
    ]);
    for (condition, count) in [
        ("NOT (a)-[:Y]->(b)", "2"),
        ("NOT (b)<-[:Y]-(a)", "2"),
        ("NOT (b)-[:Y]->(a)", "2"),
        ("NOT (a)-[:Y]-(b)", "1"),
        ("NOT EXISTS { (b)-[:Y]->(a) } AND NOT (b)<-[:Y]-(a)", "1"),
        ("NOT (b)-[:X]->(a)", "3"),
    ] {
        let text = format!("MATCH (a:A)-[:X]->(b:B) WHERE {condition} RETURN count(*) AS n");
        agrees(&database, &text, count);
    }
}

/// Whether values are equal is not always a matter of classes.
#[test]
fn what_differs_is_what_is_not_equal() {
    for (values, count) in [
        ("[1, 2, 2, 1.0]", "8"),
        ("[1, 'x', null, 'x']", "4"),
        ("[0.0 / 0.0, 0.0 / 0.0, 1, 1]", "10"),
        ("[[1, 2], [1, 2], [2], 1]", "10"),
        ("[[0.0 / 0.0], [0.0 / 0.0], 1, 1]", "10"),
    ] {
        let database = database(&[&format!(
            "CREATE (m:M) WITH m UNWIND {values} AS v CREATE (m)-[:X]->(:N {{v: v}})"
        )]);
        // Of four values, in twelve pairs.
        let text = "MATCH (a)<-[:X]-(m:M)-[:X]->(b) WHERE a.v <> b.v RETURN count(*) AS n";
        agrees(&database, text, count);
    }
}

/// A figure may be turned more than once, each time along other relationships.
#[test]
fn a_figure_is_turned_along_several_types() {
    let text = "CREATE (a:A)-[:X]->(b:B)-[:X]->(c:C), (b)-[:Y]->(d:D)-[:Y]->(e:E), (b)-[:Z]->(e)";
    for (pattern, count) in [
        ("(a:A)-[:X]->(b)-[:X]->(c), (b)-[:Y]->(d)-[:Y]->(e)", "1"),
        ("(b)-[:Y]->(d)-[:Y]->(e), (a)-[:X]->(b)-[:X]->(c)", "1"),
        ("(a:A)-[:X]->(b)-[:X]->(c), (b)-[:Z]->(d)-[:Y]->(e)", "0"),
        (
            "(a:A)-[:X]->(b)-[:X]->(c), (b)-[:Y]->(d)-[:Y]->(e), (b)-[:Z]->(f)",
            "1",
        ),
    ] {
        // Anew each time: what was built for another query must not help.
        let database = database(&[text]);
        let text = format!("MATCH {pattern} RETURN count(*) AS n");
        agrees(&database, &text, count);
    }
}

/// Where only the lengths of rows were read, nobody knows where they lead.
#[test]
fn lengths_of_rows_are_not_taken_for_rows() {
    let others = "UNWIND range(1, 40) AS i CREATE (:O {k: i})-[:X]->(:O)";
    let database = database(&[
        others,
        "CREATE (a:A)-[:Y]->(d), (a)-[:X]->(d)",
        "CREATE (a:B)-[:Y]->(:D), (a)-[:X]->(:D)",
    ]);
    for (label, count) in [("A", "0"), ("B", "1")] {
        let text = format!(
            "MATCH (a:{label})-[:Y]->(d) WHERE NOT (a)-[:X]->(d) MATCH (a)-[:X]->(c) RETURN count(*) AS n"
        );
        agrees(&database, &text, count);
    }
}

/// What need not be there is asked about where something else need not be there.
#[test]
fn what_need_not_be_there_may_depend_on_what_is_not() {
    let database = database(&["CREATE (a:A)-[:X]->(b:B), (a)-[:Y]->(), (a)-[:Y]->()"]);
    for (condition, count) in [
        ("x IS NOT NULL", "1"),
        ("a IS NOT NULL", "2"),
        ("b IS NOT NULL", "2"),
    ] {
        let text = format!(
            "MATCH (a)-[:X]->(b) OPTIONAL MATCH (b)-[:Z]->(x) OPTIONAL MATCH (a)-[:Y]->(d) WHERE {condition} RETURN count(*) AS n"
        );
        is_the_same(&database, &text, count);
    }
}

/// A name that is computed may be none: it is asked of those alone that are matched.
#[test]
fn labels_that_are_computed_are_asked_of_matches() {
    let database = database(&["CREATE (:A), (:B)"]);
    let rows = database.query_with(
        "MATCH (a:A)-[:X]->(b:$($x)) RETURN count(*) AS n",
        [("x", 5)],
        &QueryOptions::new(),
    );
    let rows: Vec<i64> = rows
        .unwrap()
        .map(|row| row.unwrap().get("n").unwrap())
        .collect();
    assert_eq!(rows, [0]);
}

/// What is found from a node is asked of a node that may be met often, and that may be the first, the last, or between.
#[test]
fn what_hangs_on_a_node_is_one_or_nothing() {
    let database = database(&[
        "CREATE (a:A), (b:B), (c:C), (d:D {v: 1}), (a)-[:X]->(b), (a)-[:X]->(b), (a)-[:X]->(c), (c)-[:X]->(c)",
        "MATCH (b:B), (c:C), (d:D) CREATE (b)-[:Y]->(d), (b)-[:Y]->(d), (c)-[:Y]->(b)-[:Z]->(b), (d)-[:Y]->(c)",
    ]);
    for (condition, count) in [
        // Twice to b, once to c, and c to itself.
        ("EXISTS { (m)-[:Y]->() }", "4"),
        ("EXISTS { (m)-[:Y|Y]->(:D) }", "2"),
        ("NOT EXISTS { (m)-[:Y]->(:D) }", "2"),
        ("EXISTS { (m)-[:Y]->(e) WHERE e.v = 1 }", "2"),
        ("EXISTS { (n)-[:Y]->() }", "1"),
        ("NOT (n)-[:Y]->()", "3"),
        ("COUNT { (m)-[:Y]->() } = 2", "2"),
        ("COUNT { (m)-[:Y]->() } = 1", "2"),
        ("COUNT { (n)-[:X]->() } < 3", "1"),
        (
            "COUNT { (m)-[:Y]->() } > 1 AND 1 < COUNT { (n)-[:X]->() }",
            "2",
        ),
        ("COUNT { (m)-[:Y]-() } >= 3", "2"),
        // A loop is one relationship, whichever way it is met.
        ("COUNT { (m)-[:X]-() } = 2", "4"),
        ("COUNT { (m)-[:Z]-() } = 1", "2"),
        ("COUNT { (m)-[:Y]->() } < 0", "0"),
        ("COUNT { (m)-[:Y]->() } > -1", "4"),
        ("NOT EXISTS { (m)-[:None]->() }", "4"),
        ("EXISTS { (m)-[:Y]->()-[:Z]->() }", "2"),
        ("COUNT { (m)<-[:X]-()-[:Y]->() } < 1", "2"),
        // Of a relationship and the same one again there is no chain.
        ("EXISTS { (m)-[:X]->()-[:X]->() }", "0"),
    ] {
        let text = format!("MATCH (n)-[:X]->(m) WHERE {condition} RETURN count(*) AS n");
        is_the_same(&database, &text, count);
    }
    for condition in ["EXISTS { (m)-[:Y]->(:D) }", "COUNT { (n)-[:X]->() } > 2"] {
        for wanted in [
            "m.v AS v, count(*)",
            "count(DISTINCT n)",
            "count(DISTINCT m)",
        ] {
            let text = format!("MATCH (n)-[:X]->(m) WHERE {condition} RETURN {wanted} AS n");
            assert!(is_counted(&database, &text), "{text}");
            let plain = QueryOptions::new().optimise(false);
            let rows = sorted(database.query(&text, ()));
            assert_eq!(
                rows,
                sorted(database.query_with(&text, (), &plain)),
                "{text}"
            );
        }
    }
}

/// Of what is null nothing is found: a condition on it is not one on places.
#[test]
fn what_hangs_on_what_is_not_there_is_not_counted() {
    let database = database(&["CREATE (:A)-[:X]->(:B)-[:Y]->(:C), (:A)-[:X]->(:D)"]);
    for (condition, count) in [
        ("NOT EXISTS { (c)-[:Z]->() }", "2"),
        ("COUNT { (c)-[:Z]->() } = 0", "2"),
        ("EXISTS { (c)<-[:Y]-() }", "1"),
        ("NOT EXISTS { (c)<-[:Y]-() }", "1"),
    ] {
        let text = format!(
            "MATCH (a:A)-[:X]->(b) OPTIONAL MATCH (b)-[:Y]->(c) WITH a, b, c WHERE {condition} RETURN count(*) AS n"
        );
        is_the_same(&database, &text, count);
        let text = format!(
            "MATCH (a:A)-[:X]->(b) OPTIONAL MATCH (b)-[:Y]->(c) WHERE {condition} RETURN count(*) AS n"
        );
        is_the_same(&database, &text, "2");
    }
}

/// Each node that is met is asked once, and only for the length of its row.
#[test]
fn what_hangs_on_a_node_is_read_once_for_each_node() {
    let database = hubs();
    for text in [
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) WHERE EXISTS { (m)<-[:T]-() } RETURN count(*) AS n",
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) WHERE COUNT { (m)<-[:T]-() } > 3 RETURN count(*) AS n",
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) WHERE NOT EXISTS { (m)<-[:T]-() } RETURN count(*) AS n",
    ] {
        let found = works(&database, text, true);
        let words: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(words, ["IndexSeek", "Walks", "Compute"], "{text}");
        // One start, twenty rows, and the lengths of at most 300.
        assert!(found[1].2 <= 1 + 20 + 300, "{text}: {found:?}");
        assert!(found.iter().map(|one| one.1).sum::<u64>() <= 3, "{found:?}");
        let rows = works(&database, text, false);
        assert!(rows.iter().map(|one| one.2).sum::<u64>() > 400, "{rows:?}");
        let plain = QueryOptions::new().optimise(false);
        assert_eq!(
            sorted(database.query(text, ())),
            sorted(database.query_with(text, (), &plain))
        );
    }
    // Over the whole graph no node is asked by itself once the rows are there.
    let text = "MATCH (n:N)-[:T]->(m) WHERE EXISTS { (m)-[:T]->() } AND NOT EXISTS { (n)<-[:T]-(:Other) } RETURN count(*) AS n";
    works(&database, text, true);
    let again = works(&database, text, true);
    assert_eq!(again[0].0, "Walks", "{again:?}");
    assert!(again[0].2 <= 10, "{again:?}");
}

/// A number is added as often as its node is met. What depends on the order of rows, or fails, is left to them.
#[test]
fn sums_and_extremes_are_those_of_the_rows() {
    let whole = i64::MAX;
    for (values, wanted, expected) in [
        (
            "[1, 2, null, 4]",
            "sum(b.v), avg(b.v), count(b.v), min(b.v), max(b.v)",
            "[21 | 3.0 | 7 | 1 | 4]",
        ),
        (
            "[null, null]",
            "sum(b.v), avg(b.v), count(b.v), min(b.v), max(b.v)",
            "[0 | null | 0 | null | null]",
        ),
        ("[]", "sum(b.v), avg(b.v), max(b.v)", "[0 | null | null]"),
        ("['b', 'a', 3, true]", "min(b.v), max(b.v)", "['a' | 3]"),
        (
            "[0.5, 0.25]",
            "sum(b.v), avg(b.v)",
            "[1.0 | 0.3333333333333333]",
        ),
        ("[1, 2.5]", "sum(b.v), max(b.v)", "[6.0 | 2.5]"),
        (
            &format!("[{whole}, -{whole}]"),
            "sum(b.v)",
            &format!("[-{whole}]"),
        ),
        (&format!("[{whole}]"), "sum(b.v)", &format!("[{whole}]")),
        (&format!("[0, {whole}]"), "sum(b.v)", "IntegerOverflow"),
        ("[1, 'x']", "sum(b.v)", "InvalidArgument"),
    ] {
        // The first is met once, the second twice, and so on.
        let database = database(&[
            "CREATE (:A)",
            &format!(
                "MATCH (a:A) UNWIND range(1, size({values})) AS i CREATE (a)-[:X]->(:B {{i: i, v: {values}[i - 1]}})"
            ),
            "MATCH (a:A), (b:B) UNWIND range(2, b.i) AS i CREATE (a)-[:X]->(b)",
        ]);
        let text = format!("MATCH (a:A)-[:X]->(b:B) RETURN {wanted}");
        assert!(is_counted(&database, &text), "{text}");
        for options in [QueryOptions::new(), QueryOptions::new().optimise(false)] {
            let rows = database.query_with(&text, (), &options);
            let rows: Result<Vec<String>, Error> = rows.and_then(|rows| {
                let rows = rows.map(|row| {
                    row.map(|row| {
                        let values = row.values().iter().map(ToString::to_string);
                        values.collect::<Vec<_>>().join(" | ")
                    })
                });
                rows.collect()
            });
            let found = match rows {
                Ok(rows) => format!("[{}]", rows.join(", ")),
                Err(error) => error.to_string(),
            };
            assert!(found.contains(expected), "{values}, {wanted}: {found}");
        }
    }
}

/// A property is read once for each node, however often that is met.
#[test]
fn a_sum_reads_each_node_once() {
    let database = hubs();
    let text = "MATCH (n:N {k: 3})-[:T]->()-[:T]->(m) RETURN sum(m.v) AS n";
    let found = works(&database, text, true);
    let words: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(words, ["IndexSeek", "Walks", "Compute"]);
    assert!(found[1].1 == 1 && found[1].2 <= 1 + 20 + 300, "{found:?}");
    let plain = QueryOptions::new().without_rule(PlannerRule::SumOverCounts);
    assert_eq!(
        sorted(database.query(text, ())),
        sorted(database.query_with(text, (), &plain))
    );
}

/// What is read around a start counts, and ends a query that may do no more.
#[test]
fn a_count_has_its_limits() {
    let database = hubs();
    for text in [
        "MATCH (n:N {k: 3})-[:T]->()-[:T]->()-[:T]->(m) RETURN count(DISTINCT m) AS n",
        "MATCH (a:N)-[:T]->()-[:T]->()-[:T]->()-[:T]->(m) RETURN count(*) AS n",
    ] {
        let options = QueryOptions::new().max_steps(500);
        let error = database.query_with(text, (), &options);
        let error = error.and_then(Rows::finish).err().unwrap().to_string();
        assert!(error.contains("StepLimit"), "{text}: {error}");
    }
}
