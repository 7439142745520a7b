//! Names: runs of words with capitals, as far as the rest of the document does not speak against it.

use std::ops::Range;

use super::common::{is_common, is_connector, is_date};
use super::counted::{Counted, fold};
use super::tokens::{Token, tokens};

/// The most words of a name: what has more is a title, or shouted.
const LONGEST: usize = 8;
/// What a name begins with and a full stop follows.
const TITLES: [&str; 12] = [
    "art", "avv", "dott", "dr", "ing", "mr", "mrs", "ms", "no", "prof", "sig", "st",
];

/// Calls for each name of a sentence, which is this span of the text.
pub(super) fn each_name(
    text: &str,
    sentence: &Range<usize>,
    counted: &Counted,
    mut each: impl FnMut(Range<usize>),
) {
    let words = &text[sentence.clone()];
    let tokens: Vec<Token> = tokens(words, sentence.start).collect();
    let (all, capitals) = (
        tokens.iter().filter(|token| token.is_word()).count(),
        tokens.iter().filter(|token| token.capitals).count(),
    );
    if all > 4 && capitals * 5 > all * 4 {
        return;
    }
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at].capital {
            at += 1;
            continue;
        }
        let end = end_of_run(text, &tokens, at);
        let counts = at > 0 && is_unit(text, tokens[at - 1], tokens[at]);
        if counts && end == at + 1 {
            at = end;
            continue;
        }
        if let Some(name) = name(text, &tokens[at..end], at == 0, counted) {
            each(name);
        }
        at = end;
    }
}

/// Where the run that begins with a capital word ends: after the last word that belongs to it.
fn end_of_run(text: &str, tokens: &[Token], from: usize) -> usize {
    let mut end = from + 1;
    let mut folded = String::new();
    while end < tokens.len() {
        let before = tokens[end - 1];
        let next = tokens[end];
        if !joins(text, before, next) {
            break;
        }
        if next.capital {
            end += 1;
            continue;
        }
        if next.number {
            // "Article 68", and not "Rome 5 km": a number ends a name.
            let unit = tokens
                .get(end + 1)
                .is_some_and(|unit| is_unit(text, next, *unit));
            return if unit || before.number { end } else { end + 1 };
        }
        // One or two words that bind, and a capital after them.
        let mut through = end;
        while through < tokens.len() && through < end + 2 && !tokens[through].capital {
            fold(tokens[through].text(text), &mut folded);
            if !is_connector(&folded) || !joins(text, tokens[through - 1], tokens[through]) {
                return end;
            }
            through += 1;
        }
        let Some(capital) = tokens.get(through).filter(|token| token.capital) else {
            return end;
        };
        if !joins(text, tokens[through - 1], *capital) {
            return end;
        }
        end = through + 1;
    }
    end
}

/// Whether nothing but a blank stands between two words, or the apostrophe of an article, or the full stop of
/// an initial.
fn joins(text: &str, before: Token, next: Token) -> bool {
    match text.get(before.end..next.start).unwrap_or_default() {
        " " | "\n" => true,
        "'" | "’" => is_connector(&before.text(text).to_lowercase()),
        ". " | "." => {
            let word = before.text(text);
            word.chars().count() == 1 && before.capital
                || TITLES.contains(&word.to_lowercase().as_str())
        }
        _ => false,
    }
}

/// Whether a word is what a number counts: "km", "MB".
fn is_unit(text: &str, number: Token, unit: Token) -> bool {
    let near = matches!(text.get(number.end..unit.start), Some(" " | "" | "\u{a0}"));
    let word = unit.text(text);
    let little = word.chars().count() <= 3 && !is_common(&word.to_lowercase());
    number.number && near && little && (!unit.capital || unit.capitals)
}

/// The span of a name, if it is one.
fn name(text: &str, run: &[Token], begins: bool, counted: &Counted) -> Option<Range<usize>> {
    let mut folded = String::new();
    let mut first = 0;
    // Articles and what binds do not begin a name, nor do words that are only capital because they begin.
    while let Some(token) = run.get(first) {
        fold(token.text(text), &mut folded);
        let count = counted.count(&folded);
        let drops = is_common(&folded)
            || is_connector(&folded)
            || !token.capital
            || (first == 0
                && begins
                && run.len() > 1
                && !token.capitals
                && count.small > count.capital);
        if !drops {
            break;
        }
        first += 1;
    }
    let run = run.get(first..)?;
    let (head, last) = (run.first()?, run.last()?);
    let words = run.iter().filter(|token| token.is_word()).count();
    if words > LONGEST {
        return None;
    }
    if words == 1 {
        fold(head.text(text), &mut folded);
        let count = counted.count(&folded);
        let letters = folded.chars().count();
        let only_begins = begins && first == 0;
        let known = if only_begins && !head.capitals && run.len() == 1 {
            count.small == 0 && count.capital > 0
        } else {
            count.small <= count.capital || head.capitals
        };
        let roman = head.text(text).chars().all(|sign| "IVXLCDM".contains(sign));
        if !known || letters < 2 || is_date(&folded) || (roman && run.len() == 1) {
            return None;
        }
    }
    Some(head.start..last.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let counted = Counted::of(text);
        let mut found = Vec::new();
        for span in crate::chunk::sentences(text) {
            each_name(text, &span, &counted, |name| {
                found.push(text[name].to_owned());
            });
        }
        found
    }

    #[test]
    fn runs_of_capitals_are_names() {
        assert_eq!(
            names("The Bank of England met Dr. J. Smith in London on Monday, and NATO too."),
            ["Bank of England", "Dr. J. Smith", "London", "NATO"]
        );
        assert_eq!(
            names("Il Ministero dell'Economia e delle Finanze applica l'Art. 68 del Codice."),
            ["Ministero dell'Economia", "Finanze", "Art. 68", "Codice"]
        );
        assert_eq!(names("根据GDP数据，由IBM公司编制。"), ["GDP", "IBM"]);
    }

    #[test]
    fn a_capital_that_begins_a_sentence_says_nothing_by_itself() {
        assert_eq!(
            names("Stones are old. Basalt is a stone. Old stones are in Rome."),
            ["Rome"]
        );
        // Elsewhere it has a capital, too.
        assert_eq!(names("Rome is old. We saw Rome."), ["Rome", "Rome"]);
        assert_eq!(
            names("Yesterday Paris slept; yesterday was Sunday."),
            ["Paris"]
        );
    }

    #[test]
    fn numbers_with_units_are_left_out() {
        let text = "From Rome 5 km and 12 MB in Apollo 11 flights, see Article 68 of it.";
        assert_eq!(names(text), ["Rome", "Apollo 11", "Article 68"]);
        assert!(names("THIS LINE IS SHOUTED AT ALL OF YOU").is_empty());
    }
}
