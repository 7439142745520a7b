//! What is written: everything about a thing follows from whose it is, its number and its version, so that whoever sees
//! it can say whether all of it belongs together.

use stratigraph_client::value::Vector;

/// How many things each writer has.
pub(super) const SLOTS: usize = 150;
/// The width of vectors.
pub(super) const DIMENSIONS: usize = 32;
/// How many numbers there are, each of many things.
pub(super) const NUMBERS: u64 = 40;

/// A thing of a writer as it is in one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) writer: usize,
    pub(super) slot: usize,
    pub(super) version: u64,
}

impl Item {
    /// A word that no other version of anything has.
    pub(super) fn word(self) -> String {
        format!("w{}s{}v{}", self.writer, self.slot, self.version)
    }

    pub(super) fn text(self) -> String {
        let layer = ["basalt", "chalk", "granite", "slate"][self.slot % 4];
        format!("{} lies on {layer}, version {}", self.word(), self.version)
    }

    pub(super) fn number(self) -> i64 {
        (self.random().u64(..NUMBERS)) as i64
    }

    pub(super) fn vector(self) -> Vector {
        let mut random = self.random();
        Vector((0..DIMENSIONS).map(|_| random.f32() - 0.5).collect())
    }

    /// Whether what was stored as this is all of this.
    pub(super) fn is(self, text: &str, number: i64, vector: &[f32]) -> bool {
        text == self.text() && number == self.number() && vector == self.vector().0
    }

    fn random(self) -> fastrand::Rng {
        let seed = (self.writer as u64) << 48 | (self.slot as u64) << 32 | self.version;
        fastrand::Rng::with_seed(seed)
    }
}

/// A document as it is in one version: as many chapters as `chapters` says, each with the document's word.
pub(super) fn document(number: usize, version: u64) -> String {
    let word = document_word(number, version);
    let mut text = format!("# {word}\n\nWhat stands before the first chapter of {word}.\n");
    for chapter in 1..=chapters(number, version) {
        text.push_str(&format!(
            "\n## Chapter {chapter}\n\nIn chapter {chapter} of {word} lime is burnt, and the Kiln Works of Harbour Town sell it.\n"
        ));
    }
    text
}

/// A word that no other version of a document has.
pub(super) fn document_word(number: usize, version: u64) -> String {
    format!("d{number}v{version}")
}

/// How many chapters there are.
pub(super) fn chapters(number: usize, version: u64) -> u64 {
    1 + (number as u64 + version * 3) % 5
}

/// The number and the version that the first word of a document is in a text has.
pub(super) fn of_document(text: &str) -> Option<(usize, u64)> {
    text.split(|sign: char| !sign.is_ascii_alphanumeric())
        .find_map(|word| {
            let (number, version) = word.strip_prefix('d')?.split_once('v')?;
            Some((number.parse().ok()?, version.parse().ok()?))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_tells_which_it_is() {
        let text = document(3, 17);
        assert_eq!(of_document(&text), Some((3, 17)));
        assert_eq!(text.matches("## ").count() as u64, chapters(3, 17));
        assert_eq!(of_document("delve into drivers"), None);
    }
}
