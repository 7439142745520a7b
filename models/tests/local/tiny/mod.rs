//! A model of a few numbers in a folder of its own, to be right or to be spoiled.
//!
//! It is written byte by byte from what the formats say, and not by the libraries that read it.

pub(crate) mod loops;
pub(crate) mod qwen3;
pub(crate) mod roberta;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

pub(crate) const HIDDEN: usize = 12;
pub(crate) const HEADS: usize = 3;
pub(crate) const WIDE: usize = 20;
pub(crate) const LAYERS: usize = 2;
pub(crate) const POSITIONS: usize = 16;
pub(crate) const MOST_TOKENS: usize = 10;
pub(crate) const WORDS: [&str; 12] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "one", "two", "three", "graph", "node", "##s", "edge", "!",
];

/// A shape and its numbers.
pub(crate) type Plain = (Vec<usize>, Vec<f32>);

/// The parts of a model before they are written.
#[derive(Clone)]
pub(crate) struct Tiny {
    pub(crate) tensors: BTreeMap<String, Plain>,
    pub(crate) config: Value,
    pub(crate) sentence: Value,
    pub(crate) pooling: Value,
    pub(crate) tokenizer: Value,
    pub(crate) prompts: Option<Value>,
    pub(crate) tokenizer_config: Option<Value>,
    pub(crate) modules: Option<Value>,
    /// Which row of the table of places a text's first token has.
    pub(crate) first_position: usize,
}

impl Tiny {
    /// Random weights, the same for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut tensors = BTreeMap::new();
        let mut add = |name: String, shape: &[usize], middle: f32| {
            let count: usize = shape.iter().product();
            let numbers = (0..count).map(|_| middle + random.f32() - 0.5).collect();
            tensors.insert(name, (shape.to_vec(), numbers));
        };
        let table = |name: &str| format!("embeddings.{name}_embeddings.weight");
        add(table("word"), &[WORDS.len(), HIDDEN], 0.0);
        add(table("position"), &[POSITIONS, HIDDEN], 0.0);
        add(table("token_type"), &[2, HIDDEN], 0.0);
        add("embeddings.LayerNorm.weight".into(), &[HIDDEN], 1.0);
        add("embeddings.LayerNorm.bias".into(), &[HIDDEN], 0.0);
        for layer in 0..LAYERS {
            let mut linear = |part: &str, from: usize, to: usize| {
                let name = format!("encoder.layer.{layer}.{part}");
                add(format!("{name}.weight"), &[to, from], 0.0);
                add(format!("{name}.bias"), &[to], 0.0);
            };
            linear("attention.self.query", HIDDEN, HIDDEN);
            linear("attention.self.key", HIDDEN, HIDDEN);
            linear("attention.self.value", HIDDEN, HIDDEN);
            linear("attention.output.dense", HIDDEN, HIDDEN);
            linear("intermediate.dense", HIDDEN, WIDE);
            linear("output.dense", WIDE, HIDDEN);
            for part in ["attention.output", "output"] {
                let name = format!("encoder.layer.{layer}.{part}.LayerNorm");
                add(format!("{name}.weight"), &[HIDDEN], 1.0);
                add(format!("{name}.bias"), &[HIDDEN], 0.0);
            }
        }
        let token =
            |token: &str, kind: u32| json!({"SpecialToken": {"id": token, "type_id": kind}});
        let text = |text: &str, kind: u32| json!({"Sequence": {"id": text, "type_id": kind}});
        let vocabulary: BTreeMap<&str, usize> = WORDS
            .iter()
            .enumerate()
            .map(|(id, word)| (*word, id))
            .collect();
        let special = |id: usize| {
            json!({"id": id, "content": WORDS[id], "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true})
        };
        Self {
            tensors,
            config: json!({"model_type": "bert", "hidden_act": "gelu", "vocab_size": WORDS.len(),
                "hidden_size": HIDDEN, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
                "intermediate_size": WIDE, "max_position_embeddings": POSITIONS,
                "type_vocab_size": 2, "layer_norm_eps": 1e-12}),
            sentence: json!({"max_seq_length": MOST_TOKENS, "do_lower_case": false}),
            pooling: json!({"word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": true}),
            tokenizer: json!({
                // Both are traps: what counts is the file above.
                "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0},
                "padding": {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": null,
                    "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
                "added_tokens": [special(0), special(1), special(2), special(3)],
                "normalizer": {"type": "BertNormalizer", "clean_text": true,
                    "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
                "pre_tokenizer": {"type": "BertPreTokenizer"},
                "post_processor": {"type": "TemplateProcessing",
                    "single": [token("[CLS]", 0), text("A", 0), token("[SEP]", 0)],
                    "pair": [token("[CLS]", 0), text("A", 0), token("[SEP]", 0), text("B", 1),
                        token("[SEP]", 1)]},
                "model": {"type": "WordPiece", "unk_token": "[UNK]",
                    "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                    "vocab": vocabulary}
            }),
            prompts: None,
            tokenizer_config: None,
            modules: None,
            first_position: 0,
        }
    }

    /// Places for texts of so many tokens, and all of them are read.
    pub(crate) fn positions(&mut self, positions: usize) {
        let mut random = fastrand::Rng::with_seed(positions as u64);
        let numbers = (0..positions * HIDDEN).map(|_| random.f32() - 0.5);
        self.tensors.insert(
            "embeddings.position_embeddings.weight".to_owned(),
            (vec![positions, HIDDEN], numbers.collect()),
        );
        self.config["max_position_embeddings"] = json!(positions);
        self.sentence = json!({"max_seq_length": positions - self.first_position});
    }

    /// The folder, which is gone when the result is dropped.
    pub(crate) fn write(&self) -> TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, bytes: &[u8]| {
            fs::write(folder.path().join(name), bytes).expect("a file");
        };
        fs::create_dir(folder.path().join("1_Pooling")).expect("a folder");
        write("config.json", self.config.to_string().as_bytes());
        write(
            "sentence_bert_config.json",
            self.sentence.to_string().as_bytes(),
        );
        write("1_Pooling/config.json", self.pooling.to_string().as_bytes());
        write("tokenizer.json", self.tokenizer.to_string().as_bytes());
        write("model.safetensors", &self.safetensors());
        for (name, json) in [
            ("config_sentence_transformers.json", &self.prompts),
            ("tokenizer_config.json", &self.tokenizer_config),
            ("modules.json", &self.modules),
        ] {
            if let Some(json) = json {
                write(name, json.to_string().as_bytes());
            }
        }
        folder
    }

    /// The length of the header, the header in JSON, the numbers.
    pub(crate) fn safetensors(&self) -> Vec<u8> {
        let mut header = serde_json::Map::new();
        let mut numbers = Vec::new();
        for (name, (shape, values)) in &self.tensors {
            let start = numbers.len();
            numbers.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            let about =
                json!({"dtype": "F32", "shape": shape, "data_offsets": [start, numbers.len()]});
            header.insert(name.clone(), about);
        }
        let header = Value::Object(header).to_string();
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes());
        file.extend(numbers);
        file
    }
}
