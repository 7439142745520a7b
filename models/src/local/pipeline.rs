//! From framed texts to rows: batches of similar length, each computed by one thread alone, put back in order.

use crate::embedder::Rows;
use crate::error::ModelError;
use crate::local::batches::{self, Group};
use crate::local::tokens::Framed;
use crate::local::workers::Workers;
use candle_core::Tensor;

/// About how many tokens are computed together. From 512 to 4,096 it makes no difference that could be measured;
/// below, the matrices are too low. Few, so that few texts are enough work for every core.
pub(crate) const TOKENS_PER_BATCH: usize = 1024;
/// Texts that one thread cuts into tokens before it asks for more.
const TEXTS_PER_JOB: usize = 64;

/// Cuts each of so many texts into tokens.
pub(crate) fn frame(
    workers: &Workers,
    texts: usize,
    cut: impl Fn(usize) -> Result<Framed, ModelError> + Sync,
) -> Result<Vec<Framed>, ModelError> {
    let jobs = texts.div_ceil(TEXTS_PER_JOB);
    let portions = workers.run(jobs, |job| {
        let first = job * TEXTS_PER_JOB;
        let last = texts.min(first + TEXTS_PER_JOB);
        (first..last).map(&cut).collect::<Result<Vec<_>, _>>()
    })?;
    Ok(portions.into_iter().flatten().collect())
}

/// Computes a row of this width for each text, and has each row finished.
pub(crate) fn compute(
    workers: &Workers,
    batch_tokens: usize,
    texts: &[Framed],
    width: usize,
    forward: impl Fn(&[u32], Option<&[u32]>, &[Group]) -> candle_core::Result<Tensor> + Sync,
    finish: impl Fn(usize, &mut [f32]) -> Result<(), ModelError> + Sync,
) -> Result<Rows, ModelError> {
    let mut rows = Rows::zeros(texts.len(), width)?;
    let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
    let plan = batches::plan(&lengths, batch_tokens);
    let computed = workers.run(plan.batches.len(), |job| {
        let batch = &plan.batches[job];
        let places = &plan.order[batch.places.clone()];
        let together = places.iter().map(|place| &texts[*place]);
        let ids: Vec<u32> = together
            .clone()
            .flat_map(|text| &text.ids)
            .copied()
            .collect();
        // Texts of one call are framed alike.
        let kinds = together.map(|text| text.kinds.as_deref());
        let kinds: Option<Vec<&[u32]>> = kinds.collect();
        let kinds = kinds.map(|kinds| kinds.concat());
        let values = forward(&ids, kinds.as_deref(), &batch.groups);
        let values = values.and_then(|values| values.flatten_all()?.to_vec1::<f32>());
        let mut values = values.map_err(|error| ModelError::Compute(error.into()))?;
        for (place, row) in places.iter().zip(values.chunks_exact_mut(width)) {
            finish(*place, row)?;
        }
        Ok(values)
    })?;
    let mut targets: Vec<&mut [f32]> = rows.iter_mut().collect();
    for (batch, values) in plan.batches.iter().zip(computed) {
        let places = &plan.order[batch.places.clone()];
        for (place, row) in places.iter().zip(values.chunks_exact(width)) {
            targets[*place].copy_from_slice(row);
        }
    }
    Ok(rows)
}
