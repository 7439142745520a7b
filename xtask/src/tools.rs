//! The programs cargo calls as subcommands: use an installed one, else build it into the cache.
//!
//! What we install lies in `tools` inside the cache and is found through `PATH` by our own calls
//! only; the user's cargo home is never written to.

use crate::places::Places;
use crate::shell;
use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A cargo subcommand we use.
pub(crate) struct Tool {
    /// What comes after `cargo`.
    subcommand: &'static str,
    /// The crate that brings it.
    package: &'static str,
    /// What we install.
    version: &'static str,
    /// The oldest (major, minor) an installed one may be.
    oldest: (u32, u32),
    takes: &'static str,
}

/// The test runner. Any recent one does.
pub(crate) const NEXTEST: Tool = Tool {
    subcommand: "nextest",
    package: "cargo-nextest",
    version: "0.9.143",
    oldest: (0, 9),
    takes: "about 6 minutes on two cores",
};

/// Licences, bans, sources, advisories. Versions before 0.20 refuse parts of our `deny.toml`.
pub(crate) const DENY: Tool = Tool {
    subcommand: "deny",
    package: "cargo-deny",
    version: "0.20.2",
    oldest: (0, 20),
    takes: "about 8 minutes on two cores",
};

impl Tool {
    /// Whether a version we can use is there, ours or the machine's.
    pub(crate) fn is_installed(&self, places: &Places) -> bool {
        let output = Command::new("cargo")
            .args([self.subcommand, "--version"])
            .env("PATH", search_path(places))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        output.is_ok_and(|output| {
            output.status.success()
                && version(&String::from_utf8_lossy(&output.stdout))
                    .is_some_and(|found| found >= self.oldest)
        })
    }

    /// Installs the tool if no usable one is there.
    pub(crate) fn ensure(&self, places: &Places) -> Result<(), String> {
        if self.is_installed(places) {
            return Ok(());
        }
        shell::say(&format!(
            "installing {} {} into the cache ({})",
            self.package, self.version, self.takes
        ));
        let home = home(places);
        let build = home.join("build");
        std::fs::create_dir_all(&home)
            .map_err(|error| format!("cannot create {}: {error}", home.display()))?;
        // Outside the checkout, whose cargo configuration is not meant for tools. The build folder
        // stays when the run is cut short, so that the next one goes on from there.
        let version = format!("={}", self.version);
        shell::run(
            Command::new("cargo")
                .args([
                    "install",
                    self.package,
                    "--locked",
                    "--version",
                    &version,
                    "--root",
                ])
                .arg(&home)
                .arg("--target-dir")
                .arg(&build)
                .current_dir(&home)
                .env_remove("CARGO_TARGET_DIR")
                .env_remove("RUSTFLAGS"),
        )?;
        match std::fs::remove_dir_all(&build) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(format!("cannot remove {}: {error}", build.display()));
            }
            _ => {}
        }
        if self.is_installed(places) {
            Ok(())
        } else {
            Err(format!(
                "`cargo {}` does not work after installing {}",
                self.subcommand, self.package
            ))
        }
    }
}

fn home(places: &Places) -> PathBuf {
    places.cache.join("tools")
}

/// `PATH` with our tools in front, so that an old one on the machine is not taken instead.
pub(crate) fn search_path(places: &Places) -> OsString {
    let mut path = home(places).join("bin").into_os_string();
    if let Some(rest) = env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    path
}

/// The (major, minor) in a line like `cargo-nextest 0.9.143 (60fa45f63 2026-08-04)`.
fn version(line: &str) -> Option<(u32, u32)> {
    let mut parts = line.split_whitespace().nth(1)?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_compared_as_numbers() {
        assert_eq!(
            version("cargo-nextest 0.9.143 (60fa45f63 2026-08-04)\nrelease: 0.9.143"),
            Some((0, 9))
        );
        assert_eq!(version("cargo-deny 0.20.2"), Some((0, 20)));
        assert!(version("cargo-deny 0.14.2").unwrap() < DENY.oldest);
        assert!(version("cargo-deny 1.0.0").unwrap() > DENY.oldest);
        assert_eq!(version("error"), None);
    }
}
