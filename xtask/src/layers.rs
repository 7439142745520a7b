//! The layers of the engine in `ARCHITECTURE.md` against its source: no folder names one above it.
//!
//! What a file names is what its code has after `crate::`. Comments may point anywhere, and tests may open a
//! database wherever they are. Exceptions stand in a table beside the layers, a file each with its reason, and one
//! that nothing needs any more is a fault as well. This file only reads text: it knows no macro and no `super`, so
//! what an allowed file imports can be used by its whole folder, through `super`, without being seen here.

use crate::files::read;
use crate::machine_paths::walk;
use crate::map::{MAP, folders, quoted, section};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const SECTION: &str = "## Layers";
const SOURCE: &str = "engine/src";
/// Beside the layers: errors have the words of all of them, and all may have errors and ask for the time.
const BESIDE: [&str; 3] = ["clock", "error", "Error"];

/// Every difference between the layers and the source, as a sentence each.
pub(crate) fn check(checkout: &Path) -> Result<Vec<String>, String> {
    let layers = Layers::read(&read(&checkout.join(MAP))?);
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
    let mut upwards = BTreeSet::new();
    let present = layers.ranks.iter();
    for (folder, rank) in present.filter(|(folder, _)| folders.contains(folder)) {
        for (file, name) in names_in(checkout, folder)? {
            match layers.ranks.get(&name) {
                _ if BESIDE.contains(&name.as_str()) => {}
                Some(other) if other >= rank => {}
                Some(_) => {
                    upwards.insert((file, name));
                }
                None => faults.push(format!(
                    "`{file}` names `crate::{name}`, which is no layer: name the folder that it is in"
                )),
            }
        }
    }
    for (file, name) in upwards.difference(&layers.allowed) {
        faults.push(format!("`{file}` names `{name}`, a layer above its own"));
    }
    for (file, name) in layers.allowed.difference(&upwards) {
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
        for line in section(text, SECTION) {
            if line.starts_with("```") {
                // The section has one block, and it holds nothing else.
                rank = if ranks.is_empty() { Some(0) } else { None };
            } else if let Some(at) = rank {
                ranks.extend(line.split_whitespace().map(|name| (name.to_owned(), at)));
                rank = Some(at + 1);
            } else if let Some(row) = line.strip_prefix('|') {
                let mut cells = row.split('|');
                let files = cells.next().unwrap_or_default();
                let names = cells.next().unwrap_or_default();
                for file in quoted(files) {
                    allowed.extend(quoted(names).map(|name| (file.to_owned(), name.to_owned())));
                }
            }
        }
        Self { ranks, allowed }
    }
}

/// What the files of a folder name, each with the file: those of tests are left out.
fn names_in(checkout: &Path, folder: &str) -> Result<Vec<(String, String)>, String> {
    let mut files = Vec::new();
    walk(checkout, &Path::new(SOURCE).join(folder), &mut files)?;
    files.sort_unstable();
    let mut found = Vec::new();
    for path in files {
        let file = path.to_string_lossy();
        if file.ends_with(".rs") && !is_of_tests(&file) {
            let names = named(&read(&checkout.join(&path))?);
            found.extend(names.into_iter().map(|name| (file.to_string(), name)));
        }
    }
    Ok(found)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const SOUND: &str = "# Architecture\n\n## Layers\n\n```text\nquery exchange\ngraph\nkeys\n```\n\n\
        | file | names | why |\n|---|---|---|\n\
        | `engine/src/keys/open.rs` | `graph`, `query` | carried |\n\n## Later\n\n| `a` | `b` | |\n";

    /// A small engine of three layers.
    struct Tree(Scratch);

    impl Tree {
        fn new(test: &str) -> Self {
            let tree = Self(Scratch::new(&format!("layers-{test}")));
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
            self.0.write(file, text);
        }

        fn faults(&self) -> Vec<String> {
            check(self.0.root()).unwrap()
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
            ["`engine/src/keys/deep/read.rs` names `graph`, a layer above its own"]
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
