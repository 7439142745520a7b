//! What a sentence names and counts, held against texts that are said to say it.

use std::collections::BTreeSet;

use super::reply::Ground;
use super::rules::each_name_of;

/// The names and numbers of a sentence that none of these texts has, in the order of the sentence.
pub(crate) fn unsaid(sentence: &str, texts: &[&str]) -> Vec<String> {
    let ground = Ground::of(texts.iter().copied());
    let known: BTreeSet<String> = texts.iter().flat_map(|text| numbers(text)).collect();
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

/// The numbers of a text, without what groups their digits: `1,500` and `1500` are one.
fn numbers(text: &str) -> Vec<String> {
    let is_inner = |sign: char| matches!(sign, '.' | ',' | '’' | '\'');
    let runs = text.split(|sign: char| !(sign.is_ascii_digit() || is_inner(sign)));
    let runs = runs.map(|run| run.trim_matches(is_inner));
    let runs = runs.filter(|run| run.contains(|sign: char| sign.is_ascii_digit()));
    runs.map(ungrouped).collect()
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
