//! Statements of `docs/language.md` with some words changed: close to what means something, and never behind the
//! language, for each new clause has its example there.
//!
//! Bytes: which example, then three for each change: where, how, and which other word.

use std::sync::OnceLock;

const DOCUMENT: &str = include_str!("../../docs/language.md");

/// The examples, each as its words, and all words of all of them.
fn examples() -> &'static (Vec<Vec<&'static str>>, Vec<&'static str>) {
    static EXAMPLES: OnceLock<(Vec<Vec<&'static str>>, Vec<&'static str>)> = OnceLock::new();
    EXAMPLES.get_or_init(|| {
        let blocks = DOCUMENT.split("```stratql").skip(1);
        let blocks = blocks.filter_map(|block| block.split_once('\n')?.1.split_once("```"));
        let examples: Vec<Vec<&str>> = blocks.map(|(block, _)| words(block)).collect();
        let mut all = examples.concat();
        all.sort_unstable();
        all.dedup();
        (examples, all)
    })
}

/// The words and symbols of a text, with the space before each.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let word = rest.trim_start();
        let space = rest.len() - word.len();
        let named = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let first = word.chars().next().unwrap_or(' ');
        let end = match first {
            '\'' => word[1..].find('\'').map_or(word.len(), |end| end + 2),
            first if named(first) => word.find(|c| !named(c)).unwrap_or(word.len()),
            first => first.len_utf8(),
        };
        let (word, after) = rest.split_at(space + end);
        words.push(word);
        rest = after;
    }
    words
}

/// An example with the changes that the bytes say.
pub fn changed(bytes: &[u8]) -> String {
    let (examples, all) = examples();
    let (number, changes) = match bytes {
        [] => (0, bytes),
        [number, rest @ ..] => (usize::from(*number), rest),
    };
    let mut words = examples[number % examples.len()].clone();
    for change in changes.chunks_exact(3) {
        let (at, other) = (usize::from(change[0]), usize::from(change[2]));
        let (at, how) = (at % words.len().max(1), change[1]);
        match how % 5 {
            _ if words.is_empty() => break,
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[other % words.len()]),
            2 => {
                let other = other % words.len();
                words.swap(at, other);
            }
            3 => words[at] = all[(other + 256 * usize::from(how / 5)) % all.len()],
            // The rest of another example.
            _ => {
                words.truncate(at);
                words.extend(&examples[other % examples.len()]);
            }
        }
    }
    words.concat()
}
