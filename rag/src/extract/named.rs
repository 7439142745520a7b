//! What a sentence names and counts, held against texts that are said to say it.

use std::collections::BTreeSet;

use super::reply::Ground;
use super::rules::each_name_of;
use crate::numerals::{Numeral, claims};

/// The names and numbers of a sentence that none of these texts has, in the order of the sentence. A number is there however its
/// digits are grouped and its decimals marked, but not rounded; a minus right before one is a part of it.
pub(crate) fn unsaid(sentence: &str, texts: &[&str]) -> Vec<String> {
    let ground = Ground::of(texts.iter().copied());
    let known = known_numbers(texts);
    let (mut unsaid, mut told) = (Vec::new(), BTreeSet::new());
    let mut lacks = |what: &str| {
        if told.insert(what.to_owned()) {
            unsaid.push(what.to_owned());
        }
    };
    each_name_of(sentence, |name| {
        if !ground.says(name) {
            lacks(name);
        }
    });
    for claim in claims(sentence) {
        let is_known = |numeral: &Numeral| known.contains(&numeral.plain());
        if !claim.otherwise.is_empty() && claim.otherwise.iter().all(is_known) {
            continue;
        }
        for numeral in claim.numerals.iter().filter(|numeral| !is_known(numeral)) {
            lacks(&numeral.plain());
        }
    }
    unsaid
}

/// The numbers that texts have, in whichever way they may be meant.
fn known_numbers(texts: &[&str]) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for claim in texts.iter().flat_map(|text| claims(text)) {
        for numeral in claim.numerals.iter().chain(&claim.otherwise) {
            let number = numeral.plain();
            // Words may say what a sign does: who writes "fell by 5 %" may have read "-5 %".
            known.insert(number.trim_start_matches('-').to_owned());
            known.insert(number);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        let claims = claims(text);
        let numerals = claims.iter().flat_map(|claim| &claim.numerals);
        numerals.map(Numeral::plain).collect()
    }

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
    fn a_number_is_said_however_it_is_written() {
        let lacks = |sentence: &str, text: &str| unsaid(sentence, &[text]);
        for (sentence, text) in [
            ("It was 3.5 %.", "It was 3,5 %."),
            ("It was 3.5 %.", "It was 3.50 %."),
            ("It had 1,000 tons.", "Es waren 1.000 Tonnen."),
            ("It had 1234567 tons.", "1\u{202f}234\u{202f}567 tons"),
            ("It had 1234 tons.", "1\u{2009}234 tons, 1\u{a0}500 of lava"),
            ("It had 1,500 tons.", "1’500 tons"),
            // A blank may be no mark between groups.
            ("Of 5 100 were sold.", "Of 5, 100 were sold."),
        ] {
            assert!(lacks(sentence, text).is_empty(), "{sentence} {text}");
        }
        assert_eq!(lacks("It was 3.5 %.", "It was 35 %."), ["3.5"]);
        assert_eq!(lacks("It was 3.14.", "It was 3.14159."), ["3.14"]);
        assert_eq!(lacks("It grew in fy2018.", "It grew in fy2017."), ["2018"]);
        assert_eq!(lacks("on 3.5.2021", "on 3.5.2020"), ["2021"]);
        // An apostrophe is nothing but a mark between groups.
        assert_eq!(lacks("It had 1'500 tons.", "Of 1, 500 were."), ["1500"]);
        assert_eq!(lacks("It fell to **-5**.", "It was 5."), ["-5"]);
        // Each is told once.
        assert_eq!(lacks("5, 7 and 5", "6"), ["5", "7"]);
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
