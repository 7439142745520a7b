//! The verb `setup`: everything a fresh Debian 12 machine with Rust and a C compiler lacks.
//!
//! Each part looks before it acts, so running it again is quick and changes nothing.

use crate::cargo::Cargo;
use crate::models;
use crate::places::Places;
use crate::shell;
use crate::tools;
use crate::verbs::Failure;

/// `cargo xtask setup [--models]`
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    let with_models = match arguments {
        [] => false,
        [word] if word == "--models" => true,
        _ => {
            return Err(Failure::Usage(format!(
                "this verb takes `--models` or nothing, but got `{}`",
                arguments.join(" ")
            )));
        }
    };
    if with_models {
        // Needs nothing of the rest, and the rest may take a quarter of an hour.
        models::ensure(places)?;
        models::ensure_wheel(places)?;
    }
    ensure(places)?;
    shell::say(&format!("cache:  {}", places.cache.display()));
    shell::say(&format!("target: {}", places.target.display()));
    Ok(())
}

/// What `test` needs, and with it every other verb.
pub(crate) fn ensure(places: &Places) -> Result<Cargo<'_>, String> {
    shell::say("system packages, librocksdb, cargo-nextest (seconds when they are there)");
    let cargo = Cargo::linking(places)?;
    tools::NEXTEST.ensure(places)?;
    shell::say("everything the build needs is there");
    Ok(cargo)
}
