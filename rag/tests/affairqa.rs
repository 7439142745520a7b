//! Tables that nobody here wrote: the entities of AffairQA, thirteen types with properties of their own, as typed nodes, and
//! its questions, each of which asks for one property of one entity.
//!
//! They lie outside the repository; without them the test says so and passes. Rows that state one key in two ways are in
//! them, as in all data of this size.

mod shared;

use serde_json::Value as Json;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Read};
use stratigraph_models::Lexical;
use stratigraph_rag::build::{Layers, Profile};
use stratigraph_rag::door::{Equipment, Library, Wanted};
use stratigraph_rag::ingest::System;
use stratigraph_rag::read::TableMapping;
use stratigraph_rag::retrieve::{Pipeline, Question};

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

/// A mapping of all rows, of which the labels are what their tables are called.
fn mapping(folder: &Path, rows: &[Json], more: &str) -> TableMapping {
    let types: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row["table"].as_str())
        .collect();
    let quoted: Vec<String> = types.iter().map(|name| format!("{name:?}")).collect();
    let mapping = format!(
        "[[nodes]]\nfile = \"entities.jsonl\"\nlabel = {{ column = \"table\", of = [{}] }}\nkey = [\"id\", \"name\"]\n{more}",
        quoted.join(", ")
    );
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    fs::write(folder.join("affairs.toml"), mapping).unwrap();
    fs::write(folder.join("entities.jsonl"), &text).unwrap();
    TableMapping::read(&folder.join("affairs.toml")).unwrap()
}

/// The types of the rows that are named in a question, by their longest names, and have the answer in a cell.
fn types_that_answer<'r>(rows: &'r [Json], question: &str, answer: &str) -> BTreeSet<&'r str> {
    let name = |row: &'r Json| {
        let names = ["name", "id"]
            .into_iter()
            .filter_map(|name| row[name].as_str());
        let stands = names.filter(|name| name.chars().count() > 1 && question.contains(*name));
        stands.map(str::len).max()
    };
    let cells = |row: &Json| -> bool {
        let cells = row.as_object().into_iter().flat_map(|row| row.values());
        cells.filter_map(Json::as_str).any(|cell| cell == answer)
    };
    let named: Vec<(usize, &Json)> = { rows.iter() }
        .filter_map(|row| Some((name(row)?, row)))
        .collect();
    let answering = named.iter().filter(|(_, row)| cells(row));
    let longest = answering.clone().map(|(length, _)| *length).max();
    answering
        .filter(|(length, _)| Some(*length) == longest)
        .filter_map(|(_, row)| row["table"].as_str())
        .collect()
}

#[test]
fn questions_are_routed_to_the_type_and_the_row_that_answers_them() {
    let Some(rows) = shared::rows("affairqa/entities.jsonl.gz") else {
        return;
    };
    let Some(mut questions) = shared::rows("affairqa/questions.jsonl.gz") else {
        return;
    };
    // Their table could not be had.
    questions.retain(|one| !one["id"].as_str().unwrap().contains("HistoricalFigure"));
    assert_eq!(questions.len(), 161);
    let world = tempfile::tempdir().unwrap();
    let mapping = mapping(world.path(), &rows, "metadata = [\"name\"]\n");
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, Equipment::default());
    let open = library.create(&Wanted::new(System::Structure)).unwrap();
    let started = Instant::now();
    let report = open
        .layers()
        .upsert_tables("affairs.toml", &mapping)
        .unwrap();
    println!(
        "{} nodes in {:.1} s",
        report.nodes,
        started.elapsed().as_secs_f64()
    );

    // Nothing is declared: what is asked is made up from the types.
    let pipeline = Pipeline::preset("audit").unwrap();
    let (mut in_first, mut right_type) = (0, 0);
    let mut wrong = Vec::new();
    let started = Instant::now();
    for one in &questions {
        let text = one["question"].as_str().unwrap();
        let answer = one["answers"][0].as_str().unwrap();
        let question = Question::new(text).unwrap();
        let retrieved = open
            .retrieve(&pipeline, &question, &CancelToken::new())
            .unwrap();
        let first = retrieved.found.first();
        let has_answer = first.is_some_and(|first| {
            let values = first.text.lines().filter_map(|line| line.split_once(": "));
            values.into_iter().any(|(_, value)| value == answer)
        });
        let types = types_that_answer(&rows, text, answer);
        let target = retrieved.trace[0].detail["candidates"][0]["target"].as_str();
        let is_right_type = target.is_some_and(|target| types.contains(target));
        in_first += usize::from(has_answer);
        right_type += usize::from(is_right_type);
        if !has_answer || !is_right_type {
            wrong.push(format!("{text} {answer}: {target:?} of {types:?}"));
        }
    }
    println!(
        "answer in the first row {in_first}, right type {right_type} of {}; {:.0} ms each",
        questions.len(),
        started.elapsed().as_secs_f64() * 1e3 / questions.len() as f64
    );
    println!("{}", wrong.join("\n"));
    assert!(in_first as f64 >= 0.99 * questions.len() as f64);
    assert!(right_type as f64 >= 0.98 * questions.len() as f64);
}
