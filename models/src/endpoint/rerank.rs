//! Models that judge, by the call `rerank` as Jina, Cohere and those after them have it.
//!
//! What comes back is checked: a score for each passage, once, and a number.

use super::http::Http;
use crate::error::ModelError;
use crate::rerank::{Reranker, ScoreScale};
use serde_json::{Value, json};
use std::sync::Arc;

/// A model behind an address that judges passages.
#[derive(Clone, Debug)]
pub struct RerankModel {
    http: Arc<Http>,
    model: String,
    max_tokens: usize,
    batch: usize,
}

impl RerankModel {
    pub(super) fn new(http: Arc<Http>, model: &str) -> Self {
        Self {
            http,
            model: model.to_owned(),
            max_tokens: 512,
            batch: 100,
        }
    }

    /// How many tokens the model reads of a question and a passage; 512 unless something else is said.
    #[must_use]
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// How many passages go into one call; 100 unless something else is said.
    #[must_use]
    pub fn batch(mut self, passages: usize) -> Self {
        self.batch = passages.max(1);
        self
    }

    fn some(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
        let body = json!({"model": self.model, "query": question, "documents": passages});
        let reply = self.http.call("/rerank", &body)?;
        let wrong = |problem: String| self.http.failed(None, problem, None);
        // Voyage calls them data.
        let results = reply.get("results").or(reply.get("data"));
        let results = results.and_then(Value::as_array);
        let results = results.ok_or_else(|| wrong("gave a reply without results".to_owned()))?;
        let mut scores = vec![None; passages.len()];
        for result in results {
            let index = result.get("index").and_then(Value::as_u64);
            let place = index.and_then(|index| scores.get_mut(usize::try_from(index).ok()?));
            let Some(place @ None) = place else {
                let index = index.map_or("none".to_owned(), |index| index.to_string());
                return Err(wrong(format!(
                    "gave a score for passage {index}, which is not there or has one"
                )));
            };
            let score = result.get("relevance_score").and_then(Value::as_f64);
            let score = score
                .map(|score| score as f32)
                .filter(|score| score.is_finite());
            let score = score.ok_or_else(|| wrong("gave a score that is no number".to_owned()))?;
            *place = Some(score);
        }
        let given = results.len();
        let all: Option<Vec<f32>> = scores.into_iter().collect();
        all.ok_or_else(|| {
            wrong(format!(
                "gave {given} scores for {} passages",
                passages.len()
            ))
        })
    }
}

impl Reranker for RerankModel {
    fn name(&self) -> &str {
        &self.model
    }

    fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    fn scale(&self) -> ScoreScale {
        ScoreScale::Unit
    }

    fn scores(&self, question: &str, passages: &[&str]) -> Result<Vec<f32>, ModelError> {
        let mut scores = Vec::with_capacity(passages.len());
        for some in passages.chunks(self.batch) {
            scores.extend(self.some(question, some)?);
        }
        Ok(scores)
    }
}
