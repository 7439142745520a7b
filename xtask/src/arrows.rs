//! The crates in `ARCHITECTURE.md` against their `Cargo.toml`: which of ours each needs, and that no arrow points up.
//!
//! What a crate needs to be built and to work counts, and what only its tests need does not. What the list allows and nobody
//! needs any more is a fault as well. Workspaces of their own (fuzzing, oracles, peers) are not looked at: no crate of ours
//! can need them. This file only reads text, and knows the ways in which a dependency is written: in a line of a table of
//! them, or as a table of its own, under its own name or under another one.

use crate::files::read;
use crate::map::{MAP, section};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const SECTION: &str = "## Crates";
const MANIFEST: &str = "Cargo.toml";
/// The tables of what counts, of all machines or, behind `target.…`, of some.
const COUNTED: [&str; 2] = ["dependencies", "build-dependencies"];

/// Every difference between the list and the manifests, as a sentence each.
pub(crate) fn check(checkout: &Path) -> Result<Vec<String>, String> {
    let list = listed(&read(&checkout.join(MAP))?);
    if list.is_empty() {
        return Ok(vec![format!("{MAP} has no crates under `{SECTION}`")]);
    }
    let crates = crates(checkout)?;
    let mut faults = upwards(&list);
    let allowed: BTreeMap<&str, &BTreeSet<String>> = list
        .iter()
        .map(|(folder, needs)| (folder.as_str(), needs))
        .collect();
    for (folder, needs) in &crates {
        let Some(allowed) = allowed.get(folder.as_str()) else {
            faults.push(format!("`{folder}` is a crate but not in the list"));
            continue;
        };
        for other in needs.difference(allowed) {
            faults.push(format!("`{folder}` needs `{other}`, and may not"));
        }
        for other in allowed.difference(needs) {
            faults.push(format!(
                "`{folder}` may need `{other}`, and does not: take it from the list"
            ));
        }
    }
    for folder in allowed
        .keys()
        .filter(|folder| !crates.contains_key(**folder))
    {
        faults.push(format!("`{folder}` is in the list but no crate"));
    }
    Ok(faults)
}

/// The lines of the section's block, from above: a crate by its folder, and those that it may need.
fn listed(text: &str) -> Vec<(String, BTreeSet<String>)> {
    let is_fence = |line: &&str| line.starts_with("```");
    let block = section(text, SECTION)
        .skip_while(|line| !is_fence(line))
        .skip(1)
        .take_while(|line| !is_fence(line));
    let lines = block.filter_map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some((words.next()?, words.collect()))
    });
    lines.collect()
}

/// What a line names that does not stand below it.
fn upwards(list: &[(String, BTreeSet<String>)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (place, (folder, needs)) in list.iter().enumerate() {
        let stands_below = |other: &&String| list[place + 1..].iter().any(|(one, _)| one == *other);
        let others = needs.iter().filter(|other| !stands_below(other));
        faults.extend(others.map(|other| {
            format!("`{folder}` may need `{other}`, which does not stand below it in the list")
        }));
    }
    faults
}

/// The crates of the workspace, each by its folder with the folders of those that it needs.
fn crates(checkout: &Path) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let mut manifests = Vec::new();
    for folder in members(&read(&checkout.join(MANIFEST))?) {
        let manifest = read(&checkout.join(&folder).join(MANIFEST))?;
        manifests.push((folder, manifest));
    }
    let mut folders = BTreeMap::new();
    for (folder, manifest) in &manifests {
        let name = name(manifest).ok_or_else(|| format!("{folder}/{MANIFEST} has no name"))?;
        folders.insert(name, folder.as_str());
    }
    let crates = manifests.iter().map(|(folder, manifest)| {
        let needs = needed(manifest).into_iter();
        let ours: BTreeSet<String> = needs
            .filter_map(|name| folders.get(name).map(|folder| (*folder).to_owned()))
            .collect();
        (folder.clone(), ours)
    });
    Ok(crates.collect())
}

/// The folders of the workspace's crates.
fn members(workspace: &str) -> Vec<String> {
    let (_, list) = workspace.split_once("\nmembers = [").unwrap_or_default();
    let list = list.split(']').next().unwrap_or_default();
    let quoted = list.split('"').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

/// What a crate is called, which comes first in its manifest.
fn name(manifest: &str) -> Option<&str> {
    let mut lines = manifest.lines();
    let name = lines.find_map(|line| line.strip_prefix("name = \""))?;
    name.split('"').next()
}

/// The names of all that a manifest needs.
fn needed(manifest: &str) -> BTreeSet<&str> {
    let mut needed = BTreeSet::new();
    let mut counts = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.split(']').next().unwrap_or_default();
            let mut parts = table.rsplit('.');
            let last = parts.next().unwrap_or_default();
            // `[dependencies]`, or `[dependencies.name]`, in which it may be called otherwise.
            let is_one = parts.next().is_some_and(|table| COUNTED.contains(&table));
            if is_one {
                needed.insert(last);
            }
            counts = is_one || COUNTED.contains(&last);
        } else if counts {
            needed.extend(line.split(['.', ' ', '=']).next());
            if let Some((_, renamed)) = line.split_once("package = \"") {
                needed.extend(renamed.split('"').next());
            }
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    const SOUND: &str = "# Architecture\n\n## Crates\n\nA list.\n\n```text\ncli    engine engine/vector\n\
        engine engine/vector\nengine/vector\n```\n\n## Layers\n\n```text\nquery\n```\n";

    /// A small workspace of three crates.
    struct Workspace(Scratch);

    impl Workspace {
        fn new(test: &str) -> Self {
            let tree = Scratch::new(&format!("arrows-{test}"));
            tree.write(MAP, SOUND);
            tree.write(
                "Cargo.toml",
                "[workspace]\nmembers = [\"cli\", \"engine\", \"engine/vector\"]\nexclude = [\"fuzz\"]\n",
            );
            let workspace = Self(tree);
            workspace.manifest(
                "cli",
                "stratigraph-cli",
                "[dependencies]\nclap.workspace = true\nstratigraph = { workspace = true, features = [\"x\"] }\n\n\
                 [target.'cfg(unix)'.dependencies]\nstratigraph-vector.workspace = true\n",
            );
            workspace.manifest(
                "engine",
                "stratigraph",
                "[dependencies]\nstratigraph-vector.workspace = true\n\n\
                 [dev-dependencies]\nstratigraph-cli.workspace = true\n\n[lints]\nworkspace = true\n",
            );
            workspace.manifest("engine/vector", "stratigraph-vector", "");
            workspace
        }

        fn manifest(&self, folder: &str, name: &str, rest: &str) {
            let text = format!("[package]\nname = \"{name}\"\nversion = \"1\"\n\n{rest}");
            self.0.write(&format!("{folder}/{MANIFEST}"), &text);
        }

        fn faults(&self) -> Vec<String> {
            check(self.0.root()).unwrap()
        }
    }

    #[test]
    fn what_is_needed_as_it_is_listed_is_sound_and_tests_may_need_anybody() {
        assert_eq!(Workspace::new("sound").faults(), Vec::<String>::new());
    }

    #[test]
    fn an_arrow_that_was_planted_is_found_however_it_is_written() {
        let planted = [
            "[dependencies]\nstratigraph = { path = \"..\" }\n",
            "[dependencies]\nstratigraph.workspace = true\n",
            "[dependencies]\ngraph = { package = \"stratigraph\", path = \"..\" }\n",
            "[dependencies.stratigraph]\npath = \"..\"\n",
            "[dependencies.graph]\npackage = \"stratigraph\"\n",
            "[build-dependencies]\nstratigraph.workspace = true\n",
            "[target.'cfg(loom)'.dependencies]\nstratigraph.workspace = true\n",
        ];
        let workspace = Workspace::new("planted");
        for dependency in planted {
            workspace.manifest("engine/vector", "stratigraph-vector", dependency);
            assert_eq!(
                workspace.faults(),
                ["`engine/vector` needs `engine`, and may not"],
                "{dependency}"
            );
        }
    }

    #[test]
    fn an_arrow_that_is_allowed_in_vain_is_found() {
        let workspace = Workspace::new("vain");
        workspace.manifest("engine", "stratigraph", "");
        assert_eq!(
            workspace.faults(),
            ["`engine` may need `engine/vector`, and does not: take it from the list"]
        );
    }

    #[test]
    fn a_list_that_allows_an_arrow_upwards_is_found() {
        let workspace = Workspace::new("upwards");
        let turned = SOUND.replace("engine/vector\n```", "engine/vector cli\n```");
        workspace.0.write(MAP, &turned);
        assert_eq!(
            workspace.faults(),
            [
                "`engine/vector` may need `cli`, which does not stand below it in the list",
                "`engine/vector` may need `cli`, and does not: take it from the list"
            ]
        );
    }

    #[test]
    fn a_crate_without_a_line_and_a_line_without_a_crate_are_found() {
        let workspace = Workspace::new("lines");
        let renamed = SOUND.replace("\ncli  ", "\nserver");
        workspace.0.write(MAP, &renamed);
        assert_eq!(
            workspace.faults(),
            [
                "`cli` is a crate but not in the list",
                "`server` is in the list but no crate"
            ]
        );
    }

    #[test]
    fn a_document_without_crates_is_a_fault() {
        let workspace = Workspace::new("none");
        workspace.0.write(MAP, "# Architecture\n");
        assert_eq!(
            workspace.faults(),
            ["ARCHITECTURE.md has no crates under `## Crates`"]
        );
    }
}
