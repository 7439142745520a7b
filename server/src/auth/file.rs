//! The file of tokens.
//!
//! ```toml
//! [[token]]
//! name = "reports"
//! hash = "sha256:..."
//! expires = 1798761600       # seconds since 1970; never if it is not said
//! roles = { library = "read" }  # "*" is every database, and the server
//! ```
//! It holds hashes only: who reads it cannot call. It is written as a whole, beside the old one, and takes its place.

use super::role::Role;
use super::token::TokenHash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A token as the file has it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// What logs call it.
    pub name: String,
    /// Its hash.
    pub hash: String,
    /// When it ends: seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// What it may do on which database.
    pub roles: BTreeMap<String, Role>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    #[serde(default)]
    token: Vec<TokenRecord>,
}

/// Why a file of tokens cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenFileError {
    /// It cannot be read or written.
    #[error("cannot {operation} the tokens in {}: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// It is no file of tokens. What stands there is not shown: it may be a secret.
    #[error("{} is no file of tokens: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// There is a token of that name.
    #[error("{} has a token {name} already: choose another name, or remove it there", path.display())]
    NameTaken {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
}

/// The tokens in a file, and their hashes.
pub(super) fn read(path: &Path) -> Result<Vec<(TokenRecord, TokenHash)>, TokenFileError> {
    let text = std::fs::read_to_string(path).map_err(|source| TokenFileError::Io {
        operation: "read",
        path: path.to_path_buf(),
        source,
    })?;
    let malformed = |problem: String| TokenFileError::Malformed {
        path: path.to_path_buf(),
        problem,
    };
    let file: TokenFile =
        toml::from_str(&text).map_err(|error| malformed(error.message().to_owned()))?;
    let mut tokens: Vec<(TokenRecord, TokenHash)> = Vec::with_capacity(file.token.len());
    for record in file.token {
        let hash = record
            .hash
            .parse()
            .map_err(|problem| malformed(format!("token {}: {problem}", record.name)))?;
        if tokens.iter().any(|(known, _)| known.name == record.name) {
            return Err(malformed(format!("two tokens are called {}", record.name)));
        }
        tokens.push((record, hash));
    }
    Ok(tokens)
}

/// Adds a token to a file, which is made if it is not there.
///
/// # Errors
/// [`TokenFileError`]; the file is as it was then.
pub fn add_token(path: &Path, record: TokenRecord) -> Result<(), TokenFileError> {
    let failed = |operation: &'static str| {
        move |source| TokenFileError::Io {
            operation,
            path: path.to_path_buf(),
            source,
        }
    };
    let mut file = TokenFile::default();
    if path.exists() {
        file.token
            .extend(read(path)?.into_iter().map(|(record, _)| record));
    }
    if file.token.iter().any(|known| known.name == record.name) {
        return Err(TokenFileError::NameTaken {
            path: path.to_path_buf(),
            name: record.name,
        });
    }
    file.token.push(record);
    let text = toml::to_string(&file).map_err(|error| TokenFileError::Malformed {
        path: path.to_path_buf(),
        problem: error.to_string(),
    })?;
    let beside = path.with_extension("new");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut written = options.open(&beside).map_err(failed("write"))?;
    written
        .write_all(text.as_bytes())
        .map_err(failed("write"))?;
    written.sync_all().map_err(failed("write"))?;
    std::fs::rename(&beside, path).map_err(failed("write"))
}
