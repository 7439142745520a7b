//! What was found becomes a text that a model can read: within a budget, the important first, nothing twice, and what
//! stands under the same headings together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;
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
    /// What another one says already: the same text under the same headings, or a part of the same document's text.
    pub said_already: Vec<usize>,
    /// How many units the text has.
    pub units: usize,
}

/// Between passages.
const BREAK: &str = "\n\n";
/// So many passages are packed between two looks at whether somebody has stopped it.
const PASSAGES_PER_LOOK: usize = 64;

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
    let packed = pack_while(passages, budget, measure, || Ok::<(), Infallible>(()));
    packed.unwrap_or_else(|never| match never {})
}

/// The same, as long as it may go on: whoever asks decides how many passages there are.
///
/// A passage is looked up in maps, and not held against all that are in: of a hundred thousand that would be ten billion
/// comparisons.
pub(super) fn pack_while<E>(
    passages: &[Passage],
    budget: usize,
    measure: &dyn Measure,
    may_go_on: impl Fn() -> Result<(), E>,
) -> Result<Packed, E> {
    let mut packed = Packed {
        text: String::new(),
        kept: Vec::new(),
        too_long: Vec::new(),
        said_already: Vec::new(),
        units: 0,
    };
    let mut order: Vec<usize> = (0..passages.len()).collect();
    order.sort_by_key(|place| passages[*place].class);
    let mut said = Said::default();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut places: HashMap<Common<'_>, usize> = HashMap::new();
    for (step, at) in order.into_iter().enumerate() {
        if step.is_multiple_of(PASSAGES_PER_LOOK) {
            may_go_on()?;
        }
        let passage = &passages[at];
        if said.has(passage) {
            packed.said_already.push(at);
            continue;
        }
        let common = common(passage);
        let block = common.and_then(|common| places.get(&common).copied());
        let headings = match block {
            Some(_) => String::new(),
            None => headings(passage),
        };
        let units = measure.ends(&headings).len() + measure.ends(&passage.text).len();
        if packed.units + units > budget {
            packed.too_long.push(at);
            continue;
        }
        match block {
            Some(block) => blocks[block].push(at),
            None => {
                places.extend(common.map(|common| (common, blocks.len())));
                blocks.push(vec![at]);
            }
        }
        packed.units += units;
        said.add(passage);
    }
    packed.lay_out(passages, blocks);
    Ok(packed)
}

impl Packed {
    /// Writes the text of these blocks, and says what is kept.
    fn lay_out(&mut self, passages: &[Passage], blocks: Vec<Vec<usize>>) {
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
}

/// What is in already.
#[derive(Default)]
struct Said<'p> {
    /// With their headings: what a year or a company is said of stands in these, and not in the text.
    texts: HashSet<(&'p [String], &'p str)>,
    /// Of each document the spans that are in, by where they begin; not those that lie within another. So what begins later
    /// ends later, and of those that begin before a span the last one ends last.
    spans: HashMap<&'p str, BTreeMap<u64, u64>>,
}

impl<'p> Said<'p> {
    /// Whether a passage says the same as one that is in, or lies within one.
    fn has(&self, passage: &'p Passage) -> bool {
        self.texts.contains(&in_words(passage)) || self.covers(passage)
    }

    fn covers(&self, passage: &Passage) -> bool {
        let Some((document, span)) = &passage.place else {
            return false;
        };
        let spans = self.spans.get(document.as_str());
        let wider = spans.and_then(|spans| spans.range(..=span.start).next_back());
        wider.is_some_and(|(_, end)| span.end <= *end)
    }

    /// Adds a passage that it does not have.
    fn add(&mut self, passage: &'p Passage) {
        self.texts.insert(in_words(passage));
        let Some((document, span)) = &passage.place else {
            return;
        };
        let spans = self.spans.entry(document).or_default();
        let after = spans.range(span.start..);
        let within = after.take_while(|(_, end)| **end <= span.end);
        let within: Vec<u64> = within.map(|(start, _)| *start).collect();
        for start in within {
            spans.remove(&start);
        }
        spans.insert(span.start, span.end);
    }
}

/// What a model reads of a passage.
fn in_words(passage: &Passage) -> (&[String], &str) {
    (passage.headings.as_slice(), passage.text.as_str())
}

/// What passages of one block have in common: the document, the class and the headings.
type Common<'p> = (&'p str, u8, &'p [String]);

/// What a passage has in common with those of its block; nothing for one that is a block of its own.
fn common(passage: &Passage) -> Option<Common<'_>> {
    let (document, _) = passage.place.as_ref()?;
    let headings = passage.headings.as_slice();
    (!headings.is_empty()).then_some((document.as_str(), passage.class, headings))
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
    use proptest::prelude::*;
    use std::cell::Cell;

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
    fn the_same_words_under_another_heading_say_something_else() {
        let of = |headings: &[&str], document: &str| Passage {
            headings: headings.iter().map(|heading| (*heading).into()).collect(),
            place: Some((document.to_owned(), 30..50)),
            ..passage("It fell by a tenth.", 0)
        };
        let passages = [
            of(&["Report 2022 > Revenue"], "2022.md"),
            of(&["Report 2021 > Revenue"], "2021.md"),
            of(&["Report 2022 > Costs"], "2022.html"),
            // Word for word with its headings, whichever document it is of.
            of(&["Report 2021 > Revenue"], "2021.html"),
        ];
        let packed = pack(&passages, 100, &Words);
        assert_eq!(packed.kept, [0, 1, 2]);
        assert_eq!(packed.said_already, [3]);
        let both = "Report 2022 > Revenue\nIt fell by a tenth.\n\nReport 2021 > Revenue\nIt fell by a tenth.";
        assert!(packed.text.starts_with(both), "{}", packed.text);
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

    /// The same, comparing each passage with all that are in.
    fn plainly(passages: &[Passage], budget: usize) -> Packed {
        let mut packed = pack(&[], 0, &Words);
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut order: Vec<usize> = (0..passages.len()).collect();
        order.sort_by_key(|place| passages[*place].class);
        for at in order {
            let passage = &passages[at];
            let lies_within = |other: &Passage| match (&passage.place, &other.place) {
                (Some((document, span)), Some((of, wider))) => {
                    of == document && wider.start <= span.start && span.end <= wider.end
                }
                _ => false,
            };
            let says_the_same =
                |other: &Passage| other.headings == passage.headings && other.text == passage.text;
            let mut others = blocks.iter().flatten().map(|other| &passages[*other]);
            if others.any(|other| says_the_same(other) || lies_within(other)) {
                packed.said_already.push(at);
                continue;
            }
            let stand_together = |other: &Passage| match (&passage.place, &other.place) {
                (Some((document, _)), Some((of, _))) => {
                    of == document
                        && other.class == passage.class
                        && !other.headings.is_empty()
                        && other.headings == passage.headings
                }
                _ => false,
            };
            let mut firsts = blocks.iter().map(|block| &passages[block[0]]);
            let block = firsts.position(stand_together);
            let above = match block {
                Some(_) => String::new(),
                None => headings(passage),
            };
            let units = Words.ends(&above).len() + Words.ends(&passage.text).len();
            if packed.units + units > budget {
                packed.too_long.push(at);
                continue;
            }
            packed.units += units;
            match block {
                Some(block) => blocks[block].push(at),
                None => blocks.push(vec![at]),
            }
        }
        packed.lay_out(passages, blocks);
        packed
    }

    /// Few documents, places, headings and words, so that much of it lies within other and stands together.
    fn any_passage() -> impl Strategy<Value = Passage> {
        let headings = prop::collection::vec("[RS]", 0..3);
        let place = prop::option::of(("[ab]", 0_u64..12, 0_u64..8));
        let all = (headings, "[a-f]( [a-f]){0,2}", place, 0_u8..2);
        all.prop_map(|(headings, text, place, class)| Passage {
            headings,
            text,
            place: place.map(|(document, start, length)| (document, start..start + length)),
            class,
        })
    }

    proptest! {
        #[test]
        fn it_is_what_comparing_all_with_all_gives(
            passages in prop::collection::vec(any_passage(), 0..40),
            budget in 0_usize..80,
        ) {
            prop_assert_eq!(pack(&passages, budget, &Words), plainly(&passages, budget));
        }
    }

    #[test]
    fn a_hundred_thousand_passages_are_no_matter_of_minutes() {
        let passages = (0..100_000_u64).map(|number| Passage {
            headings: vec![number.to_string()],
            place: Some(("all.md".to_owned(), number..number + 2)),
            ..passage(&format!("word{number}"), 0)
        });
        let passages: Vec<Passage> = passages.collect();
        let packed = pack(&passages, 4_000_000_000, &Words);
        assert_eq!((packed.kept.len(), packed.units), (100_000, 200_000));
    }

    #[test]
    fn who_is_stopped_packs_no_further() {
        let passages = (0..1000).map(|number: u32| passage(&number.to_string(), 0));
        let passages: Vec<Passage> = passages.collect();
        let looks = Cell::new(0);
        let stopped = pack_while(&passages, 1000, &Words, || {
            looks.set(looks.get() + 1);
            match looks.get() < 3 {
                true => Ok(()),
                false => Err("stopped"),
            }
        });
        assert_eq!((stopped, looks.get()), (Err("stopped"), 3));
    }
}
