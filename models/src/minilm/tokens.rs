//! Texts to token ids, exactly as the model was trained: BERT's clean-up, then WordPiece.
//!
//! Of `tokenizer.json` only the parts of BERT are taken, each checked. Its padding and truncation are
//! left alone on purpose: the file was saved with some other length than the model is used with. No
//! text is read further than its first tokens need, however long it is.

use crate::error::{Cause, ModelError};
use crate::minilm::settings::{self, Check, Settings};
use serde::Deserialize;
use std::path::Path;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{AddedToken, Model, Tokenizer};

/// How much of a text is looked at first. The 254 tokens of MiniLM are 1 to 2 KiB of most languages.
const FIRST_PORTION: usize = 4 << 10;
/// Where looking ends, tokens or not: only what is no language has so few tokens in so many bytes,
/// and the tokenizer needs many times the memory of what it reads.
const LAST_PORTION: usize = 1 << 20;

/// `tokenizer.json`, as far as it concerns us.
#[derive(Deserialize)]
struct File {
    model: WordPiece,
    normalizer: Normalizer,
    pre_tokenizer: Typed,
    post_processor: Template,
    #[serde(default)]
    added_tokens: Vec<Added>,
}

#[derive(Deserialize)]
struct Typed {
    r#type: String,
}

#[derive(Deserialize)]
struct Normalizer {
    r#type: String,
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    lowercase: bool,
}

#[derive(Deserialize)]
struct Template {
    r#type: String,
    single: Vec<Piece>,
}

/// What stands around a text.
#[derive(Deserialize, PartialEq)]
enum Piece {
    SpecialToken { id: String },
    Sequence { id: String },
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
    single_word: bool,
    lstrip: bool,
    rstrip: bool,
    normalized: bool,
    special: bool,
}

/// Cuts texts into token ids.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    start: u32,
    end: u32,
    /// How many ids come out at most, start and end included.
    most: usize,
}

impl Tokens {
    /// Reads and checks the folder's `tokenizer.json`.
    pub(crate) fn read(folder: &Path, settings: &Settings) -> Result<Self, ModelError> {
        let path = folder.join("tokenizer.json");
        let file: File = settings::json(&path)?;
        let check = Check { path: &path };
        let kind = file.normalizer.r#type.as_str();
        check.only("normalizer", kind, "BertNormalizer")?;
        let kind = file.pre_tokenizer.r#type.as_str();
        check.only("pre_tokenizer", kind, "BertPreTokenizer")?;
        let template = file.post_processor;
        let kind = template.r#type.as_str();
        check.only("post_processor", kind, "TemplateProcessing")?;
        // Comparing a word's pieces takes the square of its length.
        let longest = file.model.max_input_chars_per_word;
        let fits = (1..=1000).contains(&longest);
        check.that("max_input_chars_per_word", longest, fits, "1 to 1000")?;
        let vocabulary = file.model.get_vocab();
        let largest = vocabulary.values().copied().max().unwrap_or(u32::MAX);
        // Each id is the place of a row in the embedding table.
        let fits = (largest as usize) < settings.vocabulary;
        check.that("the largest id", largest, fits, "an id below vocab_size")?;
        let unknown = &file.model.unk_token;
        let known = vocabulary.contains_key(unknown);
        check.that("unk_token", unknown, known, "a token of the vocabulary")?;
        let [
            Piece::SpecialToken { id: start },
            Piece::Sequence { .. },
            Piece::SpecialToken { id: end },
        ] = &template.single[..]
        else {
            let found = format!("{} pieces", template.single.len());
            let supported = "a token, the text, a token";
            return Err(check
                .that("post_processor", &found, false, supported)
                .unwrap_err());
        };
        let id = |token: &String| {
            vocabulary.get(token).copied().ok_or_else(|| {
                settings::malformed(&path, format!("{token:.80} is not in the vocabulary"))
            })
        };
        let (start, end) = (id(start)?, id(end)?);
        let mut special = Vec::new();
        for token in file.added_tokens {
            let agrees = vocabulary.get(&token.content) == Some(&token.id);
            check.that(
                "added_tokens",
                &token.content,
                agrees,
                "tokens of the vocabulary",
            )?;
            special.push(
                AddedToken::from(token.content, token.special)
                    .single_word(token.single_word)
                    .lstrip(token.lstrip)
                    .rstrip(token.rstrip)
                    .normalized(token.normalized),
            );
        }
        let wrong = |source: Cause| settings::malformed(&path, source);
        let mut tokenizer = Tokenizer::new(file.model);
        tokenizer
            .with_normalizer(Some(BertNormalizer::new(
                file.normalizer.clean_text,
                file.normalizer.handle_chinese_chars,
                file.normalizer.strip_accents,
                file.normalizer.lowercase,
            )))
            .map_err(wrong)?
            .with_pre_tokenizer(Some(BertPreTokenizer));
        tokenizer.add_special_tokens(special).map_err(wrong)?;
        Ok(Self {
            tokenizer,
            start,
            end,
            most: settings.max_tokens,
        })
    }

    /// The ids of a text, between the two that frame it. Never empty and never more than the limit.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, Cause> {
        let room = self.most.saturating_sub(2);
        let mut portion = FIRST_PORTION;
        let encoding = loop {
            let part = beginning(text, portion);
            let encoding = self.tokenizer.encode_fast(part, false)?;
            let enough = encoding.get_ids().len() >= room || part.len() == text.len();
            if enough || portion >= LAST_PORTION {
                break encoding;
            }
            portion *= 4;
        };
        let inner = encoding.get_ids();
        let mut ids = Vec::with_capacity(inner.len().min(room) + 2);
        ids.push(self.start);
        ids.extend(inner.iter().take(room));
        ids.push(self.end);
        Ok(ids)
    }
}

/// About so many bytes from the front of a text, up to white space, so that no word is cut. What
/// comes behind white space has no influence on the tokens before it.
fn beginning(text: &str, portion: usize) -> &str {
    if text.len() <= portion {
        return text;
    }
    let part = &text[..text.floor_char_boundary(portion)];
    match part.rfind(char::is_whitespace) {
        Some(end) if end > 0 => &part[..end],
        // One endless word: it is an unknown one, cut or not.
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
}
