//! XLM-R and Qwen3 against second ones in plain loops, from the letters of a text to its row.

use crate::tiny::loops::{mean, of_length_1};
use crate::tiny::roberta::PIECES;
use crate::tiny::{Tiny, qwen3};
use serde_json::json;
use stratigraph_models::{Embedder, LocalEmbedder, Purpose};

fn load(tiny: &Tiny) -> LocalEmbedder {
    let builder = LocalEmbedder::builder().threads(2).batch_tokens(30);
    builder.load(tiny.write().path()).expect("loads")
}

/// Whether each text's row is the expected one, computed together and alone.
fn check(model: &LocalEmbedder, texts: &[String], expected: &[Vec<f64>], seed: u64) {
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = model.embed(&borrowed).expect("rows");
    for ((text, expected), row) in borrowed.iter().zip(expected).zip(together.iter()) {
        let alone = model.embed(&[text]).expect("a row");
        // Products as small as these are added up in another order when there are fewer rows.
        let near = |(alone, row): (&f32, &f32)| (alone - row).abs() < 1e-6;
        let near = alone.values().iter().zip(row).all(near);
        assert!(near, "seed {seed}, {text:?}: alone {alone:?}, not {row:?}");
        for (found, expected) in row.iter().zip(expected) {
            let off = (f64::from(*found) - expected).abs();
            assert!(off < 5e-6, "seed {seed}, {text:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn xlm_r_is_equal_to_plain_loops_on_texts_of_every_length() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut tiny = Tiny::roberta(seed);
    tiny.sentence = json!({"max_seq_length": 14});
    let model = load(&tiny);
    assert_eq!((model.max_tokens(), model.max_text_tokens()), (14, 12));
    let words = [4, 5, 6, 8];
    let mut texts = Vec::new();
    let mut expected = Vec::new();
    for length in 0..40 {
        let words: Vec<usize> = (0..length % 18)
            .map(|_| words[random.usize(0..words.len())])
            .collect();
        let spelt: Vec<&str> = words.iter().map(|id| &PIECES[*id]["▁".len()..]).collect();
        texts.push(spelt.join("  "));
        let mut ids = vec![0];
        ids.extend(words.iter().take(12));
        ids.push(2);
        expected.push(mean(&tiny.rows(&ids, &vec![0; ids.len()])));
    }
    check(&model, &texts, &expected, seed);
}

#[test]
fn unigram_takes_the_likeliest_pieces() {
    let tiny = Tiny::roberta(4);
    let model = load(&tiny);
    for (text, ids) in [
        ("graphs", vec![0, 6, 7, 2]),
        ("gras", vec![0, 9, 10, 7, 2]),
        ("one\n two", vec![0, 4, 5, 2]),
        ("one 數數", vec![0, 4, 9, 3, 2]),
        ("", vec![0, 2]),
        ("one <mask>", vec![0, 4, 11, 2]),
    ] {
        let expected = mean(&tiny.rows(&ids, &vec![0; ids.len()]));
        check(&model, &[text.to_owned()], &[expected], 4);
    }
}

#[test]
fn xlm_r_inside_something_larger_and_bert_with_its_vocabulary() {
    let mut tiny = Tiny::roberta(5);
    let ids = [0, 4, 5, 2];
    let expected = mean(&tiny.rows(&ids, &[0; 4]));
    let whole = tiny.tensors.clone();
    tiny.tensors = whole
        .iter()
        .map(|(name, tensor)| (format!("roberta.{name}"), tensor.clone()))
        .collect();
    check(&load(&tiny), &["one two".to_owned()], &[expected], 5);
    // The small multilingual e5 is a BERT with the pieces of XLM-R: its places begin at 0.
    tiny.tensors = whole;
    tiny.config["model_type"] = json!("bert");
    tiny.first_position = 0;
    let expected = mean(&tiny.rows(&ids, &[0; 4]));
    check(&load(&tiny), &["one two".to_owned()], &[expected], 5);
}

#[test]
fn qwen3_is_equal_to_plain_loops_on_texts_of_every_length() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let tiny = Tiny::qwen3(seed);
    let model = load(&tiny);
    let mut texts = Vec::new();
    let mut expected = Vec::new();
    for length in 0..40 {
        let words: Vec<usize> = (0..length % 28).map(|_| random.usize(0..2)).collect();
        let spelt: Vec<&str> = words.iter().map(|word| ["one", "two"][*word]).collect();
        texts.push(spelt.join(" "));
        // The first word has no blank before it.
        let id = |(place, word): (usize, &usize)| [[7, 9], [10, 11]][place.min(1)][*word];
        let ids = words.iter().enumerate().map(id).take(23);
        let mut ids: Vec<usize> = ids.collect();
        ids.push(qwen3::END);
        expected.push(of_length_1(&tiny.last_row(&ids)));
    }
    check(&model, &texts, &expected, seed);
}

#[test]
fn qwen3_with_its_names_and_its_end_said_otherwise() {
    let mut tiny = Tiny::qwen3(7);
    let expected = of_length_1(&tiny.last_row(&[7, 11, qwen3::END]));
    let text = ["one two".to_owned()];
    // Without a template its users append the end.
    tiny.tokenizer["post_processor"] = json!({"type": "ByteLevel", "add_prefix_space": false,
        "trim_offsets": false, "use_regex": false});
    check(&load(&tiny), &text, std::slice::from_ref(&expected), 7);
    // As a part of a model that writes.
    tiny.tensors = tiny
        .tensors
        .iter()
        .map(|(name, tensor)| (format!("model.{name}"), tensor.clone()))
        .collect();
    check(&load(&tiny), &text, std::slice::from_ref(&expected), 7);
    // As newer files say how it turns.
    let slowness = tiny.config["rope_theta"].take();
    tiny.config["rope_parameters"] = json!({"rope_type": "default", "rope_theta": slowness});
    check(&load(&tiny), &text, &[expected], 7);
}

#[test]
fn qwen3_asks_with_an_instruction() {
    let mut tiny = Tiny::qwen3(8);
    tiny.prompts = Some(json!({"prompts": {"query": "two one:", "document": ""}}));
    let model = load(&tiny);
    assert_eq!(model.prompt(Purpose::Passage), "");
    // The vocabulary has no colon: bytes that it lacks are left out.
    let expected = of_length_1(&tiny.last_row(&[9, 10, 7, qwen3::END]));
    let found = model.embed_questions(&["one"]).expect("a row");
    for (found, expected) in found.values().iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 5e-6);
    }
}

#[test]
fn what_comes_later_has_no_influence_on_what_came_before() {
    // Two heads that ask share one that is asked; a wrong mask or a wrong order of heads shows in long texts in
    // blocks, where rows of several heads stand one below another.
    let mut tiny = Tiny::qwen3(9);
    tiny.config["max_position_embeddings"] = json!(700);
    tiny.sentence = json!({"max_seq_length": 700});
    let model = load(&tiny);
    let words: Vec<usize> = (0..650).map(|place| place * place % 7 % 2).collect();
    let text: Vec<&str> = words.iter().map(|word| ["one", "two"][*word]).collect();
    let id = |(place, word): (usize, &usize)| [[7, 9], [10, 11]][place.min(1)][*word];
    let mut ids: Vec<usize> = words.iter().enumerate().map(id).collect();
    ids.push(qwen3::END);
    let expected = of_length_1(&tiny.last_row(&ids));
    check(&model, &[text.join(" ")], &[expected], 9);
}

#[test]
fn what_is_read_is_more_than_single_letters() {
    let xlm_r = load(&Tiny::roberta(10));
    let qwen3 = load(&Tiny::qwen3(10));
    for (model, text, letters, share) in [
        (&xlm_r, "one graphs", 9, 8.0 / 9.0),
        (&xlm_r, "one 數數", 5, 0.6),
        (&xlm_r, "", 0, 1.0),
        (&qwen3, "one two one", 9, 1.0),
        (&qwen3, "onet", 4, 0.75),
        // A letter by itself is a word.
        (&qwen3, "one e", 4, 1.0),
    ] {
        let coverage = model
            .coverage(&[text])
            .expect("tokens")
            .expect("it can tell");
        let found = (coverage.letters(), coverage.share());
        assert_eq!(found, (letters, share), "{text:?}: {coverage}");
    }
}

#[test]
fn where_tokens_end_is_told_for_texts_of_any_length() {
    let bert = load(&Tiny::new(11));
    let xlm_r = load(&Tiny::roberta(11));
    let qwen3 = load(&Tiny::qwen3(11));
    for (model, text, ends) in [
        (&bert, "one graphs! ", &[3, 9, 10, 11][..]),
        (&bert, "", &[]),
        (&bert, "數one", &[3, 6]),
        (&xlm_r, "one  graphs", &[3, 10, 11]),
        (&qwen3, "one twoone", &[3, 7, 10]),
    ] {
        assert_eq!(
            model.token_ends(text).expect("tokens").as_deref(),
            Some(ends),
            "{text:?}"
        );
    }
    let long = "one graphs! ".repeat(20_000);
    for (model, each) in [(&bert, 4), (&xlm_r, 4)] {
        let ends = model
            .token_ends(&long)
            .expect("tokens")
            .expect("it can tell");
        assert_eq!(ends.len(), 20_000 * each);
        assert!(ends.is_sorted() && ends.last() == Some(&(long.len() - 1)));
    }
}
