//! SentencePiece's Unigram, as XLM-R has it: the likeliest pieces of each word, blanks written as `▁`.

use super::charsmap;
use crate::error::{Cause, ModelError};
use crate::local::files::malformed;
use crate::local::settings::Check;
use serde::Deserialize;
use tokenizers::models::unigram::Unigram;
use tokenizers::normalizers::replace::ReplacePattern;
use tokenizers::normalizers::{NormalizerWrapper, Replace, Sequence, Strip};
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::pre_tokenizers::sequence::Sequence as CutSequence;
use tokenizers::pre_tokenizers::whitespace::WhitespaceSplit;
use tokenizers::{PreTokenizerWrapper, Tokenizer};

/// The blank of SentencePiece.
const BLANK: char = '▁';

/// The clean-up before.
#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum Normalizer {
    Precompiled {
        precompiled_charsmap: String,
    },
    Replace {
        pattern: ReplacePattern,
        content: String,
    },
    Strip {
        strip_left: bool,
        strip_right: bool,
    },
    Sequence {
        normalizers: Vec<Normalizer>,
    },
}

/// What are words.
#[derive(Deserialize)]
#[serde(tag = "type")]
pub(super) enum Words {
    WhitespaceSplit,
    Metaspace {
        replacement: char,
        prepend_scheme: Option<PrependScheme>,
        add_prefix_space: Option<bool>,
        split: Option<bool>,
    },
    Sequence {
        pretokenizers: Vec<Words>,
    },
}

#[derive(Deserialize)]
pub(super) struct Pieces {
    vocab: Vec<(String, f64)>,
    unk_id: Option<usize>,
    #[serde(default)]
    byte_fallback: bool,
}

pub(super) fn build(
    pieces: Pieces,
    normalizer: Option<Normalizer>,
    words: Words,
    check: &Check<'_>,
) -> Result<(Tokenizer, Option<u32>), ModelError> {
    let wrong = |source: Cause| malformed(check.path, source);
    check.only("byte_fallback", pieces.byte_fallback, false)?;
    let known = pieces.vocab.len();
    // Without it some text would be an error.
    let unknown = pieces.unk_id.filter(|unknown| *unknown < known);
    let found = pieces.unk_id.map_or(-1, |unknown| unknown as i64);
    let supported = "a token of the vocabulary";
    check.that("unk_id", found, unknown.is_some(), supported)?;
    let unigram = Unigram::from(pieces.vocab, unknown, false).map_err(wrong)?;
    let mut tokenizer = Tokenizer::new(unigram);
    if let Some(normalizer) = normalizer {
        let normalizer = clean(normalizer, check)?;
        tokenizer.with_normalizer(Some(normalizer)).map_err(wrong)?;
    }
    tokenizer.with_pre_tokenizer(Some(cut(words, check)?));
    Ok((tokenizer, unknown.map(|unknown| unknown as u32)))
}

fn clean(normalizer: Normalizer, check: &Check<'_>) -> Result<NormalizerWrapper, ModelError> {
    let wrong = |source: Cause| malformed(check.path, source);
    Ok(match normalizer {
        Normalizer::Precompiled {
            precompiled_charsmap,
        } => {
            let map = charsmap::read(&precompiled_charsmap);
            map.map_err(|problem| wrong(problem.into()))?.into()
        }
        Normalizer::Replace { pattern, content } => {
            // A pattern of the file's own could take for ever.
            const BLANKS: &str = " {2,}";
            let known = matches!(&pattern, ReplacePattern::Regex(pattern) if pattern == BLANKS);
            let known = known && (content == " " || content == BLANK.to_string());
            let supported = "blanks by one blank";
            check.that("what is replaced", content.as_str(), known, supported)?;
            Replace::new(pattern, content).map_err(wrong)?.into()
        }
        Normalizer::Strip {
            strip_left,
            strip_right,
        } => Strip::new(strip_left, strip_right).into(),
        Normalizer::Sequence { normalizers } => {
            let steps = normalizers.into_iter().map(|step| clean(step, check));
            Sequence::new(steps.collect::<Result<_, _>>()?).into()
        }
    })
}

fn cut(words: Words, check: &Check<'_>) -> Result<PreTokenizerWrapper, ModelError> {
    Ok(match words {
        Words::WhitespaceSplit => WhitespaceSplit.into(),
        Words::Metaspace {
            replacement,
            prepend_scheme,
            add_prefix_space,
            split,
        } => {
            check.only("replacement", replacement, BLANK)?;
            let scheme = match (prepend_scheme, add_prefix_space) {
                (Some(scheme), _) => scheme,
                (None, Some(false)) => PrependScheme::Never,
                (None, _) => PrependScheme::Always,
            };
            Metaspace::new(BLANK, scheme, split.unwrap_or(true)).into()
        }
        Words::Sequence { pretokenizers } => {
            let steps = pretokenizers.into_iter().map(|step| cut(step, check));
            CutSequence::new(steps.collect::<Result<_, _>>()?).into()
        }
    })
}
