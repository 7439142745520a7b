//! All figures of all sides: a number, or why there is none.

use std::collections::BTreeMap;

/// Which way a figure is good.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Better {
    More,
    Less,
    /// It is there to read the others by.
    Neither,
}

/// A row of the table.
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) unit: &'static str,
    pub(super) better: Better,
}

/// A figure in which others are better, the best of them first.
pub(super) struct Ahead<'a> {
    pub(super) figure: &'a Figure,
    /// None if ours has no number there.
    pub(super) ours: Option<f64>,
    pub(super) theirs: Vec<(&'a str, f64)>,
}

/// How ours stands in all figures that are compared: each is in one of these, unless nobody has a number.
#[derive(Default)]
pub(super) struct Standing<'a> {
    /// Others are better, or have a number where ours has none.
    pub(super) behind: Vec<Ahead<'a>>,
    /// Others have a number, and none a better one.
    pub(super) first: Vec<&'a str>,
    /// Nobody else has a number.
    pub(super) alone: Vec<&'a str>,
}

/// What stands in a cell.
pub(super) enum Cell {
    Number(f64),
    /// A number with what must be read with it.
    Noted(f64, String),
    /// Why there is no number.
    Told(String),
}

/// Rows are figures, columns are sides.
#[derive(Default)]
pub(super) struct Sheet {
    pub(super) sides: Vec<String>,
    pub(super) figures: Vec<Figure>,
    pub(super) cells: BTreeMap<(String, String), Cell>,
}

impl Sheet {
    pub(super) fn put(
        &mut self,
        figure: &str,
        unit: &'static str,
        better: Better,
        side: &str,
        cell: Cell,
    ) {
        if !self.figures.iter().any(|known| known.name == figure) {
            let name = figure.to_owned();
            self.figures.push(Figure { name, unit, better });
        }
        self.cells
            .insert((figure.to_owned(), side.to_owned()), cell);
    }

    pub(super) fn cell(&self, figure: &str, side: &str) -> Option<&Cell> {
        self.cells.get(&(figure.to_owned(), side.to_owned()))
    }

    /// The number of a side, if it has one that may be compared.
    pub(super) fn number(&self, figure: &str, side: &str) -> Option<f64> {
        match self.cell(figure, side)? {
            Cell::Number(number) | Cell::Noted(number, _) => Some(*number),
            Cell::Told(_) => None,
        }
    }

    /// Where others are better than `ours`, the best of them first, and where they are not. Only numbers of their own are
    /// compared: what a note says is nobody's figure, and has to be put into one.
    pub(super) fn standing(&self, ours: &str) -> Standing<'_> {
        let mut standing = Standing::default();
        let compared = |figure: &&Figure| figure.better != Better::Neither;
        for figure in self.figures.iter().filter(compared) {
            let our = self.number(&figure.name, ours);
            let others = self.sides.iter().filter(|side| *side != ours);
            let theirs: Vec<(&str, f64)> = others
                .filter_map(|side| Some((side.as_str(), self.number(&figure.name, side)?)))
                .collect();
            let is_better = |theirs: f64| match (our, figure.better) {
                (None, _) => true,
                (Some(our), Better::Less) => theirs < our,
                (Some(our), _) => theirs > our,
            };
            let better = theirs.iter().filter(|(_, theirs)| is_better(*theirs));
            let mut better: Vec<(&str, f64)> = better.copied().collect();
            better.sort_by(|one, other| match figure.better {
                Better::Less => one.1.total_cmp(&other.1),
                _ => other.1.total_cmp(&one.1),
            });
            if !better.is_empty() {
                standing.behind.push(Ahead {
                    figure,
                    ours: our,
                    theirs: better,
                });
            } else if !theirs.is_empty() {
                standing.first.push(&figure.name);
            } else if our.is_some() {
                standing.alone.push(&figure.name);
            }
        }
        standing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_ahead_are_told_the_best_first() {
        let mut sheet = Sheet {
            sides: ["ours", "a", "b", "c"].map(String::from).to_vec(),
            ..Sheet::default()
        };
        for (side, speed, time) in [("ours", 5.0, 2.0), ("a", 7.0, 3.0), ("b", 9.0, 2.5)] {
            sheet.put("speed", "1/s", Better::More, side, Cell::Number(speed));
            sheet.put("time", "s", Better::Less, side, Cell::Number(time));
        }
        sheet.put("speed", "1/s", Better::More, "c", Cell::Told("none".into()));
        let standing = sheet.standing("ours");
        assert_eq!(standing.behind.len(), 1);
        assert_eq!(standing.behind[0].theirs, [("b", 9.0), ("a", 7.0)]);
        assert_eq!(standing.first, ["time"]);
    }

    #[test]
    fn every_figure_that_is_compared_is_told_once() {
        let mut sheet = Sheet {
            sides: ["ours", "a"].map(String::from).to_vec(),
            ..Sheet::default()
        };
        let mut put = |figure, better, ours, theirs| {
            for (side, number) in [("ours", ours), ("a", theirs)] {
                let cell = match number {
                    Some(number) => Cell::Number(number),
                    None => Cell::Told("none".into()),
                };
                sheet.put(figure, "1/s", better, side, cell);
            }
        };
        put("as good", Better::Less, Some(0.0), Some(0.0));
        put("ours alone", Better::More, Some(1.0), None);
        put("theirs alone", Better::Less, None, Some(1.0));
        put("nobody's", Better::Less, None, None);
        put("to read others by", Better::Neither, Some(1.0), Some(2.0));
        let standing = sheet.standing("ours");
        let behind: Vec<&str> = standing
            .behind
            .iter()
            .map(|ahead| ahead.figure.name.as_str())
            .collect();
        assert_eq!(behind, ["theirs alone"]);
        assert_eq!(standing.behind[0].ours, None);
        assert_eq!(standing.first, ["as good"]);
        assert_eq!(standing.alone, ["ours alone"]);
    }
}
