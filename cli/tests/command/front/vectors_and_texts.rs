// The example of docs/library.md, word for word but for these lines. `../front.rs` includes it, so there is no inner documentation.

use stratigraph::{
    Database, Fusion, Read, TextIndex, TextSearch, Value, Vector, VectorIndex, VectorSearch,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = Database::in_memory()?;
    let meaning = VectorIndex::on_nodes("Chunk", "embedding", 3).filterable(["year"]);
    db.create_vector_index(meaning.named("meaning"))?;
    let words = TextIndex::on_nodes("Chunk", ["text"]).weighted("title", 2.0);
    db.create_text_index(words.named("words"))?;

    let mut txn = db.write()?;
    let embedding = Value::Vector(Vector::new([0.2, 0.9, 0.1])?); // a model's, in earnest
    let text = "Layers of rock, with basalt between them.";
    let chunk = txn.create_node(["Chunk"], [("text", text)])?;
    txn.set_property(chunk, "embedding", embedding)?;
    txn.set_property(chunk, "year", 2021)?;
    txn.commit()?; // both indexes have it, for readers from here on

    let read = db.read()?;
    let near = VectorSearch::new(&[0.0, 1.0, 0.0], 10).where_range("year", Value::from(2020)..);
    assert_eq!(read.search_vectors("meaning", &near)?.hits.len(), 1);
    let said = TextSearch::new("\"layers of rock\" +basalt -lava strat*", 10);
    assert_eq!(read.search_text("words", &said)?.hits.len(), 1);
    let best = read.search_hybrid(("meaning", &near), ("words", &said), Fusion::default(), 10)?;
    assert_eq!(best.len(), 1);
    Ok(())
}
