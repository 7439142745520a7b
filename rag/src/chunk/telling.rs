//! The sentences of a text that tell something. Pieces that span several headings have these as lines between their sentences, and
//! a heading says what a text is about and nothing of it.
//!
//! It looks at a text alone, whatever format it came in: who has the document knows its headings better.

use std::ops::Range;

use super::sentences;

/// The spans of the sentences of a text without the lines that are headings of Markdown. A heading ends the sentence before it.
pub(crate) fn telling_sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut bodies = Vec::new();
    let mut from = 0;
    for heading in headings(text) {
        bodies.push(from..heading.start);
        from = heading.end;
    }
    bodies.push(from..text.len());
    bodies.into_iter().flat_map(move |body| {
        let within = sentences(&text[body.clone()]);
        within.map(move |span| body.start + span.start..body.start + span.end)
    })
}

/// Whether a line is a heading of Markdown: one to six `#` and a blank before what it says.
pub(crate) fn is_heading(line: &str) -> bool {
    let Some(line) = unindented(line) else {
        return false;
    };
    let rest = line.trim_start_matches('#');
    let signs = line.len() - rest.len();
    (1..=6).contains(&signs) && (rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// The spans of the headings of a text, with the ends of their lines.
fn headings(text: &str) -> Vec<Range<usize>> {
    let mut headings = Vec::new();
    let mut is_code = false;
    // The lines of the paragraph so far, as long as it may be the title above an underline.
    let mut above: Option<Range<usize>> = None;
    let mut is_first = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        let title = above.take();
        let begins = is_first;
        is_first = line.trim().is_empty();
        if is_fence(line) {
            is_code = !is_code;
        } else if is_code {
            // What begins with a `#` in a program is a remark.
        } else if is_heading(line) {
            headings.push(span);
            is_first = true;
        } else if let Some(title) = title.filter(|_| is_underline(line)) {
            headings.push(title.start..span.end);
            is_first = true;
        } else if begins && may_be_title(line) {
            above = Some(span);
        }
    }
    headings
}

/// A line without the blanks before it; with four it is text that is shown as it is.
fn unindented(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() < 4).then_some(rest)
}

/// Whether a line begins or ends a program.
fn is_fence(line: &str) -> bool {
    let line = unindented(line).unwrap_or_default();
    let is_plain = !line.trim_start_matches('`').contains('`');
    line.starts_with("~~~") || (line.starts_with("```") && is_plain)
}

/// Whether a line is the mark of a heading under its title.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3
        && ['=', '-']
            .iter()
            .any(|mark| line.trim_matches(*mark).is_empty())
}

/// Whether a line may be the title above such a mark: no item of a list, no quotation and no row of a table.
fn may_be_title(line: &str) -> bool {
    let begins = unindented(line).and_then(|line| line.chars().next());
    begins.is_some_and(|sign| !sign.is_whitespace() && !"-*+>|=".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<&str> {
        telling_sentences(text)
            .map(|span| text[span].trim())
            .filter(|sentence| !sentence.is_empty())
            .collect()
    }

    #[test]
    fn headings_are_left_out_and_end_a_sentence() {
        let text = "# Bridges\n\n## Corran Bridge\nIt has three arches\n### The repair of 1904 ###\n\nIn 1904 it was\nhollow. \
                    It was mended.\n  ## Mill Bridge\n#\nA single arch.";
        let expected = [
            "It has three arches",
            "In 1904 it was\nhollow.",
            "It was mended.",
            "A single arch.",
        ];
        assert_eq!(told(text), expected);
        assert!(told("## Corran Bridge").is_empty());
        let underlined = "The bridge\n==========\n\nIt is old.\n\nIts repair\n---\nIt was mended.";
        assert_eq!(told(underlined), ["It is old.", "It was mended."]);
    }

    #[test]
    fn what_only_looks_like_a_heading_stays() {
        for text in [
            "#5 is the best.",
            "####### Seven.",
            "    # indented by four",
            "It costs\n--",
            "Two lines\nof a text\n---",
            "- an item\n---",
            "| a | b |\n---",
            "---",
            "C# is a language.",
        ] {
            assert_eq!(told(text).join(" "), text.trim(), "{text}");
        }
        assert_eq!(
            told("```sh\n# a remark\nmake\n```\n# A heading\n\nSo it is made."),
            ["```sh\n# a remark\nmake\n```", "So it is made."]
        );
        assert_eq!(told("```x``` is code.\n# A heading"), ["```x``` is code."]);
    }

    #[test]
    fn spans_are_those_of_the_text() {
        for text in ["", "\n", "#", "äöü. Ä!\n# ß\nx? Y…\n", "# a\n# b\n"] {
            let mut last = 0;
            for span in telling_sentences(text) {
                assert!(last <= span.start && text.get(span.clone()).is_some());
                last = span.end;
            }
        }
    }
}
