//! No file of the repository may hold a path of the machine it was written on: the home folder of
//! whoever wrote it, or the place of the checkout.
//!
//! Binary files are looked into as well, because a database kept as a test fixture carries paths
//! in its logs. The check only reads.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where people's home folders are, on any machine; what follows is a person's name.
const HOMES: [&str; 3] = ["/home/", "/Users/", "/root/"];

/// What git would not keep, for a tree that is not under git.
const NOT_OURS: [&str; 7] = [
    ".git",
    ".native",
    "target",
    "tour",
    "corpus",
    "artifacts",
    "node_modules",
];

/// Every file with such a path, as a line each.
pub(crate) fn check(checkout: &Path) -> Result<Vec<String>, String> {
    let mut needles: Vec<String> = HOMES.map(str::to_owned).into();
    // What lies in a home folder is found by the above already.
    let own = [
        Some(checkout.to_path_buf()),
        env::var_os("HOME").map(PathBuf::from),
    ];
    let own = own
        .into_iter()
        .flatten()
        .map(|path| path.to_string_lossy().into_owned());
    let elsewhere = |path: &String| {
        !HOMES
            .iter()
            .any(|home| format!("{path}/").starts_with(home))
    };
    needles.extend(own.filter(elsewhere).filter(|path| path.len() > 1));
    let mut faults = Vec::new();
    for name in files(checkout)? {
        let path = checkout.join(&name);
        // A link to outside (`.native`) has no content of its own, and a file may be deleted but
        // not yet from git's index.
        if !path.symlink_metadata().is_ok_and(|about| about.is_file()) {
            continue;
        }
        let bytes =
            fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        faults.extend(
            find(&bytes, &needles)
                .map(|line| format!("{}:{line} holds a path of one machine", name.display())),
        );
    }
    Ok(faults)
}

/// The line of the first needle that stands as an absolute path.
fn find(bytes: &[u8], needles: &[String]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes);
    let hit = needles.iter().flat_map(|needle| {
        text.match_indices(needle.as_str())
            .map(|(at, _)| at)
            .filter(|at| is_path(&text, *at, needle))
    });
    hit.min().map(|at| text[..at].matches('\n').count() + 1)
}

/// `engine/src` is no checkout at `/src`, and `/data/mainly` is not inside one at `/data/main`; so what
/// stands before must not continue a path, and what follows must.
fn is_path(text: &str, at: usize, needle: &str) -> bool {
    let continues = |letter: char| letter.is_alphanumeric() || "._-~/$})".contains(letter);
    let starts_here = !text[..at].ends_with(continues);
    let after = &text[at + needle.len()..];
    let goes_on = if needle.ends_with('/') {
        after.starts_with(|letter: char| letter.is_alphanumeric() || "._-".contains(letter))
    } else {
        !after.starts_with(|letter: char| letter.is_alphanumeric() || "_-".contains(letter))
    };
    starts_here && goes_on
}

/// What git keeps or would keep; without git, everything but build output.
fn files(checkout: &Path) -> Result<Vec<PathBuf>, String> {
    let listing = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(checkout)
        .output();
    match listing {
        Ok(listing) if listing.status.success() => {
            let names = String::from_utf8_lossy(&listing.stdout);
            Ok(names
                .split('\0')
                .filter(|name| !name.is_empty())
                .map(PathBuf::from)
                .collect())
        }
        _ => {
            let mut found = Vec::new();
            walk(checkout, Path::new(""), &mut found)?;
            Ok(found)
        }
    }
}

/// Every file below a folder of a tree, by its path in the tree; what git would not keep is left out.
pub(crate) fn walk(root: &Path, inside: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let folder = root.join(inside);
    let entries = folder
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let name = inside.join(entry.file_name());
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_dir {
            found.push(name);
        } else if !NOT_OURS.iter().any(|other| entry.file_name() == *other) {
            walk(root, &name, found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written apart, so that this file passes its own check.
    fn needles() -> Vec<String> {
        let mut needles: Vec<String> = HOMES.map(str::to_owned).into();
        needles.push("/src".into());
        needles
    }

    #[test]
    fn home_folders_and_the_checkout_are_found_with_their_line() {
        let planted = format!("one\ntwo {}alice/data\n", HOMES[0]);
        assert_eq!(find(planted.as_bytes(), &needles()), Some(2));
        assert_eq!(find(b"open(\"/src/engine\")", &needles()), Some(1));
        assert_eq!(find(b"cd /src", &needles()), Some(1));
    }

    #[test]
    fn bytes_that_are_no_text_are_searched_too() {
        let mut planted = vec![0xff, 0x00, 0xfe];
        planted.extend(format!("{}bob/db\0", HOMES[1]).bytes());
        assert_eq!(find(&planted, &needles()), Some(1));
    }

    #[test]
    fn relative_paths_longer_names_and_bare_words_are_no_machine_paths() {
        for innocent in [
            "engine/src/lib.rs",
            "./src",
            "/srcs",
            "/src-old",
            "$DIR/src",
            "under /home/ or",
            "as root",
        ] {
            assert_eq!(find(innocent.as_bytes(), &needles()), None, "{innocent}");
        }
    }

    #[test]
    fn a_planted_file_is_reported_by_name() {
        let root = env::temp_dir().join(format!("xtask-paths-{}", std::process::id()));
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::create_dir_all(root.join("target")).unwrap();
        fs::write(root.join("docs/a.md"), "clean\n").unwrap();
        fs::write(
            root.join("docs/b.md"),
            format!("see {}\n", root.join("docs").display()),
        )
        .unwrap();
        fs::write(
            root.join("target/c.md"),
            format!("see {}\n", root.display()),
        )
        .unwrap();
        let faults = check(&root);
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(faults.unwrap(), ["docs/b.md:1 holds a path of one machine"]);
    }
}
