//! Titles that are named in texts.

use std::collections::HashMap;

use stratigraph::{Node, Value};

use super::mentions::words;
use crate::extract::{is_common, telling_title};

/// So many words a title has at most that is looked for. Scripts without blanks count by character.
const MOST_WORDS: usize = 12;

/// Which of several texts are called what.
pub(super) struct Titles<'t> {
    places: HashMap<&'t [String], Vec<usize>>,
    /// The most words of one.
    longest: usize,
}

impl<'t> Titles<'t> {
    /// Of titles as their words; those without words are none.
    pub(super) fn of(titles: impl Iterator<Item = (usize, &'t [String])>) -> Self {
        let mut places: HashMap<&[String], Vec<usize>> = HashMap::new();
        for (place, words) in titles.filter(|(_, words)| !words.is_empty()) {
            places.entry(words).or_default().push(place);
        }
        let longest = places.keys().map(|words| words.len()).max();
        let longest = longest.unwrap_or(0);
        Self { places, longest }
    }

    /// The texts whose titles stand among these words. Of titles within titles only the longer one counts: who speaks of New
    /// York does not speak of York.
    pub(super) fn named_in(&self, mut words: &[String]) -> Vec<usize> {
        let mut found = Vec::new();
        while !words.is_empty() {
            let lengths = (1..=self.longest.min(words.len())).rev();
            let mut known =
                lengths.filter_map(|length| self.places.get_key_value(&words[..length]));
            let length = match known.next() {
                Some((title, places)) => {
                    found.extend(places);
                    title.len()
                }
                None => 1,
            };
            words = &words[length..];
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The words of a text, as they are compared: small, and without what says whose something is.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let words = words(text).into_iter().map(|span| {
        let word = text[span].to_lowercase();
        let owned = word.strip_suffix("'s").or(word.strip_suffix("’s"));
        owned.map(str::to_owned).unwrap_or(word)
    });
    words.collect()
}

/// The words of what a chunk is called: its lowest heading, if that says anything by itself.
pub(super) fn called(chunk: &Node) -> Vec<String> {
    let heading = chunk.get("heading").and_then(Value::as_str);
    let heading = heading.unwrap_or_default();
    let lowest = heading.rsplit(" > ").next().unwrap_or_default();
    let words = telling_title(lowest).map(words_of).unwrap_or_default();
    match words.as_slice() {
        [one] if is_common(one) => Vec::new(),
        words if words.len() > MOST_WORDS => Vec::new(),
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(titles: &[&str], text: &str) -> Vec<usize> {
        let titles: Vec<Vec<String>> = titles.iter().map(|title| words_of(title)).collect();
        let index = Titles::of(titles.iter().map(Vec::as_slice).enumerate());
        index.named_in(&words_of(text))
    }

    #[test]
    fn the_longest_title_is_what_is_named() {
        let titles = ["York", "New York", "New York City", "", "Ebb", "york"];
        assert_eq!(named(&titles, "In New York, and York's ebb"), [0, 1, 4, 5]);
        assert_eq!(named(&titles, "new york city"), [2]);
        assert_eq!(named(&titles, "New Yorkers' city; yorks"), [0; 0]);
        assert_eq!(named(&["北京"], "他在北京工作"), [0]);
    }
}
