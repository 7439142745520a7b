//! Documents and summaries.

use super::Fixture;
use std::sync::{Arc, Mutex};
use stratigraph_client::{AskEvent, Document, Error, Layers, Receipt, Standing};
use stratigraph_models::{ScriptedServer, Step};

#[tokio::test(flavor = "multi_thread")]
async fn documents_and_summaries() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let rag = client.rag();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&reports);
    let settings = rag.upsert().layers(Layers::new("triples").filter("year"));
    let mut upserts = settings
        .on_report(move |report| heard.lock().unwrap().push(report))
        .start();
    let fact =
        r#"{"subject": "Mount Etna", "relation": "lies in", "object": "Sicily", "source": "p. 7"}"#;
    let facts = Document::new("facts", format!("{fact}\n[1]\n")).format("facts");
    for document in [
        Document::new("a.md", "# Rocks\n\nBasalt comes from Mount Etna.\n"),
        facts,
        Document::new("what", "x"),
    ] {
        let document = document.metadata("year", 2023).unwrap();
        upserts.send(document).await.unwrap();
    }
    assert_eq!(upserts.finish().await.unwrap(), 3);
    let reports = std::mem::take(&mut *reports.lock().unwrap());
    let told: Vec<(String, bool)> = { reports.iter() }
        .map(|report| (report.id.clone(), report.taken_in))
        .collect();
    let told: Vec<(&str, bool)> = told.iter().map(|(id, is)| (id.as_str(), *is)).collect();
    assert_eq!(told, [("a.md", true), ("facts", true), ("what", false)]);
    let list = &reports[1];
    assert_eq!((list.problems.len(), list.count_broken_lines), (0, 1));
    assert!(
        list.broken_lines[0].starts_with("facts, line 2"),
        "{list:?}"
    );
    assert_eq!(rag.stale().await.unwrap().count, 0);
    // Without a model the server says what it needs, if it is to be one, and else goes by rules.
    let refused = rag.resummarise().entities().by_model().run().await;
    let refused = refused.unwrap_err();
    assert!(matches!(&refused, Error::Refused(_)), "{refused:?}");
    assert!(refused.to_string().contains("--llm"), "{refused}");
    let would = rag.resummarise().entities().dry_run().run().await.unwrap();
    assert!(would.written > 0 && would.summaries.is_empty() && would.bill.calls == 0);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&heard);
    let settings = rag.resummarise().entities();
    let settings = settings.on_progress(move |now| told.lock().unwrap().push((now.done, now.of)));
    let done = settings.run().await.unwrap();
    assert!(
        done.summaries.iter().all(|one| one.text.is_some()) && done.left == 0,
        "{done:?}"
    );
    assert_eq!((done.by.as_str(), done.written), ("rules", would.written));
    assert_eq!(done.summaries.len() as u64, done.written);
    assert_eq!(heard.lock().unwrap()[0], (0, done.written));
    let forced = rag.resummarise().entities().central().run().await.unwrap();
    assert_eq!(forced.written, 0, "they stand");
    let gone = rag.delete(["facts", "never"]).await.unwrap();
    assert!(gone.deleted > 0 && !gone.stale.is_empty(), "{gone:?}");
    let stale = rag.stale().await.unwrap();
    assert_eq!(stale.count, stale.subjects.len() as u64);
    // What the stream is refused for comes with the first document or the end.
    let upserts = rag.upsert().layers(Layers::new("bag")).start();
    let refused = upserts.finish().await.unwrap_err();
    assert!(matches!(&refused, Error::Refused(_)), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_and_receipts() {
    let fixture = Fixture::start(|_, _| ()).await;
    let rag = fixture.client().await.rag();
    let mut upserts = rag
        .upsert()
        .layers(Layers::new("hybrid").filter("year"))
        .start();
    let rocks = Document::new("a.md", "# Rocks\n\nBasalt comes from Mount Etna.\n");
    upserts
        .send(rocks.metadata("year", 2023).unwrap())
        .await
        .unwrap();
    upserts.finish().await.unwrap();
    let asked = rag.retrieve("hybrid", "Where does basalt come from?");
    let retrieved = asked
        .only("year", 2023)
        .unwrap()
        .budget(100)
        .exact()
        .run()
        .await
        .unwrap();
    let first = &retrieved.found[0];
    assert!(first.receipt.exact);
    assert_eq!((first.heading.as_str(), first.packed), ("Rocks", true));
    assert_eq!(
        (first.receipt.kind.as_str(), first.receipt.scale.as_str()),
        ("Chunk", "cosine")
    );
    assert_eq!(first.receipt.places[0].document, "a.md");
    assert!(retrieved.context.contains("Basalt comes from Mount Etna."));
    assert_eq!(retrieved.trace[0].gave, 1);
    // Nobody has calibrated it.
    assert_eq!(retrieved.threshold, None);
    // Receipts are kept somewhere, and looked at later.
    let receipts: Vec<Receipt> = retrieved
        .found
        .into_iter()
        .map(|found| found.receipt)
        .collect();
    let kept = serde_json::to_string(&receipts).unwrap();
    let receipts: Vec<Receipt> = serde_json::from_str(&kept).unwrap();
    let standing = rag.verify(&receipts).await.unwrap();
    assert!(
        standing
            .iter()
            .all(|standing| *standing == Standing::Stands),
        "{standing:?}"
    );
    rag.delete(["a.md"]).await.unwrap();
    let standing = rag.verify(&receipts).await.unwrap();
    assert!(
        standing.iter().all(|standing| *standing == Standing::Gone),
        "{standing:?}"
    );
    let other = rag.retrieve("vector", "basalt").only("year", 2022).unwrap();
    assert!(other.run().await.unwrap().found.is_empty());
    let refused = rag.retrieve("best", "basalt").run().await.unwrap_err();
    assert!(refused.to_string().contains("`strata`"), "{refused}");
}

/// A model that answers, in pieces.
fn answering() -> ScriptedServer {
    let good = r#"{"answer": [{"sentence": "Basalt comes from Mount Etna.", "sources": [1]}, {"sentence": "It was found in 1720.", "sources": [1, 8]}], "analysis": "It says so."}"#;
    let script = move |_: &_| Step::Stream {
        pieces: good.split_inclusive(' ').map(str::to_owned).collect(),
        whole: true,
    };
    ScriptedServer::start(script).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_come_as_they_are_made() {
    let model = answering();
    let url = model.url();
    let fixture = Fixture::start(move |config, _| {
        config.llm = Some(url);
        config.model = Some("tiny".to_owned());
    })
    .await;
    let client = fixture.client().await;
    let rag = client.rag();
    // No layers are made by a model here.
    client
        .query("CALL rag.createLayers('structure')")
        .run()
        .await
        .unwrap();
    let mut upserts = rag.upsert().start();
    for (name, text) in [
        (
            "a.md",
            "# Rocks\n\nBasalt comes from Mount Etna. It was lava.\n",
        ),
        (
            "b.md",
            "# Birds\n\nOwls hunt mice at night. They hear well.\n",
        ),
    ] {
        upserts.send(Document::new(name, text)).await.unwrap();
    }
    upserts.finish().await.unwrap();
    let asked = model.asked().len();
    let ask = || rag.ask("vector", "Where does basalt come from?");
    let mut asking = ask().start().await.unwrap();
    let (mut kinds, mut heard) = (Vec::new(), String::new());
    let (mut stages, mut answer) = (Vec::new(), None);
    while let Some(event) = asking.next().await.unwrap() {
        let kind = match event {
            AskEvent::Stage(stage) => {
                stages.push(stage);
                "stage"
            }
            AskEvent::Retrieved(retrieved) => {
                assert!(retrieved.confidence.value > 0.3 && !retrieved.trace.is_empty());
                assert_eq!(retrieved.trace, stages);
                "retrieved"
            }
            AskEvent::Text { text, .. } => {
                heard.push_str(&text);
                "text"
            }
            AskEvent::Sentence(_) => "sentence",
            AskEvent::Answer(whole) => {
                answer = Some(whole);
                "answer"
            }
            _ => "other",
        };
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    }
    assert_eq!(kinds, ["stage", "retrieved", "text", "sentence", "answer"]);
    assert_eq!(heard, "Basalt comes from Mount Etna. It was found in 1720.");
    let answer = answer.unwrap();
    let marks: Vec<bool> = answer.sentences.iter().map(|one| one.supported).collect();
    assert_eq!(marks, [true, false]);
    assert_eq!(
        (&answer.sentences[1].lacks, &answer.dropped),
        (&vec!["1720".to_owned()], &vec![8])
    );
    assert_eq!(answer.sources[0].receipt.places[0].document, "a.md");
    assert_eq!(
        (answer.bill.calls, answer.model.as_deref()),
        (1, Some("tiny"))
    );
    assert_eq!(model.asked().len(), asked + 1);
    // In the document's own words nobody is asked.
    let verbatim = ask().verbatim().run().await.unwrap();
    assert_eq!(verbatim.sentences[0].text, "Basalt comes from Mount Etna.");
    assert_eq!((verbatim.model, model.asked().len()), (None, asked + 1));
    let refused = rag.ask("best", "basalt").run().await.unwrap_err();
    assert!(refused.to_string().contains("`strata`"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn thresholds_are_found_with_progress_and_gone_by() {
    let fixture = Fixture::start(|_, _| ()).await;
    let rag = fixture.client().await.rag();
    let mut upserts = rag.upsert().layers(Layers::new("structure")).start();
    for thing in ["basalt", "violins", "owls", "glaciers", "bread", "clocks"] {
        let text = format!(
            "# {thing}\n\nThe {thing}book of Professor {thing}son explains {thing} to whoever studies it.\n\n\
             The oldest museum of {thing} stands near the harbour of {thing}ville since Easter.\n"
        );
        let document = Document::new(format!("{thing}.md"), text);
        upserts.send(document).await.unwrap();
    }
    upserts.finish().await.unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let calibrate = rag.calibrate("strata").questions(20).seed(5);
    let found = calibrate
        .on_progress(move |done, of| heard.lock().unwrap().push((done, of)))
        .run()
        .await
        .unwrap();
    assert!(found.auroc > 0.8 && found.documents == 6, "{found:?}");
    let told = std::mem::take(&mut *told.lock().unwrap());
    assert!(!told.is_empty());
    assert!(told.iter().all(|(done, of)| done <= of), "{told:?}");
    let elsewhere = "Which mortgage interest did bankers announce yesterday?";
    let refused = rag.ask("strata", elsewhere).run().await.unwrap();
    assert_eq!(refused.threshold, Some(found.threshold));
    let retrieved = rag.retrieve("strata", elsewhere).run().await.unwrap();
    assert_eq!(retrieved.threshold, Some(found.threshold));
    assert!(retrieved.confidence.value < found.threshold);
    assert_eq!(refused.refused.unwrap().because, "below_threshold");
    let wrong = rag
        .calibrate("strata")
        .questions(1)
        .run()
        .await
        .unwrap_err();
    assert!(matches!(&wrong, Error::Refused(_)), "{wrong:?}");
    assert!(wrong.to_string().contains("number of questions"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_declared_called_and_dropped() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let rag = client.rag();
    let mut upserts = rag.upsert().layers(Layers::new("structure")).start();
    let rocks = Document::new("a.md", "# Rocks\n\nBasalt comes from Mount Etna.\n");
    upserts.send(rocks).await.unwrap();
    upserts.finish().await.unwrap();
    assert!(rag.declared().await.unwrap().queries.is_empty());
    let definition = serde_json::json!({
        "name": "titled",
        "description": "The headings that are called so.",
        "statement": "MATCH (s:Section {title: $title}) RETURN s",
        "parameters": [{"name": "title", "type": "text"}],
        "target": "Section",
    });
    let reports = rag.declare(definition.to_string()).await.unwrap();
    assert_eq!(
        (reports[0].name.as_str(), reports[0].replaced),
        ("titled", false)
    );
    let declared = rag.declared().await.unwrap();
    let titled = &declared.queries[0];
    assert!(declared.declared && titled.tool.contains("\"function\""));
    assert_eq!(
        (titled.description.as_str(), titled.target.as_str()),
        ("The headings that are called so.", "Section")
    );
    let called = rag
        .call("titled", r#"{"title": "Rocks"}"#, 5)
        .await
        .unwrap();
    assert_eq!(
        (called.rows.len(), called.more, &called.rows[0].found[..]),
        (1, false, &[0][..])
    );
    assert_eq!(called.found[0].receipt.places[0].document, "a.md");
    assert!(
        called.rows[0].values.contains("Rocks"),
        "{}",
        called.rows[0].values
    );
    for (name, arguments, said) in [
        ("titled", "{", "no JSON"),
        ("titled", "{}", "$.title"),
        ("titled", r#"{"title": "x", "sql": "y"}"#, "$.sql"),
        ("other", "{}", "there are `titled`"),
    ] {
        let refused = rag.call(name, arguments, 0).await.unwrap_err();
        assert!(matches!(&refused, Error::Refused(_)), "{refused:?}");
        assert!(refused.to_string().contains(said), "{refused}");
    }
    let writes = definition
        .to_string()
        .replace("RETURN s", "SET s.title = 'x' RETURN s");
    let refused = rag.declare(writes).await.unwrap_err();
    assert!(refused.to_string().contains("may only read"), "{refused}");
    assert!(rag.undeclare("titled").await.unwrap());
    assert!(!rag.undeclare("titled").await.unwrap());
}
