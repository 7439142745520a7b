//! Sentences, as far as signs tell: no dictionary, no model.
//!
//! A full stop after a capital letter alone, a number, or one of a few abbreviations does not end one.

use std::ops::Range;

/// Abbreviations that names or numbers follow; what else ends with a stop ends a sentence if a capital
/// letter follows.
const ABBREVIATIONS: [&str; 42] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "cf", "no", "nos", "fig",
    "eq", "sec", "art", "inc", "ltd", "co", "corp", "jan", "feb", "aug", "sept", "oct", "nov",
    "dec", "approx", "vol", "artt", "avv", "cfr", "d.l", "d.lgs", "d.m", "d.p.r", "dott", "ing",
    "lgs", "n", "sig",
];

/// The spans of the sentences of a text, without a gap: the blanks after a sentence belong to it.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        if from >= text.len() {
            return None;
        }
        let end = end_of_sentence(text, from);
        let span = from..end;
        from = end;
        Some(span)
    })
}

/// What may stand between the sign that ends a sentence and the blank after it.
const CLOSING: [char; 16] = [
    '"', '\'', ')', ']', '”', '’', '」', '』', '）', '》', '!', '?', '.', '！', '？', '。',
];

fn end_of_sentence(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    // Closing signs that were looked past once are not looked at again: a megabyte of dots is read once.
    let mut looked_past = 0;
    for (at, sign) in rest.char_indices() {
        if at < looked_past {
            continue;
        }
        let after = at + sign.len_utf8();
        let ends = match sign {
            '。' | '！' | '？' | '；' | '…' => true,
            '!' | '?' => true,
            '.' => !is_within(&rest[..at]),
            // A blank line ends whatever there was.
            '\n' => rest[after..]
                .trim_start_matches([' ', '\t', '\r'])
                .starts_with('\n'),
            _ => false,
        };
        if !ends {
            continue;
        }
        let tail = rest[after..].trim_start_matches(CLOSING);
        let next = tail.trim_start();
        let blank = next.len() < tail.len();
        let wide = !sign.is_ascii();
        let begins = next
            .chars()
            .next()
            .is_none_or(|first| !first.is_lowercase());
        if wide || sign == '\n' || next.is_empty() || (blank && begins) {
            return from + rest.len() - next.len();
        }
        looked_past = rest.len() - tail.len();
    }
    text.len()
}

/// Whether a full stop after these words stands within a sentence.
fn is_within(before: &str) -> bool {
    // No abbreviation is longer, and a line without blanks may be as long as the file.
    const LONGEST: usize = 8;
    let near = before.char_indices().rev().take(LONGEST).last();
    let near = &before[near.map_or(0, |(at, _)| at)..];
    let word = near
        .rsplit([' ', '\n', '\t', '(', '“', '"', '\'', '’'])
        .next()
        .unwrap_or_default();
    let mut letters = word.chars();
    let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).map(|span| text[span].trim()).collect()
    }

    #[test]
    fn signs_end_sentences() {
        assert_eq!(
            cut(
                "It was lava. Dr. J. Smith (see e.g. Fig. 3) saw 1.5 m of it! \"Was it?\" he said. Yes"
            ),
            [
                "It was lava.",
                "Dr. J. Smith (see e.g. Fig. 3) saw 1.5 m of it!",
                "\"Was it?\" he said.",
                "Yes"
            ]
        );
        assert_eq!(
            cut("岩石很老。“真的？”他说。好"),
            ["岩石很老。", "“真的？”", "他说。", "好"]
        );
        assert_eq!(cut("a title\n\nand text"), ["a title", "and text"]);
        let law = "Ai sensi dell'Art. 68 del D.Lgs. 50/2016, n. 3.";
        assert_eq!(cut(law), [law]);
    }

    #[test]
    fn nothing_is_left_out() {
        for text in [
            "",
            ".",
            "...",
            "a. b.c",
            "\n\n\n",
            "。。",
            "A. B. C.",
            "äöü. Ä! x? Y…",
        ] {
            let together: String = sentences(text).map(|span| &text[span]).collect();
            assert_eq!(together, text);
        }
    }

    /// Each of these took the square of its length: minutes, and hours in files that are allowed.
    #[test]
    fn hostile_texts_are_read_once() {
        for text in [
            ".".repeat(1 << 20) + "a",
            "a.".repeat(1 << 19) + "a",
            "!\")".repeat(1 << 18) + "a",
        ] {
            assert_eq!(sentences(&text).count(), 1);
        }
    }
}
