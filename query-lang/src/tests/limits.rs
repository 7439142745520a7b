//! Depth and time: hostile texts are refused or read, in linear time and on a small stack.

use crate::{MAX_DEPTH, ParseErrorKind, complete, is_complete, parse, split};
use std::time::{Duration, Instant};

/// A text that nests: its beginning, what is repeated before the middle, the middle, what is repeated
/// after it, and its end.
type Nest = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const NESTS: &[Nest] = &[
    ("RETURN ", "(", "1", ")", ""),
    (
        "RETURN ",
        "a OR b XOR c AND NOT d = e IN f + g * h ^ -(",
        "1",
        ")",
        "",
    ),
    ("RETURN ", "[", "1", "]", ""),
    ("RETURN ", "{a:", "1", "}", ""),
    ("RETURN ", "f(", "1", ")", ""),
    ("RETURN ", "NOT ", "1", "", ""),
    ("RETURN ", "-", "1", "", ""),
    ("RETURN a", ".b", "", "", ""),
    ("RETURN a", "[0]", "", "", ""),
    ("RETURN a", "[a", "", "]", ""),
    ("RETURN a", " IS NULL", "", "", ""),
    ("RETURN a", ":A IS NULL", "", "", ""),
    ("RETURN a", " IN b", "", "", ""),
    ("RETURN ", "(a)-->(b {c: ", "1", "})", ""),
    ("RETURN ", "[x IN a WHERE ", "1", "]", ""),
    ("RETURN ", "[x IN ", "a", "| 1]", ""),
    ("RETURN ", "[(a)-->(b {a:", "1", "}) | 1]", ""),
    ("RETURN ", "all(x IN ", "a", " WHERE 1)", ""),
    ("RETURN ", "reduce(a = ", "1", ", x IN a | 1)", ""),
    ("RETURN ", "CASE WHEN ", "1", " THEN 1 END", ""),
    ("RETURN ", "CASE ", "1", " WHEN 1 THEN 1 END", ""),
    ("RETURN ", "n {a: ", "1", "}", ""),
    (
        "RETURN ",
        "EXISTS { MATCH (n WHERE a OR b XOR c AND NOT ",
        "1",
        ") }",
        "",
    ),
    ("RETURN ", "COUNT { MATCH (n) RETURN ", "1", " }", ""),
    ("RETURN ", "shortestPath((a {b: ", "1", "}))", ""),
    ("MATCH ", "(", "(a)", ")", " RETURN 1"),
    ("MATCH (n:", "(", "A", ")", ") RETURN 1"),
    ("MATCH (n:", "!", "A", "", ") RETURN 1"),
    ("MATCH (n:", "$(n:", "A", ")", ") RETURN 1"),
    (
        "MATCH ()-[",
        "r {a: EXISTS {()-[",
        "",
        "]-()}}",
        "]-() RETURN 1",
    ),
    ("", "CALL { ", "RETURN 1", " }", ""),
    (
        "",
        "CALL { TRAVERSE FROM a STEP (a)-->(b) YIELD node ",
        "RETURN 1",
        " }",
        "",
    ),
    (
        "RETURN ",
        "EXISTS { TRAVERSE FROM a STEP (a)-->(b {c: ",
        "1",
        "}) YIELD node RETURN node }",
        "",
    ),
    (
        "RETURN ",
        "EXISTS { TRAVERSE FROM a STEP (a)-->(b) LEVELS ..1 RECOVER (m) KEEP TOP ",
        "1",
        " YIELD node RETURN node }",
        "",
    ),
    (
        "RETURN ",
        "COUNT { MATCH (n) SEARCH n IN (VECTOR INDEX i FOR ",
        "1",
        " LIMIT 1) RETURN n }",
        "",
    ),
    ("", "FOREACH (x IN y | ", "SET a.b = 1", ")", ""),
    (
        "CREATE CONSTRAINT FOR (n:A) REQUIRE n.a IS TYPED ",
        "LIST<",
        "INTEGER",
        ">",
        "",
    ),
];

fn nested(nest: &Nest, count: usize) -> String {
    let (start, open, middle, close, end) = nest;
    format!(
        "{start}{}{middle}{}{end}",
        open.repeat(count),
        close.repeat(count)
    )
}

/// The stack of a thread that nobody gave more: two MiB, of which the caller has some.
fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const STACK: usize = 3 << 19;
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .unwrap()
            .join()
            .unwrap()
    })
}

#[test]
fn a_million_brackets_are_refused_on_a_small_stack() {
    for nest in NESTS {
        // A million of each would only take longer: the parser stops as soon as it is too deep.
        let count = if nest.1.len() == 1 { 1_000_000 } else { 20_000 };
        let text = nested(nest, count);
        on_a_small_stack(|| match parse(&text) {
            Err(mistake) => assert_eq!(mistake.kind, ParseErrorKind::NestingTooDeep, "{nest:?}"),
            // A type is no tree.
            Ok(_) => assert_eq!(nest.1, "LIST<"),
        });
    }
}

#[test]
fn as_deep_as_allowed_is_parsed_printed_and_dropped_on_a_small_stack() {
    for nest in NESTS {
        let deepest = (1..=MAX_DEPTH)
            .rev()
            .find(|count| {
                let text = nested(nest, *count);
                on_a_small_stack(|| match parse(&text) {
                    Ok(statement) => {
                        assert!(!statement.to_string().is_empty());
                        assert!(!format!("{:?}", statement.clone()).is_empty());
                        true
                    }
                    Err(mistake) => {
                        assert_eq!(
                            mistake.kind,
                            ParseErrorKind::NestingTooDeep,
                            "{nest:?}: {mistake:?}"
                        );
                        false
                    }
                })
            })
            .unwrap_or(0);
        assert!(deepest >= 10, "{nest:?} ends at {deepest}");
    }
}

#[test]
fn plain_brackets_nest_more_than_a_hundred_deep() {
    for nest in &NESTS[..1] {
        assert!(parse(&nested(nest, 120)).is_ok());
        assert!(parse(&nested(nest, MAX_DEPTH + 1)).is_err());
    }
}

#[test]
fn what_is_flat_is_no_deeper_for_being_long() {
    for part in [
        " + 1", " OR a", " AND a", " < 2", ", 1", " - b", " * 2", " ^ 2", " || 'a'",
    ] {
        let text = format!("RETURN 1{}", part.repeat(100_000));
        assert!(parse(&text).is_ok(), "{part}");
    }
    let path = format!("MATCH (a){} RETURN 1", "-->(a)".repeat(100_000));
    assert!(parse(&path).is_ok());
    let labels = format!("MATCH (a:A{}) RETURN 1", "&A".repeat(100_000));
    assert!(parse(&labels).is_ok());
    let unions = format!("RETURN 1{}", " UNION RETURN 1".repeat(10_000));
    assert!(parse(&unions).is_ok());
}

/// Texts of about `bytes`, of shapes that a careless parser would read again and again.
fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let repeat = |part: &str| part.repeat(bytes / part.len());
    vec![
        ("open parentheses", format!("RETURN {}", repeat("("))),
        ("open brackets", format!("RETURN {}", repeat("["))),
        ("open braces", format!("RETURN {}", repeat("{"))),
        ("mixed brackets", repeat("([{")),
        ("closed parentheses", repeat(")")),
        ("brackets that cross", repeat("([)]")),
        ("nodes", format!("MATCH {}", repeat("(a)-->"))),
        (
            "paths in parentheses",
            format!("RETURN 1{}", repeat(" + (a)-[b]")),
        ),
        (
            "path predicates",
            format!("RETURN 1{}", repeat(", (a)-[b]-(c)")),
        ),
        (
            "not quite paths",
            format!("RETURN 1{}", repeat(" - (a) - [b]")),
        ),
        (
            "comprehensions",
            format!("RETURN 1{}", repeat(", [x IN [1] | x]")),
        ),
        (
            "not quite comprehensions",
            format!("RETURN 1{}", repeat(", [x IN [y IN [1, 2], 3], 4]")),
        ),
        ("a long list", format!("RETURN [x IN a {}]", repeat(", x"))),
        ("a sum", format!("RETURN 1{}", repeat(" + 1"))),
        ("a conjunction", format!("RETURN a{}", repeat(" AND a"))),
        ("a comparison", format!("RETURN a{}", repeat(" < a"))),
        ("properties", format!("RETURN a{}", repeat(".b"))),
        (
            "a dotted function",
            format!("RETURN 1{}", repeat(", a.b.c.d(1)")),
        ),
        (
            "cases",
            format!("RETURN CASE {} END", repeat("WHEN 1 THEN 2 ")),
        ),
        ("negations", format!("RETURN {}1", repeat("NOT "))),
        ("minuses", format!("RETURN {}1", repeat("- "))),
        ("an unclosed string", format!("RETURN '{}", repeat("a"))),
        ("quotes", format!("RETURN '{}", repeat("''"))),
        ("escapes", format!("RETURN '{}'", repeat("\\n"))),
        ("an unclosed name", format!("RETURN `{}", repeat("a"))),
        ("a comment", format!("RETURN 1 /*{}*/", repeat("*"))),
        (
            "an unclosed comment",
            format!("RETURN 1 /*{}", repeat("/*")),
        ),
        ("lines of comments", format!("RETURN 1 {}", repeat("//\n"))),
        ("a long name", format!("RETURN {}", repeat("é"))),
        ("a long number", format!("RETURN {}", repeat("1"))),
        ("dollars", repeat("$")),
        ("dots", format!("RETURN [{}", repeat("."))),
        ("semicolons", repeat(";")),
        ("statements", repeat("RETURN 1; ")),
        ("slips", format!("RETURN 1 {}", repeat("RETRUN "))),
        (
            "clauses",
            format!("{} RETURN 1", repeat("MATCH (n:A {b: 1}) WHERE n.c > 2 ")),
        ),
        ("maps", format!("RETURN [1{}]", repeat(", {a: 1, b: 'c'}"))),
        ("selectors", format!("MATCH {}", repeat("ANY SHORTEST "))),
        (
            "traversals",
            format!(
                "{} RETURN 1",
                repeat("TRAVERSE FROM a STEP (a)-->(b) KEEP TOP 3 YIELD node ")
            ),
        ),
        (
            "a long step",
            format!(
                "TRAVERSE FROM a STEP (a){} YIELD node",
                repeat("-[:T]->(b)")
            ),
        ),
        ("roots that never end", repeat("TRAVERSE FROM (")),
        (
            "options twice",
            format!("TRAVERSE FROM a STEP (a)-->(b) {}", repeat("EMIT KEPT ")),
        ),
        (
            "searches",
            format!(
                "{} RETURN 1",
                repeat("MATCH (n) SEARCH n IN (VECTOR INDEX i FOR $q LIMIT 1) ")
            ),
        ),
        (
            "labels of an index",
            format!(
                "CREATE FULLTEXT INDEX FOR (n:A{}) ON EACH [n.a]",
                repeat("|B")
            ),
        ),
        ("bytes that are nothing", repeat("\u{1}")),
    ]
}

/// How long this thread has been running: the time of a busy machine does not count, where Linux tells.
fn running_time(since: Instant) -> Duration {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next().and_then(|word| word.parse().ok()))
        .map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn fastest(work: impl Fn()) -> Duration {
    let since = Instant::now();
    (0..3)
        .map(|_| {
            let start = running_time(since);
            work();
            running_time(since) - start
        })
        .min()
        .unwrap()
}

/// Sixteen times the text may take 3 x 16 times as long: at most three times as long as sixteen small ones.
/// What is quadratic takes sixteen times as long as these.
#[test]
fn time_is_linear_in_the_text() {
    const SMALL: usize = 1 << 13;
    // The clock of a thread goes forward in steps.
    const FLOOR: Duration = Duration::from_millis(8);
    let all = |text: &str| {
        let _ = parse(text);
        let _ = is_complete(text);
    };
    for ((name, small), (_, large)) in hostile(SMALL).iter().zip(hostile(16 * SMALL)) {
        // What is quadratic is so each time; a neighbour that takes the cache is not.
        let mut times = Vec::new();
        let linear = (0..3).any(|_| {
            let sixteen = fastest(|| (0..16).for_each(|_| all(small))).max(FLOOR);
            let one = fastest(|| all(&large));
            times.push((sixteen, one));
            one <= sixteen * 3
        });
        assert!(linear, "{name}: {times:?}");
    }
}

#[test]
fn splitting_and_completing_are_linear_too() {
    for (name, text) in hostile(1 << 16) {
        let since = Instant::now();
        let start = running_time(since);
        split(&text).for_each(drop);
        let _ = complete(&text, text.len());
        let time = running_time(since) - start;
        assert!(time < Duration::from_secs(3), "{name}: {time:?}");
    }
}

/// A loose floor: without the optimiser and on a busy machine a query of ten lines takes 1 ms.
#[test]
fn a_query_of_ten_lines_is_parsed_at_once() {
    let text = include_str!("../../examples/ten_lines.cypher");
    assert!(parse(text).is_ok());
    let time = fastest(|| {
        let _ = parse(text);
    });
    assert!(time < Duration::from_millis(20), "{time:?}");
}

#[test]
fn too_long_a_text_is_refused_at_once() {
    let text = " ".repeat(crate::MAX_BYTES + 1);
    assert_eq!(parse(&text).unwrap_err().kind, ParseErrorKind::TooLong);
}
