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
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use stratigraph::storage::files::folder_of;

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
    let file: TokenFile = toml::from_str(&text).map_err(|error| {
        // Its message may have values and names in it, which may be secrets in the wrong place: only the place is told.
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count() + 1;
        malformed(format!(
            "line {line} or what belongs to it is wrong; each `[[token]]` has name, hash, roles and, if it ends, expires"
        ))
    })?;
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
    replace(path, text.as_bytes()).map_err(failed("write"))
}

/// Puts a file in the place of another at once, with the owner and the rights of that one: a server that could read the
/// one can read the other. A new file is its owner's alone.
fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    // What a link leads to is replaced, and not the link.
    let target = match path.canonicalize() {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(error) => return Err(error),
    };
    let folder = folder_of(&target);
    let random = crate::ids::random_id().map_err(io::Error::other)?;
    let beside = folder.join(format!(".tokens-{random}"));
    let written = write_beside(&beside, &target, contents)
        .and_then(|()| std::fs::rename(&beside, &target))
        .and_then(|()| File::open(folder)?.sync_all());
    if written.is_err() {
        // It is gone if it has taken its place.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn write_beside(beside: &Path, target: &Path, contents: &[u8]) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(beside)?;
    file.write_all(contents)?;
    #[cfg(unix)]
    match target.metadata() {
        Ok(before) => {
            use std::os::unix::fs::MetadataExt as _;
            let now = file.metadata()?;
            if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
                std::os::unix::fs::fchown(&file, Some(before.uid()), Some(before.gid()))?;
            }
            file.set_permissions(before.permissions())?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str) -> TokenRecord {
        TokenRecord {
            name: name.to_owned(),
            hash: super::super::Secret::new_token()
                .unwrap()
                .hash()
                .to_string(),
            expires: None,
            roles: BTreeMap::new(),
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_rights_and_its_place_and_a_new_one_is_its_owners_alone() {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (
            folder.path().join("tokens.toml"),
            folder.path().join("link"),
        );
        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        add_token(&path, record("one")).unwrap();
        assert_eq!(mode(&path), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        // Only root may give files away.
        let owner = std::os::unix::fs::chown(&path, Some(12_345), Some(12_346)).is_ok();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        add_token(&link, record("two")).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!((mode(&path), read(&path).unwrap().len()), (0o640, 2));
        if owner {
            let metadata = path.metadata().unwrap();
            assert_eq!((metadata.uid(), metadata.gid()), (12_345, 12_346));
        }
        assert_eq!(
            folder.path().read_dir().unwrap().count(),
            2,
            "nothing is left beside it"
        );
    }

    #[test]
    fn what_stands_in_a_file_is_not_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.toml");
        for text in [
            "[[token]]\nname = 'x'\nhash = 'canary'\nroles = {}",
            "[[token]]\nname = 'x'\nhash = 5\nexpires = 'canary'\nroles = {}",
            "[[token]]\ncanary = 1",
            "[[token]]\nroles = { a = 'canary' }\nname = 'x'\nhash = 'y'",
            "canary",
            "[[token]]\nname = 'x'\nhash = 'canary",
        ] {
            std::fs::write(&path, text).unwrap();
            let told = read(&path).map(drop).unwrap_err().to_string();
            assert!(!told.contains("canary"), "{told}");
            assert!(told.contains("line") || told.contains("token x"), "{told}");
        }
    }
}
