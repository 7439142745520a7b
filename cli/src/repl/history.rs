//! Where the lines of earlier conversations are kept: with the user, never with the database.
//!
//! A database folder is copied, backed up and shared; what somebody typed is not for all of them.
//!
//! Next: `complete.rs`.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// How many lines are kept.
pub(super) const MOST: usize = 10_000;

/// The file, if there is a place for it. Its folder is made.
pub(super) fn file() -> Option<PathBuf> {
    let file = place(std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"))?;
    if let Some(folder) = file.parent()
        && let Err(error) = fs::create_dir_all(folder)
    {
        tracing::warn!(%error, "lines are not remembered: cannot create {}", folder.display());
        return None;
    }
    Some(file)
}

/// As the XDG base directory specification has it: a relative path counts for none.
fn place(state: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let state = state.and_then(absolute);
    let folder = state.or_else(|| Some(home.and_then(absolute)?.join(".local/state")))?;
    Some(folder.join("stratigraph/history"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_the_users() {
        let cases = [
            (
                Some("/state"),
                Some("/people/ann"),
                Some("/state/stratigraph/history"),
            ),
            (
                None,
                Some("/people/ann"),
                Some("/people/ann/.local/state/stratigraph/history"),
            ),
            (
                Some("here"),
                Some("/people/ann"),
                Some("/people/ann/.local/state/stratigraph/history"),
            ),
            (None, None, None),
            (Some(""), Some(""), None),
        ];
        for (state, home, file) in cases {
            let found = place(state.map(OsString::from), home.map(OsString::from));
            assert_eq!(found, file.map(PathBuf::from), "{state:?} {home:?}");
        }
    }
}
