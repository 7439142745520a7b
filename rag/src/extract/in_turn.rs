//! Several readers of one piece, for a graph that has what each of them reads.
//!
//! Each reads as if it were alone: of the piece before it is told what it said itself, and nothing of what the others
//! said. Then all of it is put together: facts and chains are those of all, and what several of them name is one thing.
//! The last of them says how it is called, and of which kind it is if it says one; all of them say what it is.

use super::together::Together;
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
        let version = format!("in-turn-2;{}", versions.join(";"));
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
        let mut by_reader = Vec::with_capacity(self.readers.len());
        for (place, reader) in self.readers.iter().enumerate() {
            let outcome = reader.extract(&given(place, &**reader, reading));
            // What those before it have cost was paid for.
            let outcome = outcome.map_err(|error| error.after(cost))?;
            cost += outcome.cost;
            by_reader.push(reader.carries().then(|| outcome.extracted.clone()));
            together = and(together, outcome.extracted);
        }
        Ok(Outcome {
            extracted: together.said,
            cost,
            by_reader,
        })
    }

    fn estimate(
        &self,
        reading: &Reading<'_>,
        measure: &dyn Measure,
    ) -> Result<Foreseen, ExtractError> {
        let mut estimate = Estimate::default();
        let mut together = Some(Together::default());
        let mut by_reader = Vec::with_capacity(self.readers.len());
        for (place, reader) in self.readers.iter().enumerate() {
            let foreseen = reader.estimate(&given(place, &**reader, reading), measure)?;
            estimate += foreseen.estimate;
            let told = foreseen.extracted.as_ref().filter(|_| reader.carries());
            by_reader.push(told.cloned());
            let said = together.zip(foreseen.extracted);
            together = said.map(|(together, said)| and(together, said));
        }
        Ok(Foreseen {
            estimate,
            extracted: together.map(|together| together.said),
            by_reader,
        })
    }
}

/// What the reader at this place is given: who reads the piece before along is told what he said of it himself.
fn given<'a>(place: usize, reader: &dyn Extractor, reading: &Reading<'a>) -> Reading<'a> {
    let before = reading.before_by(place).filter(|_| reader.carries());
    match before {
        Some(before) => reading.alone().after(before),
        None => reading.alone(),
    }
}

/// What the readers before this one say, and what it says.
fn and(mut together: Together, more: Extracted) -> Together {
    for entity in more.entities {
        together.entity(entity, as_the_last);
    }
    together.said.triples.extend(more.triples);
    together.said.chains.extend(more.chains);
    together
}

/// What else is said of something, by somebody who also says how it is called.
fn as_the_last(known: &mut Entity, mut last: Entity) {
    known.name = std::mem::take(&mut last.name);
    known.kind = last.kind.take().or(known.kind.take());
    known.and(last);
}

#[cfg(test)]
mod tests;
