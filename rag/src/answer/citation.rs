//! Passages that only say where facts are from. The chunks of a list of facts are what it cites: the words of a source answer,
//! and an address, as "Register of works, sheet 2", says nothing of what is written there. The facts do.
//!
//! A guess, since words of a source may name nothing and end without a full stop, as an address does ("She painted it white"):
//! whoever asks may put such passages behind others, and not leave them out.

use std::collections::HashSet;

use stratigraph::graph::Entity;
use stratigraph::{Direction, Read, RelationshipId, Value};

use crate::build::{Label, LinkKind, find_fact, key_of};
use crate::retrieve::{Desk, Found, RetrieveError};

/// An address has at most so many bytes.
const LONGEST: usize = 200;
/// So many of the facts of a passage are looked at.
const MOST_FACTS: usize = 16;

/// Whether a passage passes for an address that facts cite: it has not all words of anything that they are about.
pub(super) fn is_citation<R: Read>(
    desk: &Desk<'_, R>,
    found: &Found,
) -> Result<bool, RetrieveError> {
    let read = desk.read();
    let text = found.text.trim();
    // Most passages are longer or end as sentences do, and nothing is looked up for them.
    let ends = text.ends_with(['.', '!', '?', '。', '！', '？']);
    if found.receipt.name.kind != Label::Chunk.name() || text.len() > LONGEST || ends {
        return Ok(false);
    }
    let Some(Entity::Node(chunk)) = found.receipt.name.entity(read)? else {
        return Ok(false);
    };
    let states = Some(LinkKind::States.name());
    let links = read.neighbours_of_each(&[chunk], Direction::Outgoing, states, MOST_FACTS)?;
    let links = links.iter().flatten().map(|link| link.relationship);
    let links: Vec<RelationshipId> = links.collect();
    let wanted = desk.wanted()?;
    let says: HashSet<String> = wanted.terms_of([text]);
    let mut is_cited = false;
    for link in read.relationships_with(&links, &["fact"])?.iter().flatten() {
        let key = link.get("fact").and_then(Value::as_str).unwrap_or_default();
        let Some(id) = find_fact(read, key)? else {
            continue;
        };
        let Some(fact) = read.relationship_with(id, &["source"])? else {
            continue;
        };
        let source = fact.get("source").and_then(Value::as_str);
        if source.is_none_or(|source| source.trim() != text) {
            return Ok(false);
        }
        for end in [fact.source(), fact.target()] {
            let name = key_of(read, end)?;
            if wanted.terms_of([name.as_str()]).is_subset(&says) {
                return Ok(false);
            }
        }
        is_cited = true;
    }
    Ok(is_cited)
}
