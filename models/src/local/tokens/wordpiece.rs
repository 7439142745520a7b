//! BERT's own: its clean-up of Unicode, then WordPiece.

use crate::error::{Cause, ModelError};
use crate::local::files::malformed;
use crate::local::settings::Check;
use serde::Deserialize;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{Model, Tokenizer};

#[derive(Deserialize)]
pub(super) struct Normalizer {
    r#type: String,
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    lowercase: bool,
}

#[derive(Deserialize)]
pub(super) struct Words {
    r#type: String,
}

pub(super) fn build(
    model: WordPiece,
    normalizer: &Normalizer,
    words: &Words,
    check: &Check<'_>,
) -> Result<(Tokenizer, Option<u32>), ModelError> {
    let kind = normalizer.r#type.as_str();
    check.only("normalizer", kind, "BertNormalizer")?;
    check.only("pre_tokenizer", words.r#type.as_str(), "BertPreTokenizer")?;
    // Comparing a word's pieces takes the square of its length.
    let longest = model.max_input_chars_per_word;
    let fits = (1..=1000).contains(&longest);
    check.that("max_input_chars_per_word", longest, fits, "1 to 1000")?;
    let unknown = model.token_to_id(&model.unk_token);
    let supported = "a token of the vocabulary";
    check.that("unk_token", &model.unk_token, unknown.is_some(), supported)?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer
        .with_normalizer(Some(BertNormalizer::new(
            normalizer.clean_text,
            normalizer.handle_chinese_chars,
            normalizer.strip_accents,
            normalizer.lowercase,
        )))
        .map_err(|source: Cause| malformed(check.path, source))?
        .with_pre_tokenizer(Some(BertPreTokenizer));
    Ok((tokenizer, unknown))
}
