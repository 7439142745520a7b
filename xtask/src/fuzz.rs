//! The verb `fuzz`: coverage-guided fuzzing of every decoder, on the stable toolchain.
//!
//! No nightly and no cargo-fuzz: `libfuzzer-sys` brings libFuzzer, and the flags below make the
//! compiler count branches for it. `fuzz/` is a workspace of its own and never part of a product.

use crate::cargo::Cargo;
use crate::harness;
use crate::places::Places;
use crate::shell;
use crate::verbs::Failure;
use std::fs;
use std::process::Command;

/// Debug assertions are on, so that an overflow or a broken assumption counts as a finding.
const RUSTFLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 -Cdebug-assertions=on -Coverflow-checks=on --cfg fuzzing";

/// Finds reads and writes outside of what was allocated. Only a nightly compiler takes the flag by itself.
const ADDRESS_SANITIZER: &str = "-Zsanitizer=address";
const ALLOWS_NIGHTLY_FLAGS: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

const DEFAULT_SECONDS: u32 = 60;

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Wish {
    target: Option<String>,
    seconds: u32,
    address_sanitizer: bool,
}

/// `cargo xtask fuzz TARGET`
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    let wish = parse(arguments)?;
    let targets = harness::programs(&places.checkout.join("fuzz/fuzz_targets"))?;
    let Some(target) = wish.target.clone() else {
        println!("fuzz targets (`all` runs each):");
        targets.iter().for_each(|name| println!("  {name}"));
        return Ok(());
    };
    let chosen = if target == "all" {
        targets
    } else {
        harness::known("fuzz target", &target, &targets)?;
        vec![target]
    };
    let cargo = Cargo::linking(places)?;
    for name in &chosen {
        fuzz(places, &cargo, name, &wish)?;
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Wish, Failure> {
    let mut target = None;
    let mut seconds = DEFAULT_SECONDS;
    let mut address_sanitizer = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--seconds" {
            let number = words.next().and_then(|number| number.parse().ok());
            // For libFuzzer 0 means no limit, which would never return.
            seconds = number
                .filter(|seconds| *seconds > 0)
                .ok_or_else(|| Failure::Usage("--seconds takes a number above 0".into()))?;
        } else if word == "--address-sanitizer" {
            address_sanitizer = true;
        } else if word.starts_with('-') || target.is_some() {
            return Err(Failure::Usage(format!(
                "`{word}` is not understood here; see `cargo xtask help fuzz`"
            )));
        } else {
            target = Some(word.clone());
        }
    }
    Ok(Wish {
        target,
        seconds,
        address_sanitizer,
    })
}

fn fuzz(places: &Places, cargo: &Cargo<'_>, name: &str, wish: &Wish) -> Result<(), String> {
    let seconds = wish.seconds;
    shell::say(&format!(
        "fuzzing {name} for {seconds} seconds, after its build"
    ));
    // Named although it is the default: with a target, the flags do not reach build scripts and
    // macros, which have no libFuzzer to link the counters to.
    let host = host()?;
    let mut flags = RUSTFLAGS.to_owned();
    let mut output = places.target.join("fuzz");
    if wish.address_sanitizer {
        flags = format!("{flags} {ADDRESS_SANITIZER}");
        output = places.target.join("fuzz-address-sanitizer");
    }
    let arguments = [
        "build",
        "--release",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target",
        &host,
        "--bin",
        name,
    ];
    let mut build = cargo.command(&arguments);
    build
        .arg("--target-dir")
        .arg(&output)
        .env("RUSTFLAGS", flags);
    if wish.address_sanitizer {
        let (name, value) = ALLOWS_NIGHTLY_FLAGS;
        build.env(name, value);
    }
    shell::run(&mut build)?;

    let fuzz = places.checkout.join("fuzz");
    let corpus = fuzz.join("corpus").join(name);
    let artifacts = fuzz.join("artifacts").join(name);
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    }
    let mut command = Command::new(output.join(&host).join("release").join(name));
    command
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg("-print_final_stats=1")
        .arg(&corpus)
        .current_dir(&fuzz);
    // Inputs kept in the repository are read but never written: new finds go to the first folder.
    let seeds = fuzz.join("seeds").join(name);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    shell::run(&mut command)
}

fn host() -> Result<String, String> {
    let about = shell::output("rustc", &["-vV"])?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "`rustc -vV` names no host".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Wish, Failure> {
        parse(
            &line
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn the_target_and_its_time() {
        let wish = |target: Option<&str>, seconds, address_sanitizer| Wish {
            target: target.map(str::to_owned),
            seconds,
            address_sanitizer,
        };
        assert_eq!(parsed("").unwrap(), wish(None, DEFAULT_SECONDS, false));
        assert_eq!(
            parsed("keys --address-sanitizer").unwrap(),
            wish(Some("keys"), DEFAULT_SECONDS, true)
        );
        assert_eq!(
            parsed("--seconds 5 all").unwrap(),
            wish(Some("all"), 5, false)
        );
    }

    #[test]
    fn nonsense_is_a_usage_error() {
        for line in [
            "a b",
            "a --seconds",
            "a --seconds soon",
            "a --seconds 0",
            "a --minutes 3",
        ] {
            assert!(matches!(parsed(line), Err(Failure::Usage(_))), "{line}");
        }
    }
}
