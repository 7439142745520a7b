//! The parameters of the published systems, as the presets have them.

use serde_json::{Value as Json, json};

use crate::extract::model::Writing;
use crate::retrieve::Pipeline;

/// What the stages of a preset do, as they are written with all that goes without saying.
fn stages(preset: &Pipeline) -> Vec<Json> {
    let stages = preset.stages.iter();
    stages
        .map(|stage| serde_json::to_value(&stage.run).unwrap())
        .collect()
}

#[test]
fn presets_have_the_parameters_of_their_papers() {
    let nearest = |layer: &str, k: usize| json!({"vector": {"of": layer, "k": k, "exact": false}});
    let first = |k: usize| json!({"limit": {"k": k}});
    let concatenate = json!({"fuse": {"by": "concatenate"}});
    // HybridRAG's traversal of depth 1, and the neighbours of the baseline.
    let facts = json!({"expand": {
        "along": "facts", "steps": 1, "emit": "relationships", "per_node": 10_000, "k": 100,
    }});
    let wanted = [
        ("direct", 50, vec![]),
        // Twenty are considered, and four kept.
        ("vector", 50, vec![nearest("chunks", 20), first(4)]),
        (
            "graph",
            50,
            vec![nearest("entities", 3), facts.clone(), concatenate.clone()],
        ),
        // The paper gives neither of its thresholds: these were measured.
        (
            "bag",
            50,
            vec![
                json!({"descend": {
                    "keep": 16, "recover": 4, "words": 1.0, "judged": true, "exact": false,
                }}),
                json!({"communities": {
                    "at_least": 0.3_f32, "seed": 0, "resolution": 1.0, "most": 1000,
                }}),
                concatenate.clone(),
                json!({"support": {"k": 100, "words": 2.0}}),
                json!({"together": {"weight": 0.25, "of": 20}}),
                json!({"around": {"seeds": 5, "reach": 4, "share": 0.9_f32}}),
                first(40),
                concatenate.clone(),
            ],
        ),
        // The three nearest domains and all above them; what lifts some of thirty is ours.
        (
            "tag",
            50,
            vec![
                nearest("chunks", 100),
                nearest("domains", 30),
                json!({"attest": {"weight": 1.0}}),
                first(3),
                json!({"ascend": {}}),
            ],
        ),
        (
            "triples",
            546,
            vec![json!({"vector": {
                "of": "facts_with_sources", "k": 546, "above": 0.6_f32, "exact": false,
            }})],
        ),
        (
            "hybrid",
            50,
            vec![
                nearest("chunks", 20),
                first(4),
                json!({"mentions": {"k": 10}}),
                facts,
                concatenate,
            ],
        ),
    ];
    for (name, most, wanted) in wanted {
        let preset = Pipeline::preset(name).unwrap();
        assert_eq!(stages(&preset), wanted, "{name}");
        assert_eq!((preset.budget, preset.most), (2000, most), "{name}");
    }
    // Who has no model goes on without one.
    let bag = Pipeline::preset("bag").unwrap();
    assert!(bag.stages[0].if_there);
    // Chunks first, and then facts.
    let hybrid = Pipeline::preset("hybrid").unwrap();
    assert_eq!(hybrid.stages[4].from, ["kept", "facts"]);
}

#[test]
fn presets_have_answers_written_as_their_papers_do() {
    for name in Pipeline::presets() {
        // The papers of the others do not say.
        let (temperature, most_tokens) = match name {
            "bag" => (Some(0.7), None),
            "hybrid" => (Some(0.0), Some(1024)),
            "triples" => (Some(0.0), None),
            _ => (None, None),
        };
        let wanted = Writing {
            temperature,
            most_tokens,
        };
        assert_eq!(Pipeline::preset(name).unwrap().answer, wanted, "{name}");
    }
}

#[test]
fn how_an_answer_is_written_has_bounds() {
    let parse = |said: &str| Pipeline::parse(&format!("name = 'p'\n[answer]\n{said}"));
    for said in [
        "",
        "temperature = 2",
        "most_tokens = 4096",
        "temperature = 0.0",
    ] {
        let read = parse(said).unwrap();
        // Who says nothing has what he had before there was such a table.
        let written = serde_json::to_value(&read).unwrap();
        assert_eq!(written.get("answer").is_none(), said.is_empty(), "{said}");
    }
    for (said, told) in [
        ("temperature = 2.5", "`temperature` is from 0 to 2"),
        ("temperature = -0.1", "`temperature` is from 0 to 2"),
        ("temperature = nan", "`temperature` is from 0 to 2"),
        ("most_tokens = 0", "`most_tokens` is from 1 to 4096"),
        ("most_tokens = 4097", "`most_tokens` is from 1 to 4096"),
        ("most = 5", "unknown field `most`"),
    ] {
        let refused = parse(said).unwrap_err().to_string();
        assert!(refused.contains(told), "{said}: {refused}");
    }
}
