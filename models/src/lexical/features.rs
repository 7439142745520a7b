//! What a text is made of: words, parts of words, and pairs of signs where scripts have no words.

/// Something that occurs in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feature {
    /// Its hash: the same on every machine, as vectors are kept.
    pub(super) hash: u64,
    /// How much it counts: the parts of a word together somewhat more than the word, so that its other forms are near.
    pub(super) share: f32,
    /// Whether it belongs to one of the commonest words.
    pub(super) common: bool,
}

/// What a word counts beside its parts.
const WHOLE_WORD: f32 = 0.6;
/// The letters of a part of a word.
const PART: usize = 4;
/// The most letters of a word of which parts are made; no word is longer.
const LONGEST_WORD: usize = 64;

/// Calls for each feature of a text, as often as it occurs.
pub(super) fn each_feature(text: &str, mut each: impl FnMut(Feature)) {
    let mut word: Vec<char> = Vec::new();
    let mut before: Option<char> = None;
    for sign in text.chars().flat_map(char::to_lowercase) {
        if is_sign_of_its_own(sign) {
            of_word(&word, &mut each);
            word.clear();
            of_sign(before, sign, &mut each);
            before = Some(sign);
            continue;
        }
        before = None;
        if sign.is_alphanumeric() {
            word.push(sign);
        } else {
            of_word(&word, &mut each);
            word.clear();
        }
    }
    of_word(&word, &mut each);
}

fn of_word(word: &[char], each: &mut impl FnMut(Feature)) {
    if word.is_empty() {
        return;
    }
    let text: String = word.iter().collect();
    let common = COMMON.binary_search(&text.as_str()).is_ok();
    let hash = hash(0, word);
    let share = WHOLE_WORD;
    each(Feature {
        hash,
        share,
        common,
    });
    // With the borders, so that beginnings and ends count as such.
    let mut letters = vec!['<'];
    letters.extend(word.iter().take(LONGEST_WORD));
    letters.push('>');
    if common || word.len() < 3 {
        return;
    }
    let parts = letters.windows(PART.min(letters.len()));
    let share = 1.0 / (parts.len() as f32).sqrt();
    for part in parts {
        let hash = self::hash(1, part);
        each(Feature {
            hash,
            share,
            common,
        });
    }
}

/// A Chinese sign, and with the one before it: most words there have two.
fn of_sign(before: Option<char>, sign: char, each: &mut impl FnMut(Feature)) {
    let common = "的了和是在与及等为于之".contains(sign);
    let hash = hash(2, &[sign]);
    each(Feature {
        hash,
        share: 0.5,
        common,
    });
    if let Some(before) = before {
        let hash = self::hash(3, &[before, sign]);
        each(Feature {
            hash,
            share: 1.0,
            common: false,
        });
    }
}

fn is_sign_of_its_own(sign: char) -> bool {
    matches!(sign as u32, 0x3041..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// The hash of a feature. It must never change: vectors that are kept were made with it.
fn hash(kind: u8, letters: &[char]) -> u64 {
    let letters = letters.iter();
    let letters = letters.flat_map(|letter| u32::from(*letter).to_le_bytes());
    let mut hash = fnv(std::iter::once(kind).chain(letters));
    // A last mixing, as the low bits of FNV alone are too regular.
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ (hash >> 29)
}

/// FNV-1a.
pub(super) fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    bytes.fold(0xCBF2_9CE4_8422_2325, step)
}

/// The commonest words of English, Italian, German and French, sorted.
const COMMON: [&str; 94] = [
    "a", "about", "al", "alla", "also", "an", "and", "are", "as", "at", "au", "be", "been", "but",
    "by", "can", "che", "come", "con", "da", "dal", "das", "de", "dei", "del", "della", "dem",
    "den", "der", "des", "di", "die", "do", "does", "du", "e", "ein", "eine", "et", "for", "from",
    "gli", "had", "has", "have", "he", "how", "i", "il", "in", "is", "it", "its", "la", "le",
    "les", "lo", "mit", "nel", "nicht", "non", "not", "o", "of", "on", "or", "ou", "per", "quale",
    "that", "the", "their", "these", "they", "this", "to", "un", "una", "und", "une", "was",
    "were", "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "zu",
    "è",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_what_it_was() {
        assert_eq!(hash(0, &['r', 'o', 'c', 'k']), 1_514_413_428_450_143_056);
    }

    #[test]
    fn common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn a_word_has_itself_and_its_parts() {
        let mut features = 0;
        each_feature("Rock", |_| features += 1);
        assert_eq!(features, 1 + 3);
        features = 0;
        each_feature("岩石 the", |_| features += 1);
        assert_eq!(features, 3 + 1);
    }
}
