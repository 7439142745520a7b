//! Extraction without a model: names, terms and key phrases by rules, and what stands together in a sentence.
//!
//! Everything follows from the document's bytes: the same document gives the same result on any machine.
//! Every step reads the text once. Names and terms come from `names.rs`, `quoted.rs` and `dictionary.rs`,
//! key phrases from `phrases.rs`; what a capital letter means the whole document decides (`counted.rs`).

mod common;
mod counted;
mod dictionary;
mod finds;
mod names;
mod phrases;
mod quoted;
mod titles;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::reply::clean_name;
use super::{
    Chain, Cost, Domain, Entity, ExtractError, Extracted, Extractor, Outcome, Reading, Triple,
};
use crate::BlockKind;
use crate::build::canonical;

pub(crate) use common::is_common;
pub(super) use counted::Counted;
pub use dictionary::Dictionary;
use finds::{Finds, Found, Rank};
use phrases::Phrase;
pub(crate) use titles::telling_title;
use titles::{BODIES, says, without_number};

/// Calls for each name of a text that stands for itself.
pub(super) fn each_name_of(text: &str, mut each: impl FnMut(&str)) {
    let counted = Counted::of(text);
    for sentence in crate::chunk::sentences(text) {
        names::each_name(text, &sentence, &counted, |name| each(&text[name]));
    }
}

/// The version of the rules. Another rule is another version, or old results would stay.
const VERSION: &str = "rules-4";
/// The most entities of a piece.
const MOST_ENTITIES: usize = 64;
/// The most sentences that are kept of those that name an entity.
const MOST_SENTENCES: usize = 8;
/// The most entities of a sentence that are said to stand together, and the most such facts of a piece.
const MOST_TOGETHER: usize = 6;
const MOST_FACTS: usize = 128;
/// Where more bytes than this stand right under one heading, about twenty pages, that says too little of them: a book
/// without headings inside would be one domain.
const LONGEST_DOMAIN: usize = 64 << 10;
/// The most characters of a description.
const LONGEST_DESCRIPTION: usize = 400;

/// Reads pieces without a model.
#[derive(Clone, Debug)]
pub struct Rules {
    dictionary: Option<Dictionary>,
    co_occurrence: bool,
    root: Option<Domain>,
    version: String,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

impl Rules {
    /// The predicate of facts that say only that two things are named in one sentence.
    pub const CO_OCCURS: &'static str = "co-occurs with";

    /// Names, terms and key phrases, and which of them stand together.
    #[must_use]
    pub fn new() -> Self {
        let rules = Self {
            dictionary: None,
            co_occurrence: true,
            root: None,
            version: String::new(),
        };
        rules.versioned()
    }

    /// Also finds names that are known already.
    #[must_use]
    pub fn dictionary(mut self, dictionary: Dictionary) -> Self {
        self.dictionary = Some(dictionary);
        self.versioned()
    }

    /// Whether things that are named in one sentence get a fact that says so; yes unless something else is said.
    #[must_use]
    pub fn co_occurrence(mut self, yes: bool) -> Self {
        self.co_occurrence = yes;
        self.versioned()
    }

    /// Makes object tags of the entities, under a chain from this root along the headings.
    #[must_use]
    pub fn chains_from(mut self, root: Domain) -> Self {
        self.root = Some(root);
        self.versioned()
    }

    fn versioned(mut self) -> Self {
        let dictionary = self.dictionary.as_ref().map_or("none", Dictionary::digest);
        let root = self.root.as_ref();
        let root = root.map_or(String::new(), |root| {
            format!(";root={:?}/{:?}", root.name, root.description)
        });
        self.version = format!(
            "{VERSION};dictionary={dictionary};together={}{root}",
            self.co_occurrence
        );
        self
    }
}

impl Extractor for Rules {
    fn version(&self) -> &str {
        &self.version
    }

    fn extract(&self, reading: &Reading<'_>) -> Result<Outcome, ExtractError> {
        let text = reading.document().text();
        let (sentences, headings): (Vec<_>, Vec<_>) = sentences(reading).into_iter().unzip();
        let phrases = phrases::phrases(text, &sentences, reading.counted());
        let found = self.found(reading, (&sentences, &headings), &phrases);
        let mut extracted = Extracted::default();
        let mut shown = Shown {
            text,
            sentences: &sentences,
            headings: &headings,
            lines: HashMap::new(),
        };
        // A heading names things and says nothing of them.
        let tells = |place: &usize| headings.get(*place) == Some(&false);
        if self.co_occurrence {
            extracted.triples = together(&mut shown, &found);
        }
        for found in found {
            let mut entity = found.entity;
            let named = found.sentences.iter().copied().filter(tells);
            let best = found.defined.filter(tells).or(named.clone().next());
            entity.description = best.map_or(String::new(), |place| shown.line(place));
            let spans = named.take(MOST_SENTENCES);
            entity.sentences = spans
                .filter_map(|place| sentences.get(place).cloned())
                .collect();
            extracted.entities.push(entity);
        }
        if let Some(root) = &self.root {
            let topic = phrases.first().map(|phrase| phrase.name.as_str());
            extracted.chains = chains(&domains(reading, root, topic), &extracted.entities);
        }
        let cost = Cost::default();
        Ok(Outcome {
            extracted,
            cost,
            ..Outcome::default()
        })
    }
}

impl Rules {
    /// The entities in the order of the text, the surest if there are too many.
    fn found(
        &self,
        reading: &Reading<'_>,
        (sentences, headings): (&[Range<usize>], &[bool]),
        phrases: &[Phrase],
    ) -> Vec<Found> {
        let text = reading.document().text();
        let mut finds = Finds::default();
        if let Some(dictionary) = &self.dictionary {
            let start = reading.piece().span.start;
            dictionary.each(reading.text(), |span, name, kind| {
                let at = start + span.start;
                let place = sentences.partition_point(|sentence| sentence.end <= at);
                if sentences
                    .get(place)
                    .is_some_and(|sentence| sentence.start <= at)
                {
                    finds.add(name, kind, Rank::Known, place, false);
                }
            });
        }
        for (place, sentence) in sentences.iter().enumerate() {
            quoted::each_term(text, sentence, |term| {
                let kind = if term.work { "work" } else { "term" };
                let rank = if term.defined {
                    Rank::Defined
                } else {
                    Rank::Name
                };
                finds.add(&text[term.span], Some(kind), rank, place, term.defined);
            });
            names::each_name(text, sentence, reading.counted(), |span| {
                finds.add(&text[span], Some("name"), Rank::Name, place, false);
            });
            phrases::each_run_of_signs(text, sentence, |span, signs| {
                if (3..=12).contains(&signs)
                    && BODIES.iter().any(|body| text[span.clone()].ends_with(body))
                {
                    finds.add(&text[span], Some("name"), Rank::Name, place, false);
                }
            });
        }
        self.add_title(reading, headings, &mut finds);
        for phrase in phrases {
            for span in &phrase.places {
                let place = sentences.partition_point(|sentence| sentence.end <= span.start);
                finds.add(&phrase.name, Some("phrase"), Rank::Phrase, place, false);
            }
        }
        let mut order: Vec<usize> = (0..finds.found.len()).collect();
        if order.len() > MOST_ENTITIES {
            let found = &finds.found;
            order.sort_by_key(|place| {
                let one = &found[*place];
                (one.rank, std::cmp::Reverse(one.sentences.len()), *place)
            });
            order.truncate(MOST_ENTITIES);
            order.sort_unstable();
        }
        let kept: HashSet<usize> = order.into_iter().collect();
        let found = finds.found.into_iter().enumerate();
        found
            .filter(|(place, _)| kept.contains(place))
            .map(|(_, found)| found)
            .collect()
    }

    /// The lowest heading is what its text is about, if it says anything by itself.
    fn add_title(&self, reading: &Reading<'_>, headings: &[bool], finds: &mut Finds) {
        let titles = reading.titles();
        let Some(title) = titles.last() else { return };
        let title = without_number(title);
        let words = title.split_whitespace().count();
        if says(title)
            && words <= 8
            && !headings.is_empty()
            && let Some(found) = finds.entry(title, Some("title"), Rank::Title)
            && let Some(first) = headings.iter().position(|is_heading| !is_heading)
        {
            // The first sentence says what it is, named or not.
            found.defined.get_or_insert(first);
        }
    }
}

/// The sentences of a piece, without those of programs, and its headings, each with whether it is one.
fn sentences(reading: &Reading<'_>) -> Vec<(Range<usize>, bool)> {
    let document = reading.document();
    let code: Vec<Range<usize>> = document
        .blocks_in(&reading.piece().span)
        .iter()
        .filter(|block| block.kind == BlockKind::Code)
        .map(|block| block.span.clone())
        .collect();
    let mut sentences = reading.sentences_and_headings();
    sentences.retain(|(sentence, _)| {
        let next = code.partition_point(|block| block.end <= sentence.start);
        code.get(next)
            .is_none_or(|block| block.start >= sentence.end)
    });
    sentences
}

/// Facts that say which entities are named in one sentence; the sentence is what is said of the two.
fn together(shown: &mut Shown<'_>, found: &[Found]) -> Vec<Triple> {
    let mut by_sentence: Vec<Vec<&str>> = vec![Vec::new(); shown.sentences.len()];
    for found in found.iter().filter(|found| found.rank < Rank::Title) {
        for place in &found.sentences {
            if let Some(names) = by_sentence
                .get_mut(*place)
                .filter(|names| names.len() < MOST_TOGETHER)
            {
                names.push(&found.entity.name);
            }
        }
    }
    let mut seen: HashSet<(&str, &str)> = HashSet::new();
    let mut triples = Vec::new();
    // What only a heading names together comes last: a sentence that does says something of the two.
    let headings = shown.headings;
    let places = |of_headings: bool| {
        let places = headings.iter().enumerate();
        let places = places.filter(move |(_, is_heading)| **is_heading == of_headings);
        places.map(|(place, _)| place)
    };
    for sentence in places(false).chain(places(true)) {
        let names = &by_sentence[sentence];
        for (place, one) in names.iter().enumerate() {
            for other in &names[place + 1..] {
                // It has no direction: the lesser name is the subject.
                let (subject, object) = if one <= other {
                    (*one, *other)
                } else {
                    (*other, *one)
                };
                if triples.len() < MOST_FACTS && seen.insert((subject, object)) {
                    triples.push(Triple {
                        subject: subject.to_owned(),
                        predicate: Rules::CO_OCCURS.to_owned(),
                        object: object.to_owned(),
                        description: shown.line(sentence),
                        source: String::new(),
                    });
                }
            }
        }
    }
    triples
}

/// The chain of the headings; where too much stands right under the last one, what the piece is about goes on from it.
fn domains(reading: &Reading<'_>, root: &Domain, topic: Option<&str>) -> Vec<Domain> {
    let mut names: Vec<&str> = reading.titles().into_iter().map(without_number).collect();
    let section = reading.document().sections().get(reading.piece().section);
    if section.is_some_and(|section| section.body.len() > LONGEST_DOMAIN) {
        names.extend(topic);
    }
    let mut domains = vec![root.clone()];
    let mut seen: HashSet<String> = [canonical(&root.name)].into();
    for name in names {
        if let Some(name) = clean_name(name).filter(|name| seen.insert(canonical(name))) {
            domains.push(Domain {
                name,
                description: String::new(),
            });
        }
    }
    domains
}

/// Each entity under the chain.
fn chains(domains: &[Domain], entities: &[Entity]) -> Vec<Chain> {
    let names = domains.iter().map(|domain| canonical(&domain.name));
    let named: Vec<(String, &Domain)> = names.zip(domains).collect();
    let chain = |entity: &Entity| {
        let name = canonical(&entity.name);
        // A thing is not its own domain.
        let above = named.iter().filter(|(domain, _)| *domain != name);
        Chain {
            domains: above.map(|(_, domain)| (*domain).clone()).collect(),
            object: entity.name.clone(),
            description: String::new(),
        }
    };
    let chains = entities.iter().map(chain);
    chains.filter(|chain| !chain.domains.is_empty()).collect()
}

/// Sentences as descriptions, each made once.
struct Shown<'a> {
    text: &'a str,
    sentences: &'a [Range<usize>],
    /// Which of them are headings.
    headings: &'a [bool],
    lines: HashMap<usize, String>,
}

impl Shown<'_> {
    /// A sentence; nothing for a heading.
    fn line(&mut self, place: usize) -> String {
        let tells = self.headings.get(place) == Some(&false);
        let Some(span) = self.sentences.get(place).filter(|_| tells) else {
            return String::new();
        };
        let line = || shown(&self.text[span.clone()]);
        self.lines.entry(place).or_insert_with(line).clone()
    }
}

/// A sentence as a description: one line, of a length that can be read.
fn shown(sentence: &str) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in sentence.split_whitespace() {
        let length = word.chars().count();
        if count + length > LONGEST_DESCRIPTION {
            let rest = LONGEST_DESCRIPTION.saturating_sub(count);
            if line.is_empty() {
                line.extend(word.chars().take(rest));
            }
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        count += length + 1;
    }
    line
}

#[cfg(test)]
mod tests;
