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
    /// Everything that was measured as CSV: [`figures`](Self::figures) of all kinds. What has no interval has empty cells there.
    ///
    /// ```
    /// use stratigraph_rag::evaluate::Saved;
    ///
    /// assert_eq!(Saved::default().csv(), "set,pipeline,embedder,kind,measure,mean,low,high,questions\r\n");
    /// ```
    #[must_use]
    pub fn csv(&self) -> String {
        let mut csv = "set,pipeline,embedder,kind,measure,mean,low,high,questions\r\n".to_owned();
        for one in self.figures(true) {
            let names = [one.set, one.pipeline, one.embedder, one.kind, one.measure].map(cell);
            let ends = match &one.interval {
                Some(interval) => format!("{:.6},{:.6}", interval.start(), interval.end()),
                None => ",".to_owned(),
            };
            csv.push_str(&format!(
                "{},{:.6},{ends},{}\r\n",
                names.join(","),
                one.value,
                one.questions
            ));
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
        let refusal = Refusal {
            set: run.set.clone(),
            pipeline: run.pipeline.clone(),
            own: vec![Some(0.9), Some(0.6)],
            foreign: vec![Some(0.7)],
            nothing: Vec::new(),
            threshold: Some(0.8),
        };
        let saved = Saved {
            evaluations: vec![run],
            refusals: vec![refusal],
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
        let costs: Vec<&str> = { lines[4..].iter() }
            .filter_map(|line| line.split_once(",e,,"))
            .map(|(_, of_it)| of_it)
            .collect();
        assert_eq!(
            costs,
            [
                "p50 ms,1.000000,,,2",
                "p99 ms,1.000000,,,2",
                "units,3.000000,3.000000,3.000000,2",
                "calls,0.000000,0.000000,0.000000,2",
                "tokens,0.000000,0.000000,0.000000,2",
                "auroc,0.500000,0.000000,1.000000,2",
                "refused2,0.000000,0.000000,0.000000,1",
                "own_refused,0.500000,0.000000,1.000000,2",
                "others_refused,1.000000,1.000000,1.000000,1",
            ]
        );
        let again: Saved = serde_json::from_str(&serde_json::to_string(&saved).unwrap()).unwrap();
        assert_eq!(again, saved);
    }
}
