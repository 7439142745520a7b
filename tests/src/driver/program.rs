//! The frame of a harness's program: how it ends, and what it says of itself.

use super::child::planted;
use anyhow::Result;
use std::process::ExitCode;

/// Flags that every harness has.
#[derive(Debug, Clone, clap::Args)]
pub struct Common {
    /// Decides the databases and everything that happens to them; a random one is drawn and printed.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Plants a bug in the engine; the run must fail then.
    #[arg(long)]
    pub plant: Option<String>,
}

impl Common {
    /// The seed that was given, or a new one.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| fastrand::u64(..1 << 32))
    }

    /// The flag that plants the same bug, for a line that says how to repeat a run.
    #[must_use]
    pub fn plant_again(&self) -> String {
        planted(self.plant.as_deref())
            .map(|flag| format!(" {flag}"))
            .unwrap_or_default()
    }
}

/// Ends the program: well, if nothing was found and the run proves something.
pub fn end(name: &str, done: Result<bool>) -> ExitCode {
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a run could have found anything: says why not, of each that is so.
#[must_use]
pub fn proves_something(name: &str, missing: &[(bool, &str)]) -> bool {
    for (_, why) in missing.iter().filter(|(is_missing, _)| *is_missing) {
        eprintln!("{name}: this run proves nothing: {why}");
    }
    missing.iter().all(|(is_missing, _)| !is_missing)
}
