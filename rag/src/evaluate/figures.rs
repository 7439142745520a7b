//! What was measured, number by number. The table that is printed, the CSV and the page have their rows from here, so that none of
//! them lacks what another one has.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::{Evaluation, Mean, Saved};

/// A number that was measured, and what it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<'a> {
    /// The set.
    pub set: &'a str,
    /// The pipeline.
    pub pipeline: &'a str,
    /// Whose vectors; empty if nobody says.
    pub embedder: &'a str,
    /// Of which kind of questions; empty if it is of all of them.
    pub kind: &'a str,
    /// The measure.
    pub measure: &'a str,
    /// The mean; of `p50 ms` and `p99 ms` a time.
    pub value: f64,
    /// Where the mean would be with other questions of the kind; nothing if it is no mean.
    pub interval: Option<RangeInclusive<f64>>,
    /// Of how many questions.
    pub questions: usize,
    /// So many digits behind the point say something.
    pub(super) digits: usize,
}

impl Figure<'_> {
    /// The measure, with the kind before it if it is of one: `hubs_cp`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.kind {
            "" => self.measure.to_owned(),
            kind => format!("{kind}_{}", self.measure),
        }
    }

    /// The value with as many digits as say something.
    #[must_use]
    pub fn shown(&self) -> String {
        self.rounded(self.value)
    }

    /// The ends of the interval, likewise; nothing if there is none.
    #[must_use]
    pub fn shown_ends(&self) -> Option<[String; 2]> {
        let interval = self.interval.as_ref()?;
        Some([interval.start(), interval.end()].map(|end| self.rounded(*end)))
    }

    fn rounded(&self, value: f64) -> String {
        format!("{value:.digits$}", digits = self.digits)
    }
}

impl Evaluation {
    /// Whether it is facts that are judged.
    #[must_use]
    pub fn is_of_facts(&self) -> bool {
        self.measures().contains("cp")
    }

    /// The kinds of which measures are told by themselves: all of them if that is wanted, and those of facts always, as they are
    /// published so.
    #[must_use]
    pub fn kinds_told(&self, wanted: bool) -> BTreeSet<&str> {
        match wanted || self.is_of_facts() {
            true => self.kinds(),
            false => BTreeSet::new(),
        }
    }

    /// The means of its measures over all questions, and then over those of each kind that is told.
    #[must_use]
    pub fn means(&self, kinds: bool) -> Vec<Figure<'_>> {
        let measures = self.measures();
        let mut means = Vec::new();
        for kind in [""].into_iter().chain(self.kinds_told(kinds)) {
            for &measure in &measures {
                let mean = match kind {
                    "" => self.mean(measure),
                    kind => self.mean_of_kind(kind, measure),
                };
                means.extend(mean.map(|mean| self.figure((kind, measure), mean, 3)));
            }
        }
        means
    }

    /// What a question took: time, units of context, and what models were paid. Where no question took any time, nobody has looked at
    /// that, as of judged pairs; where nothing was packed of any, or nobody has counted it, there are no units.
    #[must_use]
    pub fn costs(&self) -> Vec<Figure<'_>> {
        let mut questions = self.questions.iter();
        if !questions.any(|question| question.milliseconds > 0.0) {
            return Vec::new();
        }
        let times = [("p50 ms", 0.5), ("p99 ms", 0.99)].map(|(measure, share)| Figure {
            set: &self.set,
            pipeline: &self.pipeline,
            embedder: &self.embedder,
            kind: "",
            measure,
            value: self.milliseconds_at(share),
            interval: None,
            questions: self.questions.len(),
            digits: 2,
        });
        let units = self.mean_units().filter(|units| units.mean > 0.0);
        let paid = [
            ("units", units, 0),
            ("calls", self.mean_calls(), 2),
            ("tokens", self.mean_tokens(), 0),
        ];
        let paid = paid
            .into_iter()
            .filter_map(|(measure, mean, digits)| Some(self.figure(("", measure), mean?, digits)));
        times.into_iter().chain(paid).collect()
    }

    fn figure<'a>(
        &'a self,
        (kind, measure): (&'a str, &'a str),
        mean: Mean,
        digits: usize,
    ) -> Figure<'a> {
        Figure {
            set: &self.set,
            pipeline: &self.pipeline,
            embedder: &self.embedder,
            kind,
            measure,
            value: mean.mean,
            interval: Some(mean.interval),
            questions: mean.count,
            digits,
        }
    }
}

impl Saved {
    /// Every number: of each run its means and what it took, and then refusal. Of all kinds if that is wanted, of facts always.
    ///
    /// ```
    /// use stratigraph_rag::evaluate::{Refusal, Saved};
    ///
    /// let refusal = Refusal {
    ///     own: vec![Some(0.9), Some(0.4)],
    ///     foreign: vec![Some(0.2), None],
    ///     threshold: Some(0.5),
    ///     ..Refusal::default()
    /// };
    /// let saved = Saved {
    ///     refusals: vec![refusal],
    ///     ..Saved::default()
    /// };
    /// let figures = saved.figures(false);
    /// let shown: Vec<String> = figures.iter().map(|one| format!("{} {}", one.name(), one.shown())).collect();
    /// assert_eq!(shown, ["auroc 1.000", "refused2 1.000", "own_refused 0.500", "others_refused 1.000"]);
    /// ```
    #[must_use]
    pub fn figures(&self, kinds: bool) -> Vec<Figure<'_>> {
        let mut all = Vec::new();
        for run in &self.evaluations {
            all.extend(run.means(kinds));
            all.extend(run.costs());
        }
        for refusal in &self.refusals {
            let mut runs = self.evaluations.iter();
            let run = runs.find(|run| run.set == refusal.set && run.pipeline == refusal.pipeline);
            all.extend(refusal.means().into_iter().map(|(measure, mean)| Figure {
                set: &refusal.set,
                pipeline: &refusal.pipeline,
                embedder: run.map_or("", |run| run.embedder.as_str()),
                kind: "",
                measure,
                value: mean.mean,
                interval: Some(mean.interval),
                questions: mean.count,
                digits: 3,
            }));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Evaluated, Refusal};
    use super::*;
    use crate::answer::Paid;

    fn question(kind: &str, value: f64, milliseconds: f64) -> Evaluated {
        Evaluated {
            id: String::new(),
            kind: kind.to_owned(),
            values: [("cp".to_owned(), value)].into(),
            found: Vec::new(),
            confidence: None,
            milliseconds,
            units: 30,
            cost: Paid {
                calls: 1,
                input_tokens: 5,
                output_tokens: 2,
            },
        }
    }

    fn run(questions: Vec<Evaluated>) -> Evaluation {
        Evaluation {
            set: "facts".to_owned(),
            pipeline: "p".to_owned(),
            embedder: "e".to_owned(),
            questions,
        }
    }

    fn told(figures: &[Figure<'_>]) -> Vec<String> {
        let told = figures.iter();
        told.map(|one| format!("{} {} {}", one.name(), one.shown(), one.questions))
            .collect()
    }

    #[test]
    fn everything_that_was_measured_is_a_figure() {
        let questions = vec![question("hubs", 1.0, 2.0), question("two_hop", 0.5, 4.0)];
        let refusal = Refusal {
            set: "facts".to_owned(),
            pipeline: "p".to_owned(),
            own: vec![Some(0.9), Some(0.6)],
            foreign: vec![Some(0.7)],
            threshold: Some(0.8),
            ..Refusal::default()
        };
        let saved = Saved {
            evaluations: vec![run(questions)],
            refusals: vec![refusal],
        };
        let figures = saved.figures(false);
        assert_eq!(
            told(&figures),
            [
                "cp 0.750 2",
                "hubs_cp 1.000 1",
                "two_hop_cp 0.500 1",
                "p50 ms 4.00 2",
                "p99 ms 4.00 2",
                "units 30 2",
                "calls 1.00 2",
                "tokens 7 2",
                "auroc 0.500 2",
                "refused2 0.000 1",
                "own_refused 0.500 2",
                "others_refused 1.000 1",
            ]
        );
        // A mean has an interval, and a time has none.
        for one in &figures {
            assert_eq!(one.shown_ends().is_none(), one.measure.ends_with(" ms"));
            assert_eq!((one.set, one.pipeline, one.embedder), ("facts", "p", "e"));
        }
        let ends = figures[0].shown_ends().unwrap();
        assert_eq!(ends, ["0.500", "1.000"]);
    }

    #[test]
    fn kinds_are_told_where_they_are_wanted() {
        let mut questions = vec![question("even", 1.0, 1.0), question("odd", 0.0, 1.0)];
        for question in &mut questions {
            let value = question.values.remove("cp").unwrap();
            question.values.insert("r5".to_owned(), value);
        }
        let run = run(questions);
        assert_eq!(told(&run.means(false)), ["r5 0.500 2"]);
        assert_eq!(
            told(&run.means(true)),
            ["r5 0.500 2", "even_r5 1.000 1", "odd_r5 0.000 1"]
        );
    }

    #[test]
    fn what_nobody_has_counted_is_no_zero() {
        let untimed = run(vec![question("", 1.0, 0.0)]);
        assert!(untimed.costs().is_empty());
        let mut unpacked = question("", 1.0, 1.0);
        unpacked.units = 0;
        let unpacked = run(vec![unpacked]);
        let names: Vec<&str> = { unpacked.costs() }.iter().map(|one| one.measure).collect();
        assert_eq!(names, ["p50 ms", "p99 ms", "calls", "tokens"]);
    }
}
