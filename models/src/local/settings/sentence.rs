//! The files of sentence-transformers: which steps make one vector of the tokens, how many tokens are read, and
//! what is put before a text.

use super::{Check, MOST_TOKENS, Shape};
use crate::error::ModelError;
use crate::local::files::Files;
use crate::prompts::Prompts;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// Their mean.
    Mean,
    /// The first token's, which is the one that was put before the text.
    First,
    /// The last token's, which is the one that was put behind it.
    Last,
}

/// How a model is used for whole texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) pooling: Pooling,
    /// How many tokens of a text are read, those that are added included.
    pub(crate) max_tokens: usize,
    pub(crate) prompts: Prompts,
}

/// One step of `modules.json`.
#[derive(Deserialize)]
struct Module {
    path: String,
    r#type: String,
}

/// `sentence_bert_config.json`.
#[derive(Deserialize)]
struct Limits {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

/// `tokenizer_config.json`, as far as it concerns us. Who knows no limit wrote 10^30.
#[derive(Deserialize)]
struct Tokenizer {
    model_max_length: Option<f64>,
}

/// `1_Pooling/config.json`. All modes are off unless named.
#[derive(Deserialize)]
struct PoolingFile {
    word_embedding_dimension: usize,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default = "yes")]
    include_prompt: bool,
}

fn yes() -> bool {
    true
}

/// `config_sentence_transformers.json`.
#[derive(Default, Deserialize)]
struct PromptsFile {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

impl Sentence {
    /// Reads and checks all of them. The names are what the model is called, here and where it was made.
    pub(crate) fn read(files: &Files, shape: &Shape, names: &[&str]) -> Result<Self, ModelError> {
        let pooling = Pooling::read(files, &steps(files)?, shape)?;
        let path = files.path("config_sentence_transformers.json");
        let file: PromptsFile = files
            .json_if_any("config_sentence_transformers.json")?
            .unwrap_or_default();
        let check = Check { path: &path };
        let prompts = Prompts::choose(&file.prompts, file.default_prompt_name.as_deref(), names);
        prompts.check(&check)?;
        Ok(Self {
            pooling,
            max_tokens: max_tokens(files, shape)?,
            prompts,
        })
    }

    /// Eight digits that are others for other settings.
    pub(crate) fn fingerprint(&self) -> String {
        self.prompts.fingerprint(self.max_tokens)
    }
}

/// How many tokens are read: what the files say, and never more than the model tells apart.
pub(crate) fn max_tokens(files: &Files, shape: &Shape) -> Result<usize, ModelError> {
    let most = shape.places().min(MOST_TOKENS);
    let path = files.path("sentence_bert_config.json");
    let limits: Option<Limits> = files.json_if_any("sentence_bert_config.json")?;
    if let Some(limits) = limits {
        let check = Check { path: &path };
        check.only("do_lower_case", limits.do_lower_case, false)?;
        if let Some(tokens) = limits.max_seq_length {
            // Three: the two tokens that are added, and one of the text.
            let fits = (3..=shape.places()).contains(&tokens);
            let supported = "3 to the places that the model tells apart";
            check.that("max_seq_length", tokens, fits, supported)?;
            return Ok(tokens.min(MOST_TOKENS));
        }
    }
    let tokenizer: Option<Tokenizer> = files.json_if_any("tokenizer_config.json")?;
    let said = tokenizer.and_then(|tokenizer| tokenizer.model_max_length);
    let said = said.filter(|said| (3.0..=most as f64).contains(said));
    let tokens = said.map_or(most, |said| said as usize);
    let path = files.path("config.json");
    let check = Check { path: &path };
    check.that("max_position_embeddings", tokens, tokens >= 3, "3 or more")?;
    Ok(tokens)
}

/// The folder of the pooling step, after all steps were checked. A model without `modules.json` has the usual one.
fn steps(files: &Files) -> Result<String, ModelError> {
    const FILE: &str = "modules.json";
    let modules: Option<Vec<Module>> = files.json_if_any(FILE)?;
    let mut pooling = "1_Pooling".to_owned();
    let path = files.path(FILE);
    let check = Check { path: &path };
    for module in modules.into_iter().flatten() {
        // Sentence-transformers has moved its classes about; their own names stayed.
        match module.r#type.rsplit('.').next().unwrap_or_default() {
            "Transformer" => check.only("the path of Transformer", module.path.as_str(), "")?,
            "Pooling" => {
                // It becomes part of a path.
                let plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
                let fits = module.path.len() <= 64 && module.path.chars().all(plain);
                let found = module.path.as_str();
                check.that("the path of Pooling", found, fits, "a folder's plain name")?;
                pooling = module.path;
            }
            // Every row gets length 1 here.
            "Normalize" => {}
            other => {
                return Err(check.refuse("a step", other, "Transformer, Pooling and Normalize"));
            }
        }
    }
    Ok(pooling)
}

impl Pooling {
    fn read(files: &Files, folder: &str, shape: &Shape) -> Result<Self, ModelError> {
        let name = match folder {
            "" => "config.json".to_owned(),
            folder => format!("{folder}/config.json"),
        };
        let file: PoolingFile = files.json(&name)?;
        let path = files.path(&name);
        let check = Check { path: &path };
        let dimension = file.word_embedding_dimension;
        check.only("word_embedding_dimension", dimension, shape.hidden())?;
        for (setting, on) in [
            ("pooling_mode_max_tokens", file.pooling_mode_max_tokens),
            (
                "pooling_mode_mean_sqrt_len_tokens",
                file.pooling_mode_mean_sqrt_len_tokens,
            ),
            (
                "pooling_mode_weightedmean_tokens",
                file.pooling_mode_weightedmean_tokens,
            ),
        ] {
            check.only(setting, on, false)?;
        }
        check.only("include_prompt", file.include_prompt, true)?;
        let modes = [
            (file.pooling_mode_mean_tokens, Self::Mean),
            (file.pooling_mode_cls_token, Self::First),
            (file.pooling_mode_lasttoken, Self::Last),
        ];
        let on: Vec<Self> = modes
            .into_iter()
            .filter_map(|(on, mode)| on.then_some(mode))
            .collect();
        match on[..] {
            [one] => Ok(one),
            _ => Err(check.refuse(
                "pooling_mode",
                format!("{} modes at once", on.len()),
                "one of mean_tokens, cls_token and lasttoken",
            )),
        }
    }
}
