//! Models at addresses by the words that settings have for them, asked over a real socket.

use serde_json::json;
use stratigraph_models::{Configured, ScriptedServer, Step, cached_minilm, embedder_called};

#[test]
fn models_at_addresses_are_had_by_a_few_words() {
    let server = ScriptedServer::start(|asked| match asked.path.as_str() {
        "/v1/embeddings" if asked.model() == "none" => Step::Json(json!({"data": []})),
        "/v1/embeddings" => Step::vectors(&[vec![3.0, 0.0, 4.0]]),
        "/v1/rerank" => Step::Json(json!({"results": [{"index": 0, "relevance_score": 0.5}]})),
        _ => Step::text("Old."),
    })
    .unwrap();
    let key = |variable: &str| Some(format!("of {variable}"));
    let words = Configured {
        embedder: Some(server.url()),
        embedder_model: Some("tiny".to_owned()),
        llm: Some("http://127.0.0.1:9/v1".to_owned()),
        model: Some("writer".to_owned()),
        reranker: Some(format!("{}/", server.url())),
        reranker_model: Some("judge".to_owned()),
        ..Configured::default()
    };
    // The width is asked for, and the name is the model's.
    let embedder = words.embedder(&key).unwrap();
    assert_eq!((embedder.name(), embedder.dimensions()), ("tiny", 3));
    assert_eq!(
        embedder.embed(&["x"]).unwrap().row(0),
        Some(&[0.6, 0.0, 0.8][..])
    );
    let reranker = words.reranker(&key).unwrap().unwrap();
    assert_eq!(reranker.scores("q", &["p"]).unwrap(), [0.5]);
    // Each address hears its own key, and nobody that of the model that writes elsewhere.
    let heard = |place: usize| server.asked()[place].authorization.clone().unwrap();
    assert_eq!(heard(0), "Bearer of STRATIGRAPH_EMBEDDER_KEY");
    assert_eq!(heard(2), "Bearer of STRATIGRAPH_RERANKER_KEY");
    let same = Configured {
        llm: Some(server.url()),
        ..words.clone()
    };
    same.reranker(&key)
        .unwrap()
        .unwrap()
        .scores("q", &["p"])
        .unwrap();
    assert_eq!(heard(3), "Bearer of STRATIGRAPH_LLM_KEY");
    // A width that is said is not asked for.
    let said = Configured {
        embedder_dimensions: Some(3),
        ..words.clone()
    };
    assert_eq!(said.embedder(&key).unwrap().dimensions(), 3);
    assert_eq!(server.asked().len(), 4);
    let vectorless = Configured {
        embedder_model: Some("none".to_owned()),
        ..words.clone()
    };
    let error = vectorless.embedder(&key).err().unwrap().to_string();
    assert!(error.contains("gave no vector"), "{error}");
    // Prompts that are said go before those of the family.
    let prompted = Configured {
        embedder_model: Some("e5-small".to_owned()),
        embedder_passage_prompt: Some(String::new()),
        ..said.clone()
    };
    let embedder = prompted.embedder(&key).unwrap();
    embedder.embed(&["p"]).unwrap();
    embedder.embed_questions(&["q"]).unwrap();
    let sent: Vec<_> = { server.asked().into_iter().skip(5) }
        .map(|asked| asked.body["input"][0].clone())
        .collect();
    assert_eq!(sent, ["p", "query: q"]);
    let asking = Configured {
        embedder_question_prompt: Some("Q: ".to_owned()),
        ..said.clone()
    };
    let embedder = asking.embedder(&key).unwrap();
    embedder.embed_questions(&["q"]).unwrap();
    assert_eq!(server.asked()[7].body["input"][0], "Q: q");
    let local = Configured {
        embedder: None,
        embedder_model: None,
        embedder_dimensions: None,
        ..asking
    };
    let error = local.embedder(&key).err().unwrap().to_string();
    assert!(error.contains("give its address"), "{error}");
    // Half of what is needed is refused.
    let nameless = Configured {
        embedder_model: None,
        reranker_model: None,
        ..words.clone()
    };
    let homeless = Configured {
        embedder: None,
        reranker: None,
        ..words
    };
    for (words, problem) in [
        (nameless, "--embedder-model"),
        (homeless, "give its address"),
    ] {
        let error = words.embedder(&key).err().unwrap().to_string();
        assert!(error.contains(problem), "{error}");
        let error = words.reranker(&key).err().unwrap().to_string();
        assert!(
            error.contains(&problem.replace("embedder", "reranker")),
            "{error}"
        );
    }
}

#[test]
fn an_embedder_is_opened_by_the_name_that_a_database_has_for_it() {
    let called = |name: &str| embedder_called(name).map(|opened| opened.name().to_owned());
    assert_eq!(called("lexical-1").as_deref(), Some("lexical-1"));
    // What its user calls it and its name at an address are not enough. Models of the hub: `local/called.rs`.
    for name in ["minilm", "nomic-embed-text", "", "@", "no/such-model@0123"] {
        assert_eq!(called(name), None, "{name}");
    }
    let Some(folder) = cached_minilm() else {
        eprintln!(
            "SKIPPED: the model is not in the cache; `cargo xtask setup --models` fetches it"
        );
        return;
    };
    let name = folder.file_name().unwrap().to_str().unwrap();
    assert_eq!(called(name).as_deref(), Some(name));
}
