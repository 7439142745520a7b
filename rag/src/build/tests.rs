//! Tests of the graph of documents, by subject; here is what they share.

use std::sync::Arc;

use meddling::Meddling;
use stratigraph::storage::family::Family;
use stratigraph::{Database, Direction, Read, Value};
use stratigraph_models::{Embedder, Lexical};

mod costs;
mod facts;
mod meddling;
mod opened;
mod room;
mod shared;
mod summaries;
mod together;

use super::*;
use crate::chunk::{Chunker, Chunking, Words};
use crate::extract::{Chain, Domain, Entity, Extracted, Triple};
use crate::read::{Format, Source};

/// A document of one piece that says this.
fn contribution(id: &str, text: &str, said: Extracted, profile: &Profile) -> Contribution {
    let source = Source::new(id, text.as_bytes());
    let document = source.read(Format::Markdown).unwrap();
    let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
    Contribution::new(&document, &pieces, &[said], profile).unwrap()
}

fn names(names: &[&str]) -> Extracted {
    let entities = names.iter().map(|name| Entity {
        name: (*name).into(),
        ..Entity::default()
    });
    Extracted {
        entities: entities.collect(),
        ..Extracted::default()
    }
}

fn chain(domains: &[(&str, &str)], object: &str) -> Extracted {
    let domains = domains.iter().map(|(name, description)| Domain {
        name: (*name).into(),
        description: (*description).into(),
    });
    let chain = Chain {
        domains: domains.collect(),
        object: object.into(),
        description: String::new(),
    };
    Extracted {
        chains: vec![chain],
        ..Extracted::default()
    }
}

fn layers() -> Layers {
    let db = Database::in_memory().unwrap();
    Layers::open(&db, Profile::all(), Arc::new(Lexical::new())).unwrap()
}

fn put(layers: &Layers, id: &str, said: Extracted) -> Change {
    let text = format!("What {id} says.\n");
    let contribution = contribution(id, &text, said, layers.profile());
    layers.upsert(&contribution).unwrap()
}

fn property(layers: &Layers, node: &NodeKey, name: &str) -> Option<Value> {
    let read = layers.database().read().unwrap();
    let id = schema::find(&read, node.label, &node.key).unwrap()?;
    Some(read.property(id, name).unwrap())
}

fn entity_name(layers: &Layers, key: &str) -> Option<String> {
    let name = property(layers, &NodeKey::new(Label::Entity, key), "name")?;
    name.as_str().map(str::to_owned)
}

fn domain(key: &str) -> NodeKey {
    NodeKey::new(Label::DomainTag, key)
}
