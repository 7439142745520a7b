//! Models that make vectors, by OpenAI's `embeddings`.
//!
//! What comes back is checked before anybody computes with it: as many vectors as texts, each for its text,
//! of the width that was said, made of numbers, and of some length. They are scaled to length 1.

use super::http::{Http, usage};
use crate::embedder::{Embedder, Rows};
use crate::error::ModelError;
use crate::prompts::Prompts;
use serde_json::{Value, json};
use std::sync::Arc;

const PATH: &str = "/embeddings";

/// A model behind an address that makes vectors.
#[derive(Clone, Debug)]
pub struct EmbeddingModel {
    http: Arc<Http>,
    model: String,
    /// The model, and of prompts that are not its family's their fingerprint.
    name: String,
    dimensions: usize,
    max_tokens: usize,
    batch: usize,
    prompts: Prompts,
}

impl EmbeddingModel {
    pub(super) fn new(http: Arc<Http>, model: &str, dimensions: usize) -> Self {
        Self {
            http,
            model: model.to_owned(),
            name: model.to_owned(),
            dimensions,
            max_tokens: 512,
            batch: 64,
            prompts: Prompts::of_family(model).unwrap_or_default(),
        }
    }

    /// With as many numbers as it gives for a word.
    pub(super) fn measured(http: Arc<Http>, model: &str) -> Result<Self, ModelError> {
        let body = json!({"model": model, "input": ["width"], "encoding_format": "float"});
        let reply = http.call(PATH, &body)?;
        let vector = reply.pointer("/data/0/embedding").and_then(Value::as_array);
        let dimensions = vector.map_or(0, Vec::len);
        if dimensions == 0 {
            let problem = format!(
                "gave no vector when `{model}` was asked how many numbers its vectors have"
            );
            return Err(http.failed(None, problem, None));
        }
        Ok(Self::new(http, model, dimensions))
    }

    /// How many tokens of a text the model reads; 512 unless something else is said.
    #[must_use]
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// How many texts go into one call; 64 unless something else is said.
    #[must_use]
    pub fn batch(mut self, texts: usize) -> Self {
        self.batch = texts.max(1);
        self
    }

    /// What is put before a question, such as `query: ` for e5; if nothing is said what is known of the model's family by
    /// its name, and nothing for others. Prompts that are not the family's make other vectors, and another name.
    #[must_use]
    pub fn question_prompt(mut self, prompt: &str) -> Self {
        prompt.clone_into(&mut self.prompts.question);
        self.named()
    }

    /// What is put before a passage, such as `passage: ` for e5; as for a question.
    #[must_use]
    pub fn passage_prompt(mut self, prompt: &str) -> Self {
        prompt.clone_into(&mut self.prompts.passage);
        self.named()
    }

    fn named(mut self) -> Self {
        self.name.clone_from(&self.model);
        if self.prompts != Prompts::of_family(&self.model).unwrap_or_default() {
            let fingerprint = self.prompts.fingerprint("");
            self.name = format!("{}#{fingerprint}", self.model);
        }
        self
    }

    fn embed_with(&self, prompt: &str, texts: &[&str]) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), self.dimensions)?;
        let mut tokens = 0;
        let mut places: Vec<&mut [f32]> = rows.iter_mut().collect();
        for (texts, rows) in texts.chunks(self.batch).zip(places.chunks_mut(self.batch)) {
            if prompt.is_empty() {
                tokens += self.fill(texts, rows)?;
                continue;
            }
            let texts: Vec<String> = texts.iter().map(|text| format!("{prompt}{text}")).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            tokens += self.fill(&texts, rows)?;
        }
        // Where nobody counts there is no count in the reply.
        Ok(rows.counted(Some(tokens).filter(|tokens| *tokens > 0)))
    }

    /// Asks for some rows; returns how many tokens were read, as the endpoint counts them.
    fn fill(&self, texts: &[&str], rows: &mut [&mut [f32]]) -> Result<u64, ModelError> {
        let body = json!({"model": self.model, "input": texts, "encoding_format": "float"});
        let reply = self.http.call(PATH, &body)?;
        let wrong = |problem: String| self.http.failed(None, problem, None);
        let data = reply.get("data").and_then(Value::as_array);
        let data = data.ok_or_else(|| wrong("gave a reply without data".to_owned()))?;
        if data.len() != texts.len() {
            return Err(wrong(format!(
                "gave {} vectors for {} texts",
                data.len(),
                texts.len()
            )));
        }
        let mut filled = vec![false; rows.len()];
        for (place, item) in data.iter().enumerate() {
            let index = item
                .get("index")
                .and_then(Value::as_u64)
                .map_or(place, |index| index as usize);
            if filled.get(index) != Some(&false) {
                return Err(wrong(format!(
                    "gave a vector for text {index}, which is not there or has one"
                )));
            }
            filled[index] = true;
            let vector = item
                .get("embedding")
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice);
            if vector.len() != self.dimensions {
                return Err(wrong(format!(
                    "gave a vector of {} numbers, but `{}` was said to have {}",
                    vector.len(),
                    self.model,
                    self.dimensions
                )));
            }
            let row = &mut *rows[index];
            for (to, from) in row.iter_mut().zip(vector) {
                *to = from.as_f64().map_or(f32::NAN, |from| from as f32);
            }
            let length = row
                .iter()
                .map(|value| f64::from(*value).powi(2))
                .sum::<f64>()
                .sqrt();
            if !length.is_normal() {
                return Err(wrong("gave a vector that has no direction".to_owned()));
            }
            row.iter_mut()
                .for_each(|value| *value = (f64::from(*value) / length) as f32);
        }
        Ok(usage(&reply).input_tokens)
    }
}

impl Embedder for EmbeddingModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_with(&self.prompts.passage, texts)
    }

    fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embed_with(&self.prompts.question, texts)
    }
}
