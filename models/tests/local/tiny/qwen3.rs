//! A tiny Qwen3, and a second one in plain loops: `f64`, one text at a time, after the definition alone.

use super::loops::Matrix;
use super::{HIDDEN, LAYERS, Tiny, WIDE};
use serde_json::json;
use std::collections::BTreeMap;

pub(crate) const ASKING: usize = 4;
pub(crate) const ASKED: usize = 2;
pub(crate) const SIZE: usize = 6;
const SLOWNESS: f64 = 50.0;
const TOKENS: [&str; 12] = [
    "o", "n", "e", "t", "w", "Ġ", "on", "one", "tw", "two", "Ġone", "Ġtwo",
];
/// The id of what ends a text.
pub(crate) const END: usize = TOKENS.len();
/// The pattern that Qwen calls words.
const PATTERN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

impl Tiny {
    /// Random weights, the same for the same seed.
    pub(crate) fn qwen3(seed: u64) -> Self {
        let mut tiny = Self::new(seed);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut tensors = BTreeMap::new();
        let mut add = |name: String, shape: &[usize], middle: f32| {
            let count: usize = shape.iter().product();
            let numbers = (0..count).map(|_| middle + random.f32() - 0.5).collect();
            tensors.insert(name, (shape.to_vec(), numbers));
        };
        add("embed_tokens.weight".into(), &[END + 1, HIDDEN], 0.0);
        add("norm.weight".into(), &[HIDDEN], 1.0);
        for layer in 0..LAYERS {
            let mut add = |part: &str, shape: &[usize], middle: f32| {
                add(format!("layers.{layer}.{part}.weight"), shape, middle);
            };
            add("self_attn.q_proj", &[ASKING * SIZE, HIDDEN], 0.0);
            add("self_attn.k_proj", &[ASKED * SIZE, HIDDEN], 0.0);
            add("self_attn.v_proj", &[ASKED * SIZE, HIDDEN], 0.0);
            add("self_attn.o_proj", &[HIDDEN, ASKING * SIZE], 0.0);
            add("self_attn.q_norm", &[SIZE], 1.0);
            add("self_attn.k_norm", &[SIZE], 1.0);
            add("mlp.gate_proj", &[WIDE, HIDDEN], 0.0);
            add("mlp.up_proj", &[WIDE, HIDDEN], 0.0);
            add("mlp.down_proj", &[HIDDEN, WIDE], 0.0);
            add("input_layernorm", &[HIDDEN], 1.0);
            add("post_attention_layernorm", &[HIDDEN], 1.0);
        }
        tiny.tensors = tensors;
        tiny.config = json!({"model_type": "qwen3", "hidden_act": "silu", "vocab_size": END + 1,
            "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": ASKING,
            "num_key_value_heads": ASKED, "head_dim": SIZE, "intermediate_size": WIDE,
            "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "rope_theta": SLOWNESS,
            "rope_scaling": null, "attention_bias": false, "use_sliding_window": false});
        tiny.sentence = json!({"max_seq_length": 24});
        tiny.pooling = json!({"word_embedding_dimension": HIDDEN, "pooling_mode_lasttoken": true});
        let vocabulary: BTreeMap<&str, usize> = TOKENS
            .iter()
            .enumerate()
            .map(|(id, token)| (*token, id))
            .collect();
        tiny.tokenizer = json!({
            "added_tokens": [{"id": END, "content": "<|endoftext|>", "single_word": false,
                "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
            "normalizer": {"type": "NFC"},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": false},
                {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false}]},
            "post_processor": {"type": "Sequence", "processors": [
                {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
                {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}},
                    {"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}]}]},
            "model": {"type": "BPE", "dropout": null, "unk_token": null,
                "continuing_subword_prefix": "", "end_of_word_suffix": "", "fuse_unk": false,
                "byte_fallback": false, "vocab": vocabulary,
                "merges": [["o", "n"], ["on", "e"], ["t", "w"], ["tw", "o"], ["Ġ", "one"], ["Ġ", "two"]]}
        });
        tiny
    }

    fn times(&self, name: &str, rows: &Matrix) -> Matrix {
        let weight = self.numbers(&format!("{name}.weight"));
        let one = |row: &Vec<f64>| -> Vec<f64> {
            let outputs = weight.chunks_exact(row.len());
            outputs
                .map(|to| to.iter().zip(row).map(|(w, x)| w * x).sum())
                .collect()
        };
        rows.iter().map(one).collect()
    }

    fn root_norm(&self, name: &str, rows: &Matrix) -> Matrix {
        let scale = self.numbers(&format!("{name}.weight"));
        rows.iter().map(|row| root_norm(row, &scale)).collect()
    }

    /// Head by head, token by token: what token `m` takes from the tokens up to itself.
    fn asked(&self, layer: usize, rows: &Matrix) -> Matrix {
        let name = |part: &str| format!("layers.{layer}.self_attn.{part}");
        let heads = |part: &str| self.times(&name(part), rows);
        let (queries, keys, values) = (heads("q_proj"), heads("k_proj"), heads("v_proj"));
        let query_scale = self.numbers(&name("q_norm.weight"));
        let key_scale = self.numbers(&name("k_norm.weight"));
        let head = |row: &Vec<f64>, head: usize| row[head * SIZE..(head + 1) * SIZE].to_vec();
        let mut out = vec![Vec::new(); rows.len()];
        for asking in 0..ASKING {
            let shared = asking / (ASKING / ASKED);
            for (m, out) in out.iter_mut().enumerate() {
                let query = turned(&root_norm(&head(&queries[m], asking), &query_scale), m);
                let score = |n: usize| -> f64 {
                    let key = turned(&root_norm(&head(&keys[n], shared), &key_scale), n);
                    let product: f64 = query.iter().zip(&key).map(|(q, k)| q * k).sum();
                    (product / (SIZE as f64).sqrt()).exp()
                };
                let weights: Vec<f64> = (0..=m).map(score).collect();
                let total: f64 = weights.iter().sum();
                for i in 0..SIZE {
                    let taken = (0..=m).map(|n| weights[n] * head(&values[n], shared)[i]);
                    out.push(taken.sum::<f64>() / total);
                }
            }
        }
        out
    }

    /// The last layer of the last token.
    pub(crate) fn last_row(&self, ids: &[usize]) -> Vec<f64> {
        let words = self.numbers("embed_tokens.weight");
        let word = |id: &usize| words[id * HIDDEN..(id + 1) * HIDDEN].to_vec();
        let mut rows: Matrix = ids.iter().map(word).collect();
        for layer in 0..LAYERS {
            let name = |part: &str| format!("layers.{layer}.{part}");
            let normed = self.root_norm(&name("input_layernorm"), &rows);
            let taken = self.asked(layer, &normed);
            rows = plus(&rows, &self.times(&name("self_attn.o_proj"), &taken));
            let normed = self.root_norm(&name("post_attention_layernorm"), &rows);
            let gate = self.times(&name("mlp.gate_proj"), &normed);
            let mut wide = self.times(&name("mlp.up_proj"), &normed);
            for (x, gate) in wide.iter_mut().flatten().zip(gate.iter().flatten()) {
                *x *= gate / (1.0 + (-gate).exp());
            }
            rows = plus(&rows, &self.times(&name("mlp.down_proj"), &wide));
        }
        self.root_norm("norm", &rows).pop().expect("a token")
    }
}

fn plus(left: &Matrix, right: &Matrix) -> Matrix {
    let one = |(l, r): (&Vec<f64>, &Vec<f64>)| l.iter().zip(r).map(|(l, r)| l + r).collect();
    left.iter().zip(right).map(one).collect()
}

fn root_norm(row: &[f64], scale: &[f64]) -> Vec<f64> {
    let squares: f64 = row.iter().map(|x| x * x).sum();
    let root = (squares / row.len() as f64 + 1e-6).sqrt();
    row.iter()
        .zip(scale)
        .map(|(x, scale)| x / root * scale)
        .collect()
}

/// Pairs of numbers as complex ones, times `e` to the power of `i` times the angle.
fn turned(head: &[f64], place: usize) -> Vec<f64> {
    let mut out = vec![0.0; SIZE];
    for pair in 0..SIZE / 2 {
        let angle = place as f64 * SLOWNESS.powf(-2.0 * pair as f64 / SIZE as f64);
        let (real, imaginary) = (head[pair], head[pair + SIZE / 2]);
        out[pair] = real * angle.cos() - imaginary * angle.sin();
        out[pair + SIZE / 2] = real * angle.sin() + imaginary * angle.cos();
    }
    out
}
