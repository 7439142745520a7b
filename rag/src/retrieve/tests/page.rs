//! The page of pipelines: it has every operator with every setting, and its examples can be read.
//!
//! What there is comes from what serde says of a name that is none, so that nothing new can be forgotten here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

use crate::retrieve::{Along, Emit, Facing, Fusion, Layer, Operator, Pipeline, Ranked, Scale};

/// What others call an operator, what it is called here, and settings for it.
const OTHER_NAMES: [(&str, &str, &str); 2] = [
    ("traverse", "descend", "{ keep = 4 }"),
    ("ppr", "rank", "{ of = 'chunks', k = 4 }"),
];

const PAGE: &str = include_str!("../../../../docs/pipelines.md");

#[test]
fn every_operator_is_there_with_every_setting() {
    let overview = under("## The operators").lines();
    let overview = overview.filter_map(|row| row.strip_prefix("| [`")?.split_once('`'));
    let overview: BTreeMap<&str, &str> = overview.collect();
    let mut operators = known::<Operator>(&json!({"nothing_such": {}}));
    for (other, ..) in OTHER_NAMES {
        assert!(operators.remove(other), "{other}");
    }
    let told: BTreeSet<String> = overview.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(told, operators);
    for name in &operators {
        let part = under(&format!("### `{name}`"));
        let read = |settings: &Map<String, Json>| {
            serde_json::from_value::<Operator>(json!({ name: settings }))
        };
        let wrong = json!({ name: {"nothing_such": 1} });
        let told: BTreeSet<String> = rows(part).map(|row| code(row[0]).to_owned()).collect();
        assert_eq!(told, known::<Operator>(&wrong), "settings of `{name}`");

        let example = examples(part).next().expect("an example of each operator");
        let example: Json = toml::from_str(example).unwrap();
        let mut stages = example["stage"].as_array().unwrap().iter();
        let example = stages.find_map(|stage| stage["run"].get(name)).unwrap();
        let needed = rows(part).filter(|row| row[2] == "needed");
        let needed = needed.map(|row| (code(row[0]).to_owned(), example[code(row[0])].clone()));
        let needed: Map<String, Json> = needed.collect();
        let least = read(&needed).unwrap();
        for row in rows(part) {
            let (setting, default) = (code(row[0]), row[2]);
            let mut given = needed.clone();
            match default {
                "needed" => {
                    given.remove(setting);
                    assert!(read(&given).is_err(), "`{setting}` of `{name}`");
                }
                "none" => {}
                default => {
                    let default = format!("value = {}", code(default));
                    let default: Json = toml::from_str(&default).unwrap();
                    given.insert(setting.to_owned(), default["value"].clone());
                    assert_eq!(read(&given).unwrap(), least, "`{setting}` of `{name}`");
                }
            }
        }
        let takes = match least.takes() {
            (0, 0) => "no list",
            (1, 1) => "one list",
            (2, 2) => "two lists",
            _ => "one or more",
        };
        let told = overview[name.as_str()].split('|').nth(1).unwrap().trim();
        assert_eq!(told, takes, "`{name}`");
    }
}

#[test]
fn an_operator_by_another_name_is_written_by_its_own() {
    for (other, name, settings) in OTHER_NAMES {
        let run = |name: &str| {
            let example = format!("[[stage]]\nname = 'a'\nrun.{name} = {settings}\n");
            let mut pipeline = Pipeline::parse(&whole(&example)).unwrap();
            pipeline.stages.pop().unwrap().run
        };
        let operator = run(other);
        assert_eq!(operator, run(name));
        assert_eq!(operator.name(), name);
        let written = serde_json::to_value(&operator).unwrap();
        assert!(written.get(name).is_some(), "{written}");
        assert!(PAGE.contains(&format!("`run.{other}`")), "{other}");
    }
}

#[test]
fn every_name_that_a_setting_may_have_is_there() {
    let wrong = json!("nothing_such");
    let first = |part| -> BTreeSet<String> {
        let names = rows(part).map(|row| code(row[0]).to_owned());
        names.collect()
    };
    assert_eq!(first(under("## Layers")), known::<Layer>(&wrong));
    assert_eq!(first(under("## Scores")), known::<Scale>(&wrong));
    for (operator, names) in [
        ("expand", known::<Along>(&wrong)),
        ("expand", known::<Facing>(&wrong)),
        ("expand", known::<Emit>(&wrong)),
        ("rank", known::<Ranked>(&wrong)),
        ("fuse", known::<Fusion>(&wrong)),
    ] {
        let part = under(&format!("### `{operator}`"));
        for name in names {
            assert!(part.contains(&format!("`{name}`")), "{name} of {operator}");
        }
    }
}

#[test]
fn every_example_can_be_read() {
    let mut count = 0;
    for example in examples(PAGE) {
        if let Err(error) = Pipeline::parse(&whole(example)) {
            panic!("{error}, of\n{example}");
        }
        count += 1;
    }
    assert!(count > 25, "{count}");
}

/// What could stand in the place of what is wrong, as whoever reads it says.
fn known<T: DeserializeOwned + Debug>(wrong: &Json) -> BTreeSet<String> {
    let refused = serde_json::from_value::<T>(wrong.clone());
    let refused = refused.unwrap_err().to_string();
    let known = refused.split_once("expected").map(|(_, known)| known);
    let names = known.unwrap_or_default().split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// What stands under a heading, down to the next one.
fn under(heading: &str) -> &'static str {
    let found = PAGE.split_once(&format!("\n{heading}\n"));
    let Some((_, rest)) = found else {
        panic!("the page has no heading {heading}");
    };
    let next = ["\n## ", "\n### "].into_iter();
    let next = next.filter_map(|next| rest.find(next)).min();
    &rest[..next.unwrap_or(rest.len())]
}

/// The cells of the rows that begin with a name in code.
fn rows(part: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = part.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
}

fn code(cell: &str) -> &str {
    cell.trim_matches('`')
}

/// The blocks of TOML.
fn examples(part: &str) -> impl Iterator<Item = &str> {
    let blocks = part.split("\n```toml\n").skip(1);
    blocks.map(|block| {
        block
            .split_once("\n```")
            .map_or(block, |(example, _)| example)
    })
}

/// An example as a whole pipeline: stages alone get a name before them, and the lists that they take.
fn whole(example: &str) -> String {
    if example.starts_with("name") {
        return example.to_owned();
    }
    let read: Json = toml::from_str(example).unwrap();
    let mut known = vec!["before"];
    let mut missing = vec!["before"];
    for stage in read["stage"].as_array().unwrap() {
        let from = stage["from"].as_array().into_iter().flatten();
        for name in from.filter_map(Json::as_str) {
            if !known.contains(&name) {
                known.push(name);
                missing.push(name);
            }
        }
        known.extend(stage["name"].as_str());
    }
    let missing = missing.iter();
    let missing =
        missing.map(|name| format!("[[stage]]\nname = '{name}'\nrun.bm25 = {{ k = 1 }}\n"));
    format!("name = 'page'\n{}{example}", missing.collect::<String>())
}
