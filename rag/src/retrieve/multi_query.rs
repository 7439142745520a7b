//! The question in other words, each of which is searched for: `EmPULIA`'s multi-query strategy.

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph_models::Purpose;

use super::reading::{Spent, asked, check, fused, usual_constant};
use super::{Bm25, Desk, Item, RetrieveError, Vector};
use crate::extract::model::QuestionReader;

/// Has a model put the question in up to `n` other ways, searches with it and with each of them, and fuses what is found by
/// reciprocal rank. What the model writes is searched for and is nothing else.
///
/// ```
/// use stratigraph_rag::retrieve::{Layer, MultiQuery, Pipeline, Vector};
///
/// let written = "name = 'p'\n[[stage]]\nname = 'a'
/// run.multi_query = { n = 3, search.vector = { of = 'chunks', k = 20 } }";
/// let pipeline = Pipeline::parse(written)?;
/// let search = MultiQuery::vector(Vector::new(Layer::Chunks, 20)).others(3);
/// assert_eq!(pipeline.stages[0].run, stratigraph_rag::retrieve::Operator::MultiQuery(search));
/// # Ok::<(), stratigraph_rag::retrieve::RetrieveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct MultiQuery {
    #[serde(default = "three")]
    n: usize,
    search: Search,
    #[serde(default = "usual_constant")]
    constant: f32,
}

/// What is done with each wording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Search {
    Vector(Vector),
    Bm25(Bm25),
}

fn three() -> usize {
    3
}

/// What was searched for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reworded {
    /// What the model wrote, as far as it was taken.
    pub wordings: Vec<String>,
    /// How much each search has found: that with the question, then one for each wording.
    pub found: Vec<usize>,
    /// Why nothing was found, if that is because all is below `above`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What the model was paid; nothing if there is none, and only the question was searched for.
    #[serde(flatten)]
    pub spent: Spent,
}

impl MultiQuery {
    /// With what is nearest.
    pub fn vector(search: Vector) -> Self {
        Self::of(Search::Vector(search))
    }

    /// With what has the words.
    pub fn bm25(search: Bm25) -> Self {
        Self::of(Search::Bm25(search))
    }

    fn of(search: Search) -> Self {
        Self {
            n: three(),
            search,
            constant: usual_constant(),
        }
    }

    /// With up to so many other wordings, from 1 to 8.
    pub fn others(mut self, n: usize) -> Self {
        self.n = n;
        self
    }

    /// Asks and searches; without a reader with the question alone.
    ///
    /// # Errors
    /// [`RetrieveError::Unread`] if the model gives nothing of use; see [`RetrieveError`].
    pub fn run_traced<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        reader: Option<&QuestionReader>,
    ) -> Result<(Vec<Item>, Reworded), RetrieveError> {
        check("multi_query", self.n, self.constant)?;
        let (wordings, spent) = asked(reader, |reader| reader.wordings(desk.text(), self.n))?;
        let mut lists = Vec::with_capacity(wordings.len() + 1);
        let mut note = None;
        match &self.search {
            Search::Vector(vector) => {
                lists.push(vector.run(desk)?);
                let rows = desk.vectors(Purpose::Question, &wordings)?;
                for row in rows.iter() {
                    lists.push(vector.near(desk, row)?);
                }
                if lists.iter().all(Vec::is_empty) {
                    let all = [desk.vector()?].into_iter().chain(rows.iter());
                    note = vector.why_none_is_above(desk, all)?;
                }
            }
            Search::Bm25(bm25) => {
                lists.push(bm25.run(desk)?);
                for wording in &wordings {
                    lists.push(bm25.having(desk, wording)?.0);
                }
            }
        }
        let found = lists.iter().map(Vec::len).collect();
        let told = Reworded {
            wordings,
            found,
            note,
            spent,
        };
        Ok((fused(lists, self.constant), told))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::recorded as reader;
    use super::super::trial::{Trial, called};
    use super::super::{Layer, Pipeline, Scale};
    use super::*;

    fn trial() -> Trial {
        let trial = Trial::new();
        trial.put("lava.md", 2021, "# Lava\n\nBasalt was lava. 0.9\n", &[]);
        trial.put("sea.md", 2022, "# Sea\n\nSalt is in water. 0.5\n", &[]);
        trial.put("sky.md", 2022, "# Sky\n\nClouds are water. 0.1\n", &[]);
        trial
    }

    #[test]
    fn each_wording_finds_and_what_several_find_is_first() {
        trial().ask("What was lava?", |desk| {
            let reader = reader(&[r#"{"wordings": ["What is in water?", "Clouds or lava?"]}"#]);
            let search = MultiQuery::bm25(Bm25::new(5));
            let (items, told) = search.run_traced(desk, Some(&reader)).unwrap();
            // The first: by the question and the second wording. The last two: by one or two each.
            assert_eq!(called(desk, &items), ["Basalt", "Clouds", "Salt"]);
            assert_eq!(items[0].score.scale, Scale::ReciprocalRank);
            assert_eq!(told.wordings, ["What is in water?", "Clouds or lava?"]);
            assert_eq!((told.found, told.spent.calls), (vec![1, 2, 2], 1));
            assert_eq!(told.spent.model.as_deref(), Some("recorded"));
            // Alone, the question finds one.
            let (alone, told) = search.run_traced(desk, None).unwrap();
            assert_eq!(called(desk, &alone), ["Basalt"]);
            assert_eq!((told.found, told.spent), (vec![1], Spent::default()));
        });
    }

    #[test]
    fn vectors_of_wordings_find_among_the_documents_that_the_question_is_about() {
        let question = super::super::Question::new("What was lava?").unwrap();
        trial().ask_for(&question.only("year", 2022), |desk| {
            let reader = reader(&[r#"{"wordings": ["Which rock was liquid?"]}"#]);
            let search = MultiQuery::vector(Vector::new(Layer::Chunks, 5).exact());
            let (items, told) = search.run_traced(desk, Some(&reader)).unwrap();
            assert_eq!(called(desk, &items), ["Salt", "Clouds"]);
            // Both searches give all of it in one order: twice one over 61.
            assert!((items[0].score.value - 2.0 / 61.0).abs() < 1e-6);
            assert_eq!(told.found, [2, 2]);
        });
    }

    #[test]
    fn without_a_model_it_is_refused_or_passes_the_question_through() {
        trial().ask("What was lava?", |desk| {
            let text =
                "name = 'p'\n[[stage]]\nname = 'a'\nrun.multi_query = { search.bm25 = { k = 5 } }";
            let mut pipeline = Pipeline::parse(text).unwrap();
            let refused = pipeline.run(desk).unwrap_err();
            assert!(matches!(
                refused,
                RetrieveError::NoModel {
                    operator: "multi_query",
                    ..
                }
            ));
            assert!(refused.to_string().contains("--llm URL"), "{refused}");
            pipeline.stages[0].if_there = true;
            let (items, trace) = pipeline.run(desk).unwrap();
            assert_eq!(called(desk, &items), ["Basalt"]);
            assert!(!trace[0].not_there && trace[0].detail["model"].is_null());
            // Nothing but numbers of wordings that a model may be asked for.
            for n in [0, 9] {
                let search = MultiQuery::bm25(Bm25::new(5)).others(n);
                let refused = search.run_traced(desk, None).unwrap_err().to_string();
                assert!(refused.contains("from 1 to 8"), "{refused}");
            }
            let below = MultiQuery {
                constant: -1.0,
                ..MultiQuery::bm25(Bm25::new(5))
            };
            let refused = below.run_traced(desk, None).unwrap_err().to_string();
            assert!(refused.contains("from 0 on"), "{refused}");
            let failed = MultiQuery::bm25(Bm25::new(5)).run_traced(desk, Some(&reader(&["no"])));
            let failed = failed.unwrap_err();
            assert!(
                matches!(&failed, RetrieveError::Unread { model, .. } if model == "recorded"),
                "{failed}"
            );
        });
        let facts = "name = 'p'\n[[stage]]\nname = 'a'\nrun.multi_query = { search.vector = { of = 'facts_with_sources', k = 5 } }";
        let needs = Pipeline::parse(facts).unwrap().needs();
        assert!(needs.sources && !needs.instances, "{needs:?}");
        let vast = "name = 'p'\n[[stage]]\nname = 'a'\nrun.multi_query = { search.bm25 = { k = 10000001 } }";
        let vast = Pipeline::parse(vast).unwrap_err().to_string();
        assert!(vast.contains("`k` of `multi_query`"), "{vast}");
    }
}
