//! What somebody has extracted already: nobody reads the text again.

use std::collections::BTreeMap;

use super::{ExtractError, Extracted, Extractor, Outcome, Reading};

/// So many bytes after a piece a name may begin in it that does not end in it.
const BEYOND: usize = 256;

/// Says of each document what is known of it. Documents of which nothing is known are read by another.
///
/// What is known of a document that has several pieces is said by each piece that has the name in it, and by the first
/// one if no text of the document has it: nothing is lost.
///
/// ```
/// use std::collections::BTreeMap;
/// use stratigraph_rag::extract::{Entity, Extracted, Given, Rules, Run};
/// use stratigraph_rag::chunk::{Chunker, Chunking, Words};
/// use stratigraph_rag::read::{Format, Source};
///
/// let document = Source::new("rocks.md", b"Basalt was lava.").read(Format::Markdown)?;
/// let pieces = Chunker::new(Chunking::Structure { limit: 100 }, &Words).pieces(&document);
/// let known = Extracted {
///     entities: vec![Entity { name: "lava".into(), ..Entity::default() }],
///     ..Extracted::default()
/// };
/// let given = Given::new(BTreeMap::from([("rocks.md".to_owned(), known.clone())]), Rules::new());
/// let done = Run::new(&given).extract(&[(&document, &pieces)], &|_| {});
/// assert_eq!(done[0].as_ref().unwrap().pieces, [known]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Given<E> {
    known: BTreeMap<String, Extracted>,
    others: E,
    version: String,
}

impl<E: Extractor> Given<E> {
    /// What is known, by the ids of documents, and who reads the others.
    #[must_use]
    pub fn new(known: BTreeMap<String, Extracted>, others: E) -> Self {
        let version = format!("given-1;{}", others.version());
        Self {
            known,
            others,
            version,
        }
    }
}

impl<E: Extractor> Extractor for Given<E> {
    fn version(&self) -> &str {
        &self.version
    }

    fn carries(&self) -> bool {
        self.others.carries()
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        let Some(known) = self.known.get(reading.document().id()) else {
            return self.others.extract(reading);
        };
        Ok(Outcome {
            extracted: part_of(known, reading),
            ..Outcome::default()
        })
    }
}

/// What the piece says of all that is known of its document.
fn part_of(known: &Extracted, reading: &Reading<'_>) -> Extracted {
    let (part, parts) = reading.piece().part;
    if parts <= 1 {
        return known.clone();
    }
    let (text, span) = (reading.document().text(), &reading.piece().span);
    // What stands before the first piece, a title say, is read with it.
    let start = if part == 1 { 0 } else { span.start };
    let end = text.floor_char_boundary((span.end + BEYOND).min(text.len()));
    let (here, all) = (text[start..end].to_lowercase(), text.to_lowercase());
    let says = |name: &str| {
        let name = name.to_lowercase();
        here.contains(&name) || (part == 1 && !all.contains(&name))
    };
    let entities = known.entities.iter();
    let triples = known.triples.iter();
    Extracted {
        entities: entities.filter(|one| says(&one.name)).cloned().collect(),
        triples: triples.filter(|one| says(&one.subject)).cloned().collect(),
        chains: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Entity, Rules, Run, Triple};
    use super::*;
    use crate::chunk::{Chunker, Chunking, Words};
    use crate::read::{Format, Source};

    #[test]
    fn each_piece_says_what_it_has_and_nothing_is_lost() {
        let names = ["Basalt", "chalk", "granite"];
        let filler = "word ".repeat(120);
        let text = format!("# Rocks\n\nBasalt is black. {filler}\n\nChalk is white. {filler}\n");
        let document = Source::new("rocks.md", text.as_bytes());
        let document = document.read(Format::Markdown).unwrap();
        let pieces = Chunker::new(Chunking::Structure { limit: 60 }, &Words).pieces(&document);
        assert!(pieces.len() > 2);
        let known = Extracted {
            entities: names
                .map(|name| Entity {
                    name: name.to_owned(),
                    ..Entity::default()
                })
                .into(),
            triples: names
                .map(|name| Triple {
                    subject: name.to_owned(),
                    predicate: "is".to_owned(),
                    object: "a rock".to_owned(),
                    ..Triple::default()
                })
                .into(),
            chains: Vec::new(),
        };
        let known = BTreeMap::from([("rocks.md".to_owned(), known)]);
        let given = Given::new(known, Rules::new());
        let done = Run::new(&given).extract(&[(&document, &pieces)], &|_| {});
        let said = &done[0].as_ref().unwrap().pieces;
        let who = |name: &str| -> Vec<usize> {
            let says = |piece: &Extracted| {
                let named = piece.entities.iter().any(|one| one.name == name);
                assert_eq!(named, piece.triples.iter().any(|one| one.subject == name));
                named
            };
            (0..said.len())
                .filter(|place| says(&said[*place]))
                .collect()
        };
        assert_eq!(who("Basalt"), [0]);
        // Nowhere in the text, so the first one says it.
        assert_eq!(who("granite"), [0]);
        let with_chalk = pieces
            .iter()
            .position(|piece| piece.text(&document).contains("Chalk"));
        assert!(who("chalk").contains(&with_chalk.unwrap()));
        assert!(!who("chalk").contains(&0) && !who("chalk").contains(&(pieces.len() - 1)));
    }
}
