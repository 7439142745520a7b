//! Descents through documents whose headings say their cosines.

use std::sync::Arc;

use stratigraph_models::Recorded;

use super::super::trial::{Trial, called};
use super::super::{Pipeline, Question, Support};
use super::*;
use crate::extract::model::Relevance;
use crate::extract::{Calls, MemoryCache};

const ROCKS: &str = "\
# Rocks 0.9\n\nText.\n
## Basalt 0.8\n\nText.\n
### Columns 0.95\n\nText.\n
## Chalk 0.2\n\nText.\n
### Flint 0.7\n\nText.\n";

const SEA: &str = "\
# Sea 0.1\n\nText.\n
## Waves 0.3\n\nText.\n
### Tides 0.85\n\nText.\n
### Foam 0.6\n\nText.\n
#### Bubbles 0.9\n\nText.\n";

fn trial() -> Trial {
    let trial = Trial::new();
    trial.put("rocks.md", 2021, ROCKS, &[]);
    trial.put("sea.md", 2022, SEA, &[]);
    trial
}

fn level(level: u32, [candidates, kept, cut, recovered]: [u64; 4]) -> DescentLevel {
    DescentLevel {
        level,
        candidates,
        kept,
        cut,
        recovered,
        distances: 0,
    }
}

/// The levels without the distances, which the index decides.
fn counted(descent: &Descent) -> Vec<DescentLevel> {
    let levels = descent.levels.iter();
    levels
        .map(|level| DescentLevel {
            distances: 0,
            ..*level
        })
        .collect()
}

fn way(item: &Item) -> Vec<&str> {
    item.way.iter().map(|step| &*step.by).collect()
}

#[test]
fn what_is_kept_leads_to_the_next_level() {
    trial().ask("What?", |desk| {
        let descent = Descend::above(0.5).exact().run_traced(desk).unwrap();
        assert_eq!(
            called(desk, &descent.items),
            ["Columns 0.95", "Rocks 0.9", "Basalt 0.8"]
        );
        let wanted = [[2, 1, 1, 0], [2, 1, 1, 0], [1, 1, 0, 0]];
        let wanted: Vec<_> = (1..)
            .zip(wanted)
            .map(|(at, counts)| level(at, counts))
            .collect();
        assert_eq!(counted(&descent), wanted);
        let distances: Vec<u64> = descent.levels.iter().map(|level| level.distances).collect();
        assert_eq!(distances, [2, 2, 1]);
        // From the document by its headings.
        let columns = &descent.items[0];
        assert_eq!(way(columns), ["HAS_CHILD"; 3]);
        assert_eq!(columns.way[1].from, descent.items[1].entity);
        assert_eq!(columns.way[2].from, descent.items[2].entity);
    });
}

#[test]
fn a_cosine_that_is_equal_is_not_above() {
    let trial = Trial::new();
    trial.put(
        "one.md",
        2021,
        "# One 0.5\n\nText.\n\n# Two 0.75\n\nText.\n",
        &[],
    );
    trial.ask("What?", |desk| {
        let kept = Descend::above(0.5).exact().run(desk).unwrap();
        assert_eq!(called(desk, &kept), ["Two 0.75"]);
    });
}

#[test]
fn what_lies_off_the_kept_path_is_recovered_and_leads_on() {
    trial().ask("What?", |desk| {
        let descend = Descend::above(0.5).recover(1).exact();
        let descent = descend.run_traced(desk).unwrap();
        // Tides of the third level, not Flint or Foam, since one a level is taken; Bubbles by themselves.
        let wanted = [
            "Columns 0.95",
            "Rocks 0.9",
            "Bubbles 0.9",
            "Tides 0.85",
            "Basalt 0.8",
        ];
        assert_eq!(called(desk, &descent.items), wanted);
        let wanted = [[2, 1, 1, 0], [2, 1, 1, 0], [1, 1, 0, 1], [0, 0, 0, 1]];
        let wanted: Vec<_> = (1..)
            .zip(wanted)
            .map(|(at, counts)| level(at, counts))
            .collect();
        assert_eq!(counted(&descent), wanted);
        assert_eq!(way(&descent.items[2]), ["recovered"]);
        assert_eq!(way(&descent.items[3]), ["recovered"]);
        // Foam is recovered as well, and what lies in it needs no recovery.
        let descent = descend.recover(3).run_traced(desk).unwrap();
        let bubbles = &descent.items[2];
        assert_eq!(called(desk, std::slice::from_ref(bubbles)), ["Bubbles 0.9"]);
        assert_eq!(way(bubbles), ["recovered", "HAS_CHILD"]);
        assert_eq!(descent.levels[2].recovered, 3);
        assert_eq!(
            (descent.levels[3].kept, descent.levels[3].recovered),
            (1, 0)
        );
        // With a bound of its own.
        let kept = Descend::above(0.5).recover(3).recover_above(0.65).exact();
        let descent = kept.run_traced(desk).unwrap();
        assert_eq!(descent.levels[2].recovered, 2);
        assert_eq!(way(&descent.items[2]), ["recovered"]);
    });
}

#[test]
fn the_nearest_of_each_level_are_kept() {
    trial().ask("What?", |desk| {
        let kept = Descend::nearest(1).exact().run(desk).unwrap();
        assert_eq!(
            called(desk, &kept),
            ["Columns 0.95", "Rocks 0.9", "Basalt 0.8"]
        );
        let kept = Descend::above(0.85).keep(1).exact().run(desk).unwrap();
        assert_eq!(called(desk, &kept), ["Rocks 0.9"]);
        let refused: Descend = serde_json::from_str("{}").unwrap();
        let refused = refused.run(desk).unwrap_err().to_string();
        assert!(
            refused.contains("`above`") && refused.contains("`keep`"),
            "{refused}"
        );
    });
}

#[test]
fn headings_below_the_last_level_belong_to_it() {
    trial().ask("What?", |desk| {
        let of = |levels| {
            Descend::above(0.5)
                .levels(levels)
                .exact()
                .run_traced(desk)
                .unwrap()
        };
        let one = of(1);
        let rocks = [
            "Rocks 0.9",
            "Basalt 0.8",
            "Chalk 0.2",
            "Columns 0.95",
            "Flint 0.7",
        ];
        assert_eq!(called(desk, &one.items), rocks);
        assert!(
            one.items
                .iter()
                .all(|item| item.score == Scale::Cosine.score(0.9))
        );
        assert_eq!(way(&one.items[4]), ["HAS_CHILD"; 3]);
        assert_eq!(one.levels.len(), 1);
        let two = of(2);
        assert_eq!(
            called(desk, &two.items),
            ["Rocks 0.9", "Basalt 0.8", "Columns 0.95"]
        );
        // Without levels: two documents with all their headings, and nothing that chooses.
        let none = of(0);
        assert_eq!((none.items.len(), none.levels.len()), (12, 0));
        // As many levels as there are, or more.
        let all = Descend::above(0.5).exact().run_traced(desk).unwrap();
        assert_eq!((of(4), of(9)), (all.clone(), all));
    });
}

#[test]
fn a_question_about_some_documents_descends_into_them() {
    let question = Question::new("What?").unwrap().only("year", 2022);
    trial().ask_for(&question, |desk| {
        let descend = Descend::above(0.5).recover(9).exact();
        let descent = descend.run_traced(desk).unwrap();
        assert_eq!(
            called(desk, &descent.items),
            ["Bubbles 0.9", "Tides 0.85", "Foam 0.6"]
        );
        assert_eq!(descent.levels[0].candidates, 1);
        let all = Descend::above(0.5).levels(0).run(desk).unwrap();
        assert_eq!(all.len(), 6);
    });
}

#[test]
fn what_has_the_words_below_is_kept_beside_what_is_called_so() {
    let trial = Trial::new();
    let text = "# Sea 0.1\n\nText.\n\n## Foam 0.6\n\nText.\n\n## Waves 0.3\n\nText.\n\n### Tides 0.2\n\nThe moon pulls.\n";
    trial.put("sea.md", 2022, text, &[]);
    trial.put("air.md", 2022, "# Air 0.4\n\nText.\n", &[]);
    trial.ask("What does the moon do?", |desk| {
        let nearest = Descend::nearest(1).exact();
        let items = nearest.run(desk).unwrap();
        assert_eq!(called(desk, &items), ["Air 0.4"]);
        let items = nearest.clone().words(0.5).run(desk).unwrap();
        assert_eq!(called(desk, &items), ["Waves 0.3", "Tides 0.2", "Sea 0.1"]);
        let scores: Vec<f32> = items.iter().map(|item| item.score.value).collect();
        for (score, wanted) in scores.iter().zip([0.8, 0.7, 0.6]) {
            assert!((score - wanted).abs() < 1e-3, "{scores:?}");
        }
        assert_eq!(items[0].score.scale, Scale::Weighted);
        // What is recovered, too.
        let descent = nearest.words(0.2).recover(1).run_traced(desk).unwrap();
        assert_eq!(counted(&descent)[0], level(1, [2, 1, 1, 1]));
        // A bound is one of cosines, whatever has the words.
        let above = Descend::above(0.15).exact().words(9.0);
        assert_eq!(called(desk, &above.run(desk).unwrap()), ["Air 0.4"]);
    });
}

#[test]
fn what_stands_under_no_heading_is_come_to_by_its_words() {
    let trial = Trial::new();
    trial.put("bare", 2022, "The moon pulls.\n", &[]);
    trial.put("headed", 2022, "The moon.\n\n# Air 0.4\n\nText.\n", &[]);
    trial.put("air", 2022, "# Sky 0.3\n\nText.\n", &[]);
    trial.ask("What does the moon pull?", |desk| {
        let texts = |items: &[Item]| {
            let support = Support::new(9).run(desk, items).unwrap();
            let names = called(desk, &support).into_iter();
            names.filter(|name| name == "The").count()
        };
        let nearest = Descend::nearest(2).exact();
        let items = nearest.run(desk).unwrap();
        assert_eq!(called(desk, &items), ["Air 0.4", "Sky 0.3"]);
        assert_eq!(texts(&items), 0);
        let items = nearest.clone().words(0.5).run(desk).unwrap();
        assert_eq!((items.len(), texts(&items)), (4, 2), "{items:?}");
        assert_eq!(items[0].score, Scale::Weighted.score(0.5));
        // A bound is one of cosines, and a document has none.
        let above = Descend::above(-1.0).exact().words(0.5);
        assert_eq!(above.run(desk).unwrap().len(), 2);
        // Who judges is asked of them, too.
        let mut none = |_: Vec<Item>| Ok(Vec::new());
        let judged = nearest.words(0.5).run_judged(desk, &mut none).unwrap();
        assert_eq!(judged.items, []);
    });
}

/// Says yes to the headings that end so.
fn saying_yes_to(headings: &'static [&'static str]) -> Relevance {
    let model = Recorded::by(move |request| {
        let lines = request.messages[1].text.lines();
        let lines = lines.filter(|line| headings.iter().any(|end| line.ends_with(*end)));
        let numbers = lines.filter_map(|line| line.split_once(": "));
        let numbers: Vec<String> = numbers.map(|(number, _)| format!("\"{number}\"")).collect();
        Some(format!("{{\"relevant\": [{}]}}", numbers.join(", ")))
    });
    let cache = Arc::new(MemoryCache::default());
    Relevance::new(Calls::new(Arc::new(model), cache))
}

/// A pipeline of one descent.
fn pipeline(settings: &str) -> Pipeline {
    let stage = format!("[[stage]]\nname = 'a'\nrun.descend = {{ {settings} }}");
    Pipeline::parse(&format!("name = 'p'\n{stage}")).unwrap()
}

const UNJUDGED: &str = "keep = 9, recover = 1, exact = true";
const JUDGED: &str = "keep = 9, recover = 1, exact = true, judged = true";

#[test]
fn a_pipeline_has_a_model_judge_each_level_if_it_says_so() {
    let yes = &["Rocks 0.9", "Chalk 0.2", "Flint 0.7", "Columns 0.95"];
    trial().ask_judged("What?", &saying_yes_to(yes), |desk| {
        let (items, trace) = pipeline(JUDGED).run(desk).unwrap();
        let wanted = ["Columns 0.95", "Rocks 0.9", "Flint 0.7", "Chalk 0.2"];
        assert_eq!(called(desk, &items), wanted);
        let detail = &trace[0].detail;
        // Of basalt no is said, and so what lies in it has to be recovered.
        let levels = detail["levels"].as_array().unwrap().iter();
        let counts = levels.map(|level| {
            let names = ["level", "candidates", "kept", "cut", "recovered"];
            names.map(|name| level[name].as_u64().unwrap())
        });
        let wanted = [
            [1, 2, 1, 1, 0],
            [2, 2, 1, 1, 0],
            [3, 1, 1, 0, 1],
            [4, 0, 0, 0, 0],
        ];
        assert_eq!(counts.collect::<Vec<_>>(), wanted);
        // Once for the candidates of each of three levels, and once for the one to be recovered on each of the last three.
        assert_eq!(
            (&detail["paid"]["calls"], &detail["paid"]["kept"]),
            (&6.into(), &0.into())
        );
        assert!(detail["paid"]["input_tokens"].as_u64() > Some(0));
        // The model is there, and nobody asks it.
        let (items, trace) = pipeline(UNJUDGED).run(desk).unwrap();
        let near = Descend::nearest(9).recover(1).exact().run(desk).unwrap();
        assert_eq!(items, near);
        assert!(trace[0].detail.is_array());
    });
}

#[test]
fn bag_asks_a_model_about_headings_where_there_is_one() {
    let bag = Pipeline::preset("bag").unwrap();
    let written = Pipeline::preset_as_text("bag").unwrap();
    let unjudged = Pipeline::parse(&written.replace(", judged = true", "")).unwrap();
    assert_ne!(bag, unjudged);
    // Without one it finds the same, byte for byte.
    trial().ask("What?", |desk| {
        let told = [&bag, &unjudged].map(|one| one.retrieve(desk).unwrap());
        let [judged, near] = told.map(|told| serde_json::to_string(&told).unwrap());
        assert_eq!(judged, near);
    });
    let yes = &["Rocks 0.9", "Basalt 0.8"];
    trial().ask_judged("What?", &saying_yes_to(yes), |desk| {
        let told = bag.retrieve(desk).unwrap();
        let sections = told.found.iter();
        let sections = sections.filter(|found| found.receipt.name.kind == "Section");
        let titles: Vec<&str> = sections.map(|found| found.text.as_str()).collect();
        assert_eq!(titles, ["Rocks 0.9", "Basalt 0.8"]);
        // Of each of four levels of what is kept and of what is recovered, and of documents without headings.
        let calls = told.cost().calls;
        assert!((4..=9).contains(&calls), "{calls}");
    });
}

#[test]
fn who_would_judge_has_to_be_there_unless_it_need_not_be() {
    trial().ask("What?", |desk| {
        let mut judged = pipeline(JUDGED);
        let refused = judged.run(desk).unwrap_err();
        assert!(
            matches!(
                refused,
                RetrieveError::NoModel {
                    operator: "descend",
                    ..
                }
            ),
            "{refused}"
        );
        judged.stages[0].if_there = true;
        let near = pipeline(UNJUDGED).run(desk).unwrap();
        assert_eq!(judged.run(desk).unwrap().0, near.0);
        // A program that calls the operator itself is told the same.
        let refused = Descend::nearest(9).judged().run(desk).unwrap_err();
        assert!(
            matches!(refused, RetrieveError::NoModel { .. }),
            "{refused}"
        );
        let endless = pipeline("above = 0.5, judged = true").run(desk);
        let endless = endless.unwrap_err().to_string();
        assert!(endless.contains("`judged` needs `keep`"), "{endless}");
    });
}
