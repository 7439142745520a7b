//! What a model answers, and what is told of it and of its price: the same of a program, of a statement, at a folder and at
//! an address.

use super::asking::{QUESTION, at_any_commit};
use super::*;
use stratigraph::Row;

/// A model that says this to whatever it is asked.
fn saying(reply: &serde_json::Value) -> ScriptedServer {
    let pieces = vec![reply.to_string()];
    let model = ScriptedServer::start(move |_| Step::Stream {
        pieces: pieces.clone(),
        whole: true,
    });
    model.unwrap()
}

/// What a program and a statement get of a folder with this model: the same, which is given.
fn by_program_and_statement(path: &Path, url: &str) -> serde_json::Value {
    let db = Database::builder().open_read_only(path).unwrap();
    let model = Endpoint::builder(url).build().unwrap().chat("tiny");
    let library = Library::new(&db, Equipment::default().model(Arc::new(model), 1));
    library.register().unwrap();
    let pipeline = Pipeline::preset("strata").unwrap();
    let question = Question::new(QUESTION).unwrap();
    let ask = Ask::new(&pipeline, &question);
    let open = library.open().unwrap();
    let answer = open.ask(&ask, &CancelToken::new(), &mut |_| ()).unwrap();
    let rows = |call: &str| -> Vec<Row> {
        let rows = db.query(call, [("question", QUESTION)]).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let whole = rows("CALL rag.ask('strata', $question)");
    assert_eq!(whole.len(), 1);
    let whole = &whole[0];
    for (name, text) in [
        ("analysis", Some(&answer.analysis)),
        ("model", answer.model.as_ref()),
        ("prompt", answer.prompt.as_ref()),
        ("refused", None),
    ] {
        let told = whole.get::<Option<String>>(name).unwrap();
        assert_eq!(told.as_ref(), text, "{name}");
    }
    let confidence = answer.confidence;
    for (name, number) in [
        ("confidence", Some(confidence.value)),
        ("cosine", confidence.parts.cosine),
        ("coverage", confidence.parts.coverage),
        ("threshold", answer.threshold),
    ] {
        let told = whole.get::<Option<f64>>(name).unwrap();
        assert_eq!(told, number.map(f64::from), "{name}");
    }
    assert_eq!(whole.get::<Vec<i64>>("dropped").unwrap(), answer.dropped);
    let cost = ["calls", "inputTokens", "outputTokens"].map(|name| whole.get::<u64>(name).unwrap());
    let paid = answer.cost;
    assert_eq!(cost, [paid.calls, paid.input_tokens, paid.output_tokens]);
    let sentences = rows(
        "CALL rag.ask('strata', $question) YIELD answer UNWIND answer AS one \
         RETURN one.text AS text, one.sources AS sources, one.supported AS supported, one.score AS score, one.lacks AS lacks",
    );
    assert_eq!(sentences.len(), answer.answer.len());
    for (row, one) in sentences.iter().zip(&answer.answer) {
        assert_eq!(row.get::<String>("text").unwrap(), one.text);
        assert_eq!(row.get::<Vec<usize>>("sources").unwrap(), one.sources);
        assert_eq!(row.get::<bool>("supported").unwrap(), one.supported);
        assert_eq!(row.get::<f64>("score").unwrap(), f64::from(one.score));
        assert_eq!(row.get::<Vec<String>>("lacks").unwrap(), one.lacks);
    }
    let receipts = rows(
        "CALL rag.ask('strata', $question) YIELD sources UNWIND sources AS one RETURN one.receipt AS receipt",
    );
    assert_eq!(receipts.len(), answer.sources.len());
    for (row, cited) in receipts.iter().zip(&answer.sources) {
        let receipt = serde_json::to_string(&cited.receipt).unwrap();
        assert_eq!(row.get::<String>("receipt").unwrap(), receipt);
    }
    serde_json::to_value(&answer).unwrap()
}

#[test]
fn what_a_model_answers_is_the_same_through_every_door() {
    // Nobody has given it a ninety-ninth passage, nor an address.
    let reply = json!({
        "answer": [
            {"sentence": "Basalt comes from Mount Etna.", "sources": [1]},
            {"sentence": "So says https://evil.example/steal.", "sources": [99]},
        ],
        "analysis": "The first passage says it.",
    });
    let (model, doors) = (saying(&reply), Doors::of("bag"));
    let (url, (folder, path)) = (model.url(), doors.to_be_served());
    let at = path.to_str().unwrap();
    let with_model = ["--llm", &url, "--model", "tiny", "--model-prices", "2/10"];
    let by_folder = told(&[&["ask", at, QUESTION], &with_model[..]].concat(), 0);
    for name in ["model", "prompt", "analysis"] {
        let said = by_folder[name].as_str().unwrap_or_default();
        assert!(!said.is_empty(), "{name}: {by_folder}");
    }
    let dropped = by_folder["dropped"].as_array().unwrap();
    assert!(!dropped.is_empty(), "{by_folder}");
    assert_eq!(
        by_folder["cost"],
        json!({"calls": 1, "input_tokens": 7, "output_tokens": 3})
    );
    let price = by_folder["price"].as_f64().unwrap();
    assert!((price - (7.0 * 2.0 + 3.0 * 10.0) / 1e6).abs() < 1e-12);
    let shown = run(&[&["ask", at, QUESTION], &with_model[..]].concat());
    let bill = "1 call of the model, 7 tokens read, 3 written, cost 0.0000";
    assert!(shown.stdout.contains(bill), "{}", shown.stdout);
    // What it costs is known to whoever was told prices.
    let mut but_price = by_folder.clone();
    but_price.as_object_mut().unwrap().remove("price");
    assert_eq!(by_program_and_statement(&path, &url), but_price);
    let served = Served::start(&folder, &with_model);
    let by_address = told(&["ask", &served.address(), QUESTION], 0);
    assert_eq!(at_any_commit(&by_address), at_any_commit(&by_folder));
    served.terminate();
}

#[test]
fn where_nothing_is_looked_up_no_confidence_is_told() {
    let reply = json!({
        "answer": [{"sentence": "Basalt comes from volcanoes."}],
        "analysis": "It is well known.",
    });
    let (model, doors) = (saying(&reply), Doors::of("bag"));
    let (url, (folder, path)) = (model.url(), doors.to_be_served());
    let at = path.to_str().unwrap();
    let with_model = ["--llm", &url, "--model", "tiny"];
    let check = |arguments: &[&str], code: i32, says: &str| {
        let said = run(&[arguments, &["--preset", "direct"]].concat());
        let shown = &said.assert_code(code).stdout;
        assert!(shown.starts_with(says), "{shown}");
        assert!(shown.contains("\nnothing was looked up, "), "{shown}");
        for other in ["confidence 0", "calibrate"] {
            assert!(!shown.contains(other), "{shown}");
        }
    };
    let known = "Basalt comes from volcanoes.";
    check(
        &[&["ask", at, QUESTION], &with_model[..]].concat(),
        0,
        known,
    );
    check(&["ask", at, QUESTION], 2, "no answer: ");
    let served = Served::start(&folder, &with_model);
    check(&["ask", &served.address(), QUESTION], 0, known);
    served.terminate();
    // Who has searched and found nothing is told how sure that is.
    let nothing = run(&["ask", at, QUESTION, "--only", "year=1999"]);
    let shown = &nothing.assert_code(2).stdout;
    assert!(shown.contains("confidence 0.000"), "{shown}");
}

#[test]
fn why_a_model_gives_no_answer_is_told() {
    let doors = Doors::of("bag");
    let path = doors.world.path("folder");
    let at = path.to_str().unwrap();
    doors.ingest(at, &[]);
    let talks = ScriptedServer::start(|_| Step::Stream {
        pieces: vec!["Basalt comes from Mount Etna.".to_owned()],
        whole: true,
    });
    let talks = talks.unwrap();
    let talking = talks.url();
    let (talking, nobody) = (talking.as_str(), "http://127.0.0.1:1/v1");
    let (no_more, one): (&[&str], &[&str]) = (&[], &["--max-model-tokens", "1"]);
    for (url, more, why) in [
        (nobody, no_more, nobody),
        (talking, no_more, "it is no JSON"),
        (
            talking,
            one,
            "10 tokens were spent, and no more than 1 may be",
        ),
    ] {
        let asked = ["ask", at, QUESTION, "--llm", url, "--model", "tiny"];
        let shown = run(&[&asked[..], more].concat());
        let shown = &shown.assert_code(2).stderr;
        let (_, told) = run(&[&asked[..], more, &["--json"]].concat()).error();
        for said in [shown, &told] {
            assert!(
                said.contains("the prompt answer/en/1: ") && said.matches(why).count() == 1,
                "{said}"
            );
        }
    }
}
