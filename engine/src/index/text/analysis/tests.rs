//! What becomes of real words in each language, and where they were.

use super::*;
use proptest::prelude::*;

/// The terms of a text with their positions.
fn terms(analysis: Analysis, text: &str) -> Vec<(u32, String)> {
    let mut stems = Stems::new(analysis);
    let mut terms = Vec::new();
    analysis.tokens(text, |token| {
        assert!(
            text.get(token.span.clone()).is_some(),
            "{:?} of {text:?}",
            token.span
        );
        stems.terms(token.text, token.kind, |term| {
            terms.push((token.position, term.to_owned()));
        });
    });
    terms
}

fn words(analysis: Analysis, text: &str) -> String {
    terms(analysis, text)
        .into_iter()
        .map(|(_, term)| term)
        .collect::<Vec<_>>()
        .join(" ")
}

fn has(analysis: Analysis, text: &str, term: &str) -> bool {
    terms(analysis, text).iter().any(|(_, known)| known == term)
}

#[test]
fn english_words_lose_their_endings() {
    use Analysis::English;
    assert_eq!(
        words(English, "The connections were connected, connecting"),
        "the connect were connect connect"
    );
    assert_eq!(words(English, "A company's companies"), "a compani compani");
    assert_eq!(
        words(English, "state-of-the-art snake_case camelCase"),
        "state of the art snake case camelcas"
    );
    assert_eq!(
        words(English, "Caf\u{e9} na\u{ef}ve r\u{e9}sum\u{e9}s"),
        "cafe naiv resum"
    );
}

#[test]
fn italian_words_lose_endings_articles_and_accents() {
    use Analysis::Italian;
    assert_eq!(
        words(Italian, "l'acqua, dell\u{2019}uomo e un'isola"),
        "acqua uom e isol"
    );
    assert_eq!(
        words(Italian, "gatti gatto gatta gatte"),
        "gatt gatt gatt gatt"
    );
    // With its accent or without, a word is found.
    for (accented, plain) in [
        ("universit\u{e0}", "universita"),
        ("citt\u{e0}", "citta"),
        ("perch\u{e9}", "perche"),
        ("qualit\u{e0}", "qualita"),
    ] {
        let known = terms(Italian, accented);
        let asked = terms(Italian, plain);
        assert!(
            asked.iter().all(|term| known.contains(term)),
            "{accented}: {known:?}, {plain}: {asked:?}"
        );
    }
    assert!(has(Italian, "un po' d'olio", "oli"));
    assert_eq!(words(Italian, "nazionali nazionale"), "nazional nazional");
}

#[test]
fn chinese_has_words_pairs_and_characters() {
    use Analysis::Chinese;
    let text = "\u{4eba}\u{5de5}\u{667a}\u{80fd}\u{6280}\u{672f}2016\u{5e74}\u{62a5}\u{544a}GB/T 19001-2016\u{6807}\u{51c6}";
    for term in [
        "\u{4eba}\u{5de5}",
        "\u{667a}\u{80fd}",
        "\u{6280}\u{672f}",
        "\u{62a5}\u{544a}",
        "\u{6807}\u{51c6}",
        "\u{4eba}",
        "2016",
        "\u{5e74}",
        "gb/t",
        "gb",
        "19001-2016",
        "19001",
    ] {
        assert!(
            has(Chinese, text, term),
            "{term} in {:?}",
            words(Chinese, text)
        );
    }
    // Pairs across words are there, so that a text divided otherwise is still found.
    assert!(has(Chinese, text, "\u{5de5}\u{667a}"));
    // A word of the dictionary with more than two characters, which plain analysis does not know.
    let word = "\u{5171}\u{548c}\u{56fd}";
    assert!(has(Chinese, word, word));
    assert!(!has(Analysis::Plain, word, word));
    assert!(
        has(Analysis::English, word, "\u{5171}\u{548c}"),
        "pairs in every analysis"
    );
}

#[test]
fn codes_and_numbers_are_found_whole_and_by_their_parts() {
    let found = |text: &str| words(Analysis::Plain, text);
    assert_eq!(found("ISO-9001"), "iso-9001 iso 9001");
    assert_eq!(found("1.234,56 3.14 1,000"), "1.234,56 3.14 1,000");
    assert_eq!(found("A/B-12"), "a/b-12 a b 12");
    assert_eq!(found("\u{a7}12"), "\u{a7}12 12");
    assert_eq!(found("GB/T 19001-2016"), "gb/t gb t 19001-2016 19001 2016");
    assert_eq!(found("v2.1.3"), "v2.1.3");
    assert_eq!(found("info@example.it"), "info@example.it info example it");
    assert_eq!(found("C++ and C#, F#"), "c++ c and c# c f# f");
    assert_eq!(found("MAX_RETRY_COUNT task_12"), "max retry count task 12");
    assert_eq!(found("R&D AT&T"), "r&d r d at&t at t");
    assert_eq!(found("end.Next, well,then"), "end.next end next well then");
    assert_eq!(
        found("10.1016/j.cell.2020.01.001"),
        "10.1016/j.cell.2020.01.001 10.1016 j cell 2020.01.001"
    );
    assert_eq!(
        found("\u{ff29}\u{ff33}\u{ff2f}\u{ff0d}\u{ff19}\u{ff10}\u{ff10}\u{ff11}"),
        "iso-9001 iso 9001"
    );
}

#[test]
fn positions_count_words_and_a_code_stands_where_its_first_part_does() {
    let text = "see ISO-9001 now";
    let expected = [
        (0, "see"),
        (1, "iso-9001"),
        (1, "iso"),
        (2, "9001"),
        (3, "now"),
    ];
    assert_eq!(
        terms(Analysis::Plain, text),
        expected.map(|(at, term)| (at, term.to_owned()))
    );
}

#[test]
fn what_only_looks_different_is_equal() {
    let plain = |text| words(Analysis::Plain, text);
    assert_eq!(plain("STRASSE Stra\u{df}e"), "strasse strasse");
    assert_eq!(
        plain("\u{ff21}\u{ff22}\u{ff23} \u{fb01}n \u{2167}"),
        "abc fin viii"
    );
    assert_eq!(plain("cafe\u{301} caf\u{e9} CAF\u{c9}"), "cafe cafe cafe");
    assert_eq!(
        plain("\u{39f}\u{394}\u{39f}\u{3a3} \u{3bf}\u{3b4}\u{3bf}\u{3c3}"),
        "\u{3bf}\u{3b4}\u{3bf}\u{3c3} \u{3bf}\u{3b4}\u{3bf}\u{3c3}"
    );
    assert_eq!(plain("\u{130}stanbul istanbul"), "istanbul istanbul");
    assert_eq!(plain("co\u{ad}operate"), plain("co\u{ad}operate"));
}

#[test]
fn long_terms_are_cut_alike_in_texts_and_queries() {
    let long = "x".repeat(1000);
    assert_eq!(words(Analysis::English, &long).len(), MAX_TERM_BYTES);
    let wide = "\u{e8}".repeat(300);
    assert!(words(Analysis::Plain, &wide).len() <= MAX_TERM_BYTES);
    let path = (0..100)
        .map(|at| at.to_string())
        .collect::<Vec<_>>()
        .join("/");
    assert_eq!(terms(Analysis::Plain, &path).len(), 100, "parts alone");
    assert!(Analysis::Plain.tokens(&"a ".repeat(1 << 21), |_| {}) <= MAX_POSITIONS);
}

proptest! {
    #[test]
    fn any_text_has_spans_at_characters_and_rising_positions(text in ".{0,200}", kind in 0..4_usize) {
        let analysis = [Analysis::Plain, Analysis::English, Analysis::Italian, Analysis::Chinese][kind];
        let mut stems = Stems::new(analysis);
        let mut last = 0;
        let count = analysis.tokens(&text, |token| {
            assert!(text.get(token.span.clone()).is_some_and(|span| !span.is_empty()));
            assert!(token.position >= last && !token.text.is_empty() && token.text.len() <= MAX_TERM_BYTES);
            last = token.position;
            stems.terms(token.text, token.kind, |_| {});
        });
        prop_assert!(count == 0 || last < count);
    }

    #[test]
    fn any_letters_are_stemmed_without_a_panic(word in "[a-z'\u{e0}-\u{fa}]{0,40}", italian in any::<bool>()) {
        let analysis = if italian { Analysis::Italian } else { Analysis::English };
        Stems::new(analysis).terms(&word, Kind::Word, |_| {});
    }
}
