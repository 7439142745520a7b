//! The code map in `ARCHITECTURE.md` against the tree: every path in it exists, and every crate,
//! every module of the large ones and every page of `docs` is in it.
//!
//! Only the section `## Code map` is read, so that plans for later crates can stand in another one.
//! This file reads names and never what is inside the source.

use crate::files::read;
use std::collections::BTreeSet;
use std::path::Path;

/// Where the map is, and the layers.
pub(crate) const MAP: &str = "ARCHITECTURE.md";
const SECTION: &str = "## Code map";
/// Crates that are too large to be found one's way in without their folders; all of these are there.
const SOURCES: [&str; 5] = [
    "engine/src",
    "rag/src",
    "server/src",
    "cli/src",
    "tests/src",
];

/// Where the pages are. A page that the map lacks is one that nobody finds who reads the code.
const PAGES: &str = "docs";

/// Every difference between the map and the tree, as a sentence each.
pub(crate) fn check(checkout: &Path) -> Result<Vec<String>, String> {
    let mapped = mapped_paths(&read(&checkout.join(MAP))?);
    if mapped.is_empty() {
        return Ok(vec![format!("{MAP} has no table under `{SECTION}`")]);
    }
    let gone = mapped
        .iter()
        .filter(|path| !checkout.join(path).exists())
        .map(|path| format!("`{path}` is in the map but not in the tree"));
    let needed = needed_paths(checkout)?;
    let unnamed = needed
        .iter()
        .filter(|path| !mapped.contains(*path))
        .map(|path| {
            let end = if path.ends_with(".md") { "" } else { "/" };
            format!("`{path}{end}` is in the tree but not in the map")
        });
    Ok(gone.chain(unnamed).collect())
}

/// The paths in the first column of the section's tables, without a trailing slash.
fn mapped_paths(text: &str) -> BTreeSet<String> {
    section(text, SECTION)
        .filter_map(|line| line.strip_prefix('|')?.split('|').next())
        .flat_map(quoted)
        .map(|path| path.trim_end_matches('/').to_owned())
        .collect()
}

/// The lines of a section, without its heading.
pub(crate) fn section<'t>(text: &'t str, heading: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines()
        .skip_while(move |line| line.trim_end() != heading)
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
}

/// What stands between backticks.
pub(crate) fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// What a newcomer must find in the map: crates at the top, the modules of the large ones, and pages.
fn needed_paths(checkout: &Path) -> Result<BTreeSet<String>, String> {
    let mut needed: BTreeSet<String> = folders(checkout)?
        .into_iter()
        .filter(|name| checkout.join(name).join("Cargo.toml").is_file())
        .collect();
    for source in SOURCES {
        let modules = folders(&checkout.join(source))?
            .into_iter()
            .map(|name| format!("{source}/{name}"))
            .filter(|module| !holds_only_tests(&checkout.join(module)));
        needed.extend(modules);
    }
    let docs = checkout.join(PAGES);
    let pages = names(&docs)?
        .into_iter()
        .filter(|name| name.ends_with(".md"));
    let all = pages.chain(folders(&docs)?);
    needed.extend(all.map(|name| format!("{PAGES}/{name}")));
    Ok(needed)
}

/// Such a folder belongs to the file beside it, whose tests are too long to stand in it.
fn holds_only_tests(folder: &Path) -> bool {
    folder.read_dir().is_ok_and(|entries| {
        let mut names = entries.flatten().map(|entry| entry.file_name());
        names.all(|name| name == "tests.rs")
    })
}

/// The folders in a folder; hidden ones and build output are none of the map's business.
pub(crate) fn folders(parent: &Path) -> Result<Vec<String>, String> {
    Ok(names(parent)?
        .into_iter()
        .filter(|name| !name.starts_with('.') && name != "target")
        .filter(|name| parent.join(name).is_dir())
        .collect())
}

/// The names of all that is in a folder, in their order.
fn names(parent: &Path) -> Result<Vec<String>, String> {
    let entries = parent
        .read_dir()
        .map_err(|error| format!("cannot read {}: {error}", parent.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// A small tree that the map below describes, removed when the test is over.
    struct Tree(PathBuf);

    const SOUND: &str = "# Architecture\n\n## Code map\n\n| path | what |\n|---|---|\n\
        | `engine/` | the database |\n| `engine/src/codec/` | keys, see `nothing/` |\n\n\
        ## Later\n\n| path | what |\n|---|---|\n| `server/` | not yet |\n";

    impl Tree {
        fn new(test: &str, map: &str) -> Self {
            let root =
                std::env::temp_dir().join(format!("xtask-map-{}-{test}", std::process::id()));
            for source in SOURCES {
                fs::create_dir_all(root.join(source)).unwrap();
            }
            fs::create_dir_all(root.join("engine/src/codec")).unwrap();
            fs::write(root.join("engine/src/codec/mod.rs"), "").unwrap();
            fs::create_dir_all(root.join(".git")).unwrap();
            fs::create_dir_all(root.join(PAGES)).unwrap();
            fs::write(root.join("engine/Cargo.toml"), "").unwrap();
            fs::write(root.join(MAP), map).unwrap();
            Self(root)
        }

        fn faults(&self) -> Vec<String> {
            check(&self.0).unwrap()
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_sound_map_has_no_faults_and_later_sections_are_not_read() {
        assert_eq!(Tree::new("sound", SOUND).faults(), Vec::<String>::new());
    }

    #[test]
    fn a_path_that_does_not_exist_is_found() {
        let planted = SOUND.replace("## Later", "| `engine/src/gone.rs` | planted |\n\n## Later");
        let planted = planted.replace("nothing/` |\n\n|", "nothing/` |\n|");
        assert_eq!(
            Tree::new("gone", &planted).faults(),
            ["`engine/src/gone.rs` is in the map but not in the tree"]
        );
    }

    #[test]
    fn a_crate_and_a_module_that_the_map_forgot_are_found() {
        let tree = Tree::new("forgot", SOUND);
        fs::create_dir_all(tree.0.join("cli")).unwrap();
        fs::write(tree.0.join("cli/Cargo.toml"), "").unwrap();
        fs::create_dir_all(tree.0.join("engine/src/storage")).unwrap();
        fs::write(tree.0.join("engine/src/storage/mod.rs"), "").unwrap();
        assert_eq!(
            tree.faults(),
            [
                "`cli/` is in the tree but not in the map",
                "`engine/src/storage/` is in the tree but not in the map"
            ]
        );
    }

    #[test]
    fn a_module_of_every_large_crate_has_to_be_in_the_map() {
        let tree = Tree::new("large", SOUND);
        for source in &SOURCES[1..] {
            fs::create_dir_all(tree.0.join(source).join("new")).unwrap();
            fs::write(tree.0.join(source).join("new/mod.rs"), "").unwrap();
        }
        assert_eq!(
            tree.faults(),
            [
                "`cli/src/new/` is in the tree but not in the map",
                "`rag/src/new/` is in the tree but not in the map",
                "`server/src/new/` is in the tree but not in the map",
                "`tests/src/new/` is in the tree but not in the map",
            ]
        );
    }

    #[test]
    fn a_page_and_a_folder_of_pages_have_to_be_in_the_map() {
        let tree = Tree::new("pages", SOUND);
        fs::create_dir_all(tree.0.join("docs/adr")).unwrap();
        for name in ["new.md", "picture.svg"] {
            fs::write(tree.0.join(PAGES).join(name), "").unwrap();
        }
        assert_eq!(
            tree.faults(),
            [
                "`docs/adr/` is in the tree but not in the map",
                "`docs/new.md` is in the tree but not in the map",
            ]
        );
    }

    #[test]
    fn a_folder_with_the_tests_of_a_file_is_none() {
        let tree = Tree::new("tests", SOUND);
        fs::create_dir_all(tree.0.join("server/src/status")).unwrap();
        fs::write(tree.0.join("server/src/status/tests.rs"), "").unwrap();
        assert_eq!(tree.faults(), Vec::<String>::new());
        fs::write(tree.0.join("server/src/status/codes.rs"), "").unwrap();
        assert_eq!(
            tree.faults(),
            ["`server/src/status/` is in the tree but not in the map"]
        );
    }

    #[test]
    fn a_map_without_its_section_is_a_fault() {
        let tree = Tree::new("empty", "# Architecture\n");
        assert_eq!(
            tree.faults(),
            ["ARCHITECTURE.md has no table under `## Code map`"]
        );
    }
}
