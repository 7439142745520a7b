//! How far an embedder reads, and the room that a piece leaves for its heading, which is put before it when its vector is made.

use super::Measure;

/// Of what is read, a heading takes this part at most: one that is longer than that, and does not fit with its text, is cut.
const PART_OF_HEADING: usize = 4;

/// How many units of a text an embedder reads. What is behind them has no part in its vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// What the embedder names as its limit, in which it counts what it adds by itself.
    pub limit: usize,
    /// What is left of it for a text.
    pub text: usize,
}

impl Reach {
    /// The most units of a piece that is read whole with this heading before it.
    pub(super) fn beside(self, heading: &str, measure: &dyn Measure) -> usize {
        let heading = measure.ends(&format!("{heading}\n")).len();
        (self.text - heading.min(self.of_heading())).max(1)
    }

    /// The most units of a piece that is read whole with any heading before it.
    pub(super) fn beside_any(self) -> usize {
        self.text - self.of_heading()
    }

    /// A heading as it is put before a text: whole if both are read, and otherwise no more than its part, up to a word.
    pub(crate) fn heading<'h>(
        self,
        heading: &'h str,
        text: &str,
        measure: &dyn Measure,
    ) -> &'h str {
        let most = self.of_heading();
        // Hardly any text has more units than bytes, so most are not measured at all.
        if heading.len() < most {
            return heading;
        }
        let ends = measure.ends(heading);
        // The end of its line may be a unit as well.
        if ends.len() < most || !self.is_beyond(&format!("{heading}\n{text}"), measure) {
            return heading;
        }
        let last = most.checked_sub(2).and_then(|last| ends.get(last));
        let end = last.copied().unwrap_or(0);
        let Some(part) = heading.get(..end) else {
            return "";
        };
        let is_whole = heading[end..].starts_with(char::is_whitespace);
        match part.rfind(char::is_whitespace) {
            Some(border) if !is_whole => part[..border].trim_end(),
            _ => part.trim_end(),
        }
    }

    /// Whether the end of a text is not read.
    pub(crate) fn is_beyond(self, text: &str, measure: &dyn Measure) -> bool {
        text.len() > self.text && measure.ends(text).len() > self.text
    }

    fn of_heading(self) -> usize {
        self.text / PART_OF_HEADING
    }
}
