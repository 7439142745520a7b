//! Which models documents are read with: at addresses, with their limits, and one that cannot read them.

use crate::served::Served;
use crate::world::{ROCKS, Said, World, command, run, text};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use stratigraph_models::{Asked, ScriptedServer, Step, cached_minilm};

const GARA: &str = "# La gara\n\nLa stazione appaltante verifica i requisiti di partecipazione degli operatori economici alla gara.\n";
const AUDIT: &str =
    "# 审计\n\n国有企业审计发现，部分境外投资项目未按规定履行决策程序，存在重大风险隐患。\n";

/// Vectors of three numbers, and scores by how many words of the question a passage has.
fn models() -> ScriptedServer {
    ScriptedServer::start(|asked: &Asked| match asked.path.as_str() {
        "/v1/embeddings" => {
            let texts = asked.body["input"].as_array().unwrap();
            let vectors = texts.iter().map(|text| {
                let has = |word: &str| f32::from(u8::from(text.as_str().unwrap().contains(word)));
                vec![1.0, has("asalt"), has("ranite")]
            });
            Step::vectors(&vectors.collect::<Vec<_>>())
        }
        "/v1/rerank" => {
            let passages = asked.body["documents"].as_array().unwrap();
            let results = passages.iter().enumerate().map(|(index, passage)| {
                let score = f64::from(u8::from(passage.as_str().unwrap().contains("Alps")));
                json!({"index": index, "relevance_score": score})
            });
            Step::Json(json!({"results": results.collect::<Vec<_>>()}))
        }
        _ => Step::text("{\"triples\": []}"),
    })
    .unwrap()
}

/// All that a database has, in one order.
fn dump(path: &str) -> String {
    let said = run(&["dump", "--canonical", path]);
    said.assert_code(0).stdout.clone()
}

struct Fixture {
    world: World,
    models: ScriptedServer,
    url: String,
}

impl Fixture {
    fn new(documents: &[(&str, &str)]) -> Self {
        let world = World::new();
        for (name, text) in documents {
            world.write(&format!("docs/{name}"), text);
        }
        let models = models();
        let url = models.url();
        Self { world, models, url }
    }

    fn ingest(&self, into: &str, more: &[&str]) -> Said {
        let docs = self.world.path("docs");
        let arguments = ["ingest", text(&docs), "--into", into, "--json"];
        run(&[&arguments, more].concat())
    }

    /// The same as people see it.
    fn ingest_plainly(&self, into: &str, more: &[&str]) -> Said {
        let docs = self.path("docs");
        run(&[&["ingest", &docs, "--into", into], more].concat())
    }

    fn path(&self, name: &str) -> String {
        text(&self.world.path(name)).to_owned()
    }

    /// The paths that were asked, in their order.
    fn asked(&self) -> Vec<String> {
        let asked = self.models.asked().into_iter();
        asked.map(|asked| asked.path).collect()
    }
}

#[track_caller]
fn answer(said: &Said) -> Json {
    said.answer("ingest", &["embedder", "note", "unread", "count_unread"])
}

#[test]
fn vectors_come_from_an_address_and_a_database_keeps_the_name() {
    let fixture = Fixture::new(&[("rocks.md", ROCKS)]);
    let graph = fixture.path("graph");
    let embedder = ["--embedder", &fixture.url, "--embedder-model", "tiny"];
    let docs = fixture.path("docs");
    let mut with_key = command(&["ingest", &docs, "--into", &graph, "--json"]);
    let with_key = with_key
        .args(embedder)
        .env("STRATIGRAPH_EMBEDDER_KEY", "canary-9");
    let with_key = with_key.env("STRATIGRAPH_LLM_KEY", "not-for-others");
    let output = with_key.output().unwrap();
    let said: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&said["embedder"], &said["note"]),
        (&"tiny".into(), &Json::Null)
    );
    // Three headings and two pieces, in one call that the script has read five tokens for.
    assert_eq!(
        (&said["vectors"], &said["vector_tokens"]),
        (&5.into(), &5.into())
    );
    let asked = fixture.models.asked();
    // Once for the width, then for what is kept.
    assert_eq!(asked[0].body["input"], json!(["width"]));
    assert!(asked.len() > 1 && asked.iter().all(|one| one.path == "/v1/embeddings"));
    assert!(asked.iter().all(|one| one.model() == "tiny"));
    let key = |one: &Asked| one.authorization.as_deref() == Some("Bearer canary-9");
    assert!(asked.iter().all(key), "{:?}", asked[0].authorization);

    let question = [
        "retrieve", &graph, "granite", "--preset", "vector", "--json",
    ];
    let found = run(&[&question[..], &embedder].concat());
    let found = found.assert_code(0).answer("retrieve", &["found"]);
    let first = found["found"][0]["text"].as_str().unwrap();
    assert!(first.contains("Alps"), "{found}");
    // A dry run counts texts and words, but not of what is there.
    let dry = |into: &str| {
        let dry = fixture.ingest(into, &[&embedder[..], &["--dry-run"]].concat());
        answer(dry.assert_code(0))
    };
    let again = dry(&graph);
    assert!(again["vectors"] == 0 && again["unchanged"] == 1, "{again}");
    let dry = dry(&fixture.path("elsewhere"));
    let tokens = dry["vector_tokens"].as_u64().unwrap();
    assert!(dry["vectors"] == 5 && tokens > 20, "{dry}");
    // What is not read to its end is known when it is taken in.
    assert_eq!(
        (&dry["cut_off"], &said["cut_off"]),
        (&Json::Null, &0.into())
    );
    // Whoever knows the width need not ask.
    let before = fixture.asked().len();
    let told = ["--embedder-dimensions", "3"];
    run(&[&question[..], &embedder, &told].concat()).assert_code(0);
    assert_eq!(fixture.asked().len(), before + 1);
    // What is put before a text is sent with it, and is part of whose vectors they are.
    let asking = ["--embedder-question-prompt", "Q: "];
    let said = run(&[&question[..], &embedder, &told, &asking].concat());
    let (_, message) = said.assert_code(2).error();
    assert!(message.contains("of the embedder tiny"), "{message}");
    let prompted = fixture.path("prompted");
    let prompts = [&asking[..], &["--embedder-passage-prompt", "P: "]].concat();
    let into = ["ingest", &docs, "--into", &prompted];
    run(&[&into[..], &embedder, &told, &prompts].concat()).assert_code(0);
    let of_prompted = ["retrieve", &prompted, "granite", "--preset", "vector"];
    run(&[&of_prompted[..], &embedder, &told, &prompts].concat()).assert_code(0);
    let sent: Vec<Json> = { fixture.models.asked().into_iter().skip(before + 1) }
        .flat_map(|one| one.body["input"].as_array().unwrap().clone())
        .collect();
    let (last, first) = sent.split_last().unwrap();
    assert_eq!(*last, "Q: granite");
    let is_passage = |text: &Json| text.as_str().unwrap().starts_with("P: ");
    assert!(
        !first.is_empty() && first.iter().all(is_passage),
        "{first:?}"
    );
    // The address may be another; the name may not, nor the width.
    let elsewhere = models();
    let moved = ["--embedder", &elsewhere.url(), "--embedder-model", "tiny"];
    run(&[&question[..], &moved].concat()).assert_code(0);
    let renamed = ["--embedder", &fixture.url, "--embedder-model", "small"];
    let wide = ["--embedder-dimensions", "5"];
    for (flags, problem) in [
        (renamed.to_vec(), "of the embedder tiny"),
        ([&embedder[..], &wide].concat(), "(3 numbers)"),
        (vec!["--embedder", &fixture.url], "--embedder-model"),
        (
            vec!["--embedder", "lexical", "--embedder-model", "tiny"],
            "give its address",
        ),
    ] {
        let said = run(&[&question[..], &flags].concat());
        let (_, message) = said.assert_code(2).error();
        assert!(message.contains(problem), "{flags:?}: {message}");
    }
    // At the address of --llm its key is the one.
    let llm = ["--llm", &fixture.url, "--model", "writer"];
    let mut same = command(&question);
    let same = same.args(embedder).args(llm);
    let same = same.env("STRATIGRAPH_LLM_KEY", "of-both").output().unwrap();
    assert!(same.status.success());
    let last = fixture.models.asked().pop().unwrap();
    assert_eq!(last.authorization.as_deref(), Some("Bearer of-both"));
}

#[test]
fn an_order_comes_from_an_address() {
    let fixture = Fixture::new(&[("rocks.md", ROCKS)]);
    let graph = fixture.path("served/default");
    fs::create_dir(fixture.path("served")).unwrap();
    fixture.ingest(&graph, &[]).assert_code(0);
    let pipeline = fixture.path("mine.toml");
    let stages = "name = \"mine\"\n[[stage]]\nname = \"found\"\nrun.bm25 = { of = \"chunks\", k = 10 }\n[[stage]]\nname = \"best\"\nrun.rerank = { take = 10 }\n";
    fs::write(&pipeline, stages).unwrap();
    let question = [
        "retrieve",
        &graph,
        "basalt granite",
        "--preset",
        &pipeline,
        "--json",
    ];
    let judge = ["--reranker", &fixture.url, "--reranker-model", "judge"];
    let found = run(&[&question[..], &judge].concat());
    let found = found.assert_code(0).answer("retrieve", &["found"]);
    let first = found["found"][0]["text"].as_str().unwrap();
    assert!(first.contains("Alps"), "{found}");
    let asked = fixture.models.asked();
    assert_eq!((asked.len(), asked[0].model()), (1, "judge"));
    let nameless = run(&[&question[..], &judge[..2]].concat());
    let (_, message) = nameless.assert_code(2).error();
    assert!(message.contains("--reranker-model"), "{message}");
    // At an address it is the server's.
    let served = Served::start(Path::new(&fixture.path("served")), &judge);
    let address = served.address();
    let question = [&["retrieve", &address], &question[2..]].concat();
    let by_address = run(&question).assert_code(0).answer("retrieve", &["found"]);
    assert_eq!(by_address["found"][0]["text"], first);
    let flags: [&[&str]; 4] = [
        &judge,
        &["--embedder", "lexical"],
        &["--llm", &fixture.url, "--model", "writer"],
        &["--model-timeout", "1s"],
    ];
    for flags in flags {
        let refused = run(&[&question[..], flags].concat());
        let (_, message) = refused.assert_code(2).error();
        let told = format!("{} is for a folder", flags[0]);
        assert!(message.contains(&told), "{message}");
    }
    served.terminate();
}

#[test]
fn a_model_has_a_budget_and_a_price() {
    let fixture = Fixture::new(&[("a.md", ROCKS), ("b.md", GARA)]);
    let llm = [
        "--profile",
        "triples",
        "--llm",
        &fixture.url,
        "--model",
        "writer",
        "--calls",
        "1",
    ];
    let prices = ["--model-prices", "2/10"];
    let graph = fixture.path("graph");
    let dry = fixture.ingest(&graph, &[&llm[..], &prices, &["--dry-run"]].concat());
    let dry = answer(dry.assert_code(0));
    let about = dry["model"]["cost"].as_f64().unwrap();
    assert!(about > 0.0 && fixture.asked().is_empty(), "{dry}");
    // What the script says of its tokens: ten are read a call, and four written.
    let budget = ["--max-model-tokens", "10"];
    let said = fixture.ingest(&graph, &[&llm[..], &prices, &budget].concat());
    let said = answer(said.assert_code(2));
    assert_eq!(
        (&said["documents"], &said["count_failed"]),
        (&1.into(), &1.into())
    );
    let problem = said["failed"][0]["problem"].as_str().unwrap();
    assert!(problem.contains("no more than 10 may be"), "{problem}");
    assert_eq!(fixture.asked().len(), 1);
    let bill = &said["model"];
    let tokens = |name: &str| bill[name].as_f64().unwrap();
    let cost = (tokens("input_tokens") * 2.0 + tokens("output_tokens") * 10.0) / 1e6;
    assert!(
        cost > 0.0 && (tokens("cost") - cost).abs() < 1e-12,
        "{bill}"
    );
    // Without a budget the rest is done, and without prices there is no cost.
    let rest = answer(fixture.ingest(&graph, &llm).assert_code(0));
    assert_eq!(
        (&rest["documents"], &rest["model"]["cost"]),
        (&2.into(), &Json::Null)
    );
    for flags in [["--model-prices", "2"], ["--max-model-tokens", "10"]] {
        fixture.ingest(&graph, &flags).assert_code(2);
    }
}

#[test]
fn who_is_silent_is_not_waited_for() {
    let world = World::new();
    let silent =
        ScriptedServer::start(|_| Step::After(Duration::from_secs(600), Box::new(Step::Nothing)));
    let silent = silent.unwrap();
    let url = silent.url();
    let flags = [
        "--embedder",
        &url,
        "--embedder-model",
        "tiny",
        "--model-timeout",
        "50ms",
    ];
    let graph = text(&world.path("graph")).to_owned();
    let begun = Instant::now();
    let said = run(&[
        &["query", "--create", &graph, "RETURN 1", "--json"],
        &flags[..],
    ]
    .concat());
    // A few attempts of that length, and the pauses between them.
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(20), "{taken:?}");
    let (_, message) = said.error();
    assert!(
        message.contains("the model at http://127.0.0.1"),
        "{message}"
    );
}

#[test]
fn a_language_that_the_embedder_lacks_gets_the_one_of_letters_and_it_is_said() {
    let fixture = Fixture::new(&[
        ("README.md", ROCKS),
        ("a.md", GARA),
        ("b.md", GARA),
        ("c.md", GARA),
    ]);
    let graph = fixture.path("graph");
    let english = [
        "--embedder",
        &fixture.url,
        "--embedder-model",
        "all-MiniLM-L6-v2",
        "--profile",
        "bag",
    ];
    let dry = fixture.ingest(&graph, &[&english[..], &["--dry-run"]].concat());
    assert_eq!(answer(dry.assert_code(0))["embedder"], "lexical-1");
    let told = answer(fixture.ingest(&graph, &english).assert_code(0));
    assert_eq!(told["embedder"], "lexical-1");
    let note = "all-MiniLM-L6-v2 was trained on English alone: lexical-1 is used instead";
    assert!(told["note"].as_str().unwrap().starts_with(note), "{told}");
    let plainly = fixture.ingest_plainly(&fixture.path("plainly"), &english);
    assert!(plainly.stderr.contains(note), "{}", plainly.stderr);
    // Again: it keeps what it has, and says so.
    let again = answer(fixture.ingest(&graph, &english).assert_code(0));
    let note = "the vectors of this database are of lexical-1";
    assert!(again["note"].as_str().unwrap().starts_with(note), "{again}");
    assert_eq!(again["written"], 0);
    // Who insists gets what was named.
    let insisted = fixture.path("insisted");
    let said = fixture.ingest(&insisted, &[&english[..], &["--keep-embedder"]].concat());
    let told = answer(said.assert_code(0));
    assert_eq!(
        (&told["embedder"], &told["note"]),
        (&"all-MiniLM-L6-v2".into(), &Json::Null)
    );
    // The same at an address, byte for byte.
    let folder = fixture.world.path("served");
    let served = Served::start(&folder, &english[..4]);
    let told = answer(
        fixture
            .ingest(&served.address(), &english[4..])
            .assert_code(0),
    );
    assert_eq!(told["embedder"], "lexical-1");
    assert!(told["note"].as_str().unwrap().contains("English alone"));
    let kept = format!("{}/kept", served.address());
    let keep = ["--profile", "bag", "--create", "--keep-embedder"];
    let told = answer(fixture.ingest(&kept, &keep).assert_code(0));
    assert_eq!(told["embedder"], "all-MiniLM-L6-v2");
    served.terminate();
    assert_eq!(dump(&graph), dump(text(&folder.join("default"))));
    assert_eq!(dump(&insisted), dump(text(&folder.join("kept"))));
}

#[test]
fn what_minilm_cannot_read_is_told_at_both_places() {
    if cached_minilm().is_none() {
        eprintln!(
            "SKIPPED: the model is not in the cache; `cargo xtask setup --models` fetches it"
        );
        return;
    }
    let fixture = Fixture::new(&[("审计.md", AUDIT)]);
    let minilm = ["--embedder", "minilm"];
    let chinese = fixture.path("chinese");
    let told = answer(fixture.ingest(&chinese, &minilm).assert_code(0));
    assert!(told["note"].as_str().unwrap().contains("letters (Han: "));
    assert_eq!(
        (&told["embedder"], &told["count_unread"]),
        (&"lexical-1".into(), &0.into())
    );
    // A database of English keeps its embedder, and each document that it cannot read is told.
    fixture.world.write("docs/rocks.md", ROCKS);
    let english = fixture.path("english");
    let rocks = fixture.path("docs/rocks.md");
    run(&[&["ingest", &rocks, "--into", &english], &minilm[..]].concat()).assert_code(0);
    let check = |said: &Said| {
        let told = answer(said.assert_code(0));
        let unread = told["unread"].to_string();
        assert!(
            unread.contains("审计.md: ") && !unread.contains("rocks.md"),
            "{told}"
        );
        assert_eq!(
            (&told["documents"], &told["count_unread"], &told["note"]),
            (&2.into(), &1.into(), &Json::Null)
        );
    };
    let plainly = fixture.path("plainly");
    run(&[&["ingest", &rocks, "--into", &plainly], &minilm[..]].concat()).assert_code(0);
    let said = fixture.ingest_plainly(&plainly, &minilm);
    assert!(
        said.stderr.contains("warning: 审计.md: ") && !said.stderr.contains("rocks.md"),
        "{}",
        said.stderr
    );
    check(&fixture.ingest(&english, &minilm));
    let folder = fixture.world.path("served");
    let served = Served::start(&folder, &minilm);
    let address = served.address();
    run(&["ingest", &rocks, "--into", &address]).assert_code(0);
    check(&fixture.ingest(&address, &[]));
    served.terminate();
}

#[test]
fn a_database_of_minilm_need_not_be_told_of_it_again() {
    if cached_minilm().is_none() {
        eprintln!(
            "SKIPPED: the model is not in the cache; `cargo xtask setup --models` fetches it"
        );
        return;
    }
    let fixture = Fixture::new(&[("rocks.md", ROCKS)]);
    let graph = fixture.path("graph");
    let minilm = ["--embedder", "minilm"];
    let told = answer(fixture.ingest(&graph, &minilm).assert_code(0));
    let built = told["embedder"].as_str().unwrap().to_owned();
    let question = [
        "retrieve",
        &graph,
        "Where was lava?",
        "--preset",
        "vector",
        "--json",
    ];
    let found = |flags: &[&str]| {
        let said = run(&[&question[..], flags].concat());
        let answer = said.assert_code(0).answer("retrieve", &["found"]);
        answer["found"].clone()
    };
    assert_eq!(found(&[]), found(&minilm));
    let again = answer(fixture.ingest(&graph, &[]).assert_code(0));
    assert_eq!(
        (&again["embedder"], &again["written"], &again["note"]),
        (&built.as_str().into(), &0.into(), &Json::Null)
    );
    let calls =
        ["CALL rag.retrieve('vector', {question: 'lava'}) YIELD rank RETURN count(*) AS found"; 2];
    let said = run(&["query", &graph, &calls.join("; ")]);
    assert_eq!(said.assert_code(0).stdout.lines().count(), 2);
    // Whoever names one means it.
    let of_another = |said: &Said| {
        let (_, message) = said.error();
        let problem = format!("of the embedder {built}");
        assert!(message.contains(&problem), "{message}");
    };
    let lexical = ["--embedder", "lexical"];
    let said = run(&[&question[..], &lexical].concat());
    of_another(said.assert_code(2));
    // A server does the same with those that it serves.
    let folder = fixture.world.path("served");
    fs::create_dir(&folder).unwrap();
    fs::rename(&graph, folder.join("default")).unwrap();
    let asked = |flags: &[&str]| {
        let served = Served::start(&folder, flags);
        let address = served.address();
        let said = run(&[&["retrieve", &address], &question[2..]].concat());
        served.terminate();
        said
    };
    let said = asked(&[]);
    let there = said.assert_code(0).answer("retrieve", &["found"]);
    assert!(!there["found"].as_array().unwrap().is_empty(), "{there}");
    of_another(&asked(&lexical));
}

#[test]
fn how_documents_are_cut_is_said_once() {
    let fixture = Fixture::new(&[("rocks.md", ROCKS)]);
    let graph = fixture.path("graph");
    let one = ["--chunks", "sentences:1"];
    let told = answer(fixture.ingest(&graph, &one).assert_code(0));
    assert_eq!(told["pieces"], 3);
    for again in [&one[..], &[]] {
        let told = answer(fixture.ingest(&graph, again).assert_code(0));
        assert_eq!(
            (&told["written"], &told["unchanged"]),
            (&0.into(), &1.into())
        );
    }
    for (flags, problem) in [
        (
            ["--chunks", "sentences:2/1"],
            "built with chunks = sentences:1/0, not sentences:2/1",
        ),
        (["--chunks", "cakes:1"], "no way to cut documents"),
    ] {
        let said = fixture.ingest(&graph, &flags);
        assert_eq!(said.code, 2);
        assert!(said.stderr.contains(problem), "{flags:?}: {}", said.stderr);
    }
    // At an address and by a call it is the same.
    let folder = fixture.world.path("served");
    let served = Served::start(&folder, &[]);
    let told = answer(fixture.ingest(&served.address(), &one).assert_code(0));
    assert_eq!(told["pieces"], 3);
    let told = answer(fixture.ingest(&served.address(), &[]).assert_code(0));
    assert_eq!(told["written"], 0);
    let refused = fixture.ingest(&served.address(), &["--chunks", "sentences:2"]);
    assert!(
        refused
            .assert_code(2)
            .error()
            .1
            .contains("chunks = sentences:1/0"),
        "{}",
        refused.stderr
    );
    served.terminate();
    assert_eq!(dump(&graph), dump(text(&folder.join("default"))));
}
