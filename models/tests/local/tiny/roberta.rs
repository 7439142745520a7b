//! A tiny XLM-R: Unigram, and places that begin behind the one of its padding.

use super::{HIDDEN, Tiny, WORDS};
use serde_json::json;

pub(crate) const PIECES: [&str; WORDS.len()] = [
    "<s>", "<pad>", "</s>", "<unk>", "▁one", "▁two", "▁graph", "s", "▁node", "▁", "gra", "<mask>",
];

impl Tiny {
    /// Random weights, the same for the same seed.
    pub(crate) fn roberta(seed: u64) -> Self {
        let mut tiny = Self::new(seed);
        tiny.first_position = 2;
        tiny.config["model_type"] = json!("xlm-roberta");
        tiny.config["pad_token_id"] = json!(1);
        tiny.config["type_vocab_size"] = json!(1);
        let kinds = "embeddings.token_type_embeddings.weight";
        let (shape, numbers) = tiny.tensors.get_mut(kinds).expect("it is there");
        *shape = vec![1, HIDDEN];
        numbers.truncate(HIDDEN);
        let score = |piece: &str| -0.5 - 1.0 / piece.chars().count() as f64;
        let pieces: Vec<(&str, f64)> = PIECES.iter().map(|piece| (*piece, score(piece))).collect();
        let special = |id: usize| {
            json!({"id": id, "content": PIECES[id], "single_word": false, "lstrip": id == 11,
                "rstrip": false, "normalized": false, "special": true})
        };
        let token = |token: &str| json!({"SpecialToken": {"id": token, "type_id": 0}});
        let text = |text: &str| json!({"Sequence": {"id": text, "type_id": 0}});
        tiny.tokenizer = json!({
            "added_tokens": [special(0), special(1), special(2), special(3), special(11)],
            "normalizer": {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
                {"type": "Metaspace", "replacement": "▁", "add_prefix_space": true}]},
            "post_processor": {"type": "TemplateProcessing",
                "single": [token("<s>"), text("A"), token("</s>")],
                "pair": [token("<s>"), text("A"), token("</s>"), token("</s>"), text("B"), token("</s>")]},
            "model": {"type": "Unigram", "unk_id": 3, "vocab": pieces}
        });
        tiny
    }
}
