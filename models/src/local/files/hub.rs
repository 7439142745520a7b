//! Where the hub's own tools keep what they fetched: `models--ORG--NAME/snapshots/COMMIT`, beside `refs/BRANCH` with
//! the commit of a branch. Nothing is fetched here.

use crate::error::ModelError;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The cache of this machine's user, by the rules of the hub's tools.
pub(super) fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).filter(|value| !value.is_empty());
    let folder = |name: &str| folder(name).map(PathBuf::from);
    folder("HF_HUB_CACHE")
        .or_else(|| folder("HUGGINGFACE_HUB_CACHE"))
        .or_else(|| folder("HF_HOME").map(|home| home.join("hub")))
        .or_else(|| folder("XDG_CACHE_HOME").map(|cache| cache.join("huggingface/hub")))
        .or_else(|| folder("HOME").map(|home| home.join(".cache/huggingface/hub")))
}

/// The folder of a model at a branch or commit; at `main` unless something else is said.
pub(super) fn snapshot(
    cache: &Path,
    model: &str,
    revision: Option<&str>,
) -> Result<PathBuf, ModelError> {
    let missing = |looked: PathBuf| ModelError::NotInHub {
        model: model.chars().take(120).collect(),
        looked,
    };
    // All of it becomes part of a path.
    let plain = |name: &str| {
        let sign = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
        !name.is_empty() && !name.starts_with('.') && name.chars().all(sign)
    };
    let parts: Vec<&str> = model.split('/').collect();
    if parts.len() > 2 || !parts.iter().all(|part| plain(part)) {
        return Err(missing(cache.to_path_buf()));
    }
    let folder = cache.join(format!("models--{}", parts.join("--")));
    let snapshots = folder.join("snapshots");
    let wanted = revision.unwrap_or("main");
    if !wanted.split('/').all(plain) {
        return Err(missing(folder));
    }
    let found = |commit: &str| {
        let snapshot = snapshots.join(commit);
        (plain(commit) && snapshot.is_dir()).then_some(snapshot)
    };
    let branch = fs::read_to_string(folder.join("refs").join(wanted)).unwrap_or_default();
    if let Some(snapshot) = found(branch.trim()).or_else(|| found(wanted)) {
        return Ok(snapshot);
    }
    // One that was fetched by its commit alone has no branch.
    let all = fs::read_dir(&snapshots).into_iter().flatten().flatten();
    let mut all = all.map(|entry| entry.path()).filter(|path| path.is_dir());
    match (all.next(), all.next(), revision) {
        (Some(only), None, None) => Ok(only),
        _ => Err(missing(snapshots)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_tools_of_the_hub_look() {
        let said = |pairs: &'static [(&str, &str)]| {
            cache(move |name| {
                let found = pairs.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(
            said(&[("HOME", "/ann"), ("HF_HOME", "")]),
            Some("/ann/.cache/huggingface/hub".into())
        );
        assert_eq!(
            said(&[("HOME", "/ann"), ("XDG_CACHE_HOME", "/xdg")]),
            Some("/xdg/huggingface/hub".into())
        );
        assert_eq!(
            said(&[("XDG_CACHE_HOME", "/xdg"), ("HF_HOME", "/hf")]),
            Some("/hf/hub".into())
        );
        assert_eq!(
            said(&[("HF_HOME", "/hf"), ("HF_HUB_CACHE", "/hub")]),
            Some("/hub".into())
        );
        assert_eq!(said(&[]), None);
    }

    #[test]
    fn branches_lead_to_commits_and_names_nowhere_else() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("models--org--small-model.v1");
        for commit in ["aaaa", "bbbb"] {
            fs::create_dir_all(folder.join("snapshots").join(commit)).unwrap();
        }
        let find = |model, revision| snapshot(cache.path(), model, revision);
        let refused =
            |model, revision| matches!(find(model, revision), Err(ModelError::NotInHub { .. }));
        let model = "org/small-model.v1";
        // Two, and nobody says which.
        assert!(refused(model, None));
        assert_eq!(
            find(model, Some("bbbb")).unwrap(),
            folder.join("snapshots/bbbb")
        );
        fs::create_dir_all(folder.join("refs/pr")).unwrap();
        fs::write(folder.join("refs/main"), "bbbb\n").unwrap();
        fs::write(folder.join("refs/pr/5"), "aaaa").unwrap();
        assert_eq!(find(model, None).unwrap(), folder.join("snapshots/bbbb"));
        assert_eq!(
            find(model, Some("pr/5")).unwrap(),
            folder.join("snapshots/aaaa")
        );
        for (model, revision) in [
            (model, Some("cccc")),
            (model, Some("../aaaa")),
            (model, Some("/etc")),
            ("../models--org--small-model.v1", None),
            ("a/b/c", None),
            ("", None),
            ("..", None),
            ("other/model", None),
        ] {
            assert!(refused(model, revision), "{model} at {revision:?}");
        }
        fs::write(folder.join("refs/main"), "../../elsewhere").unwrap();
        fs::create_dir(cache.path().join("elsewhere")).unwrap();
        assert!(refused(model, None));
        // Fetched by its commit alone.
        fs::create_dir_all(cache.path().join("models--one/snapshots/cccc")).unwrap();
        assert!(find("one", None).unwrap().ends_with("cccc"));
    }
}
