//! What is heard of a retrieval while it goes on.

use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::answer::Event;
use stratigraph_rag::door::{Ask, Equipment};
use stratigraph_rag::retrieve::{Pipeline, Question, Traced};

use super::library::{DOCUMENTS, QUESTION, built};

#[test]
fn each_stage_is_told_once_and_before_what_was_found() {
    let (_db, library) = built(Equipment::default(), &DOCUMENTS);
    let open = library.open().unwrap();
    let question = Question::new(QUESTION).unwrap();
    for preset in ["direct", "vector", "strata"] {
        let pipeline = Pipeline::preset(preset).unwrap();
        let mut stages: Vec<Traced> = Vec::new();
        let mut trace: Option<Vec<Traced>> = None;
        let ask = Ask::new(&pipeline, &question);
        let answer = open.ask(&ask, &CancelToken::new(), &mut |event| match event {
            Event::Stage(stage) => {
                assert_eq!(trace, None, "{preset}");
                stages.push(stage.clone());
            }
            Event::Retrieved(retrieved) => trace = Some(retrieved.trace.clone()),
            _ => {}
        });
        answer.unwrap();
        assert_eq!(stages.len(), pipeline.stages.len() + 1, "{preset}");
        let last = stages.last().map(|stage| stage.operator.as_str());
        assert_eq!(last, Some(Traced::PACK), "{preset}");
        assert_eq!(trace, Some(stages), "{preset}");
    }
}
