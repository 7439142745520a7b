//! What a question asks for, met around the names of a text.

use std::ops::Range;

use crate::build::{compared, words};
use crate::extract::is_common;

/// So many words before or after a name count, the less the farther they are.
const REACH: usize = 8;
/// So many letters two words share at least from their beginning on, to be forms of one.
const LEAST: usize = 4;

/// The words by which a question asks: `director` and `mother` of "Who is the mother of the director of Up?".
#[derive(Debug)]
pub(super) struct Sought(Vec<String>);

impl Sought {
    /// All words of a question but common ones and those of the titles that it names.
    pub(super) fn of(question: &str, titles: &[&str]) -> Self {
        let is_of_title = |word: &str| {
            titles
                .iter()
                .any(|title| title.split(' ').any(|of| of == word))
        };
        let words = words(question).into_iter();
        let words = words.map(|word| compared(&question[word]));
        Self(
            words
                .filter(|word| !is_common(word) && !is_of_title(word))
                .collect(),
        )
    }

    /// How much of it stands around these of some words, from 0 to 1: "directed by" right before a name is nearly all.
    pub(super) fn around(&self, words: &[(bool, String)], name: Range<usize>) -> f32 {
        let before = words[..name.start].iter().rev();
        let after = words[name.end..].iter();
        let mut sum = 0.0;
        for sought in &self.0 {
            let near =
                |place: Option<usize>| place.map_or(0.0, |steps| 1.0 - steps as f32 / REACH as f32);
            let is_it = |word: &str| are_forms(word, sought);
            let one = near(before.clone().take(REACH).position(|(_, word)| is_it(word)));
            let other = near(after.clone().take(REACH).position(|(_, word)| is_it(word)));
            sum += f32::max(one, other);
        }
        sum.min(1.0)
    }
}

/// Whether two words are forms of one by how they begin: `directed`, `director`.
fn are_forms(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    let shared = one.chars().zip(other.chars());
    let shared = shared.take_while(|(one, other)| one == other).count();
    one == other || (shared >= LEAST && shared * 10 >= shorter * 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(question: &str, text: &str, name: &str) -> f32 {
        let sought = Sought::of(question, &["up"]);
        let words = words(text).into_iter();
        let words: Vec<(bool, String)> = words.map(|word| (true, compared(&text[word]))).collect();
        let at = words.iter().position(|(_, word)| word == name).unwrap();
        sought.around(&words, at..at + 1)
    }

    #[test]
    fn words_count_by_how_near_they_stand_and_titles_and_common_ones_do_not() {
        let question = "Who is the mother of the director of Up?";
        let text = "Up is a film directed by Docter and written with the actor Peterson.";
        let (first, second) = (
            around(question, text, "docter"),
            around(question, text, "peterson"),
        );
        // One word stands between.
        assert_eq!(first, 1.0 - 1.0 / 8.0);
        // `directed` is too far, and neither `up` nor `the` is sought.
        assert_eq!(second, 0.0);
        assert_eq!(
            around(question, "Docter, the director.", "docter"),
            1.0 - 1.0 / 8.0
        );
        // Of several words each counts, but all together no more than one right beside.
        assert_eq!(
            around(question, "A director, Docter, a mother.", "docter"),
            1.0
        );
    }

    #[test]
    fn forms_of_a_word_begin_alike() {
        assert!(are_forms("directed", "director") && are_forms("ox", "ox"));
        assert!(!are_forms("direct", "dire") || are_forms("dire", "direct"));
        assert!(!are_forms("mother", "moth") && !are_forms("actor", "act"));
        assert!(!are_forms("united", "unilateral"));
    }
}
