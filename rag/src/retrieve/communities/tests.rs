//! Instances whose names say their cosines, under headings that are found.

use super::super::trial::{Trial, called};
use super::super::{Descend, Layer, Vector};
use super::*;

/// Two companies, held together by one relation: of the first most are near, of the second few.
const NEAR: [(&str, &str, &str); 3] = [
    ("Xenon 0.8", "a", "Yttrium 0.8"),
    ("Yttrium 0.8", "b", "Zinc 0.0"),
    ("Zinc 0.0", "c", "Xenon 0.8"),
];
const FAR: [(&str, &str, &str); 3] = [
    ("Uranium 0.8", "a", "Vanadium 0.0"),
    ("Vanadium 0.0", "b", "Wolfram 0.0"),
    ("Wolfram 0.0", "c", "Uranium 0.8"),
];
const BETWEEN: (&str, &str, &str) = ("Zinc 0.0", "d", "Vanadium 0.0");

fn text() -> String {
    let all = NEAR.iter().chain(&FAR);
    let names: Vec<&str> = all.map(|(name, _, _)| *name).collect();
    format!("# Metals 0.9\n\n{}.\n", names.join(", "))
}

fn trial() -> Trial {
    let trial = Trial::new();
    let said: Vec<_> = NEAR.into_iter().chain(FAR).chain([BETWEEN]).collect();
    trial.put("metals.md", 2021, &text(), &said);
    trial
}

#[test]
fn companies_are_kept_and_left_as_wholes() {
    trial().ask("What?", |desk| {
        let sections = Descend::above(0.5).exact().run(desk).unwrap();
        let (kept, layers) = Communities::at_least(0.5)
            .run_traced(desk, &sections)
            .unwrap();
        // The mean of two near ones and a far one: (1.6, 2.2), whose cosine is 0.588. Of one near and two far ones it is 0.294.
        let mut names = called(desk, &kept);
        names.sort();
        assert_eq!(names, ["Xenon 0.8", "Yttrium 0.8", "Zinc 0.0"]);
        assert_eq!(layers.last().unwrap().communities, 2);
        // With one vector each it would be a filter: uranium in, zinc out.
        let flat = Vector::new(Layer::Instances, 99).exact().run(desk).unwrap();
        let flat: Vec<Item> = flat
            .into_iter()
            .filter(|item| item.score.value >= 0.5)
            .collect();
        let mut names = called(desk, &flat);
        names.sort();
        assert_eq!(names, ["Uranium 0.8", "Xenon 0.8", "Yttrium 0.8"]);
        // The way is that of the heading, and one step more.
        let steps: Vec<&str> = kept[0].way.iter().map(|step| &*step.by).collect();
        assert_eq!(steps, ["HAS_CHILD", "HAS_INSTANCE"]);
        assert_eq!(kept[0].way[1].from, sections[0].entity);
        assert!(kept.iter().all(|item| item.score.scale == Scale::Cosine));
    });
}

#[test]
fn a_seed_gives_the_same_every_time() {
    trial().ask("What?", |desk| {
        let sections = Descend::above(0.5).exact().run(desk).unwrap();
        for seed in 0..8 {
            let run = || {
                Communities::at_least(0.3)
                    .seed(seed)
                    .run_traced(desk, &sections)
            };
            assert_eq!(run().unwrap(), run().unwrap());
        }
    });
}

#[test]
fn instances_of_any_level_count_and_none_of_headings_that_were_not_found() {
    let trial = Trial::new();
    let text = "\
# Wide 0.9\n\nIron 0.7 has rust 0.7.\n
## Narrow 0.8\n\nGold 0.6 has shine 0.6.\n
# Other 0.1\n\nIron 0.7 has use 0.9.\n";
    let said = [
        ("Iron 0.7", "has", "rust 0.7"),
        ("Gold 0.6", "has", "shine 0.6"),
        ("Iron 0.7", "has", "use 0.9"),
    ];
    trial.put("metals.md", 2021, text, &said);
    trial.ask("What?", |desk| {
        let sections = Descend::above(0.5).exact().run(desk).unwrap();
        assert_eq!(called(desk, &sections), ["Wide 0.9", "Narrow 0.8"]);
        let kept = Communities::at_least(0.5).run(desk, &sections).unwrap();
        assert_eq!(
            called(desk, &kept),
            ["Iron 0.7", "rust 0.7", "Gold 0.6", "shine 0.6"]
        );
        assert_eq!(kept[0].way.last().unwrap().from, sections[0].entity);
        assert_eq!(kept[2].way.last().unwrap().from, sections[1].entity);
        // The nearest of more than are looked at.
        let few = Communities::at_least(0.5)
            .most(2)
            .run(desk, &sections)
            .unwrap();
        assert_eq!(called(desk, &few), ["Iron 0.7", "rust 0.7"]);
    });
}

#[test]
fn nothing_gives_nothing_and_settings_that_cannot_be_are_refused() {
    trial().ask("What?", |desk| {
        let none = Communities::at_least(0.5).run_traced(desk, &[]).unwrap();
        assert!(none.0.is_empty());
        let sections = Descend::above(0.5).exact().run(desk).unwrap();
        let wrong = Communities::at_least(0.5).resolution(-1.0);
        let refused = wrong.run(desk, &sections).unwrap_err().to_string();
        assert!(
            refused.contains("communities") && refused.contains("resolution"),
            "{refused}"
        );
    });
}
