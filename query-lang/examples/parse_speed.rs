//! How long a query of ten lines takes to parse, and whether sixteen times the text takes sixteen times as long.
//!
//!     cargo run --release -p stratigraph-query-lang --example parse_speed
//!
//! Next: `src/parser/mod.rs`.

use std::hint::black_box;
use std::time::Instant;
use stratigraph_query_lang::parse;

const QUERY: &str = include_str!("ten_lines.cypher");

fn main() {
    // The fastest of many batches: a busy machine makes some of them slow, and none of them fast.
    let batch = || {
        let start = Instant::now();
        for _ in 0..50 {
            let _ = black_box(parse(black_box(QUERY)));
        }
        start.elapsed() / 50
    };
    let each = (0..400).map(|_| batch()).min().unwrap_or_default();
    println!(
        "{} lines, {} bytes: {each:?} each",
        QUERY.lines().count(),
        QUERY.len()
    );

    let clause = "MATCH (n:A {b: 1}) WHERE n.c > 2 AND [x IN n.d | x + 1] = [1, 2] ";
    for megabytes in [1, 16] {
        let text = format!(
            "{}RETURN 1",
            clause.repeat((megabytes << 20) / clause.len())
        );
        let start = Instant::now();
        let parsed = black_box(parse(black_box(&text)));
        println!(
            "{megabytes} MB: {:?}, {}",
            start.elapsed(),
            if parsed.is_ok() { "parsed" } else { "refused" }
        );
    }
}
