//! Declared queries in the database: a node each, beside the layers, with the vectors of what they say of themselves.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use stratigraph::{NodeId, Prepared, Read, Value, Vector, WriteTxn};
use stratigraph_models::{Embedder, ModelError};

use super::{Declared, RouteError};
use crate::build::Layers;

/// The label of declared queries.
pub(crate) const DECLARED_QUERY: &str = "DeclaredQuery";
/// So many can be declared: a model is shown all of them.
pub const MOST_DECLARED: usize = 256;

const KEY: &str = "key";
const DEFINITION: &str = "definition";
/// The vector of each phrase has a property of its own.
const PHRASE: &str = "phrase_";

/// A query that is declared, with the vectors of its phrases.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) declared: Declared,
    pub(crate) phrases: Vec<Vector>,
}

/// All that is declared, by name.
pub(crate) fn kept<R: Read>(read: &R) -> Result<BTreeMap<String, Kept>, stratigraph::Error> {
    let mut all = BTreeMap::new();
    for node in read.nodes_with_label(DECLARED_QUERY)? {
        let Some(node) = read.node(NodeId::new(node))? else {
            continue;
        };
        let definition = node.get(DEFINITION).and_then(Value::as_str);
        let declared: Option<Declared> =
            definition.and_then(|definition| serde_json::from_str(definition).ok());
        // Whoever has written such a node by hand has declared nothing.
        let Some(declared) = declared.filter(|declared| declared.check().is_ok()) else {
            continue;
        };
        let phrases = declared.phrases().enumerate().filter_map(|(at, _)| {
            match node.get(&format!("{PHRASE}{at}")) {
                Some(Value::Vector(vector)) => Some(vector.clone()),
                _ => None,
            }
        });
        let phrases = phrases.collect();
        all.insert(declared.name.clone(), Kept { declared, phrases });
    }
    Ok(all)
}

/// Declares a query in the place of what had its name; whether something had.
pub(crate) fn declare(layers: &Layers, declared: &Declared) -> Result<bool, RouteError> {
    declared.check()?;
    agrees_with_statement(layers, declared)?;
    let phrases: Vec<&str> = declared.phrases().collect();
    let vectors = embed(layers.embedder(), &phrases)?;
    let definition = serde_json::to_value(declared).unwrap_or_default();
    let mut properties: Vec<(String, Value)> = vec![
        (KEY.to_owned(), declared.name.as_str().into()),
        (DEFINITION.to_owned(), Json::to_string(&definition).into()),
    ];
    for (at, vector) in vectors.into_iter().enumerate() {
        properties.push((format!("{PHRASE}{at}"), vector.into()));
    }
    let mut txn = layers.database().write()?;
    let replaced = forget(&mut txn, &declared.name)?;
    if txn.node_count(Some(DECLARED_QUERY))? >= MOST_DECLARED as u64 {
        return Err(RouteError::TooMany {
            most: MOST_DECLARED,
        });
    }
    txn.create_node([DECLARED_QUERY], properties)?;
    txn.commit()?;
    Ok(replaced)
}

/// Drops a declared query; whether there was one.
pub(crate) fn undeclare(layers: &Layers, name: &str) -> Result<bool, RouteError> {
    let mut txn = layers.database().write()?;
    let was_there = forget(&mut txn, name)?;
    if was_there {
        txn.commit()?;
    }
    Ok(was_there)
}

fn forget(txn: &mut WriteTxn, name: &str) -> Result<bool, stratigraph::Error> {
    let mut found = Vec::new();
    for node in txn.nodes_with_label(DECLARED_QUERY)? {
        let node = NodeId::new(node);
        if txn.property(node, KEY)?.as_str() == Some(name) {
            found.push(node);
        }
    }
    for node in &found {
        txn.delete_node(*node)?;
    }
    Ok(!found.is_empty())
}

/// Whether the statement can be run, only reads, gives rows, and takes what the query takes.
fn agrees_with_statement(layers: &Layers, declared: &Declared) -> Result<(), RouteError> {
    let name = &declared.name;
    let wrong = |place: &str, problem: String| Err(RouteError::declaration(name, place, problem));
    let prepared = layers.database().prepare(&declared.statement);
    let prepared: Prepared = prepared.map_err(|source| RouteError::Statement {
        name: name.clone(),
        source: Box::new(source),
    })?;
    if prepared.writes() {
        return Err(RouteError::Writes { name: name.clone() });
    }
    if prepared.columns().next().is_none() {
        return wrong(
            "statement",
            "gives no columns: end it with RETURN".to_owned(),
        );
    }
    let needed: Vec<&str> = prepared.parameters().collect();
    for needed in &needed {
        let is_known = declared
            .parameters
            .iter()
            .any(|one| one.name == *needed || (one.embedded && one.text_name() == *needed));
        if !is_known {
            let problem = format!("takes `${needed}`, which is no parameter: declare it");
            return wrong("statement", problem);
        }
    }
    for (at, one) in declared.parameters.iter().enumerate() {
        let text = one.embedded.then(|| one.text_name());
        let is_used = |name: &str| needed.contains(&name);
        if !is_used(&one.name) && !text.as_deref().is_some_and(is_used) {
            let problem = format!("is `{}`, which the statement does not take", one.name);
            return wrong(&format!("parameters[{at}].name"), problem);
        }
    }
    let read = layers.database().read()?;
    let labels = declared
        .parameters
        .iter()
        .enumerate()
        .filter_map(|(at, one)| {
            let place = format!("parameters[{at}].of.label");
            one.of.as_ref().map(|of| (place, of.label.as_str()))
        });
    let target = declared.target.iter();
    let target = target.map(|label| ("target".to_owned(), label.as_str()));
    for (place, label) in labels.chain(target) {
        if read.catalog().labels.id(label).is_none() {
            let label: String = label.chars().take(64).collect();
            let problem = format!("is `{label}`, and no node has ever had that label");
            return wrong(&place, problem);
        }
    }
    Ok(())
}

/// The vectors of texts that are kept.
fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vector>, RouteError> {
    let rows = embedder.embed(texts)?;
    let wrong = || ModelError::WrongRows {
        texts: texts.len(),
        dimensions: embedder.dimensions(),
        found_rows: rows.len(),
        found_dimensions: rows.dimensions(),
    };
    if rows.len() != texts.len() {
        return Err(wrong().into());
    }
    let vectors = rows.iter().map(|row| Vector::new(row).map_err(|_| wrong()));
    Ok(vectors.collect::<Result<_, _>>()?)
}
