//! `model.safetensors` into tensors whose shapes the settings call for.
//!
//! Every tensor is looked up by name, and its kind and shape are checked before a number of it is
//! read. What the file holds beyond that (a pooler, say) is left alone.

use crate::error::ModelError;
use crate::minilm::settings::{self, Settings};
use candle_core::safetensors::BufferedSafetensors;
use candle_core::{DType, Device, Tensor};
use std::path::Path;

/// The tensors of a model's folder.
pub(crate) struct Weights {
    file: BufferedSafetensors,
}

impl Weights {
    /// Reads the whole file; its header is checked against its length.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("model.safetensors");
        let bytes = settings::weights(&path)?;
        let file = BufferedSafetensors::new(bytes);
        let file = file.map_err(|error| settings::malformed(&path, error))?;
        Ok(Self { file })
    }

    /// One tensor, as `f32`.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor, ModelError> {
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
    pub(crate) fn norm(
        &self,
        name: &str,
        settings: &Settings,
    ) -> Result<(Tensor, Tensor), ModelError> {
        let shape = [settings.hidden];
        Ok((
            self.tensor(&format!("{name}.weight"), &shape)?,
            self.tensor(&format!("{name}.bias"), &shape)?,
        ))
    }
}
