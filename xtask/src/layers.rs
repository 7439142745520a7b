//! The layers of the engine in `ARCHITECTURE.md` against its source: no folder names one above it.
//!
//! What a file names is what its code has after `crate::`. Comments may point anywhere, and tests may open a
//! database wherever they are. Exceptions stand in a table beside the layers, a file each with its reason, and one
//! that nothing needs any more is a fault as well. This file only reads text: it knows no macro and no `super`, so
//! what an allowed file imports can be used by its whole folder, through `super`, without being seen here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const MAP: &str = "ARCHITECTURE.md";
const SECTION: &str = "## Layers";
const SOURCE: &str = "engine/src";
/// Beside the layers: errors have the words of all of them, and all may have errors and ask for the time.
const BESIDE: [&str; 3] = ["clock", "error", "Error"];

/// Every difference between the layers and the source, as a sentence each.
pub(crate) fn check(checkout: &Path) -> Result<Vec<String>, String> {
    let layers = Layers::read(&text_of(&checkout.join(MAP))?);
    if layers.ranks.is_empty() {
        return Ok(vec![format!("{MAP} has no layers under `{SECTION}`")]);
    }
    let mut faults = Vec::new();
    let folders = folders(&checkout.join(SOURCE))?;
    for folder in &folders {
        if !layers.ranks.contains_key(folder) && !BESIDE.contains(&folder.as_str()) {
            faults.push(format!("`{SOURCE}/{folder}/` is in no layer"));
        }
    }
    for layer in layers.ranks.keys().filter(|layer| !folders.contains(layer)) {
        faults.push(format!("`{layer}` is a layer but no folder of `{SOURCE}`"));
    }
    let mut unneeded = layers.allowed.clone();
    let present = layers.ranks.iter();
    for (folder, rank) in present.filter(|(folder, _)| folders.contains(folder)) {
        let mut files = Vec::new();
        rust_files(
            &checkout.join(SOURCE).join(folder),
            &format!("{SOURCE}/{folder}"),
            &mut files,
        )?;
        for file in files.iter().filter(|file| !is_of_tests(file)) {
            for name in named(&text_of(&checkout.join(file))?) {
                match layers.ranks.get(&name) {
                    _ if BESIDE.contains(&name.as_str()) => {}
                    Some(other) if other >= rank => {}
                    Some(_) => {
                        let allowed = (file.clone(), name);
                        unneeded.remove(&allowed);
                        if !layers.allowed.contains(&allowed) {
                            faults.push(format!(
                                "`{file}` names `{}`, which is above `{folder}`",
                                allowed.1
                            ));
                        }
                    }
                    None => faults.push(format!(
                        "`{file}` names `crate::{name}`, which is no layer: name the folder that it is in"
                    )),
                }
            }
        }
    }
    for (file, name) in unneeded {
        faults.push(format!(
            "`{file}` may name `{name}`, and does not: take it from the table"
        ));
    }
    Ok(faults)
}

/// The layers and the exceptions, as the section has them.
struct Layers {
    /// How far from the top each folder is. Those of one line may name each other.
    ranks: BTreeMap<String, usize>,
    /// Which file may name which layer.
    allowed: BTreeSet<(String, String)>,
}

impl Layers {
    fn read(text: &str) -> Self {
        let (mut ranks, mut allowed) = (BTreeMap::new(), BTreeSet::new());
        let mut rank = None;
        let section = text
            .lines()
            .skip_while(|line| line.trim_end() != SECTION)
            .skip(1)
            .take_while(|line| !line.starts_with("## "));
        for line in section {
            if line.starts_with("```") {
                // The section has one block, and it holds nothing else.
                rank = if ranks.is_empty() { Some(0) } else { None };
            } else if let Some(at) = rank {
                ranks.extend(line.split_whitespace().map(|name| (name.to_owned(), at)));
                rank = Some(at + 1);
            } else if let Some(row) = line.strip_prefix('|') {
                let mut cells = row.split('|').map(quoted);
                let files = cells.next().unwrap_or_default();
                let names = cells.next().unwrap_or_default();
                for file in files {
                    allowed.extend(names.iter().map(|name| (file.clone(), name.clone())));
                }
            }
        }
        Self { ranks, allowed }
    }
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<String> {
    let inside = cell.split('`').skip(1).step_by(2);
    inside.map(str::to_owned).collect()
}

/// What follows `crate::` in the code of a file, without the tests at its end.
fn named(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests {").next();
    code.unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .flat_map(|line| line.split("crate::").skip(1))
        .map(first_name)
        .collect()
}

/// The name that a path begins with, or the sign that stands in its place.
fn first_name(path: &str) -> String {
    let is_outside = |letter: char| !letter.is_alphanumeric() && letter != '_';
    match path.find(is_outside) {
        Some(0) => path.chars().take(1).collect(),
        end => path[..end.unwrap_or(path.len())].to_owned(),
    }
}

/// Whether a file, by its path, is compiled for tests only.
fn is_of_tests(file: &str) -> bool {
    let mut parts = file.trim_end_matches(".rs").split('/').rev();
    parts.next().is_some_and(|name| name.ends_with("tests")) || parts.any(|part| part == "tests")
}

/// Every file of Rust below a folder, in the order of their names.
fn rust_files(folder: &Path, named: &str, found: &mut Vec<String>) -> Result<(), String> {
    for name in names(folder)? {
        let (path, named) = (folder.join(&name), format!("{named}/{name}"));
        if path.is_dir() {
            rust_files(&path, &named, found)?;
        } else if name.ends_with(".rs") {
            found.push(named);
        }
    }
    Ok(())
}

/// The folders in a folder.
fn folders(parent: &Path) -> Result<Vec<String>, String> {
    let mut names = names(parent)?;
    names.retain(|name| parent.join(name).is_dir());
    Ok(names)
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

fn text_of(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const SOUND: &str = "# Architecture\n\n## Layers\n\n```text\nquery exchange\ngraph\nkeys\n```\n\n\
        | file | names | why |\n|---|---|---|\n\
        | `engine/src/keys/open.rs` | `graph`, `query` | carried |\n\n## Later\n\n| `a` | `b` | |\n";

    /// A small engine of three layers, removed when the test is over.
    struct Tree(PathBuf);

    impl Tree {
        fn new(test: &str) -> Self {
            let name = format!("xtask-layers-{}-{test}", std::process::id());
            let tree = Self(std::env::temp_dir().join(name));
            tree.write("ARCHITECTURE.md", SOUND);
            tree.write("engine/src/lib.rs", "pub use query::Query;\n");
            tree.write("engine/src/error/make.rs", "use crate::query::Query;\n");
            tree.write("engine/src/query/mod.rs", "use crate::exchange::Dump;\n");
            tree.write("engine/src/exchange/mod.rs", "use crate::query::Query;\n");
            tree.write("engine/src/graph/mod.rs", "use crate::keys::Key;\n");
            tree.write(
                "engine/src/keys/open.rs",
                "use crate::graph::Node;\nuse crate::query::{Query, Row};\n",
            );
            tree
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
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
    fn what_names_its_own_line_those_below_and_what_is_allowed_is_sound() {
        assert_eq!(Tree::new("sound").faults(), Vec::<String>::new());
    }

    #[test]
    fn a_lower_folder_that_names_an_upper_one_is_found() {
        let tree = Tree::new("upwards");
        tree.write(
            "engine/src/keys/deep/read.rs",
            "pub(in crate::keys) fn read(_: &crate::graph::Node) {}\n",
        );
        assert_eq!(
            tree.faults(),
            ["`engine/src/keys/deep/read.rs` names `graph`, which is above `keys`"]
        );
    }

    #[test]
    fn comments_and_tests_may_name_anything() {
        let tree = Tree::new("innocent");
        let text = "//! See [`graph`](crate::graph).\n#[cfg(test)]\nmod tests {\n    use crate::query::Query;\n}\n";
        tree.write("engine/src/keys/read.rs", text);
        tree.write(
            "engine/src/keys/read/tests.rs",
            "use crate::query::Query;\n",
        );
        tree.write(
            "engine/src/keys/tests/case.rs",
            "use crate::{Query, graph};\n",
        );
        assert_eq!(tree.faults(), Vec::<String>::new());
    }

    #[test]
    fn a_name_that_does_not_tell_its_folder_is_found() {
        let tree = Tree::new("root");
        tree.write(
            "engine/src/graph/read.rs",
            "use crate::{Error, Query};\nfn read() -> crate::Row {}\nfn at(_: crate::clock::Clock) {}\n",
        );
        let fault = |name: &str| {
            format!(
                "`engine/src/graph/read.rs` names `crate::{name}`, which is no layer: name the folder that it is in"
            )
        };
        assert_eq!(tree.faults(), [fault("Row"), fault("{")]);
    }

    #[test]
    fn what_is_allowed_in_vain_is_found() {
        let tree = Tree::new("vain");
        tree.write("engine/src/keys/open.rs", "use crate::graph::Node;\n");
        assert_eq!(
            tree.faults(),
            ["`engine/src/keys/open.rs` may name `query`, and does not: take it from the table"]
        );
    }

    #[test]
    fn each_file_of_a_row_may_name_what_the_row_says_and_has_to() {
        let tree = Tree::new("row");
        let both = "`engine/src/keys/open.rs`, `engine/src/keys/make.rs`";
        tree.write(MAP, &SOUND.replace("`engine/src/keys/open.rs`", both));
        tree.write("engine/src/keys/make.rs", "use crate::query::Query;\n");
        assert_eq!(
            tree.faults(),
            ["`engine/src/keys/make.rs` may name `graph`, and does not: take it from the table"]
        );
    }

    #[test]
    fn a_folder_without_a_layer_and_a_layer_without_a_folder_are_found() {
        let tree = Tree::new("folders");
        tree.write("engine/src/new/mod.rs", "");
        tree.write(MAP, &SOUND.replace("graph\n", "graph\nindex\n"));
        assert_eq!(
            tree.faults(),
            [
                "`engine/src/new/` is in no layer",
                "`index` is a layer but no folder of `engine/src`"
            ]
        );
    }

    #[test]
    fn a_document_without_layers_is_a_fault() {
        let tree = Tree::new("none");
        tree.write(MAP, "# Architecture\n");
        assert_eq!(
            tree.faults(),
            ["ARCHITECTURE.md has no layers under `## Layers`"]
        );
    }
}
