//! Scores: thresholds that are reached, boosts that stay numbers, and order that does not depend on the way.

use super::*;
use stratigraph::index::text::Query;

/// What a search says that a hit scores is enough to find it.
#[test]
fn a_hits_own_score_is_a_threshold_that_it_reaches() {
    let texts: Vec<String> = (0..40)
        .map(|number| {
            format!(
                "alpha {} beta {}",
                "x ".repeat(number),
                "gamma ".repeat(number % 5)
            )
        })
        .collect();
    let (db, _) = with_texts(Analysis::Plain, &texts);
    let read = db.read().unwrap();
    let all = TextSearch::new("alpha beta gamma x", 40);
    let hits = read.search_text("texts", &all).unwrap().hits;
    assert_eq!(hits.len(), 40, "one of the words is in each");
    for hit in hits {
        let least = TextSearch::new("alpha beta gamma x", 40).threshold(hit.score);
        let hits = read.search_text("texts", &least).unwrap().hits;
        assert!(hits.contains(&hit), "{hit:?}");
    }
}

#[test]
fn a_threshold_that_is_no_number_is_refused() {
    let (db, _) = with_texts(Analysis::Plain, &["alpha beta"]);
    let read = db.read().unwrap();
    // With and without what must not be there: the two are walked differently.
    for words in ["alpha", "alpha -gamma"] {
        let search = TextSearch::new(words, 9).threshold(f32::NAN);
        let error = read.search_text("texts", &search).unwrap_err();
        assert!(
            matches!(error, stratigraph::Error::BadDeclaration { .. }),
            "{words}: {error}"
        );
        assert!(error.to_string().contains("threshold"), "{words}: {error}");
    }
}

/// Sums of parts that are far apart are rounded, and then their order shows.
#[test]
fn leaving_out_never_changes_an_answer_whatever_the_boosts() {
    let texts: Vec<&str> = (0..4000)
        .map(|number| {
            if number == 10 || number == 3000 {
                "alpha beta gamma"
            } else {
                "filler"
            }
        })
        .collect();
    let (db, nodes) = with_texts(Analysis::Plain, &texts);
    let read = db.read().unwrap();
    for step in 1..300 {
        let words = format!(
            "alpha^1000000 beta^0.0000000{step:03} gamma^0.0000000{:03}",
            2 * step + 7
        );
        let ask = |k| {
            let hits = read
                .search_text("texts", &TextSearch::new(&words, k))
                .unwrap()
                .hits;
            hits.iter().map(|hit| hit.entity).collect::<Vec<_>>()
        };
        assert_eq!(
            ask(1),
            [nodes[10].into()],
            "{words}: equal texts, so the lower id"
        );
    }
}

#[test]
fn boosts_within_boosts_stay_numbers() {
    let (db, _) = with_texts(Analysis::Plain, &["alpha beta", "alpha"]);
    let read = db.read().unwrap();
    for innermost in [1.0, 0.0] {
        let query = Query::term("alpha").boosted(innermost);
        let most = query.clone().boosted(1e3).boosted(1e3);
        let more = query.boosted(1e3).boosted(1e3).boosted(1.01);
        // With and without what must not be there: the two are walked differently.
        for change in [
            |query: Query| query,
            |query: Query| query.and_not(Query::term("gamma")),
        ] {
            let ask = |query| read.search_text("texts", &TextSearch::of(change(query), 9));
            let hits = ask(most.clone()).unwrap().hits;
            assert_eq!(hits.len(), 2);
            assert!(hits.iter().all(|hit| hit.score.is_finite()), "{hits:?}");
            let outcome = ask(more.clone());
            assert!(
                matches!(outcome, Err(stratigraph::Error::BadDeclaration { .. })),
                "{outcome:?}"
            );
        }
    }
}

/// A search looks its terms up in each segment.
#[test]
fn a_query_of_too_many_terms_is_refused() {
    let (db, _) = with_texts(Analysis::Plain, &["alpha"]);
    let text: Vec<String> = (0..5000).map(|number| format!("w{number}")).collect();
    let search = TextSearch::of(Query::term(text.join(" ")), 1);
    let outcome = db.read().unwrap().search_text("texts", &search);
    let Err(stratigraph::Error::TooMany { what, .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(what, "terms of a text query");
}

/// Each term of a prefix is looked up in each segment.
#[test]
fn prefixes_of_too_many_terms_together_are_cut_and_say_so() {
    let (db, nodes) = with_texts(Analysis::Plain, &[words(0, 9000), words(8999, 2)]);
    let read = db.read().unwrap();
    let prefixes: Vec<String> = (0..9).map(|number| format!("word000{number}*")).collect();
    let search = TextSearch::new(&prefixes.join(" "), 9);
    let answer = read.search_text("texts", &search).unwrap();
    assert_eq!(answer.work.prefixes_cut, 1, "the last of nine times 1,000");
    let hits: Vec<Entity> = answer.hits.iter().map(|hit| hit.entity).collect();
    assert_eq!(hits, [nodes[0].into()]);
}
