//! Figures of the question in the headings that texts stand under.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph::graph::Entity;

use super::{Desk, Item, RetrieveError};
use crate::build::Label;

/// What was found, where a text counts more if the headings that it stands under have the figures of the question. The
/// reports of two years say the same of most things in the same words, and only their titles say which year it is.
///
/// A text gets as much of `weight`, times the best score, as is the share of the question's figures that its headings have. Where the
/// question has none, nothing changes.
///
/// ```
/// use stratigraph_rag::retrieve::Figures;
///
/// assert_eq!(Figures::new(0.4), serde_json::from_str(r#"{"weight": 0.4}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Figures {
    weight: f32,
}

impl Figures {
    /// With this weight.
    pub fn new(weight: f32) -> Self {
        Self { weight }
    }

    /// Compares. What is no chunk stays as it is; equal ones stay in the order of the list.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        mut items: Vec<Item>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let asked = figures(desk.text());
        if asked.is_empty() {
            return Ok(items);
        }
        let (read, is_chunk) = (desk.read(), Label::Chunk.name());
        let best = items.first().map_or(0.0, |item| item.score.value);
        for item in &mut items {
            let Entity::Node(node) = item.entity else {
                continue;
            };
            if !read.has_label(node, is_chunk)? {
                continue;
            }
            let heading = read.property(node, "heading")?;
            let stands = figures(heading.as_str().unwrap_or_default());
            let both = asked.intersection(&stands).count();
            item.score.value += self.weight * best * both as f32 / asked.len() as f32;
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Ok(items)
    }
}

/// The figures of a text: runs of digits, in any script, as one would write them here. A point between two digits is part of
/// them, and the letters before and after are not: `2022年` is 2022, and `5G` is 5.
fn figures(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut figure = String::new();
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        let mut next_is_digit = || signs.peek().copied().and_then(digit).is_some();
        match digit(sign) {
            Some(digit) => figure.push(digit),
            None if matches!(sign, '.' | '．') && !figure.is_empty() && next_is_digit() => {
                figure.push('.');
            }
            None if !figure.is_empty() => {
                all.insert(std::mem::take(&mut figure));
            }
            None => {}
        }
    }
    if !figure.is_empty() {
        all.insert(figure);
    }
    all
}

/// A digit, also one of full width.
fn digit(sign: char) -> Option<char> {
    match sign {
        '0'..='9' => Some(sign),
        '０'..='９' => char::from_u32(sign as u32 - '０' as u32 + '0' as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::{Trial, called};
    use super::super::{Layer, Question, Vector};
    use super::*;

    fn trial() -> Trial {
        let trial = Trial::new();
        let texts = [
            (
                "new",
                "# Report of 2023\n\n## Sums\n\nNew, sums of 2022 too. 0.7\n",
            ),
            ("old", "# Report of ２０２２\n\n## Sums\n\nOld sums. 0.6\n"),
            ("none", "# Sums\n\nNone says when. 0.65\n"),
        ];
        for (id, text) in texts {
            trial.put(id, 2020, text, &[]);
        }
        trial
    }

    fn found(question: &str) -> Vec<(String, f32)> {
        trial().ask_for(&Question::new(question).unwrap(), |desk| {
            let found = Vector::new(Layer::Chunks, 9).run(desk).unwrap();
            let items = Figures::new(0.4).run(desk, found).unwrap();
            let scores = items.iter().map(|item| item.score.value);
            called(desk, &items).into_iter().zip(scores).collect()
        })
    }

    #[test]
    fn a_text_under_the_figures_of_the_question_is_first() {
        let all = found("The sums of 2022年?");
        let order: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(order, ["Old", "New,", "None"]);
        assert!((all[0].1 - (0.6 + 0.4 * 0.7)).abs() < 1e-3, "{all:?}");
        // Of two figures each is a half, and there is no figure in the text that counts.
        let both = found("The sums of 2022 and 2023?");
        let lifts = [("New,", 0.7), ("Old", 0.6), ("None", 0.65)];
        for (name, own) in lifts {
            let lift = if name == "None" { 0.0 } else { 0.4 * 0.7 / 2.0 };
            let score = both.iter().find(|(other, _)| other == name).unwrap().1;
            assert!((score - (own + lift)).abs() < 1e-3, "{both:?}");
        }
    }

    #[test]
    fn a_question_without_figures_changes_nothing() {
        let all = found("The sums?");
        let order: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(order, ["New,", "None", "Old"]);
        assert!((all[0].1 - 0.7).abs() < 1e-3);
    }

    #[test]
    fn figures_are_digits_and_points_between_them() {
        let of = |text: &str| -> Vec<String> { figures(text).into_iter().collect() };
        assert_eq!(of("2022年第3季度, 5G"), ["2022", "3", "5"]);
        assert_eq!(of("v1.2.3 and 4. At 5"), ["1.2.3", "4", "5"]);
        assert_eq!(of("１２．５ %"), ["12.5"]);
        assert!(of("none .").is_empty());
    }
}
