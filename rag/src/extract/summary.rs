//! Summaries: of an entity from what several passages say of it, of a domain from its chain and what lies in it.
//!
//! [`CentralSentences`] makes them without a model: it takes the sentences that have most in common with all
//! others, in the order in which they stand. [`Summaries`](super::model::Summaries) asks a model.

use std::collections::HashMap;

use super::rules::is_common;
use super::{Cost, Domain, Estimate, ExtractError};
use crate::chunk::{Measure, Words, telling_sentences};

/// What is summarised.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SummaryOf<'a> {
    /// A thing, from what is said of it.
    Entity {
        /// Its name.
        name: &'a str,
        /// What is said of it, in an order that stays.
        descriptions: &'a [&'a str],
    },
    /// A domain, from its place and what lies in it.
    Domain {
        /// From the root down to it.
        chain: &'a [Domain],
        /// The summaries of the domains above it that have one, from the widest, each behind the domain's name.
        above: &'a [&'a str],
        /// The object tags in it, and the domains right below.
        tags: &'a [Neighbour<'a>],
        /// What is said of how these are related.
        relations: &'a [&'a str],
        /// The summary that was made before, if there is one.
        before: Option<&'a str>,
    },
}

/// What lies in a domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbour<'a> {
    /// Its name.
    pub name: &'a str,
    /// What is said of it.
    pub description: &'a str,
    /// How it belongs there.
    pub link: &'a str,
}

/// A summary and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// It, in one paragraph.
    pub text: String,
    /// What it cost.
    pub cost: Cost,
}

/// Something that summarises.
pub trait Summariser: Send + Sync {
    /// What its summaries depend on beside what they are of.
    fn version(&self) -> &str;

    /// The summary.
    ///
    /// # Errors
    ///
    /// When a model does not give one, or replies cannot be kept.
    fn summarise(&self, of: &SummaryOf<'_>) -> Result<Summary, ExtractError>;

    /// What [`summarise`](Self::summarise) would cost, without asking anybody.
    ///
    /// # Errors
    ///
    /// When the replies that are kept cannot be read.
    fn estimate(
        &self,
        of: &SummaryOf<'_>,
        measure: &dyn Measure,
    ) -> Result<Estimate, ExtractError> {
        let _ = (of, measure);
        Ok(Estimate::default())
    }
}

/// Summarises without a model.
#[derive(Clone, Copy, Debug)]
pub struct CentralSentences {
    /// The most sentences of a summary.
    pub most: usize,
}

impl Default for CentralSentences {
    fn default() -> Self {
        Self { most: 5 }
    }
}

/// The most bytes that a summary is made from: hubs have more than anybody reads.
pub(super) const MOST_BYTES: usize = 48 << 10;

impl SummaryOf<'_> {
    /// What a domain is called and what it lies in, but for the root: a model would begin with it, and what is searched by
    /// its summary is found by that, too.
    fn place(&self) -> Option<String> {
        let Self::Domain { chain, .. } = self else {
            return None;
        };
        let (domain, above) = chain.split_last()?;
        let mut place = domain.name.clone();
        for domain in above.iter().skip(1).rev() {
            place.push_str(", in ");
            place.push_str(&domain.name);
        }
        Some(place)
    }

    /// All that is said, in order and bounded.
    pub(super) fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = Vec::new();
        match self {
            Self::Entity { descriptions, .. } => texts.extend(*descriptions),
            Self::Domain {
                chain,
                tags,
                relations,
                ..
            } => {
                texts.extend(chain.last().map(|domain| domain.description.as_str()));
                texts.extend(tags.iter().flat_map(|tag| [tag.description, tag.link]));
                texts.extend(*relations);
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        let mut left = MOST_BYTES;
        texts.retain(|text| {
            let fits = text.len() <= left;
            left = left.saturating_sub(text.len());
            fits
        });
        texts
    }
}

impl Summariser for CentralSentences {
    fn version(&self) -> &str {
        "central-sentences-3"
    }

    fn summarise(&self, of: &SummaryOf<'_>) -> Result<Summary, ExtractError> {
        let texts = of.texts();
        let mut all: Vec<&str> = Vec::new();
        for text in texts {
            for span in telling_sentences(text) {
                let sentence = text[span].trim();
                if sentence.contains(char::is_alphanumeric) && !all.contains(&sentence) {
                    all.push(sentence);
                }
            }
        }
        let mut text = central(&all, self.most).join(" ");
        if let (false, Some(place)) = (text.is_empty(), of.place()) {
            text = format!("{place}: {text}");
        }
        Ok(Summary {
            text,
            cost: Cost::default(),
        })
    }
}

/// The most central of these sentences, in their order: those whose words occur in most others. Once one is
/// taken, its words count little for the next.
fn central<'a>(sentences: &[&'a str], most: usize) -> Vec<&'a str> {
    let words: Vec<Vec<String>> = sentences.iter().map(|sentence| words(sentence)).collect();
    let mut weights: HashMap<&str, f64> = HashMap::new();
    for word in words.iter().flatten() {
        *weights.entry(word).or_default() += 1.0;
    }
    let mut taken: Vec<usize> = Vec::new();
    while taken.len() < most.min(sentences.len()) {
        let score = |place: &usize| -> f64 {
            let words = &words[*place];
            let sum: f64 = words
                .iter()
                .filter_map(|word| weights.get(word.as_str()))
                .sum();
            // By the root of the length: neither the longest nor the shortest wins by that alone.
            sum / (words.len().max(4) as f64).sqrt()
        };
        let rest = (0..sentences.len()).filter(|place| !taken.contains(place));
        // The first of the best.
        let best = rest.rev().max_by(|a, b| score(a).total_cmp(&score(b)));
        let Some(best) = best else { break };
        taken.push(best);
        for word in &words[best] {
            if let Some(weight) = weights.get_mut(word.as_str()) {
                *weight *= 0.2;
            }
        }
    }
    taken.sort_unstable();
    taken.into_iter().map(|place| sentences[place]).collect()
}

/// The words of a sentence that say something, each once.
fn words(sentence: &str) -> Vec<String> {
    let mut from = 0;
    let mut words = Vec::new();
    for end in Words.ends(sentence) {
        let word = sentence.get(from..end).unwrap_or_default();
        from = end;
        let word = word
            .trim_matches(|sign: char| !sign.is_alphanumeric())
            .to_lowercase();
        if !word.is_empty() && !is_common(&word) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(descriptions: &[&str], most: usize) -> String {
        let of = SummaryOf::Entity {
            name: "basalt",
            descriptions,
        };
        CentralSentences { most }.summarise(&of).unwrap().text
    }

    #[test]
    fn the_sentence_that_shares_most_is_taken_first() {
        let descriptions = [
            "A cat slept.",
            "Basalt is a dark volcanic rock. It was lava.",
            "Basalt is a dark rock of lava.",
            "Volcanic rock of basalt is dark and was lava.",
        ];
        assert_eq!(
            summary(&descriptions, 1),
            "Volcanic rock of basalt is dark and was lava."
        );
        // What was said by the first is worth little, and what is said twice is one.
        assert_eq!(
            summary(&["A b cc dd.", "A b cc dd.", "Ee ff gg."], 2),
            "A b cc dd. Ee ff gg."
        );
        assert_eq!(summary(&[], 3), "");
        // A heading is no sentence, wherever it stands.
        let headed = [
            "## Basalt",
            "# Rocks\n\nIt was lava.\n## Chalk\nIt is soft.",
        ];
        assert_eq!(summary(&headed, 9), "It was lava. It is soft.");
    }

    #[test]
    fn a_domain_is_what_lies_in_it() {
        let domain = |name: &str, description: &str| Domain {
            name: name.to_owned(),
            description: description.to_owned(),
        };
        let chain = [
            domain("All", "Everything."),
            domain("Earth", "A ball."),
            domain("Rocks", "All that is hard."),
        ];
        let tags = [Neighbour {
            name: "BASALT",
            description: "Basalt was lava.",
            link: "Basalt is a rock.",
        }];
        let of = SummaryOf::Domain {
            chain: &chain,
            above: &["Earth: A ball of rock."],
            tags: &tags,
            relations: &["Basalt lies on rock."],
            before: None,
        };
        let text = CentralSentences { most: 9 }.summarise(&of).unwrap().text;
        assert_eq!(
            text,
            "Rocks, in Earth: All that is hard. Basalt was lava. Basalt is a rock. Basalt lies on rock."
        );
        // What nothing is said of has no summary, whatever it is called.
        let silent = SummaryOf::Domain {
            chain: &[domain("Rocks", "")],
            above: &["Earth: A ball of rock."],
            tags: &[],
            relations: &[],
            before: None,
        };
        let summary = CentralSentences { most: 9 }.summarise(&silent);
        assert_eq!(summary.unwrap().text, "");
    }
}
