//! Key phrases: runs of words that are not common, weighed by the company they keep in the piece and by how rare
//! they are in the document. In the manner of RAKE (Rose, Engel, Cramer and Cowley, 2010).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::language::is_han;
use super::common::{is_binding, is_common};
use super::counted::{Counted, fold};
use super::tokens::{Token, tokens};

/// The most words of a phrase, and the most Chinese signs.
const MOST_WORDS: usize = 4;
const MOST_SIGNS: usize = 8;

/// A phrase with all its places.
pub(super) struct Phrase {
    pub(super) name: String,
    pub(super) places: Vec<Range<usize>>,
    score: f64,
}

/// What is known of a phrase while a piece is read.
struct Candidate {
    places: Vec<Range<usize>>,
    words: Vec<String>,
}

/// The best phrases of these sentences of a text, the best first.
pub(super) fn phrases(text: &str, sentences: &[Range<usize>], counted: &Counted) -> Vec<Phrase> {
    let mut candidates: HashMap<String, Candidate> = HashMap::new();
    let mut words = 0;
    for sentence in sentences {
        words += of_words(text, sentence, &mut candidates);
    }
    words += of_signs(text, sentences, &mut candidates);
    // How often a word occurs in phrases, and in the company of how many words.
    let mut company: HashMap<&str, (f64, f64)> = HashMap::new();
    for candidate in candidates.values() {
        for word in &candidate.words {
            let (times, degree) = company.entry(word).or_default();
            *times += candidate.places.len() as f64;
            *degree += (candidate.places.len() * candidate.words.len()) as f64;
        }
    }
    let weight = |word: &String| {
        let (times, degree) = company.get(word.as_str()).copied().unwrap_or((1.0, 1.0));
        degree / times * counted.rarity(word)
    };
    let mut phrases = Vec::new();
    for (name, candidate) in &candidates {
        let times = candidate.places.len();
        let seen = |word: &String| counted.count(word).all > 1;
        let enough = match candidate.words.len() {
            0 => times > 1,
            1 => times > 1 && name.chars().count() > 4,
            _ => times > 1 || candidate.words.iter().all(seen),
        };
        if !enough {
            continue;
        }
        let score = match candidate.words.len() {
            0 => name.chars().count() as f64,
            _ => candidate.words.iter().map(weight).sum(),
        };
        phrases.push(Phrase {
            name: name.clone(),
            places: candidate.places.clone(),
            score: score * (times as f64).sqrt(),
        });
    }
    let first = |phrase: &Phrase| phrase.places.first().map_or(0, |span| span.start);
    // By name at last: what begins together may weigh the same, and came out of a table without an order.
    phrases.sort_by(|a, b| {
        let by_place = || first(a).cmp(&first(b)).then_with(|| a.name.cmp(&b.name));
        b.score.total_cmp(&a.score).then_with(by_place)
    });
    phrases.truncate((words / 40).clamp(2, 8));
    phrases
}

/// Runs of words without a common one, a sign or a capital between them; how many words there are.
fn of_words(text: &str, sentence: &Range<usize>, to: &mut HashMap<String, Candidate>) -> usize {
    let words = &text[sentence.clone()];
    let mut run: Vec<Token> = Vec::new();
    let (mut folded, mut name) = (String::new(), String::new());
    let mut count = 0;
    for token in tokens(words, sentence.start) {
        let first = count == 0;
        count += 1;
        let near = |before: &Token| matches!(text.get(before.end..token.start), Some(" " | "\n"));
        if run.last().is_some_and(|before| !near(before)) {
            end_run(text, &mut run, &mut name, to);
        }
        let may = !token.number && (!token.capital || first);
        let content = may && {
            fold(token.text(text), &mut folded);
            folded.chars().nth(2).is_some() && !is_common(&folded)
        };
        if content {
            run.push(token);
        } else {
            end_run(text, &mut run, &mut name, to);
        }
    }
    end_run(text, &mut run, &mut name, to);
    count
}

/// Takes a run as a candidate; `name` is room for its name.
fn end_run(
    text: &str,
    run: &mut Vec<Token>,
    name: &mut String,
    to: &mut HashMap<String, Candidate>,
) {
    if let (Some(first), Some(last)) = (run.first(), run.last())
        && run.len() <= MOST_WORDS
    {
        let span = first.start..last.end;
        let small = |token: &Token| token.text(text).chars().flat_map(char::to_lowercase);
        name.clear();
        for token in run.iter() {
            if !name.is_empty() {
                name.push(' ');
            }
            name.extend(small(token));
        }
        match to.get_mut(name.as_str()) {
            Some(candidate) => candidate.places.push(span),
            None => {
                let words = run.iter().map(|token| small(token).collect()).collect();
                let places = vec![span];
                to.insert(name.clone(), Candidate { places, words });
            }
        }
    }
    run.clear();
}

/// What comes again in the runs of Chinese signs between those that bind, as long as it can be: of "审计机关" and
/// "审计机" that come equally often only the first is a candidate. A sign is half a word.
fn of_signs(text: &str, sentences: &[Range<usize>], to: &mut HashMap<String, Candidate>) -> usize {
    let mut count = 0;
    let mut parts: HashMap<&str, Vec<Range<usize>>> = HashMap::new();
    for sentence in sentences {
        each_run_of_signs(text, sentence, |span, signs| {
            count += signs;
            let run = &text[span.clone()];
            let borders: Vec<usize> = run
                .char_indices()
                .map(|(at, _)| at)
                .chain([run.len()])
                .collect();
            for first in 0..signs {
                for last in first + 2..=signs.min(first + MOST_SIGNS) {
                    let part = borders[first]..borders[last];
                    let place = span.start + part.start..span.start + part.end;
                    parts.entry(&run[part]).or_default().push(place);
                }
            }
        });
    }
    parts.retain(|_, places| places.len() > 1);
    let mut within: HashSet<&str> = HashSet::new();
    for (part, places) in &parts {
        let first = part.chars().next().map_or(0, char::len_utf8);
        let last = part.chars().next_back().map_or(0, char::len_utf8);
        for shorter in [&part[first..], &part[..part.len() - last]] {
            if parts
                .get(shorter)
                .is_some_and(|of| of.len() == places.len())
            {
                within.insert(shorter);
            }
        }
    }
    for (part, places) in &parts {
        if !within.contains(part) {
            let places = places.clone();
            let words = Vec::new();
            to.insert((*part).to_owned(), Candidate { places, words });
        }
    }
    count / 2
}

/// Calls for each run of Chinese signs that has none that binds, with its length in signs.
pub(super) fn each_run_of_signs(
    text: &str,
    sentence: &Range<usize>,
    mut each: impl FnMut(Range<usize>, usize),
) {
    if text[sentence.clone()].is_ascii() {
        return;
    }
    let mut start = sentence.start;
    let mut signs = 0;
    for (at, sign) in text[sentence.clone()].char_indices() {
        let at = sentence.start + at;
        if is_han(sign) && !is_binding(sign) {
            if signs == 0 {
                start = at;
            }
            signs += 1;
        } else if signs > 0 {
            each(start..at, signs);
            signs = 0;
        }
    }
    if signs > 0 {
        each(start..sentence.end, signs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let sentences: Vec<Range<usize>> = crate::chunk::sentences(text).collect();
        let phrases = phrases(text, &sentences, &Counted::of(text));
        phrases.into_iter().map(|phrase| phrase.name).collect()
    }

    #[test]
    fn what_comes_again_and_is_rare_is_a_phrase() {
        let english = "The annual budget report is late. We read the annual budget report and the annex. \
                       It is the report that the board reads.";
        assert_eq!(
            names(english).first().map(String::as_str),
            Some("annual budget report")
        );
        let italian = "La stazione appaltante indica il criterio. La stazione appaltante è unica.";
        assert_eq!(names(italian), ["stazione appaltante"]);
        let chinese = "预算执行的审计，由审计机关进行。预算执行和决算。审计机关依法。";
        assert_eq!(names(chinese), ["预算执行", "审计机关"]);
    }

    /// "审计" four times as often as "审计机关" weighs the same, and begins where that does.
    #[test]
    fn phrases_of_one_weight_and_place_have_an_order() {
        let text = format!("{}{}", "审计机关。".repeat(4), "审计。".repeat(12));
        for _ in 0..64 {
            assert_eq!(names(&text), ["审计", "审计机关"]);
        }
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert!(names("").is_empty());
        assert!(names("It is. 12 34.").is_empty());
    }
}
