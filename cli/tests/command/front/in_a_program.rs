// The example of README.md, word for word but for these lines. `../front.rs` includes it, so there is no inner documentation.

use stratigraph::{Constraint, Database, Read, Value, Vector, VectorIndex, VectorSearch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = Database::in_memory()?; // or Database::create("library")?, which is a folder
    db.create_constraint(Constraint::on_nodes("Book").unique(["title"]))?;
    db.create_vector_index(VectorIndex::on_nodes("Book", "gist", 3).named("gists"))?;

    let mut txn = db.write()?; // one writer at a time; others wait in a queue
    let gist = Value::Vector(Vector::new([0.1, 0.9, 0.2])?);
    let book = txn.create_node(["Book"], [("title", "Moby-Dick".into()), ("gist", gist)])?;
    let author = txn.create_node(["Person"], [("name", "Herman Melville")])?;
    txn.create_relationship(author, "WROTE", book, [("year", 1851)])?;
    txn.commit()?; // durable once it returns: graph, constraint and vectors in one piece

    let read = db.read()?; // a snapshot: it never changes and never blocks
    let near = read.search_vectors("gists", &VectorSearch::new(&[0.0, 1.0, 0.0], 10))?;
    assert_eq!(near.hits.len(), 1);

    let who = "MATCH (p)-[:WROTE]->(b:Book {title: $title}) RETURN p.name AS name";
    for row in db.query(who, [("title", "Moby-Dick")])? {
        println!("{} wrote it", row?.get::<String>("name")?);
    }
    Ok(())
}
