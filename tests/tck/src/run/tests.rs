//! The judge with planted mistakes: an engine that answers what it is told to.

use super::*;
use crate::cell::Cell;
use crate::compare::Answer;
use crate::effects::GraphState;
use crate::scenario::{Rows, Stub};
use std::sync::Mutex;

/// Answers in the order they were planted, and one state of the graph per look at it.
struct Planted {
    answers: Mutex<Vec<Result<Answer, Refusal>>>,
    states: Mutex<Vec<GraphState>>,
}

struct PlantedSession {
    answers: Vec<Result<Answer, Refusal>>,
    states: Vec<GraphState>,
}

impl Engine for Planted {
    fn session(&self, _: Variant, _: &[Stub]) -> anyhow::Result<Box<dyn Session>> {
        let mut answers = std::mem::take(&mut *self.answers.lock().unwrap());
        let mut states = std::mem::take(&mut *self.states.lock().unwrap());
        answers.reverse();
        states.reverse();
        Ok(Box::new(PlantedSession { answers, states }))
    }
}

impl Session for PlantedSession {
    fn run(&mut self, _: &str, _: &[(String, Cell)]) -> Result<Answer, Refusal> {
        self.answers.pop().unwrap()
    }

    fn state(&mut self) -> anyhow::Result<GraphState> {
        Ok(self.states.pop().unwrap_or_default())
    }
}

fn one(value: i64) -> Answer {
    Answer {
        columns: vec!["n".to_owned()],
        rows: vec![vec![Cell::Int(value)]],
        ..Answer::default()
    }
}

fn rows(value: i64) -> Expectation {
    Expectation::Rows(Rows {
        columns: Some(vec!["n".to_owned()]),
        rows: one(value).rows,
        ..Rows::default()
    })
}

fn error(phase: Phase, detail: &str) -> Expectation {
    Expectation::Error(ExpectedError {
        error_type: "TypeError".to_owned(),
        phase,
        detail: detail.to_owned(),
    })
}

fn refusal(error_type: &str, phase: &str, detail: &str) -> Refusal {
    Refusal {
        error_type: error_type.to_owned(),
        phase: phase.to_owned(),
        detail: detail.to_owned(),
        ..Refusal::default()
    }
}

fn grown() -> Vec<GraphState> {
    let mut after = GraphState::default();
    after.nodes.insert(1);
    vec![GraphState::default(), after]
}

fn verdict(
    scenario: &Scenario,
    answers: Vec<Result<Answer, Refusal>>,
    states: Vec<GraphState>,
) -> (bool, bool, Option<Fault>) {
    let engine = Planted {
        answers: Mutex::new(answers),
        states: Mutex::new(states),
    };
    let verdict = run(scenario, &engine, Variant::Default);
    let fault = verdict.failure.as_ref().map(|failure| failure.fault);
    (verdict.answered, verdict.effects, fault)
}

#[test]
fn rows_are_judged_together_with_what_happened() {
    let mut scenario = Scenario {
        expectation: rows(1),
        effects: Some([("+nodes".to_owned(), 1)].into()),
        ..Scenario::default()
    };
    let with = |scenario: &Scenario, answer, states| verdict(scenario, vec![answer], states);
    assert_eq!(with(&scenario, Ok(one(1)), grown()), (true, true, None));
    let wrong = Some(Fault::WrongRows);
    assert_eq!(with(&scenario, Ok(one(2)), grown()), (false, true, wrong));
    let effects = Some(Fault::WrongEffects);
    assert_eq!(with(&scenario, Ok(one(1)), vec![]), (true, false, effects));
    let failed = Err(refusal("TypeError", "runtime", "X"));
    let unexpected = Some(Fault::UnexpectedError);
    assert_eq!(with(&scenario, failed, grown()), (false, false, unexpected));
    scenario.effects = Some(Effects::new());
    assert_eq!(with(&scenario, Ok(one(1)), grown()), (true, false, effects));
}

#[test]
fn an_error_must_come_and_must_be_the_right_one() {
    let with = |expectation: Expectation, answer, states| {
        let scenario = Scenario {
            expectation,
            ..Scenario::default()
        };
        verdict(&scenario, vec![answer], states)
    };
    let came = || Err(refusal("TypeError", "runtime", "InvalidArgumentType"));
    let fine = [
        (Phase::Runtime, "InvalidArgumentType"),
        (Phase::Any, "InvalidArgumentType"),
        (Phase::Any, "*"),
        (Phase::Runtime, "*"),
    ];
    for (phase, detail) in fine {
        assert_eq!(
            with(error(phase, detail), came(), vec![]),
            (true, true, None)
        );
    }
    let wrong = Some(Fault::WrongError);
    for (phase, detail) in [
        (Phase::Compile, "InvalidArgumentType"),
        (Phase::Any, "Other"),
    ] {
        let verdict = with(error(phase, detail), came(), vec![]);
        assert_eq!(verdict, (false, false, wrong));
    }
    let other = Err(refusal("SyntaxError", "runtime", "InvalidArgumentType"));
    let verdict = with(error(Phase::Any, "*"), other, vec![]);
    assert_eq!(verdict, (false, false, wrong));
    let missing = with(error(Phase::Any, "*"), Ok(one(1)), vec![]);
    assert_eq!(missing, (false, false, Some(Fault::MissingError)));
    let changed = with(error(Phase::Any, "*"), came(), grown());
    assert_eq!(changed, (true, false, Some(Fault::WrongEffects)));
}

#[test]
fn setup_and_control_queries_count() {
    let scenario = Scenario {
        setup: vec!["CREATE ();".to_owned()],
        expectation: rows(1),
        effects: Some(Effects::new()),
        control: vec![("RETURN 2".to_owned(), rows(2))],
        ..Scenario::default()
    };
    let empty = || Ok(Answer::default());
    let fine = verdict(&scenario, vec![empty(), Ok(one(1)), Ok(one(2))], vec![]);
    assert_eq!(fine, (true, true, None));
    let control = verdict(&scenario, vec![empty(), Ok(one(1)), Ok(one(3))], vec![]);
    assert_eq!(control, (false, true, Some(Fault::Control)));
    let setup = verdict(&scenario, vec![Err(Refusal::of_the_engine("no"))], vec![]);
    assert_eq!(setup, (false, false, Some(Fault::Setup)));
}
