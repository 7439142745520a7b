//! The reader of features on small ones of our own.

use super::*;
use crate::scenario::{Expectation, Phase};

const SMALL: &str = r#"
# A comment.
@tag
Feature: Counting
  Some words about it.

  Background:
    Given the pair graph
    And having executed:
      """
      CREATE (:A)
        -[:T]->(:B)
      """

  @another
  Scenario: [3] Nothing comes
    When executing query:
      """
      MATCH (n:X)
      # not a comment
      RETURN n
      """
    Then the result should be, in order:
      | n |
    And no side effects

  Scenario Outline: Numbers like <value> <a>
    And parameters are:
      | p | [1, <value>] |
    And there exists a procedure p(in :: INTEGER?) :: (out :: STRING?):
      | in | out |
      | 1  | 'a\|b\n\\\\c\'' |
    When executing query:
      """
      RETURN <value> <> 1
      """
    Then the result should be (ignoring element order for lists):
      | <value> |
      | <(:A)-[:T]->()> |
    And the side effects should be:
      | +nodes | 1 |
      | -labels | 0 |
    When executing control query:
      """
      RETURN 1
      """
    Then the result should be empty

    Examples:
      | value | a |
      | 1     | <value> |

    Examples:
      | value | a |
      | 2     | b |

  Scenario: It fails
    And there exists a procedure q() :: VOID:
      |
    When executing query:
      """
      RETURN
      """
    Then a SyntaxError should be raised at compile time: UnexpectedSyntax
"#;

fn read(text: &str) -> Result<Vec<Scenario>> {
    from_text(text, "some/folder", "File", &|name| {
        (name == "pair").then(|| "CREATE (), ()".to_owned())
    })
}

#[test]
fn scenarios_have_their_background_their_examples_and_their_ids() {
    let scenarios = read(SMALL).unwrap();
    let ids: Vec<&str> = scenarios.iter().map(|one| one.id.as_str()).collect();
    let expected = ["#3", "#2.1", "#2.2", "#3"].map(|end| format!("some/folder/File{end}"));
    assert_eq!(ids, expected);
    assert_eq!(scenarios[1].name, "Numbers like 1 <value>");
    for scenario in &scenarios {
        assert_eq!(
            scenario.setup,
            ["CREATE (), ()", "CREATE (:A)\n  -[:T]->(:B)"]
        );
    }
}

#[test]
fn steps_mean_what_they_say() {
    let scenarios = read(SMALL).unwrap();
    let first = &scenarios[0];
    assert_eq!(first.query, "MATCH (n:X)\n# not a comment\nRETURN n");
    let Expectation::Rows(rows) = &first.expectation else {
        panic!()
    };
    assert!(rows.ordered && !rows.ignore_list_order && rows.rows.is_empty());
    assert!(first.effects.as_ref().unwrap().is_empty());

    let second = &scenarios[1];
    assert_eq!(second.query, "RETURN 1 <> 1");
    assert_eq!(second.parameters[0].1.to_string(), "[1, 1]");
    assert_eq!(
        second.procedures[0].rows[0][1].to_string(),
        "'a|b\\n\\\\c\\''"
    );
    let Expectation::Rows(rows) = &second.expectation else {
        panic!()
    };
    assert!(!rows.ordered && rows.ignore_list_order);
    assert_eq!(rows.columns.as_deref().unwrap(), ["1"]);
    assert_eq!(rows.rows[0][0].to_string(), "<(:A)-[:T]->()>");
    let effects = second.effects.as_ref().unwrap();
    assert_eq!((effects.len(), effects["+nodes"]), (1, 1));
    let (query, Expectation::Rows(rows)) = &second.control[0] else {
        panic!()
    };
    assert!(query == "RETURN 1" && rows.columns.is_none());

    let last = &scenarios[3];
    assert!(last.procedures[0].rows.is_empty() && last.effects.is_none());
    let Expectation::Error(error) = &last.expectation else {
        panic!()
    };
    assert_eq!(error.error_type, "SyntaxError");
    assert_eq!(error.phase, Phase::Compile);
    assert_eq!(error.detail, "UnexpectedSyntax");
}

#[test]
fn what_is_not_known_is_an_error() {
    let query = "When executing query:\n\"\"\"\nRETURN 1\n\"\"\"\n";
    let wrong = [
        ("Given the large graph", "no graph"),
        ("Given a red graph", "not known"),
        ("Then the result should be, backwards:\n| a |", "not known"),
        ("Then a TypeError should be raised at noon: X", "phase"),
        (
            "Then the result should be empty\nThen the result should be empty",
            "no query",
        ),
        (
            "Then the result should be empty\nAnd the side effects should be:\n| +hats | 1 |",
            "hats",
        ),
        ("", "nothing is expected"),
        ("\"\"\"\nopen", "does not end"),
        ("Perhaps it works", "no step"),
    ];
    for (steps, words) in wrong {
        let text = format!("Feature: F\nScenario: S\n{query}{steps}\n");
        let message = format!("{:#}", read(&text).unwrap_err());
        assert!(message.contains(words), "{steps}: {message}");
    }
    let outline = "Feature: F\nScenario Outline: S\nGiven any graph\n";
    assert!(read(outline).is_err());
}

const DEEP: &str = r#"#encoding: utf-8
@temporal @skipStyleCheck
Feature: Deep1 - In a folder

  @skip @ignore @wip
  Scenario Outline: [7] Cells like <value>
    Given the binary-tree-1 graph
    And having executed:
    """
    CREATE ()
    """
    When executing query:
      """
      RETURN <value> AS v
      """
    Then the result should be, in order (ignoring element order for lists):
      | v      |
      # A comment between rows.
      | [<value>] |
    And no side effects

    Examples: the small ones
      | value   |
      | 'a\|b' |
      # | 3 |

    @large
    Examples: the large ones
      | value |
      | '\\\\' |
"#;

/// Upstream keeps `graphs` beside `features`, and its features in folders.
#[test]
fn a_folder_is_read_with_the_graphs_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let features = root.path().join("tck/features");
    let (deep, graph) = (
        features.join("clauses/deep"),
        root.path().join("tck/graphs/binary-tree-1"),
    );
    fs::create_dir_all(&deep).unwrap();
    fs::create_dir_all(&graph).unwrap();
    fs::write(graph.join("binary-tree-1.cypher"), "CREATE (:A)").unwrap();
    fs::write(deep.join("Deep1.feature"), DEEP.replace('\n', "\r\n")).unwrap();
    fs::write(deep.join("README.md"), "no feature").unwrap();

    for folder in [&features, &deep] {
        let scenarios = super::read(folder).unwrap();
        let ids: Vec<&str> = scenarios.iter().map(|one| one.id.as_str()).collect();
        let place = if folder == &deep { "" } else { "clauses/deep" };
        let expected = ["1", "2"].map(|example| format!("{place}/Deep1#7.{example}"));
        assert_eq!(ids, expected);
        let queries: Vec<&str> = scenarios.iter().map(|one| one.query.as_str()).collect();
        assert_eq!(queries, [r"RETURN 'a|b' AS v", r"RETURN '\\' AS v"]);
        for scenario in &scenarios {
            assert_eq!(scenario.setup, ["CREATE (:A)", "CREATE ()"]);
            let Expectation::Rows(rows) = &scenario.expectation else {
                panic!()
            };
            assert!(rows.ordered && rows.ignore_list_order);
            assert_eq!(rows.rows.len(), 1);
        }
    }
}
