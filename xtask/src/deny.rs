//! Licences, bans, sources and advisories of what we depend on, through cargo-deny.
//!
//! The advisory database comes over the network. A machine without one skips that part and says
//! so: it must never look as if the advisories had been checked.

use crate::cargo::Cargo;
use crate::shell;
use crate::steps::Steps;
use std::time::Duration;

/// Fetching takes seconds; a firewall that swallows packets would otherwise hold us for minutes.
const FETCH_LIMIT: Duration = Duration::from_secs(120);

/// Needs an installed cargo-deny.
pub(crate) fn check(cargo: &Cargo<'_>, steps: &mut Steps) -> Result<(), String> {
    steps.run("deny", || {
        cargo.run(&["deny", "check", "licenses", "bans", "sources"])
    })?;
    let fetched = shell::run_within(&mut cargo.command(&["deny", "fetch", "db"]), FETCH_LIMIT);
    match fetched {
        Ok(()) => steps.run("advisories", || {
            cargo.run(&["deny", "check", "--disable-fetch", "advisories"])
        }),
        Err(why) => {
            steps.skip(
                "advisories",
                &format!("the advisory database cannot be fetched here ({why})"),
            );
            Ok(())
        }
    }
}
