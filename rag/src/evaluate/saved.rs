//! Runs as a file, and as a table for other programs.

use serde::{Deserialize, Serialize};

use super::{Evaluation, Refusal};

/// What one call has measured: what `eval --out` writes and `eval diff` reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// Every pipeline on every set.
    pub evaluations: Vec<Evaluation>,
    /// How sure every pipeline was, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
}

impl Saved {
    /// All means with their intervals as CSV: over all questions of a set, and over those of each kind.
    ///
    /// ```
    /// use stratigraph_rag::evaluate::Saved;
    ///
    /// assert_eq!(Saved::default().csv(), "set,pipeline,embedder,kind,measure,mean,low,high,questions\r\n");
    /// ```
    #[must_use]
    pub fn csv(&self) -> String {
        let mut csv = "set,pipeline,embedder,kind,measure,mean,low,high,questions\r\n".to_owned();
        for run in &self.evaluations {
            let names = [&run.set, &run.pipeline, &run.embedder].map(|name| cell(name));
            for kind in [""].into_iter().chain(run.kinds()) {
                for measure in run.measures() {
                    let mean = match kind {
                        "" => run.mean(measure),
                        kind => run.mean_of_kind(kind, measure),
                    };
                    let Some(mean) = mean else { continue };
                    let (low, high) = (mean.interval.start(), mean.interval.end());
                    let (kind, measure) = (cell(kind), cell(measure));
                    let names = names.join(",");
                    csv.push_str(&format!(
                        "{names},{kind},{measure},{:.6},{low:.6},{high:.6},{}\r\n",
                        mean.mean, mean.count
                    ));
                }
            }
        }
        csv
    }
}

/// A cell: quoted where a reader could take it for something else. What begins like a formula is told apart from one
/// by a blank, as tables are opened with programs that would work it out.
pub(super) fn cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula {
        format!(" {text}")
    } else {
        text.to_owned()
    };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Evaluated;
    use super::*;

    #[test]
    fn names_stay_cells_whatever_is_in_them() {
        let question = |id: &str, kind: &str, value: f64| Evaluated {
            id: id.to_owned(),
            kind: kind.to_owned(),
            values: [("r5".to_owned(), value)].into(),
            found: Vec::new(),
            confidence: Some(0.5),
            milliseconds: 1.0,
            units: 3,
            cost: Default::default(),
        };
        let run = Evaluation {
            set: "a,\"b\"\n".to_owned(),
            pipeline: "=1+1".to_owned(),
            embedder: "e".to_owned(),
            questions: vec![question("1", "x", 1.0), question("2", "y", 0.0)],
        };
        let saved = Saved {
            evaluations: vec![run],
            refusals: Vec::new(),
        };
        let csv = saved.csv();
        let lines: Vec<&str> = csv.split("\r\n").collect();
        assert!(
            lines[1].starts_with("\"a,\"\"b\"\"\n\", =1+1,e,,r5,0.500000,0.000000,1.000000,2"),
            "{csv}"
        );
        assert!(
            lines[2].contains(",x,r5,1.000000,1.000000,1.000000,1"),
            "{csv}"
        );
        let again: Saved = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
        assert_eq!(again, saved);
    }
}
