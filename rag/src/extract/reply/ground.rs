//! What a text says, as far as names can be looked up in it: its words, and pairs of signs where a script has
//! no words.
//!
//! A name is said if two thirds of its words are there, in whatever form: models put names together from
//! what a sentence says, and inflect them. Common words do not count.

use super::super::language::is_han;
use super::super::rules::is_common;
use std::collections::{HashMap, HashSet};

/// What a text says.
#[derive(Debug, Default)]
pub(in super::super) struct Ground {
    text: String,
    /// Words by their first letters.
    words: HashMap<[char; 3], HashSet<Vec<char>>>,
    signs: HashSet<[char; 2]>,
}

/// No longer word is a word of a name.
const LONGEST_WORD: usize = 64;

/// A part of a name or text that is looked up by itself.
enum Part<'a> {
    Word(&'a [char]),
    Signs([char; 2]),
}

impl Ground {
    /// What these texts say together.
    pub(in super::super) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut ground = Self::default();
        for text in texts {
            ground.add(text);
        }
        ground
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        each_part(text, |part| match part {
            Part::Word(word) => {
                let alike = self.words.entry(beginning(word)).or_default();
                // Most words of a text were there before.
                if !alike.contains(word) {
                    alike.insert(word.to_vec());
                }
            }
            Part::Signs(pair) => {
                // The first alone, too: a name may be one sign.
                self.signs.insert([pair[0], '\0']);
                self.signs.insert(pair);
            }
        });
    }

    /// Whether this stands in the text, letter by letter.
    pub(in super::super) fn has(&self, words: &str) -> bool {
        !words.is_empty() && self.text.contains(words)
    }

    /// Whether the text says this name.
    pub(in super::super) fn says(&self, name: &str) -> bool {
        let (mut all, mut common, mut found, mut found_common) = (0, 0, 0, 0);
        each_part(name, |part| {
            let is_there = match &part {
                Part::Word(word) => self.has_form_of(word),
                Part::Signs(pair) => self.signs.contains(pair),
            };
            let little =
                matches!(&part, Part::Word(word) if is_common(&word.iter().collect::<String>()));
            if little {
                common += 1;
                found_common += usize::from(is_there);
            } else {
                all += 1;
                found += usize::from(is_there);
            }
        });
        if all == 0 {
            return common > 0 && found_common == common;
        }
        found * 3 >= all * 2
    }

    fn has_form_of(&self, word: &[char]) -> bool {
        let same = self.words.get(&beginning(word));
        same.is_some_and(|words| {
            words.contains(word) || words.iter().any(|other| forms(word, other))
        })
    }
}

/// Whether two words are forms of one, as far as their ends tell: "rate" and "rates", "norma" and "norme".
fn forms(one: &[char], other: &[char]) -> bool {
    let is_number = |word: &[char]| word.iter().any(|sign| sign.is_numeric());
    if is_number(one) || is_number(other) {
        return false;
    }
    let alike = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    alike >= 3 && alike + 2 >= short && alike + 3 >= long
}

fn beginning(word: &[char]) -> [char; 3] {
    let sign = |place: usize| word.get(place).copied().unwrap_or('\0');
    [sign(0), sign(1), sign(2)]
}

fn each_part(text: &str, mut each: impl FnMut(Part<'_>)) {
    let mut word: Vec<char> = Vec::new();
    let mut signs: Vec<char> = Vec::new();
    for sign in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        let wide = is_wide(sign);
        if !word.is_empty() && (wide || !sign.is_alphanumeric()) {
            word.truncate(LONGEST_WORD);
            each(Part::Word(&word));
            word.clear();
        }
        if wide {
            if let Some(before) = signs.last() {
                each(Part::Signs([*before, sign]));
            }
            signs.push(sign);
            continue;
        }
        // A run of one sign, and the last of any run, by itself.
        if let Some(last) = signs.last()
            && signs.len() == 1
        {
            each(Part::Signs([*last, '\0']));
        }
        signs.clear();
        if sign.is_alphanumeric() {
            word.push(sign);
        }
    }
}

/// Scripts without blanks between words.
fn is_wide(sign: char) -> bool {
    is_han(sign) || matches!(sign as u32, 0x3041..=0x30FF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_in_any_form() {
        let ground = Ground::of([
            "Le specifiche tecniche sono formulate ai sensi dell'art. 68 del D.Lgs. 50/2016.",
            "审计机关应当对预算执行情况进行审计。",
            "Healthy soils hold water; 5G too.",
        ]);
        for name in [
            "Specifica tecnica",
            "D.Lgs. 50/2016",
            "审计机关",
            "预算执行",
            "SOIL HEALTH",
            "water",
            "5G",
            "art. 68",
        ] {
            assert!(ground.says(name), "{name}");
        }
        for name in [
            "Specifica",
            "the",
            "D.Lgs. 163/2006",
            "art. 69",
            "审判机关",
            "Ministero",
            "",
            "6G",
        ] {
            assert_eq!(ground.says(name), name == "Specifica", "{name}");
        }
    }

    #[test]
    fn a_third_of_a_name_may_be_the_models_own() {
        let ground = Ground::of(["The board approved the annual report."]);
        assert!(ground.says("approval of the annual report"));
        assert!(!ground.says("the annual meeting"));
    }
}
