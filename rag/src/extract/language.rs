//! Which of our languages a text is in, as far as its letters and commonest words tell.
//!
//! It decides which prompt is used and which words count as common; a wrong answer costs quality and
//! never more. It reads the beginning of a text only, so that the answer is cheap for any text.

/// A language that prompts and rules are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Language {
    /// English; also what is taken for any other language.
    #[default]
    English,
    /// Italian.
    Italian,
    /// Chinese.
    Chinese,
}

/// How much of a text is looked at.
const PORTION: usize = 8 << 10;
/// How much of each of many texts is,
const PORTION_OF_MANY: usize = 160;
/// and of how many of them, spread over all.
const MOST_OF_MANY: usize = 50;

/// Words that every Italian text has and no English one.
const ITALIAN: [&str; 44] = [
    "abbiamo", "ai", "al", "alla", "alle", "anche", "che", "chi", "con", "cui", "da", "dal",
    "dalla", "dei", "del", "della", "delle", "di", "e", "ed", "essere", "gli", "il", "la", "le",
    "lo", "ma", "nei", "nel", "nella", "non", "ogni", "per", "più", "qual", "quali", "questo",
    "sono", "su", "sul", "sulla", "tra", "un", "una",
];
/// Words that every English text has and no Italian one.
const ENGLISH: [&str; 44] = [
    "a", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "for", "from", "had",
    "has", "have", "his", "if", "is", "it", "its", "may", "not", "of", "on", "or", "our", "shall",
    "that", "the", "their", "they", "this", "to", "was", "we", "were", "what", "which", "will",
    "with", "would", "you", "your",
];

impl Language {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::English, Self::Italian, Self::Chinese];

    /// The language of a text; English if nothing tells.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(PORTION.min(text.len()))];
        let signs = text.chars().filter(|sign| is_han(*sign)).count();
        let letters = text.chars().filter(|sign| sign.is_alphabetic()).count();
        // A Chinese sign says about as much as three letters.
        if signs * 4 > letters {
            return Self::Chinese;
        }
        let (mut english, mut italian) = (0_usize, 0_usize);
        for word in text.split(|sign: char| !sign.is_alphanumeric()) {
            let word = word.to_lowercase();
            english += usize::from(ENGLISH.binary_search(&word.as_str()).is_ok());
            italian += usize::from(ITALIAN.binary_search(&word.as_str()).is_ok());
        }
        match italian > english {
            true => Self::Italian,
            false => Self::English,
        }
    }

    /// The language of many texts, by the beginnings of some of them.
    #[must_use]
    pub fn of_all(texts: &[&str]) -> Self {
        let step = texts.len().div_ceil(MOST_OF_MANY).max(1);
        let mut sample = String::new();
        for text in texts.iter().step_by(step) {
            sample.push_str(&text[..text.floor_char_boundary(PORTION_OF_MANY.min(text.len()))]);
            sample.push('\n');
        }
        Self::of(&sample)
    }

    /// Its code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Italian => "it",
            Self::Chinese => "zh",
        }
    }
}

/// Chinese signs.
pub(crate) fn is_han(sign: char) -> bool {
    matches!(sign as u32, 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_as_they_are_searched() {
        assert!(ENGLISH.is_sorted() && ITALIAN.is_sorted());
    }

    #[test]
    fn common_words_tell() {
        for (text, language) in [
            (
                "The contract shall be signed by the authority.",
                Language::English,
            ),
            (
                "Il contratto è stipulato con la stazione appaltante.",
                Language::Italian,
            ),
            (
                "审计机关应当依法对预算执行情况进行审计。",
                Language::Chinese,
            ),
            (
                "根据《预算法》(Budget Law)，各级政府应当编制预算。",
                Language::Chinese,
            ),
            ("12, 13; 14", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }

    #[test]
    fn the_beginning_decides_whatever_the_length() {
        let text = format!(
            "{}{}",
            "la pietra è antica e ".repeat(1000),
            "the stone ".repeat(9000)
        );
        assert_eq!(Language::of(&text), Language::Italian);
    }
}
