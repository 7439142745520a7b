//! Whether what a sentence cites bears it: its numbers and names are there, and a sentence of it is near enough.
//!
//! It is a sieve, not a proof: a sentence that turns what it cites round with one word passes it. What it catches is what
//! models do most: numbers and names of their own, and sentences that lead nowhere.

use std::collections::HashSet;

use stratigraph_models::Embedder;

use super::Sentence;
use crate::chunk::sentences;
use crate::extract::unsaid;
use crate::retrieve::{RetrieveError, Wanted, cosine};

/// How near to a sentence of what it cites a sentence has to be: the mean of the cosine and of the share of its words.
pub const LEAST_SUPPORT: f32 = 0.5;

/// So many sentences of all texts that are cited are compared.
const MOST_COMPARED: usize = 256;

/// A text that may be cited.
pub(super) struct Citable<'a> {
    pub(super) number: usize,
    pub(super) heading: &'a str,
    pub(super) text: &'a str,
}

/// A sentence of a text that is cited.
struct Near<'a> {
    number: usize,
    text: &'a str,
    terms: HashSet<String>,
}

/// Holds sentences against what they cite.
pub(super) fn supported(
    written: Vec<(String, Vec<usize>)>,
    citable: &[Citable<'_>],
    wanted: &Wanted,
    embedder: &dyn Embedder,
) -> Result<Vec<Sentence>, RetrieveError> {
    let is_cited = |number: usize| written.iter().any(|(_, cited)| cited.contains(&number));
    let mut nears: Vec<Near<'_>> = Vec::new();
    for one in citable.iter().filter(|one| is_cited(one.number)) {
        for span in sentences(one.text) {
            let text = one.text[span].trim();
            if nears.len() < MOST_COMPARED && text.contains(char::is_alphanumeric) {
                nears.push(Near {
                    number: one.number,
                    text,
                    terms: wanted.terms_of([text, one.heading]),
                });
            }
        }
    }
    let texts: Vec<&str> = written.iter().map(|(text, _)| text.as_str()).collect();
    let ours = embedder.embed(&texts)?;
    let texts: Vec<&str> = nears.iter().map(|near| near.text).collect();
    let theirs = embedder.embed(&texts)?;
    let mut all = Vec::with_capacity(written.len());
    for ((text, sources), row) in written.into_iter().zip(ours.iter()) {
        let cited = citable.iter().filter(|one| sources.contains(&one.number));
        let cited: Vec<&str> = cited.flat_map(|one| [one.heading, one.text]).collect();
        let lacks = match cited.is_empty() {
            true => Vec::new(),
            false => unsaid(&text, &cited),
        };
        let terms = wanted.content_of(&text);
        let whole = share(&terms, &wanted.terms_of(cited.iter().copied()));
        let near = nears.iter().zip(theirs.iter());
        let near = near.filter(|(near, _)| sources.contains(&near.number));
        let scores = near.map(|(near, theirs)| {
            // A sentence may draw on several; one of them has to be near.
            let says = f32::midpoint(share(&terms, &near.terms), whole);
            f32::midpoint(cosine(row, theirs).unwrap_or(0.0).max(0.0), says)
        });
        let score = scores.fold(0.0, f32::max);
        all.push(Sentence {
            supported: lacks.is_empty() && score >= LEAST_SUPPORT,
            text,
            sources,
            score,
            lacks,
        });
    }
    Ok(all)
}

/// The share of terms that are among others; all, of none.
fn share(terms: &HashSet<String>, among: &HashSet<String>) -> f32 {
    if terms.is_empty() {
        return 1.0;
    }
    terms.intersection(among).count() as f32 / terms.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph_models::Lexical;

    fn check(text: &str, sources: &[usize]) -> Sentence {
        let citable = [
            Citable {
                number: 1,
                heading: "Rocks > Basalt",
                text: "Basalt comes from Mount Etna in Sicily. 1,500 tons were sold in 2021. It was lava.",
            },
            Citable {
                number: 3,
                heading: "Rivers",
                text: "The Po runs to the sea.",
            },
        ];
        let written = vec![(text.to_owned(), sources.to_vec())];
        let all = supported(written, &citable, &Wanted::default(), &Lexical::new());
        all.unwrap().remove(0)
    }

    #[test]
    fn what_is_cited_bears_what_it_says() {
        let word_for_word = check("Basalt comes from Mount Etna in Sicily.", &[1]);
        assert!(
            word_for_word.supported && word_for_word.score > 0.9,
            "{word_for_word:?}"
        );
        let in_other_words = check("In 2021, 1500 tons of basalt were sold.", &[1]);
        assert!(in_other_words.supported, "{in_other_words:?}");
        assert!(in_other_words.score < word_for_word.score);
    }

    #[test]
    fn what_it_does_not_say_is_marked_and_told() {
        let number = check("1,700 tons were sold in 2021.", &[1]);
        assert!(
            !number.supported && number.score > LEAST_SUPPORT,
            "{number:?}"
        );
        assert_eq!(number.lacks, ["1700"]);
        let name = check("Basalt comes from Mount Vesuvius in Sicily.", &[1]);
        assert_eq!(
            (name.supported, name.lacks.as_slice()),
            (false, &["Mount Vesuvius".to_owned()][..])
        );
        let elsewhere = check("Basalt comes from Mount Etna in Sicily.", &[3]);
        assert!(!elsewhere.supported, "{elsewhere:?}");
        let other = check("Granite cools slowly and far below.", &[1]);
        assert!(!other.supported && other.lacks.is_empty(), "{other:?}");
    }

    #[test]
    fn what_cites_nothing_is_borne_by_nothing() {
        let alone = check("Basalt comes from Mount Etna in Sicily.", &[]);
        assert_eq!((alone.supported, alone.score), (false, 0.0));
    }
}
