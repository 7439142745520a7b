//! Documents and summaries.

use super::Fixture;
use std::sync::{Arc, Mutex};
use stratigraph_client::{Document, Error, Layers};

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
