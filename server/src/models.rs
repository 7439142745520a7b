//! The models that documents are read with, as the settings name them.
//!
//! The key of a model is in the environment of the process and nowhere else: no setting holds it, so no file, no list
//! of settings and no log can show it.

use crate::config::Config;
use std::sync::Arc;
use stratigraph_models::{ModelError, chat_model_at, embedder_named, reranker_named};
use stratigraph_rag::door::Equipment;
use stratigraph_rag::read::PdfParsing;

/// Where the key of the model is.
const KEY: &str = "STRATIGRAPH_LLM_KEY";

/// The models of a server.
pub(crate) fn equipment(config: &Config, pdf: Option<PdfParsing>) -> Result<Equipment, ModelError> {
    let mut equipment = Equipment::default().embedder(embedder_named(&config.embedder)?);
    if let (Some(url), Some(name)) = (&config.llm, &config.model) {
        let calls = config.model_calls as usize;
        let key = std::env::var(KEY).ok();
        let model = chat_model_at(url, name, calls, key.as_deref())?;
        equipment = equipment.model(Arc::new(model), calls);
    }
    if let Some(name) = &config.reranker {
        equipment = equipment.reranker(reranker_named(name)?);
    }
    if let Some(parsing) = pdf {
        equipment = equipment.pdf(parsing);
    }
    Ok(equipment)
}
