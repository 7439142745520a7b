//! What a sentence names and counts, held against texts that are said to say it.

use std::collections::BTreeSet;

use super::reply::Ground;
use super::rules::each_name_of;

/// The names and numbers of a sentence that none of these texts has, in the order of the sentence.
pub(crate) fn unsaid(sentence: &str, texts: &[&str]) -> Vec<String> {
    let ground = Ground::of(texts.iter().copied());
    let known = texts.iter().flat_map(|text| numbers(text));
    // Words may say what a sign does: who writes "fell by 5 %" may have read "-5 %".
    let known = known.flat_map(|number| [number.trim_start_matches('-').to_owned(), number]);
    let known: BTreeSet<String> = known.collect();
    let mut unsaid: Vec<String> = Vec::new();
    let mut lacks = |what: &str| {
        if !unsaid.iter().any(|known| known == what) {
            unsaid.push(what.to_owned());
        }
    };
    each_name_of(sentence, |name| {
        if !ground.says(name) {
            lacks(name);
        }
    });
    for number in numbers(sentence) {
        if !known.contains(&number) {
            lacks(&number);
        }
    }
    unsaid
}

/// The numbers of a text, without what groups their digits: `1,500` and `1500` are one. A minus right before one is a part of it.
fn numbers(text: &str) -> Vec<String> {
    let is_digit = |sign: char| sign.is_ascii_digit();
    let is_inner = |sign: char| matches!(sign, '.' | ',' | '’' | '\'');
    let parts = |sign: char| !(is_digit(sign) || is_inner(sign));
    let mut numbers = Vec::new();
    let mut at = 0;
    for run in text.split_inclusive(parts) {
        let before = &text[..at];
        at += run.len();
        let run = run.trim_end_matches(parts);
        let number = run.trim_matches(is_inner);
        if number.contains(is_digit) {
            let number = ungrouped(number);
            numbers.push(match run.starts_with(is_digit) && ends_with_minus(before) {
                true => format!("-{number}"),
                false => number,
            });
        }
    }
    numbers
}

/// Whether a text ends with a minus, and not with a hyphen or the dash of a range: "A-1", "2010-2012", "5%-10%".
fn ends_with_minus(before: &str) -> bool {
    let Some(rest) = before.strip_suffix(['-', '−']) else {
        return false;
    };
    let sign = rest.chars().next_back();
    sign.is_none_or(|sign| sign.is_whitespace() || "([{\"'“‘«=<>≤≥~≈:|".contains(sign))
}

/// A run of digits and signs, without the signs that three digits follow and no fourth.
fn ungrouped(run: &str) -> String {
    let mut kept = String::new();
    for (at, sign) in run.char_indices() {
        let rest = run[at + sign.len_utf8()..].bytes();
        let digits = rest.take_while(u8::is_ascii_digit).count();
        if sign.is_ascii_digit() || digits != 3 {
            kept.push(sign);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_without_groups() {
        assert_eq!(
            numbers("In 2023, 1,500 of 2.750.000 were 3.5 %; (12)."),
            ["2023", "1500", "2750000", "3.5", "12"]
        );
        assert!(unsaid("It had 1500 tons.", &["1,500 tons were there"]).is_empty());
        assert_eq!(unsaid("It had 15 tons.", &["1,500 tons, and 1.5"]), ["15"]);
        assert!(numbers("... , ' a").is_empty());
    }

    #[test]
    fn a_minus_is_part_of_its_number_and_a_hyphen_is_none() {
        assert_eq!(
            numbers("-1,500 and −3 (-2.5), 2010-2012, A-1, 5%-10%, --7, - 8."),
            [
                "-1500", "-3", "-2.5", "2010", "2012", "1", "5", "10", "7", "8"
            ]
        );
        let lacks = |sentence: &str, text: &str| unsaid(sentence, &[text]);
        assert_eq!(lacks("It was -1,500.", "It was 1,500."), ["-1500"]);
        assert!(lacks("It was -1,500.", "It was −1500.").is_empty());
        // What fell is said by a word here, and by a sign there.
        assert!(lacks("It fell by 5 %.", "Change: -5 %").is_empty());
    }

    #[test]
    fn names_are_said_or_not() {
        let texts = ["Basalt comes from Mount Etna in Sicily.", "IBM made it."];
        assert!(unsaid("The lava of Mount Etna is basalt.", &texts).is_empty());
        assert_eq!(
            unsaid(
                "The lava of Mount Vesuvius near Naples was sold by IBM.",
                &texts
            ),
            ["Mount Vesuvius", "Naples"]
        );
        assert_eq!(
            unsaid("由IBM和GDP公司编制于2021年。", &texts),
            ["GDP", "2021"]
        );
    }
}
