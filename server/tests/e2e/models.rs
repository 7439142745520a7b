//! Models that a server is told of: at addresses, with prices and limits, and an embedder that cannot read what comes.

use super::harness::{Fixture, ask, reason, run};
use std::time::{Duration, Instant};
use stratigraph_models::{ScriptedServer, Step};
use stratigraph_proto::v1;
use stratigraph_proto::v1::rag_service_client::RagServiceClient;
use stratigraph_proto::v1::upsert_documents_request::Part;
use stratigraph_proto::v1::upsert_documents_response::Part as Told;
use stratigraph_server::{Config, Period, Server};
use tonic::Status;

const ROCKS: &str = "# Rocks\n\nBasalt comes from Mount Etna. It was lava once. It is dark.\n";
const GARA: &str =
    "# La gara\n\nLa stazione appaltante verifica i requisiti di partecipazione alla gara.\n";

/// Vectors of two numbers, and no facts.
fn models() -> ScriptedServer {
    ScriptedServer::start(|asked| match asked.path.as_str() {
        "/v1/embeddings" => {
            let texts = asked.body["input"].as_array().unwrap();
            Step::vectors(&vec![vec![1.0, 2.0]; texts.len()])
        }
        _ => Step::text("{\"triples\": []}"),
    })
    .unwrap()
}

/// An embedder at an address, by this name.
fn embedder(config: &mut Config, url: &str, name: &str) {
    config.embedder = Some(url.to_owned());
    config.embedder_model = Some(name.to_owned());
}

fn layers(profile: &str) -> v1::RagLayers {
    v1::RagLayers {
        profile: profile.to_owned(),
        ..v1::RagLayers::default()
    }
}

/// What came of documents, and into what they came.
#[derive(Default)]
struct Taken {
    opened: Vec<v1::UpsertOpened>,
    reports: Vec<v1::DocumentReport>,
}

/// Sends documents with these layers.
async fn upsert(
    fixture: &Fixture,
    start: v1::UpsertStart,
    documents: &[(&str, &[u8])],
) -> Result<Taken, Status> {
    let mut parts = vec![Part::Start(start)];
    parts.extend(documents.iter().map(|(id, content)| {
        Part::Document(v1::RagDocument {
            id: (*id).to_owned(),
            content: content.to_vec(),
            ..v1::RagDocument::default()
        })
    }));
    parts.push(Part::Finish(v1::UpsertFinish {}));
    let parts = parts.into_iter();
    let parts = parts.map(|part| v1::UpsertDocumentsRequest { part: Some(part) });
    let parts = parts.collect::<Vec<_>>();
    let mut client = RagServiceClient::new(fixture.channel().await);
    let mut told = client
        .upsert_documents(tokio_stream::iter(parts))
        .await?
        .into_inner();
    let mut taken = Taken::default();
    while let Some(message) = told.message().await? {
        match message.part.unwrap() {
            Told::Progress(_) => {}
            Told::Report(report) => taken.reports.push(report),
            Told::Opened(opened) => taken.opened.push(opened),
        }
    }
    Ok(taken)
}

fn into(layers: v1::RagLayers) -> v1::UpsertStart {
    v1::UpsertStart {
        layers: Some(layers),
        ..v1::UpsertStart::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_document_that_can_be_read_decides_on_the_embedder() {
    let models = models();
    let fixture =
        Fixture::start(|config, _| embedder(config, &models.url(), "all-MiniLM-L6-v2")).await;
    let documents: [(&str, &[u8]); 3] = [
        ("bad.md", b"\xFF\xFF"),
        ("gara.md", GARA.as_bytes()),
        ("rocks.md", ROCKS.as_bytes()),
    ];
    let bag = || into(layers("bag"));
    let dry = v1::UpsertStart {
        dry_run: true,
        ..bag()
    };
    for start in [dry, bag()] {
        let taken = upsert(&fixture, start, &documents).await.unwrap();
        assert_eq!(taken.opened.len(), 1);
        assert_eq!(taken.opened[0].embedder, "lexical-1");
        let note = &taken.opened[0].note;
        assert!(note.contains("trained on English alone"), "{note}");
        let taken_in: Vec<bool> = taken.reports.iter().map(|report| report.taken_in).collect();
        assert_eq!(taken_in, [false, true, true]);
    }
    // Only the width was asked for.
    assert_eq!(models.asked().len(), 1);
    // It stays, whatever comes later, and whoever opens it is told.
    let taken = upsert(&fixture, bag(), &documents[2..]).await.unwrap();
    assert!(
        taken.opened[0].note.contains("as it was built"),
        "{:?}",
        taken.opened
    );
    let asked = v1::UpsertStart::default();
    let taken = upsert(&fixture, asked, &documents[2..]).await.unwrap();
    assert_eq!(taken.opened[0].embedder, "lexical-1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_decides_before_the_first_document_and_who_insists_before_both() {
    for (sample, keep, embedder_of_it) in [
        (&[ROCKS][..], false, "all-MiniLM-L6-v2"),
        (&[GARA], true, "all-MiniLM-L6-v2"),
        (&[], true, "all-MiniLM-L6-v2"),
        (&[GARA], false, "lexical-1"),
    ] {
        let models = models();
        let fixture =
            Fixture::start(|config, _| embedder(config, &models.url(), "all-MiniLM-L6-v2")).await;
        let layers = v1::RagLayers {
            sample: sample.iter().map(|text| (*text).to_owned()).collect(),
            keep_embedder: keep,
            ..layers("structure")
        };
        let documents: [(&str, &[u8]); 1] = [("gara.md", GARA.as_bytes())];
        let taken = upsert(&fixture, into(layers), &documents).await.unwrap();
        assert_eq!(
            taken.opened[0].embedder, embedder_of_it,
            "{sample:?} {keep}"
        );
        // Who finds by vectors asks there for the question.
        let before = models.asked().len();
        let mut rag = RagServiceClient::new(fixture.channel().await);
        let request = v1::RetrieveRequest {
            pipeline: "vector".to_owned(),
            question: "gara".to_owned(),
            ..v1::RetrieveRequest::default()
        };
        let found = rag.retrieve(request).await.unwrap().into_inner();
        assert_eq!(found.found.len(), 1);
        let is_asked = models.asked().len() > before;
        assert_eq!(is_asked, embedder_of_it != "lexical-1");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_put_before_texts_is_a_setting() {
    let models = models();
    let fixture = Fixture::start(|config, _| {
        embedder(config, &models.url(), "nomic-embed-text");
        config.embedder_question_prompt = Some("Q: ".to_owned());
    })
    .await;
    let documents: [(&str, &[u8]); 1] = [("rocks.md", ROCKS.as_bytes())];
    let taken = upsert(&fixture, into(layers("structure")), &documents).await;
    let of = &taken.unwrap().opened[0].embedder;
    assert!(of.starts_with("nomic-embed-text#"), "{of}");
    let mut rag = RagServiceClient::new(fixture.channel().await);
    let request = v1::RetrieveRequest {
        pipeline: "vector".to_owned(),
        question: "basalt".to_owned(),
        ..v1::RetrieveRequest::default()
    };
    rag.retrieve(request).await.unwrap();
    let sent: Vec<String> = { models.asked().into_iter().skip(1) }
        .flat_map(|asked| asked.body["input"].as_array().unwrap().clone())
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    let (question, passages) = sent.split_last().unwrap();
    assert_eq!(question, "Q: basalt");
    let usual = |text: &String| text.starts_with("search_document: ");
    assert!(
        !passages.is_empty() && passages.iter().all(usual),
        "{passages:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn layers_without_documents_and_broken_documents_alone() {
    let models = models();
    let fixture =
        Fixture::start(|config, _| embedder(config, &models.url(), "all-MiniLM-L6-v2")).await;
    // What nobody could read decides nothing.
    let taken = upsert(&fixture, into(layers("bag")), &[("bad.md", b"\xFF\xFF")])
        .await
        .unwrap();
    assert_eq!((taken.opened.len(), taken.reports.len()), (0, 1));
    let nothing = upsert(&fixture, v1::UpsertStart::default(), &[])
        .await
        .err()
        .unwrap();
    assert_eq!(reason(&nothing), "NoLayers");
    // Who sends nothing means it.
    let taken = upsert(&fixture, into(layers("bag")), &[]).await.unwrap();
    assert_eq!(taken.opened[0].embedder, "all-MiniLM-L6-v2");
    upsert(&fixture, v1::UpsertStart::default(), &[])
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn how_documents_are_cut_is_a_part_of_the_layers() {
    let fixture = Fixture::start(|_, _| ()).await;
    let cut = |chunks: &str| {
        into(v1::RagLayers {
            chunks: chunks.to_owned(),
            ..layers("structure")
        })
    };
    let documents: [(&str, &[u8]); 1] = [("rocks.md", ROCKS.as_bytes())];
    let wrong = upsert(&fixture, cut("cakes:1"), &documents)
        .await
        .err()
        .unwrap();
    assert!(
        wrong.message().contains("`cakes:1` is no way to cut"),
        "{wrong}"
    );
    // What is said once need not be said again.
    let nothing = into(v1::RagLayers::default());
    for (layers, unchanged) in [
        (cut("sentences:1"), false),
        (cut(""), true),
        (nothing, true),
    ] {
        let taken = upsert(&fixture, layers, &documents).await.unwrap();
        let report = &taken.reports[0];
        assert_eq!(report.unchanged, unchanged);
        assert!(unchanged || report.pieces == 3);
    }
    for other in ["structure:512", "sentences:2"] {
        let refused = upsert(&fixture, cut(other), &documents)
            .await
            .err()
            .unwrap();
        assert_eq!(reason(&refused), "OtherLayers");
        assert!(
            refused.message().contains("chunks = sentences:1/0"),
            "{refused}"
        );
    }
    let mut queries = fixture.queries().await;
    let same = "CALL rag.createLayers('structure', {chunks: 'sentences:1'}) YIELD documents RETURN documents";
    assert_eq!(run(&mut queries, ask(same)).await.unwrap().number(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bill_has_its_cost_and_a_budget_its_end() {
    let models = models();
    let fixture = Fixture::start(|config, _| {
        config.llm = Some(models.url());
        config.model = Some("writer".to_owned());
        config.max_model_tokens = 10;
        config.model_prices = "2/10".parse().unwrap();
    })
    .await;
    let documents: [(&str, &[u8]); 2] = [("a.md", ROCKS.as_bytes()), ("b.md", GARA.as_bytes())];
    let dry = v1::UpsertStart {
        dry_run: true,
        ..into(layers("triples"))
    };
    let taken = upsert(&fixture, dry, &documents).await.unwrap();
    assert!(
        taken
            .reports
            .iter()
            .all(|report| report.bill.as_ref().unwrap().cost > 0.0)
    );
    assert_eq!(models.asked().len(), 0);
    let taken = upsert(&fixture, into(layers("triples")), &documents)
        .await
        .unwrap();
    let [first, second] = &taken.reports[..] else {
        panic!("{:?}", taken.reports);
    };
    let bill = first.bill.as_ref().unwrap();
    let cost = (bill.input_tokens as f64 * 2.0 + bill.output_tokens as f64 * 10.0) / 1e6;
    assert!(cost > 0.0 && (bill.cost - cost).abs() < 1e-12, "{bill:?}");
    assert!(first.taken_in && !second.taken_in);
    assert!(
        second.problems[0].contains("no more than 10 may be"),
        "{second:?}"
    );
    assert_eq!(models.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedder_that_is_not_there_is_said_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let refusing = ScriptedServer::start(|_| Step::refuse(404)).unwrap();
    let mut config = super::harness::config(&folder);
    embedder(&mut config, &refusing.url(), "tiny");
    let data = folder.path().join("data");
    let error = Server::start(&data, config.clone()).await.err().unwrap();
    let told = with_causes(&error);
    assert!(told.contains("refused by the script"), "{told}");
    // Who says the width need not be answered.
    config.embedder_dimensions = 2;
    let server = Server::start(&data, config.clone()).await.unwrap();
    drop(server);
    config.embedder_model = None;
    let findings: Vec<String> = config.check().iter().map(ToString::to_string).collect();
    assert_eq!(findings, ["embedder: needs embedder_model as well"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_silent_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let silent =
        ScriptedServer::start(|_| Step::After(Duration::from_secs(600), Box::new(Step::Nothing)));
    let mut config = super::harness::config(&folder);
    let silent = silent.unwrap();
    embedder(&mut config, &silent.url(), "tiny");
    config.model_timeout = Period(Duration::from_millis(50));
    let begun = Instant::now();
    let started = Server::start(&folder.path().join("data"), config).await;
    let told = with_causes(&started.err().unwrap());
    // A few attempts of that length, and the pauses between them.
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(20), "{taken:?}: {told}");
    assert!(told.contains("the model at http://127.0.0.1"), "{told}");
}

/// An error with all that is behind it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told += &format!(": {error}");
        cause = error.source();
    }
    told
}
