//! Encoders of BERT's family against the second one of `tiny/loops.rs`.

use crate::tiny::loops::{mean, of_length_1};
use crate::tiny::{HIDDEN, MOST_TOKENS, POSITIONS, Tiny, WORDS};
use serde_json::json;
use stratigraph_models::{Embedder, LocalEmbedder, Purpose};

#[test]
fn equal_to_plain_loops_on_texts_of_every_length() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let tiny = Tiny::new(seed);
    let folder = tiny.write();
    let model = LocalEmbedder::builder()
        .threads(2)
        .batch_tokens(24)
        .load(folder.path())
        .expect("loads");
    assert_eq!(
        (model.dimensions(), model.max_tokens()),
        (HIDDEN, MOST_TOKENS)
    );
    assert_eq!(model.max_text_tokens(), MOST_TOKENS - 2);
    let builder = LocalEmbedder::builder().passage_prompt(WORDS[5]);
    let prompted = builder.load(folder.path()).expect("loads");
    assert_eq!(prompted.max_text_tokens(), MOST_TOKENS - 3);
    // Whole words only, so that their ids are known without a tokenizer.
    let words = [1, 4, 5, 6, 7, 8, 10];
    let texts: Vec<Vec<usize>> = (0..40)
        .map(|length| {
            (0..length % 14)
                .map(|_| words[random.usize(0..words.len())])
                .collect()
        })
        .collect();
    let spelt = |text: &Vec<usize>| -> String {
        text.iter()
            .map(|id| WORDS[*id])
            .collect::<Vec<_>>()
            .join("  ")
    };
    let spelt: Vec<String> = texts.iter().map(spelt).collect();
    let borrowed: Vec<&str> = spelt.iter().map(String::as_str).collect();
    let rows = model.embed(&borrowed).expect("rows");
    assert_eq!(rows.len(), texts.len());
    for (text, row) in texts.iter().zip(rows.iter()) {
        let mut ids = vec![2];
        ids.extend(text.iter().take(MOST_TOKENS - 2));
        ids.push(3);
        let expected = mean(&tiny.rows(&ids, &vec![0; ids.len()]));
        for (found, expected) in row.iter().zip(expected) {
            let off = (f64::from(*found) - expected).abs();
            assert!(
                off < 2e-6,
                "seed {seed}, text {text:?}: {found}, not {expected}"
            );
        }
    }
}

#[test]
fn pieces_of_words_case_and_accents() {
    let tiny = Tiny::new(3);
    let folder = tiny.write();
    let model = LocalEmbedder::load(folder.path()).expect("loads");
    let row = |text: &str| model.embed(&[text]).expect("a row").into_values();
    assert_eq!(row("graphs"), row("GRÁPHS"));
    assert_ne!(row("graphs"), row("graph s"));
    assert_eq!(row("one unheard"), row("one ofthat"));
    assert_eq!(row("one!"), row(" one\t!\n"));
    assert_eq!(row(""), row("   "));
    // The text beyond the limit has no influence.
    let long = "edge ".repeat(MOST_TOKENS - 2);
    assert_eq!(row(&long), row(&format!("{long} two three")));
    assert_ne!(row(&long), row(long.trim_end_matches("edge ")));
}

fn close(found: &[f32], expected: &[f64]) -> bool {
    let near = |(found, expected): (&f32, &f64)| (f64::from(*found) - expected).abs() < 2e-6;
    found.len() == expected.len() && found.iter().zip(expected).all(near)
}

#[test]
fn the_first_or_the_last_token_may_stand_for_the_text() {
    let ids = [2, 4, 5, 10, 3];
    let mut tiny = Tiny::new(21);
    let rows = tiny.rows(&ids, &[0; 5]);
    for (mode, row) in [
        ("pooling_mode_cls_token", &rows[0]),
        ("pooling_mode_lasttoken", &rows[4]),
    ] {
        tiny.pooling = json!({"word_embedding_dimension": HIDDEN, mode: true});
        let model = LocalEmbedder::load(tiny.write().path()).expect("loads");
        let texts = ["one two edge", "one", "three three", "one two edge"];
        let found = model.embed(&texts).expect("rows");
        for place in [0, 3] {
            let found = found.row(place).expect("a row");
            assert!(close(found, &of_length_1(row)), "{mode}: {found:?}");
        }
    }
}

#[test]
fn questions_and_passages_are_read_with_their_prompts() {
    let mut tiny = Tiny::new(22);
    tiny.prompts = Some(json!({"prompts": {"query": "graph one ", "document": "node "}}));
    let folder = tiny.write();
    let model = LocalEmbedder::load(folder.path()).expect("loads");
    assert_eq!(model.prompt(Purpose::Question), "graph one ");
    let expected = |ids: &[usize]| mean(&tiny.rows(ids, &vec![0; ids.len()]));
    let asked = model.embed_questions(&["two"]).expect("a row");
    assert!(close(asked.values(), &expected(&[2, 7, 4, 5, 3])));
    let kept = model.embed(&["two"]).expect("a row");
    assert!(close(kept.values(), &expected(&[2, 8, 5, 3])));
    assert_eq!(model.embed_for(Purpose::Question, &["two"]).unwrap(), asked);
    assert_eq!(model.embed_for(Purpose::Passage, &["two"]).unwrap(), kept);
    // What the caller says counts more than the files.
    let builder = LocalEmbedder::builder().question_prompt("").threads(1);
    let plain = builder.load(folder.path()).expect("loads");
    assert!(close(
        plain.embed_questions(&["two"]).expect("a row").values(),
        &expected(&[2, 5, 3])
    ));
    // Its vectors are others, and so is its name, unless somebody chose it.
    let begins = format!("{}#", model.name());
    assert!(plain.name().starts_with(&begins), "{}", plain.name());
    let builder = LocalEmbedder::builder().question_prompt("").name("mine");
    assert_eq!(builder.load(folder.path()).expect("loads").name(), "mine");
    // The prompt takes part in the limit.
    let long = "edge ".repeat(MOST_TOKENS);
    let ids = [2, 7, 4, 10, 10, 10, 10, 10, 10, 3];
    let asked = model.embed_questions(&[&long]).expect("a row");
    assert!(close(asked.values(), &expected(&ids)));
}

#[test]
fn a_model_that_does_not_care_reads_questions_as_passages() {
    let model = LocalEmbedder::load(Tiny::new(23).write().path()).expect("loads");
    assert_eq!(model.prompt(Purpose::Question), "");
    let texts = ["one two", "graph"];
    let kept = model.embed(&texts).expect("rows");
    assert_eq!(model.embed_questions(&texts).expect("rows"), kept);
    // Also behind a pointer.
    let boxed: Box<dyn Embedder> = Box::new(model);
    assert_eq!(boxed.embed_for(Purpose::Question, &texts).unwrap(), kept);
}

#[test]
fn how_much_is_read_is_what_the_files_say_or_less() {
    let mut tiny = Tiny::new(24);
    let most = |tiny: &Tiny| {
        let model = LocalEmbedder::builder()
            .threads(1)
            .load(tiny.write().path());
        model.expect("loads").max_tokens()
    };
    assert_eq!(most(&tiny), MOST_TOKENS);
    tiny.sentence = json!({"max_seq_length": null});
    assert_eq!(most(&tiny), POSITIONS);
    tiny.tokenizer_config = Some(json!({"model_max_length": 12}));
    assert_eq!(most(&tiny), 12);
    tiny.tokenizer_config = Some(json!({"model_max_length": 1e30}));
    assert_eq!(most(&tiny), POSITIONS);
    let folder = tiny.write();
    let model = LocalEmbedder::builder().max_tokens(9).load(folder.path());
    assert_eq!(model.expect("loads").max_tokens(), 9);
}

#[test]
fn long_texts_in_blocks_are_what_they_are_at_once() {
    // So many tokens that the scores of one head do not fit into one block.
    const LONG: usize = 600;
    let mut tiny = Tiny::new(25);
    tiny.positions(LONG);
    let folder = tiny.write();
    let model = LocalEmbedder::builder().threads(1).load(folder.path());
    let model = model.expect("loads");
    let mut random = fastrand::Rng::with_seed(25);
    let words: Vec<usize> = (0..LONG - 2)
        .map(|_| [4, 5, 6, 7, 8][random.usize(0..5)])
        .collect();
    let text: Vec<&str> = words.iter().map(|id| WORDS[*id]).collect();
    let mut ids = vec![2];
    ids.extend(&words);
    ids.push(3);
    let found = model.embed(&[&text.join(" ")]).expect("a row");
    let expected = mean(&tiny.rows(&ids, &vec![0; LONG]));
    assert!(close(found.values(), &expected));
}

#[test]
fn tokens_have_vectors_of_their_own_and_those_around_them_none() {
    let seed = fastrand::u64(..);
    let tiny = Tiny::new(seed);
    let folder = tiny.write();
    let model = LocalEmbedder::builder()
        .threads(2)
        .load(folder.path())
        .expect("loads");
    let texts: [&[usize]; 3] = [&[1, 4, 5], &[], &[6]];
    let spelt = texts.map(|text| {
        text.iter()
            .map(|id| WORDS[*id])
            .collect::<Vec<_>>()
            .join(" ")
    });
    let borrowed: Vec<&str> = spelt.iter().map(String::as_str).collect();
    let vectors = model.token_vectors(&borrowed).expect("vectors");
    let vectors = vectors.expect("an encoder tells");
    assert_eq!(vectors.len(), 3);
    for (text, rows) in texts.iter().zip(&vectors) {
        let ids: Vec<usize> = [2]
            .into_iter()
            .chain(text.iter().copied())
            .chain([3])
            .collect();
        let expected = tiny.rows(&ids, &vec![0; ids.len()]);
        assert_eq!(rows.len(), text.len(), "seed {seed}");
        for (row, expected) in rows.iter().zip(&expected[1..]) {
            assert!(close(row, expected), "seed {seed}, text {text:?}");
        }
    }
    // What is beyond the limit has none.
    let long = "edge ".repeat(2 * MOST_TOKENS);
    let long = model
        .token_vectors(&[&long])
        .expect("vectors")
        .expect("tells");
    assert_eq!(long[0].len(), MOST_TOKENS - 2);
}
