//! The vectors of a text's tokens into one.

use crate::local::batches::Group;
use crate::local::settings::Pooling;
use candle_core::{Result, Tensor};

/// A row for each text, of a row for each token.
pub(crate) fn pool(rows: &Tensor, groups: &[Group], pooling: Pooling) -> Result<Tensor> {
    let (_, width) = rows.dims2()?;
    let mut start = 0;
    let mut pooled = Vec::with_capacity(groups.len());
    for group in groups {
        let length = group.texts * group.tokens;
        let texts = rows.narrow(0, start, length)?;
        let texts = texts.reshape((group.texts, group.tokens, width))?;
        pooled.push(match pooling {
            Pooling::Mean => texts.mean(1)?,
            Pooling::First => texts.get_on_dim(1, 0)?,
            Pooling::Last => texts.get_on_dim(1, group.tokens - 1)?,
        });
        start += length;
    }
    Tensor::cat(&pooled, 0)
}
