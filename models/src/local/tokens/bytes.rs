//! Pairs of bytes, as Qwen has them: no text is unknown, as every byte is a token.

use super::frame::{Piece, Which};
use crate::error::{Cause, ModelError};
use crate::local::files::malformed;
use crate::local::settings::Check;
use serde::Deserialize;
use tokenizers::models::bpe::BPE;
use tokenizers::normalizers::NFC;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{PreTokenizerWrapper, Tokenizer};

/// What ends a text; its vector is the text's.
pub(super) const END: &str = "<|endoftext|>";
/// What Qwen takes for words. Another pattern could be another meaning, or take for ever.
const WORDS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum Normalizer {
    NFC {},
}

#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum Words {
    Split {
        pattern: SplitPattern,
        behavior: SplitDelimiterBehavior,
        invert: bool,
    },
    ByteLevel {
        add_prefix_space: bool,
        #[serde(default = "yes")]
        use_regex: bool,
    },
    Sequence {
        pretokenizers: Vec<Words>,
    },
}

fn yes() -> bool {
    true
}

/// A text and what ends it.
pub(super) fn ended() -> Vec<Piece> {
    let text = Piece::Sequence {
        id: Which::A,
        type_id: 0,
    };
    let end = Piece::SpecialToken {
        id: END.to_owned(),
        type_id: 0,
    };
    vec![text, end]
}

pub(super) fn build(
    pairs: BPE,
    normalizer: Option<&Normalizer>,
    words: &Words,
    check: &Check<'_>,
) -> Result<(Tokenizer, Option<u32>), ModelError> {
    let plain = pairs.dropout.unwrap_or(0.0) == 0.0
        && pairs.continuing_subword_prefix.as_deref().unwrap_or("") == ""
        && pairs.end_of_word_suffix.as_deref().unwrap_or("") == ""
        && !pairs.byte_fallback;
    if !plain {
        let supported = "BPE without dropout, prefix, suffix and byte_fallback";
        return Err(check.refuse("the tokenizer", "BPE of another kind", supported));
    }
    let wrong = |source: Cause| malformed(check.path, source);
    let Words::Sequence { pretokenizers } = words else {
        return Err(check.refuse("pre_tokenizer", "another", "Split, then ByteLevel"));
    };
    let [
        Words::Split {
            pattern: SplitPattern::Regex(pattern),
            behavior: SplitDelimiterBehavior::Isolated,
            invert: false,
        },
        Words::ByteLevel {
            add_prefix_space: false,
            use_regex: false,
        },
    ] = &pretokenizers[..]
    else {
        return Err(check.refuse("pre_tokenizer", "another", "Split, then ByteLevel"));
    };
    check.only("the pattern of words", pattern.as_str(), WORDS)?;
    let split = Split::new(
        SplitPattern::Regex(WORDS.to_owned()),
        SplitDelimiterBehavior::Isolated,
        false,
    );
    let steps: Vec<PreTokenizerWrapper> = vec![
        split.map_err(wrong)?.into(),
        ByteLevel::new(false, false, false).into(),
    ];
    let mut tokenizer = Tokenizer::new(pairs);
    if normalizer.is_some() {
        tokenizer.with_normalizer(Some(NFC)).map_err(wrong)?;
    }
    tokenizer.with_pre_tokenizer(Some(Sequence::new(steps)));
    Ok((tokenizer, None))
}
