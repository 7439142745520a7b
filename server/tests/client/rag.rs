//! Documents and summaries.

use super::Fixture;
use std::sync::{Arc, Mutex};
use stratigraph_client::{Document, Error, Layers, Receipt, Standing};

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
    let facts = Document::new("facts", fact).format("facts");
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
    assert_eq!(rag.stale().await.unwrap().count, 0);
    // Without a model the server says what it needs, and rules are asked for by name.
    let refused = rag.resummarise().entities().run().await.unwrap_err();
    assert!(matches!(&refused, Error::Refused(_)), "{refused:?}");
    assert!(refused.to_string().contains("--llm"), "{refused}");
    let done = rag.resummarise().entities().central().run().await.unwrap();
    assert!(
        done.summaries.iter().all(|one| one.text.is_some()) && done.left == 0,
        "{done:?}"
    );
    assert!(!done.summaries.is_empty());
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
        .run()
        .await
        .unwrap();
    let first = &retrieved.found[0];
    assert_eq!((first.heading.as_str(), first.packed), ("Rocks", true));
    assert_eq!(
        (first.receipt.kind.as_str(), first.receipt.scale.as_str()),
        ("Chunk", "cosine")
    );
    assert_eq!(first.receipt.places[0].document, "a.md");
    assert!(retrieved.context.contains("Basalt comes from Mount Etna."));
    assert_eq!(retrieved.trace[0].gave, 1);
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
    assert!(declared.declared && declared.queries[0].tool.contains("\"function\""));
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
