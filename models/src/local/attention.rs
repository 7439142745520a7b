//! What each token takes from the tokens of its own text: two products and a softmax between, for each head of each
//! text. However long a text is, its scores are never in memory all at once.

use crate::local::kernel::Softmax;
use candle_core::{D, Result, Tensor};

/// How many scores of attention are in memory at once: 1 MiB, so that they stay in the processor's cache
/// and the allocator keeps the memory instead of asking the system for it again.
const SCORES_AT_ONCE: usize = 256 << 10;

/// Takes queries `[heads, rows, size]`, keys and values `[heads, tokens, size]`; gives what the queries' rows take.
/// If only what was before counts, it is told how many tokens a text has: row `r` belongs to token `r % tokens`.
pub(crate) fn attention(
    queries: &Tensor,
    keys: &Tensor,
    values: &Tensor,
    before_only: Option<usize>,
) -> Result<Tensor> {
    let (heads, rows, _) = queries.dims3()?;
    let tokens = keys.dim(1)?;
    let heads_at_once = (SCORES_AT_ONCE / (rows * tokens)).max(1);
    let rows_at_once = if heads_at_once > 1 {
        rows
    } else {
        (SCORES_AT_ONCE / tokens).clamp(1, rows)
    };
    let mut taken = Vec::new();
    for head in (0..heads).step_by(heads_at_once) {
        let some = heads_at_once.min(heads - head);
        let keys = keys.narrow(0, head, some)?;
        let keys = keys.transpose(D::Minus1, D::Minus2)?;
        let values = values.narrow(0, head, some)?;
        let mut parts = Vec::new();
        for row in (0..rows).step_by(rows_at_once) {
            let part = queries.narrow(0, head, some)?;
            let part = part.narrow(1, row, rows_at_once.min(rows - row))?;
            let scores = part.matmul(&keys)?;
            scores.inplace_op1(&Softmax {
                before_only,
                first_row: row,
            })?;
            parts.push(scores.matmul(&values)?);
        }
        taken.push(Tensor::cat(&parts, 1)?);
    }
    Tensor::cat(&taken, 0)
}
