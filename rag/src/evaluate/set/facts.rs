//! Sets of facts: there is no text to read, and what answers a question are triples.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::rows::{id_of, is_there, rows};
use super::{LabelledSet, SetError};
use crate::Metadata;
use crate::build::Fact;
use crate::extract::Triple;
use crate::ingest::FactList;

/// So many facts are one list: a list is one commit, and each fact has two vectors and ends with one each.
const AT_ONCE: usize = 2000;

/// A triple of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactRow {
    /// Its name among those of the set.
    pub id: String,
    /// It.
    pub triple: Triple,
    /// The triple that says the same in the other direction, if the set knows one: this one is not in the graph then.
    pub reversed_of: Option<String>,
}

/// The triples of a set; none if it has documents.
pub(super) fn read(folder: &Path) -> Result<Vec<FactRow>, SetError> {
    match is_there(folder, "triples") {
        true => rows(folder, "triples", fact_of),
        false => Ok(Vec::new()),
    }
}

fn fact_of(row: &Json, number: usize) -> Result<FactRow, String> {
    if !row.is_object() {
        return Err("is no object".to_owned());
    }
    let text = |names: [&str; 3]| {
        let found = names.iter().find_map(|name| row[*name].as_str());
        found.unwrap_or_default().trim().to_owned()
    };
    Ok(FactRow {
        id: id_of(&row["id"]).unwrap_or_else(|| number.to_string()),
        triple: Triple {
            subject: text(["e1", "entity1", "subject"]),
            predicate: text(["rel", "relation", "predicate"]),
            object: text(["e2", "entity2", "object"]),
            description: String::new(),
            source: text(["source", "fonte", "source"]),
        },
        reversed_of: id_of(&row["reversed_of"]),
    })
}

impl LabelledSet {
    /// Its triples, as lists that are taken in, each as a whole; none if it has documents.
    #[must_use]
    pub fn fact_lists(&self) -> Vec<FactList> {
        let facts = self.facts.iter().filter(|fact| fact.reversed_of.is_none());
        let facts: Vec<&FactRow> = facts.collect();
        let lists = facts.chunks(AT_ONCE).enumerate();
        let lists = lists.map(|(number, facts)| {
            let mut lines = String::new();
            for FactRow { triple, .. } in facts {
                let line = json!({
                    "subject": triple.subject,
                    "relation": triple.predicate,
                    "object": triple.object,
                    "source": triple.source,
                });
                lines.push_str(&line.to_string());
                lines.push('\n');
            }
            FactList {
                id: format!("triples-{}.jsonl", number + 1),
                metadata: Metadata::new(),
                lines: Box::new(Cursor::new(lines)),
            }
        });
        lists.collect()
    }

    /// Which fact of a set each relationship of its graph is, by the relationship's key. Facts between the same ends, of
    /// one relation and one source, are one, whichever way they lead.
    pub(in crate::evaluate) fn facts_by_key(&self) -> KnownFacts {
        let mut known = KnownFacts::default();
        for row in &self.facts {
            let Some(fact) = Fact::of(&row.triple) else {
                continue;
            };
            let Fact {
                subject,
                predicate,
                object,
                source,
            } = fact.clone();
            let turned = Fact {
                subject: object,
                predicate,
                object: subject,
                source,
            };
            let (key, other) = (fact.key(), turned.key());
            let number = known.by_key.get(&key).or_else(|| known.by_key.get(&other));
            let number = number.copied().unwrap_or(known.names.len());
            if number == known.names.len() {
                known.names.push(row.id.clone());
            }
            known.by_key.insert(key, number);
            known.by_key.insert(other, number);
            known.by_id.insert(row.id.clone(), number);
        }
        known
    }
}

/// The facts of a set, each with a number.
#[derive(Debug, Default)]
pub(in crate::evaluate) struct KnownFacts {
    by_key: BTreeMap<String, usize>,
    by_id: BTreeMap<String, usize>,
    names: Vec<String>,
}

impl KnownFacts {
    /// The number of the relationship of this key.
    pub(in crate::evaluate) fn of_key(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// The number of the triple of this name.
    pub(in crate::evaluate) fn of_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The name of the first triple of this number.
    pub(in crate::evaluate) fn name(&self, number: usize) -> &str {
        self.names.get(number).map_or("", String::as_str)
    }
}
