//! Bars for the page: one picture a figure, drawn with logarithms where sides are far apart.

use super::sheet::{Better, Figure, Sheet};
use crate::measure::report::number;
use std::fmt::Write as _;

/// What names take at the left,
const LEFT: f64 = 130.0;
/// and the length of a bar of the highest value.
const LENGTH: f64 = 430.0;
const BAR: f64 = 20.0;
const TOP: f64 = 34.0;
/// Further apart than so, the lengths of bars are logarithms.
const FAR: f64 = 30.0;

/// All sides' bars for one figure; nothing if fewer than two have a number.
pub(super) fn bars(sheet: &Sheet, figure: &Figure, ours: &str) -> Option<String> {
    let values = sheet.sides.iter();
    let values: Vec<(&str, f64)> = values
        .filter_map(|side| Some((side.as_str(), sheet.number(&figure.name, side)?)))
        .filter(|(_, value)| *value > 0.0)
        .collect();
    let most = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let least = values.iter().map(|(_, value)| *value).fold(most, f64::min);
    if values.len() < 2 {
        return None;
    }
    let logarithms = most / least > FAR;
    let share = |value: f64| match logarithms {
        // Half of the least begins the axis, so that it has a bar as well.
        true => (value / (least / 2.0)).ln() / (most / (least / 2.0)).ln(),
        false => value / most,
    };
    let height = TOP + BAR * values.len() as f64 + 12.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 {height:.0}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"660\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n"
    );
    let direction = match figure.better {
        Better::More => ", more is better",
        Better::Less => ", less is better",
        Better::Neither => "",
    };
    let scale = if logarithms {
        ", lengths are logarithms"
    } else {
        ""
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"10\" y=\"20\" font-weight=\"bold\">{}, {}{direction}{scale}</text>",
        escaped(&figure.name),
        escaped(figure.unit)
    );
    for (place, (side, value)) in values.iter().enumerate() {
        let y = TOP + BAR * place as f64;
        let colour = if *side == ours { "#1f6f4a" } else { "#8a8f98" };
        let length = (share(*value) * LENGTH).max(1.0);
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{LEFT:.0}\" y=\"{:.0}\" width=\"{length:.1}\" height=\"{:.0}\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\">{}</text>",
            LEFT - 8.0,
            y + 14.0,
            escaped(side),
            y + 2.0,
            BAR - 4.0,
            LEFT + length + 6.0,
            y + 14.0,
            number(*value)
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// What a name may hold and a picture may not.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::sheet::Cell;
    use super::*;

    #[test]
    fn a_bar_for_each_number_and_none_for_what_was_told() {
        let mut sheet = Sheet {
            sides: ["ours", "a", "b"].map(String::from).to_vec(),
            ..Sheet::default()
        };
        let mut put = |side, cell| sheet.put("x < y", "1/s", Better::More, side, cell);
        put("ours", Cell::Number(100.0));
        put("a", Cell::Number(1.0));
        put("b", Cell::Told("no graph".into()));
        let svg = bars(&sheet, &sheet.figures[0], "ours").unwrap();
        assert_eq!(svg.matches("<rect x=").count(), 2);
        assert!(svg.contains("x &lt; y") && svg.contains("logarithms"));
        assert!(svg.contains("width=\"430.0\""));
    }
}
