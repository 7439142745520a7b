//! Whether answers are right, as `BAG-RAG` says it: alike in meaning, and for numbers also the right number.

use stratigraph_models::Rows;

use crate::cosine::dot;
use crate::numerals::{Numeral, has_all, numerals};

/// Answers of which the score is at least this are alike.
pub const ALIKE: f64 = 0.85;

/// `BERTScore` of two texts by the vectors of their tokens: each token is matched with the nearest of the other text, and the
/// means of the cosines, seen from either text, have one harmonic mean. Nothing where a text has no token, or where vectors
/// have other numbers of parts.
///
/// ```
/// use stratigraph_models::Rows;
/// use stratigraph_rag::evaluate::bert_score;
///
/// let mut rows = Rows::zeros(2, 2)?;
/// rows.iter_mut().zip([[1.0, 0.0], [0.0, 1.0]]).for_each(|(row, vector)| row.copy_from_slice(&vector));
/// assert_eq!(bert_score(&rows, &rows), Some(1.0));
/// # Ok::<(), stratigraph_models::ModelError>(())
/// ```
#[must_use]
pub fn bert_score(answer: &Rows, gold: &Rows) -> Option<f64> {
    if answer.is_empty() || gold.is_empty() || answer.dimensions() != gold.dimensions() {
        return None;
    }
    let precision = mean_of_nearest(answer, gold);
    let recall = mean_of_nearest(gold, answer);
    let sum = precision + recall;
    Some(if sum > 0.0 {
        2.0 * precision * recall / sum
    } else {
        0.0
    })
}

fn mean_of_nearest(of: &Rows, among: &Rows) -> f64 {
    let nearest = of.iter().map(|row| {
        let cosines = among.iter().map(|other| cosine(row, other));
        cosines.fold(-1.0, f64::max)
    });
    nearest.sum::<f64>() / of.len() as f64
}

/// The cosine of two vectors; 0 if one has no direction.
fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 {
        dot(one, other) / lengths
    } else {
        0.0
    }
}

/// The numbers that a text has: `1,577.00` is 1577, `3,5` is 3.5 and `12 %` is 12. What stands within a name (`Q3`) is none.
///
/// ```
/// use stratigraph_rag::evaluate::numbers_of;
///
/// assert_eq!(numbers_of("$1,577.00 in FY2018, and -3.5 %."), [1577.0, -3.5]);
/// assert_eq!(numbers_of("1.234.567,8 euro"), [1_234_567.8]);
/// ```
#[must_use]
pub fn numbers_of(text: &str) -> Vec<f64> {
    numerals(text).iter().map(Numeral::value).collect()
}

/// Whether an answer has all numbers of the right one, each to the last digit that is told of it there: 2021 is not 2022, and
/// 3.14159 is 3.14, which 3.1 is not.
///
/// ```
/// use stratigraph_rag::evaluate::has_right_numbers;
///
/// assert!(has_right_numbers("About 3.14159, in 2022.", "3.14 in 2022"));
/// assert!(!has_right_numbers("About 3.14, in 2021.", "3.14 in 2022"));
/// ```
#[must_use]
pub fn has_right_numbers(answer: &str, gold: &str) -> bool {
    has_all(&numerals(answer), &numerals(gold))
}

/// How many answers are right: those to numerical questions, the others, and all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    numerical: (usize, usize),
    semantic: (usize, usize),
}

impl Accuracy {
    /// One more answer, with its score against the right one. The question is numerical if the right answer has numbers.
    ///
    /// ```
    /// use stratigraph_rag::evaluate::Accuracy;
    ///
    /// let mut accuracy = Accuracy::default();
    /// accuracy.add("It was 1,577 million.", "$1577.00", 0.9);
    /// accuracy.add("It was 1,600 million.", "$1577.00", 0.9);
    /// accuracy.add("Yes, it grew.", "Yes", 0.86);
    /// assert_eq!((accuracy.numerical(), accuracy.semantic()), (Some(0.5), Some(1.0)));
    /// assert_eq!(accuracy.total(), Some(2.0 / 3.0));
    /// ```
    pub fn add(&mut self, answer: &str, gold: &str, score: f64) {
        let is_numerical = !numbers_of(gold).is_empty();
        let is_right = score >= ALIKE && (!is_numerical || has_right_numbers(answer, gold));
        let counts = match is_numerical {
            true => &mut self.numerical,
            false => &mut self.semantic,
        };
        counts.0 += usize::from(is_right);
        counts.1 += 1;
    }

    /// `Acc_num`; nothing if no question was numerical.
    #[must_use]
    pub fn numerical(&self) -> Option<f64> {
        share(self.numerical)
    }

    /// `Acc_sem`; nothing if all questions were numerical.
    #[must_use]
    pub fn semantic(&self) -> Option<f64> {
        share(self.semantic)
    }

    /// `Acc_total`: both, each weighed by how many questions it has.
    #[must_use]
    pub fn total(&self) -> Option<f64> {
        let (numerical, semantic) = (self.numerical, self.semantic);
        share((numerical.0 + semantic.0, numerical.1 + semantic.1))
    }
}

fn share((right, all): (usize, usize)) -> Option<f64> {
    (all > 0).then(|| right as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(vectors: &[[f32; 2]]) -> Rows {
        let mut rows = Rows::zeros(vectors.len(), 2).unwrap();
        for (row, vector) in rows.iter_mut().zip(vectors) {
            row.copy_from_slice(vector);
        }
        rows
    }

    #[test]
    fn a_score_worked_out_by_hand() {
        // Precision: the mean of 1 and 0.6; recall: 1 for the one token of the gold.
        let score = bert_score(&rows(&[[2.0, 0.0], [3.0, 4.0]]), &rows(&[[1.0, 0.0]])).unwrap();
        let precision = 0.8;
        assert!(
            (score - 2.0 * precision / (precision + 1.0)).abs() < 1e-9,
            "{score}"
        );
        assert_eq!(bert_score(&rows(&[]), &rows(&[[1.0, 0.0]])), None);
        assert_eq!(
            bert_score(&rows(&[[0.0, 0.0]]), &rows(&[[1.0, 0.0]])),
            Some(0.0)
        );
    }

    #[test]
    fn all_numbers_of_the_right_answer_have_to_be_there() {
        assert!(has_right_numbers("1577.4", "1,577") && !has_right_numbers("1580", "1,577"));
        assert!(has_right_numbers("none", "no number"));
        assert!(has_right_numbers("7 of 12 in 2021", "12 in 2021"));
        assert!(!has_right_numbers("12", "12 in 2021"));
        assert!(has_right_numbers("It was **-5.2%**.", "-5.2"));
        assert!(!has_right_numbers("It was **5.2%**.", "-5.2"));
    }

    #[test]
    fn a_wrong_year_in_the_right_words_is_wrong() {
        let mut accuracy = Accuracy::default();
        let gold = "It came from Etna in 2022.";
        accuracy.add("It came from Etna in 2021.", gold, 0.99);
        assert_eq!(accuracy.numerical(), Some(0.0));
        accuracy.add(gold, gold, 1.0);
        assert_eq!(accuracy.numerical(), Some(0.5));
    }

    #[test]
    fn a_right_number_in_the_wrong_words_is_wrong() {
        let mut accuracy = Accuracy::default();
        assert_eq!((accuracy.total(), accuracy.numerical()), (None, None));
        accuracy.add("7", "7", 0.84);
        accuracy.add("no", "yes", 0.84);
        assert_eq!(
            (accuracy.numerical(), accuracy.semantic()),
            (Some(0.0), Some(0.0))
        );
    }
}
