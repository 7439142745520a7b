//! Whether a text is a value that is written down, and nothing that would be computed.
//!
//! A parameter from a command line may hold what a stranger typed: it must not become a query.
//!
//! Next: `parameters.rs`.

use stratigraph_query_lang::ast::{Body, Clause, Expression, ExpressionKind, Mode};
use stratigraph_query_lang::parse;

/// Functions that write a value down for which there is no literal.
const WRITERS: [&str; 6] = [
    "date",
    "time",
    "localtime",
    "datetime",
    "localdatetime",
    "duration",
];

/// Whether `text` is a literal: a number, a string, a list or map of such, a date of a string.
pub(super) fn is_literal(text: &str) -> bool {
    let Ok(statement) = parse(&format!("RETURN {text}")) else {
        return false;
    };
    let Body::Query(query) = &statement.body else {
        return false;
    };
    let [part] = &*query.parts else { return false };
    let [Clause::Return(projection)] = &*part.clauses else {
        return false;
    };
    let [item] = &*projection.items else {
        return false;
    };
    let alone = !projection.distinct
        && projection.all.is_none()
        && projection.order.is_empty()
        && projection.skip.is_none()
        && projection.limit.is_none()
        && item.alias.is_none();
    alone && statement.mode == Mode::Run && is_written(&item.expression)
}

/// The parser has seen to it that expressions do not nest without end.
fn is_written(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Literal(_) => true,
        ExpressionKind::List(elements) => elements.iter().all(is_written),
        ExpressionKind::Map(entries) => entries.iter().all(|(_, value)| is_written(value)),
        ExpressionKind::Negate(of) | ExpressionKind::Plus(of) => {
            matches!(of.kind, ExpressionKind::Literal(_))
        }
        ExpressionKind::Call(call) => {
            let (name, _) = call.full_name();
            let known = WRITERS
                .iter()
                .any(|writer| writer.eq_ignore_ascii_case(&name));
            known && !call.arguments.is_empty() && call.arguments.iter().all(is_written)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_computed_is_no_literal() {
        for text in [
            "1",
            "-1.5",
            "'Ann'",
            "\"Ann\"",
            "null",
            "true",
            "[1, 'a', [null]]",
            "{name: 'Ann', age: 7}",
            "date('1984-10-11')",
            "duration({days: 2})",
        ] {
            assert!(is_literal(text), "{text}");
        }
        for text in [
            "",
            "Ann",
            "1 + 1",
            "$other",
            "date()",
            "rand()",
            "1 AS x",
            "1, 2",
            "1 LIMIT 1",
            "1 UNION RETURN 2",
            "[x IN [1] | x]",
            "it's",
            "DISTINCT 1",
            "*",
            "2024-01-01",
            "COUNT { (n) }",
            "[rand()]",
        ] {
            assert!(!is_literal(text), "{text}");
        }
    }
}
