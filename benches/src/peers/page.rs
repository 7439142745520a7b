//! `docs/benchmarks.md`: where a peer is better first, then all tables (`tables.rs`) and pictures (`plot.rs`).

use super::growth::Grown;
use super::plot::bars;
use super::sheet::Sheet;
use super::tables::{self, About};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Between two such lines of the page stands what is measured; the rest is written by people.
type Marks = [&'static str; 2];

/// Where others are better than ours, at the top of the page,
const WHOLE_AHEAD: Marks = [
    "<!-- measured ahead: begin -->",
    "<!-- measured ahead: end -->",
];
/// and all figures.
const WHOLE: Marks = ["<!-- measured: begin -->", "<!-- measured: end -->"];
/// The same for `--quick`, which has more sides: some are too slow for more.
const QUICK_AHEAD: Marks = ["<!-- quick ahead: begin -->", "<!-- quick ahead: end -->"];
const QUICK: Marks = ["<!-- quick: begin -->", "<!-- quick: end -->"];
/// How all operations grow,
const GROWTH: Marks = ["<!-- growth: begin -->", "<!-- growth: end -->"];
/// and how some of them do.
const GROWTH_PARTS: Marks = [
    "<!-- growth of parts: begin -->",
    "<!-- growth of parts: end -->",
];

/// What has a picture; the tables have everything.
const DRAWN: [&str; 10] = [
    "load everything",
    "durable batches, searchable",
    "search",
    "filter of 1 %",
    "vector, then two hops",
    "descent of five levels",
    "open, and a query",
    "on the disk",
    "in memory",
    "own and mapped memory",
];

/// Puts the tables into the page, and the pictures beside it.
pub(super) fn write(checkout: &Path, about: &About, sheet: &Sheet, ours: &str) -> Result<()> {
    let mut text = tables::all(about, sheet);
    let pictures = checkout.join("docs/pictures");
    let drawn = sheet
        .figures
        .iter()
        .filter(|figure| DRAWN.contains(&figure.name.as_str()));
    let (top, marks, prefix) = match about.quick {
        true => (QUICK_AHEAD, QUICK, "peers-quick"),
        false => (WHOLE_AHEAD, WHOLE, "peers"),
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
    let page = checkout.join("docs/benchmarks.md");
    replace(&page, top, &tables::ahead(sheet, ours))?;
    replace(&page, marks, &text)
}

/// Puts the table of slopes into the page: that of all operations, or of the parts that were chosen.
pub(super) fn write_growth(
    checkout: &Path,
    machine: &[String],
    grown: &[Grown],
    is_whole: bool,
) -> Result<()> {
    let text = format!(
        "{}\n{}",
        machine
            .iter()
            .map(|line| format!("- {line}"))
            .collect::<Vec<_>>()
            .join("\n"),
        tables::growth(grown)
    );
    let marks = match is_whole {
        true => GROWTH,
        false => GROWTH_PARTS,
    };
    replace(&checkout.join("docs/benchmarks.md"), marks, &text)
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
fn replace(page: &Path, [begin, end]: Marks, text: &str) -> Result<()> {
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
    fn the_page_has_a_place_for_everything() {
        let page = crate::measure::installed::benches().join("../docs/benchmarks.md");
        let text = fs::read_to_string(page).unwrap();
        let all = [WHOLE_AHEAD, WHOLE, QUICK_AHEAD, QUICK, GROWTH, GROWTH_PARTS];
        for [begin, end] in all {
            let (_, after) = text.split_once(begin).expect(begin);
            assert_eq!(after.matches(end).count(), 1, "{end}");
        }
    }

    #[test]
    fn files_have_plain_names() {
        assert_eq!(file_name("filter of 0.1 %"), "filter-of-0-1");
    }
}
