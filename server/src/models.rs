//! The models that documents are read with, as the settings name them.
//!
//! The key of a model is in the environment of the process and nowhere else: no setting holds it, so no file, no list
//! of settings and no log can show it.

use crate::config::Config;
use std::sync::Arc;
use stratigraph_models::{Configured, ModelError, Prices, embedder_called};
use stratigraph_rag::door::Equipment;
use stratigraph_rag::read::PdfParsing;

/// The models of a server. An embedder behind an address is asked how wide its vectors are, unless a setting says it. Where
/// no setting names an embedder, each database is opened with its own, as the command line does it.
pub(crate) fn equipment(config: &Config, pdf: Option<PdfParsing>) -> Result<Equipment, ModelError> {
    let key = |variable: &str| std::env::var(variable).ok();
    let calls = config.model_calls as usize;
    let configured = Configured {
        embedder: config.embedder.clone(),
        embedder_model: config.embedder_model.clone(),
        embedder_dimensions: some(config.embedder_dimensions).map(|count| count as usize),
        embedder_question_prompt: config.embedder_question_prompt.clone(),
        embedder_passage_prompt: config.embedder_passage_prompt.clone(),
        llm: config.llm.clone(),
        model: config.model.clone(),
        calls,
        most_tokens: some(config.max_model_tokens),
        prices: prices(config),
        reranker: config.reranker.clone(),
        reranker_model: config.reranker_model.clone(),
        timeout: Some(config.model_timeout.0),
    };
    let mut equipment = Equipment::default().embedder(configured.embedder(&key)?);
    if config.embedder.is_none() {
        equipment = equipment.embedder_by_name(embedder_called);
    }
    if let Some(model) = configured.chat(&key)? {
        equipment = equipment.model(Arc::new(model), calls);
    }
    if let Some(reranker) = configured.reranker(&key)? {
        equipment = equipment.reranker(reranker);
    }
    if let Some(parsing) = pdf {
        equipment = equipment.pdf(parsing);
    }
    Ok(equipment)
}

/// What the tokens of the model cost, if that was said.
pub(crate) fn prices(config: &Config) -> Option<Prices> {
    let prices = config.model_prices.0;
    (prices != Prices::default()).then_some(prices)
}

/// Nothing was said where it is 0.
fn some<N: Default + PartialEq>(number: N) -> Option<N> {
    (number != N::default()).then_some(number)
}
