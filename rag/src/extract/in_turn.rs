//! Several readers of one piece, for a graph that has what each of them reads.
//!
//! Each reads as if it were alone, and what they say is put together: facts and chains are those of all, and what several of
//! them name is one thing. The last of them says how it is called, and of which kind it is if it says one; all of them say
//! what it is.

use std::collections::HashMap;

use super::reply::folded;
use super::{
    Cost, Entity, Estimate, ExtractError, Extracted, Extractor, Foreseen, Outcome, Reading,
};
use crate::chunk::Measure;

/// Reads with several readers, one after the other.
pub struct InTurn {
    readers: Vec<Box<dyn Extractor>>,
    version: String,
}

impl InTurn {
    /// Reads with these, in this order.
    #[must_use]
    pub fn new(readers: Vec<Box<dyn Extractor>>) -> Self {
        let versions: Vec<&str> = readers.iter().map(Extractor::version).collect();
        let version = format!("in-turn-1;{}", versions.join(";"));
        Self { readers, version }
    }
}

impl Extractor for InTurn {
    fn version(&self) -> &str {
        &self.version
    }

    fn carries(&self) -> bool {
        self.readers.iter().any(Extractor::carries)
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        let (mut together, mut cost) = (Together::default(), Cost::default());
        for reader in &self.readers {
            let outcome = reader.extract(&given(&**reader, reading));
            // What those before it have cost was paid for.
            let outcome = outcome.map_err(|error| error.after(cost))?;
            cost += outcome.cost;
            together = together.and(outcome.extracted);
        }
        let extracted = together.said;
        Ok(Outcome { extracted, cost })
    }

    fn estimate(
        &self,
        reading: &Reading<'_>,
        measure: &dyn Measure,
    ) -> Result<Foreseen, ExtractError> {
        let mut estimate = Estimate::default();
        let mut together = Some(Together::default());
        for reader in &self.readers {
            let foreseen = reader.estimate(&given(&**reader, reading), measure)?;
            estimate += foreseen.estimate;
            let said = together.zip(foreseen.extracted);
            together = said.map(|(together, said)| together.and(said));
        }
        let extracted = together.map(|together| together.said);
        Ok(Foreseen {
            estimate,
            extracted,
        })
    }
}

/// What a reader is given: what the piece before says goes to those alone who read it along.
fn given<'a>(reader: &dyn Extractor, reading: &Reading<'a>) -> Reading<'a> {
    match reader.carries() {
        true => *reading,
        false => Reading::new(reading.open(), reading.piece()),
    }
}

/// What several readers say.
#[derive(Default)]
struct Together {
    said: Extracted,
    /// The places of entities by their folded names.
    places: HashMap<String, usize>,
}

impl Together {
    fn and(mut self, more: Extracted) -> Self {
        for entity in more.entities {
            self.entity(entity);
        }
        self.said.triples.extend(more.triples);
        self.said.chains.extend(more.chains);
        self
    }

    fn entity(&mut self, entity: Entity) {
        let place = self.places.get(&folded(&entity.name)).copied();
        let Some(known) = place.and_then(|place| self.said.entities.get_mut(place)) else {
            let place = self.said.entities.len();
            self.places.insert(folded(&entity.name), place);
            return self.said.entities.push(entity);
        };
        known.name = entity.name;
        known.kind = entity.kind.or(known.kind.take());
        if !known.description.contains(&entity.description) {
            if !known.description.is_empty() {
                known.description.push(' ');
            }
            known.description.push_str(&entity.description);
        }
        known.sentences.extend(entity.sentences);
        known
            .sentences
            .sort_unstable_by_key(|span| (span.start, span.end));
        known.sentences.dedup();
    }
}

#[cfg(test)]
mod tests;
