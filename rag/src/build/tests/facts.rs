//! Facts are there for who states them.

use super::*;

fn fact() -> Extracted {
    Extracted {
        triples: vec![Triple {
            subject: "Basalt".into(),
            predicate: "was".into(),
            object: "lava".into(),
            description: "once".into(),
            source: "p. 3".into(),
        }],
        ..Extracted::default()
    }
}

#[test]
fn facts_are_found_by_who_states_them() {
    let layers = layers();
    let first = put(&layers, "a", fact());
    let second = put(&layers, "b", fact());
    assert!(second.vectors < first.vectors, "{second:?}");
    let stated = || {
        let read = layers.database().read().unwrap();
        let facts = read.relationships_of_type("FACT").unwrap();
        let fact = stratigraph::RelationshipId::new(facts.min().unwrap());
        let key = read.property(fact, "key").unwrap();
        let stated = read.index(schema::STATED).unwrap();
        (facts.len(), stated.equal(&[key]).unwrap().count())
    };
    assert_eq!(stated(), (1, 2));
    layers.delete("a").unwrap();
    assert_eq!(stated(), (1, 1));
    layers.delete("b").unwrap();
    let read = layers.database().read().unwrap();
    assert_eq!(read.relationship_count(Some("FACT")).unwrap(), 0);
    assert_eq!(read.relationship_count(Some("STATES")).unwrap(), 0);
}

#[test]
fn the_words_of_a_fact_and_of_its_source_are_searched_in_the_language_of_the_texts() {
    let db = Database::in_memory().unwrap();
    let profile = Profile::triples().analysis(stratigraph::Analysis::English);
    let layers = Layers::open(&db, profile, Arc::new(Lexical::new())).unwrap();
    let found = |text: &str| {
        let search = stratigraph::TextSearch::new(text, 9);
        let read = layers.database().read().unwrap();
        let answer = read.search_text(schema::FACT_TEXTS, &search).unwrap();
        answer.hits.len()
    };
    put(&layers, "a", fact());
    put(&layers, "b", fact());
    let each = ["basalts", "was", "lava", "3", "once"].map(found);
    // Both state the same fact, and each describes it for itself.
    assert_eq!(each, [1, 1, 1, 1, 0]);
    layers.delete("a").unwrap();
    assert_eq!(found("lava"), 1);
    layers.delete("b").unwrap();
    assert_eq!(found("lava"), 0);
}

/// How many bytes a change would write, without writing them. Sets of ids are left out: they are the engine's, which
/// keeps them in blocks.
fn bytes_of_change(layers: &Layers, new: &Contribution) -> usize {
    let read = layers.database().read().unwrap();
    let held = held::Held::read(&read, new.document()).unwrap();
    let mut vectors = vectors::Vectors::default();
    let wording = layers.wording();
    vectors.prepare((&read, &held), new, wording).unwrap();
    let mut txn = layers.database().write().unwrap();
    apply::apply(&mut txn, (&held, new), wording, &vectors).unwrap();
    let written = txn.changes().unwrap();
    let written =
        written.filter(|(family, ..)| !matches!(family, Family::Labels | Family::Hierarchy));
    written
        .map(|(_, key, value)| key.len() + value.map_or(0, <[u8]>::len))
        .sum()
}

#[test]
fn a_fact_that_everybody_states_costs_the_next_no_more() {
    let layers = layers();
    let mut bytes = Vec::new();
    let new = contribution("next", "What next says.\n", fact(), layers.profile());
    for number in 0..300 {
        if number == 10 || number == 299 {
            bytes.push(bytes_of_change(&layers, &new));
        }
        put(&layers, &format!("{number:03}"), fact());
    }
    // Ids may take a byte more.
    assert!(bytes[1] < bytes[0] + bytes[0] / 10, "{bytes:?}");
    // And who goes is not looked for among all others.
    let gone = Contribution::none("005".to_owned());
    assert!(bytes_of_change(&layers, &gone) < bytes[0]);
}
