//! The settings of a server: one name each, from flags, the environment, or a file, in that order of precedence.
//!
//! `max-rows` is `--max-rows` on the command line, `STRATIGRAPH_MAX_ROWS` in the environment and `max_rows` in the
//! file. [`settings`] is the one table of them; what it does not have does not exist, and an unknown name in the file
//! is an error, because a limit that was misspelled would not hold.
//!
//! Nothing here opens a file but the settings' own, and no secret is a setting: tokens and keys are files, and the
//! settings name them.
//!
//! Next: `settings.rs`, then `check.rs`.

mod check;
mod quantity;
mod settings;

pub use check::{Finding, FindingKind};
pub use quantity::{PerMillion, Period, Size};
pub use settings::{Config, Flags, LogFormat};

use std::path::{Path, PathBuf};

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the settings in {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what a file of settings is.
    #[error("{}: {message}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, with its place.
        message: String,
    },
    /// Settings that do not fit together.
    #[error("{}", findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Refused {
        /// What is wrong.
        findings: Vec<Finding>,
    },
}

impl Flags {
    /// The settings: what the flags say (the environment among them), else the file, else the defaults.
    ///
    /// # Errors
    /// [`ConfigError`] if there is no such file, or it is malformed. Whether the settings fit together is for
    /// [`Config::check`] to say.
    pub fn resolve(self) -> Result<Config, ConfigError> {
        let file = match &self.config {
            Some(path) => read(path)?,
            None => Flags::default(),
        };
        Ok(self.or(file))
    }
}

fn read(path: &Path) -> Result<Flags, ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_path_buf(),
        source,
    })?;
    toml::from_str(&text).map_err(|error| ConfigError::Malformed {
        path: path.to_path_buf(),
        message: error.to_string().trim_end().to_owned(),
    })
}

#[cfg(test)]
mod tests;
