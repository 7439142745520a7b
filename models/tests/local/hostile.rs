//! Whatever stands in a model's folder or in a text, the answer is a row or a typed error.

use crate::tiny::{HIDDEN, Tiny};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use stratigraph_models::{Embedder, LocalEmbedder, ModelError};

fn load(tiny: &Tiny) -> Result<LocalEmbedder, ModelError> {
    LocalEmbedder::builder()
        .threads(1)
        .load(tiny.write().path())
}

fn refused(tiny: &Tiny) -> ModelError {
    load(tiny).err().expect("a spoiled model was loaded")
}

#[test]
fn each_missing_file_is_named() {
    for name in [
        "config.json",
        "1_Pooling/config.json",
        "tokenizer.json",
        "model.safetensors",
    ] {
        let folder = Tiny::new(1).write();
        fs::remove_file(folder.path().join(name)).expect("it was there");
        let error = LocalEmbedder::load(folder.path())
            .err()
            .expect("it is missing");
        assert!(matches!(&error, ModelError::Unreadable { path, .. } if path.ends_with(name)));
        assert!(error.to_string().contains(name), "{error}");
    }
}

/// One of each kind of model.
fn kinds() -> [Tiny; 3] {
    [Tiny::new(1), Tiny::roberta(1), Tiny::qwen3(1)]
}

#[test]
fn each_missing_tensor_and_each_wrong_shape_is_named() {
    for whole in kinds() {
        for name in whole.tensors.keys() {
            let mut tiny = whole.clone();
            tiny.tensors.remove(name);
            let error = refused(&tiny);
            assert!(
                matches!(&error, ModelError::MissingTensor { name: found } if found == name),
                "{error}"
            );

            let mut tiny = whole.clone();
            // One row or number less, with bytes to match.
            let (shape, numbers) = tiny.tensors.get_mut(name).expect("it is there");
            let row = numbers.len() / shape[0];
            shape[0] -= 1;
            numbers.truncate(numbers.len() - row);
            let error = refused(&tiny);
            assert!(
                matches!(&error, ModelError::WrongShape { name: found, .. } if found == name),
                "{error}"
            );
        }
    }
}

#[test]
fn a_setting_of_xlm_r_or_qwen3_that_cannot_be_honoured_is_refused_by_name() {
    let huge = json!(u64::MAX);
    let xlm_r = [
        ("pad_token_id", huge.clone()),
        ("pad_token_id", json!(15)),
        ("max_position_embeddings", json!(1)),
        ("hidden_act", json!("gelu_new")),
    ];
    let qwen3 = [
        ("hidden_act", json!("gelu")),
        ("attention_bias", json!(true)),
        ("use_sliding_window", json!(true)),
        ("vocab_size", huge.clone()),
        ("hidden_size", json!(0)),
        ("intermediate_size", huge.clone()),
        ("max_position_embeddings", huge.clone()),
        ("num_hidden_layers", huge.clone()),
        ("num_attention_heads", json!(0)),
        ("num_attention_heads", huge.clone()),
        ("num_key_value_heads", json!(0)),
        ("num_key_value_heads", json!(3)),
        ("head_dim", json!(5)),
        ("head_dim", huge),
        ("rms_norm_eps", json!(2)),
        ("rope_theta", json!(0)),
        ("rope_theta", json!(1e300)),
    ];
    let xlm_r = xlm_r.map(|case| (Tiny::roberta(1), case));
    let qwen3 = qwen3.map(|case| (Tiny::qwen3(1), case));
    for (mut tiny, (setting, value)) in xlm_r.into_iter().chain(qwen3) {
        tiny.config[setting] = value.clone();
        let error = refused(&tiny);
        let found = match &error {
            ModelError::Unsupported { setting, .. } => *setting,
            _ => "",
        };
        // Too few places also for the padding's.
        let expected = [setting, "pad_token_id"].contains(&found);
        assert!(expected, "{setting} = {value}: {error:?}");
    }
    for turning in [
        json!({"rope_type": "yarn", "factor": 4.0}),
        json!({"type": "linear"}),
    ] {
        let mut tiny = Tiny::qwen3(1);
        tiny.config["rope_scaling"] = turning;
        let error = refused(&tiny);
        assert!(error.to_string().contains("rope_type"), "{error}");
    }
}

#[test]
fn tokenizers_of_xlm_r_and_qwen3_with_other_parts_are_refused() {
    let sequence = |steps: Value| json!({"type": "Sequence", "pretokenizers": steps});
    let endless = json!({"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated",
        "invert": false});
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false});
    let xlm_r = [
        ("/model/unk_id", json!(null)),
        ("/model/unk_id", json!(12)),
        ("/model/vocab", json!([])),
        ("/model/vocab/0", json!(["<s>"])),
        ("/model/byte_fallback", json!(true)),
        (
            "/normalizer",
            json!({"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        ),
        (
            "/normalizer",
            json!({"type": "Precompiled", "precompiled_charsmap": "////"}),
        ),
        (
            "/normalizer",
            json!({"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": " "}),
        ),
        ("/normalizer", json!({"type": "Lowercase"})),
        (
            "/pre_tokenizer",
            json!({"type": "Metaspace", "replacement": "_"}),
        ),
        ("/pre_tokenizer", json!(null)),
        ("/post_processor", json!(null)),
        ("/added_tokens/4/id", json!(12)),
    ];
    let qwen3 = [
        ("/pre_tokenizer", sequence(json!([endless, bytes]))),
        ("/pre_tokenizer", bytes),
        ("/model/dropout", json!(0.5)),
        ("/model/byte_fallback", json!(true)),
        ("/model/continuing_subword_prefix", json!("##")),
        ("/model/merges/0", json!(["z", "n"])),
        ("/model/merges/0", json!(["Ġone", "Ġtwo"])),
        ("/model/merges/0", json!("on")),
        ("/model/vocab/o", json!(99)),
        ("/normalizer", json!({"type": "NFKC"})),
        ("/added_tokens/0/id", json!(40)),
    ];
    let byte_fallback = |tiny: &mut Tiny| tiny.tokenizer["model"]["byte_fallback"] = json!(false);
    let xlm_r = xlm_r.map(|case| (Tiny::roberta(1), case));
    let qwen3 = qwen3.map(|case| (Tiny::qwen3(1), case));
    for (mut tiny, (pointer, value)) in xlm_r.into_iter().chain(qwen3) {
        byte_fallback(&mut tiny);
        load(&tiny).expect("sound before it is spoiled");
        *tiny.tokenizer.pointer_mut(pointer).expect("it is there") = value.clone();
        let error = refused(&tiny);
        let typed = matches!(
            error,
            ModelError::Unsupported { .. } | ModelError::Malformed { .. }
        );
        assert!(typed, "{pointer} = {value}: {error:?}");
    }
}

#[test]
fn a_setting_that_cannot_be_honoured_is_refused_by_name() {
    let huge = json!(u64::MAX);
    let cases: [(&str, &str, Value); 27] = [
        ("config", "model_type", json!("new")),
        ("config", "hidden_act", json!("relu")),
        ("config", "position_embedding_type", json!("relative_key")),
        ("config", "vocab_size", json!(0)),
        ("config", "vocab_size", huge.clone()),
        ("config", "hidden_size", huge.clone()),
        ("config", "num_attention_heads", json!(0)),
        ("config", "num_attention_heads", json!(5)),
        ("config", "num_hidden_layers", huge.clone()),
        ("config", "num_hidden_layers", json!(0)),
        ("config", "intermediate_size", huge.clone()),
        ("config", "max_position_embeddings", huge.clone()),
        ("config", "type_vocab_size", json!(0)),
        ("config", "layer_norm_eps", json!(-1.0)),
        ("sentence", "max_seq_length", json!(2)),
        ("sentence", "max_seq_length", json!(17)),
        ("sentence", "do_lower_case", json!(true)),
        ("pooling", "pooling_mode", json!("pooling_mode_cls_token")),
        ("pooling", "pooling_mode", json!("pooling_mode_lasttoken")),
        ("pooling", "pooling_mode", Value::Null),
        ("pooling", "pooling_mode_max_tokens", json!(true)),
        ("pooling", "include_prompt", json!(false)),
        (
            "modules",
            "a step",
            json!([{"path": "2", "type": "sentence_transformers.models.Dense"}]),
        ),
        (
            "modules",
            "the path of Pooling",
            json!([{"path": "../up", "type": "a.Pooling"}]),
        ),
        (
            "modules",
            "the path of Pooling",
            json!([{"path": "/etc", "type": "a.Pooling"}]),
        ),
        (
            "prompts",
            "prompts",
            json!({"prompts": {"query": "x".repeat(5000)}}),
        ),
        ("pooling", "word_embedding_dimension", json!(HIDDEN + 1)),
    ];
    for (file, setting, value) in cases {
        let mut tiny = Tiny::new(1);
        match (file, setting) {
            ("config", _) => tiny.config[setting] = value.clone(),
            ("sentence", _) => tiny.sentence[setting] = value.clone(),
            ("modules", _) => tiny.modules = Some(value.clone()),
            ("prompts", _) => tiny.prompts = Some(value.clone()),
            // Two modes at once, or none.
            (_, "pooling_mode") => match value.as_str() {
                Some(mode) => tiny.pooling[mode] = json!(true),
                None => tiny.pooling["pooling_mode_mean_tokens"] = json!(false),
            },
            _ => tiny.pooling[setting] = value.clone(),
        }
        let error = refused(&tiny);
        let named =
            matches!(&error, ModelError::Unsupported { setting: found, .. } if *found == setting);
        assert!(named, "{setting} = {value}: {error:?}");
    }
}

#[test]
fn a_tokenizer_of_another_kind_or_with_wild_ids_is_refused() {
    let text = json!({"Sequence": {"id": "A", "type_id": 0}});
    let token = json!({"SpecialToken": {"id": "[CLS]", "type_id": 0}});
    let mut long = vec![token; 15];
    long.push(text.clone());
    let cases: [(&str, Value); 12] = [
        ("/model/type", json!("BPE")),
        ("/model/vocab/one", json!(12)),
        ("/model/vocab/one", json!(u32::MAX)),
        ("/model/unk_token", json!("nowhere")),
        ("/model/max_input_chars_per_word", json!(u64::MAX)),
        ("/normalizer/type", json!("NFC")),
        ("/pre_tokenizer/type", json!("Whitespace")),
        ("/post_processor/type", json!("ByteLevel")),
        ("/post_processor/single", json!([])),
        // An empty text would have no token at all,
        ("/post_processor/single", json!([text])),
        // and this is more than the model reads.
        ("/post_processor/single", json!(long)),
        ("/added_tokens/0/id", json!(7)),
    ];
    for (pointer, value) in cases {
        let mut tiny = Tiny::new(1);
        *tiny.tokenizer.pointer_mut(pointer).expect("it is there") = value.clone();
        let error = refused(&tiny);
        let typed = matches!(
            error,
            ModelError::Unsupported { .. } | ModelError::Malformed { .. }
        );
        assert!(typed, "{pointer} = {value}: {error:?}");
    }
}

#[test]
fn flipped_and_cut_bytes_never_panic() {
    for whole in kinds() {
        flip_and_cut(&whole);
    }
}

fn flip_and_cut(whole: &Tiny) {
    let folder = whole.write();
    let mut random = fastrand::Rng::with_seed(11);
    for name in [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "1_Pooling/config.json",
    ] {
        let path = folder.path().join(name);
        let sound = fs::read(&path).expect("it is there");
        for case in 0..100 {
            let mut bytes = sound.clone();
            if case % 3 == 0 {
                bytes.truncate(random.usize(0..bytes.len()));
            } else {
                // The front is where lengths, shapes and kinds stand.
                let end = if case % 3 == 1 {
                    bytes.len().min(600)
                } else {
                    bytes.len()
                };
                for _ in 0..random.usize(1..4) {
                    let at = random.usize(0..end);
                    bytes[at] = random.u8(..);
                }
            }
            fs::write(&path, &bytes).expect("it can be written");
            try_it(folder.path());
        }
        fs::write(&path, &sound).expect("it can be written");
    }
    let tensors = folder.path().join("model.safetensors");
    for length in [0, 1, 7, 8, 9] {
        fs::write(&tensors, vec![0xff; length]).expect("it can be written");
        let error = LocalEmbedder::load(folder.path())
            .err()
            .expect("it is no model");
        assert!(matches!(error, ModelError::Malformed { .. }), "{error:?}");
    }
}

fn try_it(folder: &Path) {
    // What still loads may give any numbers, but must give an answer.
    if let Ok(model) = LocalEmbedder::builder().threads(1).load(folder) {
        let _ = model.embed(&["one two graphs!", ""]);
    }
}

#[test]
fn weights_that_lead_to_no_number_are_an_error_and_not_a_row() {
    for number in [f32::NAN, f32::INFINITY, 1e38] {
        let mut tiny = Tiny::new(1);
        let (_, numbers) = tiny
            .tensors
            .get_mut("encoder.layer.1.output.LayerNorm.bias")
            .expect("there");
        numbers.fill(number);
        let model = load(&tiny).expect("the shapes are right");
        let error = model.embed(&["one", "two"]).expect_err("no numbers");
        assert!(matches!(error, ModelError::NotFinite { .. }), "{error:?}");
    }
    let mut tiny = Tiny::new(1);
    for part in ["weight", "bias"] {
        let name = format!("encoder.layer.1.output.LayerNorm.{part}");
        tiny.tensors.get_mut(&name).expect("there").1.fill(0.0);
    }
    let model = load(&tiny).expect("the shapes are right");
    let error = model.embed(&["one"]).expect_err("no direction");
    assert!(matches!(error, ModelError::NoDirection { .. }), "{error:?}");
}

#[test]
fn no_text_is_an_error() {
    for tiny in kinds() {
        every_text_has_a_row(&load(&tiny).expect("loads"));
    }
}

fn every_text_has_a_row(model: &LocalEmbedder) {
    let megabytes = [
        "x".repeat(3 << 20),
        " ".repeat(3 << 20),
        "é\u{301}".repeat(1 << 20),
        "數".repeat(1 << 20),
        "[CLS]".repeat(1 << 18),
        "\u{0}\u{fffd}\u{202e}".repeat(1 << 18),
        "\n".repeat(1 << 20),
        " \n\t\r".repeat(1 << 18),
        "one".repeat(1 << 20),
        "'s".repeat(1 << 19),
    ];
    let mut texts: Vec<&str> = megabytes.iter().map(String::as_str).collect();
    texts.extend([
        "",
        "\u{0}",
        "\u{10ffff}",
        "[SEP][SEP][SEP]",
        "\u{301}\u{301}",
        "🏳️‍🌈",
    ]);
    let rows = model.embed(&texts).expect("a row for each");
    assert_eq!(rows.len(), texts.len());
    for row in rows.iter() {
        let length: f32 = row.iter().map(|number| number * number).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
}
