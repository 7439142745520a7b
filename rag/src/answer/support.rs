//! Whether what a sentence cites bears it: its numbers and names are there, and a sentence of it is near enough.
//!
//! It is a sieve, not a proof: a sentence that turns what it cites round with one word passes it. What it catches is what
//! models do most: numbers and names of their own, and sentences that lead nowhere.

use std::collections::HashSet;

use stratigraph_models::Embedder;

use super::Sentence;
use crate::chunk::sentences;
use crate::cosine::cosine;
use crate::extract::unsaid;
use crate::retrieve::{RetrieveError, Wanted};

/// How near to a sentence of what it cites a sentence has to be: the mean of the cosine and of the share of its words.
pub const LEAST_SUPPORT: f32 = 0.5;

/// All sentences of the texts that are cited are compared word by word; so many of them get a vector.
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

impl Near<'_> {
    /// Whether it is the same sentence, word for word.
    fn is_same(&self, text: &str) -> bool {
        text.split_whitespace().eq(self.text.split_whitespace())
    }

    /// The share of a sentence's terms that it says.
    fn says(&self, text: &str, terms: &HashSet<String>) -> f32 {
        match self.is_same(text) {
            true => 1.0,
            false => share(terms, &self.terms),
        }
    }
}

/// Holds sentences against what they cite.
pub(super) fn supported(
    written: Vec<(String, Vec<usize>)>,
    citable: &[Citable<'_>],
    wanted: &Wanted,
    embedder: &dyn Embedder,
) -> Result<Vec<Sentence>, RetrieveError> {
    let terms = written.iter().map(|(text, _)| wanted.content_of(text));
    let terms: Vec<HashSet<String>> = terms.collect();
    let is_cited = |number: usize| written.iter().any(|(_, cited)| cited.contains(&number));
    let mut nears: Vec<Near<'_>> = Vec::new();
    for one in citable.iter().filter(|one| is_cited(one.number)) {
        for span in sentences(one.text) {
            let text = one.text[span].trim();
            if text.contains(char::is_alphanumeric) {
                nears.push(Near {
                    number: one.number,
                    text,
                    terms: wanted.terms_of([text, one.heading]),
                });
            }
        }
    }
    let nears = likeliest(nears, &written, &terms);
    let texts: Vec<&str> = written.iter().map(|(text, _)| text.as_str()).collect();
    let ours = embedder.embed(&texts)?;
    let texts: Vec<&str> = nears.iter().map(|near| near.text).collect();
    let theirs = embedder.embed(&texts)?;
    let mut all = Vec::with_capacity(written.len());
    for (((text, sources), terms), row) in written.into_iter().zip(&terms).zip(ours.iter()) {
        let cited = citable.iter().filter(|one| sources.contains(&one.number));
        let cited: Vec<&str> = cited.flat_map(|one| [one.heading, one.text]).collect();
        let lacks = match cited.is_empty() {
            true => Vec::new(),
            false => unsaid(&text, &cited),
        };
        let whole = share(terms, &wanted.terms_of(cited.iter().copied()));
        let near = nears.iter().zip(theirs.iter());
        let near = near.filter(|(near, _)| sources.contains(&near.number));
        let scores = near.map(|(near, theirs)| {
            if near.is_same(&text) {
                return 1.0;
            }
            // Words that say little are near to those of any text, and nothing is borne out by that.
            if terms.is_empty() {
                return 0.0;
            }
            // A sentence may draw on several; one of them has to be near.
            let says = f32::midpoint(share(terms, &near.terms), whole);
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

/// Those that may be nearest to one of the sentences, so many as get a vector: in turn the one that says most of each, and what is
/// left out says no more of any.
fn likeliest<'a>(
    nears: Vec<Near<'a>>,
    written: &[(String, Vec<usize>)],
    terms: &[HashSet<String>],
) -> Vec<Near<'a>> {
    if nears.len() <= MOST_COMPARED {
        return nears;
    }
    let mut ranks = vec![usize::MAX; nears.len()];
    for ((text, sources), terms) in written.iter().zip(terms) {
        let cited = nears.iter().enumerate();
        let cited = cited.filter(|(_, near)| sources.contains(&near.number));
        let mut cited: Vec<(usize, f32)> = cited
            .map(|(at, near)| (at, near.says(text, terms)))
            .collect();
        // Of two that say as much, the one that is read first.
        cited.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        for (rank, (at, _)) in cited.into_iter().enumerate() {
            ranks[at] = ranks[at].min(rank);
        }
    }
    let mut ranked: Vec<(usize, Near<'a>)> = ranks.into_iter().zip(nears).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(MOST_COMPARED);
    ranked.into_iter().map(|(_, near)| near).collect()
}

/// The share of terms that are among others; of none there is none.
fn share(terms: &HashSet<String>, among: &HashSet<String>) -> f32 {
    if terms.is_empty() {
        return 0.0;
    }
    terms.intersection(among).count() as f32 / terms.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph_models::Lexical;

    fn check_in(citable: &[Citable<'_>], text: &str, sources: &[usize]) -> Sentence {
        let written = vec![(text.to_owned(), sources.to_vec())];
        let all = supported(written, citable, &Wanted::default(), &Lexical::new());
        all.unwrap().remove(0)
    }

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
        check_in(&citable, text, sources)
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

    #[test]
    fn common_words_alone_are_borne_out_by_nothing_but_themselves() {
        for text in ["It was not.", "So it is, and they were there."] {
            let common = check(text, &[1, 3]);
            assert_eq!((common.supported, common.score), (false, 0.0), "{common:?}");
        }
        let citable = [Citable {
            number: 1,
            heading: "Rocks",
            text: "Was basalt lava? It was\nnot. It never was.",
        }];
        let same = check_in(&citable, "It was not.", &[1]);
        assert_eq!((same.supported, same.score), (true, 1.0), "{same:?}");
        let alike = check_in(&citable, "Not it was.", &[1]);
        assert!(!alike.supported, "{alike:?}");
    }

    #[test]
    fn what_stands_far_down_bears_out_as_much() {
        let about = |number: usize| format!("Sentence {number} is about rivers. ");
        let mut text: String = (0..2 * MOST_COMPARED).map(about).collect();
        text.push_str("1,500 tons of basalt were sold in 2021. It was not.");
        let citable = [Citable {
            number: 1,
            heading: "Rocks",
            text: &text,
        }];
        for (said, least) in [
            ("1,500 tons of basalt were sold in 2021.", 1.0),
            ("It was not.", 1.0),
            ("In 2021, 1500 tons of basalt were sold.", LEAST_SUPPORT),
        ] {
            let found = check_in(&citable, said, &[1]);
            assert!(found.supported && found.score >= least, "{found:?}");
        }
        // Each of several has its turn, also where much is said of the first.
        let written = [
            "Sentence and rivers are about.",
            "In 2021 tons of basalt were sold.",
        ];
        let written = written.map(|text| (text.to_owned(), vec![1_usize]));
        let all = supported(
            written.into(),
            &citable,
            &Wanted::default(),
            &Lexical::new(),
        );
        assert!(all.unwrap().iter().all(|one| one.supported));
    }
}
