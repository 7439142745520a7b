//! `EmPULIA`'s Table 2, computed anew from the lists that its authors have saved.

mod shared;

use std::collections::BTreeMap;

use serde_json::Value;
use stratigraph_rag::evaluate::{context_precision, ordered_recall, set_recall};

/// Per kind of question: precision, what is called recall, and recall; first with sources, then without.
const PUBLISHED: [(&str, [[f64; 3]; 2]); 5] = [
    ("1_hop", [[0.539, 0.875, 0.875], [0.394, 0.875, 0.875]]),
    ("2_hop", [[0.659, 1.0, 0.812], [0.520, 0.750, 0.500]]),
    ("isolated", [[0.567, 1.0, 1.0], [0.660, 1.0, 1.0]]),
    ("hubs", [[0.463, 0.108, 0.046], [0.415, 0.061, 0.024]]),
    ("out_of_domain", [[1.0; 3], [1.0; 3]]),
];

#[test]
fn the_published_numbers_are_those_of_the_saved_lists() {
    let all = shared::rows("empulia/questions.jsonl.gz")
        .zip(shared::rows("empulia/author_runs.jsonl.gz"));
    let Some((questions, runs)) = all else { return };
    let questions: BTreeMap<u64, (String, Vec<u64>)> = questions
        .iter()
        .map(|line| {
            let kind = line["category"].as_str().unwrap().to_owned();
            (line["id"].as_u64().unwrap(), (kind, ids(&line["gold"])))
        })
        .collect();
    for (place, run) in ["source-default", "nosource-default"]
        .into_iter()
        .enumerate()
    {
        let of_run = runs.iter().filter(|line| line["run"] == run);
        assert_eq!(
            of_run.count(),
            questions.len(),
            "{run} has a list for each question"
        );
        let mut kinds: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
        for line in runs.iter().filter(|line| line["run"] == run) {
            let (kind, gold) = &questions[&line["question_id"].as_u64().unwrap()];
            let found = ids(&line["retrieved"]);
            let measures = [context_precision, ordered_recall, set_recall];
            let measured = measures.map(|measure| measure(&found, gold));
            kinds.entry(kind).or_default().push(measured);
        }
        for (kind, published) in PUBLISHED {
            let measured = &kinds[kind];
            for (column, published) in published[place].into_iter().enumerate() {
                let sum: f64 = measured.iter().map(|row| row[column]).sum();
                let mean = sum / measured.len() as f64;
                // Digit by digit, as they are printed.
                let (mean, published) = (format!("{mean:.3}"), format!("{published:.3}"));
                assert_eq!(mean, published, "{run} {kind}, column {column}");
            }
        }
    }
}

fn ids(value: &Value) -> Vec<u64> {
    let ids = value.as_array().unwrap().iter();
    ids.map(|id| id.as_u64().unwrap()).collect()
}
