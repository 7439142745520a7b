//! The code map in `ARCHITECTURE.md` against the tree: every path in it exists, and every crate,
//! every folder of its source and every page of `docs` is in it.
//!
//! Only the section `## Code map` is read, so that plans for later crates can stand in another one.
//! This file reads names and never what is inside the source.

use crate::files::read;
use std::collections::BTreeSet;
use std::path::Path;

/// Where the map is, and the layers.
pub(crate) const MAP: &str = "ARCHITECTURE.md";
const SECTION: &str = "## Code map";
/// Sources of which each folder is in the map: of all crates but the conformance runner, whose few are told in its own documentation.
const SOURCES: [&str; 12] = [
    "engine/src",
    "engine/vector/src",
    "query-lang/src",
    "models/src",
    "tables/src",
    "rag/src",
    "server/src",
    "client/src",
    "cli/src",
    "tests/src",
    "benches/src",
    "xtask/src",
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

/// What a newcomer must find in the map: crates at the top, the folders of their sources, and pages.
fn needed_paths(checkout: &Path) -> Result<BTreeSet<String>, String> {
    let mut needed: BTreeSet<String> = folders(checkout)?
        .into_iter()
        .filter(|name| checkout.join(name).join("Cargo.toml").is_file())
        .collect();
    for source in SOURCES {
        let modules = folders(&checkout.join(source))?
            .into_iter()
            .map(|name| format!("{source}/{name}"))
            .filter(|module| !is_of_tests(&checkout.join(module)));
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

/// Whether a folder has tests alone: by its name, or because it belongs to the file beside it, whose tests are too long to
/// stand in it.
fn is_of_tests(folder: &Path) -> bool {
    folder.ends_with("tests")
        || folder.read_dir().is_ok_and(|entries| {
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
    use crate::scratch::Scratch;

    /// A small tree that the map below describes.
    struct Tree(Scratch);

    const SOUND: &str = "# Architecture\n\n## Code map\n\n| path | what |\n|---|---|\n\
        | `engine/` | the database |\n| `engine/src/codec/` | keys, see `nothing/` |\n\n\
        ## Later\n\n| path | what |\n|---|---|\n| `server/` | not yet |\n";

    impl Tree {
        fn new(test: &str, map: &str) -> Self {
            let tree = Scratch::new(&format!("map-{test}"));
            for folder in SOURCES.into_iter().chain([".git", PAGES]) {
                tree.folder(folder);
            }
            tree.write("engine/src/codec/mod.rs", "");
            tree.write("engine/Cargo.toml", "");
            tree.write(MAP, map);
            Self(tree)
        }

        fn faults(&self) -> Vec<String> {
            check(self.0.root()).unwrap()
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
        tree.0.write("cli/Cargo.toml", "");
        tree.0.write("engine/src/storage/mod.rs", "");
        assert_eq!(
            tree.faults(),
            [
                "`cli/` is in the tree but not in the map",
                "`engine/src/storage/` is in the tree but not in the map"
            ]
        );
    }

    #[test]
    fn a_folder_of_every_source_has_to_be_in_the_map() {
        let tree = Tree::new("sources", SOUND);
        for source in SOURCES {
            tree.0.write(&format!("{source}/new/mod.rs"), "");
        }
        let faults = tree.faults();
        assert_eq!(faults.len(), SOURCES.len(), "{faults:?}");
        for source in SOURCES {
            let fault = format!("`{source}/new/` is in the tree but not in the map");
            assert!(faults.contains(&fault), "{fault}: {faults:?}");
        }
    }

    #[test]
    fn a_page_and_a_folder_of_pages_have_to_be_in_the_map() {
        let tree = Tree::new("pages", SOUND);
        tree.0.folder("docs/adr");
        for name in ["new.md", "picture.svg"] {
            tree.0.write(&format!("{PAGES}/{name}"), "");
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
    fn a_folder_with_tests_alone_is_none() {
        let tree = Tree::new("tests", SOUND);
        tree.0.write("server/src/status/tests.rs", "");
        tree.0.write("query-lang/src/tests/mistakes.rs", "");
        assert_eq!(tree.faults(), Vec::<String>::new());
        tree.0.write("server/src/status/codes.rs", "");
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
