//! Reading scripts.

use super::*;

const SCRIPT: &str = "\
// Some words.
setup
    CREATE (:A);
    CREATE (:B)
      ;

# first case
parameters
    $p = [1]

query
    MATCH (n)
      RETURN $p AS p

rows in order
    | p   |
    | [1] |
effects
    +nodes 1

query
    RETURN x
error
    SyntaxError at compile time: UndefinedVariable

# second case
setup
    CREATE (:C)
query
    CREATE ()
";

#[test]
fn a_script_becomes_cases() {
    let cases = read(SCRIPT).unwrap();
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["first case", "second case"]);
    let before: Vec<(&str, usize)> = cases[1]
        .before
        .iter()
        .map(|one| (one.text.as_str(), one.line))
        .collect();
    assert_eq!(before, [("CREATE (:A)", 3), ("CREATE (:B)\n  ", 4)]);

    let [Step::Query(first), Step::Query(second)] = cases[0].steps.as_slice() else {
        panic!()
    };
    assert_eq!(first.statement.text, "MATCH (n)\n  RETURN $p AS p");
    assert_eq!(first.statement.line, 12);
    assert_eq!(first.parameters[0].0, "p");
    let Some(Outcome::Rows(rows)) = &first.outcome else {
        panic!()
    };
    assert!(rows.ordered && rows.rows[0][0].to_string() == "[1]");
    assert_eq!(first.effects.as_ref().unwrap()["+nodes"], 1);
    assert_eq!(first.stated, 14..19);
    let Some(Outcome::Error(words)) = &second.outcome else {
        panic!()
    };
    assert_eq!(words, "SyntaxError at compile time: UndefinedVariable");
    assert!(second.parameters.is_empty());

    let [Step::Setup(_), Step::Query(last)] = cases[1].steps.as_slice() else {
        panic!()
    };
    assert!(last.outcome.is_none() && last.stated.is_empty());
    assert_eq!(last.stated.start, SCRIPT.lines().count());
}

#[test]
fn what_makes_no_sense_is_refused_with_its_line() {
    let wrong = [
        ("query\n    RETURN 1", "before the first case"),
        ("# a\nquestion\n    x", "no query"),
        ("# a\nquery\n    x\nanswer\n    y", "no such section"),
        (
            "# a\nquery\n    x\nrows\n    | a |\n    | 1 | 2 |",
            "no whole table",
        ),
        ("# a\nquery\n    x\nno rows\nno rows", "already"),
        ("# a\nquery\n    x\neffects\n    +hats 1", "hats"),
        ("# a\n    x", "below nothing"),
        ("# a\nparameters\n    x 1", "="),
        ("# a\nparameters\n    x = 1\n# b", "without a query"),
    ];
    for (text, words) in wrong {
        let message = format!("{:#}", read(text).unwrap_err());
        assert!(
            message.contains(words) && message.contains("line"),
            "{text}: {message}"
        );
    }
}
