//! Texts to token ids, exactly as the model was trained.
//!
//! Of `tokenizer.json` only parts that are known are taken, each checked (`file.rs`). Its padding and truncation are
//! left alone on purpose: the file was saved with some other length than the model is used with. No
//! text is read further than its first tokens need, however long it is. What stands around a text is in `frame.rs`.

mod bytes;
mod charsmap;
mod file;
mod frame;
mod unigram;
mod wordpiece;

use crate::error::{Cause, ModelError};
use crate::local::files::Files;
use crate::local::settings::Check;
use frame::Frame;
pub(crate) use frame::Framed;
use std::borrow::Cow;
use std::ops::Range;
use tokenizers::Tokenizer;

/// How much of a text is looked at first. The 254 tokens of MiniLM are 1 to 2 KiB of most languages.
const FIRST_PORTION: usize = 4 << 10;
/// Where looking ends, tokens or not: only what is no language has so few tokens in so many bytes,
/// and the tokenizer needs many times the memory of what it reads.
const LAST_PORTION: usize = 1 << 20;
/// How much of a text is cut into tokens at once to see where they end.
const PORTION_TO_MEASURE: usize = 64 << 10;
/// So many tokens at the end of a portion are not believed: in writing without blanks a portion may end inside a
/// word, and then the tokens before the cut may be others than they would be.
const NEAR_THE_CUT: usize = 64;

/// Cuts texts into token ids.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    single: Frame,
    pair: Option<Frame>,
    /// How many ids come out at most, those of the frame included.
    most: usize,
    /// What stands for what the vocabulary lacks.
    unknown: Option<u32>,
}

impl Tokens {
    /// Reads and checks the `tokenizer.json` of a model with a vocabulary of this size.
    pub(crate) fn read(files: &Files, vocabulary: usize, most: usize) -> Result<Self, ModelError> {
        let read = file::read(files, vocabulary)?;
        // A text may be empty, and its frame is all there is then; and a limit is for the frame as well.
        let around = read.single.length();
        let path = files.path(file::FILE);
        let check = Check { path: &path };
        let supported = "a template with a token of its own, and room for one of the text";
        let fits = (1..most).contains(&around);
        check.that("post_processor", around, fits, supported)?;
        Ok(Self {
            tokenizer: read.tokenizer,
            single: read.single,
            pair: read.pair,
            most,
            unknown: read.unknown,
        })
    }

    /// How many ids come out at most.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// How many of them can be of a text.
    pub(crate) fn room(&self) -> usize {
        self.most.saturating_sub(self.single.length())
    }

    /// The largest kind that a frame of two texts names, if there is one with some room for each.
    pub(crate) fn pair_kinds(&self) -> Option<u32> {
        let frame = self.pair.as_ref();
        let frame = frame.filter(|frame| frame.length() + 2 <= self.most);
        frame.map(Frame::largest_kind)
    }

    /// The ids of a text in its frame, a prompt before it. Never empty and never more than the limit.
    pub(crate) fn single(&self, prompt: &str, text: &str) -> Result<Framed, Cause> {
        let ids = self.ids(prompt, text, self.room())?;
        Ok(self.single.around(&[&ids]))
    }

    /// The same without a prompt, and where among the ids those of the text are.
    pub(crate) fn single_with_place(&self, text: &str) -> Result<(Framed, Range<usize>), Cause> {
        let framed = self.single("", text)?;
        let before = self.single.before();
        let behind = self.single.length() - before;
        let place = before..framed.ids.len() - behind;
        Ok((framed, place))
    }

    /// The ids of a question.
    pub(crate) fn question(&self, text: &str) -> Result<Vec<u32>, Cause> {
        self.ids("", text, self.most)
    }

    /// The ids of a question and a passage in their frame. Of the longer one more is left out.
    pub(crate) fn pair(&self, question: &[u32], passage: &str) -> Result<Framed, Cause> {
        let frame = self.pair.as_ref().unwrap_or(&self.single);
        let room = self.most.saturating_sub(frame.length());
        let passage = self.ids("", passage, room)?;
        let (first, second) = shares(question.len().min(room), passage.len(), room);
        Ok(frame.around(&[&question[..first], &passage[..second]]))
    }

    /// The first ids of a text, at most so many.
    fn ids(&self, prompt: &str, text: &str, room: usize) -> Result<Vec<u32>, Cause> {
        let mut portion = FIRST_PORTION;
        loop {
            let part = beginning(text, portion);
            let whole = match prompt {
                "" => Cow::Borrowed(part),
                prompt => Cow::Owned(format!("{prompt}{part}")),
            };
            let encoding = self.tokenizer.encode_fast(&*whole, false)?;
            let ids = encoding.get_ids();
            let enough = ids.len() >= room + NEAR_THE_CUT || part.len() == text.len();
            if enough || portion >= LAST_PORTION {
                return Ok(ids.iter().copied().take(room).collect());
            }
            portion *= 4;
        }
    }

    /// Where each token of a whole text ends, ascending. It is cut in portions, so that memory does not grow with it.
    pub(crate) fn ends(&self, text: &str) -> Result<Vec<usize>, Cause> {
        let (mut start, mut ends) = (0, Vec::new());
        while start < text.len() {
            let part = beginning(&text[start..], PORTION_TO_MEASURE);
            let encoding = self.tokenizer.encode(part, false)?;
            let offsets = encoding.get_offsets().iter();
            ends.extend(offsets.map(|(_, end)| start + end));
            start += part.len();
        }
        Ok(ends)
    }

    /// The tokens of some text with the bytes that each stands for, and whether it stands for what the vocabulary
    /// lacks. Bytes of blanks may be no token's.
    pub(crate) fn spans(&self, text: &str) -> Result<Vec<Span>, Cause> {
        let encoding = self
            .tokenizer
            .encode(beginning(text, FIRST_PORTION), false)?;
        let spans = encoding.get_ids().iter().zip(encoding.get_offsets());
        let spans = spans.zip(encoding.get_tokens());
        // The blank before a word is said to stand for the word's first letter, which is another token's.
        let spans = spans.filter(|(_, token)| *token != "▁");
        let spans = spans.map(|((id, (start, end)), _)| Span {
            bytes: *start..*end,
            unknown: Some(*id) == self.unknown,
        });
        Ok(spans.collect())
    }
}

/// What a token stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) bytes: std::ops::Range<usize>,
    pub(crate) unknown: bool,
}

/// How much of each of two texts fits: the longer one gives way until both are equally long, then both do.
fn shares(first: usize, second: usize, room: usize) -> (usize, usize) {
    if first + second <= room {
        return (first, second);
    }
    let half = room / 2;
    if first <= second {
        let first = first.min(half);
        (first, room - first)
    } else {
        let second = second.min(half);
        (room - second, second)
    }
}

/// About so many bytes from the front of a text, up to white space, so that no word is cut.
fn beginning(text: &str, portion: usize) -> &str {
    if text.len() <= portion {
        return text;
    }
    let part = &text[..text.floor_char_boundary(portion)];
    match part.rfind(char::is_whitespace) {
        Some(end) if end > 0 => &part[..end],
        _ => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_never_inside_a_letter() {
        assert_eq!(beginning("one two three", 9), "one two");
        assert_eq!(beginning("one two", 100), "one two");
        assert_eq!(beginning("äöü", 3), "ä");
        assert_eq!(beginning(" äöü", 3), " ä");
        assert_eq!(beginning("", 3), "");
    }

    #[test]
    fn the_longer_of_two_texts_gives_way_first() {
        // One token after the other is taken from the longer one, from the second if both are equally long.
        let slowly = |mut first: usize, mut second: usize, room: usize| {
            while first + second > room {
                if first > second {
                    first -= 1;
                } else {
                    second -= 1;
                }
            }
            (first, second)
        };
        for first in 0..20 {
            for second in 0..20 {
                for room in 2..30 {
                    let (a, b) = shares(first, second, room);
                    let (c, d) = slowly(first, second, room);
                    assert_eq!(a + b, c + d, "{first} and {second} in {room}");
                    // Which of two equally long ones has the odd token is a matter of taste.
                    assert!(a.abs_diff(c) <= 1, "{first} and {second} in {room}");
                    assert!(a <= first && b <= second);
                }
            }
        }
    }
}
