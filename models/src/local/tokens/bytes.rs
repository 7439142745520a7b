//! Pairs of bytes, as Qwen has them: no text is unknown, as every byte is a token.

use super::frame::{Piece, Which};
use crate::error::{Cause, ModelError};
use crate::local::files::malformed;
use crate::local::settings::Check;
use serde::Deserialize;
use std::collections::HashMap;
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
    #[serde(rename = "NFC")]
    Nfc {},
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

/// The model. It is not given to the library before it was looked at: that takes some of it on trust.
#[derive(Deserialize)]
pub(super) struct Pairs {
    vocab: HashMap<String, u32>,
    merges: Vec<Merge>,
    dropout: Option<f32>,
    unk_token: Option<String>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
}

/// Two tokens that become one, in either form that files have.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Two(String, String),
    Line(String),
}

impl Merge {
    fn two(self) -> Option<(String, String)> {
        match self {
            Self::Two(left, right) => Some((left, right)),
            Self::Line(line) => {
                let (left, right) = line.split_once(' ')?;
                Some((left.to_owned(), right.to_owned()))
            }
        }
    }
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
    pairs: Pairs,
    normalizer: Option<&Normalizer>,
    words: &Words,
    check: &Check<'_>,
) -> Result<(Tokenizer, Option<u32>), ModelError> {
    let empty = |text: &Option<String>| text.as_deref().unwrap_or("").is_empty();
    let plain = pairs.dropout.unwrap_or(0.0) == 0.0
        && empty(&pairs.unk_token)
        && empty(&pairs.continuing_subword_prefix)
        && empty(&pairs.end_of_word_suffix)
        && !pairs.byte_fallback
        && !pairs.ignore_merges;
    if !plain {
        let supported =
            "BPE without dropout, unk_token, prefix, suffix, byte_fallback and ignore_merges";
        return Err(check.refuse("the tokenizer", "BPE of another kind", supported));
    }
    let wrong = |source: Cause| malformed(check.path, source);
    let known = &pairs.vocab;
    let merges: Option<Vec<_>> = pairs.merges.into_iter().map(Merge::two).collect();
    let merges = merges.ok_or_else(|| wrong("a merge is not of two tokens".into()))?;
    for (left, right) in &merges {
        let both = format!("{left}{right}");
        if let Some(lacks) = [left, right, &both]
            .into_iter()
            .find(|it| !known.contains_key(*it))
        {
            return Err(wrong(
                format!("{lacks:.80} is not in the vocabulary").into(),
            ));
        }
    }
    let model = BPE::new(pairs.vocab.into_iter().collect(), merges);
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
    let mut tokenizer = Tokenizer::new(model);
    if normalizer.is_some() {
        tokenizer.with_normalizer(Some(NFC)).map_err(wrong)?;
    }
    tokenizer.with_pre_tokenizer(Some(Sequence::new(steps)));
    Ok((tokenizer, None))
}
