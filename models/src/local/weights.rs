//! `model.safetensors` into tensors whose shapes the settings call for.
//!
//! Every tensor is looked up by name, and its kind and shape are checked before a number of it is
//! read. What the file holds beyond that (a pooler, say) is left alone.

use crate::error::ModelError;
use crate::local::files::{Files, malformed};
use candle_core::safetensors::BufferedSafetensors;
use candle_core::{DType, Device, Tensor};

/// The tensors of a model.
pub(crate) struct Weights {
    file: BufferedSafetensors,
    /// What stands before the names of an encoder's tensors.
    prefix: &'static str,
}

impl Weights {
    /// Reads the whole file; its header is checked against its length.
    pub(crate) fn read(files: &Files) -> Result<Self, ModelError> {
        let (path, bytes) = files.weights()?;
        let file = BufferedSafetensors::new(bytes);
        let file = file.map_err(|error| malformed(&path, error))?;
        Ok(Self { file, prefix: "" })
    }

    /// Takes the first of these for what stands before the names of an encoder's tensors, by the name of one of them.
    pub(crate) fn under(mut self, prefixes: &[&'static str], name: &str) -> Self {
        let there = |prefix: &&&'static str| self.file.get(&format!("{prefix}{name}")).is_ok();
        self.prefix = prefixes.iter().find(there).copied().unwrap_or_default();
        self
    }

    /// One of an encoder's tensors, as `f32`.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        self.any(&format!("{}{name}", self.prefix), shape)
    }

    /// Any tensor, as `f32`.
    pub(crate) fn any(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
        let Ok(view) = self.file.get(name) else {
            return Err(ModelError::MissingTensor { name: name.into() });
        };
        if view.shape() != shape {
            return Err(ModelError::WrongShape {
                name: name.into(),
                expected: shape.to_vec(),
                found: view.shape().to_vec(),
            });
        }
        let kind = DType::try_from(view.dtype()).ok();
        if !matches!(kind, Some(DType::F32 | DType::F16 | DType::BF16)) {
            return Err(ModelError::WrongKind {
                name: name.into(),
                found: format!("{:?}", view.dtype()),
            });
        }
        let tensor = self.file.load(name, &Device::Cpu);
        tensor
            .and_then(|tensor| tensor.to_dtype(DType::F32))
            .map_err(|error| ModelError::Compute(error.into()))
    }

    /// A matrix and its bias, for vectors of `from` numbers that become vectors of `to`.
    pub(crate) fn linear(
        &self,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<(Tensor, Tensor), ModelError> {
        Ok((
            self.tensor(&format!("{name}.weight"), &[to, from])?,
            self.tensor(&format!("{name}.bias"), &[to])?,
        ))
    }

    /// The scale and the shift of a layer norm.
    pub(crate) fn norm(&self, name: &str, width: usize) -> Result<(Tensor, Tensor), ModelError> {
        Ok((
            self.tensor(&format!("{name}.weight"), &[width])?,
            self.tensor(&format!("{name}.bias"), &[width])?,
        ))
    }
}
