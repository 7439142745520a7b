//! What was found becomes a text that a model can read: within a budget, the important first, nothing twice, and what
//! stands under the same headings together.

use std::collections::HashSet;
use std::ops::Range;

use crate::chunk::Measure;

/// A text that may go in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The headings that it stands under, the widest first.
    pub headings: Vec<String>,
    /// The text.
    pub text: String,
    /// Of which document, and which of its bytes; none for a text that is in no document.
    pub place: Option<(String, Range<u64>)>,
    /// Lower classes go in first: all of one, as far as they fit, before any of the next.
    pub class: u8,
}

/// What went in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The whole text.
    pub text: String,
    /// What it has, as places in the list of passages, in the order of the text.
    pub kept: Vec<usize>,
    /// What did not fit.
    pub too_long: Vec<usize>,
    /// What another one says already: the same text, or a part of the same document's text.
    pub said_already: Vec<usize>,
    /// How many units the text has.
    pub units: usize,
}

/// Between passages.
const BREAK: &str = "\n\n";

/// Packs passages, the best first, into so many units of `measure`. One that does not fit is left out and the next
/// is tried: nothing is cut, since half a passage cites nothing.
///
/// Passages of one document under the same headings are one block, in the order of the document, where the best of
/// them is: their headings are told and paid for once, and who reads them reads on.
///
/// ```
/// use stratigraph_rag::chunk::Words;
/// use stratigraph_rag::retrieve::{Passage, pack};
///
/// let passage = |text: &str| Passage {
///     headings: vec!["Rocks".into()],
///     text: text.into(),
///     place: None,
///     class: 0,
/// };
/// let packed = pack(&[passage("Basalt was lava."), passage("Basalt was lava.")], 100, &Words);
/// assert_eq!(packed.text, "Rocks\nBasalt was lava.");
/// assert_eq!(packed.said_already, [1]);
/// ```
#[must_use]
pub fn pack(passages: &[Passage], budget: usize, measure: &dyn Measure) -> Packed {
    let mut packed = Packed {
        text: String::new(),
        kept: Vec::new(),
        too_long: Vec::new(),
        said_already: Vec::new(),
        units: 0,
    };
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by_key(|place| passages[*place].class);
    let mut texts = HashSet::new();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for at in order {
        let passage = &passages[at];
        if texts.contains(passage.text.as_str()) || packed.covers(passages, passage) {
            packed.said_already.push(at);
            continue;
        }
        let mut known = blocks.iter_mut();
        let block = known.find(|block| stand_together(&passages[block[0]], passage));
        let headings = if block.is_some() {
            String::new()
        } else {
            headings(passage)
        };
        let units = measure.ends(&headings).len() + measure.ends(&passage.text).len();
        if packed.units + units > budget {
            packed.too_long.push(at);
            continue;
        }
        match block {
            Some(block) => block.push(at),
            None => blocks.push(vec![at]),
        }
        packed.units += units;
        packed.kept.push(at);
        texts.insert(passage.text.as_str());
    }
    packed.lay_out(passages, blocks);
    packed
}

impl Packed {
    /// Writes the text of these blocks, whose passages are those that are kept.
    fn lay_out(&mut self, passages: &[Passage], blocks: Vec<Vec<usize>>) {
        self.kept.clear();
        for mut block in blocks {
            let start = |at: &usize| passages[*at].place.as_ref().map(|(_, span)| span.start);
            block.sort_by_key(start);
            let mut headings = headings(&passages[block[0]]);
            for at in block {
                if !self.text.is_empty() {
                    self.text.push_str(BREAK);
                }
                self.text.push_str(&std::mem::take(&mut headings));
                self.text.push_str(&passages[at].text);
                self.kept.push(at);
            }
        }
    }

    /// Whether a passage lies within one that is in already.
    fn covers(&self, passages: &[Passage], passage: &Passage) -> bool {
        let Some((document, span)) = &passage.place else {
            return false;
        };
        self.kept.iter().any(|kept| {
            passages[*kept]
                .place
                .as_ref()
                .is_some_and(|(other, wider)| {
                    other == document && wider.start <= span.start && span.end <= wider.end
                })
        })
    }
}

/// Whether two passages are of one document and stand under the same headings.
fn stand_together(one: &Passage, other: &Passage) -> bool {
    let documents = one.place.as_ref().zip(other.place.as_ref());
    documents.is_some_and(|((one, _), (other, _))| one == other)
        && one.class == other.class
        && !one.headings.is_empty()
        && one.headings == other.headings
}

/// The line above a passage; nothing for one that stands under no heading.
fn headings(passage: &Passage) -> String {
    match passage.headings.is_empty() {
        true => String::new(),
        false => format!("{}\n", passage.headings.join(" > ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Words;

    fn passage(text: &str, class: u8) -> Passage {
        Passage {
            headings: Vec::new(),
            text: text.to_owned(),
            place: None,
            class,
        }
    }

    #[test]
    fn lower_classes_go_in_first_and_what_does_not_fit_stays_out() {
        let passages = [
            passage("one two three", 1),
            passage("four five", 0),
            passage("six seven eight nine", 0),
            passage("ten", 1),
        ];
        let packed = pack(&passages, 6, &Words);
        assert_eq!(packed.kept, [1, 2]);
        assert_eq!(packed.too_long, [0, 3]);
        assert_eq!(packed.text, "four five\n\nsix seven eight nine");
        let packed = pack(&passages, 5, &Words);
        // Four words do not fit behind two, but three do.
        assert_eq!((packed.kept.as_slice(), packed.units), (&[1, 0][..], 5));
        assert_eq!(packed.too_long, [2, 3]);
    }

    #[test]
    fn what_lies_within_another_is_said_already() {
        let at = |span: Range<u64>, text: &str| Passage {
            place: Some(("rocks.md".to_owned(), span)),
            ..passage(text, 0)
        };
        let passages = [
            at(10..50, "the whole"),
            at(20..30, "whole"),
            at(40..60, "hole and more"),
            passage("the whole", 0),
        ];
        let packed = pack(&passages, 100, &Words);
        assert_eq!(packed.kept, [0, 2]);
        assert_eq!(packed.said_already, [1, 3]);
    }

    #[test]
    fn headings_are_part_of_the_budget() {
        let mut one = passage("a b", 0);
        one.headings = vec!["Rocks".into(), "Basalt".into()];
        assert_eq!(pack(std::slice::from_ref(&one), 4, &Words).kept.len(), 0);
        let packed = pack(&[one], 5, &Words);
        assert_eq!(packed.text, "Rocks > Basalt\na b");
    }
    #[test]
    fn what_stands_together_is_told_together_under_one_heading() {
        let at = |headings: &[&str], document: &str, start: u64, text: &str| Passage {
            headings: headings.iter().map(|heading| (*heading).into()).collect(),
            place: Some((document.to_owned(), start..start + 5)),
            ..passage(text, 0)
        };
        let passages = [
            at(&["Rocks"], "a.md", 50, "last"),
            at(&["Sea"], "a.md", 90, "salt"),
            at(&["Rocks"], "a.md", 10, "first words"),
            // Another document, and no heading: these stand alone.
            at(&["Rocks"], "b.md", 30, "else"),
            at(&[], "a.md", 200, "one"),
            at(&[], "a.md", 100, "two"),
        ];
        let packed = pack(&passages, 100, &Words);
        let wanted = "Rocks\nfirst words\n\nlast\n\nSea\nsalt\n\nRocks\nelse\n\none\n\ntwo";
        assert_eq!(packed.text, wanted);
        assert_eq!(packed.kept, [2, 0, 1, 3, 4, 5]);
        assert_eq!(packed.units, 10);
        // The heading is paid for once: what follows fits where it would not have fitted with another.
        let packed = pack(&passages[..3], 6, &Words);
        assert_eq!((packed.kept.as_slice(), packed.units), (&[2, 0, 1][..], 6));
        assert_eq!(pack(&passages[..3], 5, &Words).too_long, [2]);
    }
}
