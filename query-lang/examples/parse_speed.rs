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
    let rounds = 20_000;
    let start = Instant::now();
    for _ in 0..rounds {
        let _ = black_box(parse(black_box(QUERY)));
    }
    let each = start.elapsed() / rounds;
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
