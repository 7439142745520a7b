//! `docs/benchmarks.md`: where a peer is better first, then all tables and pictures.

use super::growth::Grown;
use super::plot::bars;
use super::sheet::{Ahead, Cell, Sheet};
use crate::measure::report::number;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Between these two lines of the page stands what is measured; the rest is written by people.
const WHOLE: [&str; 2] = ["<!-- measured: begin -->", "<!-- measured: end -->"];
/// The same for `--quick`, which has more sides: some are too slow for more.
const QUICK: [&str; 2] = ["<!-- quick: begin -->", "<!-- quick: end -->"];
/// The same for how operations grow.
const GROWTH: [&str; 2] = ["<!-- growth: begin -->", "<!-- growth: end -->"];

/// What has a picture; the tables have everything.
const DRAWN: [&str; 9] = [
    "load everything",
    "durable batches, searchable",
    "search",
    "filter of 1 %",
    "vector, then two hops",
    "descent of five levels",
    "open, and a query",
    "on the disk",
    "in memory",
];

/// What the tables were measured on and with.
pub(super) struct About {
    pub(super) quick: bool,
    pub(super) machine: Vec<String>,
    pub(super) parameters: String,
    /// Each side and its version.
    pub(super) versions: Vec<(String, String)>,
    /// Sides that are not there, and why.
    pub(super) missing: Vec<(String, String)>,
}

/// Puts the tables into the page, and the pictures beside it.
pub(super) fn write(checkout: &Path, about: &About, sheet: &Sheet, ours: &str) -> Result<()> {
    let mut text = tables(about, sheet, ours);
    let pictures = checkout.join("docs/pictures");
    let drawn = sheet
        .figures
        .iter()
        .filter(|figure| DRAWN.contains(&figure.name.as_str()));
    let (marks, prefix) = match about.quick {
        true => (QUICK, "peers-quick"),
        false => (WHOLE, "peers"),
    };
    let mut shown = String::new();
    for figure in drawn {
        let Some(svg) = bars(sheet, figure, ours) else {
            continue;
        };
        let file = format!("{prefix}-{}.svg", file_name(&figure.name));
        fs::write(pictures.join(&file), svg)?;
        let _ = writeln!(
            shown,
            "![{}, {}](pictures/{file})\n",
            figure.name, figure.unit
        );
    }
    if !shown.is_empty() {
        let _ = write!(
            text,
            "\n### Pictures\n\nOurs is green.\n\n{}",
            shown.trim_end()
        );
    }
    replace(&checkout.join("docs/benchmarks.md"), marks, &text)
}

/// Puts the table of slopes into the page.
pub(super) fn write_growth(checkout: &Path, machine: &[String], grown: &[Grown]) -> Result<()> {
    let text = format!(
        "{}\n{}",
        machine
            .iter()
            .map(|line| format!("- {line}"))
            .collect::<Vec<_>>()
            .join("\n"),
        growth(grown)
    );
    replace(&checkout.join("docs/benchmarks.md"), GROWTH, &text)
}

/// The table of slopes.
pub(super) fn growth(grown: &[Grown]) -> String {
    let mut text = String::from("\n| operation | unit |");
    let sizes: BTreeSet<usize> = grown
        .iter()
        .flat_map(|one| one.points.iter().map(|(nodes, _)| *nodes))
        .collect();
    for nodes in &sizes {
        let _ = write!(text, " {} |", number(*nodes as f64));
    }
    let _ = writeln!(
        text,
        " slope |\n|---|---|{}---|",
        "---|".repeat(sizes.len())
    );
    for Grown {
        name,
        unit,
        points,
        slope,
    } in grown
    {
        let _ = write!(text, "| {name} | {unit} |");
        for nodes in &sizes {
            let point = points.iter().find(|(at, _)| at == nodes);
            let said = point.map_or_else(|| "left out".into(), |(_, value)| number(*value));
            let _ = write!(text, " {said} |");
        }
        let slope = slope.map_or_else(|| "-".into(), |slope| format!("{slope:.2}"));
        let _ = writeln!(text, " {slope} |");
    }
    text
}

/// All of it as Markdown.
pub(super) fn tables(about: &About, sheet: &Sheet, ours: &str) -> String {
    let mut text = String::from("\n### Where a peer is better\n\n");
    let ahead = sheet.better_than(ours);
    if ahead.is_empty() {
        text.push_str("Nowhere, in what was measured here.\n");
    }
    for Ahead {
        figure,
        ours,
        theirs,
    } in ahead
    {
        let names = theirs
            .iter()
            .map(|(side, theirs)| format!("{side} {}", number(*theirs)));
        let names: Vec<String> = names.collect();
        let _ = writeln!(
            text,
            "- **{}** ({}): {}; ours {}",
            figure.name,
            figure.unit,
            names.join(", "),
            number(ours)
        );
    }
    text.push_str("\n### On what\n\n");
    for line in &about.machine {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "- {}", about.parameters);
    let versions = about
        .versions
        .iter()
        .map(|(name, version)| format!("{name} {version}"));
    let _ = writeln!(text, "- {}", versions.collect::<Vec<_>>().join(", "));
    for (name, why) in &about.missing {
        let _ = writeln!(text, "- not there: {name}, {}", cell_text(why));
    }
    text.push_str("\n### All figures\n\n| figure | unit |");
    for side in &sheet.sides {
        let _ = write!(text, " {side} |");
    }
    let _ = writeln!(text, "\n|---|---|{}", "---|".repeat(sheet.sides.len()));
    for figure in &sheet.figures {
        let _ = write!(text, "| {} | {} |", figure.name, figure.unit);
        for side in &sheet.sides {
            let cell = sheet.cell(&figure.name, side);
            let said = match cell {
                Some(Cell::Number(value)) => number(*value),
                Some(Cell::Noted(value, note)) => {
                    format!("{} ({})", number(*value), cell_text(note))
                }
                Some(Cell::Told(why)) => cell_text(why),
                None => "-".into(),
            };
            let _ = write!(text, " {said} |");
        }
        text.push('\n');
    }
    text
}

/// A peer's own words in a cell: one line, no column of its own, and not endless.
fn cell_text(words: &str) -> String {
    let line: String = words
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    // Places on somebody's machine are nobody's business.
    let words = line.split(' ').map(|word| match word.starts_with('/') {
        true => "(a path)",
        false => word,
    });
    let line = words.collect::<Vec<_>>().join(" ");
    let line = line.replace('|', "/").replace('<', "&lt;");
    match line.char_indices().nth(160) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}

fn file_name(figure: &str) -> String {
    let plain = figure
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let plain: String = plain.collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// Puts `text` between the two marks of a page.
fn replace(page: &Path, [begin, end]: [&str; 2], text: &str) -> Result<()> {
    let whole =
        fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let (before, rest) = whole
        .split_once(begin)
        .with_context(|| format!("the page has no {begin}"))?;
    let (_, after) = rest
        .split_once(end)
        .with_context(|| format!("the page has no {end}"))?;
    fs::write(
        page,
        format!("{before}{begin}\n{}\n\n{end}{after}", text.trim_end()),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_says_stays_in_its_cell() {
        let said = cell_text("one\ntwo | three <b>");
        assert_eq!(said, "one two / three &lt;b>");
        assert!(cell_text(&"x".repeat(500)).len() < 170);
        assert_eq!(cell_text("failed in /a/b/c.rs"), "failed in (a path)");
    }

    #[test]
    fn what_was_left_out_at_a_size_leaves_its_column_to_others() {
        let grown = |name: &str, points: &[(usize, f64)], slope| Grown {
            name: name.to_owned(),
            unit: "s",
            points: points.to_vec(),
            slope,
        };
        let text = growth(&[
            grown("short", &[(10_000, 1.0)], None),
            grown("whole", &[(10_000, 1.0), (30_000, 3.0)], Some(1.0)),
        ]);
        let lines: Vec<&str> = text.trim().lines().collect();
        assert_eq!(
            lines,
            [
                "| operation | unit | 10,000 | 30,000 | slope |",
                "|---|---|---|---|---|",
                "| short | s | 1.000 | left out | - |",
                "| whole | s | 1.000 | 3.000 | 1.00 |",
            ]
        );
    }

    #[test]
    fn a_page_keeps_what_people_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        fs::write(
            &page,
            format!("above\n{}\nold\n{}\nbelow\n", WHOLE[0], WHOLE[1]),
        )
        .unwrap();
        replace(&page, WHOLE, "new").unwrap();
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.starts_with("above\n") && text.ends_with("\nbelow\n"));
        assert!(text.contains("new") && !text.contains("old"));
        assert!(replace(&page, GROWTH, "new").is_err());
    }

    #[test]
    fn files_have_plain_names() {
        assert_eq!(file_name("filter of 0.1 %"), "filter-of-0-1");
    }
}
