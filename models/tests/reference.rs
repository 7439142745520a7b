//! The real model against what sentence-transformers makes of the same 64 texts: short ones, ones far
//! beyond the limit, the empty one, many scripts, code.
//!
//! It needs the model in the cache. Without it the test says so and is not a failure; `cargo xtask test`
//! fetches it first, and lists what was skipped.

use std::fs;
use std::path::Path;
use stratigraph_models::{Embedder, LocalEmbedder, Rows, cached_minilm};

/// The model for all cores, or a line that says why there is none.
fn model(threads: Option<usize>) -> Option<LocalEmbedder> {
    let Some(folder) = cached_minilm() else {
        eprintln!(
            "SKIPPED: the model is not in the cache; `cargo xtask setup --models` fetches it"
        );
        return None;
    };
    let mut builder = LocalEmbedder::builder();
    if let Some(threads) = threads {
        builder = builder.threads(threads);
    }
    Some(builder.load(folder).expect("the cached model loads"))
}

fn texts() -> Vec<String> {
    let texts = fs::read(reference("texts.json")).expect("the texts are there");
    serde_json::from_slice(&texts).expect("the texts are JSON")
}

/// Cargo says at run time where this package is; the path at compile time may be of another checkout that
/// shares the build output.
fn reference(name: &str) -> impl AsRef<Path> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this test");
    Path::new(&package).join("reference").join(name)
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

#[test]
fn equal_to_sentence_transformers_on_64_mixed_texts() {
    let Some(model) = model(None) else { return };
    assert_eq!((model.dimensions(), model.max_tokens()), (384, 256));
    assert_eq!(model.max_text_tokens(), 254);
    let expected = fs::read(reference("vectors.f32")).expect("the vectors are there");
    let expected: Vec<f32> = expected
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes(four.try_into().expect("four bytes")))
        .collect();
    let texts = texts();
    assert_eq!((texts.len(), expected.len()), (64, 64 * 384));
    let rows = model
        .embed(&borrowed(&texts))
        .expect("every text has a row");
    let (mut worst, mut farthest) = (1.0f64, 0.0f32);
    for (place, (row, expected)) in rows.iter().zip(expected.chunks_exact(384)).enumerate() {
        let cosine = cosine(row, expected);
        let begins: String = texts[place].chars().take(40).collect();
        assert!(
            cosine >= 0.9999,
            "text {place} ({begins:?}): cosine {cosine}"
        );
        let length = row.iter().map(|value| value * value).sum::<f32>();
        assert!(
            (length - 1.0).abs() < 1e-5,
            "text {place} has length {length}"
        );
        worst = worst.min(cosine);
        for (a, b) in row.iter().zip(expected) {
            farthest = farthest.max((a - b).abs());
        }
    }
    println!("least cosine {worst:.12}, largest difference of a number {farthest:e}");
    // Far above what rounding does, far below what a wrong token does.
    assert!(farthest < 1e-5, "a number is off by {farthest}");
}

#[test]
fn a_row_depends_on_nothing_but_its_text() {
    let (Some(one), Some(three)) = (model(Some(1)), model(Some(3))) else {
        return;
    };
    let texts = texts();
    let together = one.embed(&borrowed(&texts)).expect("rows");
    assert_eq!(
        together,
        three.embed(&borrowed(&texts)).expect("rows"),
        "threads"
    );
    let mut backwards = borrowed(&texts);
    backwards.reverse();
    let backwards = three.embed(&backwards).expect("rows");
    let apart: Vec<Rows> = texts
        .iter()
        .map(|text| one.embed(&[text]).expect("a row"))
        .collect();
    for (place, apart) in apart.iter().enumerate() {
        let row = together.row(place);
        assert_eq!(
            row,
            backwards.row(texts.len() - 1 - place),
            "order, text {place}"
        );
        assert_eq!(row, apart.row(0), "company, text {place}");
    }
}

#[test]
fn no_texts_are_no_rows() {
    let Some(model) = model(None) else { return };
    assert!(model.embed(&[]).expect("nothing to do").is_empty());
}
