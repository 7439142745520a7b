//! Markdown of what was measured: where others are better, all figures, and how operations grow.

use super::growth::Grown;
use super::sheet::{Ahead, Cell, Sheet, Standing};
use crate::measure::report::number;
use std::collections::BTreeSet;
use std::fmt::Write as _;

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

/// Where others are better, the best of them first, and in the end where they are not: every figure that is compared.
pub(super) fn ahead(sheet: &Sheet, ours: &str) -> String {
    let Standing {
        behind,
        first,
        alone,
    } = sheet.standing(ours);
    let mut text = String::new();
    for Ahead {
        figure,
        ours,
        theirs,
    } in behind
    {
        let names = theirs
            .iter()
            .map(|(side, theirs)| format!("{side} {}", number(*theirs)));
        let names: Vec<String> = names.collect();
        let ours = ours.map_or_else(|| "has none".into(), number);
        let _ = writeln!(
            text,
            "- **{}** ({}): {}; ours {ours}",
            figure.name,
            figure.unit,
            names.join(", ")
        );
    }
    for (what, figures) in [
        ("In none of these was a peer better", first),
        ("No peer has a figure for", alone),
    ] {
        if !figures.is_empty() {
            let _ = writeln!(text, "\n{what}: {}.", figures.join("; "));
        }
    }
    text
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

/// All figures of all sides, and what they were measured on, as Markdown.
pub(super) fn all(about: &About, sheet: &Sheet) -> String {
    let mut text = String::from("\n### On what\n\n");
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

#[cfg(test)]
mod tests {
    use super::super::sheet::Better;
    use super::*;

    #[test]
    fn every_figure_is_told_where_a_peer_is_better_or_where_none_is() {
        let mut sheet = Sheet {
            sides: ["ours", "a", "b"].map(String::from).to_vec(),
            ..Sheet::default()
        };
        let mut put = |figure, unit, better, numbers: [f64; 3]| {
            for (side, number) in ["ours", "a", "b"].into_iter().zip(numbers) {
                sheet.put(figure, unit, better, side, Cell::Number(number));
            }
        };
        put("speed", "1/s", Better::More, [5.0, 7.0, 9.0]);
        put("size", "MB", Better::Less, [1.0, 2.0, 3.0]);
        put("load", "s", Better::Less, [1.0, 1.0, 1.0]);
        sheet.put("walk", "1/s", Better::More, "ours", Cell::Number(1.0));
        let none = Cell::Told("cannot".into());
        sheet.put("change", "1/s", Better::More, "ours", none);
        sheet.put("change", "1/s", Better::More, "a", Cell::Number(2.0));
        assert_eq!(
            ahead(&sheet, "ours"),
            "- **speed** (1/s): b 9.000, a 7.000; ours 5.000\n\
             - **change** (1/s): a 2.000; ours has none\n\n\
             In none of these was a peer better: size; load.\n\n\
             No peer has a figure for: walk.\n"
        );
        assert_eq!(ahead(&Sheet::default(), "ours"), "");
    }

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
}
