//! Statements that nest: whatever the parser lets through has to be bound, planned, run, shown and dropped by threads
//! of the usual 2 MiB. A stack that ends takes the whole process with it.

use super::harness::{Fixture, ask, run};
use stratigraph_proto::v1::{self, ExecutionMode};
use tonic::Code;

/// What stands before, what opens, what is in the middle, what closes, what stands behind.
const NESTS: &[[&str; 5]] = &[
    ["RETURN ", "(", "1", ")", " AS x"],
    ["RETURN ", "[", "1", "]", " AS x"],
    ["RETURN ", "{a: ", "1", "}", " AS x"],
    ["RETURN ", "NOT ", "true", "", " AS x"],
    ["RETURN ", "- ", "1", "", " AS x"],
    ["RETURN ", "abs(", "1", ")", " AS x"],
    ["RETURN ", "CASE WHEN true THEN ", "1", " END", " AS x"],
    ["RETURN ", "[x IN ", "[1]", " | x]", " AS x"],
    ["RETURN ", "reduce(s = 0, x IN ", "[1]", " | s)", " AS x"],
    ["RETURN ", "all(x IN ", "[1]", " WHERE true)", " AS x"],
    ["RETURN ", "[1, 2][", "0", "]", " AS x"],
    [
        "MATCH (a) WHERE ",
        "EXISTS { MATCH (a) WHERE ",
        "true",
        " }",
        " RETURN a",
    ],
    ["", "CALL { ", "RETURN 1 AS x", " }", " RETURN 1 AS x"],
    ["", "FOREACH (x IN [1] | ", "CREATE (:Deep)", ")", ""],
    ["MATCH ", "(", "(a)-[:R]->(b)", "){1,2}", " RETURN 1 AS x"],
];

/// What is long without being deep: before, what comes again and again, behind, and how often it fits.
const CHAINS: &[(&str, &str, &str, usize)] = &[
    ("RETURN true", " OR false", " AS x", 20_000),
    ("RETURN true", " AND true", " AS x", 20_000),
    ("RETURN 1", " + 1", " AS x", 50_000),
    ("RETURN 'a'", " + 'a'", " AS x", 20_000),
    ("RETURN 1", " = 1", " AS x", 20_000),
    ("RETURN {a: 1}", ".a", " AS x", 50_000),
    ("RETURN [1]", "[0]", " AS x", 50_000),
    ("MATCH (a)", "-->()", " RETURN count(*) AS x", 20_000),
    ("RETURN 1 AS x", " UNION RETURN 1 AS x", "", 1_000),
    ("WITH 1 AS x", " WITH x", " RETURN x", 10_000),
    ("RETURN [1", ",1", "] AS x", 50_000),
];

/// Whether it is answered or refused, and with what.
async fn ends(fixture: &Fixture, text: &str, mode: ExecutionMode) -> Code {
    let mut request = ask(text);
    request.options = Some(v1::QueryOptions {
        mode: mode.into(),
        timeout_ms: Some(30_000),
        ..v1::QueryOptions::default()
    });
    let mut client = fixture.queries().await;
    let ended = run(&mut client, request).await;
    ended.map_or_else(|status| status.code(), |_| Code::Ok)
}

/// Refusals that say what was wrong with the statement, and nothing of a bug or a dead process.
fn is_said(code: Code) -> bool {
    matches!(
        code,
        Code::Ok
            | Code::InvalidArgument
            | Code::Unimplemented
            | Code::ResourceExhausted
            | Code::DeadlineExceeded
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nests_is_run_or_refused() {
    let fixture = Fixture::start(|_, _| ()).await;
    for [before, open, middle, close, behind] in NESTS {
        let nested = |depth: usize| {
            format!(
                "{before}{}{middle}{}{behind}",
                open.repeat(depth),
                close.repeat(depth)
            )
        };
        // The deepest that is not refused: between the two are all the places that could be forgotten.
        let (mut deepest, mut refused) = (1, 10_000);
        assert!(
            is_said(ends(&fixture, &nested(refused), ExecutionMode::Unspecified).await),
            "{open}"
        );
        while refused - deepest > 1 {
            let middle = usize::midpoint(deepest, refused);
            let code = ends(&fixture, &nested(middle), ExecutionMode::Explain).await;
            assert!(is_said(code), "{middle} times {open}: {code:?}");
            if code == Code::Ok {
                deepest = middle;
            } else {
                refused = middle;
            }
        }
        for mode in [ExecutionMode::Unspecified, ExecutionMode::Profile] {
            let code = ends(&fixture, &nested(deepest), mode).await;
            assert!(is_said(code), "{deepest} times {open}, {mode:?}: {code:?}");
        }
        println!("{deepest} times {open}");
    }
    assert_eq!(
        ends(&fixture, "RETURN 1 AS x", ExecutionMode::Unspecified).await,
        Code::Ok
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_long_is_run_or_refused() {
    let fixture = Fixture::start(|_, _| ()).await;
    for (before, again, behind, most) in CHAINS {
        for count in [10, most / 100, *most] {
            let text = format!("{before}{}{behind}", again.repeat(count));
            let code = ends(&fixture, &text, ExecutionMode::Unspecified).await;
            assert!(is_said(code), "{count} times {again}: {code:?}");
            println!("{count} times {again}: {code:?}");
        }
    }
    assert_eq!(
        ends(&fixture, "RETURN 1 AS x", ExecutionMode::Unspecified).await,
        Code::Ok
    );
}
