//! Reading wider pieces than those that are kept, as HybridRAG does: a graph is extracted from 2,024 characters at a
//! time, and what is searched has 1,024.
//!
//! What a wide piece says is said by the narrow one where it stands: a fact by the one in whose words its ends
//! meet, a name by each that has it. So every fact leads to the passage that is searched, however the two are
//! cut. A wide piece is read by every narrow one that it reaches into, which a model is asked for once: replies
//! are kept.

use std::ops::Range;

use super::together::Together;
use super::{
    Cost, Entity, Estimate, ExtractError, Extracted, Extractor, Foreseen, Outcome, Reading,
};
use crate::chunk::{Chunking, Measure};

/// Reads with another reader, in pieces that are cut in another way. They are measured in characters.
#[derive(Clone, Debug)]
pub struct Wide<E> {
    reader: E,
    chunking: Chunking,
    version: String,
}

impl<E: Extractor> Wide<E> {
    /// Reads with this reader, in pieces that are cut so.
    #[must_use]
    pub fn new(reader: E, chunking: Chunking) -> Self {
        let version = format!("wide-2;{chunking:?};{}", reader.version());
        Self {
            reader,
            chunking,
            version,
        }
    }

    /// The wide pieces that a narrow one is part of, each with whether it begins there.
    fn each(
        &self,
        reading: &Reading<'_>,
        mut each: impl FnMut(Reading<'_>, bool) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let narrow = &reading.piece().span;
        let wide = reading.open().wide(self.chunking);
        let first = wide.partition_point(|wide| wide.span.end <= narrow.start);
        let wide = wide[first..].iter();
        for wide in wide.take_while(|wide| wide.span.start < narrow.end) {
            let wide = Reading::new(reading.open(), wide);
            let begins = narrow.contains(&first_letter(wide.text(), wide.piece().span.start));
            each(wide, begins)?;
        }
        Ok(())
    }
}

impl<E: Extractor> Extractor for Wide<E> {
    fn version(&self) -> &str {
        &self.version
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        let (mut together, mut cost) = (Together::default(), Cost::default());
        self.each(reading, |wide, begins| {
            let mut outcome = self.reader.extract(&wide)?;
            if !begins {
                // It was read for the piece where it begins; here it is there already.
                outcome.cost.kept = 0;
                outcome.cost.dropped = 0;
            }
            cost += outcome.cost;
            let said = Said::of(&wide);
            said.share(outcome.extracted, &reading.piece().span, &mut together);
            Ok(())
        })?;
        Ok(Outcome {
            extracted: together.said,
            cost,
            ..Outcome::default()
        })
    }

    fn estimate(
        &self,
        reading: &Reading<'_>,
        measure: &dyn Measure,
    ) -> Result<Foreseen, ExtractError> {
        let mut estimate = Estimate::default();
        self.each(reading, |wide, begins| {
            if begins {
                estimate += self.reader.estimate(&wide, measure)?.estimate;
            }
            Ok(())
        })?;
        Ok(Foreseen {
            estimate,
            ..Foreseen::default()
        })
    }
}

/// Where what a wide piece says is said.
struct Said<'a> {
    text: &'a str,
    /// The same with the small letters of ASCII, so that bytes stay where they are.
    small: String,
    start: usize,
}

impl<'a> Said<'a> {
    fn of(wide: &Reading<'a>) -> Self {
        let text = wide.text();
        Self {
            text,
            small: text.to_ascii_lowercase(),
            start: wide.piece().span.start,
        }
    }

    /// Adds what is said within this span of the document.
    fn share(&self, extracted: Extracted, span: &Range<usize>, to: &mut Together) {
        let within = |at: &usize| span.contains(at);
        for mut entity in extracted.entities {
            if self.places(&entity.name).iter().any(within) {
                entity
                    .sentences
                    .retain(|sentence| span.start <= sentence.start && sentence.end <= span.end);
                to.entity(entity, Entity::and);
            }
        }
        let to = &mut to.said;
        for triple in extracted.triples {
            let at = self.meeting(&triple.subject, &triple.object);
            if within(&at) && !to.triples.contains(&triple) {
                to.triples.push(triple);
            }
        }
        for chain in extracted.chains {
            if self.places(&chain.object).iter().any(within) && !to.chains.contains(&chain) {
                to.chains.push(chain);
            }
        }
    }

    /// Where a name stands; where the piece begins if it is not there letter by letter.
    fn places(&self, name: &str) -> Vec<usize> {
        let mut found = self.found(name);
        if found.is_empty() {
            found.push(0);
        }
        found.into_iter().map(|place| self.at(place)).collect()
    }

    /// Where two names meet: where they are nearest, the later of the two, as what stands for a name in between
    /// ("it") comes after it. Else where one of them is.
    fn meeting(&self, one: &str, other: &str) -> usize {
        let (one, other) = (self.found(one), self.found(other));
        let nearest = one.iter().flat_map(|place| {
            let after = other.partition_point(|other| other < place);
            let near = [after.checked_sub(1), Some(after)].into_iter().flatten();
            let near = near.filter_map(|at| other.get(at));
            near.map(|other| (place.abs_diff(*other), *place.max(other)))
        });
        match nearest.min() {
            Some((_, place)) => self.at(place),
            None => self.at(*one.first().or(other.first()).unwrap_or(&0)),
        }
    }

    /// The places where a name stands letter by letter, whatever the case of ASCII.
    fn found(&self, name: &str) -> Vec<usize> {
        let name = name.to_ascii_lowercase();
        self.small.match_indices(&name).map(|(at, _)| at).collect()
    }

    /// The place in the document of the first letter from here on: no piece that is kept is without one.
    fn at(&self, place: usize) -> usize {
        first_letter(&self.text[place..], self.start + place)
    }
}

fn first_letter(text: &str, start: usize) -> usize {
    start + text.find(char::is_alphanumeric).unwrap_or(0)
}

#[cfg(test)]
mod tests;
