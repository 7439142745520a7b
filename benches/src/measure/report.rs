//! The figures: a table for people, a JSON line each for programs, and the summary line.

use super::rounds::Rounds;
use serde_json::json;

/// What a figure has to reach.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mark {
    AtLeast(f64),
    AtMost(f64),
}

/// One figure.
struct Figure {
    name: String,
    ours: f64,
    raw: Option<f64>,
    ratio: Option<f64>,
    /// The tenth and the ninetieth percentile of the rounds' ratios.
    spread: Option<(f64, f64)>,
    unit: String,
    mark: Option<Mark>,
}

/// All figures in the order they were measured.
#[derive(Default)]
pub(crate) struct Report {
    figures: Vec<Figure>,
    last: Vec<String>,
}

impl Report {
    /// A comparison over rounds; the mark is for the ratio ours / raw.
    pub(crate) fn compare(
        &mut self,
        name: impl Into<String>,
        rounds: &Rounds,
        unit: impl Into<String>,
        mark: Option<Mark>,
    ) {
        self.figures.push(Figure {
            name: name.into(),
            ours: rounds.ours(),
            raw: Some(rounds.raw()),
            ratio: Some(rounds.ratio()),
            spread: Some(rounds.spread()),
            unit: unit.into(),
            mark,
        });
    }

    /// A count of ours, with raw's beside it where there is one; the mark is for ours.
    pub(crate) fn count(
        &mut self,
        name: impl Into<String>,
        ours: f64,
        raw: Option<f64>,
        unit: impl Into<String>,
        mark: Option<Mark>,
    ) {
        self.figures.push(Figure {
            name: name.into(),
            ours,
            raw,
            ratio: None,
            spread: None,
            unit: unit.into(),
            mark,
        });
    }

    /// Has a line printed behind all others.
    pub(crate) fn say_last(&mut self, line: String) {
        self.last.push(line);
    }

    /// Prints everything; the last line is `name` and the figures of `summary`, in its order, but for those that
    /// are to be [said last](Self::say_last).
    pub(crate) fn print(&self, name: &str, summary: &[&str]) {
        println!();
        println!(
            "{:<22} {:>12} {:>12} {:>7} {:>15}  {:<13} {:<8} ok",
            "figure", "ours", "raw", "ratio", "10 .. 90 %", "unit", "mark"
        );
        for figure in &self.figures {
            figure.print_row();
        }
        println!();
        for figure in &self.figures {
            println!("{}", figure.json());
        }
        let line = summary.iter().map(|name| {
            let figure = self.figures.iter().find(|figure| figure.name == *name);
            // What `--only` left out was not measured; a dash cannot be read as a number.
            let value = figure.map_or("-".into(), |figure| format!("{:.3}", figure.marked()));
            format!("{name}={value}")
        });
        println!("{name} {}", line.collect::<Vec<_>>().join(" "));
        for line in &self.last {
            println!("{line}");
        }
    }
}

impl Figure {
    /// The value that the mark is about.
    fn marked(&self) -> f64 {
        self.ratio.unwrap_or(self.ours)
    }

    fn ok(&self) -> Option<bool> {
        self.mark.map(|mark| match mark {
            Mark::AtLeast(least) => self.marked() >= least,
            Mark::AtMost(most) => self.marked() <= most,
        })
    }

    fn print_row(&self) {
        let dash = || "-".to_owned();
        let raw = self.raw.map_or_else(dash, number);
        let ratio = self.ratio.map_or_else(dash, |ratio| format!("{ratio:.3}"));
        let spread = self
            .spread
            .map_or_else(dash, |(low, high)| format!("{low:.2} .. {high:.2}"));
        let mark = self.mark.map_or_else(dash, |mark| match mark {
            Mark::AtLeast(least) => format!(">= {least}"),
            Mark::AtMost(most) => format!("<= {most}"),
        });
        let ok = self.ok().map_or("", |ok| if ok { "yes" } else { "NO" });
        println!(
            "{:<22} {:>12} {raw:>12} {ratio:>7} {spread:>15}  {:<13} {mark:<8} {ok}",
            self.name,
            number(self.ours),
            self.unit
        );
    }

    fn json(&self) -> serde_json::Value {
        let mark = self.mark.map(|mark| match mark {
            Mark::AtLeast(least) => json!({ "at_least": least }),
            Mark::AtMost(most) => json!({ "at_most": most }),
        });
        json!({
            "name": self.name,
            "ours": self.ours,
            "raw": self.raw,
            "ratio": self.ratio,
            "ratio_p10": self.spread.map(|(low, _)| low),
            "ratio_p90": self.spread.map(|(_, high)| high),
            "unit": self.unit,
            "mark": mark,
            "ok": self.ok(),
        })
    }
}

/// Four digits or so, whatever the size.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 && large.is_finite() => thousands(value.round() as i64),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

fn thousands(value: i64) -> String {
    let digits = value.abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("-{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1_234_567.0), "1,234,567");
        assert_eq!(number(-1_234.0), "-1,234");
        assert_eq!(number(999.4), "999.4");
        assert_eq!(number(12.34), "12.3");
        assert_eq!(number(0.5), "0.500");
        assert_eq!(number(f64::INFINITY), "inf");
    }
}
