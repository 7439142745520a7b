//! `tokenizer.json`: which kind of tokenizer it is, and the parts that all kinds share.

use super::frame::{Frame, PostProcessor, Which};
use super::{bytes, unigram, wordpiece};
use crate::error::{Cause, ModelError};
use crate::local::files::{Files, malformed};
use crate::local::settings::Check;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokenizers::{AddedToken, Tokenizer};

pub(super) const FILE: &str = "tokenizer.json";

/// The parts that all kinds share, and the kind.
#[derive(Deserialize)]
struct File {
    model: Typed,
    post_processor: Option<PostProcessor>,
    #[serde(default)]
    added_tokens: Vec<Added>,
}

#[derive(Deserialize)]
struct Typed {
    r#type: String,
}

/// The parts that each kind has for itself.
#[derive(Deserialize)]
struct Own<M, N, P> {
    model: M,
    normalizer: N,
    pre_tokenizer: P,
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

/// What was read.
pub(super) struct Read {
    pub(super) tokenizer: Tokenizer,
    pub(super) single: Frame,
    pub(super) pair: Option<Frame>,
    pub(super) unknown: Option<u32>,
}

pub(super) fn read(files: &Files, vocabulary: usize) -> Result<Read, ModelError> {
    let file: File = files.json(FILE)?;
    let path = files.path(FILE);
    let check = Check { path: &path };
    let (mut tokenizer, unknown) = match file.model.r#type.as_str() {
        "WordPiece" => own(files, |model, clean, cut| {
            wordpiece::build(model, &clean, &cut, &check)
        }),
        "Unigram" => own(files, |model, clean, cut| {
            unigram::build(model, clean, cut, &check)
        }),
        "BPE" => own(files, |model, clean: Option<_>, cut| {
            bytes::build(model, clean.as_ref(), &cut, &check)
        }),
        other => Err(check.refuse("the tokenizer", other, "WordPiece, Unigram or BPE")),
    }?;
    add(&mut tokenizer, file.added_tokens, &check)?;
    // Each id is the place of a row in the embedding table.
    let known = tokenizer.get_vocab(true);
    let largest = known.values().copied().max().unwrap_or(u32::MAX);
    let fits = (largest as usize) < vocabulary;
    check.that("the largest id", largest, fits, "an id below vocab_size")?;
    let id = |token: &str| tokenizer.token_to_id(token);
    let templates = file.post_processor.and_then(PostProcessor::templates);
    let (single, pair) = match templates {
        Some(templates) => templates,
        // The first files of these models leave it to their users to add it.
        None if id(bytes::END).is_some() => (bytes::ended(), Vec::new()),
        None => {
            let supported = "a template around the text";
            return Err(check.refuse("post_processor", "without a template", supported));
        }
    };
    let wrong = |problem: String| malformed(&path, problem);
    let single = Frame::new(&single, &[Which::A], id).map_err(wrong)?;
    let pair = (!pair.is_empty())
        .then(|| Frame::new(&pair, &[Which::A, Which::B], id).map_err(wrong))
        .transpose()?;
    let kind = single.largest_kind();
    check.only("the type_id of a single text", kind, 0)?;
    Ok(Read {
        tokenizer,
        single,
        pair,
        unknown,
    })
}

/// The file once more, for the parts that only its kind has: read as what they are, and nothing else is kept.
fn own<M: DeserializeOwned, N: DeserializeOwned, P: DeserializeOwned>(
    files: &Files,
    build: impl FnOnce(M, N, P) -> Result<(Tokenizer, Option<u32>), ModelError>,
) -> Result<(Tokenizer, Option<u32>), ModelError> {
    let own: Own<M, N, P> = files.json(FILE)?;
    build(own.model, own.normalizer, own.pre_tokenizer)
}

/// Tokens that are recognised in texts before all others.
fn add(
    tokenizer: &mut Tokenizer,
    mut added: Vec<Added>,
    check: &Check<'_>,
) -> Result<(), ModelError> {
    // Those that the vocabulary lacks get the ids behind it in the order in which they come.
    added.sort_by_key(|token| token.id);
    let ids: Vec<(String, u32)> = added
        .iter()
        .map(|token| (token.content.clone(), token.id))
        .collect();
    let tokens = added.into_iter().map(|token| {
        AddedToken::from(token.content, token.special)
            .single_word(token.single_word)
            .lstrip(token.lstrip)
            .rstrip(token.rstrip)
            .normalized(token.normalized)
    });
    let tokens: Vec<AddedToken> = tokens.collect();
    let wrong = |source: Cause| malformed(check.path, source);
    tokenizer.add_special_tokens(tokens).map_err(wrong)?;
    for (token, id) in &ids {
        let agrees = tokenizer.token_to_id(token) == Some(*id);
        let supported = "tokens of the vocabulary, or with the ids behind it";
        check.that("added_tokens", token, agrees, supported)?;
    }
    Ok(())
}
