//! Conditions that an index settles: what it finds for a value is not asked again whether it has that value. So the
//! two must agree for every type of value, also where nothing is committed yet.
//!
//! Next: `plans.rs`.

use super::database;
use stratigraph::{Database, Parameters, QueryOptions, Value, WriteTxn};

/// Values by type, of which some are equal, and some nearly. What no property may hold is only looked for.
const VALUES: &[(&str, &[&str])] = &[
    (
        "integers and floats",
        &[
            "0",
            "0.0",
            "-0.0",
            "1",
            "1.0",
            "1.5",
            "-1",
            "9007199254740992",
            "9007199254740992.0",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775808.0",
            "1.0 / 0.0",
            "-1.0 / 0.0",
        ],
    ),
    ("NaN and null", &["0.0 / 0.0", "null"]),
    (
        "texts",
        &[
            "''",
            "'a'",
            "'A'",
            "'ab'",
            "'a\\u0000'",
            "'a\\u0000b'",
            "'\u{f6}'",
            "'o\u{308}'",
            "'1'",
        ],
    ),
    ("booleans", &["true", "false"]),
    (
        "lists",
        &[
            "[]",
            "[1]",
            "[1.0]",
            "[1, 2]",
            "['1']",
            "['a', 'b']",
            "[true]",
            "[0.0 / 0.0]",
            "[null]",
            "[[1]]",
        ],
    ),
    ("maps", &["{}", "{a: 1}"]),
    ("dates", &["date('2024-02-29')", "date('2024-03-01')"]),
    (
        "times",
        &[
            "time('12:00Z')",
            "time('13:00+01:00')",
            "localtime('12:00')",
            "localtime('12:00:00.000000001')",
        ],
    ),
    (
        "points in time",
        &[
            "datetime('2024-02-29T12:00Z')",
            "datetime('2024-02-29T13:00+01:00')",
            "datetime('2024-02-29T13:00+01:00[Europe/Oslo]')",
            "localdatetime('2024-02-29T12:00')",
        ],
    ),
    (
        "durations",
        &[
            "duration('P1D')",
            "duration('PT24H')",
            "duration('P1M')",
            "duration('P30D')",
        ],
    ),
    (
        "vectors",
        &["vector([0.0, 1.0])", "vector([-0.0, 1.0])", "vector([1.0])"],
    ),
];

fn all() -> impl Iterator<Item = &'static str> {
    VALUES.iter().flat_map(|(_, values)| values.iter().copied())
}

/// The value of an expression.
fn value(database: &Database, expression: &str) -> Value {
    let rows = database.query(&format!("RETURN {expression} AS value"), ());
    let row = rows.unwrap().next().unwrap().unwrap();
    row.into_values().remove(0)
}

/// Whatever may be asked.
trait Asked {
    fn ask(&mut self, text: &str, parameters: Parameters, optimise: bool) -> Vec<String>;
}

impl Asked for Database {
    fn ask(&mut self, text: &str, parameters: Parameters, optimise: bool) -> Vec<String> {
        let options = QueryOptions::new().optimise(optimise);
        let rows = self.query_with(text, parameters, &options).unwrap();
        rows.map(|row| row.unwrap().value(0).unwrap().to_string())
            .collect()
    }
}

impl Asked for WriteTxn {
    fn ask(&mut self, text: &str, parameters: Parameters, optimise: bool) -> Vec<String> {
        let options = QueryOptions::new().optimise(optimise);
        let rows = self.query_with(text, parameters, &options).unwrap();
        rows.map(|row| row.unwrap().value(0).unwrap().to_string())
            .collect()
    }
}

/// Asks for each value with and without the rules; how often something was found, and by which plan.
fn compare(of: &mut impl Asked, match_: &str, values: &[(&str, Value)]) -> usize {
    let text = format!("{match_} RETURN x.k AS k ORDER BY k");
    let plan = |of: &mut _, optimise| {
        let text = format!("EXPLAIN {text}");
        Asked::ask(of, &text, Parameters::new().with("v", 1), optimise).join("\n")
    };
    let (settled, asked) = (plan(of, true), plan(of, false));
    assert!(
        settled.contains("IndexSeek") && !settled.contains("Filter"),
        "{settled}"
    );
    assert!(
        !asked.contains("IndexSeek") && asked.contains("Filter"),
        "{asked}"
    );
    let mut found = 0;
    for (name, value) in values {
        let parameters = Parameters::new().with("v", value.clone());
        let [sought, filtered] =
            [true, false].map(|optimise| of.ask(&text, parameters.clone(), optimise));
        assert_eq!(sought, filtered, "{text}\n$v: {name}");
        found += usize::from(!sought.is_empty());
    }
    found
}

/// Stores each value that a property may hold, under its place.
fn filled(pattern: &str, declarations: &[&str]) -> (Database, Vec<(&'static str, Value)>) {
    let database = database(declarations);
    let values: Vec<_> = all().map(|name| (name, value(&database, name))).collect();
    for (at, (_, value)) in values.iter().enumerate() {
        let parameters = Parameters::new()
            .with("v", value.clone())
            .with("k", at as i64);
        // What cannot be stored can be asked for all the same.
        let stored = database.query(
            &format!("CREATE {pattern} SET x.v = $v, x.w = 1, x.k = $k"),
            parameters,
        );
        let _ = stored.map(|rows| rows.finish().unwrap());
    }
    (database, values)
}

#[test]
fn an_index_settles_equality_for_every_type() {
    let (mut database, values) = filled(
        "(x:N)",
        &[
            "UNWIND range(1, 1000) AS n CREATE (:Other)",
            "CREATE INDEX v FOR (x:N) ON (x.v)",
        ],
    );
    for text in [
        "MATCH (x:N {v: $v})",
        "MATCH (x:N) WHERE x.v = $v",
        "MATCH (x:N) WHERE $v = x.v",
    ] {
        let found = compare(&mut database, text, &values);
        // All but NaN, null, maps, and lists with any of these, or with lists.
        assert_eq!(found, values.len() - 7, "{text}");
    }
}

#[test]
fn an_index_over_two_properties_settles_both() {
    let (mut database, values) = filled(
        "(x:N)",
        &[
            "UNWIND range(1, 1000) AS n CREATE (:Other)",
            "CREATE INDEX w_v FOR (x:N) ON (x.w, x.v)",
        ],
    );
    let found = compare(&mut database, "MATCH (x:N {w: 1, v: $v})", &values);
    assert_eq!(found, values.len() - 7);
    assert_eq!(
        compare(&mut database, "MATCH (x:N {w: 1.5, v: $v})", &values),
        0
    );
}

#[test]
fn a_constraint_settles_what_its_transaction_has_changed() {
    let mut database = database(&[
        "CREATE CONSTRAINT v FOR (x:N) REQUIRE x.v IS UNIQUE",
        "UNWIND range(1, 1000) AS n CREATE (:Other)",
        "UNWIND range(1, 9) AS n CREATE (:N {v: n, k: n})",
    ]);
    let values = ["1", "2", "3.0", "4", "5", "6", "10", "11", "12"];
    let values: Vec<_> = { values.iter() }
        .map(|name| (*name, value(&database, name)))
        .collect();
    let text = "MATCH (x:N {v: $v})";
    assert_eq!(compare(&mut database, text, &values), 6);
    let mut transaction = database.write().unwrap();
    for change in [
        "MATCH (x:N {v: 1}) SET x.v = 10",
        "MATCH (x:N {v: 2}) SET x.v = null",
        "MATCH (x:N {v: 3}) REMOVE x:N",
        "MATCH (x:N {v: 4}) DELETE x",
        "MATCH (x:N {v: 5}) SET x.v = 5.0",
        "CREATE (:N {v: 11, k: 11}), (:Other {v: 12, k: 12})",
        "MATCH (x:Other {v: 12}) SET x:N",
        "MATCH (x:N {v: 6}) SET x.v = 7.5 WITH x MATCH (y:N {v: 7}) SET y.v = 6 WITH x SET x.v = 7",
    ] {
        transaction.query(change, ()).unwrap().finish().unwrap();
    }
    // 5, 6, 10, 11 and 12 are left.
    assert_eq!(compare(&mut transaction, text, &values), 5);
    transaction.commit().unwrap();
    assert_eq!(compare(&mut database, text, &values), 5);
}

/// Where looking a value up may fail, the condition is kept: it must fail for the first row that it is asked of, and
/// only then.
#[test]
fn a_condition_whose_value_may_fail_is_kept() {
    let mut database = database(&[
        "UNWIND range(1, 1000) AS n CREATE (:Other)",
        "UNWIND range(1, 100) AS n CREATE (:N {v: n}), (:M {v: n, w: n})",
        "CREATE INDEX v FOR (x:N) ON (x.v)",
        "CREATE INDEX w_v FOR (x:M) ON (x.w, x.v)",
    ]);
    for (text, filters) in [
        ("MATCH (x:N) WHERE x.v = 1 / $v RETURN x", 1),
        ("MATCH (x:N) WHERE x.v = toInteger($v) RETURN x", 1),
        ("MATCH (y:N {v: 1}), (x:N) WHERE x.v = y.v RETURN x", 1),
        ("MATCH (x:N) WHERE 1 = x.v = $v RETURN x", 1),
        ("MATCH (x:N) WHERE x.v = 1 AND x.v = $v RETURN x", 1),
        ("MATCH (x:N) WHERE x.v = 1 AND x.v > $v RETURN x", 1),
        ("MATCH (x:M) WHERE x.w = $v AND x.v = 1 / $v RETURN x", 2),
        ("MATCH (x:M) WHERE x.w = $v AND x.v > 1 RETURN x", 1),
        ("UNWIND [1, 2] AS v MATCH (x:N {v: v}) RETURN x", 0),
    ] {
        let plan = database.ask(
            &format!("EXPLAIN {text}"),
            Parameters::new().with("v", 1),
            true,
        );
        let shown = plan.join("\n");
        assert!(shown.contains("IndexSeek (x)"), "{text}\n{shown}");
        let kept = plan.iter().filter(|line| line.contains("Filter"));
        assert_eq!(kept.count(), filters, "{text}\n{shown}");
    }
}
