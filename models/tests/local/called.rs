//! Embedders by the names that databases have for them: a commit in the hub's cache, and never a path.

use crate::sources::files;
use crate::tiny::Tiny;
use std::fs;
use std::path::Path;
use std::process::Command;
use stratigraph_models::{ModelSource, embedder_called, open_embedder};

/// Writes a model into a folder that is not there yet.
fn write(tiny: &Tiny, folder: &Path) {
    fs::create_dir_all(folder.join("1_Pooling")).expect("a folder");
    for (name, bytes) in files(tiny) {
        fs::write(folder.join(name), bytes).expect("a file");
    }
}

/// Runs this test once more in a folder and with a cache of its own, as no test may change where it stands or its
/// environment.
#[test]
fn a_model_of_the_hub_is_opened_by_its_commit_and_none_by_a_path() {
    const GIVEN: &str = "STRATIGRAPH_TEST_HAS_A_HUB";
    if std::env::var_os(GIVEN).is_some() {
        return with_a_cache();
    }
    let (cache, here) = (tempfile::tempdir(), tempfile::tempdir());
    let (cache, here) = (cache.expect("a folder"), here.expect("a folder"));
    let tiny = Tiny::new(46);
    let model = cache.path().join("models--org--tiny");
    write(&tiny, &model.join("snapshots/c0ffee"));
    fs::create_dir(model.join("refs")).expect("a folder");
    for branch in ["main", "beef"] {
        fs::write(model.join("refs").join(branch), "c0ffee").expect("a file");
    }
    for name in ["tiny", "other@c0ffee"] {
        write(&tiny, &here.path().join(name));
    }
    let this = Command::new(std::env::current_exe().expect("it runs"))
        .args([
            "--exact",
            "called::a_model_of_the_hub_is_opened_by_its_commit_and_none_by_a_path",
        ])
        .env(GIVEN, "yes")
        .env("HF_HUB_CACHE", cache.path())
        .current_dir(here.path())
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&this.stdout);
    let log = String::from_utf8_lossy(&this.stderr);
    assert!(
        this.status.success() && said.contains("1 passed"),
        "{said}{log}"
    );
}

fn with_a_cache() {
    let called = |name: &str| embedder_called(name).map(|opened| opened.name().to_owned());
    let commit = "org/tiny@c0ffee";
    assert_eq!(called(commit).as_deref(), Some(commit));
    // What its user may call it is there, and is no name that it has for itself: a branch has other vectors tomorrow, and
    // whoever made a database must not choose what is read in this folder.
    for name in [
        "org/tiny",
        "org/tiny@main",
        "org/tiny@beef",
        "tiny",
        "./tiny",
        "other@c0ffee",
        "./other@c0ffee",
    ] {
        assert!(open_embedder(&ModelSource::named(name)).is_ok(), "{name}");
        assert_eq!(called(name), None, "{name}");
    }
    assert_eq!(called("org/tiny@cccc"), None);
}
