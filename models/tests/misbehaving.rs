//! Endpoints that stop in the middle, say that they are done when they are not, take for ever, or send elsewhere:
//! whoever asks them gets an error in time, and is told what it cost.

use serde_json::json;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use stratigraph_models::{
    Embedder, Endpoint, EndpointBuilder, Generator, ModelError, Request, Reranker, Schema,
    ScriptedServer, Step, Structured, Usage,
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

#[test]
fn nobody_is_asked_at_the_address_that_an_endpoint_sends_to() {
    let elsewhere = ScriptedServer::start(|_| Step::text("Old.")).unwrap();
    for status in [301, 302, 303, 307, 308] {
        let to = format!("{}/chat/completions", elsewhere.url());
        for (way, error, heard) in asked(&Step::Redirect { status, to }, SURELY) {
            let ModelError::Endpoint {
                status: said,
                again: None,
                ..
            } = &error
            else {
                panic!("{way}: {error:?}")
            };
            assert_eq!((*said, heard.as_str()), (Some(status), ""), "{way}");
            let told = error.to_string();
            assert!(told.contains("redirects are not followed"), "{way}: {told}");
        }
    }
    assert_eq!(elsewhere.asked().len(), 0);
}

#[test]
fn replies_that_are_cut_are_paid_for_each_of_them() {
    let schema = Schema::new("age", json!({"type": "object", "required": ["age"]}));
    let request = Request::new("", "How old are rocks?").schema(schema.unwrap());
    // What there is of it could be read.
    let text = json!({"content": "{\"age\": 5}"});
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 64});
    let whole = json!({"choices": [{"finish_reason": "length", "message": text}], "usage": usage});
    let piece = json!({"choices": [{"finish_reason": "length", "delta": text}], "usage": usage});
    let streamed = format!("data: {piece}\n\ndata: [DONE]\n\n");
    let asking = Structured::default();
    for (step, is_streamed) in [(Step::Json(whole), false), (Step::Body(streamed), true)] {
        let (server, endpoint) = scripted(step, SURELY);
        let endpoint = endpoint.build().unwrap();
        let model = endpoint.chat("tiny");
        let answered = match is_streamed {
            true => asking.stream(&model, &request, &mut |_, _| ControlFlow::Continue(())),
            false => asking.ask(&model, &request),
        };
        let refused = answered.unwrap_err();
        let ModelError::BadReply { tries: 3, problem } = &refused.error else {
            panic!("{refused}")
        };
        assert!(problem.contains("max_tokens"), "{problem}");
        let paid = Usage {
            input_tokens: 30,
            output_tokens: 192,
        };
        assert_eq!((refused.tries, refused.usage), (3, paid));
        assert_eq!(endpoint.spent().usage, paid);
        // It hears what was wrong.
        let asked = server.asked();
        assert_eq!(asked.len(), 3);
        assert!(asked[1].question().contains("max_tokens"), "{asked:?}");
    }
}

#[test]
fn a_stream_that_was_cut_or_broke_down_is_not_whole() {
    let piece = |piece: serde_json::Value| format!("data: {piece}\n\n");
    let words = piece(json!({"choices": [{"delta": {"content": "Ol"}}]}));
    let usage =
        piece(json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}));
    for (last, said) in [
        (
            json!({"choices": [{"delta": {}, "finish_reason": "length"}]}),
            "max_tokens",
        ),
        (
            json!({"error": {"message": "out of memory for canary-7"}}),
            "out of memory for ***",
        ),
    ] {
        let body = [&words, &usage, &piece(last), "data: [DONE]\n\n"].concat();
        let (_server, endpoint) = scripted(Step::Body(body), SURELY);
        let endpoint = endpoint.key("canary-7").build().unwrap();
        let mut heard = String::new();
        let model = endpoint.chat("tiny");
        let broken = model.stream(&Request::new("", "?"), &mut |words| {
            heard.push_str(words);
            ControlFlow::Continue(())
        });
        let broken = broken.unwrap_err();
        assert!(broken.to_string().contains(said), "{broken}");
        if let ModelError::Cut { text, usage, .. } = &broken {
            assert_eq!((text.as_str(), usage.output_tokens), ("Ol", 3));
        }
        assert_eq!(heard, "Ol");
        // What came was paid for.
        assert_eq!(endpoint.spent().usage.output_tokens, 3);
    }
}

#[test]
fn what_replies_claim_to_have_cost_overflows_nothing() {
    let usage = json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX});
    let choice = json!({"message": {"content": "Old."}, "finish_reason": "stop"});
    let reply = json!({"choices": [choice], "usage": usage});
    let (server, endpoint) = scripted(Step::Json(reply), Duration::from_secs(30));
    let endpoint = endpoint.build().unwrap();
    for _ in 0..3 {
        endpoint
            .chat("tiny")
            .generate(&Request::new("", "How old?"))
            .unwrap();
    }
    assert_eq!(server.asked().len(), 3);
}
