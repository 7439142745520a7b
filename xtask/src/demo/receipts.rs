//! Receipts: what was found is kept, a sentence is edited, and exactly the receipts that rest on it fall;
//! put back, all of them stand again.
//!
//! The demo fails if any other falls, or this one does not.

use super::program::Program;
use crate::files;
use std::collections::BTreeMap;
use std::path::Path;

const QUESTION: &str = "How many stoppers of slate can be counted at Corran Bridge?";
const FILE: &str = "guide/bridges.md";
const BEFORE: &str = "there are 64.";
const AFTER: &str = "there are 62, since two were lost.";
/// The heading of the one passage that has the sentence, as it stands in the key of a receipt.
const SECTION: &str = "bridges.md#Bridges/Corran Bridge/The repair of 1904#";
const FOUND: &str = "found.json";

/// Retrieves, edits, takes the edit in, and looks at the receipts.
pub(super) fn show(program: &Program, folder: &Path) -> Result<(), String> {
    let words = program.with_embedder(&["retrieve", "strata", QUESTION, "--json"]);
    files::write(&folder.join(FOUND), &program.run(&words)?)?;
    println!("(kept as {FOUND})");
    let before = standings(&program.run(&["receipts", "strata", FOUND])?);
    println!("{}", counted(&before));
    if let Some((standing, key)) = before.iter().find(|(standing, _)| standing != "stands") {
        return Err(format!(
            "nothing was edited yet, and a receipt is {standing}: {key}"
        ));
    }

    println!("\n{FILE}: \"{BEFORE}\" becomes \"{AFTER}\"");
    let path = folder.join(FILE);
    let whole = files::read(&path)?;
    files::write(&path, &edited(&whole)?)?;
    let ingest = [
        "ingest",
        "guide",
        "--into",
        "strata",
        "--profile",
        "strata",
        "--quiet",
    ];
    program.run(&program.with_embedder(&ingest))?;
    // The exit code says whether all hold.
    let after = standings(
        &program
            .run_for(&["receipts", "strata", FOUND], &[0, 2])?
            .text,
    );
    println!("{}", counted(&after));
    for (standing, key) in after.iter().filter(|(standing, _)| !holds(standing)) {
        println!("{standing}: {key}");
    }
    println!("what has moved still says the same, elsewhere in its document: its receipt holds");
    judged(&after)?;

    println!("\n{FILE}: \"{AFTER}\" becomes \"{BEFORE}\" again");
    files::write(&path, &whole)?;
    program.run(&program.with_embedder(&ingest))?;
    let again = standings(&program.run(&["receipts", "strata", FOUND])?);
    println!("{}", counted(&again));
    Ok(())
}

fn edited(text: &str) -> Result<String, String> {
    match text.matches(BEFORE).count() {
        1 => Ok(text.replace(BEFORE, AFTER)),
        count => Err(format!("{FILE} has \"{BEFORE}\" {count} times, not once")),
    }
}

/// What became of each receipt: lines of standing, kind and key.
fn standings(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter_map(|line| line.trim().split_once("  "));
    let pairs = lines.map(|(standing, rest)| {
        let key = rest.trim().split_once("  ").map_or(rest, |(_, key)| key);
        (standing.to_owned(), key.trim().to_owned())
    });
    pairs.collect()
}

fn holds(standing: &str) -> bool {
    matches!(standing, "stands" | "moved")
}

fn counted(standings: &[(String, String)]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (standing, _) in standings {
        *counts.entry(standing).or_default() += 1;
    }
    let told: Vec<String> = counts
        .iter()
        .map(|(standing, count)| format!("{count} {standing}"))
        .collect();
    format!("receipts: {}", told.join(", "))
}

/// Exactly the edited passage has fallen.
fn judged(standings: &[(String, String)]) -> Result<(), String> {
    let fallen: Vec<&str> = standings
        .iter()
        .filter(|(standing, _)| !holds(standing))
        .map(|(_, key)| key.as_str())
        .collect();
    match fallen.as_slice() {
        [one] if one.starts_with(SECTION) => Ok(()),
        _ => Err(format!(
            "only the receipt of {SECTION} should have fallen, and these have: {}",
            fallen.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "stands  Chunk  bridges.md#Bridges/Mill Bridge#49\n\
        gone    Chunk  bridges.md#Bridges/Corran Bridge/The repair of 1904#20\n\
        moved   Chunk  bridges.md#Bridges/Stepping stones#98\nstands  FACT   f\n";

    #[test]
    fn exactly_the_edited_passage_falls() {
        let all = standings(TOLD);
        assert_eq!(all.len(), 4);
        assert_eq!(counted(&all), "receipts: 1 gone, 1 moved, 2 stands");
        judged(&all).unwrap();
        let why = judged(&standings(&TOLD.replace("stands  FACT", "gone    FACT"))).unwrap_err();
        assert!(why.ends_with("#20, f"), "{why}");
        assert!(judged(&standings(&TOLD.replace("gone  ", "stands"))).is_err());
    }

    #[test]
    fn the_sentence_is_in_the_sample_once() {
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let sample = Path::new(&here).with_file_name(super::super::SAMPLE);
        let text = files::read(&sample.join(FILE)).unwrap();
        assert!(edited(&text).unwrap().contains(AFTER));
        assert!(edited(&text.replace(BEFORE, "")).is_err());
    }
}
