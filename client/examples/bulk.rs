//! Many nodes, relationships and vectors in one call, and a search among them.
//!
//! Run a server, and this beside it:
//!
//! ```text
//! stratigraph serve /tmp/example
//! cargo run --release -p stratigraph-client --example bulk -- http://localhost:7687 100000
//! ```

use serde::Serialize;
use std::time::Instant;
use stratigraph_client::{Client, Error, Index, Target, VectorQuery};

#[derive(Serialize)]
struct Chunk {
    number: u64,
    text: String,
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let endpoint = arguments.next();
    let endpoint = endpoint.unwrap_or_else(|| "http://localhost:7687".to_owned());
    let count = arguments
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(10_000);
    let client = Client::connect(endpoint).await?;
    let chunks = Index::vectors(Target::label("Chunk"), "embedding", 3).named("chunks");
    client.schema().if_missing().create_index(chunks).await?;

    let began = Instant::now();
    // The writer waits when the server is slower than it: memory holds a few batches, however many nodes there are.
    let mut bulk = client
        .bulk()
        .on_progress(|so_far| eprint!("\r{} nodes", so_far.nodes))
        .start();
    let document = bulk.node(["Document"], ()).await?;
    for number in 0..count {
        let text = format!("chunk {number}");
        let chunk = bulk.node(["Chunk"], Chunk { number, text }).await?;
        bulk.relationship(chunk, "PART_OF", document, ()).await?;
        let angle = number as f32 / 1000.0;
        bulk.vector(chunk, "embedding", vec![angle.cos(), angle.sin(), 1.0])
            .await?;
    }
    // Nothing has changed before this; all of it has after it.
    let verdict = bulk.finish().await?;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "\r{} nodes, {} relationships in {seconds:.1} s",
        verdict.nodes, verdict.relationships
    );

    let query = VectorQuery::new("chunks", vec![1.0, 0.0, 1.0], 3);
    for hit in client
        .search()
        .returning(["text"])
        .vectors(query)
        .await?
        .hits
    {
        println!("{:.4} {:?}", hit.score, hit.properties["text"]);
    }
    Ok(())
}
