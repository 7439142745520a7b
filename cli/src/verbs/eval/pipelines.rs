//! Which pipelines are measured: those that are named, and what the flags make of them.

use super::request;
use crate::failure::Failure;
use crate::verbs::retrieve::pipeline;
use clap::Args;
use std::ops::RangeInclusive;
use std::str::FromStr;
use stratigraph_rag::retrieve::Pipeline;

/// Which pipelines are measured.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// A preset, or a file with a pipeline; may be given again
    #[arg(long, value_name = "NAME|FILE", default_value = "strata")]
    preset: Vec<String>,
    /// How many units of text are packed at most; several may be given, and each is a row
    #[arg(long, value_name = "N")]
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

impl Asked {
    /// All of them, each under a name of its own, and what is to be told of those that cannot be.
    ///
    /// # Errors
    /// A pipeline that cannot be read.
    pub(super) fn pipelines(&self) -> Result<(Vec<Pipeline>, Vec<String>), Failure> {
        let mut all: Vec<Pipeline> = Vec::new();
        let mut notes = Vec::new();
        for preset in &self.preset {
            let whole = pipeline(preset)?;
            let mut of_it = vec![whole.clone()];
            if let Some(Levels(levels)) = &self.levels {
                let capped = levels
                    .clone()
                    .filter_map(|levels| whole.with_levels(levels));
                let before = of_it.len();
                of_it.extend(capped);
                if of_it.len() == before {
                    notes.push(format!(
                        "{} does not descend: --levels is not for it",
                        whole.name
                    ));
                }
            }
            if self.ablate {
                for stage in &whole.stages {
                    match whole.without(&stage.name) {
                        Ok(without) => of_it.push(without),
                        Err(error) => notes.push(format!(
                            "{} without `{}` is not measured: {error}",
                            whole.name, stage.name
                        )),
                    }
                }
            }
            all.extend(of_it);
        }
        all = self.within_budgets(all);
        let mut seen = std::collections::BTreeSet::new();
        match all.iter().find(|one| !seen.insert(one.name.clone())) {
            Some(twice) => Err(request(&format!(
                "two pipelines are called {}: give each a name of its own",
                twice.name
            ))),
            None => Ok((all, notes)),
        }
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
            budget: vec![500, 2000],
            ablate: true,
            levels: Some(Levels(0..=1)),
        };
        let (all, notes) = asked.pipelines().unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        for name in [
            "bag#500",
            "bag#2000",
            "bag@0#500",
            "bag-both#2000",
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
        let twice = Asked {
            preset: vec!["bag".to_owned(), "bag".to_owned()],
            budget: Vec::new(),
            ablate: false,
            levels: None,
        };
        assert!(twice.pipelines().is_err());
    }
}
