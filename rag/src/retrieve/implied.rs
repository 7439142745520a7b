//! Which chunks a question means without choosing them: those of the documents whose properties it names.
//!
//! A profile says by which properties chunks can be chosen, and whoever asks may choose. Most ask in words: "the 2018
//! report of 3M". So the values that there are of each such property are held against the words of the question.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use roaring::RoaringTreemap;
use stratigraph::{Read, Value};

use super::confidence::word_weight;
use super::{Desk, RetrieveError};
use crate::build::{compared, words};
use crate::extract::is_common;

/// A property of more values than this is not looked through: each costs a look into its index.
const MOST_VALUES: usize = 1000;
/// Nor is a value that so many chunks have: reading which they are would take longer than all searches.
const MOST_CHUNKS: u64 = 50_000;
/// A longer text is no name that somebody would ask by.
const LONGEST: usize = 256;
/// So many words of a question are one word of a value at most: `American Water Works`, `AMERICANWATERWORKS`.
const MOST_JOINED: usize = 4;
/// A value of which the question says so much, beside the one of which it says most, is meant as well: a report of two years
/// names one.
const NEARLY: f32 = 0.8;

/// The chunks that a question means, by each value that it names.
#[derive(Debug, Default)]
pub(super) struct Implied {
    /// With how surely each is meant: from 0 to 1.
    values: Vec<(Arc<RoaringTreemap>, f32)>,
    within: Option<RoaringTreemap>,
}

impl Implied {
    /// Of all properties by which chunks can be chosen and have not been.
    pub(super) fn of<R: Read>(desk: &Desk<'_, R>) -> Result<Self, RetrieveError> {
        let asked = asked(desk.text());
        let mut implied = Self::default();
        for (property, index) in desk.question().open_filters(desk.read()) {
            let values = values(desk.read(), &index, &property)?;
            let mut all = RoaringTreemap::new();
            for (value, sure) in named(values, &asked) {
                if let Some(chunks) = desk.read().ids_with(&index, &value, MOST_CHUNKS)? {
                    all |= &*chunks;
                    implied.values.push((chunks, sure));
                }
            }
            if !all.is_empty() {
                implied.narrow_to(all);
            }
        }
        Ok(implied)
    }

    /// What is of both properties; of either, if nothing is of both.
    fn narrow_to(&mut self, chunks: RoaringTreemap) {
        let within = self.within.take().map(|before| {
            let both = &before & &chunks;
            if both.is_empty() {
                before | &chunks
            } else {
                both
            }
        });
        self.within = Some(within.unwrap_or(chunks));
    }

    /// The chunks to look at; nothing if the question names no value.
    pub(super) fn within(&self) -> Option<&RoaringTreemap> {
        self.within.as_ref()
    }

    /// How surely a chunk is meant: from 0 to 1.
    pub(super) fn sure_of(&self, chunk: u64) -> f32 {
        let values = self.values.iter();
        let meant = values.filter(|(chunks, _)| chunks.contains(chunk));
        meant.map(|(_, sure)| sure).sum::<f32>().min(1.0)
    }
}

/// The short texts and whole numbers among the values of a property; none if there are too many values, or one alone.
fn values<R: Read>(read: &R, index: &str, property: &str) -> Result<Vec<Value>, RetrieveError> {
    let lookup = read.index(index)?;
    let mut values = Vec::new();
    // About so many.
    if lookup.distinct()? > MOST_VALUES as u64 {
        return Ok(values);
    }
    for least in [Value::from(""), Value::Int(i64::MIN)] {
        let mut next = lookup.range(least..)?.next().transpose()?;
        while let Some(entity) = next {
            let value = read.property(entity, property)?;
            let beyond = (Bound::Excluded(value.clone()), Bound::Unbounded);
            next = lookup.range(beyond)?.next().transpose()?;
            if values.len() == MOST_VALUES {
                return Ok(Vec::new());
            }
            // Others have no words.
            if match &value {
                Value::String(text) => text.len() <= LONGEST,
                value => matches!(value, Value::Int(_)),
            } {
                values.push(value);
            }
        }
    }
    // Where there is one value alone it tells no chunks apart.
    if values.len() < 2 {
        values.clear();
    }
    Ok(values)
}

/// The values that the question names best, each with how surely it is meant: all of it if the question has a word that
/// only this value has.
fn named(values: Vec<Value>, asked: &HashSet<String>) -> Vec<(Value, f32)> {
    let words: Vec<BTreeSet<String>> = values.iter().map(words_of).collect();
    let mut with: HashMap<&str, u64> = HashMap::new();
    for word in words.iter().flatten() {
        *with.entry(word).or_default() += 1;
    }
    let all = values.len() as u64;
    let says = words.iter().map(|words| {
        let named = words.iter().filter(|word| asked.contains(*word));
        named
            .map(|word| word_weight(all, with[word.as_str()]))
            .sum()
    });
    let says: Vec<f32> = says.collect();
    let most = says.iter().copied().fold(0.0, f32::max);
    let rarest = word_weight(all, 1);
    let named = values.into_iter().zip(says);
    named
        .filter(|(_, says)| *says > 0.0 && *says >= NEARLY * most)
        .map(|(value, says)| (value, (says / rarest).min(1.0)))
        .collect()
}

/// The words of a question, and what they are where some are written as one.
fn asked(text: &str) -> HashSet<String> {
    let parts: Vec<String> = parts(text).collect();
    let lengths = 2..=MOST_JOINED.min(parts.len());
    let joined = lengths.flat_map(|length| parts.windows(length).map(<[String]>::concat));
    let joined: Vec<String> = joined.collect();
    let alone = parts.into_iter().filter(|part| !is_common(part));
    alone.chain(joined).collect()
}

fn words_of(value: &Value) -> BTreeSet<String> {
    match value {
        Value::String(text) => parts(text).collect(),
        Value::Int(number) => [number.to_string()].into(),
        _ => BTreeSet::new(),
    }
}

/// The words of a text as they are compared, and numbers by themselves: `FY2018` has a year, `AMCOR_2023Q2` a year and a
/// quarter. One sign says nothing alone, and stays with what follows it: `3M`, `Q2`, `10K`.
fn parts(text: &str) -> impl Iterator<Item = String> {
    let words = words(text).into_iter().map(|word| compared(&text[word]));
    words.flat_map(|word| {
        let pieces = word.split(|sign: char| !sign.is_alphanumeric());
        pieces.flat_map(runs).collect::<Vec<_>>()
    })
}

fn runs(piece: &str) -> Vec<String> {
    let mut runs: Vec<String> = Vec::new();
    let mut was_number = None;
    for sign in piece.chars() {
        let is_number = sign.is_numeric();
        let goes_on = was_number == Some(is_number)
            || runs.last().is_some_and(|run| run.chars().count() == 1);
        match runs.last_mut() {
            Some(run) if goes_on => run.push(sign),
            _ => runs.push(sign.into()),
        }
        was_number = Some(is_number);
    }
    if runs.len() > 1
        && let Some(last) = runs.pop_if(|run| run.chars().count() == 1)
        && let Some(run) = runs.last_mut()
    {
        run.push_str(&last);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::{Database, Index};

    #[test]
    fn numbers_are_words_and_a_sign_alone_is_none() {
        let parts = |text| parts(text).collect::<Vec<_>>().join(" ");
        assert_eq!(parts("3M's FY2018 10-K"), "3m fy 2018 10 k");
        assert_eq!(parts("AMCOR_2023Q2_10K"), "amcor 2023 q2 10k");
        assert_eq!(parts("北京2018"), "北 京 2018");
        assert_eq!(parts("7 a"), "7 a");
        assert_eq!(parts(""), "");
    }

    #[test]
    fn values_are_named_by_words_that_few_of_them_have() {
        let values = ["3M_2018_10K", "AMERICANWATER_2018_10K", "3M_2022_10K"];
        let values = || values.map(Value::from).to_vec();
        let named = |question| {
            let named = named(values(), &asked(question)).into_iter();
            let named = named.map(|(value, sure)| (value.as_str().unwrap().to_owned(), sure));
            named.collect::<Vec<_>>()
        };
        assert_eq!(named("What is the capital of France?"), []);
        // Only the year: two have it, and it says little of either.
        let by_year = named("What was sold in FY2018?");
        assert_eq!(by_year.len(), 2);
        assert!(by_year.iter().all(|(_, sure)| *sure < 0.6), "{by_year:?}");
        let by_both = named("What did 3M sell in FY2018?");
        assert_eq!(by_both[0].0, "3M_2018_10K", "{by_both:?}");
        assert_eq!(by_both.len(), 1, "{by_both:?}");
        // Written as one, and said as two; sure, because no other has it.
        let by_name = named("What does American Water owe?");
        assert_eq!(by_name, [("AMERICANWATER_2018_10K".to_owned(), 1.0)]);
        assert_eq!(named("Which american, which water?"), []);
    }

    #[test]
    fn what_is_of_both_properties_is_meant_and_of_either_if_nothing_is_of_both() {
        let chunks = |ids: &[u64]| ids.iter().copied().collect::<RoaringTreemap>();
        let mut implied = Implied::default();
        assert!(implied.within().is_none());
        implied.narrow_to(chunks(&[1, 2, 3]));
        implied.narrow_to(chunks(&[2, 3, 4]));
        assert_eq!(implied.within(), Some(&chunks(&[2, 3])));
        implied.narrow_to(chunks(&[5]));
        assert_eq!(implied.within(), Some(&chunks(&[2, 3, 5])));
        implied.values = [(chunks(&[2]), 0.3), (chunks(&[2, 3]), 0.9)]
            .map(|(chunks, sure)| (Arc::new(chunks), sure))
            .into();
        assert_eq!([1, 2, 3].map(|id| implied.sure_of(id)), [0.0, 1.0, 0.9]);
    }

    #[test]
    fn values_are_texts_and_whole_numbers_and_not_too_many() {
        let db = Database::in_memory().unwrap();
        let mut txn = db.write().unwrap();
        for number in 0..=MOST_VALUES as i64 {
            let year = 2000 + number % 3;
            let list = Value::from(vec![Value::from(year)]);
            let properties = [
                ("number", number.into()),
                ("year", year.into()),
                ("list", list),
            ];
            txn.create_node(["Chunk"], properties).unwrap();
        }
        for odd in ["unknown".into(), Value::from(2001.5), Value::from(-1)] {
            txn.create_node(["Chunk"], [("year", odd)]).unwrap();
        }
        let long = "a".repeat(LONGEST + 1);
        for said in ["a".repeat(LONGEST), "b".into(), long] {
            txn.create_node(["Chunk"], [("said", said), ("alone", "one".into())])
                .unwrap();
        }
        txn.commit().unwrap();
        for name in ["number", "year", "list", "said", "alone"] {
            let index = Index::on_nodes("Chunk", [name]).named(name);
            db.create_index(index).unwrap();
        }
        let read = db.read().unwrap();
        let found = |name| {
            let values = values(&read, name, name).unwrap();
            let words = values.iter().flat_map(words_of);
            words.collect::<Vec<_>>()
        };
        assert_eq!(found("year"), ["unknown", "-1", "2000", "2001", "2002"]);
        assert!(found("number").is_empty());
        assert!(found("list").is_empty());
        assert_eq!(found("said").len(), 2);
        assert!(found("alone").is_empty());
    }
}
