//! Every number that `eval` tells: in the table, the CSV and the page, and as the questions themselves have it.

use super::{suite, value};
use crate::world::{World, run, text};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Of each measure what it is of each question.
type Values = BTreeMap<String, Vec<f64>>;

/// The rows of the table: set, pipeline, measure, mean, perhaps an interval, and of how many questions.
fn rows(stdout: &str) -> Vec<Vec<&str>> {
    let rows = stdout.lines().map(|line| -> Vec<&str> {
        let cells = line.split("  ").map(str::trim);
        cells.filter(|cell| !cell.is_empty()).collect()
    });
    rows.filter(|row| (5..=6).contains(&row.len()) && row[0] != "set")
        .collect()
}

/// What a run has kept of its questions; of kinds, too, if they are told.
fn measured(run: &Json, kinds: bool) -> Values {
    let questions = run["questions"].as_array().unwrap();
    let named = questions.iter().filter_map(|one| one["kind"].as_str());
    let kinds = kinds && named.collect::<BTreeSet<&str>>().len() > 1;
    let mut values = Values::new();
    let mut put = |name: String, value: f64| values.entry(name).or_default().push(value);
    for one in questions {
        for (measure, value) in one["values"].as_object().unwrap() {
            let value = value.as_f64().unwrap();
            if let (true, Some(kind)) = (kinds, one["kind"].as_str()) {
                put(format!("{kind}_{measure}"), value);
            }
            put(measure.clone(), value);
        }
        let cost = |name: &str| one["cost"][name].as_f64().unwrap();
        put("units".to_owned(), one["units"].as_f64().unwrap());
        put("calls".to_owned(), cost("calls"));
        let tokens = cost("input_tokens") + cost("output_tokens");
        put("tokens".to_owned(), tokens);
    }
    values.retain(|name, of_each| name != "units" || of_each.iter().any(|one| *one > 0.0));
    values
}

/// What is refused at the threshold of the graph.
fn refused(refusal: &Json) -> Values {
    let mut values = Values::new();
    let Some(threshold) = refusal["threshold"].as_f64() else {
        return values;
    };
    for (name, whose) in [
        ("own_refused", "own"),
        ("others_refused", "foreign"),
        ("nothing_refused", "nothing"),
    ] {
        let asked = refusal[whose].as_array().into_iter().flatten();
        let is_refused = asked.map(|sure| sure.as_f64().is_none_or(|sure| sure < threshold));
        let of_each: Vec<f64> = is_refused.map(f64::from).collect();
        if !of_each.is_empty() {
            values.insert(name.to_owned(), of_each);
        }
    }
    values
}

/// Whether a value is what is shown of it.
fn is_shown(shown: &str, value: f64) -> bool {
    let digits = shown.split_once('.').map_or(0, |(_, digits)| digits.len());
    let shown: f64 = shown.parse().unwrap();
    (shown - value).abs() <= 0.5 * 10_f64.powi(-(digits as i32)) + 1e-6
}

/// The cells of a CSV by set, pipeline and name of the measure: mean, low, high, questions.
fn cells(csv: &str) -> BTreeMap<[String; 3], Vec<&str>> {
    let lines = csv.split("\r\n").skip(1).filter(|line| !line.is_empty());
    let cells = lines.map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let name = match cells[3] {
            "" => cells[4].to_owned(),
            kind => format!("{kind}_{}", cells[4]),
        };
        let key = [cells[0].to_owned(), cells[1].to_owned(), name];
        (key, cells[5..].to_vec())
    });
    cells.collect()
}

/// Holds the table against what was kept of the questions, and the CSV and the page against the table.
pub(crate) fn assert_all_told(stdout: &str, files: [&Path; 3], kinds: bool) {
    let [out, csv, html] = files.map(|file| fs::read_to_string(file).unwrap());
    let saved: Json = serde_json::from_str(&out).unwrap();
    let (printed, cells) = (rows(stdout), cells(&csv));
    for one in saved["evaluations"].as_array().unwrap() {
        let [set, pipeline] = ["set", "pipeline"].map(|name| one[name].as_str().unwrap());
        let of_facts = measured(one, false).contains_key("cp");
        let mut expected = measured(one, kinds || of_facts);
        let mut refusals = saved["refusals"].as_array().into_iter().flatten();
        let refusal =
            refusals.find(|refusal| refusal["set"] == set && refusal["pipeline"] == pipeline);
        expected.extend(refusal.map(refused).unwrap_or_default());
        let printed = printed.iter();
        let printed = printed.filter(|row| row[..2] == [set, pipeline]);
        let printed: BTreeMap<&str, &Vec<&str>> = printed.map(|row| (row[2], row)).collect();
        for (name, of_each) in &expected {
            let row = printed.get(name.as_str());
            let row = row.unwrap_or_else(|| panic!("no {name} of {set} by {pipeline}:\n{stdout}"));
            let mean = of_each.iter().sum::<f64>() / of_each.len() as f64;
            assert!(is_shown(row[3], mean), "{row:?} is not {mean}");
            assert_eq!((row.len(), row[5]), (6, of_each.len().to_string().as_str()));
        }
        // Beside these are two times, and of refusal what can be reached.
        let mut others = vec!["p50 ms", "p99 ms"];
        if let Some(refusal) = refusal {
            others.extend(["auroc", "refused2"]);
            others.extend(refusal["nothing"].is_array().then_some("nothing_refused2"));
        }
        assert!(
            others.iter().all(|name| printed.contains_key(name)),
            "{printed:?}"
        );
        assert_eq!(printed.len(), expected.len() + others.len(), "{printed:?}");
        for (name, row) in printed {
            let is_mean = !name.ends_with(" ms");
            assert_eq!(row.len() == 6, is_mean, "{row:?}");
            let (low, high) = match is_mean {
                true => row[4].split_once(" to ").unwrap(),
                false => ("", ""),
            };
            let count = row[row.len() - 1];
            let told = [set, pipeline, name, row[3], low, high, count];
            let told = format!("<tr><td>{}</td></tr>", told.join("</td><td>"));
            assert!(html.contains(&told), "{told} is not in the page");
            let key = [set, pipeline, name].map(str::to_owned);
            let cells = cells.get(&key);
            let cells = cells.unwrap_or_else(|| panic!("{key:?} is not in\n{csv}"));
            assert_eq!(cells[3], count, "{key:?}");
            for (shown, cell) in [(row[3], cells[0]), (low, cells[1]), (high, cells[2])] {
                let is_alike = match shown.is_empty() {
                    true => cell.is_empty(),
                    false => is_shown(shown, cell.parse().unwrap()),
                };
                assert!(is_alike, "{key:?}: {shown} and {cell}");
            }
        }
    }
}

#[test]
fn every_number_is_in_the_table_the_csv_and_the_page() {
    let world = World::new();
    let (suite, work) = (suite(&world), world.path("work"));
    let [out, csv, html] = ["run.json", "run.csv", "run.html"].map(|name| world.path(name));
    let said = run(&[
        "eval",
        "--suite",
        text(&suite),
        "--work",
        text(&work),
        "--preset",
        "strata",
        "--preset",
        "vector",
        "--refusal",
        "--kinds",
        "--out",
        text(&out),
        "--csv",
        text(&csv),
        "--html",
        text(&html),
    ]);
    said.assert_code(0);
    assert_all_told(&said.stdout, [&out, &csv, &html], true);
    let saved: Json = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    let refusals = saved["refusals"].as_array().unwrap();
    assert_eq!(refusals.len(), 6);
    let of = |name: &str| value(&said.stdout, "vector", name);
    assert!(of("refusal_auroc") > 0.5 && of("things_refused2") > 0.0);
    // At the threshold that the graph gives, as the confidences have it that were kept.
    let things = refusals
        .iter()
        .find(|one| one["set"] == "things" && one["pipeline"] == "vector");
    let expected = refused(things.unwrap());
    assert_eq!(expected.len(), 3, "{things:?}");
    for (name, of_each) in &expected {
        let mean = of_each.iter().sum::<f64>() / of_each.len() as f64;
        assert!(
            (of(&format!("things_{name}")) - mean).abs() < 1e-4,
            "{name}"
        );
    }
    // Over all sets: each question at the threshold of its own graph.
    let of_vector = refusals.iter().filter(|one| one["pipeline"] == "vector");
    let mut whole = Values::new();
    for (name, of_each) in of_vector.flat_map(refused) {
        whole.entry(name).or_default().extend(of_each);
    }
    assert_eq!(whole.len(), 3, "{whole:?}");
    for (name, of_each) in &whole {
        let mean = of_each.iter().sum::<f64>() / of_each.len() as f64;
        let told = of(&format!("refusal_{name}"));
        assert!((told - mean).abs() < 1e-4, "{name}: {told} is not {mean}");
    }
    // Kinds are drawn of facts alone.
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains(">facts single_hop</text>") && !page.contains(">things even</text>"));
    assert!(page.contains("Others refused at the graph&#39;s threshold"));
}
