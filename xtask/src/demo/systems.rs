//! The systems: which database each has, what goes into it, and the presets that ask it.
//!
//! Each system has a database of its own layers, so there are five of them here, and the tables stand beside the layers of ours.

use super::program::Program;

/// One database.
pub(super) struct System {
    /// Its folder.
    pub(super) database: &'static str,
    /// What is made of documents in it, which is also its name there.
    profile: &'static str,
    /// What goes in.
    sources: &'static [&'static str],
    /// Who asks it.
    pub(super) presets: &'static [&'static str],
}

/// Ours comes first, since all that asks without layers of its own asks that.
pub(super) const SYSTEMS: &[System] = &[
    System {
        database: "strata",
        profile: "strata",
        sources: &["guide", "facts"],
        presets: &["direct", "vector", "audit", "strata"],
    },
    System {
        database: "bag",
        profile: "bag",
        sources: &["guide"],
        presets: &["bag"],
    },
    System {
        database: "tag",
        profile: "tag",
        sources: &["guide"],
        presets: &["tag"],
    },
    System {
        database: "triples",
        profile: "triples",
        sources: &["facts"],
        presets: &["triples"],
    },
    System {
        database: "hybrid",
        profile: "hybrid",
        sources: &["guide", "facts"],
        presets: &["graph", "hybrid"],
    },
];

/// The presets in the order in which they are told: baselines, published systems, ours.
pub(super) const PRESETS: &[&str] = &[
    "direct", "vector", "graph", "bag", "tag", "triples", "hybrid", "audit", "strata",
];

/// The database that a preset asks.
pub(super) fn database_of(preset: &str) -> Option<&'static str> {
    let mut systems = SYSTEMS.iter();
    systems
        .find(|system| system.presets.contains(&preset))
        .map(|system| system.database)
}

/// Takes everything in.
pub(super) fn ingest(program: &Program) -> Result<(), String> {
    for system in SYSTEMS {
        let mut words = vec!["ingest"];
        words.extend(system.sources);
        words.extend(["--into", system.database, "--profile", system.profile]);
        told(&program.run(&program.with_embedder(&words))?);
    }
    println!(
        "tables with a mapping become typed nodes beside the layers, and queries over them are declared:"
    );
    let words = [
        "ingest",
        "--into",
        "strata",
        "--profile",
        "typed:tables/mapping.toml",
    ];
    told(&program.run(&program.with_embedder(&words))?);
    let words = ["routes", "add", "strata", "tables/queries.toml"];
    print!("{}", program.run(&program.with_embedder(&words))?);
    println!(
        "domains are searched by their summaries, which are the most central sentences without a model:"
    );
    let words = ["summarise", "tag"];
    print!("{}", program.run(&program.with_embedder(&words))?);
    Ok(())
}

/// What is worth telling of an ingestion: how much went in, and what became of it.
fn told(report: &str) {
    println!("{}", line_of(report));
}

fn line_of(report: &str) -> String {
    let wanted = [
        "documents",
        "read",
        "pieces",
        "nodes",
        "relationships",
        "vectors",
    ];
    let facts = report.lines().filter_map(|line| {
        let (name, value) = line.split_once("  ")?;
        let (name, value) = (name.trim(), value.trim());
        let one = name.strip_suffix('s').filter(|_| value == "1");
        wanted
            .contains(&name)
            .then(|| format!("{value} {}", one.unwrap_or(name)))
    });
    facts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_preset_that_is_shipped_is_asked() {
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let presets = Path::new(&here).with_file_name("rag").join("presets");
        let mut shipped: Vec<String> = presets
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        shipped.sort();
        let mut asked = PRESETS.to_vec();
        asked.sort_unstable();
        assert_eq!(asked, shipped);
        for preset in PRESETS {
            assert!(database_of(preset).is_some(), "{preset} asks no database");
        }
    }

    #[test]
    fn a_report_becomes_a_line() {
        let report =
            "path       bag\ndocuments  10\nread       13.0 KiB\ndeleted    0\nvectors    291\n";
        assert_eq!(line_of(report), "10 documents, 13.0 KiB read, 291 vectors");
        let report = "path       facts\ndocuments  1\nread       1.0 KiB\n";
        assert_eq!(line_of(report), "1 document, 1.0 KiB read");
    }
}
