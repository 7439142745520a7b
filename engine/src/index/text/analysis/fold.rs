//! Makes equal what only looks different: case, accents, full-width and other compatibility forms.
//!
//! NFKD, marks taken off, small letters, NFC. Marks are only taken off Latin, Greek and Cyrillic, where they are
//! accents; in other scripts they are vowels.

use unicode_normalization::UnicodeNormalization;

/// Writes the folded form of a word; with `accents` they stay on, composed.
pub(super) fn fold(word: &str, accents: bool, folded: &mut String) {
    folded.clear();
    if word.is_ascii() {
        folded.push_str(word);
        folded.make_ascii_lowercase();
        return;
    }
    if accents {
        let small = word.nfkc().flat_map(char::to_lowercase).map(apostrophe);
        folded.extend(small.filter(|character| *character != SOFT_HYPHEN).nfc());
        return;
    }
    let small = word
        .nfkd()
        .filter(|character| !is_accent(*character))
        .flat_map(char::to_lowercase);
    // A small letter may decompose again: the Turkish İ becomes an i with a dot above.
    let plain = small.filter(|character| !is_accent(*character) && *character != SOFT_HYPHEN);
    for character in plain.map(apostrophe).nfc() {
        match character {
            'ß' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            '\u{2010}'..='\u{2012}' => folded.push('-'),
            other => folded.push(other),
        }
    }
}

/// Takes the accents off a word that was folded with them.
pub(super) fn without_accents(word: &str, folded: &mut String) {
    fold(word, false, folded);
}

const SOFT_HYPHEN: char = '\u{00AD}';

/// The marks of Latin, Greek and Cyrillic.
fn is_accent(character: char) -> bool {
    matches!(character, '\u{0300}'..='\u{036F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}')
}

fn apostrophe(character: char) -> char {
    match character {
        '\u{2019}' | '\u{02BC}' => '\'',
        other => other,
    }
}
