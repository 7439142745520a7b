//! Which texts match: prefixes, codes, phrases, and characters that only look different.

use super::*;
use stratigraph::Value;
use stratigraph::index::text::{Highlighter, Query};

/// Only the first 4,096 terms of a segment are looked at, dead or alive, and nothing says so.
#[test]
fn a_prefix_passes_terms_that_nobody_has_any_more() {
    let many = words(0, 5000);
    let (db, nodes) = with_texts(Analysis::Plain, &[many.as_str(), "wordy"]);
    let read = db.read().unwrap();
    assert_eq!(found(&read, "texts", "wordy"), [nodes[1].into()]);
    let mut txn = db.write().unwrap();
    txn.delete_node(nodes[0]).unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let answer = read
        .search_text("texts", &TextSearch::new("word*", 10))
        .unwrap();
    assert!(
        answer.hits.len() == 1 || answer.work.prefixes_cut > 0,
        "one live term begins so, none was found, and nothing says that any is missing"
    );
    assert_eq!(found(&read, "texts", "word*"), [nodes[1].into()]);
}

#[test]
fn a_required_code_is_not_its_first_letter() {
    let (db, nodes) = with_texts(Analysis::English, &["written in C++", "written in C"]);
    let read = db.read().unwrap();
    assert_eq!(found(&read, "texts", "+c++"), [nodes[0].into()]);
}

#[test]
fn an_excluded_code_takes_nothing_else_along() {
    let (db, nodes) = with_texts(Analysis::English, &["written in C++", "written in C"]);
    let read = db.read().unwrap();
    assert_eq!(found(&read, "texts", "written -c++"), [nodes[1].into()]);
}

#[test]
fn a_code_in_a_phrase_is_the_code() {
    let (db, nodes) = with_texts(Analysis::English, &["written in C++", "written in C"]);
    let read = db.read().unwrap();
    assert_eq!(found(&read, "texts", "\"in c++\""), [nodes[0].into()]);
}

/// Says `binding.rs`.
#[test]
fn no_phrase_goes_over_two_values_of_a_list() {
    let db = Database::in_memory().unwrap();
    db.create_text_index(texts_by(Analysis::Plain)).unwrap();
    let mut txn = db.write().unwrap();
    let list = Value::from(vec![Value::from("red slate"), Value::from("marble slab")]);
    txn.create_node(["N"], [("text", list)]).unwrap();
    txn.commit().unwrap();
    assert!(found(&db.read().unwrap(), "texts", "\"slate marble\"").is_empty());
}

#[test]
fn a_soft_hyphen_is_no_hyphen() {
    let (db, nodes) = with_texts(Analysis::English, &["what co\u{AD}operation is"]);
    assert_eq!(
        found(&db.read().unwrap(), "texts", "cooperation"),
        [nodes[0].into()]
    );
}

/// Text taken from PDFs has them.
#[test]
fn radicals_that_look_like_characters_are_those_characters() {
    // U+2F42 is the radical of U+6587.
    let (db, nodes) = with_texts(Analysis::Chinese, &["\u{2F42}\u{4EF6}"]);
    assert_eq!(
        found(&db.read().unwrap(), "texts", "\u{6587}\u{4EF6}"),
        [nodes[0].into()]
    );
}

/// Composed and decomposed kana are one text.
#[test]
fn kana_may_be_decomposed() {
    let (db, nodes) = with_texts(Analysis::Plain, &["\u{304B}\u{3099}\u{3066}"]);
    assert_eq!(
        found(&db.read().unwrap(), "texts", "\u{304C}\u{3066}"),
        [nodes[0].into()]
    );
}

#[test]
fn an_accent_alone_is_no_word() {
    let (db, _) = with_texts(Analysis::Italian, &["basalto", "granito"]);
    assert!(found(&db.read().unwrap(), "texts", "\u{301}*").is_empty());
}

/// Whatever the characters: what was written is found by itself, and marks are at characters.
#[test]
fn any_text_is_found_by_itself_and_marked_at_characters() {
    const ODD: [&str; 40] = [
        "a",
        "E",
        "s",
        "ing",
        "zione",
        "\u{e0}",
        "\u{e8}",
        "\u{301}",
        "\u{df}",
        "\u{130}",
        "\u{149}",
        "\u{fb01}",
        "\u{fdfa}",
        "\u{3b1}\u{342}\u{345}",
        "\u{3c3}",
        "\u{3a3}",
        "1",
        "9",
        ".",
        ",",
        "-",
        "_",
        "/",
        "'",
        "\u{2019}",
        "+",
        "#",
        "\u{a7}",
        " ",
        "\n",
        "\u{4e2d}",
        "\u{6587}",
        "\u{304c}",
        "\u{30fc}",
        "\u{ff21}",
        "\u{ff0e}",
        "\u{20000}",
        "\u{200d}",
        "\u{1f600}",
        "\u{ad}",
    ];
    let analyses = [
        Analysis::Plain,
        Analysis::English,
        Analysis::Italian,
        Analysis::Chinese,
    ];
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let analysis = analyses[seed as usize % 4];
        let texts: Vec<String> = (0..40)
            .map(|_| {
                (0..rng.usize(1..25))
                    .map(|_| ODD[rng.usize(..ODD.len())])
                    .collect()
            })
            .collect();
        let (db, nodes) = with_texts(analysis, &texts);
        let read = db.read().unwrap();
        let def = read.catalog().text_index_named("texts").unwrap().index();
        for (text, node) in texts.iter().zip(&nodes) {
            for query in [Query::term(text.as_str()), Query::phrase(text.as_str())] {
                let search = TextSearch::of(query.clone(), 40);
                let hits = read.search_text("texts", &search).unwrap().hits;
                let is_there = hits.iter().any(|hit| hit.entity == (*node).into());
                let highlighter = Highlighter::new(def.settings(), &query).unwrap();
                for bytes in [0, 1, 5, 17, 1000] {
                    let marked = highlighter.mark(text, bytes);
                    for span in marked.spans.iter().chain([&marked.window]) {
                        assert!(
                            text.get(span.clone()).is_some(),
                            "{analysis:?} {text:?} {span:?}"
                        );
                    }
                    assert!(
                        marked.window.len() <= bytes,
                        "{analysis:?} {text:?} {bytes} {marked:?}"
                    );
                    assert!(
                        is_there || marked.spans.is_empty(),
                        "{analysis:?} {text:?}: marked, and not found by {query:?}"
                    );
                }
                assert!(
                    is_there || hits.is_empty(),
                    "{analysis:?} {text:?} is not found by {query:?}"
                );
            }
            for odd in ["*", "^2", "\"", "+", "-"] {
                let words = format!("{odd}{text}{odd}");
                read.search_text("texts", &TextSearch::new(&words, 3))
                    .unwrap();
            }
        }
        let report = db.check(&mut Watch::quiet()).unwrap();
        assert!(report.findings.is_empty(), "{report:?}");
    }
}

#[test]
fn what_has_no_terms_is_passed_over() {
    let (db, nodes) = with_texts(Analysis::English, &["a graph", "a tree"]);
    let read = db.read().unwrap();
    assert_eq!(found(&read, "texts", "+!!! graph"), [nodes[0].into()]);
    assert_eq!(found(&read, "texts", "+graph +..."), [nodes[0].into()]);
    assert!(found(&read, "texts", "+!!! -graph").is_empty());
}

#[test]
fn the_last_word_of_a_prefix_goes_on() {
    let texts = ["snake_cased", "snake", "a case", "the ISO-9001 norm"];
    let (db, nodes) = with_texts(Analysis::Plain, &texts);
    let read = db.read().unwrap();
    assert_eq!(found(&read, "texts", "snake_case*"), [nodes[0].into()]);
    assert_eq!(found(&read, "texts", "ISO-90*"), [nodes[3].into()]);
    assert_eq!(found(&read, "texts", "cas*").len(), 2);
}

#[test]
fn a_paragraph_is_not_its_number() {
    let (db, nodes) = with_texts(Analysis::English, &["see \u{a7}12", "see 12"]);
    let read = db.read().unwrap();
    assert_eq!(found(&read, "texts", "+\u{a7}12"), [nodes[0].into()]);
}

#[test]
fn half_width_kana_are_kana() {
    let (db, nodes) = with_texts(Analysis::Plain, &["\u{FF76}\u{FF9E}\u{FF97}\u{FF7D}"]);
    let words = "\u{30AC}\u{30E9}\u{30B9}";
    assert_eq!(
        found(&db.read().unwrap(), "texts", words),
        [nodes[0].into()]
    );
}
