//! The marks of questions that facts answer, and of reports whose words are the same every year: `strata` on `EmPULIA` and on the
//! reports of network operators, with the embedder of letters and no model.
//!
//! The sets lie outside the repository; without them a test says so and passes. Each takes minutes in a build for tests, so
//! they are ignored: no verb of `cargo xtask` runs them, `cargo xtask test` neither. Who changes an operator, a preset or the rules runs
//! them by this, with the sets in `../shared/eval` or below what `STRATIGRAPH_SHARED` names:
//!
//!     cargo nextest run -p stratigraph-rag --test marks --run-ignored only --no-capture
//!
//! Pipelines in files, whose paths `STRATIGRAPH_PIPELINES` has with commas between them, are measured beside it.

mod shared;

use std::sync::Arc;

use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Analysis, Database};
use stratigraph_models::Lexical;
use stratigraph_rag::door::{Equipment, Library, Open, Wanted};
use stratigraph_rag::evaluate::{Evaluation, Judge, LabelledSet};
use stratigraph_rag::ingest::System;
use stratigraph_rag::retrieve::Pipeline;

/// The set of that name, if it is there.
fn set(name: &str) -> Option<LabelledSet> {
    shared::rows(&format!("{name}/questions.jsonl.gz"))?;
    let folder = shared::folder().join(name);
    Some(LabelledSet::read(&folder).unwrap())
}

/// The graph of a set.
fn graph(set: &LabelledSet, system: System, analysis: Analysis) -> Open {
    let db = Database::in_memory().unwrap();
    let library = Library::new(&db, Equipment::default().embedder(Arc::new(Lexical::new())));
    let wanted = Wanted {
        analysis: Some(analysis),
        ..Wanted::new(system)
    };
    let open = library.create(&wanted).unwrap();
    let token = CancelToken::new();
    let rules = open.recipe().extractor(None);
    let ingestion = open.ingestion(&token).extractor(rules);
    let lists = set.fact_lists();
    let report = match lists.is_empty() {
        true => ingestion.run(set.documents(), &|_| ()),
        false => ingestion.run_lists(lists.into_iter().map(Ok), &|_| ()),
    };
    assert!(report.ended.is_none() && report.problems.failed.is_empty());
    open
}

/// These presets, and those in files.
fn pipelines(presets: &[&str]) -> Vec<Pipeline> {
    let named = std::env::var("STRATIGRAPH_PIPELINES").unwrap_or_default();
    let files = named.split(',').filter(|path| !path.is_empty());
    let files = files.map(|path| std::fs::read_to_string(path).unwrap());
    let files = files.map(|text| Pipeline::parse(&text).unwrap());
    let presets = presets.iter();
    let presets = presets.map(|preset| Pipeline::preset(preset).unwrap());
    presets.chain(files).collect()
}

fn measured(set: &LabelledSet, open: &Open, pipeline: &Pipeline) -> Evaluation {
    let (judge, token) = (Judge::new(set).unwrap(), CancelToken::new());
    let evaluation = Evaluation::run((set, &judge), open, pipeline, &token, |_| ()).unwrap();
    let p50 = evaluation.milliseconds_at(0.5);
    println!("{} {}: p50 {p50:.0} ms", set.name, pipeline.name);
    evaluation
}

#[test]
#[ignore = "takes minutes in a build for tests"]
fn facts_of_all_kinds_of_questions_are_found() {
    let Some(set) = set("empulia") else { return };
    let open = graph(&set, System::Triples, Analysis::Italian);
    let marks = [
        ("hubs", "cp", 0.8),
        ("hubs", "ap", 0.8),
        ("hubs", "recall", 0.99),
        ("two_hop", "recall50", 0.95),
        ("single_hop", "recall", 1.0),
        ("isolated", "recall", 1.0),
    ];
    let mut missed = Vec::new();
    for pipeline in pipelines(&["strata"]) {
        let evaluation = measured(&set, &open, &pipeline);
        for (kind, measure, mark) in marks {
            let mean = evaluation.plain_mean_of_kind(kind, measure).unwrap();
            println!("  {kind} {measure}: {mean:.3}, aimed at {mark}");
            if mean < mark && pipeline.name == "strata" {
                missed.push((kind, measure));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
#[ignore = "takes minutes in a build for tests"]
fn what_answers_from_a_report_is_packed() {
    let Some(set) = set("netoperatorqa") else {
        return;
    };
    let bag = vec![Pipeline::preset("bag").unwrap()];
    let asked = [
        (System::Strata, pipelines(&["strata"]), 0.8),
        // What it is led to are texts, and not only names.
        (System::Bag, bag, 0.8),
    ];
    for (system, pipelines, floor) in asked {
        let open = graph(&set, system, Analysis::Chinese);
        for pipeline in pipelines {
            let evaluation = measured(&set, &open, &pipeline);
            for measure in ["covered", "covered5", "covered10"] {
                let mean = evaluation.plain_mean(measure).unwrap();
                println!("  {measure}: {mean:.3}");
                assert!(mean > floor || measure != "covered", "{}", pipeline.name);
            }
        }
    }
}
