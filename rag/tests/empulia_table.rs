//! `EmPULIA`'s Table 2, computed anew from the lists that its authors have saved: as they count, and as `eval` counts ours.

mod shared;

use std::collections::{BTreeMap, HashSet};

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

/// Precision and recall of the lists with sources, counted as ours.
const AS_OURS: [(&str, [f64; 2]); 5] = [
    ("1_hop", [0.539, 0.875]),
    ("2_hop", [0.719, 0.688]),
    ("isolated", [0.567, 1.0]),
    ("hubs", [0.493, 0.054]),
    ("out_of_domain", [1.0, 1.0]),
];

/// A list that the authors have saved.
struct Saved {
    run: String,
    kind: String,
    found: Vec<u64>,
    gold: Vec<u64>,
}

#[test]
fn the_published_numbers_are_those_of_the_saved_lists() {
    let Some(lists) = saved() else { return };
    for (place, run) in ["source-default", "nosource-default"]
        .into_iter()
        .enumerate()
    {
        let of_run = lists.iter().filter(|list| list.run == run);
        let means = means(of_run, |list| {
            let measures = [context_precision, ordered_recall, set_recall];
            measures.map(|measure| measure(&list.found, &list.gold))
        });
        for (kind, published) in PUBLISHED {
            assert_eq!(means[kind], printed(published[place]), "{run} {kind}");
        }
    }
}

#[test]
fn counted_as_ours_the_saved_lists_have_other_numbers() {
    let all = saved().zip(shared::rows("empulia/triples.jsonl.gz"));
    let Some((lists, triples)) = all else { return };
    // Facts of the same ends, relation and source are one, whichever end is first.
    let mut known: BTreeMap<[&str; 4], usize> = BTreeMap::new();
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    for triple in &triples {
        let text = |name: &str| triple[name].as_str().unwrap_or_default().trim();
        let (one, other) = (text("e1").min(text("e2")), text("e1").max(text("e2")));
        let new = known.len();
        let number = *known
            .entry([one, other, text("rel"), text("source")])
            .or_insert(new);
        numbers.insert(triple["id"].as_u64().unwrap(), number);
    }
    let once = |list: &[u64]| -> Vec<usize> {
        let mut seen = HashSet::new();
        let facts = list.iter().map(|id| numbers[id]);
        facts.filter(|fact| seen.insert(*fact)).collect()
    };
    let of_run = lists.iter().filter(|list| list.run == "source-default");
    let means = means(of_run, |list| {
        let (mut found, gold) = (once(&list.found), once(&list.gold));
        found.truncate((gold.len() + gold.len().div_ceil(10)).max(50));
        let measures = [context_precision, set_recall];
        measures.map(|measure| measure(&found, &gold))
    });
    for (kind, counted) in AS_OURS {
        assert_eq!(means[kind], printed(counted), "{kind}");
    }
}

/// All of them, with what is right; nothing where the set is not here.
fn saved() -> Option<Vec<Saved>> {
    let questions = shared::rows("empulia/questions.jsonl.gz")?;
    let runs = shared::rows("empulia/author_runs.jsonl.gz")?;
    let questions: BTreeMap<u64, (String, Vec<u64>)> = questions
        .iter()
        .map(|line| {
            let kind = line["category"].as_str().unwrap().to_owned();
            (line["id"].as_u64().unwrap(), (kind, ids(&line["gold"])))
        })
        .collect();
    let lists = runs.iter().map(|line| {
        let (kind, gold) = &questions[&line["question_id"].as_u64().unwrap()];
        Saved {
            run: line["run"].as_str().unwrap().to_owned(),
            kind: kind.clone(),
            found: ids(&line["retrieved"]),
            gold: gold.clone(),
        }
    });
    let lists: Vec<Saved> = lists.collect();
    for run in ["source-default", "nosource-default"] {
        let of_run = lists.iter().filter(|list| list.run == run);
        let there = of_run.count();
        assert_eq!(there, questions.len(), "{run} has a list for each question");
    }
    Some(lists)
}

/// The means of the measures over the lists of each kind of question, digit by digit as they are printed.
fn means<'s, const N: usize>(
    lists: impl Iterator<Item = &'s Saved>,
    measured: impl Fn(&Saved) -> [f64; N],
) -> BTreeMap<&'s str, [String; N]> {
    let mut kinds: BTreeMap<&str, Vec<[f64; N]>> = BTreeMap::new();
    for list in lists {
        kinds.entry(&list.kind).or_default().push(measured(list));
    }
    let means = kinds.into_iter().map(|(kind, rows)| {
        let mean = |column: usize| {
            let sum: f64 = rows.iter().map(|row| row[column]).sum();
            sum / rows.len() as f64
        };
        (kind, printed(std::array::from_fn(mean)))
    });
    means.collect()
}

fn printed<const N: usize>(numbers: [f64; N]) -> [String; N] {
    numbers.map(|number| format!("{number:.3}"))
}

fn ids(value: &Value) -> Vec<u64> {
    let ids = value.as_array().unwrap().iter();
    ids.map(|id| id.as_u64().unwrap()).collect()
}
