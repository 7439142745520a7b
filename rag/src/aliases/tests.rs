use super::*;
use crate::extract::{Chain, Entity, Extracted, Triple};
use crate::relations::tests::English;
use stratigraph_models::Lexical;

fn named<'a>(name: &'a str, kind: Option<&'a str>, mentions: usize) -> Named<'a> {
    Named {
        name,
        kind,
        mentions,
    }
}

fn proposed(
    names: &[Named<'_>],
    embedder: Option<(&dyn Embedder, f32)>,
) -> Vec<(String, String, String)> {
    let proposals = propose(names, embedder).unwrap().into_iter();
    let reason = |reason: Reason| match reason {
        Reason::Near(_) => "near".to_owned(),
        other => format!("{other:?}"),
    };
    proposals
        .map(|one| (one.canonical, one.alias, reason(one.reason)))
        .collect()
}

fn expected(pairs: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    let own = |pair: &(&str, &str, &str)| (pair.0.to_owned(), pair.1.to_owned(), pair.2.to_owned());
    pairs.iter().map(own).collect()
}

#[test]
fn letters_propose_names_and_abbreviations() {
    let names = [
        named("The Bank of Ruritania", None, 1),
        named("Bank of Ruritania", None, 3),
        named("BANK OF RURITANIA", Some("river"), 1),
        named("European Central Bank", Some("bank"), 1),
        named("ECB", Some("Bank"), 9),
        named("Università", None, 1),
        named("UNIVERSITA", None, 1),
        named("!", None, 1),
        named("?", None, 1),
    ];
    let pairs = [
        ("Bank of Ruritania", "BANK OF RURITANIA", "SameWords"),
        ("ECB", "European Central Bank", "Abbreviation"),
        ("UNIVERSITA", "Università", "SameWords"),
    ];
    let found = proposed(&names, None);
    for pair in expected(&pairs) {
        assert!(found.contains(&pair), "{pair:?} in {found:?}");
    }
    // Another kind is another thing.
    let kinds = [
        named("Jordan", Some("river"), 1),
        named("JORDAN", Some("person"), 1),
    ];
    assert!(proposed(&kinds, None).is_empty());
    // Letters that could be two names are neither.
    let two = [
        named("ABC", None, 1),
        named("Alpha Beta Corp", None, 1),
        named("Alfa Bank Company", None, 1),
    ];
    assert!(proposed(&two, None).is_empty());
}

#[test]
fn vectors_propose_what_shares_a_word_and_no_other_number_or_negation() {
    let names = [
        named("specifica tecnica nazionale", None, 1),
        named("specifiche tecniche nazionale", None, 2),
        named("Articolo 68 del codice", None, 1),
        named("Articolo 69 del codice", None, 1),
        named("obbligo di pubblicazione", None, 1),
        named("non obbligo di pubblicazione", None, 1),
        named("预算执行情况审计", None, 1),
        named("预算执行情况的审计", None, 5),
    ];
    let lexical = Lexical::new();
    let found = proposed(&names, Some((&lexical, 0.55)));
    let pairs = [
        (
            "specifiche tecniche nazionale",
            "specifica tecnica nazionale",
            "near",
        ),
        ("预算执行情况的审计", "预算执行情况审计", "near"),
    ];
    assert_eq!(found, expected(&pairs));
    assert!(proposed(&names, Some((&lexical, 1.1))).is_empty());
}

#[test]
fn vectors_propose_no_name_that_the_embedder_cannot_read() {
    let names = [
        named("审计报告", None, 1),
        named("审计机关", None, 2),
        named("audit report", None, 1),
        named("audit reports", None, 2),
    ];
    let found = proposed(&names, Some((&English, LEAST_COSINE)));
    assert_eq!(
        found,
        expected(&[("audit reports", "audit report", "near")])
    );
}

#[test]
fn merges_are_undone_exactly() {
    let mut merges = Merges::new();
    merges.apply("Bank of Ruritania", "the bank").unwrap();
    merges.apply("Central Bank", "Bank of Ruritania").unwrap();
    assert_eq!(merges.canonical("the bank"), "Central Bank");
    assert_eq!(merges.sets()["Central Bank"].len(), 2);
    assert!(matches!(
        merges.apply("the bank", "Central Bank"),
        Err(MergeError::Circle { .. })
    ));
    assert!(matches!(
        merges.apply("x", "the bank"),
        Err(MergeError::Taken { .. })
    ));
    assert!(matches!(
        merges.apply("y", "y"),
        Err(MergeError::Circle { .. })
    ));
    let pairs = merges
        .pairs()
        .map(|(one, other)| (one.to_owned(), other.to_owned()));
    assert_eq!(Merges::of(pairs).unwrap(), merges);
    assert!(merges.undo("Bank of Ruritania") && !merges.undo("Bank of Ruritania"));
    assert_eq!(
        (merges.canonical("the bank"), merges.canonical("new")),
        ("Bank of Ruritania", "new")
    );
    assert!(merges.undo("the bank"));
    assert_eq!(merges, Merges::new());
}

#[test]
fn what_a_piece_says_is_said_of_the_canonical_name() {
    let entity =
        |name: &str, kind: Option<&str>, description: &str, span: std::ops::Range<usize>| Entity {
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
            description: description.to_owned(),
            sentences: vec![span],
        };
    let triple = |subject: &str, object: &str| Triple {
        subject: subject.to_owned(),
        predicate: "met".to_owned(),
        object: object.to_owned(),
        ..Triple::default()
    };
    let mut extracted = Extracted {
        entities: vec![
            entity("ECB", None, "A bank.", 5..9),
            entity("Rome", None, "", 0..4),
            entity("European Central Bank", Some("bank"), "In Frankfurt.", 0..4),
        ],
        triples: vec![
            triple("ECB", "Rome"),
            triple("European Central Bank", "Rome"),
            triple("ECB", "European Central Bank"),
        ],
        chains: vec![Chain {
            object: "European Central Bank".to_owned(),
            ..Chain::default()
        }],
    };
    let mut merges = Merges::new();
    let before = extracted.clone();
    resolve(&mut extracted, &merges);
    assert_eq!(extracted, before);
    merges.apply("ECB", "European Central Bank").unwrap();
    resolve(&mut extracted, &merges);
    assert_eq!(extracted.entities[0].sentences, [0..4, 5..9]);
    assert_eq!(extracted.entities[0].description, "A bank. In Frankfurt.");
    assert_eq!(extracted.entities[0].kind.as_deref(), Some("bank"));
    assert_eq!((extracted.entities.len(), extracted.triples.len()), (2, 1));
    assert_eq!(extracted.chains[0].object, "ECB");
}
