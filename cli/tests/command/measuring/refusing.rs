//! `eval --refusal`: questions of other sets, and the threshold that a graph gives by itself.

use super::suite;
use crate::world::{World, ask, run, text};
use serde_json::{Value as Json, json};
use std::path::Path;

#[test]
fn refusal_needs_other_sets_and_is_compared() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let [alone, sure, unsure] = ["alone", "sure", "unsure"].map(|name| world.path(name));
    let measure = |suite: &Path, preset: &str, out: &Path| {
        let flags = ["--set", "things", "--preset", preset, "--out", text(out)];
        let flags = [&flags[..], &["--refusal"]].concat();
        let asked = ["eval", "--suite", text(suite), "--work", text(&work)];
        run(&[&asked[..], &flags].concat())
    };
    let said = measure(&suite.join("things"), "vector", &alone);
    let none = "--refusal measures nothing: it puts questions of other sets to each graph";
    assert!(
        said.assert_code(0).stdout.contains(none) && !said.stdout.contains("auroc"),
        "{}",
        said.stdout
    );
    let said = measure(&suite, "vector", &sure);
    assert!(
        !said.assert_code(0).stdout.contains(none) && said.stdout.contains("auroc"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("things_own_refused="),
        "{}",
        said.stdout
    );
    // Who finds nothing is sure of nothing, and so cannot tell them apart, and no threshold can.
    let said = measure(&suite, "direct", &unsure);
    let left_out = "things by direct: own_refused and others_refused are left out, as the graph gives no threshold: the pipeline direct found nothing";
    assert!(
        said.assert_code(0).stdout.contains(left_out)
            && !said.stdout.contains("things_own_refused"),
        "{}",
        said.stdout
    );
    let diff = |before: &Path, after: &Path| {
        let said = run(&["eval", "diff", text(before), text(after), "--json"]);
        serde_json::from_str::<Json>(&said.stdout).unwrap()
    };
    let compared = diff(&sure, &unsure);
    let auroc = compared["differences"].as_array().unwrap().iter();
    let auroc = auroc.filter(|one| one["measure"] == "auroc");
    let after: Vec<&Json> = auroc.map(|one| &one["mean_after"]).collect();
    assert_eq!(after, [&json!(0.5)], "{compared}");
    let unmatched = compared["unmatched"].as_array().unwrap();
    for measure in ["own_refused", "others_refused", "nothing_refused"] {
        let told = format!("things: the measure {measure} is only in the first");
        assert!(unmatched.contains(&json!(told)), "{compared}");
    }
    let compared = diff(&alone, &sure);
    assert_eq!(
        compared["unmatched"],
        json!(["things: refusal is only in the second"])
    );
}

#[test]
fn a_threshold_is_that_of_calibrate_and_is_not_kept() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let measure = |place: [&str; 2]| {
        let asked = ["--suite", text(&suite), "--set", "things"];
        let flags = ["--preset", "vector", "--refusal"];
        let said = ask("eval", &[], &[&asked[..], &flags, &place].concat());
        said.assert_code(0).answer("eval", &["refusals", "notes"])
    };
    let built = measure(["--work", text(&work)]);
    let graph = work.join("things-strata-lexical-1");
    let info = ask("info", &[graph.as_path()], &[]);
    let info = info.assert_code(0).answer("info", &["calibrations"]);
    assert_eq!(info["calibrations"], json!([]));
    // A database of somebody's own is only read.
    let read = measure(["--graph", text(&graph)]);
    assert_eq!(read["refusals"], built["refusals"]);
    // `ask` would go by the same one, if it were kept.
    let found = ask("calibrate", &[graph.as_path()], &["--preset", "vector"]);
    let found = found.assert_code(0).answer("calibrate", &["threshold"]);
    let threshold = built["refusals"][0]["threshold"].as_f64();
    assert!(threshold.is_some(), "{built}");
    assert_eq!(found["threshold"].as_f64(), threshold);
}
