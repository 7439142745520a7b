//! What a run has come to: in lines, and as a table in `docs/quality.md`.

use super::slopes::{Samples, Slope, YOUTH_SECONDS};
use super::world::{Counts, Found};
use crate::serving::PARTS;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Between two such lines of the page stands what the last run that was to be written has come to; the rest is written by
/// people.
const BEGIN: &str = "<!-- soak: begin -->";
const END: &str = "<!-- soak: end -->";

/// What a run has come to.
pub(super) struct Report<'a> {
    pub(super) minutes: f64,
    pub(super) seed: u64,
    /// What the machine did beside, when it began.
    pub(super) load: &'a str,
    pub(super) kills: u64,
    pub(super) restored: u64,
    pub(super) found: &'a Found,
    pub(super) counts: &'a Counts,
    pub(super) samples: &'a Samples,
}

impl Report<'_> {
    /// What was done, and where memory has grown.
    pub(super) fn details(&self) -> Vec<String> {
        let counts = self.counts;
        let mut lines = vec![format!(
            "writes={} taken_back={} reads={} searches={} missed={} documents={} backups={} restored={} schema_changes={} busy={} most_rss_mib={}",
            get(&counts.writes),
            get(&counts.taken_back),
            get(&counts.reads),
            get(&counts.searches),
            get(&counts.missed),
            get(&counts.documents),
            get(&counts.backups),
            self.restored,
            get(&counts.schema_changes),
            get(&counts.busy),
            // Where the end came before any server was looked at, nobody knows.
            figure(self.samples.most_memory(), 0, "none"),
        )];
        let told = PARTS.into_iter().zip(self.samples.told());
        let told = told.map(|((part, _), slope)| format!("{part} {}", figure(slope, 2, "none")));
        let told: Vec<String> = told.collect();
        lines.push(format!(
            "MiB more a minute, as the server tells: {}; and of mapped files {}",
            told.join(", "),
            figure(self.samples.mapped(), 2, "none"),
        ));
        if self.samples.memory().is_none() {
            lines.push(format!(
                "not measured: whether memory and open files grow; no server was looked at twice after {YOUTH_SECONDS} seconds and a third of its life; a longer run has older ones"
            ));
        }
        lines
    }

    /// The last line. A slope that was not measured is `none`, and not 0.
    pub(super) fn last_line(&self) -> String {
        let (found, samples) = (self.found, self.samples);
        format!(
            "soak minutes={} kills={} acked_lost={} wrong_rows={} index_diffs={} rss_slope={} fd_slope={} errors={} unaccounted_slope={}",
            self.minutes,
            self.kills,
            found.acked_lost,
            found.wrong_rows,
            found.index_diffs,
            figure(samples.memory(), 2, "none"),
            figure(samples.files(), 2, "none"),
            found.errors,
            figure(samples.unaccounted(), 2, "none"),
        )
    }

    /// All of it for the page.
    fn table(&self, day: &str) -> String {
        let (counts, found, samples) = (self.counts, self.found, self.samples);
        let grouped = |counter| grouped(get(counter));
        let slope = |slope| figure(slope, 2, "not measured");
        let rows = [
            (
                "writes committed and answered; taken back",
                [grouped(&counts.writes), grouped(&counts.taken_back)].join("; "),
            ),
            (
                "reads; searches",
                [grouped(&counts.reads), grouped(&counts.searches)].join("; "),
            ),
            ("documents taken in or out", grouped(&counts.documents)),
            (
                "changes of the schema; backups; restored and compared",
                [
                    grouped(&counts.schema_changes),
                    grouped(&counts.backups),
                    self.restored.to_string(),
                ]
                .join("; "),
            ),
            ("kills", self.kills.to_string()),
            (
                "acknowledged writes lost, wrong rows, differences of an index, errors",
                format!(
                    "{}, {}, {}, {}",
                    found.acked_lost, found.wrong_rows, found.index_diffs, found.errors
                ),
            ),
            ("open files, more a minute", slope(samples.files())),
            (
                "memory, MiB at most",
                figure(samples.most_memory(), 0, "not measured"),
            ),
            ("memory, MiB more a minute", slope(samples.memory())),
        ];
        let row = |what: &str, figure: &str| format!("| {what} | {figure} |\n");
        let mut lines: String = rows
            .iter()
            .map(|(what, figure)| row(what, figure))
            .collect();
        for ((part, _), told) in PARTS.into_iter().zip(samples.told()) {
            lines += &row(&format!("of it {part}"), &slope(told));
        }
        lines += &row("of it mapped files", &slope(samples.mapped()));
        lines += &row("of it nothing of these", &slope(samples.unaccounted()));
        format!(
            "{day}, {} minutes, seed {}, {} processors, load {} at the start:\n\n| | |\n|---|--:|\n{lines}",
            self.minutes,
            self.seed,
            std::thread::available_parallelism().map_or(0, usize::from),
            self.load,
        )
    }

    /// Puts it into the page.
    pub(super) fn write(&self, page: &Path) -> Result<()> {
        let text = fs::read_to_string(page)?;
        fs::write(page, put(&text, &self.table(&today()?))?)
            .with_context(|| format!("cannot write {}", page.display()))
    }
}

/// The page, which has a place for a report. It is that of the checkout which this was started in: checkouts share what they
/// build, and the path of another may be built in.
pub(super) fn page() -> Result<PathBuf> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").context("`--write` is for cargo")?;
    let page = Path::new(&package).join("../docs/quality.md");
    let text =
        fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
    put(&text, "").map(|_| page)
}

/// The load averages: a busy machine shows here.
pub(super) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let three: Vec<&str> = text.split_whitespace().take(3).collect();
    three.join(" ")
}

/// A page with other text between the two marks.
fn put(page: &str, text: &str) -> Result<String> {
    let missing = |mark| format!("the page has no {mark}");
    let (before, rest) = page.split_once(BEGIN).with_context(|| missing(BEGIN))?;
    let (_, after) = rest.split_once(END).with_context(|| missing(END))?;
    let text = text.trim_end();
    Ok(format!("{before}{BEGIN}\n{text}\n\n{END}{after}"))
}

/// The day, as pages have it: 27 November 2026.
fn today() -> Result<String> {
    let mut date = Command::new("date");
    let said = date.args(["-u", "+%-d %B %Y"]).env("LC_ALL", "C").output();
    let said = said.context("cannot ask for the day")?;
    Ok(String::from_utf8(said.stdout)?.trim().to_owned())
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

fn figure(measured: Slope, digits: usize, otherwise: &str) -> String {
    measured.map_or_else(
        || otherwise.to_owned(),
        |measured| format!("{measured:.digits$}"),
    )
}

/// 1234567 is 1,234,567.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::slopes::Had;
    use super::*;

    fn known() -> (Counts, Found) {
        let counts = Counts {
            writes: AtomicU64::new(1_260_482),
            ..Counts::default()
        };
        (counts, Found::default())
    }

    fn report<'a>(samples: &'a Samples, (counts, found): &'a (Counts, Found)) -> Report<'a> {
        Report {
            minutes: 60.0,
            seed: 12,
            load: "1.00 2.00 3.00",
            kills: 47,
            restored: 7,
            found,
            counts,
            samples,
        }
    }

    fn grown() -> Samples {
        let mut samples = Samples::default();
        for minute in 0..10 {
            let had = Had {
                memory: (50 + 6 * minute) << 20,
                most: 110 << 20,
                mapped: (9 + 3 * minute) << 20,
                told: [0, 0, 0, 0, 0, minute << 20],
                files: 40,
            };
            samples.note(0, (60.0 * minute as f64, 600.0), had);
        }
        samples
    }

    #[test]
    fn the_last_line_has_the_pairs_that_it_always_had_first() {
        let (samples, known) = (grown(), known());
        assert_eq!(
            report(&samples, &known).last_line(),
            "soak minutes=60 kills=47 acked_lost=0 wrong_rows=0 index_diffs=0 rss_slope=6.00 fd_slope=0.00 errors=0 unaccounted_slope=2.00"
        );
    }

    #[test]
    fn what_was_not_measured_is_none_and_told_in_words() {
        let (young, grown, known) = (Samples::default(), grown(), known());
        let line = report(&young, &known).last_line();
        for slope in ["rss_slope", "fd_slope", "unaccounted_slope"] {
            assert!(line.contains(&format!(" {slope}=none")), "{line}");
        }
        let is_told = |samples: &Samples| {
            let details = report(samples, &known).details();
            details
                .iter()
                .any(|line| line.starts_with("not measured: "))
        };
        assert!(is_told(&young) && !is_told(&grown));
        let table = report(&young, &known).table("Today");
        let row = "| memory, MiB more a minute | not measured |";
        assert!(table.contains(row), "{table}");
    }

    #[test]
    fn the_table_accounts_for_memory() {
        let (samples, known) = (grown(), known());
        let table = report(&samples, &known).table("27 November 2026");
        for line in [
            "27 November 2026, 60 minutes, seed 12, ",
            " load 1.00 2.00 3.00 at the start:\n\n| | |\n|---|--:|\n",
            "| writes committed and answered; taken back | 1,260,482; 0 |\n",
            "| memory, MiB at most | 110 |\n",
            "| memory, MiB more a minute | 6.00 |\n| of it memory tables | 0.00 |\n",
            "| of it vector indexes | 1.00 |\n| of it mapped files | 3.00 |\n| of it nothing of these | 2.00 |\n",
        ] {
            assert!(table.contains(line), "{line}:\n{table}");
        }
    }

    #[test]
    fn a_page_keeps_what_people_wrote() {
        let page = put(&format!("above\n{BEGIN}\nold\n{END}\nbelow\n"), "new\n").unwrap();
        assert_eq!(page, format!("above\n{BEGIN}\nnew\n\n{END}\nbelow\n"));
        assert!(put(&format!("{END}{BEGIN}"), "new").is_err());
    }

    #[test]
    fn the_page_has_a_place_for_it() {
        assert!(page().unwrap().ends_with("docs/quality.md"));
    }

    #[test]
    fn today_is_a_day_a_month_and_a_year() {
        let today = today().unwrap();
        let words: Vec<&str> = today.split(' ').collect();
        assert!(words.len() == 3 && words[2].len() == 4, "{today}");
    }
}
