//! What stands between the matrix products, each in one pass over its rows.
//!
//! The library computes these one step and one copy at a time, with an exponential and an error
//! function that take single numbers, and spreads additions over threads of its own that wait by
//! spinning. Here bias, residual, norm, GELU and softmax are loops over the memory that the product
//! before has just filled; the compiler turns them into vector instructions of the widest kind the
//! processor has (`dispatch.rs`). No thread is started.

mod attention;
mod dispatch;
mod gelu;
mod norm;
mod root_norm;
mod swiglu;
mod turn;

pub(crate) use attention::{JoinHeads, Softmax, SplitHeads};
pub(crate) use gelu::BiasGelu;
pub(crate) use norm::AddNorm;
pub(crate) use root_norm::RootNorm;
pub(crate) use swiglu::SwiGlu;
pub(crate) use turn::{TurnHeads, Turning};

use candle_core::{CpuStorage, Layout, Result, Tensor, bail};

/// The numbers of an argument, which must lie one after another.
fn numbers<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    let (CpuStorage::F32(numbers), Some((start, end))) = (storage, layout.contiguous_offsets())
    else {
        bail!("takes contiguous f32 only");
    };
    Ok(&numbers[start..end])
}

/// The same, to be overwritten.
fn numbers_mut<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    let (CpuStorage::F32(numbers), Some((start, end))) = (storage, layout.contiguous_offsets())
    else {
        bail!("takes contiguous f32 only");
    };
    Ok(&mut numbers[start..end])
}

/// The length of the last dimension, which must be the kernel's own.
fn rows_of(layout: &Layout, expected: usize) -> Result<()> {
    if expected == 0 || layout.dims().last() != Some(&expected) {
        bail!("takes rows of {expected} numbers, not {:?}", layout.dims());
    }
    Ok(())
}

/// A parameter as the kernels keep it.
fn parameter(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.to_vec1()
}
