//! What is read of many things together, beside what is read of each by itself.

use super::*;
use crate::retrieve::reader::Reader;

/// Everything that can be found in the graph.
fn everything(read: &stratigraph::ReadTxn) -> Vec<Entity> {
    let nodes = read.node_ids().unwrap().map(Result::unwrap);
    let relationships = read.relationship_ids().unwrap().map(Result::unwrap);
    let all = nodes.map(Entity::from);
    all.chain(relationships.map(Entity::from)).collect()
}

#[test]
fn many_things_say_together_what_each_says_by_itself() {
    let (db, _layers) = database();
    // A row of a table, and two relationships of one: of a chunk that is there, and of one that is not.
    let mut txn = db.write().unwrap();
    let row = txn.create_node(["Row"], [("name", "granite"), ("colour", "grey")]);
    let row = row.unwrap();
    let chunk = txn.nodes_with_label("Chunk").unwrap().min().unwrap();
    let chunk = stratigraph::NodeId::new(chunk);
    let key = txn.property(chunk, "key").unwrap();
    txn.create_relationship(row, "SEEN", chunk, [("chunk", key)])
        .unwrap();
    txn.create_relationship(row, "SEEN", chunk, [("chunk", "nowhere")])
        .unwrap();
    txn.commit().unwrap();
    let read = db.read().unwrap();
    let mut all = everything(&read);
    // Some come twice, and some are not there.
    all.extend_from_within(..);
    all.push(stratigraph::NodeId::new(9_999).into());
    all.insert(3, stratigraph::RelationshipId::new(9_999).into());
    let together = Reader::new(&read).evidence_of(all.iter().copied()).unwrap();
    assert_eq!(together.len(), all.len());
    assert!(together[3].is_none() && together.last().unwrap().is_none());
    for (entity, said) in all.iter().zip(&together) {
        let alone = Reader::new(&read).evidence(*entity).unwrap();
        assert_eq!(&alone, said, "{entity:?}");
    }
    let places = |kind: &str, key: &str, text: &str| -> Vec<&str> {
        let is_it = |said: &&Evidence| {
            said.name.kind == kind && (said.name.key == key || key.is_empty()) && said.text == text
        };
        let said = together.iter().flatten().find(is_it);
        let places = said.unwrap_or_else(|| panic!("{text}")).places.iter();
        places.map(|place| place.document.as_str()).collect()
    };
    assert_eq!(places("FACT", "", "Sea has salt"), ["sea.md"]);
    assert_eq!(
        places("FACT", "", "Basalt comes from New York"),
        ["earth.md"]
    );
    assert_eq!(
        places("DomainTag", "nature", "nature"),
        ["earth.md", "sea.md"]
    );
    assert_eq!(places("Entity", "new york", "New York"), ["earth.md"]);
    assert!(places("Row", "", "name: granite\ncolour: grey").is_empty());
    let seen = together.iter().flatten();
    let seen = seen.filter(|said| said.name.kind == "SEEN");
    let seen: Vec<usize> = seen.map(|said| said.places.len()).collect();
    assert_eq!(seen, [1, 0, 1, 0]);
}

#[test]
fn for_what_may_not_be_found_others_come() {
    let (db, layers) = database();
    let (read, question) = (db.read().unwrap(), Question::new("basalt, sea").unwrap());
    let desk = Desk::new(&read, layers.embedder(), &question);
    let mut pipeline = Pipeline::preset("hybrid").unwrap();
    let keys = |pipeline: &Pipeline, but: &[&str]| -> Vec<String> {
        let may_be_found = |evidence: &Evidence| !but.contains(&evidence.name.key.as_str());
        let retrieved = pipeline.retrieve_where(&desk, may_be_found).unwrap();
        let found = retrieved.found.into_iter();
        found.map(|found| found.receipt.name.key).collect()
    };
    let all = keys(&pipeline, &[]);
    assert!(all.len() > 3, "{all:?}");
    pipeline.most = 2;
    assert_eq!(keys(&pipeline, &[]), all[..2]);
    assert_eq!(keys(&pipeline, &[&all[0]]), all[1..3]);
    assert_eq!(
        keys(&pipeline, &[&all[1], &all[2]]),
        [all[0].as_str(), all[3].as_str()]
    );
    let none: Vec<&str> = all.iter().map(String::as_str).collect();
    assert!(keys(&pipeline, &none).is_empty());
}
