//! A pipeline without one of its stages: what that stage is worth.

use super::{Fuse, Fusion, Operator, Pipeline, RetrieveError, Stage};

impl Pipeline {
    /// The pipeline without a stage, under a name that says so. Whoever took its list takes what is left of what it took
    /// itself. If it is the last one, what it took is what is retrieved, one list after the other.
    ///
    /// ```
    /// use stratigraph_rag::retrieve::Pipeline;
    ///
    /// let hybrid = Pipeline::preset("hybrid")?;
    /// assert_eq!(hybrid.without("kept")?.name, "hybrid-kept");
    /// // Facts lie one step from what the question names, and there is nothing to step from.
    /// assert!(hybrid.without("named").is_err());
    /// # Ok::<(), stratigraph_rag::retrieve::RetrieveError>(())
    /// ```
    ///
    /// # Errors
    /// [`RetrieveError::Pipeline`] if there is no such stage, or another cannot do without it.
    pub fn without(&self, name: &str) -> Result<Self, RetrieveError> {
        let wrong = |reason: String| Err(RetrieveError::Pipeline { reason });
        let mut stages = self.with_their_lists();
        let Some(place) = stages.iter().position(|stage| stage.name == name) else {
            return wrong(format!("there is no stage `{name}`"));
        };
        let mut gone = stages.remove(place);
        if matches!(gone.run, Operator::Attest(_)) {
            // What lifts is in no list of its own.
            gone.from.truncate(1);
        }
        for stage in &mut stages {
            let Some(at) = stage.from.iter().position(|from| *from == gone.name) else {
                continue;
            };
            let from = gone.from.iter();
            let left = from.filter(|from| !stage.from.contains(*from)).cloned();
            let left: Vec<String> = left.collect();
            if let Operator::Fuse(Fuse { weights, .. }) = &mut stage.run
                && let Some(weight) = weights.get(at).copied()
            {
                weights.splice(at..=at, std::iter::repeat_n(weight, left.len()));
            }
            stage.from.splice(at..=at, left);
            if stage.from.is_empty() {
                return wrong(format!(
                    "stage `{}` takes nothing but what `{name}` gives, and cannot do without it",
                    stage.name
                ));
            }
        }
        if place == stages.len() {
            if gone.from.is_empty() {
                return wrong(format!("nothing is left without stage `{name}`"));
            }
            let fuse = Fuse {
                by: Fusion::Concatenate,
                ..Fuse::default()
            };
            stages.push(Stage {
                run: Operator::Fuse(fuse),
                ..gone
            });
        }
        let without = Self {
            name: format!("{}-{name}", self.name),
            stages,
            ..self.clone()
        };
        without.check()?;
        Ok(without)
    }

    /// The same pipeline with descents that know only so many levels of headings; nothing if it has none.
    #[must_use]
    pub fn with_levels(&self, levels: u32) -> Option<Self> {
        let mut capped = Self {
            name: format!("{}@{levels}", self.name),
            ..self.clone()
        };
        let mut any = false;
        for stage in &mut capped.stages {
            if let Operator::Descend(descend) = &mut stage.run {
                *descend = descend.clone().levels(levels);
                any = true;
            }
        }
        any.then_some(capped)
    }

    /// Its stages, each with the names of all lists that it takes.
    fn with_their_lists(&self) -> Vec<Stage> {
        let mut before = None;
        let stages = self.stages.iter().map(|stage| {
            let from = self.lists_of(stage, before).into_iter().map(str::to_owned);
            let stage_with = Stage {
                from: from.collect(),
                ..stage.clone()
            };
            before = Some(stage.name.as_str());
            stage_with
        });
        stages.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "name = 'p'
[[stage]]
name = 'near'
run.vector = { of = 'chunks', k = 9 }
[[stage]]
name = 'few'
run.limit = { k = 3 }
[[stage]]
name = 'words'
run.bm25 = { k = 9 }
[[stage]]
name = 'all'
from = ['few', 'words']
run.fuse = { by = 'weighted', weights = [3.0, 0.5] }
[[stage]]
name = 'end'
run.limit = { k = 2 }";

    fn from(pipeline: &Pipeline) -> Vec<(&str, Vec<&str>)> {
        let stages = pipeline.stages.iter();
        stages
            .map(|stage| {
                let from = stage.from.iter().map(String::as_str).collect();
                (stage.name.as_str(), from)
            })
            .collect()
    }

    #[test]
    fn what_was_lifted_is_left_and_what_lifted_it_is_not() {
        let tag = Pipeline::preset("tag").unwrap();
        let without = tag.without("borne_out").unwrap();
        let domains = from(&without)
            .into_iter()
            .find(|(name, _)| *name == "domains");
        assert_eq!(domains.unwrap().1, ["summaries"]);
        let why = tag.without("texts").unwrap_err().to_string();
        assert!(
            why.contains("`attest` takes two lists, and is given 1"),
            "{why}"
        );
    }

    #[test]
    fn others_take_what_it_took() {
        let whole = Pipeline::parse(WHOLE).unwrap();
        let without = whole.without("few").unwrap();
        assert_eq!(without.name, "p-few");
        assert_eq!(
            from(&without),
            [
                ("near", vec![]),
                ("words", vec![]),
                ("all", vec!["near", "words"]),
                ("end", vec!["all"])
            ]
        );
        // It took nothing, and the other list is left.
        let without = whole.without("words").unwrap();
        assert_eq!(from(&without)[2], ("all", vec!["few"]));
        // What a list weighs goes with it.
        let Operator::Fuse(fuse) = &whole.without("few").unwrap().stages[2].run.clone() else {
            panic!("another stage");
        };
        assert_eq!(fuse.weights, [3.0, 0.5]);
        let Operator::Fuse(fuse) = &without.stages[2].run else {
            panic!("another stage");
        };
        assert_eq!(fuse.weights, [3.0]);
        // The last one: what it took is the end, though another stage stood there.
        let without = whole.without("end").unwrap();
        assert_eq!(from(&without)[4], ("end", vec!["all"]));
        assert!(matches!(without.stages[4].run, Operator::Fuse(_)));
    }

    #[test]
    fn what_cannot_do_without_it_is_named() {
        let whole = Pipeline::parse(WHOLE).unwrap();
        let error = whole.without("near").unwrap_err().to_string();
        assert!(
            error.contains("`few`") && error.contains("`near`"),
            "{error}"
        );
        assert!(whole.without("far").is_err());
        let one = Pipeline {
            stages: whole.stages[..1].to_vec(),
            ..whole.clone()
        };
        assert!(one.without("near").is_err());
    }

    #[test]
    fn descents_are_capped_and_nothing_else() {
        let bag = Pipeline::preset("bag").unwrap();
        let capped = bag.with_levels(2).unwrap();
        assert_eq!(capped.name, "bag@2");
        let written = serde_json::to_value(&capped.stages[0]).unwrap();
        assert_eq!(written["run"]["descend"]["levels"], 2);
        assert_eq!(capped.stages[1..], bag.stages[1..]);
        assert!(Pipeline::preset("vector").unwrap().with_levels(2).is_none());
    }
}
