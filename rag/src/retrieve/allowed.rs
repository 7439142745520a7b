//! What a question that chooses documents may find of the graph: what rests on one of their texts.
//!
//! Texts are chosen by the searches themselves. Facts, names and headings have no metadata of their own, and are what the
//! texts have that state, mention or lie under them.

use roaring::RoaringTreemap;
use stratigraph::{Direction, NodeId, Read, RelationshipId, Value};

use super::grounds::{TOGETHER, grounds};
use super::{Desk, Item, RetrieveError};
use crate::build::{FACT_KEY, LinkKind};

/// The facts of so many texts are looked up before they are searched. Of more texts so much is found that something of them
/// is among it.
const FEW_TEXTS: u64 = 4096;
/// So many facts of one text are looked at, and so many texts of one thing: the chosen ones may be anywhere among them.
const MOST_OF_ONE: usize = 100_000;
/// So many results of a search are looked through.
const MOST_SEARCHED: usize = 100_000;

impl<R: Read> Desk<'_, R> {
    /// Leaves out what rests on texts, but on none that the question has chosen. What rests on no text is of no document.
    pub(super) fn keep_allowed(&self, items: &mut Vec<Item>) -> Result<(), RetrieveError> {
        let Some(chosen) = self.chosen()? else {
            return Ok(());
        };
        let mut known = self.rests.borrow_mut();
        let new = items.iter();
        let new: Vec<Item> = new
            .filter(|item| !known.contains_key(&item.entity))
            .cloned()
            .collect();
        for new in new.chunks(TOGETHER) {
            let grounds = grounds(self.read(), new, MOST_OF_ONE)?;
            for item in new {
                let is_allowed = grounds.get(&item.entity).is_none_or(|ground| {
                    let chunks = &ground.chunks;
                    chunks.is_empty() || chunks.iter().any(|chunk| chosen.contains(chunk.get()))
                });
                known.insert(item.entity, is_allowed);
            }
        }
        items.retain(|item| known.get(&item.entity) != Some(&false));
        Ok(())
    }

    /// So many of what a search finds that the question has chosen: for more and more is searched until there are.
    pub(super) fn enough_allowed(
        &self,
        k: usize,
        mut search: impl FnMut(usize) -> Result<Vec<Item>, RetrieveError>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let mut asked = k;
        loop {
            let mut found = search(asked)?;
            let was_all = found.len() < asked || asked >= MOST_SEARCHED;
            self.keep_allowed(&mut found)?;
            if found.len() >= k || was_all {
                found.truncate(k);
                return Ok(found);
            }
            asked = asked.saturating_mul(4).min(MOST_SEARCHED);
        }
    }

    /// The facts of the texts that the question has chosen, if these are few. They are looked up once.
    pub(super) fn chosen_facts(&self) -> Result<Option<&RoaringTreemap>, RetrieveError> {
        if let Some(facts) = self.facts.get() {
            return Ok(facts.as_ref());
        }
        let facts = self.facts_of_few()?;
        Ok(self.facts.get_or_init(|| facts).as_ref())
    }

    fn facts_of_few(&self) -> Result<Option<RoaringTreemap>, RetrieveError> {
        let Some(chosen) = self.chosen()?.filter(|texts| texts.len() <= FEW_TEXTS) else {
            return Ok(None);
        };
        let read = self.read();
        let texts: Vec<NodeId> = chosen.iter().map(NodeId::new).collect();
        let states = Some(LinkKind::States.name());
        let links = read.neighbours_of_each(&texts, Direction::Outgoing, states, MOST_OF_ONE)?;
        let links = links.iter().flatten().map(|link| link.relationship);
        let links: Vec<RelationshipId> = links.collect();
        let links = read.relationships_with(&links, &["fact"])?;
        let keys = links.iter().flatten().filter_map(|link| link.get("fact"));
        let mut keys: Vec<&str> = keys.filter_map(Value::as_str).collect();
        keys.sort_unstable();
        keys.dedup();
        let keys: Vec<Value> = keys.into_iter().map(Value::from).collect();
        let facts = read.index(FACT_KEY)?.equal_each(&keys, 1)?;
        Ok(Some(
            facts.iter().flatten().map(|fact| fact.number()).collect(),
        ))
    }
}
