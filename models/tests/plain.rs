//! The encoder against a second one in plain loops: no library, `f64`, one text at a time.
//!
//! It follows the paper and the layout of the tensors, and shares nothing with the product.

mod tiny;

use stratigraph_models::{Embedder, MiniLm};
use tiny::{HEADS, HIDDEN, LAYERS, MOST_TOKENS, Tiny, WORDS};

type Matrix = Vec<Vec<f64>>;

impl Tiny {
    fn numbers(&self, name: &str) -> Vec<f64> {
        self.tensors[name]
            .1
            .iter()
            .map(|number| f64::from(*number))
            .collect()
    }

    fn linear(&self, name: &str, rows: &Matrix) -> Matrix {
        let weight = self.numbers(&format!("{name}.weight"));
        let bias = self.numbers(&format!("{name}.bias"));
        let one = |row: &Vec<f64>| {
            let dot = |to: usize| -> f64 {
                (0..row.len())
                    .map(|from| weight[to * row.len() + from] * row[from])
                    .sum()
            };
            (0..bias.len()).map(|to| dot(to) + bias[to]).collect()
        };
        rows.iter().map(one).collect()
    }

    /// Layer norm over the sum of two matrices.
    fn norm(&self, name: &str, left: &Matrix, right: &Matrix) -> Matrix {
        let scale = self.numbers(&format!("{name}.weight"));
        let shift = self.numbers(&format!("{name}.bias"));
        let one = |(left, right): (&Vec<f64>, &Vec<f64>)| {
            let sum: Vec<f64> = left.iter().zip(right).map(|(l, r)| l + r).collect();
            let mean = sum.iter().sum::<f64>() / sum.len() as f64;
            let variance = sum.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / sum.len() as f64;
            let scaled =
                |i: usize| (sum[i] - mean) / (variance + 1e-12).sqrt() * scale[i] + shift[i];
            (0..sum.len()).map(scaled).collect()
        };
        left.iter().zip(right).map(one).collect()
    }

    fn attention(&self, layer: usize, rows: &Matrix) -> Matrix {
        let part = |part: &str| {
            self.linear(
                &format!("encoder.layer.{layer}.attention.self.{part}"),
                rows,
            )
        };
        let (queries, keys, values) = (part("query"), part("key"), part("value"));
        let size = HIDDEN / HEADS;
        let mut out = vec![vec![0.0; HIDDEN]; rows.len()];
        for head in 0..HEADS {
            let range = head * size..(head + 1) * size;
            for (query, out) in queries.iter().zip(&mut out) {
                let score = |key: &Vec<f64>| -> f64 {
                    range.clone().map(|i| query[i] * key[i]).sum::<f64>() / (size as f64).sqrt()
                };
                let weights: Vec<f64> = keys.iter().map(|key| score(key).exp()).collect();
                let total: f64 = weights.iter().sum();
                for (weight, value) in weights.iter().zip(&values) {
                    range
                        .clone()
                        .for_each(|i| out[i] += weight / total * value[i]);
                }
            }
        }
        out
    }

    /// The whole way, from ids to a row of length 1.
    fn embed(&self, ids: &[usize]) -> Vec<f64> {
        let table = |name: &str, at: usize| {
            let all = self.numbers(&format!("embeddings.{name}_embeddings.weight"));
            all[at * HIDDEN..(at + 1) * HIDDEN].to_vec()
        };
        let words: Matrix = ids.iter().map(|id| table("word", *id)).collect();
        let places = (0..ids.len()).map(|place| {
            let (place, kind) = (table("position", place), table("token_type", 0));
            place.iter().zip(kind).map(|(p, k)| p + k).collect()
        });
        let mut rows = self.norm("embeddings.LayerNorm", &words, &places.collect());
        for layer in 0..LAYERS {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let around = self.linear(
                &name("attention.output.dense"),
                &self.attention(layer, &rows),
            );
            let seen = self.norm(&name("attention.output.LayerNorm"), &rows, &around);
            let mut wide = self.linear(&name("intermediate.dense"), &seen);
            wide.iter_mut().flatten().for_each(|x| *x = gelu(*x));
            let thought = self.linear(&name("output.dense"), &wide);
            rows = self.norm(&name("output.LayerNorm"), &seen, &thought);
        }
        let mean = |i: usize| rows.iter().map(|row| row[i]).sum::<f64>() / rows.len() as f64;
        let mean: Vec<f64> = (0..HIDDEN).map(mean).collect();
        let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        mean.iter().map(|x| x / length).collect()
    }
}

/// By numerical integration of the normal distribution.
fn gelu(x: f64) -> f64 {
    let steps = 20_000;
    let width = x / f64::from(steps);
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let area: f64 = (0..steps)
        .map(|i| density((f64::from(i) + 0.5) * width) * width)
        .sum();
    x * (0.5 + area)
}

#[test]
fn equal_to_plain_loops_on_texts_of_every_length() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let tiny = Tiny::new(seed);
    let folder = tiny.write();
    let model = MiniLm::builder()
        .threads(2)
        .batch_tokens(24)
        .load(folder.path())
        .expect("loads");
    assert_eq!(
        (model.dimensions(), model.max_tokens()),
        (HIDDEN, MOST_TOKENS)
    );
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
        for (found, expected) in row.iter().zip(tiny.embed(&ids)) {
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
    let model = MiniLm::load(folder.path()).expect("loads");
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
