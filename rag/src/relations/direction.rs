//! What a name says beside its words of direction: "paid to" and "paid by" are two ends of one thing, and no embedder
//! keeps them far apart. To the lexical one such words are next to nothing, to a model they are a small part of a name.
//!
//! So two names whose other words agree are one only if their words of direction agree, too. That asks more than whether
//! one of these turns a name around ("by", "from", "of"): "reports" and "reports to" do not turn, and a fact is wrong all
//! the same under the other's name. Names of other words are left to the embedder, as "works for" may well be "is
//! employed by". EmPULIA's clusters lose nothing by it: the names that its authors published are those that stood after
//! their clustering, so no two of these were put together.
//!
//! Forms of a word are known by how they begin, so those of irregular verbs are words of their own: "buys" and "bought
//! by" are not seen to turn.

use super::negation::as_words;
use crate::extract::is_common;

/// Words of direction that have one form, in English, Italian, German, French and Spanish.
const WORDS: &[&str] = &[
    "about", "above", "across", "after", "against", "along", "among", "antes", "après", "around",
    "as", "at", "auf", "aus", "avant", "avec", "away", "bajo", "before", "behind", "below",
    "beneath", "beside", "between", "beyond", "bis", "by", "chez", "come", "comme", "como",
    "contra", "contre", "contro", "dans", "davanti", "dentro", "depuis", "desde", "después",
    "dietro", "dopo", "down", "durante", "durch", "during", "en", "entre", "entro", "for", "fra",
    "from", "fuori", "für", "gegen", "hacia", "hasta", "hinter", "inside", "into", "mediante",
    "mit", "nach", "neben", "off", "oltre", "on", "onto", "out", "outside", "over", "par", "para",
    "past", "por", "pour", "presso", "prima", "según", "seit", "since", "sobre", "sopra", "sotto",
    "sous", "sur", "through", "to", "toward", "towards", "tra", "tramite", "tras", "under",
    "until", "unter", "up", "upon", "vers", "verso", "via", "vor", "with", "within", "zwischen",
    "über",
];

/// Those that merge with articles: each row counts as its first.
const FORMS: [&[&str]; 10] = [
    &[
        "a", "à", "ad", "al", "all", "alla", "alle", "allo", "ai", "agli", "au", "aux",
    ],
    &[
        "da", "dal", "dall", "dalla", "dalle", "dallo", "dai", "dagli",
    ],
    &[
        "of", "di", "del", "dell", "della", "delle", "dello", "dei", "degli", "de", "des", "du",
        "d",
    ],
    &[
        "in", "nel", "nell", "nella", "nelle", "nello", "nei", "negli", "im", "ins",
    ],
    &[
        "su", "sul", "sull", "sulla", "sulle", "sullo", "sui", "sugli",
    ],
    &["con", "col", "coi"],
    &["per", "pel"],
    &["bei", "beim"],
    &["von", "vom"],
    &["zu", "zum", "zur"],
];

/// Articles in English, and words of direction where nothing comes behind them: "trasferito a", "geliefert an".
const ARTICLES: [&str; 2] = ["a", "an"];

/// Chinese signs of direction, those of a row the same: by whom, from where, to whom, in and out, before and after, above
/// and below.
const SIGNS: [&str; 14] = [
    "被",
    "由",
    "从從",
    "自",
    "向",
    "给給",
    "入进進",
    "出",
    "前",
    "后後",
    "上",
    "下",
    "内內",
    "外",
];

/// What makes a passive, in English and German, of a participle that is the past tense without it: "was awarded" and
/// "awarded" are two. A name with a word of direction needs no other: "is located in" is "located in".
const PASSIVE: [&str; 11] = [
    "are", "be", "been", "being", "is", "was", "were", "werden", "wird", "wurde", "wurden",
];

/// What says nothing beside a verb or a noun, where it is no common word of English or Italian.
const FILLERS: [&str; 30] = [
    "das", "dem", "den", "der", "die", "e", "ein", "eine", "einem", "einen", "einer", "el", "es",
    "est", "et", "fue", "haben", "hat", "ist", "l", "las", "les", "los", "ont", "ou", "sind",
    "sont", "und", "war", "waren",
];

/// Verbs that are common words of English and say what a name is about: each row counts as its first. Forms that are no
/// common words ("makes", "owned") are known by how they begin, as of all verbs.
const VERBS: [&[&str]; 3] = [&["make", "made"], &["own"], &["use", "used", "using"]];

/// One that says so only where no other word does: "does not employ" is about employing.
const DO: [&str; 5] = ["do", "did", "does", "doing", "done"];

/// The fewest letters that two forms of a word share, and the most that each may have beside them.
const LEAST_STEM: usize = 3;
const LONGEST_ENDING: usize = 3;

/// A name, its words of direction apart from the others.
#[derive(Debug, Default)]
pub(super) struct Directed {
    /// Words of direction in their first form, sorted, each once.
    directions: Vec<&'static str>,
    /// The other words that say something.
    rest: Vec<String>,
}

impl Directed {
    pub(super) fn of(name: &str) -> Self {
        let words = as_words(name);
        let words = words.split(|sign: char| !sign.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let mut directed = Self::default();
        let (mut is_passive, mut does) = (false, false);
        for (place, word) in words.iter().enumerate() {
            let is_last = place + 1 == words.len();
            is_passive |= PASSIVE.contains(word);
            if let Some(direction) = direction(word, is_last) {
                directed.directions.push(direction);
                continue;
            }
            does |= DO.contains(word);
            match first_form(&VERBS, word) {
                Some(verb) => directed.rest.push(verb.to_owned()),
                None if is_common(word) || FILLERS.contains(word) || PASSIVE.contains(word) => {}
                None => directed.take_word(word),
            }
        }
        if does && directed.rest.is_empty() {
            directed.rest.push(DO[0].to_owned());
        }
        if is_passive && directed.directions.is_empty() {
            directed.directions.push("be");
        }
        directed.directions.sort_unstable();
        directed.directions.dedup();
        directed
    }

    /// Takes a word that says something, its Chinese signs of direction apart.
    fn take_word(&mut self, word: &str) {
        let mut rest = String::new();
        for sign in word.chars() {
            match SIGNS.iter().copied().find(|same| same.contains(sign)) {
                Some(same) => self.directions.push(same),
                None => rest.push(sign),
            }
        }
        if !rest.is_empty() {
            self.rest.push(rest);
        }
    }

    /// Its words of direction.
    pub(super) fn directions(&self) -> &[&'static str] {
        &self.directions
    }

    /// How its other words begin: the same for any two of which these agree.
    pub(super) fn stems(&self) -> Vec<&str> {
        self.rest.iter().map(|word| stem(word)).collect()
    }

    /// Whether the two differ by direction alone.
    pub(super) fn turns(&self, other: &Self) -> bool {
        self.directions != other.directions && self.agrees(other)
    }

    /// Whether the two say the same in the same direction.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.directions == other.directions && self.agrees(other)
    }

    /// Whether all other words are the same, or forms of the same: "employs" and "is employed by".
    fn agrees(&self, other: &Self) -> bool {
        let mut pairs = self.rest.iter().zip(&other.rest);
        self.rest.len() == other.rest.len() && pairs.all(|(one, other)| is_form(one, other))
    }
}

/// The word of direction that this is a form of.
fn direction(word: &str, is_last: bool) -> Option<&'static str> {
    if ARTICLES.contains(&word) {
        return is_last.then_some(ARTICLES[0]);
    }
    first_form(&FORMS, word).or_else(|| WORDS.iter().copied().find(|known| *known == word))
}

/// The first of the row that a word is in.
fn first_form(rows: &[&[&'static str]], word: &str) -> Option<&'static str> {
    let row = rows.iter().find(|forms| forms.contains(&word));
    row.map(|forms| forms[0])
}

/// What any two forms of a word share: the letters that they must, or the whole word where it has fewer.
fn stem(word: &str) -> &str {
    let end = word.char_indices().nth(LEAST_STEM);
    end.map_or(word, |(end, _)| &word[..end])
}

/// Whether two words are the same but for an ending.
fn is_form(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let shared = one.chars().zip(other.chars());
    let shared = shared.take_while(|(one, other)| one == other).count();
    let ending = |word: &str| word.chars().count() - shared;
    shared >= LEAST_STEM && ending(one).max(ending(other)) <= LONGEST_ENDING
}

#[cfg(test)]
mod tests;
