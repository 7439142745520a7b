//! Trying cases on a small engine of our own, and accepting what came.

use super::*;
use crate::cell::Cell;
use crate::compare::Answer;
use crate::effects::GraphState;
use crate::engine::{Engine, Refusal, Session, Variant};
use crate::scenario::Stub;
use crate::script::attempt::{Difference, attempt};
use crate::script::{document, text};

/// Gives a number back, adds a node at `add`, refuses everything else.
struct Small;

#[derive(Default)]
struct SmallSession {
    nodes: u64,
}

impl Engine for Small {
    fn session(&self, _: Variant, _: &[Stub]) -> anyhow::Result<Box<dyn Session>> {
        Ok(Box::new(SmallSession::default()))
    }
}

impl Session for SmallSession {
    fn run(&mut self, query: &str, _: &[(String, Cell)]) -> Result<Answer, Refusal> {
        if query == "add" {
            self.nodes += 1;
            return Ok(Answer {
                counters: format!("{} nodes now", self.nodes),
                ..Answer::default()
            });
        }
        match query.parse() {
            Ok(number) => Ok(Answer {
                columns: vec!["n".to_owned()],
                rows: vec![vec![Cell::Int(number)]],
                ..Answer::default()
            }),
            Err(_) => Err(Refusal {
                error_type: "SyntaxError".to_owned(),
                phase: "compile time".to_owned(),
                detail: "UnexpectedSyntax".to_owned(),
                message: "no number".to_owned(),
                shown: format!("no number\n  | {query}\n  | ^"),
            }),
        }
    }

    fn state(&mut self) -> anyhow::Result<GraphState> {
        Ok(GraphState {
            nodes: (0..self.nodes).collect(),
            ..GraphState::default()
        })
    }
}

fn attempts(cases: &[crate::script::Case]) -> Vec<Difference> {
    let all = cases
        .iter()
        .map(|case| attempt(case, &Small, Variant::Default));
    all.flatten().collect()
}

/// Accepts, and asserts that what was accepted passes and is accepted unchanged.
fn accepted(script: &str, read: fn(&str) -> anyhow::Result<Vec<crate::script::Case>>) -> String {
    let accept = |script: &str| {
        let differences = attempts(&read(script).unwrap());
        let came: Vec<Box<Came>> = differences.into_iter().filter_map(|one| one.came).collect();
        (came.len(), rewrite(script, &came))
    };
    let (_, once) = accept(script);
    let (left, twice) = accept(&once);
    assert_eq!((left, &twice), (0, &once));
    once
}

#[test]
fn what_came_is_written_in_the_place_of_what_was_stated() {
    let script = "\
# one
query
    1
query
    2
rows
  | n |
  | 2 |

query
    add
error
    SyntaxError at compile time: UnexpectedSyntax
query
    x
no rows
effects
    +nodes 7
query
    add
works
counters
    none

# two
query
    x
error
    SyntaxError at compile time: UnexpectedSyntax
";
    let expected = "\
# one
query
    1
rows
    | n |
    | 1 |
query
    2
rows
  | n |
  | 2 |

query
    add
no rows
effects
    +nodes 1
query
    x
error
    SyntaxError at compile time: UnexpectedSyntax
    no number
      | x
      | ^
query
    add
no rows
effects
    +nodes 1
counters
    2 nodes now

# two
query
    x
error
    SyntaxError at compile time: UnexpectedSyntax
";
    assert_eq!(accepted(script, text::read), expected);
}

#[test]
fn documents_are_rewritten_too() {
    let script =
        "## A\n\n```stratql\n3\n```\n\n| n |\n|---|\n| 4 |\n\n```stratql\nx\n```\n\nEnd.\n";
    let expected = "## A\n\n```stratql\n3\n```\n\n| n   |\n| --- |\n| 3   |\n\n```stratql\nx\n```\n\n\
        ```error\nSyntaxError at compile time: UnexpectedSyntax\nno number\n  | x\n  | ^\n```\n\nEnd.\n";
    assert_eq!(accepted(script, document::read), expected);
}

#[test]
fn every_planted_mistake_is_a_difference() {
    let wrong = [
        ("1\nrows\n    | n |\n    | 2 |", "missing"),
        ("1\nrows\n    | m |\n    | 1 |", "columns"),
        ("1\nno rows", "expected no rows"),
        (
            "1\nerror\n    SyntaxError at compile time: UnexpectedSyntax",
            "got 1 rows",
        ),
        ("x\nworks", "expected no error"),
        (
            "x\nerror\n    SyntaxError at runtime: UnexpectedSyntax",
            "got",
        ),
        (
            "x\nerror\n    SyntaxError at compile time: UnexpectedSyntax\n    other",
            "got",
        ),
        ("add\nno rows", "+nodes 1"),
        (
            "1\nrows\n    | n |\n    | 1 |\neffects\n    +nodes 1",
            "got: none",
        ),
        (
            "add\nworks\neffects\n    +nodes 1\ncounters\n    2 nodes now",
            "1 nodes now",
        ),
        ("1", "no outcome"),
    ];
    for (rest, words) in wrong {
        let script = format!("# a\nquery\n    {rest}\n");
        let differences = attempts(&text::read(&script).unwrap());
        assert_eq!(differences.len(), 1, "{script}");
        assert!(
            differences[0].words.contains(words),
            "{:?}",
            differences[0].words
        );
    }
    let setup = text::read("setup\n    x\n# a\nquery\n    1\nworks\n").unwrap();
    assert!(attempts(&setup)[0].words.contains("only has to work"));
}
