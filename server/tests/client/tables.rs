//! Tables.

use super::Fixture;
use stratigraph_client::Error;

const MAPPING: &str = "[[nodes]]\nfile = 'rocks.csv'\nlabel = 'Rock'\nkey = 'name'\n[[nodes]]\nfile = 'none.csv'\nlabel = 'None'\nkey = 'name'\n";

#[tokio::test(flavor = "multi_thread")]
async fn tables_in_pieces_of_any_size() {
    let fixture = Fixture::start(|_, _| ()).await;
    let client = fixture.client().await;
    let rag = client.rag();
    // More than a piece, with borders in the middle of rows; and one with a header and no row.
    let long = "é".repeat(700_000);
    let rocks = format!("name,text\nBasalt,{long}\nGranite,{long}\n");
    let mut report = None;
    for dry in [true, false] {
        let settings = rag.tables("rocks.toml", MAPPING);
        let settings = if dry { settings.dry_run() } else { settings };
        let mut tables = settings.keep_embedder().start();
        let (begins, goes_on) = rocks.as_bytes().split_at(5);
        tables.send("rocks.csv", begins).await.unwrap();
        tables.send("rocks.csv", goes_on).await.unwrap();
        tables.send("none.csv", "name\n").await.unwrap();
        let told = tables.finish().await.unwrap();
        assert_eq!((told.nodes, told.count_problems), (2, 0), "{told:?}");
        assert_eq!(told.change.written > 0, !dry);
        report = Some(told);
    }
    let note = report.unwrap().note.unwrap();
    assert!(note.contains("is of the profile structure"), "{note}");
    let ask = "MATCH (r:Rock) RETURN r.key AS key, size(r.text) AS size ORDER BY key";
    let mut rows = client.query(ask).rows().await.unwrap();
    for name in ["Basalt", "Granite"] {
        let row = rows.next().await.unwrap().unwrap();
        assert_eq!(row.get::<&str>("key").unwrap(), name);
        assert_eq!(row.get::<u64>("size").unwrap(), 700_000);
    }
    // What is stated goes only if that is meant.
    let mut tables = rag.tables("rocks.toml", MAPPING).start();
    tables.send("none.csv", "").await.unwrap();
    let refused = tables.finish().await.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("rocks.csv: no row could be read"),
        "{refused}"
    );
    // An empty file is there, and one of which nothing came is not.
    let mut tables = rag.tables("rocks.toml", MAPPING).prune().start();
    tables.send("none.csv", "").await.unwrap();
    let told = tables.finish().await.unwrap();
    assert_eq!(told.note, None);
    let [missing, empty] = &told.problems[..] else {
        panic!("{told:?}");
    };
    assert!(missing.contains("it is not there"), "{missing}");
    assert!(empty.contains("the file is empty"), "{empty}");
    // What ends it comes while somebody sends, or at the end, and is said once more whoever asks.
    let mut tables = rag.tables("rocks.toml", MAPPING).start();
    let mut refused = Ok(());
    while refused.is_ok() {
        refused = tables.send("other.csv", "name\n").await;
    }
    let refused = refused.unwrap_err();
    assert!(matches!(&refused, Error::Refused(_)), "{refused:?}");
    assert!(refused.to_string().contains("no such file"), "{refused}");
    let once_more = tables.send("rocks.csv", "name\n").await.unwrap_err();
    assert_eq!(once_more.to_string(), refused.to_string());
    assert!(tables.finish().await.is_err());
    // One that is dropped was never there.
    let before = rag.tables("rocks.toml", MAPPING).start();
    drop(before);
    assert_eq!(rag.delete(["rocks.toml"]).await.unwrap().deleted, 0);
}
