//! Models behind an address, asked over a real socket by a server that follows a script and misbehaves.

use serde_json::json;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use stratigraph_models::{
    Asked, Cached, Embedder, Endpoint, EndpointBuilder, Generator, ModelError, Request, Reranker,
    Schema, SchemaMode, ScoreScale, ScriptedServer, Step, Structured, Tool,
};

fn scripted(
    script: impl Fn(&Asked) -> Step + Send + Sync + 'static,
) -> (ScriptedServer, EndpointBuilder) {
    let server = ScriptedServer::start(script).unwrap();
    let endpoint = Endpoint::builder(&server.url());
    (server, endpoint)
}

fn question() -> Request {
    Request::new("Be short.", "How old are rocks?")
}

#[test]
fn a_question_goes_there_and_an_answer_comes_back() {
    let (server, endpoint) = scripted(|_| Step::text("Old."));
    let endpoint = endpoint
        .key("canary-7")
        .prices("1/2".parse().unwrap())
        .build()
        .unwrap();
    let reply = endpoint.chat("tiny").generate(&question()).unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.usage.input_tokens),
        ("Old.", 10)
    );
    let asked = &server.asked()[0];
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.authorization.as_deref(), Some("Bearer canary-7"));
    assert_eq!(
        asked.body["messages"][0],
        json!({"role": "system", "content": "Be short."})
    );
    assert_eq!(asked.question(), "How old are rocks?");
    let spent = endpoint.spent();
    assert_eq!(
        (spent.calls, spent.retries, spent.cost),
        (1, 0, (10.0 + 2.0) / 1e6)
    );
    assert!(!format!("{endpoint:?}").contains("canary"));
}

#[test]
fn schemas_and_tools_are_sent_and_replies_held_to_them() {
    let (server, endpoint) = scripted(|asked| match asked.place {
        0 => Step::text("{\"age\": \"old\"}"),
        1 => Step::text("{\"age\": 5}"),
        _ => Step::Json(
            json!({"choices": [{"message": {"content": null, "tool_calls": [
                {"function": {"name": "find", "arguments": "{\"age\": 5}"}}
            ]}}]}),
        ),
    });
    let endpoint = endpoint.build().unwrap();
    let schema =
        json!({"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}});
    let schema = Schema::new("age", schema).unwrap();
    let request = question().schema(schema.clone());
    let answered = Structured::default()
        .ask(&endpoint.chat("tiny"), &request)
        .unwrap();
    assert_eq!(
        (answered.value["age"].as_i64(), answered.tries),
        (Some(5), 2)
    );
    let asked = server.asked();
    assert_eq!(
        asked[0].body["response_format"]["json_schema"]["schema"],
        *schema.json()
    );
    let mut request = question().schema(schema.clone());
    request.tools.push(Tool {
        name: "find".to_owned(),
        description: "finds".to_owned(),
        arguments: schema,
    });
    let reply = endpoint
        .chat("tiny")
        .schemas(SchemaMode::Words)
        .generate(&request)
        .unwrap();
    assert_eq!(
        (
            reply.calls[0].name.as_str(),
            reply.calls[0].arguments.as_str()
        ),
        ("find", "{\"age\": 5}")
    );
    let asked = &server.asked()[2].body;
    assert_eq!(asked["tools"][0]["function"]["name"], "find");
    assert!(asked.get("response_format").is_none());
    assert!(
        asked["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("JSON Schema")
    );
}

#[test]
fn what_may_pass_is_tried_again_and_what_will_not_is_not() {
    let (server, endpoint) = scripted(|asked| match asked.place {
        0 => Step::Refuse {
            status: 429,
            retry_after: Some(0),
            message: "slow down".to_owned(),
        },
        1 => Step::Nothing,
        2 => Step::Half,
        _ => Step::text("Old."),
    });
    let endpoint = endpoint.build().unwrap();
    assert_eq!(
        endpoint.chat("tiny").generate(&question()).unwrap().text,
        "Old."
    );
    assert_eq!((endpoint.spent().calls, endpoint.spent().retries), (4, 3));
    drop(server);
    for status in [400, 401, 404, 307] {
        let (server, endpoint) = scripted(move |_| Step::refuse(status));
        let refused = endpoint
            .build()
            .unwrap()
            .chat("tiny")
            .generate(&question())
            .unwrap_err();
        let ModelError::Endpoint {
            status: said,
            again: None,
            ..
        } = &refused
        else {
            panic!("{refused:?}")
        };
        assert_eq!((*said, server.asked().len()), (Some(status), 1));
        assert!(
            refused.to_string().contains("refused by the script"),
            "{refused}"
        );
    }
}

#[test]
fn silence_has_an_end_and_attempts_have_one() {
    let (server, endpoint) =
        scripted(|_| Step::After(Duration::from_secs(60), Box::new(Step::Nothing)));
    let endpoint = endpoint
        .timeout(Duration::from_millis(200))
        .attempts(2)
        .build()
        .unwrap();
    let refused = endpoint.chat("tiny").generate(&question()).unwrap_err();
    assert!(refused.to_string().contains("cannot be asked"), "{refused}");
    assert_eq!(endpoint.spent().calls, 2);
    drop(server);
}

#[test]
fn a_reply_that_is_too_much_or_nonsense_is_refused() {
    for (step, said) in [
        (Step::Body("x".repeat(5000)), "more than the 1000 bytes"),
        (Step::Body("<html>".to_owned()), "no JSON"),
        (Step::Json(json!({})), "without a choice"),
        (
            Step::Json(
                json!({"choices": [{"finish_reason": "length", "message": {"content": "Ol"}}]}),
            ),
            "max_tokens",
        ),
    ] {
        let (_server, endpoint) = scripted(move |_| step.clone());
        let endpoint = endpoint.max_response_bytes(1000).build().unwrap();
        let refused = endpoint.chat("tiny").generate(&question()).unwrap_err();
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

#[test]
fn a_stream_comes_in_pieces_and_is_whole_or_an_error() {
    let pieces = vec!["Very".to_owned(), " old.".to_owned()];
    let whole = pieces.clone();
    let (_server, endpoint) = scripted(move |_| Step::Stream {
        pieces: whole.clone(),
        whole: true,
    });
    let endpoint = endpoint.build().unwrap();
    let mut heard = Vec::new();
    let reply = endpoint
        .chat("tiny")
        .stream(&question(), &mut |piece| {
            heard.push(piece.to_owned());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(
        (heard, reply.text.as_str(), reply.usage.output_tokens),
        (pieces.clone(), "Very old.", 3)
    );
    // One that never ends is not gathered for ever.
    let (_server, endpoint) = scripted(|_| Step::Stream {
        pieces: vec!["x".repeat(1000); 20],
        whole: true,
    });
    let endpoint = endpoint.max_response_bytes(10_000).build().unwrap();
    let mut heard = 0;
    let refused = endpoint
        .chat("tiny")
        .stream(&question(), &mut |piece| {
            heard += piece.len();
            ControlFlow::Continue(())
        })
        .unwrap_err();
    assert!(
        heard < 10_000 && refused.to_string().contains("broke off"),
        "{heard}: {refused}"
    );
    let (_server, endpoint) = scripted(move |_| Step::Stream {
        pieces: pieces.clone(),
        whole: false,
    });
    let endpoint = endpoint.build().unwrap();
    let refused = endpoint
        .chat("tiny")
        .stream(&question(), &mut |_| ControlFlow::Continue(()))
        .unwrap_err();
    assert!(refused.to_string().contains("broke off"), "{refused}");
}

#[test]
fn who_wants_no_more_of_a_reply_reads_no_more_of_it() {
    let (_server, endpoint) = scripted(|_| Step::Stream {
        pieces: vec!["x".to_owned(); 1000],
        whole: false,
    });
    let mut heard = 0;
    let stopped = endpoint
        .build()
        .unwrap()
        .chat("tiny")
        .stream(&question(), &mut |_| {
            heard += 1;
            match heard {
                3 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
    assert!(matches!(stopped, Err(ModelError::Stopped)), "{stopped:?}");
    assert_eq!(heard, 3);
}

#[test]
fn calls_overlap_as_many_as_may_and_no_more() {
    const CALLS: usize = 8;
    #[derive(Default)]
    struct Seen {
        came: usize,
        running: usize,
        most: usize,
    }
    let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
    let told = Arc::clone(&seen);
    let (server, endpoint) = scripted(move |_| {
        let (seen, came) = &*told;
        let mut now = seen.lock().unwrap();
        now.came += 1;
        now.running += 1;
        now.most = now.most.max(now.running);
        came.notify_all();
        // None of two is answered before the other is there.
        let pair = now.came.next_multiple_of(2);
        let lonely = |now: &mut Seen| now.came < pair;
        let waited = came.wait_timeout_while(now, Duration::from_secs(30), lonely);
        let (now, waited) = waited.unwrap();
        // A third one would come now, if it could.
        let alone = |now: &mut Seen| now.came <= pair;
        let grace = came.wait_timeout_while(now, Duration::from_millis(50), alone);
        grace.unwrap().0.running -= 1;
        match waited.timed_out() {
            true => Step::refuse(400),
            false => Step::text("Old."),
        }
    });
    let endpoint = endpoint.concurrent_calls(2).build().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..CALLS {
            scope.spawn(|| endpoint.chat("tiny").generate(&question()).unwrap());
        }
    });
    assert_eq!(seen.0.lock().unwrap().most, 2);
    assert_eq!(server.asked().len(), CALLS);
}

#[test]
fn no_more_is_spent_than_may_be() {
    // One reply is ten tokens read and one written.
    let (server, endpoint) = scripted(|_| Step::text("Old."));
    let endpoint = endpoint.max_tokens(60).build().unwrap();
    for _ in 0..6 {
        endpoint.chat("tiny").generate(&question()).unwrap();
    }
    let refused = endpoint.chat("tiny").generate(&question()).unwrap_err();
    assert!(
        matches!(
            refused,
            ModelError::BudgetSpent {
                tokens: 66,
                limit: 60
            }
        ),
        "{refused}"
    );
    assert_eq!(server.asked().len(), 6);
}

#[test]
fn vectors_are_checked_and_scaled() {
    let (server, endpoint) = scripted(|asked| {
        let texts = asked.body["input"].as_array().unwrap().len();
        Step::vectors(&vec![vec![3.0, 4.0]; texts])
    });
    let model = endpoint.build().unwrap().embeddings("tiny", 2).batch(2);
    let rows = model.embed(&["a", "b", "c"]).unwrap();
    assert_eq!((rows.len(), rows.row(2)), (3, Some(&[0.6, 0.8][..])));
    assert_eq!(server.asked().len(), 2);
    // Two calls of five tokens each, by the count of the endpoint; what is there already is not counted.
    assert_eq!(rows.tokens(), Some(10));
    let cached = Cached::new(model, 1 << 20);
    let tokens = |texts: &[&str]| cached.embed(texts).unwrap().tokens();
    assert_eq!((tokens(&["a"]), tokens(&["a"])), (Some(5), None));
    for (step, said) in [
        (
            Step::vectors(&[vec![1.0, 0.0, 0.0]]),
            "3 numbers, but `tiny` was said to have 2",
        ),
        (Step::vectors(&[vec![0.0, 0.0]]), "no direction"),
        (Step::vectors(&[]), "0 vectors for 1 texts"),
        (
            Step::Json(json!({"data": [{"index": 9, "embedding": [1, 0]}]})),
            "text 9",
        ),
        (
            Step::Json(json!({"data": [{"index": 0, "embedding": [1, "x"]}]})),
            "no direction",
        ),
        (Step::Json(json!({})), "without data"),
    ] {
        let (_server, endpoint) = scripted(move |_| step.clone());
        let refused = endpoint
            .build()
            .unwrap()
            .embeddings("tiny", 2)
            .embed(&["a"])
            .unwrap_err();
        assert!(refused.to_string().contains(said), "{refused}");
    }
}

#[test]
fn questions_and_passages_are_sent_with_their_prompts() {
    let (server, endpoint) = scripted(|_| Step::vectors(&[vec![3.0, 4.0]]));
    let endpoint = endpoint.build().unwrap();
    let known = endpoint.embeddings("e5-small", 2);
    let plain = endpoint.embeddings("tiny", 2);
    let told = plain.clone().question_prompt("Q: ").passage_prompt("P: ");
    let silent = known.clone().question_prompt("").passage_prompt("");
    for (model, passage, question) in [
        (&known, "passage: rocks", "query: rocks?"),
        (&plain, "rocks", "rocks?"),
        (&told, "P: rocks", "Q: rocks?"),
        (&silent, "rocks", "rocks?"),
    ] {
        let before = server.asked().len();
        model.embed(&["rocks"]).unwrap();
        model.embed_questions(&["rocks?"]).unwrap();
        let asked = &server.asked()[before..];
        let sent: Vec<_> = asked.iter().map(|asked| &asked.body["input"]).collect();
        assert_eq!(sent, [&json!([passage]), &json!([question])]);
        // Whatever it is called here, it has one name there.
        let there = asked[0].model();
        assert!(model.name().starts_with(there), "{there}");
    }
    // Vectors of other prompts are not taken for those of the usual ones.
    assert_eq!((known.name(), plain.name()), ("e5-small", "tiny"));
    assert!(told.name().starts_with("tiny#") && silent.name().starts_with("e5-small#"));
    let usual = silent
        .question_prompt("query: ")
        .passage_prompt("passage: ");
    assert_eq!(usual.name(), "e5-small");
}

#[test]
fn scores_come_back_in_the_order_of_the_passages() {
    // The longer the passage, the better; best first, as such servers have it.
    let (server, endpoint) = scripted(|asked| {
        let passages = asked.body["documents"].as_array().unwrap();
        let score = |(index, passage): (usize, &serde_json::Value)| {
            let length = passage.as_str().unwrap().len() as f64;
            json!({"index": index, "relevance_score": length / 10.0})
        };
        let mut results: Vec<_> = passages.iter().enumerate().map(score).collect();
        results.reverse();
        Step::Json(json!({"results": results, "usage": {"prompt_tokens": 4}}))
    });
    let endpoint = endpoint.key("canary-7").build().unwrap();
    let judge = endpoint.reranker("judge").batch(2).max_tokens(8192);
    assert_eq!(
        (judge.name(), Reranker::max_tokens(&judge)),
        ("judge", 8192)
    );
    assert_eq!(judge.scale(), ScoreScale::Unit);
    let scores = judge
        .scores("why?", &["a", "bbb", "", "cc", "ddddd"])
        .unwrap();
    assert_eq!(scores, [0.1, 0.3, 0.0, 0.2, 0.5]);
    assert!(judge.scores("why?", &[]).unwrap().is_empty());
    let asked = server.asked();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0].path, "/v1/rerank");
    assert_eq!(asked[0].authorization.as_deref(), Some("Bearer canary-7"));
    assert_eq!(
        asked[2].body,
        json!({"model": "judge", "query": "why?", "documents": ["ddddd"]})
    );
    assert_eq!(endpoint.spent().usage.input_tokens, 12);
}

#[test]
fn scores_are_checked() {
    let result =
        |index: i64, score: serde_json::Value| json!({"index": index, "relevance_score": score});
    for (reply, said) in [
        (json!({}), "without results"),
        (
            json!({"results": [result(0, json!(1))]}),
            "1 scores for 2 passages",
        ),
        (
            json!({"results": [result(0, json!(1)), result(0, json!(1))]}),
            "passage 0, which is not there or has one",
        ),
        (json!({"results": [result(2, json!(1))]}), "passage 2"),
        (json!({"results": [result(-1, json!(1))]}), "passage none"),
        (json!({"results": [result(1, json!("much"))]}), "no number"),
        (json!({"results": [result(1, json!(1e300))]}), "no number"),
    ] {
        let (_server, endpoint) = scripted(move |_| Step::Json(reply.clone()));
        let judge = endpoint.build().unwrap().reranker("judge");
        let refused = judge.scores("why?", &["a", "b"]).unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn addresses_that_would_show_the_key_are_refused() {
    for (url, said) in [
        ("http://models.example/v1", "in the clear"),
        ("ftp://models.example", "neither"),
        ("models", "neither"),
        ("/v1", "no host"),
        ("https://user:word@models.example", "name or password"),
        ("https://models.example/v1?key=canary-7", "a query"),
        ("https://models.example/v1#canary-7", "a fragment"),
    ] {
        let refused = Endpoint::builder(url)
            .key("canary-7")
            .build()
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains(said) && !refused.contains("canary"),
            "{refused}"
        );
    }
    assert!(
        Endpoint::builder("http://models.example/v1")
            .key("x")
            .send_key_in_the_clear()
            .build()
            .is_ok()
    );
    let (_server, endpoint) = scripted(|asked| Step::Refuse {
        status: 400,
        retry_after: None,
        message: format!("you sent {:?}", asked.authorization),
    });
    let refused = endpoint
        .key("canary-7")
        .build()
        .unwrap()
        .chat("tiny")
        .generate(&question())
        .unwrap_err();
    assert!(
        !format!("{refused} {refused:?}").contains("canary"),
        "{refused:?}"
    );
}

#[test]
fn a_key_across_the_cut_of_a_refusal_is_hidden_as_well() {
    // Wherever the refusal is cut, no part of the key is left over.
    for before in 370..400 {
        let (_server, endpoint) = scripted(move |asked| Step::Refuse {
            status: 400,
            retry_after: None,
            message: format!(
                "{}{}",
                "x".repeat(before),
                asked.authorization.as_deref().unwrap_or_default()
            ),
        });
        // Keys come from files, which end with a line break.
        let endpoint = endpoint.key("canary-7-canary-7-canary-7\n").build();
        let model = endpoint.unwrap().chat("tiny");
        let refused = model.generate(&question()).unwrap_err();
        assert!(!refused.to_string().contains("can"), "{refused}");
    }
}

#[test]
fn calls_that_come_in_pieces_are_put_together_each_at_its_place() {
    let piece = |choice: serde_json::Value| format!("data: {}\n\n", json!({"choices": [choice]}));
    let call = |index: u64, function: serde_json::Value| {
        piece(json!({"delta": {"tool_calls": [{"index": index, "function": function}]}}))
    };
    let body = [
        call(0, json!({"name": "find", "arguments": ""})),
        call(1, json!({"name": "cou"})),
        call(0, json!({"arguments": "{\"age\""})),
        call(1, json!({"name": "nt", "arguments": "{\"of\": "})),
        call(0, json!({"name": null, "arguments": ": 5}"})),
        call(1, json!({"arguments": "\"rocks\"}"})),
        // No place is made for as many calls as somebody says.
        call(1 << 40, json!({"name": "flood", "arguments": "{}"})),
        piece(json!({"delta": {}, "finish_reason": "tool_calls"})),
    ]
    .concat();
    let (_server, endpoint) = scripted(move |_| Step::Body(body.clone()));
    let model = endpoint.build().unwrap().chat("tiny");
    let mut heard = 0;
    let reply = model.stream(&question(), &mut |_| {
        heard += 1;
        ControlFlow::Continue(())
    });
    let reply = reply.unwrap();
    let calls: Vec<(&str, &str)> = { reply.calls.iter() }
        .map(|call| (call.name.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(
        calls,
        [("find", "{\"age\": 5}"), ("count", "{\"of\": \"rocks\"}")]
    );
    // They are no text.
    assert_eq!((heard, reply.text.as_str()), (0, ""));
}

/// Asks this test once more with a proxy in its environment, as no test may change its own.
#[test]
fn this_machine_is_not_asked_through_a_proxy() {
    const ASKED: &str = "STRATIGRAPH_TEST_ASKS_THROUGH_A_PROXY";
    if std::env::var_os(ASKED).is_none() {
        let this = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "this_machine_is_not_asked_through_a_proxy"])
            .env(ASKED, "yes")
            // Nobody listens there.
            .envs(
                ["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:9")),
            )
            .env_remove("NO_PROXY")
            .env_remove("no_proxy")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&this.stdout);
        assert!(this.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let (_server, endpoint) = scripted(|_| Step::text("Old."));
    let model = endpoint.attempts(1).build().unwrap().chat("tiny");
    assert_eq!(model.generate(&question()).unwrap().text, "Old.");
}
