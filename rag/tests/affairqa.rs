//! Tables that nobody here wrote: the entities of AffairQA, thirteen types with properties of their own, as typed nodes.
//!
//! They lie outside the repository; without them the test says so and passes. Rows that state one key in two ways are in
//! them, as in all data of this size.

mod shared;

use serde_json::Value as Json;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use stratigraph::{Database, Read};
use stratigraph_models::Lexical;
use stratigraph_rag::build::{Layers, Profile};
use stratigraph_rag::read::TableMapping;

#[test]
fn thirteen_types_of_entities_are_typed_nodes() {
    let Some(rows) = shared::rows("affairqa/entities.jsonl.gz") else {
        return;
    };
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    // What should come of it: the first row of each key stands.
    let mut wanted: BTreeMap<(String, String), Json> = BTreeMap::new();
    let mut left_out = 0;
    for row in rows {
        let cell = |name: &str| {
            row[name]
                .as_str()
                .map(str::trim)
                .filter(|one| !one.is_empty())
        };
        let (Some(table), Some(key)) = (cell("table"), cell("id").or_else(|| cell("name"))) else {
            left_out += 1;
            continue;
        };
        match wanted.entry((table.to_owned(), key.to_owned())) {
            Entry::Vacant(place) => {
                place.insert(row);
            }
            Entry::Occupied(place) if *place.get() == row => {}
            Entry::Occupied(_) => left_out += 1,
        }
    }
    let types: BTreeSet<&str> = wanted.keys().map(|(table, _)| table.as_str()).collect();
    assert_eq!(types.len(), 13);

    let world = tempfile::tempdir().unwrap();
    let quoted: Vec<String> = types.iter().map(|name| format!("{name:?}")).collect();
    let mapping = format!(
        "[[nodes]]\nfile = \"entities.jsonl\"\nlabel = {{ column = \"table\", of = [{}] }}\nkey = [\"id\", \"name\"]\nmetadata = [\"city\"]\n",
        quoted.join(", ")
    );
    fs::write(world.path().join("affairs.toml"), mapping).unwrap();
    fs::write(world.path().join("entities.jsonl"), &text).unwrap();
    let mapping = TableMapping::read(&world.path().join("affairs.toml")).unwrap();
    let db = Database::in_memory().unwrap();
    let layers = Layers::open(&db, Profile::structure(), Arc::new(Lexical::new())).unwrap();
    let report = layers.upsert_tables("affairs.toml", &mapping).unwrap();
    println!(
        "{} nodes of 13 types, {} rows left out",
        report.nodes, report.count_broken
    );
    assert_eq!(report.nodes, wanted.len() as u64);
    assert_eq!(report.count_broken, left_out);
    let read = db.read().unwrap();
    for name in &types {
        let nodes = wanted.keys().filter(|(table, _)| table == name).count() as u64;
        assert_eq!(read.node_count(Some(name)).unwrap(), nodes, "{name}");
    }
    drop(read);
    // A property of an entity by its type and key: what the questions of this set ask.
    let query = "MATCH (n:公园 {key: '永康历山省级森林公园'}) RETURN n.buildTime AS answer";
    let answer = db.query(query, ()).unwrap().next().unwrap().unwrap();
    assert_eq!(answer.get::<String>("answer").unwrap(), "2016/1/1");
    let again = layers.upsert_tables("affairs.toml", &mapping).unwrap();
    assert_eq!((again.change.written, again.change.deleted), (0, 0));
    layers.delete_tables("affairs.toml").unwrap();
    assert_eq!(db.read().unwrap().node_count(Some("公园")).unwrap(), 0);
}
