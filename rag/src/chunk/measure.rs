//! How long a text is: in characters, in words, or in what an embedder's tokenizer counts.

use super::Reach;
use std::ops::Range;
use stratigraph_models::Embedder;

/// Says where the units of a text end.
pub trait Measure: Send + Sync {
    /// The byte after each unit, ascending. What is after the last one counts as nothing.
    fn ends(&self, text: &str) -> Vec<usize>;

    /// How far the embedder reads whose units these are; nothing if they are nobody's, or it tells no end.
    fn reach(&self) -> Option<Reach> {
        None
    }
}

/// Counts characters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Characters;

impl Measure for Characters {
    fn ends(&self, text: &str) -> Vec<usize> {
        text.char_indices()
            .map(|(at, sign)| at + sign.len_utf8())
            .collect()
    }
}

/// Counts words between blanks, and each character of scripts that have none between words. It stands in
/// for a tokenizer where there is no model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words;

impl Measure for Words {
    fn ends(&self, text: &str) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut in_word = false;
        for (at, sign) in text.char_indices() {
            let alone = stands_alone(sign);
            if in_word && (alone || sign.is_whitespace()) {
                ends.push(at);
            }
            in_word = !alone && !sign.is_whitespace();
            if alone {
                ends.push(at + sign.len_utf8());
            }
        }
        if in_word {
            ends.push(text.len());
        }
        ends
    }
}

/// Counts the tokens of an embedder; words where it does not tell, or cannot: whoever embeds the text hears why.
#[derive(Clone, Copy)]
pub struct Tokens<'e>(pub &'e dyn Embedder);

impl Measure for Tokens<'_> {
    fn ends(&self, text: &str) -> Vec<usize> {
        let ends = self.0.token_ends(text).ok().flatten();
        ends.unwrap_or_else(|| Words.ends(text))
    }

    /// Nothing where words stand in for tokens: nobody knows how many tokens they are.
    fn reach(&self) -> Option<Reach> {
        self.0.token_ends("").ok().flatten()?;
        Some(Reach {
            limit: self.0.max_tokens(),
            text: self.0.max_text_tokens(),
        })
    }
}

/// Chinese, Japanese, and the signs of both.
fn stands_alone(sign: char) -> bool {
    matches!(sign as u32, 0x3001..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0xFF01..=0xFFEF | 0x2_0000..=0x3_FFFF)
}

/// A text that was measured once, of which any part can be asked.
pub struct Measured<'a> {
    text: &'a str,
    ends: Vec<usize>,
    /// The long runs of blanks, in order: whoever looks for words past them need not walk through.
    blanks: Vec<Range<usize>>,
}

impl<'a> Measured<'a> {
    /// Measures a text.
    #[must_use]
    pub fn of(text: &'a str, measure: &dyn Measure) -> Self {
        let mut ends = measure.ends(text);
        // A measure of the caller's may be wrong; cutting within a character is worse than a wrong count.
        ends.retain(|end| text.is_char_boundary(*end));
        if !ends.is_sorted() {
            ends.sort_unstable();
        }
        Self {
            text,
            ends,
            blanks: long_blanks(text),
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// How many units a span has, one that it cuts off included.
    #[must_use]
    pub fn size(&self, span: &Range<usize>) -> usize {
        let (first, through) = (self.through(span.start), self.through(span.end));
        let whole = through.checked_sub(1).map_or(0, |last| self.ends[last]);
        through - first + usize::from(self.has_words(whole.max(span.start)..span.end))
    }

    /// Whether anything but blanks stands there.
    fn has_words(&self, span: Range<usize>) -> bool {
        let mut at = span.start;
        while at < span.end {
            let next = self.blanks.partition_point(|run| run.end <= at);
            if let Some(run) = self.blanks.get(next).filter(|run| run.start <= at) {
                at = run.end;
                continue;
            }
            match self.text[at..].chars().next() {
                Some(sign) if sign.is_whitespace() => at += sign.len_utf8(),
                _ => return true,
            }
        }
        false
    }

    /// Windows of so many units over a span, each of which begins with the last ones of that before it.
    pub(super) fn windows(
        &self,
        span: &Range<usize>,
        size: usize,
        overlap: usize,
    ) -> Vec<Range<usize>> {
        let step = size - overlap.min(size - 1);
        let (first, last) = (self.through(span.start), self.through(span.end));
        let mut windows = Vec::new();
        let mut at = first;
        while at < last {
            let end = (at + size).min(last);
            let start = if at == first {
                span.start
            } else {
                self.ends[at - 1]
            };
            let stop = if end == last {
                span.end
            } else {
                self.ends[end - 1]
            };
            windows.push(start..stop);
            if end == last {
                break;
            }
            at += step;
        }
        windows
    }

    /// How many units end at or before a byte.
    fn through(&self, at: usize) -> usize {
        self.ends.partition_point(|end| *end <= at)
    }
}

/// The runs of blanks that are worth being jumped over.
fn long_blanks(text: &str) -> Vec<Range<usize>> {
    const LONG: usize = 32;
    let mut runs = Vec::new();
    let mut start = None;
    for (at, sign) in text.char_indices() {
        if sign.is_whitespace() {
            start.get_or_insert(at);
        } else if let Some(start) = start.take().filter(|start| at - start >= LONG) {
            runs.push(start..at);
        }
    }
    let last = start.filter(|start| text.len() - start >= LONG);
    runs.extend(last.map(|start| start..text.len()));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_blanks_is_seen_however_many_there_are() {
        for count in [0, 1, 31, 32, 33, 500] {
            let blanks = "\u{3000}\n ".repeat(count);
            let text = format!("{blanks}a{blanks}?{blanks}");
            // A measure that counts nothing: what has words is one unit that was cut off.
            struct Nothing;
            impl Measure for Nothing {
                fn ends(&self, _: &str) -> Vec<usize> {
                    Vec::new()
                }
            }
            let measured = Measured::of(&text, &Nothing);
            let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            for start in borders.iter().step_by(7) {
                for end in borders.iter().skip_while(|end| *end < start).step_by(11) {
                    let words = usize::from(!text[*start..*end].trim().is_empty());
                    assert_eq!(measured.size(&(*start..*end)), words, "{start}..{end}");
                }
            }
        }
    }

    #[test]
    fn words_and_signs_are_units() {
        let text = "two words 岩石 a";
        let ends = Words.ends(text);
        let mut from = 0;
        let mut units = Vec::new();
        for end in ends {
            units.push(text[from..end].trim());
            from = end;
        }
        assert_eq!(units, ["two", "words", "岩", "石", "a"]);
        assert_eq!(Characters.ends("aä").len(), 2);
        assert!(Words.ends(" \n").is_empty());
    }

    #[test]
    fn windows_overlap_and_leave_nothing_out() {
        let text = "a b c d e f g";
        let measured = Measured::of(text, &Words);
        let windows = measured.windows(&(0..text.len()), 3, 1);
        let texts: Vec<_> = windows.into_iter().map(|span| text[span].trim()).collect();
        assert_eq!(texts, ["a b c", "c d e", "e f g"]);
        // An overlap of the whole size would stand still.
        assert_eq!(measured.windows(&(0..text.len()), 3, 9).len(), 5);
    }

    #[test]
    fn a_wrong_measure_cuts_no_character() {
        struct Wrong;
        impl Measure for Wrong {
            fn ends(&self, _: &str) -> Vec<usize> {
                vec![3, 1, 2, 99]
            }
        }
        assert_eq!(Measured::of("äb", &Wrong).ends, [2, 3]);
    }
}
