//! An answer as it would be about, before anybody was asked for it: what judging it would cost can be told by it.

use super::Given;
use crate::chunk::{Measure, Words};
use crate::evaluate::Posed;
use crate::retrieve::Pipeline;

/// An answer and its analysis have so many words, about.
const USUAL: usize = 60;
/// A context has so many at most, whatever the budget is.
const LONGEST_CONTEXT: usize = 1 << 18;

impl Given {
    /// An answer of usual length to this question, with as much context as the pipeline packs at most. It is none where
    /// nothing is searched, and no model writes.
    #[must_use]
    pub fn foreseen(posed: &Posed, pipeline: &Pipeline, is_written: bool) -> Self {
        let given = Self {
            posed: posed.clone(),
            ..Self::default()
        };
        let searches = !pipeline.stages.is_empty();
        if !searches && !is_written {
            let reason = "nothing is searched, and no model writes".to_owned();
            return Self {
                refused: Some(reason),
                ..given
            };
        }
        // In the language of the question, and no two of them alike.
        let text = |what: &str, words: usize| {
            let each = format!("{} {what}: {}", pipeline.name, posed.text);
            let count = words.div_ceil(Words.ends(&each).len().max(1));
            vec![each; count].join("\n")
        };
        Self {
            answer: text("answer", USUAL),
            analysis: text("analysis", USUAL),
            context: match searches {
                true => text("context", pipeline.budget.min(LONGEST_CONTEXT)),
                false => String::new(),
            },
            ..given
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Jury, Measured};
    use super::*;
    use crate::extract::model::Judging;
    use crate::extract::{Calls, Cost, MemoryCache};
    use serde_json::json;
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use stratigraph::storage::cancel::CancelToken;
    use stratigraph_models::{Lexical, Recorded, Request};

    /// What judging two answers costs.
    fn cost(judge: Judging) -> Cost {
        let given = ["Basalt was lava.", "It was lava, and is white."].map(|answer| Given {
            posed: Posed {
                id: answer.to_owned(),
                text: "What was basalt?".to_owned(),
                references: vec!["Lava.".to_owned()],
                ..Posed::default()
            },
            answer: answer.to_owned(),
            context: format!("Somebody says: {answer}"),
            ..Given::default()
        });
        let embedder = Lexical::new();
        let jury = Jury {
            judges: vec![judge],
            embedder: &embedder,
            threads: 2,
            cancel: CancelToken::new(),
        };
        let measured: BTreeSet<Measured> = Measured::ALL.into();
        let judged = jury.judge(("set", "mine"), &given, &measured, &|_| ());
        judged.unwrap().cost
    }

    #[test]
    fn a_judge_that_is_not_asked_says_how_often_it_would_be() {
        let model = Recorded::by(|request: &Request| {
            let reply = match request.schema.as_ref()?.name() {
                "statements" => json!({"statements": ["Basalt was lava.", "It is white."]}),
                "borne_out" => json!({"supported": ["1"]}),
                "asked_by" => json!({"questions": ["What was basalt?"], "noncommittal": false}),
                "alike" => json!({"reason": "So.", "rating": "4"}),
                _ => return None,
            };
            Some(reply.to_string())
        });
        let cache = Arc::new(MemoryCache::default());
        let foreseen = || cost(Judging::foreseen("recorded", Arc::clone(&cache) as _));
        let before = foreseen();
        let real = cost(Judging::new(Calls::new(
            Arc::new(model),
            Arc::clone(&cache) as _,
        )));
        // Statements and what of them is borne out, what it answers, and both orders.
        assert_eq!((real.calls, before.calls), (10, 10));
        assert!(before.usage.input_tokens > 0 && before.usage.output_tokens > 0);
        // What is there need not be asked for.
        let after = foreseen();
        assert_eq!((after.calls, after.kept), (0, 10));
    }

    #[test]
    fn an_answer_that_nobody_gave_is_of_usual_length() {
        let posed = Posed {
            text: "Where does basalt come from?".to_owned(),
            ..Posed::default()
        };
        let strata = Pipeline::preset("strata").unwrap();
        let given = Given::foreseen(&posed, &strata, true);
        let words = |text: &str| Words.ends(text).len();
        assert!(given.is_answered() && given.answer != given.analysis);
        assert!((USUAL..2 * USUAL).contains(&words(&given.answer)));
        assert!(words(&given.context) >= strata.budget);
        let direct = Pipeline::preset("direct").unwrap();
        let given = Given::foreseen(&posed, &direct, true);
        assert!(given.is_answered() && given.context.is_empty());
        assert!(!Given::foreseen(&posed, &direct, false).is_answered());
    }
}
