//! Whatever stands in a model's folder or in a text, the answer is a row or a typed error.

mod tiny;

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use stratigraph_models::{Embedder, MiniLm, ModelError};
use tiny::{HIDDEN, Tiny};

fn load(tiny: &Tiny) -> Result<MiniLm, ModelError> {
    MiniLm::builder().threads(1).load(tiny.write().path())
}

fn refused(tiny: &Tiny) -> ModelError {
    load(tiny).err().expect("a spoiled model was loaded")
}

#[test]
fn each_missing_file_is_named() {
    for name in [
        "config.json",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
        "tokenizer.json",
        "model.safetensors",
    ] {
        let folder = Tiny::new(1).write();
        fs::remove_file(folder.path().join(name)).expect("it was there");
        let error = MiniLm::load(folder.path()).err().expect("it is missing");
        assert!(matches!(&error, ModelError::Unreadable { path, .. } if path.ends_with(name)));
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn each_missing_tensor_and_each_wrong_shape_is_named() {
    let whole = Tiny::new(1);
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

#[test]
fn a_setting_that_cannot_be_honoured_is_refused_by_name() {
    let huge = json!(u64::MAX);
    let cases: [(&str, &str, Value); 21] = [
        ("config", "model_type", json!("roberta")),
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
        ("pooling", "pooling_mode_cls_token", json!(true)),
        ("pooling", "pooling_mode_mean_tokens", json!(false)),
        ("pooling", "pooling_mode_lasttoken", json!(true)),
        ("pooling", "word_embedding_dimension", json!(HIDDEN + 1)),
    ];
    for (file, setting, value) in cases {
        let mut tiny = Tiny::new(1);
        let file = match file {
            "config" => &mut tiny.config,
            "sentence" => &mut tiny.sentence,
            _ => &mut tiny.pooling,
        };
        file[setting] = value.clone();
        let error = refused(&tiny);
        let named =
            matches!(&error, ModelError::Unsupported { setting: found, .. } if *found == setting);
        assert!(named, "{setting} = {value}: {error:?}");
    }
}

#[test]
fn a_tokenizer_of_another_kind_or_with_wild_ids_is_refused() {
    let cases: [(&str, Value); 10] = [
        ("/model/type", json!("BPE")),
        ("/model/vocab/one", json!(12)),
        ("/model/vocab/one", json!(u32::MAX)),
        ("/model/unk_token", json!("nowhere")),
        ("/model/max_input_chars_per_word", json!(u64::MAX)),
        ("/normalizer/type", json!("NFC")),
        ("/pre_tokenizer/type", json!("Whitespace")),
        ("/post_processor/type", json!("ByteLevel")),
        ("/post_processor/single", json!([])),
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
    let whole = Tiny::new(1);
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
        for case in 0..150 {
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
        let error = MiniLm::load(folder.path()).err().expect("it is no model");
        assert!(matches!(error, ModelError::Malformed { .. }), "{error:?}");
    }
}

fn try_it(folder: &Path) {
    // What still loads may give any numbers, but must give an answer.
    if let Ok(model) = MiniLm::builder().threads(1).load(folder) {
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
}

#[test]
fn no_text_is_an_error() {
    let model = load(&Tiny::new(1)).expect("loads");
    let megabytes = [
        "x".repeat(3 << 20),
        " ".repeat(3 << 20),
        "é\u{301}".repeat(1 << 20),
        "數".repeat(1 << 20),
        "[CLS]".repeat(1 << 18),
        "\u{0}\u{fffd}\u{202e}".repeat(1 << 18),
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
