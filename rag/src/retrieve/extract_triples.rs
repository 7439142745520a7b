//! The question as facts, each of which is searched for among the facts of the graph: `EmPULIA`'s third strategy.

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph_models::Purpose;

use super::reading::{Spent, asked, check, fused, usual_constant};
use super::{Desk, Item, Layer, RetrieveError, Vector};
use crate::extract::model::{QuestionReader, QuestionTriple};

/// Has a model read the question as up to `n` triples with a gap where it asks, searches the facts for what is nearest to
/// each, and fuses that by reciprocal rank. A triple is compared with facts as a fact is, and not as a question. Where the
/// model reads no triple, the question itself is searched for.
///
/// ```
/// use stratigraph_rag::retrieve::{ExtractTriples, Layer};
///
/// let operator = ExtractTriples::new(Layer::Facts, 50).above(0.6);
/// let written = r#"{"of": "facts", "k": 50, "above": 0.6}"#;
/// assert_eq!(operator, serde_json::from_str(written).unwrap());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct ExtractTriples {
    of: Layer,
    k: usize,
    #[serde(default = "five")]
    n: usize,
    /// Only what has a greater cosine, not an equal one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    above: Option<f32>,
    #[serde(default = "usual_constant")]
    constant: f32,
}

fn five() -> usize {
    5
}

/// What was searched for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadAsTriples {
    /// What the model wrote, as far as it was taken.
    pub triples: Vec<QuestionTriple>,
    /// How much each search has found: one for each triple, or one with the question if there is none.
    pub found: Vec<usize>,
    /// Why nothing was found, if that is because all is below `above`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What the model was paid; nothing if there is none, and the question was searched for.
    #[serde(flatten)]
    pub spent: Spent,
}

impl ExtractTriples {
    /// The `k` nearest facts to each triple; `of` is a layer of facts.
    pub fn new(of: Layer, k: usize) -> Self {
        Self {
            of,
            k,
            n: five(),
            above: None,
            constant: usual_constant(),
        }
    }

    /// Only what has a greater cosine than this.
    pub fn above(mut self, cosine: f32) -> Self {
        self.above = Some(cosine);
        self
    }

    /// Asks and searches; without a reader with the question itself.
    ///
    /// # Errors
    /// [`RetrieveError::Unread`] if the model gives nothing of use; see [`RetrieveError`].
    pub fn run_traced<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        reader: Option<&QuestionReader>,
    ) -> Result<(Vec<Item>, ReadAsTriples), RetrieveError> {
        check("extract_triples", self.n, self.constant)?;
        if !matches!(self.of, Layer::Facts | Layer::FactsWithSources) {
            return Err(RetrieveError::Setting {
                operator: "extract_triples",
                reason: "`of` is a layer of facts: `facts` or `facts_with_sources`".to_owned(),
            });
        }
        let (triples, spent) = asked(reader, |reader| reader.triples(desk.text(), self.n))?;
        let mut search = Vector::new(self.of, self.k);
        if let Some(cosine) = self.above {
            search = search.above(cosine);
        }
        let texts: Vec<String> = triples.iter().map(QuestionTriple::text).collect();
        let mut lists = Vec::with_capacity(texts.len().max(1));
        let rows = desk.vectors(Purpose::Passage, &texts)?;
        for row in rows.iter() {
            lists.push(search.near(desk, row)?);
        }
        if lists.is_empty() {
            lists.push(search.run(desk)?);
        }
        let note = match (lists.iter().all(Vec::is_empty), rows.is_empty()) {
            (false, _) => None,
            (true, false) => search.why_none_is_above(desk, rows.iter())?,
            (true, true) => search.why_none_is_above(desk, [desk.vector()?])?,
        };
        let found = lists.iter().map(Vec::len).collect();
        let told = ReadAsTriples {
            triples,
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
    use super::super::{Pipeline, Scale};
    use super::*;

    /// Three facts of which the vectors stand at different angles.
    fn trial() -> Trial {
        let trial = Trial::new();
        let said = [
            ("Basalt", "was 0.9", "lava"),
            ("Chalk", "was 0.2", "algae"),
            ("Slate", "was -0.5", "mud"),
        ];
        let text = "# Rocks\n\nBasalt, lava, Chalk, algae, Slate and mud.\n";
        trial.put("rocks.md", 2021, text, &said);
        trial
    }

    #[test]
    fn each_triple_is_compared_as_a_fact() {
        trial().ask("What was lava?", |desk| {
            // The question stands at angle 0, so that it is nearest to basalt; the triples stand where they say.
            let reply = r#"{"triples": [{"subject": "Chalk", "relation": "was 0.2", "object": ""},
                {"subject": "", "relation": "was -0.5", "object": "mud"}]}"#;
            let reader = reader(&[reply]);
            let search = ExtractTriples::new(Layer::Facts, 1);
            let (items, told) = search.run_traced(desk, Some(&reader)).unwrap();
            assert_eq!(called(desk, &items), ["was 0.2", "was -0.5"]);
            assert_eq!(items[0].score.scale, Scale::ReciprocalRank);
            assert_eq!(told.triples[0].text(), "Chalk was 0.2");
            assert_eq!((told.found, told.spent.calls), (vec![1, 1], 1));
            // Only what is nearer than that.
            let (alone, _) = search.clone().above(0.95).run_traced(desk, None).unwrap();
            assert!(alone.is_empty());
        });
    }

    #[test]
    fn who_reads_no_triple_searches_with_the_question() {
        trial().ask("What was lava?", |desk| {
            let search = ExtractTriples::new(Layer::Facts, 1);
            for reader in [None, Some(&reader(&[r#"{"triples": []}"#]))] {
                let (items, told) = search.run_traced(desk, reader).unwrap();
                assert_eq!(called(desk, &items), ["was 0.9"]);
                assert_eq!((told.triples.len(), told.found), (0, vec![1]));
            }
        });
    }

    #[test]
    fn without_a_model_it_is_refused_or_passes_the_question_through() {
        trial().ask("What was lava?", |desk| {
            let text =
                "name = 'p'\n[[stage]]\nname = 'a'\nrun.extract_triples = { of = 'facts', k = 1 }";
            let mut pipeline = Pipeline::parse(text).unwrap();
            assert!(pipeline.needs().facts && !pipeline.needs().sources);
            let refused = pipeline.run(desk).unwrap_err();
            let operator = "extract_triples";
            assert!(
                matches!(refused, RetrieveError::NoModel { operator: told, .. } if told == operator)
            );
            pipeline.stages[0].if_there = true;
            let (items, _) = pipeline.run(desk).unwrap();
            assert_eq!(called(desk, &items), ["was 0.9"]);
            let chunks = ExtractTriples::new(Layer::Chunks, 1).run_traced(desk, None);
            let refused = chunks.unwrap_err().to_string();
            assert!(refused.contains("`facts_with_sources`"), "{refused}");
        });
    }
}
