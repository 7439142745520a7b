//! `--profile`: a system, or the mapping of tables.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use stratigraph_rag::ingest::System;

/// What is made of what comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Profile {
    /// Documents become the graph of a system.
    System(System),
    /// Tables become what a mapping says.
    Typed(PathBuf),
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("typed:") {
            Some("") => Err("name the mapping: typed:audit.toml".to_owned()),
            Some(mapping) => Ok(Self::Typed(mapping.into())),
            None => text.parse().map(Self::System).map_err(
                |error: stratigraph_rag::ingest::UnknownSystem| {
                    format!("{error}; tables come in with typed:MAPPING")
                },
            ),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(system) => system.fmt(f),
            Self::Typed(mapping) => write!(f, "typed:{}", mapping.display()),
        }
    }
}
