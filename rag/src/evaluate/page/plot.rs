//! Pictures: bars with intervals, and curves.

use std::fmt::Write as _;

use super::escape::text;

/// A bar.
pub(super) struct Bar {
    pub(super) colour: usize,
    pub(super) value: f64,
    /// Where the value could be as well.
    pub(super) interval: Option<(f64, f64)>,
}

/// Bars that stand together under a name.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) bars: Vec<Bar>,
}

/// A line through points, from left to right.
pub(super) struct Curve {
    pub(super) colour: usize,
    pub(super) points: Vec<(f64, f64)>,
}

/// What names take at the left,
const LEFT: f64 = 190.0;
/// and the length of a bar of the highest value.
const LENGTH: f64 = 520.0;
const BAR: f64 = 14.0;
const GAP: f64 = 10.0;
/// A name is cut here.
const LONGEST_NAME: usize = 28;

/// Bars from left to right, with 0 at the left and `most` at the right.
pub(super) fn bars(groups: &[Group], most: f64) -> String {
    if groups.is_empty() || most <= 0.0 {
        return String::new();
    }
    let at = |value: f64| LEFT + (value / most).clamp(0.0, 1.0) * LENGTH;
    let height: f64 = groups
        .iter()
        .map(|group| group.bars.len() as f64 * BAR + GAP)
        .sum();
    let (width, bottom) = (LEFT + LENGTH + 70.0, height + 4.0);
    let mut svg = begun(width, bottom + 20.0);
    for tick in 0..=4 {
        let value = most * f64::from(tick) / 4.0;
        let x = at(value);
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<line class=\"axis\" x1=\"{x:.1}\" y1=\"0\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/><text class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 15.0,
            number(value)
        );
    }
    let mut y = GAP / 2.0;
    for group in groups {
        let middle = y + group.bars.len() as f64 * BAR / 2.0 + 4.0;
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            text(&shortened(&group.name))
        );
        for bar in &group.bars {
            let (end, centre) = (at(bar.value), y + BAR / 2.0);
            let _ = write!(
                svg,
                "<rect x=\"{LEFT:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"var(--c{})\"/>",
                y + 1.0,
                (end - LEFT).max(0.5),
                BAR - 2.0,
                bar.colour
            );
            let mut right = end;
            if let Some((low, high)) = bar.interval {
                let (low, high) = (at(low), at(high));
                right = right.max(high);
                let _ = write!(
                    svg,
                    "<line class=\"whisker\" x1=\"{low:.1}\" y1=\"{centre:.1}\" x2=\"{high:.1}\" y2=\"{centre:.1}\"/>"
                );
            }
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                right + 5.0,
                centre + 4.0,
                number(bar.value)
            );
            y += BAR;
        }
        y += GAP;
    }
    svg.push_str("</svg>");
    svg
}

/// Curves in a square field, `most` at the right and 1 at the top.
pub(super) fn curves(curves: &[Curve], most: f64, below: &str, beside: &str) -> String {
    if curves.is_empty() || most <= 0.0 {
        return String::new();
    }
    let (left, size) = (50.0, 240.0);
    let x = |value: f64| left + (value / most).clamp(0.0, 1.0) * size;
    let y = |value: f64| 10.0 + (1.0 - value.clamp(0.0, 1.0)) * size;
    let mut svg = begun(left + size + 20.0, size + 50.0);
    for tick in 0..=4 {
        let share = f64::from(tick) / 4.0;
        let (across, up) = (x(share * most), y(share));
        let _ = write!(
            svg,
            "<line class=\"axis\" x1=\"{left:.1}\" y1=\"{up:.1}\" x2=\"{:.1}\" y2=\"{up:.1}\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><text class=\"soft\" x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            left + size,
            left - 6.0,
            up + 4.0,
            number(share),
            size + 26.0,
            number(share * most)
        );
    }
    for curve in curves {
        let points = curve.points.iter();
        let points: Vec<String> = points
            .map(|(across, up)| format!("{:.1},{:.1}", x(*across), y(*up)))
            .collect();
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"var(--c{})\" stroke-width=\"2\"/>",
            points.join(" "),
            curve.colour
        );
    }
    let _ = write!(
        svg,
        "<text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text class=\"soft\" x=\"{:.1}\" y=\"8\">{}</text></svg>",
        left + size / 2.0,
        size + 44.0,
        text(below),
        left + 4.0,
        text(beside)
    );
    svg
}

fn begun(width: f64, height: f64) -> String {
    format!(
        "<svg width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">"
    )
}

/// With as many digits as say something.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        1.0 | 0.0 => 0,
        small if small < 10.0 => 3,
        small if small < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

fn shortened(name: &str) -> String {
    match name.chars().count() > LONGEST_NAME {
        true => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_in_proportion_and_stay_in_the_picture() {
        let bar = |value, interval| Bar {
            colour: 0,
            value,
            interval,
        };
        let group = Group {
            name: "a very long name of a set that nobody reads to its end".to_owned(),
            bars: vec![bar(0.5, Some((0.25, 0.75))), bar(1.0, Some((0.9, 7.0)))],
        };
        let svg = bars(&[group], 1.0);
        assert!(
            svg.contains("width=\"260.0\"") && svg.contains("width=\"520.0\""),
            "{svg}"
        );
        // From a quarter to three quarters, and from nine tenths to the edge.
        assert!(
            svg.contains("x1=\"320.0\"") && svg.contains("x2=\"580.0\""),
            "{svg}"
        );
        assert!(
            svg.contains("x1=\"658.0\"") && svg.contains("x2=\"710.0\""),
            "{svg}"
        );
        assert!(
            svg.contains("…</text>") && svg.contains(">0.500</text>"),
            "{svg}"
        );
        // Nothing ends beyond that but a number.
        let ends = svg.split("x2=\"").skip(1);
        let ends = ends.filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
        assert_eq!(ends.fold(0.0, f64::max), 710.0);
        assert_eq!(bars(&[], 1.0), "");
    }

    #[test]
    fn a_curve_goes_up_where_its_values_do() {
        let curve = Curve {
            colour: 3,
            points: vec![(1.0, 0.0), (5.0, 0.5), (20.0, 1.0)],
        };
        let svg = curves(&[curve], 20.0, "rank", "recall");
        assert!(
            svg.contains("points=\"62.0,250.0 110.0,130.0 290.0,10.0\""),
            "{svg}"
        );
        assert!(svg.contains("var(--c3)"));
        assert_eq!(curves(&[], 20.0, "", ""), "");
    }
}
