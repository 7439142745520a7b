//! Chinese words, by the dictionary of ICU.
//!
//! The dictionary divides a run of Han where it knows words; a run that it does not know falls into characters.
//! Words are for ranking only: that nothing is missed is what characters and pairs are for, so that a word
//! divided one way in a text and another way in a query is still found.

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use std::cell::OnceCell;
use std::ops::Range;

thread_local! {
    static DICTIONARY: OnceCell<WordSegmenterBorrowed<'static>> = const { OnceCell::new() };
}

/// The words of a run of Han, in order, with their places in it.
pub(super) fn words(run: &str) -> Vec<Range<usize>> {
    DICTIONARY.with(|dictionary| {
        let segmenter = dictionary
            .get_or_init(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));
        let mut begin = 0;
        let ends = segmenter.segment_str(run).filter(|end| *end > 0);
        ends.map(|end| std::mem::replace(&mut begin, end)..end)
            .collect()
    })
}
