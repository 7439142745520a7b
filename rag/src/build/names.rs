//! Keys are names: what something is called, and never which number it has.
//!
//! ```text
//! document   its id                       notes/rocks.md
//! section    its path of titles           notes/rocks.md#Rocks/Basalt
//! chunk      its section and text         notes/rocks.md#Rocks/Basalt#9f86d081884c7d65
//! instance   its section and name         notes/rocks.md#Rocks/Basalt#lava
//! entity, domain   its canonical name     lava
//! ```
//! Signs that divide a key are escaped within its parts, so that different things never have one key. Equal
//! siblings are told apart by `~2`, `~3` in the order of the text, and by nothing else, so that what comes
//! in between changes no other key.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use super::BuildError;
use super::digest::Digest;
use crate::Document;

/// The longest id of a document, in bytes.
pub const LONGEST_DOCUMENT_ID: usize = 1024;
/// Names are cut here. Keys of indexes have an end, and a name of this length is a text.
const LONGEST_NAME: usize = 500;
/// A path of titles that is longer is told by its hash.
const LONGEST_PATH: usize = 700;

/// The one form of a name: what has the same is the same entity.
///
/// Compatibility forms, capitals and blanks make no difference; accents and punctuation do. Names over 500 bytes
/// are cut, and end with a hash of what they were.
///
/// ```
/// use stratigraph_rag::build::canonical;
///
/// assert_eq!(canonical("  ＵＮＥＳＣＯ  Straße "), canonical("unesco STRASSE"));
/// assert_ne!(canonical("resume"), canonical("résumé"));
/// ```
#[must_use]
pub fn canonical(name: &str) -> String {
    let name = spaced(name);
    // Up first: some small letters share a capital, and only that way they meet.
    let upper = name.nfkc().flat_map(char::to_uppercase);
    let folded: String = upper.flat_map(char::to_lowercase).nfkc().collect();
    let mut folded = spaced(&folded);
    if folded.len() > LONGEST_NAME {
        let hash = hash([folded.as_str()]);
        cut(&mut folded, LONGEST_NAME - hash.len() - 1);
        folded.push('~');
        folded.push_str(&hash);
    }
    folded
}

/// A name as it is shown: without breaks, double blanks and signs that nobody sees, and of a bounded length.
pub(super) fn shown(name: &str) -> String {
    let mut shown = spaced(name);
    cut(&mut shown, LONGEST_NAME);
    shown
}

/// A name without breaks, double blanks and signs that nobody sees.
fn spaced(name: &str) -> String {
    let mut shown = String::new();
    let seen: String = name.chars().filter(|sign| !is_unseen(*sign)).collect();
    let words = seen.split(|sign: char| sign.is_whitespace() || sign.is_control());
    for word in words.filter(|word| !word.is_empty()) {
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(word);
    }
    shown
}

/// Signs that take no room: marks of direction, soft hyphens, places where a word may be divided. Two names that
/// differ in nothing else look the same. What joins letters in some scripts is not among them.
fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
}

fn cut(name: &mut String, bytes: usize) {
    name.truncate(name.floor_char_boundary(bytes));
    name.truncate(name.trim_end().len());
}

/// The hash of some texts in this order, as 32 hexadecimal digits. No other texts have it, whoever writes them.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = Digest::default();
    parts.into_iter().for_each(|part| digest.text(part));
    digest.finish()
}

/// The key of a document.
pub(super) fn document_key(id: &str) -> Result<String, BuildError> {
    if id.is_empty() || id.len() > LONGEST_DOCUMENT_ID {
        return Err(BuildError::BadDocumentName {
            name: id[..id.floor_char_boundary(80)].to_owned(),
            bytes: id.len(),
            limit: LONGEST_DOCUMENT_ID,
        });
    }
    let mut key = String::with_capacity(id.len());
    escape(id, &['%', '#'], &mut key);
    Ok(key)
}

/// The keys of the document and its sections, in the order of [`Document::sections`].
pub(super) fn section_keys(document: &Document) -> Result<Vec<String>, BuildError> {
    let root = document_key(document.id())?;
    let mut keys: Vec<String> = Vec::with_capacity(document.sections().len());
    let mut equals: HashMap<(usize, &str), usize> = HashMap::new();
    for section in document.sections() {
        let Some(parent) = section.parent else {
            keys.push(root.clone());
            continue;
        };
        let mut key = keys[parent].clone();
        key.push(if parent == 0 { '#' } else { '/' });
        escape(&section.title, &['%', '#', '/', '~', '='], &mut key);
        let number = equals.entry((parent, &section.title)).or_default();
        *number += 1;
        if *number > 1 {
            key.push_str(&format!("~{number}"));
        }
        if key.len() - root.len() > LONGEST_PATH {
            key = format!("{root}#={}", hash([key.as_str()]));
        }
        keys.push(key);
    }
    Ok(keys)
}

/// Gives chunks their keys.
#[derive(Default)]
pub(super) struct ChunkKeys {
    equals: HashMap<String, usize>,
}

impl ChunkKeys {
    /// The key of the next chunk in the order of the text.
    pub(super) fn next(&mut self, section: &str, text: &str) -> String {
        let mut key = format!("{section}#{}", &hash([text])[..16]);
        let number = self.equals.entry(key.clone()).or_default();
        *number += 1;
        if *number > 1 {
            key.push_str(&format!("~{number}"));
        }
        key
    }
}

/// The key of what a section calls by this canonical name.
pub(super) fn instance_key(section: &str, canonical: &str) -> String {
    let mut key = format!("{section}#");
    escape(canonical, &['%', '#'], &mut key);
    key
}

fn escape(text: &str, signs: &[char], to: &mut String) {
    for sign in text.chars() {
        if signs.contains(&sign) {
            to.push_str(&format!("%{:02X}", u32::from(sign)));
        } else {
            to.push(sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::{Format, Source};

    fn keys(text: &str) -> Vec<String> {
        let source = Source::new("a#b.md", text.as_bytes());
        section_keys(&source.read(Format::Markdown).unwrap()).unwrap()
    }

    #[test]
    fn a_heading_in_between_changes_no_other_key() {
        let before = keys("# A\n\n## X/Y\n\n# B\n\n## C\n");
        assert_eq!(
            before,
            [
                "a%23b.md",
                "a%23b.md#A",
                "a%23b.md#A/X%2FY",
                "a%23b.md#B",
                "a%23b.md#B/C"
            ]
        );
        let after = keys("# A\n\n## New\n\n## X/Y\n\n# B\n\n## C\n");
        assert!(before.iter().all(|key| after.contains(key)), "{after:?}");
        let equal = keys("# A\n\n# A\n\n# A~2\n");
        assert_eq!(equal[1..], ["a%23b.md#A", "a%23b.md#A~2", "a%23b.md#A%7E2"]);
    }

    #[test]
    fn what_nobody_sees_makes_no_other_name() {
        let names = [
            "Bas\u{ad}alt",
            "\u{feff}basalt",
            "b\u{200b}asalt\u{202e}",
            "BASALT\r\n",
        ];
        for name in names {
            assert_eq!(canonical(name), "basalt", "{name:?}");
        }
        assert_eq!(canonical(" \u{200b}\t"), "");
    }

    #[test]
    fn long_names_are_cut_and_stay_different() {
        let long = "é ".repeat(600);
        let name = canonical(&long);
        assert!(name.len() <= LONGEST_NAME && shown(&long).len() <= LONGEST_NAME);
        assert_eq!(canonical(&name), name);
        assert_eq!(canonical(&format!(" {}", long.to_uppercase())), name);
        assert_ne!(canonical(&format!("{long}x")), name);
    }

    #[test]
    fn long_paths_and_ids_have_an_end() {
        let title = "x".repeat(400);
        let keys = keys(&format!("# {title}\n\n## {title}\n\n### Y\n\n## {title}\n"));
        assert!(keys.iter().all(|key| key.len() < 800));
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
        assert!(document_key("").is_err() && document_key(&"x".repeat(1025)).is_err());
    }

    #[test]
    fn what_ends_one_text_does_not_begin_the_next() {
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
        assert_eq!(hash(["a"]).len(), 32);
    }

    #[test]
    fn equal_chunks_of_a_section_have_numbers() {
        let mut keys = ChunkKeys::default();
        let first = keys.next("d", "x");
        assert_eq!(keys.next("d", "x"), format!("{first}~2"));
        assert_ne!(keys.next("d", "y"), first);
    }

    proptest! {
        #[test]
        fn the_canonical_form_is_its_own(name in "\\PC{0,40}") {
            let once = canonical(&name);
            prop_assert_eq!(canonical(&once), once);
        }
    }
}
