//! MiniLM straight out of its wheel: the same rows as from the folder that it is unpacked to.
//!
//! It needs the wheel, whose path is in `STRATIGRAPH_MINILM_WHEEL`, and the model in the cache. Without them the test
//! says so and is not a failure.

use std::env;
use stratigraph_models::{Embedder, LocalEmbedder, ModelSource, cached_minilm, open_embedder};

#[test]
fn the_wheel_gives_the_rows_of_the_folder() {
    let wheel = env::var_os("STRATIGRAPH_MINILM_WHEEL");
    let (Some(wheel), Some(folder)) = (wheel, cached_minilm()) else {
        eprintln!("SKIPPED: STRATIGRAPH_MINILM_WHEEL names no wheel, or the model is not cached");
        return;
    };
    let packed = open_embedder(&ModelSource::minilm_wheel(wheel)).expect("the wheel opens");
    let unpacked = LocalEmbedder::load(folder).expect("the cached model loads");
    let texts = ["Old rocks.", "Taxes are due in May.", ""];
    assert_eq!(packed.name(), unpacked.name());
    assert_eq!(
        packed.embed(&texts).unwrap(),
        unpacked.embed(&texts).unwrap()
    );
}
