//! Endpoints that stop in the middle, say that they are done when they are not, or take for ever: whoever asks them
//! gets an error in time.

use serde_json::json;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use stratigraph_models::{
    Embedder, Endpoint, EndpointBuilder, Generator, ModelError, Request, Reranker, ScriptedServer,
    Step,
};

/// How long an attempt may take where it is to take too long,
const LIMIT: Duration = Duration::from_millis(300);
/// and how long one that obeys that can take on a busy machine. What is not limited takes longer by far.
const SURELY: Duration = Duration::from_secs(20);

fn scripted(step: Step, limit: Duration) -> (ScriptedServer, EndpointBuilder) {
    let server = ScriptedServer::start(move |_| step.clone()).unwrap();
    let endpoint = Endpoint::builder(&server.url()).timeout(limit).attempts(1);
    (server, endpoint)
}

/// Asks in each way that there is, and gives what was said, with what was heard of a stream.
fn asked(step: &Step, limit: Duration) -> [(&'static str, ModelError, String); 4] {
    let (_server, endpoint) = scripted(step.clone(), limit);
    let endpoint = endpoint.build().unwrap();
    let question = Request::new("", "How old are rocks?");
    let in_time = |way: &'static str, ask: &mut dyn FnMut(&mut String) -> ModelError| {
        let began = Instant::now();
        let mut heard = String::new();
        let error = ask(&mut heard);
        assert!(began.elapsed() < SURELY, "{way}, {step:?}");
        (way, error, heard)
    };
    let chat = endpoint.chat("tiny");
    [
        in_time("generate", &mut |_| chat.generate(&question).unwrap_err()),
        in_time("stream", &mut |heard| {
            let mut each = |words: &str| {
                heard.push_str(words);
                ControlFlow::Continue(())
            };
            chat.stream(&question, &mut each).unwrap_err()
        }),
        in_time("embed", &mut |_| {
            let model = endpoint.embeddings("tiny", 2);
            model.embed(&["rocks"]).unwrap_err()
        }),
        in_time("scores", &mut |_| {
            let judge = endpoint.reranker("judge");
            judge.scores("why?", &["rocks"]).unwrap_err()
        }),
    ]
}

/// That it was a reply that broke off, which may go well another time.
fn broke_off(way: &str, error: &ModelError) {
    let again = matches!(
        error,
        ModelError::Endpoint {
            status: None,
            again: Some(_),
            ..
        }
    );
    assert!(again, "{way}: {error:?}");
    let said = error.to_string();
    assert!(said.contains("broke off its reply"), "{way}: {said}");
}

#[test]
fn half_of_a_reply_is_none_whether_one_side_is_closed_or_both() {
    for step in [Step::Half, Step::HalfClosed] {
        for (way, error, _) in asked(&step, SURELY) {
            broke_off(way, &error);
            assert!(!error.to_string().contains("timeout"), "{way}: {error}");
        }
    }
}

#[test]
fn a_reply_that_drips_has_no_longer_than_others() {
    // Some hundred bytes, and so some minutes.
    let reply = json!({"choices": [{"message": {"content": "old ".repeat(100)}}]});
    for (way, error, _) in asked(&Step::Drips(Duration::from_secs(1), reply), LIMIT) {
        broke_off(way, &error);
        assert!(error.to_string().contains("timeout"), "{way}: {error}");
    }
    // Bytes come in time, each of them, and all of them do not.
    let reply = json!({"choices": [{"message": {"content": "old ".repeat(10_000)}}]});
    for (way, error, _) in asked(&Step::Drips(Duration::from_millis(10), reply), LIMIT) {
        broke_off(way, &error);
        assert!(error.to_string().contains("timeout"), "{way}: {error}");
    }
}

#[test]
fn a_reply_that_drips_fast_enough_is_one() {
    let reply = json!({"choices": [{"message": {"content": "Old."}}]});
    let (_server, endpoint) = scripted(Step::Drips(Duration::from_micros(100), reply), SURELY);
    let endpoint = endpoint.build().unwrap();
    let reply = endpoint.chat("tiny").generate(&Request::new("", "?"));
    assert_eq!(reply.unwrap().text, "Old.");
}

#[test]
fn a_stream_that_stalls_ends_and_what_came_was_heard() {
    let pieces = vec!["Very ".to_owned(), "old".to_owned()];
    // Time enough for what comes to come.
    for (way, error, heard) in asked(&Step::Stalls(pieces), 4 * LIMIT) {
        broke_off(way, &error);
        assert!(error.to_string().contains("timeout"), "{way}: {error}");
        if way == "stream" {
            assert_eq!(heard, "Very old");
        }
    }
}

#[test]
fn how_long_an_endpoint_asks_to_wait_is_told() {
    for (status, asked) in [(429, 7), (503, 0), (529, 4000)] {
        let refusal = Step::Refuse {
            status,
            retry_after: Some(asked),
            message: "slow down".to_owned(),
        };
        let (_server, endpoint) = scripted(refusal, SURELY);
        let endpoint = endpoint.build().unwrap();
        let refused = endpoint.chat("tiny").generate(&Request::new("", "?"));
        let Err(ModelError::Endpoint {
            status: said,
            again,
            ..
        }) = refused
        else {
            panic!("{refused:?}")
        };
        let told = (said, again);
        assert_eq!(told, (Some(status), Some(Duration::from_secs(asked))));
    }
}
