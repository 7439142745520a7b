//! Every query of the conformance suite, if it is in the folder that `STRATIGRAPH_SHARED` names, or in
//! `../shared` beside the repository: what is no syntax error there is parsed, printed, and parsed to
//! the same tree; what is one is refused with its word.
//!
//! Nothing of the suite is copied here.

use super::assert_round_trip;
use crate::{ParseErrorKind, parse};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The scenarios; `None`, and a line about it, without the folder.
fn scenarios() -> Option<Vec<Value>> {
    let named = std::env::var_os("STRATIGRAPH_SHARED").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let file = named.unwrap_or_else(beside).join("tck/open.jsonl.zst");
    let Ok(bytes) = std::fs::read(&file) else {
        eprintln!(
            "SKIPPED: there is no {}; STRATIGRAPH_SHARED names the folder above tck/",
            file.display()
        );
        return None;
    };
    let mut text = String::new();
    ruzstd::decoding::StreamingDecoder::new(&*bytes)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

/// The word of the suite for a kind.
fn word(kind: ParseErrorKind) -> &'static str {
    match kind {
        ParseErrorKind::UnexpectedSyntax => "UnexpectedSyntax",
        ParseErrorKind::IntegerOverflow => "IntegerOverflow",
        ParseErrorKind::FloatingPointOverflow => "FloatingPointOverflow",
        ParseErrorKind::InvalidNumberLiteral => "InvalidNumberLiteral",
        ParseErrorKind::InvalidUnicodeLiteral => "InvalidUnicodeLiteral",
        ParseErrorKind::InvalidUnicodeCharacter => "InvalidUnicodeCharacter",
        ParseErrorKind::InvalidRelationshipPattern => "InvalidRelationshipPattern",
        ParseErrorKind::InvalidClauseComposition => "InvalidClauseComposition",
        ParseErrorKind::DuplicateSubclause => "DuplicateSubclause",
        ParseErrorKind::InvalidTraverseStep => "InvalidTraverseStep",
        ParseErrorKind::UnboundedRecover => "UnboundedRecover",
        ParseErrorKind::NestingTooDeep => "NestingTooDeep",
        ParseErrorKind::TooLong => "QueryTooLong",
    }
}

#[test]
fn the_queries_of_the_suite_are_taken_or_refused_as_it_says() {
    let Some(scenarios) = scenarios() else {
        return;
    };
    let (mut taken, mut refused) = (0, 0);
    for scenario in &scenarios {
        let controls = scenario["control"].as_array().into_iter().flatten();
        let mut queries: Vec<(&Value, &Value)> = vec![(&scenario["query"], &scenario["expect"])];
        queries.extend(controls.map(|control| (&control["query"], &control["expect"])));
        let setups = scenario["setup"].as_array().into_iter().flatten();
        queries.extend(setups.map(|setup| (setup, &Value::Null)));
        for (query, expected) in queries {
            let text = query.as_str().unwrap();
            match parse(text) {
                Ok(_) => {
                    assert_round_trip(text);
                    taken += 1;
                }
                Err(mistake) => {
                    assert_eq!(
                        expected["detail"].as_str(),
                        Some(word(mistake.kind)),
                        "{}: {text}\n{mistake:?}",
                        scenario["id"]
                    );
                    refused += 1;
                }
            }
        }
    }
    println!("{taken} queries taken, {refused} refused as they should be");
    assert!(
        taken > 3_000 && refused > 20,
        "{taken} taken, {refused} refused"
    );
}
