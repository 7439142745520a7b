//! A second encoder in plain loops: no library, `f64`, one text at a time.
//!
//! It follows the paper and the layout of the tensors, and shares nothing with the product.

use super::{HEADS, HIDDEN, LAYERS, Tiny};

pub(crate) type Matrix = Vec<Vec<f64>>;

impl Tiny {
    pub(crate) fn numbers(&self, name: &str) -> Vec<f64> {
        self.tensors[name]
            .1
            .iter()
            .map(|number| f64::from(*number))
            .collect()
    }

    pub(crate) fn linear(&self, name: &str, rows: &Matrix) -> Matrix {
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

    /// The last layer: a row for each token.
    pub(crate) fn rows(&self, ids: &[usize], kinds: &[usize]) -> Matrix {
        let table = |name: &str, at: usize| {
            let all = self.numbers(&format!("embeddings.{name}_embeddings.weight"));
            all[at * HIDDEN..(at + 1) * HIDDEN].to_vec()
        };
        let words: Matrix = ids.iter().map(|id| table("word", *id)).collect();
        let places = kinds.iter().enumerate().map(|(place, kind)| {
            let place = table("position", self.first_position + place);
            let kind = table("token_type", *kind);
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
        rows
    }
}

/// The mean of some rows, with length 1.
pub(crate) fn mean(rows: &Matrix) -> Vec<f64> {
    let sum = |i: usize| rows.iter().map(|row| row[i]).sum::<f64>();
    of_length_1(&(0..rows[0].len()).map(sum).collect::<Vec<_>>())
}

pub(crate) fn of_length_1(row: &[f64]) -> Vec<f64> {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.iter().map(|x| x / length).collect()
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
