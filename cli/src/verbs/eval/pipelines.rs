//! Which pipelines are measured: those that are named, and what the flags make of them.

use crate::failure::Failure;
use crate::verbs::questions::{above_zero, pipeline};
use clap::Args;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::str::FromStr;
use stratigraph_rag::retrieve::Pipeline;

/// Which pipelines are measured.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// A preset, or a file with a pipeline; may be given again
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: Vec<String>,
    /// Also this preset, on this set alone; may be given again
    #[arg(long, value_name = "SET=NAME|FILE")]
    also: Vec<String>,
    /// How many units of text are packed at most; several may be given, and each is a row
    #[arg(long, value_name = "N", value_parser = above_zero)]
    budget: Vec<usize>,
    /// Also each pipeline without each of its stages in turn
    #[arg(long)]
    ablate: bool,
    /// Also each pipeline that descends with so many levels of headings: 0..5
    #[arg(long, value_name = "FROM..TO")]
    levels: Option<Levels>,
}

/// So many levels, from and to.
#[derive(Debug, Clone)]
struct Levels(RangeInclusive<u32>);

/// Deeper no outline is.
const MOST_LEVELS: u32 = 64;

impl FromStr for Levels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not two numbers, of which the second is at most {MOST_LEVELS}: 0..5"
            )
        };
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| text.parse().map_err(|_| wrong());
        let (from, to): (u32, u32) = (number(from)?, number(to.trim_start_matches('='))?);
        match from <= to && to <= MOST_LEVELS {
            true => Ok(Self(from..=to)),
            false => Err(wrong()),
        }
    }
}

/// A pipeline, and which sets it is measured on.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) pipeline: Pipeline,
    /// All sets if none is named.
    sets: BTreeSet<String>,
}

impl Chosen {
    /// Whether it is measured on the set of this name.
    pub(super) fn is_for(&self, set: &str) -> bool {
        self.sets.is_empty() || self.sets.contains(set)
    }
}

impl Asked {
    /// All of them, each under a name of its own, and what is to be told of those that cannot be.
    ///
    /// # Errors
    /// A pipeline that cannot be read; two of one name.
    pub(super) fn pipelines(&self, sets: &[&str]) -> Result<(Vec<Chosen>, Vec<String>), Failure> {
        let mut all: Vec<Chosen> = Vec::new();
        let mut notes = Vec::new();
        for preset in &self.preset {
            let whole = pipeline(preset)?;
            let chosen = self.variants(&whole, &mut notes).into_iter();
            all.extend(chosen.map(|pipeline| Chosen {
                pipeline,
                sets: BTreeSet::new(),
            }));
        }
        for also in &self.also {
            let Some((set, preset)) = also.split_once('=') else {
                let wrong = format!("--also is SET=PRESET, and `{also}` has no `=`");
                return Err(Failure::Usage(wrong));
            };
            if !sets.contains(&set) {
                return Err(Failure::of_request(format!(
                    "--also {also}: there is no set {set}"
                )));
            }
            let whole = pipeline(preset)?;
            for pipeline in self.within_budgets(vec![whole]) {
                match all.iter_mut().find(|one| one.pipeline == pipeline) {
                    Some(known) if known.sets.is_empty() => {}
                    Some(known) => {
                        known.sets.insert(set.to_owned());
                    }
                    None => all.push(Chosen {
                        pipeline,
                        sets: [set.to_owned()].into(),
                    }),
                }
            }
        }
        let mut seen = BTreeSet::new();
        let twice = all.iter().find(|one| !seen.insert(&one.pipeline.name));
        match twice {
            Some(twice) => Err(Failure::of_request(format!(
                "two pipelines are called {}: give each a name of its own",
                twice.pipeline.name
            ))),
            None => Ok((all, notes)),
        }
    }

    /// What the flags make of a pipeline.
    fn variants(&self, whole: &Pipeline, notes: &mut Vec<String>) -> Vec<Pipeline> {
        let mut all = vec![whole.clone()];
        if let Some(Levels(levels)) = &self.levels {
            all.extend(
                levels
                    .clone()
                    .filter_map(|levels| whole.with_levels(levels)),
            );
            if all.len() == 1 {
                notes.push(format!(
                    "{} does not descend: --levels is not for it",
                    whole.name
                ));
            }
        }
        if self.ablate {
            for stage in &whole.stages {
                match whole.without(&stage.name) {
                    Ok(without) => all.push(without),
                    Err(error) => notes.push(format!(
                        "{} without `{}` is not measured: {error}",
                        whole.name, stage.name
                    )),
                }
            }
        }
        self.within_budgets(all)
    }

    fn within_budgets(&self, all: Vec<Pipeline>) -> Vec<Pipeline> {
        match self.budget.as_slice() {
            [] => all,
            [budget] => {
                let within = all.into_iter().map(|one| Pipeline {
                    budget: *budget,
                    ..one
                });
                within.collect()
            }
            budgets => {
                let within = all.iter().flat_map(|one| {
                    budgets.iter().map(|budget| Pipeline {
                        name: format!("{}#{budget}", one.name),
                        budget: *budget,
                        ..one.clone()
                    })
                });
                within.collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_two_numbers() {
        let levels = |text: &str| text.parse::<Levels>().map(|levels| levels.0);
        assert_eq!(levels("0..5"), Ok(0..=5));
        assert_eq!(levels("2..=2"), Ok(2..=2));
        for wrong in ["5", "5..0", "0..65", "a..b", "..", "-1..2"] {
            assert!(levels(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn each_row_has_a_name_of_its_own() {
        let asked = Asked {
            preset: vec!["bag".to_owned(), "vector".to_owned()],
            also: ["a=tag", "a=graph", "b=tag", "b=bag"]
                .map(str::to_owned)
                .into(),
            budget: vec![500, 2000],
            ablate: true,
            levels: Some(Levels(0..=1)),
        };
        let (all, notes) = asked.pipelines(&["a", "b"]).unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.pipeline.name.as_str()).collect();
        for name in [
            "bag#500",
            "bag#2000",
            "bag@0#500",
            "bag-texts#2000",
            "vector-kept#500",
        ] {
            assert!(names.contains(&name), "{names:?}");
        }
        let notes = notes.join("\n");
        assert!(notes.contains("vector does not descend"), "{notes}");
        assert!(
            notes.contains("bag without `sections`")
                && notes.contains("vector without `considered`"),
            "{notes}"
        );
        let find = |name: &str| all.iter().find(|one| one.pipeline.name == name).unwrap();
        // Only on sets that are named, and what is on all of them anyway once.
        let of = |name: &str| ["a", "b"].map(|set| find(name).is_for(set));
        assert_eq!(
            (of("tag#500"), of("graph#500")),
            ([true, true], [true, false])
        );
        assert_eq!(of("bag#500"), [true, true]);
        let unknown = Asked {
            also: vec!["c=tag".to_owned()],
            ..asked
        };
        assert!(unknown.pipelines(&["a", "b"]).is_err());
        let twice = Asked {
            preset: vec!["bag".to_owned(), "bag".to_owned()],
            also: Vec::new(),
            budget: Vec::new(),
            ablate: false,
            levels: None,
        };
        assert!(twice.pipelines(&[]).is_err());
    }
}
