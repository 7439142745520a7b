//! What operators say of themselves in the trace of a pipeline.

use serde_json::Value as Json;

use super::super::trial::Trial;
use crate::retrieve::{Pipeline, Question, Traced};

const ROCKS: &str = "\
# Rocks 0.9\n\nIron 0.7 has rust 0.7.\n
## Basalt 0.8\n\nText.\n
## Chalk 0.2\n\nText.\n";

const SEA: &str = "\
# Sea 0.1\n\nText.\n
## Waves 0.75\n\nText.\n";

const ALL: &str = "name = 'p'
[[stage]]
name = 'sections'
run.descend = { above = 0.5, recover = 1, exact = true }
[[stage]]
name = 'named'
run.communities = { at_least = 0.5 }
[[stage]]
name = 'near'
run.vector = { of = 'chunks', k = 9 }
[[stage]]
name = 'followed'
run.follow = { seeds = 1 }
[[stage]]
name = 'walked'
run.rank = { of = 'chunks', k = 9 }";

fn trial() -> Trial {
    let trial = Trial::new();
    let said = [("Iron 0.7", "has", "rust 0.7")];
    trial.put("rocks.md", 2021, ROCKS, &said);
    trial.put("sea.md", 2022, SEA, &[]);
    trial
}

fn traced(pipeline: &Pipeline) -> Vec<Traced> {
    trial().ask("What has rust?", |desk| pipeline.run(desk).unwrap().1)
}

/// These numbers of each level or layer.
fn numbers<const N: usize>(detail: &Json, names: [&str; N]) -> Vec<[u64; N]> {
    let all = detail.as_array().unwrap().iter();
    all.map(|one| names.map(|name| one[name].as_u64().unwrap()))
        .collect()
}

const LEVEL: [&str; 5] = ["level", "candidates", "kept", "cut", "recovered"];

#[test]
fn a_trace_tells_the_levels_of_a_descent_and_what_others_did() {
    let trace = traced(&Pipeline::parse(ALL).unwrap());
    let detail = |stage: &str| {
        let traced = trace.iter().find(|traced| traced.stage == stage);
        &traced.unwrap().detail
    };
    // Waves lie in the sea, which was cut, and are recovered.
    let levels = numbers(detail("sections"), LEVEL);
    assert_eq!(levels, [[1, 2, 1, 1, 0], [2, 2, 1, 1, 1]]);
    let distances = numbers(detail("sections"), ["distances"]);
    assert!(distances.iter().all(|[distances]| *distances > 0));
    let layers = numbers(detail("named"), ["communities", "kept", "new"]);
    assert_eq!(layers[0][1..], [2, 2]);
    assert_eq!(layers[layers.len() - 1][..2], [1, 2]);
    // A search has nothing to say but how much it gave.
    assert!(detail("near").is_null());
    assert_eq!(detail("followed")["read"], 1);
    let walked = detail("walked");
    for name in ["nodes", "pushes", "edges"] {
        assert!(walked[name].as_u64() > Some(0), "{walked}");
    }
    assert_eq!(walked["is_cut"], false);
}

#[test]
fn the_levels_of_a_preset_are_told() {
    let trace = traced(&Pipeline::preset("bag").unwrap());
    // All of a level are near enough, as there are fewer than are kept.
    let levels = numbers(&trace[0].detail, LEVEL);
    assert_eq!(levels, [[1, 2, 2, 0, 0], [2, 3, 3, 0, 0]]);
}

#[test]
fn what_leaves_nothing_by_its_bound_says_how_near_the_best_is() {
    let trial = trial();
    let why = |run: &str, question: &Question| {
        let text = format!("name = 'p'\n[[stage]]\nname = 'a'\n{run}");
        let pipeline = Pipeline::parse(&text).unwrap();
        let retrieved = trial.ask_for(question, |desk| pipeline.retrieve(desk).unwrap());
        let why = retrieved.why_nothing().map(str::to_owned);
        (retrieved.found.len(), why)
    };
    let question = Question::new("What has rust?").unwrap();
    let bounded = |above: f32| {
        [
            format!("run.vector = {{ of = 'facts', k = 9, above = {above} }}"),
            format!(
                "run.vector = {{ of = 'facts', k = 9 }}
                [[stage]]\nname = 'b'\nrun.threshold = {{ above = {above}, scale = 'cosine' }}"
            ),
            // These ask a model for other wordings and triples where there is one.
            format!(
                "if_there = true\nrun.multi_query = {{ search.vector = {{ of = 'facts', k = 9, above = {above} }} }}"
            ),
            format!(
                "if_there = true\nrun.extract_triples = {{ of = 'facts', k = 9, above = {above} }}"
            ),
        ]
    };
    let told = "the best has 0.700 (cosine), and `above` is 0.75, which is for another embedder or question";
    for run in bounded(0.75) {
        assert_eq!(why(&run, &question), (0, Some(told.to_owned())), "{run}");
    }
    for run in bounded(0.5) {
        assert_eq!(why(&run, &question), (1, None), "{run}");
    }
    // Where there is nothing at all, no bound is to blame.
    let elsewhere = question.only("year", 1999);
    for run in bounded(0.75) {
        assert_eq!(why(&run, &elsewhere), (0, None), "{run}");
    }
}
