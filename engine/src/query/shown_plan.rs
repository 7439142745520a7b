//! A plan for those outside: its operators, what each has done, and both as text.
//!
//! Next: `rows.rs`.

use super::exec::Profile;
use super::plan::PlanLine;
use super::result::{OperatorWork, PlanOperator, Summary};

/// The heads of the columns that `PROFILE` adds.
const HEADS: [&str; 9] = [
    "operator",
    "rows",
    "batches",
    "seeks",
    "properties",
    "bytes",
    "distances",
    "memory",
    "time",
];

/// Puts a plan into a summary, with what was done if that was counted.
pub(super) fn show(summary: &mut Summary, lines: &[PlanLine], profile: Option<&Profile>) {
    let operators = lines.iter().map(|line| PlanOperator {
        depth: line.depth,
        text: line.text.as_str().into(),
        work: line
            .key
            .zip(profile)
            .map(|(key, profile)| profile.work(key)),
    });
    summary.operators = operators.collect();
    let text = match profile {
        None => summary
            .operators
            .iter()
            .map(indented)
            .collect::<Vec<_>>()
            .join("\n"),
        Some(_) => table(&summary.operators),
    };
    summary.plan = Some(text.into());
}

fn indented(operator: &PlanOperator) -> String {
    format!("{}{}", "  ".repeat(operator.depth), operator.text)
}

fn table(operators: &[PlanOperator]) -> String {
    let mut rows = vec![HEADS.map(str::to_owned)];
    rows.extend(operators.iter().map(|operator| {
        let cells = operator.work.map_or_else(Default::default, cells);
        let mut row: [String; 9] = Default::default();
        row[0] = indented(operator);
        for (cell, of) in row.iter_mut().skip(1).zip(cells) {
            *cell = of;
        }
        row
    }));
    let width = |at: usize| {
        let widest = rows.iter().map(|row| row[at].chars().count()).max();
        // No formatting fills up to more than that.
        widest.unwrap_or(0).min(usize::from(u16::MAX))
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn cells(work: OperatorWork) -> [String; 8] {
    [
        work.rows.to_string(),
        work.batches.to_string(),
        work.seeks.to_string(),
        work.properties.to_string(),
        format!("{} B", work.read_bytes),
        work.distances.to_string(),
        format!("{} B", work.memory_bytes),
        format!("{:.1?}", work.time),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_may_have_more_characters_than_formatting_fills_up_to() {
        let long = "x".repeat(70_000);
        let operators = ["Filter", long.as_str()].map(|text| PlanOperator {
            depth: 0,
            text: text.into(),
            work: Some(OperatorWork::default()),
        });
        let text = table(&operators);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("time") && lines[1].starts_with("Filter "));
        assert!(lines[2].starts_with(&long) && lines[2].ends_with('s'));
    }
}
