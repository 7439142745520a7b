//! Names that mean the same: proposed, agreed, and put under one.

use super::*;
use stratigraph::storage::cancel::Watch;
use stratigraph_models::Placed;

/// A list of facts: subject, relation, object.
fn put_list(db: &Database, facts: &[[&str; 3]]) {
    let lines = facts.iter().map(|[subject, relation, object]| {
        json!({"subject": subject, "relation": relation, "object": object, "source": "1"})
            .to_string()
    });
    let lines: Vec<String> = lines.collect();
    let call = "CALL rag.upsertDocument({id: 'list', format: 'facts', content: $facts}) YIELD id";
    let rows = db.query(call, [("facts", lines.join("\n"))]).unwrap();
    rows.for_each(|row| drop(row.unwrap()));
}

const FACTS: [[&str; 3]; 4] = [
    ["Bank of Ruritania", "is located in", "Strelsau"],
    ["Ministry of Finance", "is located  in", "Strelsau"],
    ["Bank of Ruritania", "is not located in", "Zenda"],
    ["The Bank of Ruritania", "audits", "Ministry of Finance"],
];

fn texts(rows: &[Row], name: &str) -> Vec<String> {
    rows.iter().map(|row| row.get(name).unwrap()).collect()
}

fn predicates(db: &Database) -> Vec<String> {
    let rows = rows(
        db,
        "MATCH ()-[f:FACT]->() RETURN DISTINCT f.predicate AS name ORDER BY name",
    );
    texts(&rows, "name")
}

#[test]
fn relations_are_proposed_agreed_to_and_taken_back() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('triples')");
    let facts = [
        ["a", "is located in", "b"],
        ["c", "located in", "d"],
        ["e", "is not located in", "b"],
        ["e", "audits", "f"],
    ];
    put_list(&db, &facts);
    let proposed = rows(
        &db,
        "CALL rag.relations({eps: 0.9}) YIELD name, standsFor, opposite \
         RETURN name, standsFor, opposite ORDER BY name",
    );
    let merged = rows(
        &db,
        "CALL rag.relations({eps: 0.9}) YIELD name, standsFor WHERE standsFor IS NOT NULL RETURN name, standsFor",
    );
    assert!(!merged.is_empty(), "{proposed:?}");
    for row in &merged {
        let pair = [
            row.get::<String>("name").unwrap(),
            row.get("standsFor").unwrap(),
        ];
        assert!(pair.iter().all(|name| !name.contains("not")), "{pair:?}");
    }
    let opposites = rows(
        &db,
        "CALL rag.relations({eps: 0.9}) YIELD name, opposite WHERE opposite IS NOT NULL RETURN DISTINCT name",
    );
    assert_eq!(texts(&opposites, "name"), ["is not located in"]);
    // Nothing is changed by asking; what is agreed holds for what is taken in from then on.
    assert_eq!(predicates(&db).len(), 4);
    rows(
        &db,
        "CALL rag.agree('relation', 'located in', 'is located in')",
    );
    put_list(&db, &facts);
    assert_eq!(
        predicates(&db),
        ["audits", "is located in", "is not located in"]
    );
    let agreed = rows(&db, "CALL rag.agreed()");
    assert_eq!(texts(&agreed, "of"), ["relation"]);
    assert_eq!(texts(&agreed, "standsFor"), ["is located in"]);
    let (message, _) = refused(
        &db,
        "CALL rag.agree('relation', 'is located in', 'located in')",
    );
    assert!(message.contains("would stand for itself"), "{message}");
    let (message, _) = refused(&db, "CALL rag.agree('verb', 'a', 'b')");
    assert!(message.contains("`relation` or an `entity`"), "{message}");
    // Taken back, the graph is again what the documents say.
    rows(&db, "CALL rag.agree('relation', 'located in', null)");
    put_list(&db, &facts);
    assert_eq!(predicates(&db).len(), 4);
    assert!(rows(&db, "CALL rag.agreed()").is_empty());
}

#[test]
fn entities_are_proposed_and_become_one() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('triples')");
    put_list(&db, &FACTS);
    let proposed = rows(&db, "CALL rag.aliases()");
    let pair = [
        &texts(&proposed, "name")[..],
        &texts(&proposed, "standsFor"),
    ]
    .concat();
    assert_eq!(texts(&proposed, "reason"), ["same words"], "{pair:?}");
    // Somebody decides which; the other comes in any form.
    rows(
        &db,
        "CALL rag.agree('entity', 'THE BANK of Ruritania', 'Bank of Ruritania')",
    );
    put_list(&db, &FACTS);
    let banks = rows(
        &db,
        "MATCH (e:Entity)-[f:FACT]->() WHERE e.key CONTAINS 'bank' RETURN DISTINCT e.key AS key",
    );
    assert_eq!(texts(&banks, "key"), ["bank of ruritania"]);
    assert!(rows(&db, "CALL rag.aliases()").is_empty());
}

/// Names at angles, in degrees; everything else is far from them. 1 - cos of 18 degrees is 0.049.
const ANGLES: [(&str, f32); 6] = [
    ("covers", 0.0),
    ("contains", 24.0),
    ("includes", 20.0),
    ("does not contain", 30.0),
    ("reaches", 64.0),
    ("spans", 60.0),
];

#[test]
fn relations_that_come_later_go_to_what_was_agreed() {
    let angles = Placed::at_angles(ANGLES, Some(Placed::direction(180.0)));
    let (db, _) = library(Equipment::default().embedder(Arc::new(angles)));
    rows(&db, "CALL rag.createLayers('triples')");
    let proposed = || {
        let call = "CALL rag.relations() YIELD name, standsFor, opposite \
                    RETURN name + ' = ' + coalesce(standsFor, 'not ' + opposite) AS row ORDER BY row";
        texts(&rows(&db, call), "row")
    };
    let facts = [
        ["a", "covers", "b"],
        ["c", "contains", "d"],
        ["e", "does not contain", "f"],
        ["g", "includes", "h"],
        ["i", "spans", "j"],
        ["k", "reaches", "l"],
    ];
    put_list(&db, &facts[..2]);
    assert!(proposed().is_empty());
    // They are further apart than what is proposed: somebody knows better.
    rows(&db, "CALL rag.agree('relation', 'contains', 'covers')");
    put_list(&db, &facts[..3]);
    assert_eq!(predicates(&db), ["covers", "does not contain"]);
    // Near to what they mean together, and to the name that no fact has any more.
    assert_eq!(proposed(), ["does not contain = not contains"]);
    put_list(&db, &facts);
    let later = [
        "does not contain = not includes",
        "includes = covers",
        "spans = reaches",
    ];
    assert_eq!(proposed(), later);
    rows(&db, "CALL rag.agree('relation', 'includes', 'covers')");
    put_list(&db, &facts);
    assert_eq!(
        predicates(&db),
        ["covers", "does not contain", "reaches", "spans"]
    );
    assert_eq!(
        proposed(),
        ["does not contain = not contains", "spans = reaches"]
    );
}

#[test]
fn an_entity_that_was_put_under_another_is_taken_back() {
    let (db, _) = library(Equipment::default());
    rows(&db, "CALL rag.createLayers('triples')");
    put_list(&db, &FACTS);
    let all = || {
        let mut text = Vec::new();
        db.dump_canonical(&mut text, &mut Watch::quiet()).unwrap();
        String::from_utf8(text).unwrap()
    };
    let banks = || {
        let banks = "MATCH (e:Entity) WHERE e.key CONTAINS 'bank' RETURN e.key AS key ORDER BY key";
        texts(&rows(&db, banks), "key")
    };
    let before = all();
    assert_eq!(banks(), ["bank of ruritania", "the bank of ruritania"]);
    let agree =
        "CALL rag.agree('entity', 'The Bank of Ruritania', 'Bank of Ruritania') YIELD changed";
    let changed = |text: &str| rows(&db, text)[0].get::<bool>("changed").unwrap();
    assert!(changed(agree) && !changed(agree));
    put_list(&db, &FACTS);
    assert_eq!(banks(), ["bank of ruritania"]);
    let agreed = rows(&db, "CALL rag.agreed()");
    assert_eq!(texts(&agreed, "of"), ["entity"]);
    assert_eq!(texts(&agreed, "standsFor"), ["Bank of Ruritania"]);
    // In any form of its name. What is there keeps the other's until it comes again.
    let back = "CALL rag.agree('entity', 'the bank  of RURITANIA', null) YIELD changed";
    assert!(changed(back) && !changed(back));
    assert!(rows(&db, "CALL rag.agreed()").is_empty());
    assert_eq!(banks(), ["bank of ruritania"]);
    put_list(&db, &FACTS);
    assert_eq!(banks(), ["bank of ruritania", "the bank of ruritania"]);
    assert!(all() == before, "something is left of what was taken back");
}
