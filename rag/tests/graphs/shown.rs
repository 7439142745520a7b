//! A graph as lines, so that a hand-written one can be compared with it.
//!
//! Left out are vectors, hashes and spans, and which chunks state a fact, which the layers keep for themselves;
//! what a chunk names is there (`MENTIONS`). A chunk is called by its document and the place where it begins.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use stratigraph::Database;

const LABELS: [&str; 6] = [
    "Document",
    "Section",
    "Chunk",
    "Instance",
    "Entity",
    "DomainTag",
];
const TYPES: [&str; 10] = [
    "HAS_CHILD",
    "HAS_INSTANCE",
    "RELATED",
    "REFERS_TO",
    "MENTIONS",
    "FACT",
    "HAS_TAG",
    "DESCRIBES",
    "COVERS",
    "HAS_SUBDOMAIN",
];
/// What belongs to the layers themselves.
const OWN: [&str; 15] = [
    "key", "hash", "id", "document", "heading", "title", "start", "end", "facts", "count",
    "chains", "stale", "metadata", "called", "taken_in",
];

type Properties = BTreeMap<String, Json>;

/// The graph of a database: its nodes, then its relationships, each sorted.
pub(crate) fn graph(db: &Database) -> Vec<String> {
    let mut names: BTreeMap<i64, String> = BTreeMap::new();
    let mut chunks: BTreeMap<String, String> = BTreeMap::new();
    let mut nodes = Vec::new();
    for label in LABELS {
        let query = format!("MATCH (n:{label}) RETURN id(n), labels(n), properties(n)");
        for row in db.query(&query, ()).unwrap() {
            let (id, labels, properties): (i64, Vec<String>, Properties) =
                row.unwrap().to().unwrap();
            let key = properties["key"].as_str().unwrap();
            let name = match label {
                "Chunk" => {
                    let document = properties["document"].as_str().unwrap();
                    let name = format!("{document}@{}", properties["start"]);
                    chunks.insert(key.to_owned(), name.clone());
                    name
                }
                _ => key.to_owned(),
            };
            names.insert(id, name);
            nodes.push((id, labels, properties));
        }
    }
    let mut lines: Vec<String> = nodes
        .into_iter()
        .map(|(id, mut labels, properties)| {
            labels.sort();
            let (labels, name) = (labels.join(":"), &names[&id]);
            format!("{labels} {name}{}", shown(&properties, &chunks))
        })
        .collect();
    lines.sort();
    let mut edges = Vec::new();
    for kind in TYPES {
        let query = format!("MATCH (a)-[r:{kind}]->(b) RETURN id(a), id(b), properties(r)");
        for row in db.query(&query, ()).unwrap() {
            let (from, to, mut properties): (i64, i64, Properties) = row.unwrap().to().unwrap();
            if kind == "FACT" {
                properties.remove("chunks");
                properties.remove("text");
                properties.remove("descriptions");
            }
            let properties = shown(&properties, &chunks);
            edges.push(format!(
                "{} -{kind}-> {}{properties}",
                names[&from], names[&to]
            ));
        }
    }
    edges.sort();
    lines.extend(edges);
    lines
}

/// Properties in the order of their names.
fn shown(properties: &Properties, chunks: &BTreeMap<String, String>) -> String {
    let told = properties
        .iter()
        .filter(|(name, _)| !OWN.contains(&name.as_str()) && !name.starts_with("embedding"));
    let told: Vec<String> = told
        .map(|(name, value)| format!("{name}={}", value_of(value, chunks)))
        .collect();
    match told.is_empty() {
        true => String::new(),
        false => format!(" {{{}}}", told.join(", ")),
    }
}

fn value_of(value: &Json, chunks: &BTreeMap<String, String>) -> String {
    match value {
        Json::String(text) => chunks.get(text).unwrap_or(text).replace('\n', "|"),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| value_of(item, chunks)).collect();
            format!("[{}]", items.join("; "))
        }
        other => other.to_string(),
    }
}

/// Fails with what is too much and what is missing.
pub(crate) fn compare(found: &[String], expected: &str) {
    let mut expected: Vec<&str> = expected.lines().map(str::trim).collect();
    expected.retain(|line| !line.is_empty());
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    let missing: Vec<&&str> = expected
        .iter()
        .filter(|line| !found.contains(line))
        .collect();
    let more: Vec<&&str> = found
        .iter()
        .filter(|line| !expected.contains(line))
        .collect();
    assert!(
        missing.is_empty() && more.is_empty() && found.len() == expected.len(),
        "missing: {missing:#?}\ntoo much: {more:#?}"
    );
}
