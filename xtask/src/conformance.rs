//! The verbs `tck` and `scripts`, and their part of the verb `test`.
//!
//! The scenarios are data that is not in the repository: where they are not, the test command says so in
//! its summary and goes on. Nothing here reads a scenario.

use crate::cargo::Cargo;
use crate::places::Places;
use crate::shell;
use crate::steps::Steps;
use crate::verbs::Failure;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How many scenarios have passed once; fewer fail the test command. It may only be raised.
const RATCHET: usize = 2752;

/// The other variants try one scenario in so many, other ones every day.
const SAMPLE: u64 = 10;

/// `cargo xtask tck`
pub(crate) fn tck(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    let cargo = Cargo::linking(places)?;
    let mut all: Vec<String> = Vec::new();
    let named = ["--data", "--features"];
    let says = |word: &String| named.iter().any(|name| word.starts_with(name));
    if !arguments.iter().any(says) {
        all.extend(["--data".to_owned(), shown(&data(places))]);
    }
    all.extend_from_slice(arguments);
    Ok(run(&cargo, "tck", &all)?)
}

/// `cargo xtask scripts`
pub(crate) fn scripts(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    Ok(run(&Cargo::linking(places)?, "scripts", arguments)?)
}

/// Scripts in all variants, all scenarios in the first one, and a sample of them in the others.
pub(crate) fn steps(places: &Places, cargo: &Cargo<'_>, steps: &mut Steps) -> Result<(), String> {
    steps.run("scripts", || cargo.run_debug("scripts", &[]))?;
    let data = data(places);
    if !data.is_dir() {
        let why = format!("tck skipped: no data at {}", data.display());
        println!("{why}");
        steps.skip("tck", &why);
        return Ok(());
    }
    let (folder, least) = (shown(&data), RATCHET.to_string());
    steps.run("tck", || {
        let all = ["--data", &folder, "--groups", "10", "--min", &least];
        cargo.run_debug("tck", &all)
    })?;
    let sample = format!("{SAMPLE}/{}", day(SystemTime::now()));
    shell::say(&format!(
        "the other variants try one scenario in N/SEED = {sample}"
    ));
    steps.run("tck variants", || {
        let some = ["--data", &folder, "--sample", &sample];
        let same = ["--all-variants", "--same", "--groups", "10"];
        cargo.run_debug("tck", &[some.as_slice(), &same].concat())
    })
}

/// Where the scenarios are if nobody says otherwise.
fn data(places: &Places) -> PathBuf {
    places.shared.join("tck")
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The number of the day, as a seed that can be repeated.
fn day(now: SystemTime) -> u64 {
    let since = now.duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or(Duration::ZERO).as_secs() / 86_400
}

/// As a verb of its own, with only what it depends on: who changes the language waits for no server and no model.
fn run(cargo: &Cargo<'_>, name: &str, arguments: &[String]) -> Result<(), String> {
    let mut command = vec!["run", "--package", "stratigraph-tck", "--bin", name, "--"];
    command.extend(arguments.iter().map(String::as_str));
    cargo.run(&command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_changes_with_the_day() {
        let at = |seconds| day(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!((at(86_399), at(86_400), at(0)), (0, 1, 0));
    }

    #[test]
    fn the_data_is_looked_for_where_all_of_it_is() {
        let places = Places {
            checkout: "here/project".into(),
            cache: "cache".into(),
            target: "target".into(),
            shared: "elsewhere".into(),
        };
        assert_eq!(data(&places), Path::new("elsewhere/tck"));
    }
}
