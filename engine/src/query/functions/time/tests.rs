//! What the functions give, over a table of expressions: see `little.rs` for the language of the table.
//!
//! Next: `little.rs`.

mod little;

use crate::value::Value;
use little::evaluate;

#[test]
fn tck_dev() {
    let Ok(path) = std::env::var("TCK_DEV") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let (mut good, mut bad) = (0, 0);
    for line in text.lines() {
        let (id, rest) = line.split_once('\t').unwrap();
        let (expression, expected) = rest.split_once('\t').unwrap();
        let shown = match evaluate(expression) {
            Ok(Value::String(text)) => format!("'{text}'"),
            Ok(value @ (Value::Null | Value::Int(_) | Value::Bool(_))) => value.to_string(),
            Ok(value) => format!("'{value}'"),
            Err(message) => format!("error: {message}"),
        };
        if shown == expected {
            good += 1;
        } else {
            bad += 1;
            println!("{id}: {expression}\n   expected {expected}\n   found    {shown}");
        }
    }
    println!("{good} good, {bad} bad");
}
