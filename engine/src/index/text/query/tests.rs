//! What is typed becomes a query, and every query that was typed comes back as it is printed.

use super::plan::{Plan, plan};
use super::*;
use crate::index::text::Analysis;
use proptest::prelude::*;

#[test]
fn what_is_typed_is_understood() {
    let parsed = |text: &str| Query::parse(text).to_string();
    assert_eq!(parsed("graph database"), "graph database");
    assert_eq!(
        parsed("  +must -not \"a phrase\" pre*  "),
        "+must \"a phrase\" pre* -not"
    );
    assert_eq!(parsed("word^2 \"a phrase\"^0.5"), "word^2 \"a phrase\"^0.5");
    assert_eq!(
        parsed("ISO-9001 C++ a@b.it x^y"),
        "ISO-9001 C++ a@b.it x\\^y"
    );
    assert_eq!(parsed("\"not closed"), "\"not closed\"");
    assert_eq!(parsed("+ - \"\" * ^"), "\\^");
    assert_eq!(
        parsed(r#"\+plus \"quoted\" star\*"#),
        r#"\+plus \"quoted\" star\*"#
    );
    assert_eq!(parsed("\u{201c}curly quotes\u{201d}"), "\"curly quotes\"");
    assert_eq!(parsed(""), "");
}

#[test]
fn terms_of_a_word_are_planned_with_their_weights() {
    let limits = QueryLimits::DEFAULT;
    let planned = |text: &str, analysis| plan(&Query::parse(text), analysis, limits).unwrap();
    let words = planned("graphs graph", Analysis::English);
    assert_eq!(
        words.plan,
        Plan::Term(0, 2.0),
        "the same term twice counts twice"
    );
    let code = planned("ISO-9001", Analysis::Plain);
    assert_eq!(
        code.terms,
        [b"iso-9001".to_vec(), b"iso".to_vec(), b"9001".to_vec()]
    );
    assert_eq!(
        code.plan,
        Plan::Any(vec![
            Plan::Term(0, 1.0),
            Plan::Term(1, 1.0),
            Plan::Term(2, 1.0)
        ])
    );
    let strict = planned("+ISO-9001", Analysis::Plain);
    let Plan::All { must, should, not } = strict.plan else {
        panic!("{strict:?}")
    };
    assert!(
        matches!(must.as_slice(), [Plan::Phrase { terms, .. }] if terms.len() == 2),
        "{must:?}"
    );
    assert!(matches!(should.len() + not.len(), 1 | 3));
    assert_eq!(planned("-only", Analysis::Plain).plan, Plan::Nothing);
    assert_eq!(planned("!!! ...", Analysis::Plain).plan, Plan::Nothing);
}

#[test]
fn a_run_of_han_is_words_and_pairs_and_one_character_stands_for_itself() {
    let words = |text: &str| {
        let planned = plan(&Query::term(text), Analysis::Chinese, QueryLimits::DEFAULT).unwrap();
        planned
            .terms
            .iter()
            .map(|term| String::from_utf8_lossy(term).into_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(words("\u{6c34}"), ["\u{6c34}"]);
    assert_eq!(words("\u{4eba}\u{5de5}"), ["\u{4eba}\u{5de5}"]);
}

#[test]
fn limits_are_told_by_name() {
    let deep = (0..40).fold(Query::term("x"), |inner, _| Query::any([inner]));
    assert!(matches!(
        deep.check(QueryLimits::DEFAULT),
        Err(Error::TooMany {
            what: "levels of a text query",
            ..
        })
    ));
    let wide = Query::any((0..2000).map(|_| Query::term("x")));
    assert!(matches!(
        wide.check(QueryLimits::DEFAULT),
        Err(Error::TooMany { .. })
    ));
    let long = Query::term("x".repeat(100_000));
    assert!(matches!(
        long.check(QueryLimits::DEFAULT),
        Err(Error::TooLarge { .. })
    ));
    for boost in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(
            Query::term("x")
                .boosted(boost)
                .check(QueryLimits::DEFAULT)
                .is_err()
        );
    }
}

proptest! {
    #[test]
    fn anything_typed_is_a_query_that_prints_and_parses_to_itself(text in r#"([a-z+\-"*^\\ .2\x{4eba}\x{201c}]|.){0,60}"#) {
        let query = Query::parse(&text);
        prop_assert!(query.check(QueryLimits::DEFAULT).is_ok());
        prop_assert_eq!(Query::parse(&query.to_string()), query);
        for analysis in [Analysis::English, Analysis::Chinese] {
            plan(&Query::parse(&text), analysis, QueryLimits::DEFAULT).unwrap();
        }
    }
}

#[test]
fn what_is_longer_than_the_limits_is_cut_and_never_refused() {
    for text in [
        "word ".repeat(50_000),
        "\u{4eba}".repeat(50_000),
        "\"".repeat(3000),
        "+-".repeat(9000),
    ] {
        assert!(Query::parse(&text).check(QueryLimits::DEFAULT).is_ok());
    }
}
