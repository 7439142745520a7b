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
    pub(super) ours: f64,
    pub(super) theirs: Vec<(&'a str, f64)>,
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

    /// Who is better than `ours`, figure by figure, the best first.
    pub(super) fn better_than(&self, ours: &str) -> Vec<Ahead<'_>> {
        let mut found = Vec::new();
        for figure in &self.figures {
            let Some(our) = self.number(&figure.name, ours) else {
                continue;
            };
            let mut ahead: Vec<(&str, f64)> = self
                .sides
                .iter()
                .filter_map(|side| Some((side.as_str(), self.number(&figure.name, side)?)))
                .filter(|(_, theirs)| match figure.better {
                    Better::More => *theirs > our,
                    Better::Less => *theirs < our,
                    Better::Neither => false,
                })
                .collect();
            ahead.sort_by(|one, other| match figure.better {
                Better::Less => one.1.total_cmp(&other.1),
                _ => other.1.total_cmp(&one.1),
            });
            if !ahead.is_empty() {
                found.push(Ahead {
                    figure,
                    ours: our,
                    theirs: ahead,
                });
            }
        }
        found
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
        let ahead = sheet.better_than("ours");
        assert_eq!(ahead.len(), 1);
        assert_eq!(ahead[0].theirs, [("b", 9.0), ("a", 7.0)]);
    }
}
