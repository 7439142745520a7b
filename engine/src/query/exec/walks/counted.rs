//! What the catalogue has counted already.
//!
//! Next: `near.rs`.

use super::Asked;
use crate::algo::Direction;
use crate::algo::walks::{Times, Wanted};
use crate::query::error::Fault;
use crate::query::exec::stage::Site;

/// How many matches there are, if that is the number of relationships of some types.
pub(super) fn total(
    asked: &Asked<'_>,
    rows: u64,
    site: &Site<'_, '_>,
) -> Result<Option<u64>, Fault> {
    let [links] = asked.figure.nodes.as_slice() else {
        return Ok(None);
    };
    let [link] = links.as_slice() else {
        return Ok(None);
    };
    let is_whole = asked.of.begins.is_some()
        && asked.wanted == Wanted::Total
        && link.direction != Direction::Both
        && link.times == Times::Each
        && asked.of.bars.is_empty()
        && asked.conditions.are_none();
    if !is_whole {
        return Ok(None);
    }
    let relationships = asked.relationships(site)?;
    Ok(Some(relationships.saturating_mul(rows)))
}
