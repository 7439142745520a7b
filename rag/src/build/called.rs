//! What texts are called, word by word, so that others that name them can be found.

use std::ops::Range;

use crate::chunk::{Measure, Words};
use crate::extract::{is_common, telling_title};

/// So many words a title has at most that texts are called by. Scripts without blanks count by character.
pub(crate) const MOST_WORDS: usize = 12;

/// The words of what a title calls the text under it; nothing if it says nothing by itself.
pub(super) fn called(title: &str) -> String {
    let title = telling_title(title).unwrap_or_default();
    let words = words(title).into_iter();
    let words: Vec<String> = words.map(|span| compared(&title[span])).collect();
    match words.as_slice() {
        [one] if is_common(one) => String::new(),
        words if words.len() > MOST_WORDS => String::new(),
        words => words.join(" "),
    }
}

/// A word as it is compared: small, and without what says whose something is.
pub(crate) fn compared(word: &str) -> String {
    let word = word.to_lowercase();
    let owned = word.strip_suffix("'s").or(word.strip_suffix("’s"));
    owned.map(str::to_owned).unwrap_or(word)
}

/// Where the words of a text are, without the marks around them.
pub(crate) fn words(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = Words.ends(text);
    let words = ends.into_iter().map(|end| {
        let word = &text[start..end];
        let from = start + (word.len() - word.trim_start_matches(is_mark).len());
        start = end;
        from..from + text[from..end].trim_end_matches(is_mark).len()
    });
    words.filter(|word| !word.is_empty()).collect()
}

fn is_mark(sign: char) -> bool {
    !sign.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_without_the_marks_around_them() {
        let text = "Who's in (New York), and \"Århus\"? 北京 C++";
        let found: Vec<&str> = words(text).into_iter().map(|word| &text[word]).collect();
        assert_eq!(
            found,
            [
                "Who's", "in", "New", "York", "and", "Århus", "北", "京", "C"
            ]
        );
    }

    #[test]
    fn texts_are_called_by_titles_that_say_something() {
        assert_eq!(called("3.1 Old Mill (Kent)"), "old mill");
        assert_eq!(called("Kerry's Mill"), "kerry mill");
        assert_eq!(called("北京（首都）"), "北 京");
        for title in ["Introduction", "It", "2021", "()", &"long ".repeat(13)] {
            assert_eq!(called(title), "", "{title}");
        }
    }
}
